"""What hides secrets in everything that leaves the run: events, transcripts, what a model reads."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Protocol

from webagent.registry.secrets import Secrets

_MOST_KEPT = 200
"""Texts that are not looked through a second time."""
_SHORTEST_KEPT = 500
_LONGEST_KEPT = 50_000


class Redacts(Protocol):
    """Hides what should not be told, by how it looks: keys, card numbers."""

    def redact(self, text: str) -> str:
        """Return a text without it."""


class Mask:
    """Hides the secrets that calls have shown, and what a redactor finds."""

    def __init__(self, secrets: Secrets, redactor: Redacts) -> None:
        """Hide what either knows."""
        self._secrets = secrets
        # Most of what a model is sent was sent before.
        self._redact_long = lru_cache(maxsize=_MOST_KEPT)(redactor.redact)
        self._redact_short = redactor.redact

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        return self._redact(self._secrets.mask_text(text))

    def data(self, data: Any) -> Any:
        """Return JSON data without secrets."""
        return self._redacted(self._secrets.mask(data))

    def _redact(self, text: str) -> str:
        long = _SHORTEST_KEPT <= len(text) <= _LONGEST_KEPT
        return self._redact_long(text) if long else self._redact_short(text)

    def _redacted(self, data: Any) -> Any:
        if isinstance(data, str):
            return self._redact(data)
        if isinstance(data, list | tuple):
            return [self._redacted(item) for item in data]
        if isinstance(data, dict):
            return {key: self._redacted(value) for key, value in data.items()}
        return data
