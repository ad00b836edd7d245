"""The errors of commands and configuration: one sentence with the remedy, shown as it is."""

from __future__ import annotations


class ConfigError(Exception):
    """What was asked for cannot be served; the message says why and what to write instead."""


class Misuse(Exception):
    """What was asked for cannot be done; the message says why and what to write instead."""
