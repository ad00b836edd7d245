"""Takes a key out of what passes by, also where it is split between two pieces."""

from __future__ import annotations

MASK = "•••"


class Redactor:
    """Replaces one secret in bytes and texts. Without a secret, everything passes as it is."""

    def __init__(self, secret: str) -> None:
        """Look for a secret, and for the way JSON may write it."""
        ways = {secret, secret.replace("/", "\\/"), secret.replace("+", "\\u002b")} - {""}
        self._needles = [way.encode() for way in sorted(ways)]
        self._held = b""

    def text(self, text: str) -> str:
        """Return a text without the secret."""
        return self._replaced(text.encode("utf-8", "replace")).decode()

    def feed(self, chunk: bytes) -> bytes:
        """Return what can be sent on; the beginning of what may be the secret is held back."""
        data = self._replaced(self._held + chunk)
        held = max((_overlap(data, needle) for needle in self._needles), default=0)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def rest(self) -> bytes:
        """Return what was held back, once nothing more comes."""
        held, self._held = self._held, b""
        return held

    def _replaced(self, data: bytes) -> bytes:
        for needle in self._needles:
            data = data.replace(needle, MASK.encode())
        return data


def _overlap(data: bytes, needle: bytes) -> int:
    """Return how many bytes at the end of data are the beginning of a needle."""
    longest = min(len(data), len(needle) - 1)
    return next((n for n in range(longest, 0, -1) if data.endswith(needle[:n])), 0)
