"""Names of tools: one for each in the registry, and one for each that every protocol accepts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64


class Names:
    """Gives each tool a name of its own; who comes first keeps the bare one."""

    def __init__(self) -> None:
        """Start with no name taken."""
        self._taken: set[str] = set()

    def give(self, name: str, qualified: str) -> str:
        """Return `name`, or `qualified` if that is taken, or `qualified` with a number from 2."""
        found = name if name not in self._taken else qualified
        number = 2
        while found in self._taken:
            found = f"{qualified}_{number}"
            number += 1
        self._taken.add(found)
        return found


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
            safe = f"{safe[: _LONGEST - 9]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        taken.add(safe)
        found[name] = safe
    return found
