"""Tool names that every model API accepts, and the way back to the real ones."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_NOT_FIRST = re.compile(r"[0-9-]")
_LONGEST = 64


def safe_names(names: Iterable[str], *, letter_first: bool = False) -> dict[str, str]:
    """Return a unique name for each that MCP and model APIs accept: `[A-Za-z0-9_-]{1,64}`.

    Other characters become `_`. A name that is too long or already taken is cut and ends in digits of
    its SHA-256.

    Args:
        names: The names.
        letter_first: Whether a digit or `-` at the beginning gets a `_` before it.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        safe = _UNSAFE.sub("_", name)
        if letter_first and _NOT_FIRST.match(safe):
            safe = f"_{safe}"
        if len(safe) > _LONGEST or not safe or safe in taken:
            safe = f"{safe[: _LONGEST - 9]}_{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"
        taken.add(safe)
        found[name] = safe
    return found


class ToolNames:
    """The tool names of one conversation: those of the model, and the real ones."""

    def __init__(self, names: Iterable[str], *, letter_first: bool = False) -> None:
        """Give each name a safe one, as `safe_names` does; the first ones keep theirs."""
        self._safe = safe_names(dict.fromkeys(names), letter_first=letter_first)
        self._own = {safe: name for name, safe in self._safe.items()}

    def safe(self, name: str) -> str:
        """Return the name of a tool for the model."""
        return self._safe[name]

    def own(self, safe: str) -> str:
        """Return the real name of a tool that the model calls; one that it made up stays as it is."""
        return self._own.get(safe, safe)
