"""Names of tools that every protocol of models accepts, and the way back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Return for each name one that MCP and model APIs accept: `[A-Za-z0-9_-]{1,64}`, all different.

    What is not allowed becomes `_`; a long name is cut and ends in digits of its SHA-256, and so
    does one that another name became already.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        safe = _UNSAFE.sub("_", name)
        if len(safe) > _LONGEST or not safe or safe in taken:
            safe = f"{safe[: _LONGEST - 9]}_{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"
        taken.add(safe)
        found[name] = safe
    return found


class ToolNames:
    """The names of one conversation, as the model knows them and as they are."""

    def __init__(self, names: Iterable[str]) -> None:
        """Give each name a safe one; those that come first keep theirs."""
        self._safe = safe_names(dict.fromkeys(names))
        self._own = {safe: name for name, safe in self._safe.items()}

    def safe(self, name: str) -> str:
        """Return what the model knows a tool by."""
        return self._safe[name]

    def own(self, safe: str) -> str:
        """Return the name of a tool that the model asks for; one it made up stays as it is."""
        return self._own.get(safe, safe)
