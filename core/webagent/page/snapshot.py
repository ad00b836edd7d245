"""A snapshot of a page at one moment: its elements by number, and its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MOST_ELEMENTS = 10_000
_LONGEST_TEXT = 200_000
_LONGEST_NAME = 2_000
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
_MOST_PROVIDED = 10
_LONGEST_PROVIDED = 2_000


@dataclass(frozen=True, slots=True)
class Element:
    """One element that a person could use, or that structures the page."""

    id: int
    """Its number (`pp_id`), which stays the same as long as the element exists."""
    role: str
    name: str
    value: str | None = None
    states: tuple[str, ...] = ()
    """States such as `checked`, `disabled`, `expanded`, `offscreen`."""
    frame: int | None = None
    """Number of the frame it is in; None for the page's own document."""
    level: int | None = None
    """Level of a heading."""
    href: str | None = None
    description: str = ""
    options: tuple[str, ...] = ()
    """The choices of a list."""
    traits: tuple[str, ...] = ()
    """Facts of its markup by which its effect is judged, such as `controls`, `summary`, `scripted`
    (`dom/read/control_traits.ts`)."""


@dataclass(frozen=True, slots=True)
class Provided:
    """Something that the page says matters now (`webagent.provide`)."""

    name: str
    text: str = ""
    """Its value as JSON."""
    problem: str = ""
    """Why there is no value; empty if there is one."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The content of a page."""

    url: str = ""
    title: str = ""
    revision: int = 0
    """Counts the changes of the page that were seen."""
    elements: tuple[Element, ...] = ()
    text: str = ""
    """The readable text in order, with `[12] button "Add"` in the place of element 12."""
    truncated: bool = False
    language: str = ""
    """The visitor's language as a tag (`de-AT`); empty if the browser does not say."""
    state: tuple[Provided, ...] = ()
    """The values that the page provides."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Snapshot:
        """Read a snapshot from the page's data, which are not trusted."""
        entries = data.get("elements")
        listed = entries[:_MOST_ELEMENTS] if isinstance(entries, list) else []
        found = (_element(entry) for entry in listed if isinstance(entry, Mapping))
        return cls(
            _text(data.get("url")),
            _text(data.get("title")),
            _number(data.get("revision")) or 0,
            tuple(element for element in found if element is not None),
            _text(data.get("text"), _LONGEST_TEXT),
            data.get("truncated") is True,
            _language(data.get("language")),
            _state(data.get("state")),
        )

    def get(self, pp_id: int | None) -> Element | None:
        """Return an element by its number."""
        return next((element for element in self.elements if element.id == pp_id), None)


def _element(entry: Mapping[str, Any]) -> Element | None:
    number = _number(entry.get("id"))
    if number is None:
        return None
    value, href = entry.get("value"), entry.get("href")
    return Element(
        number,
        _text(entry.get("role")),
        _text(entry.get("name")),
        None if value is None else _text(value),
        _texts(entry.get("states")),
        _number(entry.get("frame")),
        _number(entry.get("level")),
        None if href is None else _text(href),
        _text(entry.get("description")),
        _texts(entry.get("options")),
        _texts(entry.get("traits")),
    )


def _language(value: Any) -> str:
    return value if isinstance(value, str) and _TAG.fullmatch(value) else ""


def _state(entries: Any) -> tuple[Provided, ...]:
    listed = entries[:_MOST_PROVIDED] if isinstance(entries, list) else []
    found = (
        Provided(
            " ".join(_text(entry.get("name"), 60).split()),
            _text(entry.get("text"), _LONGEST_PROVIDED),
            " ".join(_text(entry.get("problem"), 300).split()),
        )
        for entry in listed
        if isinstance(entry, Mapping)
    )
    return tuple(each for each in found if each.name and (each.text or each.problem))


def _text(value: Any, longest: int = _LONGEST_NAME) -> str:
    return value[:longest] if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(item) for item in value[:1000]) if isinstance(value, list) else ()


def _number(value: Any) -> int | None:
    return value if type(value) is int else None
