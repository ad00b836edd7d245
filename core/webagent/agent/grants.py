"""Grants: what a person may allow for a session, as keys that say what they cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from webagent.agent.redact import printable
from webagent.speech import say

GrantKind = Literal["control", "kind", "tool"]
"""One control of a page, all of one kind on it, or a tool."""

_LONGEST = 500
"""Characters of a key. A page stores no longer ones (`run/tab_storage.ts`)."""

_LONGEST_LABEL = 120

_KIND: Final = "kind:"

KINDS: Final = frozenset(("button", "form", "field", "link", "address", "element"))
"""The kinds of controls that ask."""

VERBS: Final = frozenset(
    ("click", "choose", "click_link", "enter_data", "fill", "drag", "press_key", "answer_dialog",
     "upload", "goto_url", "search")
)  # fmt: skip
"""The first word of a control's key."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Something that needs no yes for the rest of a session."""

    key: str
    kind: GrantKind
    text: str
    """Its words, as they follow “I may”: ``press `Save` on `/books` ``."""

    def to_dict(self) -> dict[str, str]:
        """Return it as plain data."""
        return {"key": self.key, "kind": self.kind, "text": self.text}


def control_key(verb: str, label: str, place: str) -> str:
    """Return the key of one control: its verb, its words, and the path of its page."""
    return f"{verb} {label} on {place}"


def kind_key(kind: str, place: str) -> str:
    """Return the key of all controls of a kind on a page."""
    return f"{_KIND}{kind} on {place}"


def grant_of(key: str) -> Grant:
    """Return the grant of a key, in words."""
    what, _, place = key.rpartition(" on ")
    kind = what.removeprefix(_KIND)
    if what.startswith(_KIND) and kind in KINDS:
        return Grant(key, "kind", _on(say(f"grant_any_{kind}"), place))
    verb, _, label = what.partition(" ")
    if verb in VERBS:
        return Grant(key, "control", _on(say(f"grant_{verb}", label=quotable(label)), place))
    return Grant(key, "tool", say("grant_tool", tool=quotable(key)))


def _on(words: str, place: str) -> str:
    return say("grant_on", words=words, place=quotable(place)) if place else words


def quotable(text: str) -> str:
    """Return words of a page on one line, without backticks that would end our quotation."""
    line = " ".join(printable(text.replace("`", "'")).split())
    return line if len(line) <= _LONGEST_LABEL else f"{line[:_LONGEST_LABEL]}…"


def offered(*keys: str) -> tuple[Grant, ...]:
    """Return the grants of keys that may be offered, without those that are too long to keep."""
    return tuple(grant_of(key) for key in keys if len(key) <= _LONGEST)
