"""What hides secrets in everything that leaves the run: events, transcripts, what a model reads."""

from __future__ import annotations

from typing import Any, Protocol

from webagent.registry.secrets import Secrets


class Redacts(Protocol):
    """Hides what should not be told, by how it looks: keys, card numbers."""

    def redact(self, text: str) -> str:
        """Return a text without it."""


class Mask:
    """Hides the secrets that calls have shown, and what a redactor finds."""

    def __init__(self, secrets: Secrets, redactor: Redacts) -> None:
        """Hide what either knows."""
        self._secrets = secrets
        self._redactor = redactor

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        return self._redactor.redact(self._secrets.mask_text(text))

    def data(self, data: Any) -> Any:
        """Return JSON data without secrets."""
        return self._redacted(self._secrets.mask(data))

    def _redacted(self, data: Any) -> Any:
        if isinstance(data, str):
            return self._redactor.redact(data)
        if isinstance(data, list | tuple):
            return [self._redacted(item) for item in data]
        if isinstance(data, dict):
            return {key: self._redacted(value) for key, value in data.items()}
        return data
