"""The port through which the core sees a web page, and its implementations."""
