"""How the core sees a web page: one port, and its implementations."""
