"""What a tool gave back: the things in it, their fields, and what a person calls them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import split_identifier, stems_of
from webagent.schema import check_schema

_MOST_ITEMS = 200
_DEEPEST = 5
_NAMES: Final = ("title", "name", "label", "subject", "displayName", "headline", "summary", "text",
                 "description", "address", "model", "city")  # fmt: skip
_ID_TAILS: Final = frozenset({"id", "ids", "code", "no", "number", "ref", "reference", "slug", "sku",
                              "key", "uuid", "identifier", "handle", "nr"})  # fmt: skip
_FIGURE: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")
_SPAN: Final = re.compile(r"(\d{1,4}) ?(d|h|m)(?:ays?|ours?|rs?|in(?:ute)?s?)?\b")


def items_of(value: Any) -> list[Any]:
    """Return the things in a result: its longest list nearest to the top, or the one thing it is."""
    for depth in range(_DEEPEST):
        lists = [found for found in _lists_at(value, depth) if found]
        if lists:
            best = max(lists, key=lambda found: (isinstance(found[0], Mapping), len(found)))
            return list(best[:_MOST_ITEMS])
    if any(True for depth in range(_DEEPEST) for _ in _lists_at(value, depth)):
        return []
    if isinstance(value, Mapping):
        inner = [v for v in value.values() if isinstance(v, Mapping)]
        if inner and len(inner) == len(value) and len(inner) > 1:
            return [{"id": key, **v} for key, v in value.items() if isinstance(v, Mapping)]
        return [value]
    return []


def _lists_at(value: Any, depth: int) -> Iterator[Sequence[Any]]:
    if isinstance(value, list):
        if depth == 0:
            yield value
        return
    if isinstance(value, Mapping) and depth > 0:
        for inner in list(value.values())[:100]:
            yield from _lists_at(inner, depth - 1)


def fields_of(item: Any, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the fields of a thing, those inside its objects too, by path."""
    if not isinstance(item, Mapping) or len(prefix) > 3:
        return
    for name, value in list(item.items())[:100]:
        path = (*prefix, str(name))
        if isinstance(value, Mapping):
            yield from fields_of(value, path)
        else:
            yield path, value


def name_of(item: Any) -> str:
    """Return what a person would call a thing."""
    if not isinstance(item, Mapping):
        return str(item)[:120]
    for wanted in _NAMES:
        value = item.get(wanted)
        if isinstance(value, str) and value.strip():
            return value.strip()[:120]
    for path, value in fields_of(item):
        if isinstance(value, str) and set(split_identifier(path[-1])) & {"name", "title"}:
            return value[:120]
    for path, value in fields_of(item):
        if split_identifier(path[-1])[-1:] and split_identifier(path[-1])[-1] in _ID_TAILS:
            return str(value)[:120]
    return next((str(v)[:120] for _, v in fields_of(item) if isinstance(v, str)), "")


def text_stems(item: Any) -> frozenset[str]:
    """Return the stems of all words in a thing."""
    if not isinstance(item, Mapping):
        return frozenset(stems_of(str(item)))
    found: set[str] = set()
    for path, value in fields_of(item):
        if isinstance(value, str):
            found.update(stems_of(value[:500]))
            found.update(word.lower() for word in value[:500].split())
        elif isinstance(value, bool):
            if value:
                found.update(stem(word) for word in split_identifier(path[-1]))
        elif isinstance(value, int | float):
            found.add(f"{value:g}")
        elif isinstance(value, list):
            for inner in value[:30]:
                if isinstance(inner, str):
                    found.update(stems_of(inner[:200]))
    return frozenset(found)


def number_in(value: Any) -> float | None:
    """Return what a value is as a number: a price written as text, a day, a duration."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str) or len(value) > 80:
        return None
    text = value.strip()
    if re.fullmatch(r"\d{4}-\d{2}", text):
        text += "-01"
    try:
        if len(text) >= 8 and text[:4].isdigit() and text[4] == "-":
            moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
            return moment.replace(tzinfo=None).timestamp()
    except ValueError:
        pass
    if re.fullmatch(r"\d{1,2}:\d{2}(?::\d{2})?", text):
        hours, minutes = text.split(":")[:2]
        return int(hours) * 60.0 + int(minutes)
    pieces = _SPAN.findall(text.lower())
    if pieces:
        return float(sum(int(n) * {"d": 1440, "h": 60, "m": 1}[unit] for n, unit in pieces))
    match = _FIGURE.search(text.replace(",", "").replace(" ", ""))
    return float(match.group()) if match else None


def field_by(items: Sequence[Any], wanted: Sequence[str]) -> tuple[str, ...] | None:
    """Return the path of the field that is meant by one of some nouns, the first noun first."""
    if not items or not isinstance(items[0], Mapping):
        return None
    paths: dict[tuple[str, ...], None] = {}
    for item in items[:20]:
        for path, value in fields_of(item):
            if value is not None:
                paths[path] = None
    for likeness in (1.0, 0.75, 0.6):
        for noun in wanted:
            for path in paths:
                words = [stem(word) for word in split_identifier(path[-1])]
                if any(noun_likeness(noun, word) >= likeness for word in words):
                    return path
    return None


def is_id(name: str) -> bool:
    """Whether a field holds what a thing is known by."""
    words = split_identifier(name)
    return len(words) > 0 and words[-1] in _ID_TAILS - {"number", "nr", "no"}


def at(item: Any, path: Sequence[str]) -> Any:
    """Return the value at a path in a thing, or None."""
    for name in path:
        if not isinstance(item, Mapping):
            return None
        item = item.get(name)
    return item


def value_for(slot: Slot, item: Any, subject: frozenset[str] = frozenset()) -> Any:
    """Return what a thing gives for a slot, or None.

    Args:
        slot: What is wanted: `bookId` is the `bookId`, the `id`, or the `book.id` of a thing.
        item: The thing.
        subject: Stems of what the tool is about.
    """
    if not isinstance(item, Mapping):
        return _as(slot, item)
    wanted = slot.stems
    ranked: list[tuple[float, int, Any]] = []
    for order, (path, value) in enumerate(fields_of(item)):
        if isinstance(value, list) or value is None:
            continue
        words = split_identifier(path[-1])
        own = frozenset(map(stem, words))
        score = 0.0
        if path[-1] == slot.name or own == wanted:
            score = 10.0
        elif "id" in slot.kinds:
            score = _id_score(path, words, own, slot, subject)
        elif own & wanted and len(own ^ wanted) <= 2:
            score = 4.0
        elif "person" in slot.kinds and words[-1:] in (("name",), ("title",)):
            score = 3.0
        score -= len(path) * 0.3
        if score > 0 and (fitted := _as(slot, value)) is not None:
            ranked.append((-score, order, fitted))
    ranked.sort(key=lambda entry: entry[:2])
    return ranked[0][2] if ranked else None


def _id_score(
    path: tuple[str, ...], words: tuple[str, ...], own: frozenset[str], slot: Slot,
    subject: frozenset[str],
) -> float:  # fmt: skip
    tail = words[-1] if words else ""
    if tail not in _ID_TAILS:
        return 2.0 if own & (slot.stems - {"id"}) and len(words) == 1 else 0.0
    nouns = slot.stems - {"id", "number", "no", "code", "refer", "ref", "key"}
    rest = own - {stem(tail)}
    score = 6.0 if (tail,) == words else 3.0
    if tail == slot.words[-1]:
        score += 1.0
    if tail in ("id", "ids"):
        score += 0.5
    if rest:
        alike = any(noun_likeness(one, noun) >= 0.6 for one in rest for noun in nouns | subject)
        score += 4.0 if alike else -2.0
    if len(path) > 1:
        around = {stem(word) for word in split_identifier(path[-2])}
        score += 2.0 if any(noun_likeness(a, n) >= 0.6 for a in around for n in nouns) else -2.0
    return score


def _as(slot: Slot, value: Any) -> Any:
    """Return a value in the type of a slot, or None if it cannot be."""
    if slot.type == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value:g}" if isinstance(value, float) else str(value)
    if slot.type in ("integer", "number") and isinstance(value, str):
        text = value.strip()
        if not text.isdecimal():
            return None
        value = int(text)
    return value if not check_schema(value, slot.schema) else None
