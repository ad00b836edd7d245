"""A call in words for the person: sentences of the manifest with values, and names for arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from webagent.parser.behavior import PLACEHOLDER
from webagent.types import Param

_MOST_LOOKED_AT: Final = 20_000
_LONGEST: Final = 80
_ID: Final = re.compile(
    r"(?:^|[_-])(?:id|slug|sku|isbn|code|key|uuid)$|(?<=[a-z])(?-i:I[dD])$", re.IGNORECASE
)
"""Names of members that name the object they are in."""
_NAMES: Final = ("title", "name", "label", "heading", "subject", "displayName", "fullName")
"""Names of members that name it for people."""
_LONGEST_LABEL: Final = 32
_NO_LABEL: Final = re.compile(r"[`.:;({]")
"""Signs of an explanation, which is not a name."""
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+")
_ID_WORD: Final = re.compile(r"(?<=\w) (?:id|uuid)$")


def sentence(template: str, arguments: Mapping[str, Any], results: Sequence[Any]) -> str:
    """Return a sentence with its values.

    A value is a member of the first result, an argument, or a member of the thing that an argument
    names in one of the results: `{title}` is the title of the book whose `id` is the argument `bookId`.

    Args:
        template: `Behavior.confirm` or `Behavior.done`.
        arguments: Those of the call.
        results: The result of the call (None before it is made), then those of earlier calls,
            the latest first.

    Returns:
        The sentence; empty without a template, or if the value of one of its names is not known.
    """
    places = [results[0], arguments, *_named_things(arguments, results)] if template else []
    missing = not template

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        found = next(filter(None, (_shown(_member(place, match[1])) for place in places)), "")
        missing = missing or not found
        return found

    text = PLACEHOLDER.sub(value, template)
    return "" if missing else text


def _named_things(
    arguments: Mapping[str, Any], results: Sequence[Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of results that an argument names by an id."""
    named = [(key, value) for key, value in arguments.items() if _shown(value)]
    for result in results:
        left = [result]
        for _ in range(_MOST_LOOKED_AT):
            if not left:
                break
            inner = left.pop()
            if isinstance(inner, Mapping):
                if any(_is_named(inner, key, value) for key, value in named):
                    yield inner
                left.extend(inner.values())
            elif isinstance(inner, list):
                left.extend(inner)


def _is_named(thing: Mapping[str, Any], param: str, value: Any) -> bool:
    """Whether the member by which an object is named has the value of a parameter."""
    # A number is an id where it is called one: `quantity` 1 is not the thing whose `id` is 1.
    return bool(isinstance(value, str) or _ID.search(param)) and any(
        type(own) is type(value) and own == value and _ID.search(str(key))
        for key, own in thing.items()
    )


def _member(data: Any, path: str) -> Any:
    for key in path.split("."):
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def _shown(value: Any) -> str:
    """Return a text or a number for a sentence; empty for any other value."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def labels(params: Sequence[Param]) -> dict[str, str]:
    """Return the labels of parameters: a short description, or the words of the name.

    An id goes by what it is the id of: `bookId` is `Book`.
    """
    return {param.name.removeprefix("..."): _label(param) for param in params}


def _label(param: Param) -> str:
    said = " ".join(param.description.split()).rstrip(".")
    if 0 < len(said) <= _LONGEST_LABEL and not _NO_LABEL.search(said):
        return said[:1].upper() + said[1:]
    words = _ID_WORD.sub("", _WORDS.sub(" ", param.name.removeprefix("...")).strip().lower())
    return words[:1].upper() + words[1:] or param.name


def names(arguments: Mapping[str, Any], results: Sequence[Any]) -> dict[str, str]:
    """Return the names of the things that arguments name by an id: `{"bookId": "Dune"}`."""
    found = {}
    for param, value in arguments.items():
        for thing in _named_things({param: value}, results):
            known = filter(None, (_shown(thing.get(key)) for key in _NAMES))
            name = next(known, "")
            if name and name != _shown(value):
                found[param] = name
                break
    return found


def titles(schema: Any) -> dict[str, str]:
    """Return the titles that a schema has for members, by their names: `{"price": "Price"}`."""
    found: dict[str, str] = {}
    left = [schema]
    for _ in range(_MOST_LOOKED_AT):
        if not left:
            break
        inner = left.pop()
        if isinstance(inner, list):
            left.extend(inner)
        elif isinstance(inner, Mapping):
            members = inner.get("properties")
            for name, member in members.items() if isinstance(members, Mapping) else ():
                title = _shown(member.get("title")) if isinstance(member, Mapping) else ""
                if title:
                    found.setdefault(str(name), title)
            left.extend(inner.values())
    return found
