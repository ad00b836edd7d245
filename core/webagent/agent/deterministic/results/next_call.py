"""What things that have come back, and errors, give for the parameters of the next call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.results.items import MEANINGS, Field, Item, Scalar, stems_of_name
from webagent.agent.deterministic.results.measures import written
from webagent.schema import check_schema


@dataclass(frozen=True, slots=True)
class Fit:
    """A value of a thing that a parameter takes."""

    value: Any
    path: tuple[str, ...]
    score: float
    """1 for the same name; below 0.4 it is a guess."""


def fit_of(item: Item, parameter: str, schema: Any, *, noun: str = "") -> Fit | None:
    """Return the value of a thing that fits a tool's parameter, if there is one.

    Args:
        item: The thing.
        parameter: The parameter's name, such as `payee_id`.
        schema: Its schema, which the value must fit.
        noun: What the thing is called, such as `payees`.
    """
    wanted = _bare(parameter)
    nouns = stems_of_name(noun)
    best: Fit | None = None
    for field in item.fields:
        if isinstance(field.value, tuple) or field.value is None:
            continue
        score = _fitness(field, parameter, wanted, nouns, item)
        if score > (best.score if best else 0) and _takes(schema, field.value):
            best = Fit(field.value, field.path, score)
    return best


def _bare(name: str) -> frozenset[str]:
    return frozenset(_stem_words(name)) - MEANINGS["id"]


def _stem_words(name: str) -> Iterable[str]:
    english = language("en")
    return (english.stem(word) for word in identifier_words(name))


def _fitness(
    field: Field, parameter: str, wanted: frozenset[str], nouns: frozenset[str], item: Item
) -> float:
    key = field.path[-1] if field.path else ""
    nested = 0.1 * (len(field.path) - 1)
    names = set(_stem_words(parameter))
    if key == parameter or set(_stem_words(key)) == names:
        return 1.0 - nested
    bare = _bare(key) | (
        frozenset(_stem_words(field.path[-2])) if len(field.path) > 1 else frozenset()
    )
    is_id, wants_id = "id" in field.meanings, bool(names & MEANINGS["id"])
    if wanted and wanted == bare and (is_id or wants_id):
        # `thread_id` takes `thread`, and `order` takes `orderId`.
        return 0.9 - nested
    if not field.path:
        return 0.6 if wanted & nouns or not wanted else 0.3
    if is_id and not bare:
        # A plain `id` belongs to the thing itself.
        if wanted & nouns or not wanted:
            return 0.85
        return 0.5 if wants_id else 0.35
    if is_id and wants_id and (wanted & bare or not wanted):
        return 0.6 - nested
    if field.path == item.naming and not wants_id:
        return 0.7 if names & (MEANINGS["name"] | nouns) else 0.3
    return 0.0


def _takes(schema: Any, value: Scalar) -> bool:
    return not check_schema(value, schema) if isinstance(schema, Mapping) else True


_LONGEST: Final = 2_000
_MOST_VALUES: Final = 20
_LONGEST_VALUE: Final = 60
_ALLOWING: Final = re.compile(
    r"(?:(?:must|should|can|may|has to) (?:only )?be (?:either )?(?:one of|any of|among|in)"
    r"|(?:expected|use|choose|try|pick|select|allows?|accepts?|supports?)(?: only)? (?:one of|any of|either)"
    r"|(?:allowed|valid|available|possible|permitted|supported|accepted|known|open|free|legal|existing|remaining)"
    r"(?: (?!(?:is|are|be)\b)[\w-]{1,30}){0,3}(?: are| is)?\s*:|(?:options|choices|alternatives|values|possibilities)(?: are)?\s*:"
    r"|(?:allowed|valid|available|possible|permitted|supported|open|free|accepted)(?: [\w-]{1,30}){0,2} (?:are|is)\b"
    r"|\b(?:we|it|they) (?:only )?(?:send|ship|deliver|go|post|travel|fly|serve|support)s? (?:only )?to\b"
    r"|did you mean|one of|enum:?|instead(?: of that)?:|(?:try|use) (?=[\"'“`]))\s*:?\s*",
    re.IGNORECASE,
)
"""Words before a list of what is allowed."""
_END: Final = re.compile(r"[;!?\n]|\.(?=\s|$)|\)(?=\s|$)")
_BREAK: Final = re.compile(r"\s*[,|/]\s*(?:or |and )?|\s+or\s+|\s+and\s+")
_BREAK_KEPT: Final = re.compile(r"\s*[,|]\s*(?:or |and )?|\s+or\s+|\s+and\s+")
_QUOTED: Final = re.compile(r"[\"“`]([^\"”`]{1,60})[\"”`]|'([^']{1,60})'")
_LIST_KEYS: Final = ("allowed", "allowedValues", "allowed_values", "valid", "validValues", "valid_values", "options",
                     "choices", "enum", "available", "alternatives", "suggestions", "expected")  # fmt: skip
_TEXT_KEYS: Final = ("error", "errors", "message", "reason", "detail", "details", "problem")


def allowed_by(error: Any) -> tuple[str, ...]:
    """Return the values that a tool's error names as allowed; nothing if it names none.

    Args:
        error: Its text, or data with it: `open days: 2026-12-22, 2026-12-23`.
    """
    if isinstance(error, Mapping):
        for key in _LIST_KEYS:
            found = error.get(key)
            if isinstance(found, list) and found:
                return _values(found)
        for key in _TEXT_KEYS:
            if found := allowed_by(error.get(key)):
                return found
        return ()
    if not isinstance(error, str):
        return ()
    text = error[:_LONGEST]
    for match in _ALLOWING.finditer(text):
        if found := _listed(text[match.end() :]):
            return found
    return ()


def _values(found: list[Any]) -> tuple[str, ...]:
    texts = [
        written(one)[:_LONGEST_VALUE]
        for one in found[:_MOST_VALUES]
        if isinstance(one, str | int | float)
    ]
    return tuple(dict.fromkeys(texts))


def _listed(text: str) -> tuple[str, ...]:
    text = text[:600].lstrip(" [({:")
    end = _END.search(text)
    text = text[: end.start()] if end else text
    text = text.rstrip(" ])}.")
    if quoted := [match[1] or match[2] for match in _QUOTED.finditer(text)]:
        return tuple(dict.fromkeys(quoted[:_MOST_VALUES]))
    # A date or a path has a slash of its own.
    breaks = _BREAK_KEPT if re.search(r"\d/\d|,", text) else _BREAK
    parts = [part.strip(" '\"`“”[]") for part in breaks.split(text)]
    parts = [part.removeprefix("either ").removeprefix("the ") for part in parts if part]
    if not parts or any(len(part) > _LONGEST_VALUE or len(part.split()) > 4 for part in parts[:-1]):
        return ()
    # The last one may be followed by more of the sentence.
    last = parts[-1].split()
    usual = max((len(part.split()) for part in parts[:-1]), default=2)
    parts[-1] = " ".join(last[: max(usual, 1)]) if len(last) > max(usual, 2) else parts[-1]
    return tuple(dict.fromkeys(parts[:_MOST_VALUES]))
