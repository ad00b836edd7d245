"""The errors of commands, of the configuration and of the broker. Users see their messages as they are."""

from __future__ import annotations


class UsageError(Exception):
    """A command cannot do what was asked; the message says why and what to write instead."""


class ConfigError(UsageError):
    """The options or `webagent.toml` cannot be used; the message says why and what to write instead."""


class BrokerUnavailable(Exception):
    """What the processes of a site share cannot be read or written now; the message says why."""

    retry_after_s = 5
    """When to try again."""

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response."""
        return {"retry-after": str(self.retry_after_s)}
