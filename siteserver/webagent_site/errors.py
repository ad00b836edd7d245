"""The errors of commands and of the configuration. Users see their messages as they are."""

from __future__ import annotations


class UsageError(Exception):
    """A command cannot do what was asked; the message says why and what to write instead."""


class ConfigError(UsageError):
    """The options or `webagent.toml` cannot be used; the message says why and what to write instead."""
