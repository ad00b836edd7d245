"""The rules of a `robots.txt` (RFC 9309): groups of agents, and the longest pattern that fits a path."""

from __future__ import annotations

import re

VISITING_AGENTS = ("ChatGPT-User", "Claude-User", "MistralAI-User", "Perplexity-User")
"""Agents that open a page because a person has asked them to; those that collect texts are left out."""

_LINE = re.compile(r"^[ \t]*([A-Za-z-]+)[ \t]*:[ \t]*([^#\r\n]*)", re.MULTILINE)
_MOST_RULES = 5_000


class Robots:
    """The groups of a file."""

    def __init__(self, text: str) -> None:
        """Read a file."""
        self._rules: dict[str, list[tuple[bool, str]]] = {}
        names: list[str] = []
        in_rules = True
        for match in list(_LINE.finditer(text))[:_MOST_RULES]:
            field, value = match[1].lower(), match[2].strip()
            if field == "user-agent":
                names = [*([] if in_rules else names), value.lower()]
                in_rules = False
                self._rules.setdefault(names[-1], [])
            elif field in ("allow", "disallow"):
                in_rules = True
                for name in names if value else ():
                    self._rules[name].append((field == "allow", value))

    def allows(self, agent: str, path: str) -> bool:
        """Whether an agent may ask for a path."""
        own = self._rules.get(agent.lower(), self._rules.get("*", []))
        fitting = [(len(pattern), allowed) for allowed, pattern in own if _fits(pattern, path)]
        # The longest pattern counts, and of two of one length the one that allows.
        return max(fitting)[1] if fitting else True


def _fits(pattern: str, path: str) -> bool:
    """Whether a pattern fits the beginning of a path, or with `$` the whole; in linear time."""
    whole = pattern.endswith("$")
    first, *parts = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for part in parts[:-1] if whole else parts:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    if not whole:
        return True
    return (
        path.endswith(parts[-1]) and len(path) - len(parts[-1]) >= at if parts else at == len(path)
    )
