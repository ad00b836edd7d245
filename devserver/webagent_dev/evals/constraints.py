"""Values against what a case expects of them: equal, or within constraints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from webagent.schema.regex import found, is_readable

_FLAGS = re.compile(r"\(\?([a-zA-Z]+)\)")
_WITHOUT_EFFECT = frozenset("dguv")
"""Flags that do not change whether a pattern is found."""
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where a value differs from the expected one."""

    path: str
    """`filters.color`, `items[2]`; empty for the whole value."""
    expected: str
    got: str
    """The actual value; empty when there is none."""

    def __str__(self) -> str:
        where = f"`{self.path}`" if self.path else "it"
        if not self.got:
            return f"{where} is missing, expected {self.expected}"
        return f"{where} is {self.got}, expected {self.expected}"


def differences(expected: Any, actual: Any, path: str = "") -> list[Difference]:
    """Return the differences between a value and the expected one; objects may hold more.

    Args:
        expected: A value, or an object of constraints, all of whose keys begin with `$`.
        actual: Plain data.
        path: Where the value is.
    """
    return [*_differences(expected, actual, path)]


def _differences(expected: Any, actual: Any, path: str) -> Iterator[Difference]:
    if is_constraint(expected):
        if not all(CONSTRAINTS[word].holds(limit, actual) for word, limit in expected.items()):
            yield Difference(path, in_words(expected), shown(actual))
    elif isinstance(expected, dict) and isinstance(actual, Mapping):
        for key, value in expected.items():
            inner = f"{path}.{key}" if path else str(key)
            if key in actual:
                yield from _differences(value, actual[key], inner)
            else:
                yield Difference(inner, in_words(value), "")
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield Difference(path, in_words(expected), shown(actual))
            return
        for index, value in enumerate(expected):
            yield from _differences(value, actual[index], f"{path}[{index}]")
    elif _kind(expected) != _kind(actual) or expected != actual:
        yield Difference(path, in_words(expected), shown(actual))


def is_constraint(value: Any) -> bool:
    """Whether an expected value is an object of constraints."""
    return isinstance(value, dict) and bool(value) and all(key.startswith("$") for key in value)


def in_words(expected: Any) -> str:
    """Return an expected value in words."""
    if not is_constraint(expected):
        return shown(expected)
    return " and ".join(CONSTRAINTS[word].words(limit) for word, limit in expected.items())


def shown(value: Any) -> str:
    """Return a value as JSON, not too long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


@dataclass(frozen=True, slots=True)
class Constraint:
    """One word that begins with `$`."""

    holds: Callable[[Any, Any], bool]
    """Whether it lets a value pass: `holds(limit, value)`."""
    words: Callable[[Any], str]
    """The condition, in words."""
    problem: Callable[[Any], str]
    """Why its limit is invalid; empty when it is valid."""
    example: str


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


_KINDS = ("string", "number", "boolean", "array", "object", "null")


def split_flags(written: str) -> tuple[str, str]:
    """Return a pattern and its flags, which may come before it: `(?i)`."""
    match = _FLAGS.match(written)
    if match is None:
        return written, ""
    return written[match.end() :], "".join(sorted(set(match[1]) - _WITHOUT_EFFECT))


def _matches(limit: str, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    pattern, flags = split_flags(limit)
    return found(pattern, value, flags) is True


def _pattern_problem(limit: Any) -> str:
    if not isinstance(limit, str):
        return "a pattern is text"
    pattern, flags = split_flags(limit)
    if unknown := set(flags) - set("ims"):
        return f"`{''.join(sorted(unknown))}` is not a flag that is supported here"
    if not is_readable(pattern, flags):
        return "it is not a pattern, or uses what is not supported here (`\\1`, `\\p{…}`)"
    return ""


def _text_problem(limit: Any) -> str:
    return "" if isinstance(limit, str) else "a part of a text is text"


def _number_problem(limit: Any) -> str:
    return "" if _kind(limit) == "number" else "it is compared with a number"


def _type_problem(limit: Any) -> str:
    return "" if limit in _KINDS else f"the types are {', '.join(f'`{k}`' for k in _KINDS)}"


def _compared(compare: Callable[[Any, Any], bool], words: str, example: str) -> Constraint:
    return Constraint(
        lambda limit, value: _kind(value) == "number" and compare(value, limit),
        lambda limit: f"{words} {shown(limit)}",
        _number_problem,
        example,
    )


CONSTRAINTS: dict[str, Constraint] = {
    "$eq": Constraint(
        lambda limit, value: not differences(limit, value), shown, lambda limit: "", '{"$eq": 1}'
    ),
    "$pattern": Constraint(
        _matches,
        lambda limit: f"a text like /{split_flags(limit)[0]}/{split_flags(limit)[1]}",
        _pattern_problem,
        '{"$pattern": "(?i)^colou?r$"}',
    ),
    "$contains": Constraint(
        lambda limit, value: isinstance(value, str) and limit in value,
        lambda limit: f"a text with {shown(limit)} in it",
        _text_problem,
        '{"$contains": "York"}',
    ),
    "$gt": _compared(lambda value, limit: value > limit, "more than", '{"$gt": 1}'),
    "$gte": _compared(lambda value, limit: value >= limit, "at least", '{"$gte": 1}'),
    "$lt": _compared(lambda value, limit: value < limit, "less than", '{"$lt": 120}'),
    "$lte": _compared(lambda value, limit: value <= limit, "at most", '{"$lte": 120}'),
    "$type": Constraint(
        lambda limit, value: _kind(value) == limit,
        lambda limit: f"something of type {limit}",
        _type_problem,
        '{"$type": "string"}',
    ),
    "$any": Constraint(
        lambda limit, value: True, lambda limit: "anything", lambda limit: "", '{"$any": true}'
    ),
}
"""Every constraint, by its word."""
