"""The model behind the server: where it is, what it may cost, and what must not be said of it."""
