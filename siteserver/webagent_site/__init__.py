"""The agent of `webagents.md` in a site's own application."""

__version__ = "0.1.0"
