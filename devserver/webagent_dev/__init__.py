"""The development server for sites with a `webagents.md`: serve, hot reload, checks on save."""

__version__ = "0.2.0"
