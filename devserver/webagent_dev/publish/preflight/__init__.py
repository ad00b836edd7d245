"""Checks whether agents can use a published site: what its server sends, and what its page does."""
