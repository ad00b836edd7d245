"""Grants: what a person may allow for a session, as keys that say what they cover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from webagent.agent.redact import printable

GrantKind = Literal["control", "kind", "tool"]
"""One control of a page, all of one kind on it, or a tool."""

_LONGEST = 500
"""Characters of a key. A page stores no longer ones (`run/tab_storage.ts`)."""

_LONGEST_LABEL = 120

_KIND: Final = "kind:"

KINDS: Final[Mapping[str, str]] = {
    "button": "press any button outside of forms",
    "form": "send any form",
    "field": "fill in any field that may save at once",
    "link": "follow any link that runs a script",
    "address": "open any address of this site that no page showed",
    "element": "press any element of an unknown kind",
}
"""The kinds of controls that ask, in the words of a grant for all of them on a page."""

VERBS: Final[Mapping[str, str]] = {
    "click": "press",
    "choose": "choose",
    "click_link": "follow the link",
    "enter_data": "fill in and send",
    "fill": "fill in",
    "drag": "drag",
    "press_key": "press the key",
    "answer_dialog": "answer",
    "upload": "upload files to",
    "goto_url": "open",
    "search": "search with",
}
"""The first word of a control's key, in the words of its grant."""


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
    where = f" on `{quotable(place)}`" if place else ""
    kind = what.removeprefix(_KIND)
    if what.startswith(_KIND) and kind in KINDS:
        return Grant(key, "kind", KINDS[kind] + where)
    verb, _, label = what.partition(" ")
    if verb in VERBS:
        return Grant(key, "control", f"{VERBS[verb]} `{quotable(label)}`{where}")
    return Grant(key, "tool", f"use `{quotable(key)}`")


def quotable(text: str) -> str:
    """Return words of a page on one line, without backticks that would end our quotation."""
    line = " ".join(printable(text.replace("`", "'")).split())
    return line if len(line) <= _LONGEST_LABEL else f"{line[:_LONGEST_LABEL]}…"


def offered(*keys: str) -> tuple[Grant, ...]:
    """Return the grants of keys that may be offered, without those that are too long to keep."""
    return tuple(grant_of(key) for key in keys if len(key) <= _LONGEST)
