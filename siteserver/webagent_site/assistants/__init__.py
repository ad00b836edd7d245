"""The visitor's own assistant: who it is, what the visitor grants it, and the credentials that show it."""
