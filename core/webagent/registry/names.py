"""Names of tools: one for each in the registry."""

from __future__ import annotations


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
