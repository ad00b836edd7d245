"""The things in a tool's result: where they are, what they are called, what their fields mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from webagent.agent.deterministic.reading.language import english_stem, language, languages
from webagent.agent.deterministic.reading.quantities import dimension, unit_of_parameter
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.results.measures import Measure, measure_of, written
from webagent.json_text import read_json

MOST_ITEMS: Final = 200
"""Things that are looked at; all are counted."""
_MOST_FIELDS: Final = 40
_MOST_READ: Final = 4_000
"""Fields of all things together; things behind that are counted, but not read."""
_MOST_PARTS: Final = 20
_DEEPEST: Final = 4
_LONGEST_KEY: Final = 80
_LONGEST_TEXT: Final = 2_000
_LONGEST_JSON: Final = 1_000_000
MEANINGS: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(english_stem(word) for word in words.split())
    for name, words in {
        "name": "name title label subject headline caption summary",
        "id": "id ids identifier number no nr num code ref reference slug sku key uuid isbn handle login token barcode tracking",
        "price": "price cost fee fare premium rent charge tax salary wage pay cheap expensive bill balance deposit subtotal total amount sum payment "
        "budget paid money rate due result",
        "duration": "duration length minutes minute hours hour seconds days nights runtime playtime time",
        "distance": "distance far away length",
        "rating": "rating rate stars star score grade review popularity votes",
        "weight": "weight weigh mass heavy",
        "temperature": "temperature temp warm cold hot heat degrees celsius",
        "size": "size area volume capacity height width length large big",
        "speed": "speed velocity fast",
        "age": "age old birthday born",
        "count": "count quantity qty amount number stock total size left remaining free available seats places pieces copies "
        "availability",
        "date": "date day time start end begin due deadline created updated departure arrival until since "
        "expiry expires renews eta moment when from till deliver doors",
        "person": "author trainer teacher reporter handler assignee owner by from sender person name instructor customer "
        "client guest host driver doctor vet contact manager creator user artist speaker member staff leader writer "
        "borrower patient guide winner responsible organiser organizer director editor producer seller",
        "place": "place location city town street address room depot station branch country venue where location site "
        "position floor building hall shelf platform gate area region stop airport hotel shop store office",
        "state": "status state stage phase progress",
        "kind": "kind type category class genre",
        "reason": "reason note cause remark comment message",
    }.items()
}  # fmt: skip
"""Words of field names, as English stems, by what such a field holds."""
_MEANT: Final = frozenset(stem for known in MEANINGS.values() for stem in known)
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|\d{1,2}:\d\d(?::\d\d)?", re.DOTALL)
_URL: Final = re.compile(r"(?:https?:|data:|mailto:|/)\S*", re.IGNORECASE)
_META: Final = frozenset(["count", "total", "page", "limit", "offset", "next", "previou", "has", "more", "size", "result", "ok", "success", "cursor", "item", "length", "number", "queri", "took", "filter", "sort", "currenc", "unit", "statu"])  # fmt: skip
_TOTALS: Final = frozenset(("total", "count", "hit", "found"))
Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a thing, with what its name says about it."""

    path: tuple[str, ...]
    value: Scalar | tuple[Scalar, ...]
    words: frozenset[str]
    """English stems of its name."""
    around: frozenset[str]
    """English stems of the names around it."""
    meanings: frozenset[str]
    unit: str = ""
    """A currency, "cent", or the id of a unit."""
    currency: str = ""
    label: str = ""
    """Its name as words, without the unit."""

    @property
    def measure(self) -> Measure | None:
        """What it measures, if it can be compared."""
        return measure_of(self.value, self.unit)

    @property
    def is_flag(self) -> bool:
        """Whether it is true or false."""
        return isinstance(self.value, bool)


@dataclass(frozen=True, slots=True)
class Item:
    """A thing in a result."""

    value: Any
    fields: tuple[Field, ...]
    name: str = ""
    """What a person would call it; empty if nothing in it is a name."""
    naming: tuple[str, ...] = ()
    """The path of the field with its name."""

    def field(self, path: tuple[str, ...]) -> Field | None:
        """Return the field at a path."""
        return next((field for field in self.fields if field.path == path), None)


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back."""

    value: Any
    items: tuple[Item, ...]
    """The things it is about, up to `MOST_ITEMS` of them."""
    count: int
    """How many there are in all."""
    is_list: bool
    noun: str = ""
    """What the things are called: a word of the tool's name or the list's own name."""
    frame: Item | None = None
    """The object around the list: totals and the like."""
    parts: tuple[tuple[str, tuple[Item, ...], int], ...] = ()
    """Lists inside of a single thing, each with its name and length."""


def named_in(items: Iterable[Item], text: str) -> tuple[Item, ...]:
    """Return the things whose names are in a text; shorter names than three letters may be anything."""
    return tuple(item for item in items if len(item.name) > 2 and item.name in text)


def read_result(value: Any, schema: Any = None, tool: str = "") -> Result:
    """Return the things in what a tool gave back.

    Args:
        value: The tool's result, from a stranger.
        schema: The tool's output schema, if there is one.
        tool: The tool's name, which names the things if nothing else does.
    """
    return _read(value, schema, _noun_of(tool), _DEEPEST)


def missing_of(result: Result) -> int:
    """Return how many things there are in all, where a list says of itself that it has only some; else 0."""
    fields = result.frame.fields if result.frame is not None else ()
    totals = [f.value for f in fields if f.words & _TOTALS and not f.unit and type(f.value) is int]
    return max((total for total in totals if total > result.count), default=0)


def _read(value: Any, schema: Any, noun: str, depth: int) -> Result:
    value = _plain(value)
    if isinstance(value, list):
        return _listed(value, _inner(schema, "items"), noun, None)
    if not isinstance(value, Mapping):
        items = () if value is None else (_scalar(value, noun),)
        return Result(value, items, len(items), False, noun)
    found = _lists_in(value, schema)
    record = _item(value, schema)
    own = [field for field in record.fields if len(field.path) == 1]
    is_frame = all(field.words & _META or field.is_flag for field in own)
    several = is_frame and len([key for key, _, _ in found if not _is_of(key, noun)]) > 1
    for key, inner, described in found:
        if several and not _is_of(key, noun):
            # Lists side by side, such as the days of a week: no one of them is the answer.
            continue
        if is_frame or (len(found) == 1 and not _has_own_id(own) and _is_of(key, noun)):
            return _listed(inner, _inner(described, "items"), key or noun, record)
    if things := _keyed(value):
        return _listed(things, None, noun, None)
    inside = [(key, inner) for key, inner in _entries(value) if isinstance(inner, Mapping)]
    if is_frame and len(inside) == 1 and not found and depth:
        return _read(inside[0][1], _inner(schema, inside[0][0]), noun, depth - 1)
    parts = tuple(
        (key, tuple(_items(inner, _inner(described, "items"), key)), len(inner))
        for key, inner, described in found[:_MOST_PARTS]
    )
    return Result(value, tuple(_named([record], noun, 2.0)), 1, False, noun, None, parts)


def _listed(values: Sequence[Any], schema: Any, noun: str, frame: Item | None) -> Result:
    items = tuple(_items(values, schema, noun))
    return Result(values, items, len(values), True, noun, frame)


def _items(values: Sequence[Any], schema: Any, noun: str) -> list[Item]:
    items: list[Item] = []
    read = 0
    for value in map(_plain, values[:MOST_ITEMS]):
        item = _item(value, schema) if isinstance(value, Mapping) else _scalar(value, "")
        items.append(item)
        read += len(item.fields)
        if read > _MOST_READ:
            break
    return _named(items, noun)


def lists_in(result: Result) -> list[Result]:
    """Return the lists of things at any depth of a result, by name: `{"vehicles": […], "visits": […]}`."""
    found: dict[str, list[Any]] = {}
    _gather(result.value, found, _DEEPEST)
    return [_listed(values, None, name, None) for name, values in found.items()]


def _gather(value: Any, found: dict[str, list[Any]], depth: int) -> None:
    value = _plain(value)
    inner = (("", one) for one in value[:_MOST_PARTS]) if isinstance(value, list) else _entries(value) if isinstance(value, Mapping) else ()  # fmt: skip
    for name, one in inner:
        if isinstance(one, list) and one and not _is_of_scalars(one) and len(found) < _MOST_PARTS:
            found.setdefault(name, []).extend(one[:MOST_ITEMS])
        if isinstance(one, list | Mapping) and depth:
            _gather(one, found, depth - 1)


def _plain(value: Any) -> Any:
    """Return a value without the tags of the page, and the data in a text that is JSON."""
    if isinstance(value, str) and value[:1] in "{[" and 1 < len(value) <= _LONGEST_JSON:
        try:
            return read_json(value)
        except (ValueError, RecursionError):
            return value
    if isinstance(value, Mapping) and isinstance(value.get("$type"), str):
        return value.get("value") if value["$type"] != "undefined" else None
    return value


def _inner(schema: Any, key: str) -> Any:
    """Return the schema of a property or of the items."""
    if not isinstance(schema, Mapping):
        return None
    if key == "items" and "items" in schema:
        return schema["items"]
    properties = schema.get("properties")
    return properties.get(key) if isinstance(properties, Mapping) else None


def _lists_in(value: Mapping[Any, Any], schema: Any) -> list[tuple[str, list[Any], Any]]:
    """Return the lists of an object and of the objects right inside, those with objects first."""
    found: list[tuple[str, list[Any], Any]] = []
    for key, inner in _entries(value):
        described = _inner(schema, key)
        if isinstance(inner, list):
            found.append((key, inner, described))
        elif isinstance(inner, Mapping):
            for name, deeper in _entries(inner):
                if isinstance(deeper, list):
                    found.append((name, deeper, _inner(described, name)))
    found = [entry for entry in found if not _is_of_scalars(entry[1])] or [
        entry for entry in found if not value.keys() - {entry[0]}
    ]
    return found[:_MOST_PARTS]


def _is_of_scalars(values: list[Any]) -> bool:
    return bool(values) and not isinstance(_plain(values[0]), Mapping)


def _keyed(value: Mapping[Any, Any]) -> list[Any]:
    """Return the things of an object that has them by their ids: `{"a1": {…}, "a2": {…}}`."""
    things = [(str(key)[:_LONGEST_KEY], _plain(inner)) for key, inner in value.items()]
    if len(things) < 2 or not all(isinstance(inner, Mapping) for _, inner in things):
        return []
    named = any(stems_of_name(key) & _MEANT for key, _ in things[:MOST_ITEMS])
    alike = set.intersection(*({*islice(inner, _MOST_FIELDS)} for _, inner in things[:MOST_ITEMS]))
    return [{"id": key, **inner} for key, inner in things] if alike and not named else []


def _entries(value: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, inner in islice(value.items(), _MOST_FIELDS):
        yield str(key)[:_LONGEST_KEY], _plain(inner)


def _is_of(key: str, noun: str) -> bool:
    """Whether a list is what a tool is named for, or is called so in general."""
    words = stems_of_name(key)
    return bool(words & (stems_of_name(noun) | _GENERAL))


_GENERAL: Final = frozenset(
    ["item", "result", "data", "list", "entri", "match", "hit", "row", "record", "element"]
)


def _has_own_id(fields: Sequence[Field]) -> bool:
    return any("id" in field.meanings or "name" in field.words for field in fields)


def _noun_of(tool: str) -> str:
    """Return the words of a tool's name behind its verb: `orders` of `list_orders`."""
    words = [word for word in identifier_words(tool) if word.isalpha()]
    english = language("en")
    verbs = [
        at for at, word in enumerate(words) if english.stem(word) in english.verbs or word == "get"
    ]
    if verbs and verbs[0] == 0 and len(words) > 1:
        words = words[1:]
    elif verbs and verbs[-1] == len(words) - 1 > 0:
        words = words[:-1]
    return " ".join(words[-3:])


def _scalar(value: Any, noun: str) -> Item:
    """Return a thing that is no object."""
    inner = (
        tuple(_cut(one) for one in value[:_MOST_PARTS]) if isinstance(value, list) else _cut(value)
    )
    field = Field((), inner, stems_of_name(noun), frozenset(), frozenset(), label=noun)
    is_name = isinstance(inner, str) and not _DATE.fullmatch(inner)
    return Item(value, (field,), str(inner) if is_name else "")


def _item(value: Mapping[Any, Any], schema: Any) -> Item:
    """Return a thing whose prices have the currency that stands beside them."""
    fields = tuple(_fields(value, schema, (), frozenset()))
    texts = (one.value for one in fields if isinstance(one.value, str) and "currenc" in one.words)
    if currency := next(filter(_CURRENCY.fullmatch, texts), ""):
        fields = tuple(
            replace(one, unit=one.unit or currency, currency=currency)
            if "price" in one.meanings and one.unit in ("", "cent") else one
            for one in fields
        )  # fmt: skip
    return Item(value, fields)


def _fields(
    value: Mapping[Any, Any], schema: Any, path: tuple[str, ...], around: frozenset[str]
) -> Iterator[Field]:
    for key, inner in _entries(value):
        described = _inner(schema, key)
        here = (*path, key)
        if isinstance(inner, Mapping):
            if len(here) < _DEEPEST:
                yield from _fields(inner, described, here, around | stems_of_name(key))
        elif isinstance(inner, list):
            scalars = tuple(_cut(one) for one in inner[:_MOST_PARTS])
            if not any(isinstance(one, Mapping | list) for one in inner[:_MOST_PARTS]) and scalars:
                yield _field(here, scalars, described, around)
        elif not isinstance(inner, str | int | float | None):
            continue
        else:
            yield _field(here, _cut(inner), described, around)


def _cut(value: Any) -> Scalar:
    if isinstance(value, str):
        return value[:_LONGEST_TEXT]
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 64:
        return str(value) if value.bit_length() < 200 else "a number too long to tell"
    return value if isinstance(value, int | float | bool | None) else ""


def _field(
    path: tuple[str, ...],
    value: Scalar | tuple[Scalar, ...],
    schema: Any,
    around: frozenset[str],
) -> Field:
    about = schema.get("description") if isinstance(schema, Mapping) else ""
    about = about[:300] if isinstance(about, str) else ""
    label, words, unit, currency, meanings = _known(path[-1], about)
    title = schema.get("title") if isinstance(schema, Mapping) else ""
    if isinstance(title, str) and 0 < len(title) <= 40:
        label = title[:1].lower() + title[1:] if title[1:].islower() else title
    if unit and isinstance(value, str) and measure_of(value) is None:
        # `workingDays: "3 to 5"`: the unit is part of what it is called.
        label, unit = " ".join(identifier_words(path[-1])).lower(), ""
    if isinstance(value, bool):
        meanings = meanings & {"state", "count"}
    elif isinstance(value, str) and value and not any(map(str.isdigit, value)):
        # `saturday` is a day, and not a length of time.
        meanings -= {"duration", "distance", "weight", "temperature", "speed", "age"}
    elif isinstance(value, str) and _DATE.fullmatch(value[:40]):
        meanings = meanings - {"id", "duration", "name"} | {"date"}
    elif isinstance(value, int | float):
        meanings -= {"person", "place", "date"}
    if around and not meanings - {"id"}:
        # `temperatures.bedroom`, `prices.adult`: the object's name says what its values are.
        meanings |= frozenset(
            name for name, known in MEANINGS.items() if known & around and name != "id"
        )
    return Field(path, value, words, around, meanings, unit, currency, label)


def named_field(name: str) -> Field:
    """Return a field of which only the name is known."""
    return _field((name,), "", None, frozenset())


@lru_cache(maxsize=4096)
def _known(key: str, about: str) -> tuple[str, frozenset[str], str, str, frozenset[str]]:
    """Return what the name and the description of a field say: label, stems, unit, meanings."""
    english = language("en")
    words = list(identifier_words(key))
    unit, currency = unit_of_parameter(key, about), ""
    if words and (
        named := english.roles["currencies"].get(words[-1])
        or english.roles["currencies"].get(words[-1].upper())
    ):
        unit = currency = str(named)
    if unit and len(words) > 1 and (_is_unit(words[-1]) or unit in ("cent", currency)):
        words = words[:-1]
    stems = stems_of_name(" ".join(words)) | (stems_of_name(key) if unit else frozenset())
    meanings = {name for name, known in MEANINGS.items() if known & stems}
    if "rate" in stems:
        # A rating is no price; a daily rate is no rating.
        meanings -= {"price"} if {"rating", "ratings"} & set(words) else {"rating"}
    if words[:1] == ["per"]:
        # `perNight` is what a night costs.
        meanings = {"price"}
    if unit:
        kind = "price" if unit in ("cent", currency) else dimension(unit)
        kind = "size" if kind in ("digital", "area", "volume") else _MEASURED.get(kind, kind)
        meanings = {kind, *(meanings & {"size", "distance", "speed"})}
    label = " ".join(words[1:] if len(words) > 1 and words[0] in ("is", "get") else words)
    if unit and _is_unit("".join(identifier_words(key))):
        # `minutes` is the unit, not what is measured.
        label = _MEASURED.get(dimension(unit), dimension(unit)) or "value"
    return label, stems, unit, currency, frozenset(meanings)


_MEASURED: Final = {"mass": "weight", "length": "distance", "digital": "size"}


def _is_unit(word: str) -> bool:
    english = language("en")
    key = english.key(word)
    return key in english.roles["units"] or key in english.roles["minor_currencies"]


@lru_cache(maxsize=8192)
def stems_of_name(name: str) -> frozenset[str]:
    """Return the English stems of a name's words; words of other languages are translated."""
    found: set[str] = set()
    for word in identifier_words(name) if not name.isascii() or " " not in name else name.split():
        found |= _stems_of_word(word)
    return frozenset(found)


@lru_cache(maxsize=8192)
def _stems_of_word(word: str) -> frozenset[str]:
    english = language("en")
    stem = english.stem(word)
    found = {stem}
    if len(word) > 2 and not _is_english(stem):
        for code in languages():
            if code != "en":
                speech = language(code)
                found.update(speech.gloss(speech.stem(word), speech.key(word)))
    return frozenset(found)


def _is_english(stem: str) -> bool:
    return stem in language("en").glosses or stem in _MEANT


def _named(items: Sequence[Item], noun: str, least: float = 0.0) -> list[Item]:
    """Give things their names: the values of the field that tells them apart best."""
    path = _naming(items, stems_of_name(noun), least)
    if not path and not least:
        # Days and times are told apart by themselves.
        dates = (
            one.path
            for item in items[:1]
            for one in item.fields
            if one.path and "date" in one.meanings
        )
        path = next(dates, ())
    found: list[Item] = []
    for item in items:
        field = item.field(path) if path else None
        named = field is not None and isinstance(field.value, str | int) and not field.is_flag
        found.append(replace(item, name=written(field.value), naming=path) if field and named else item)  # fmt: skip
    return found


def _naming(items: Sequence[Item], nouns: frozenset[str], least: float) -> tuple[str, ...]:
    seen: dict[tuple[str, ...], set[str]] = {}
    first: dict[tuple[str, ...], Field] = {}
    for item in items:
        for field in item.fields:
            if (isinstance(field.value, str) and field.value.strip()) or "id" in field.meanings:
                seen.setdefault(field.path, set()).add(str(field.value))
                first.setdefault(field.path, field)
    best: tuple[str, ...] = ()
    most = least
    for at, (path, field) in enumerate(first.items()):
        score = _likeness_to_name(field) - at / 1000
        if score > 2 and "id" in field.meanings and (nouns & field.words):
            # `invoice_no` of invoices names them better than a client does.
            score += 1.2
        if least and "id" not in field.meanings and score < _SURELY_A_NAME:
            # One thing alone has a name only where a field says so; any text will not do.
            continue
        if len(items) > 1:
            score += 3 * (len(seen[path]) - 1) / (len(items) - 1) - (
                3 if len(seen[path]) == 1 else 0
            )
        if score > most:
            best, most = path, score
    return best


_SURELY_A_NAME: Final = 6.0


def _likeness_to_name(field: Field) -> float:
    text = str(field.value)
    if field.path and field.words & MEANINGS["name"] and not field.meanings & {"date"}:
        return 10.0 - len(field.path) + (0.5 if len(field.words) == 1 else 0)
    if "id" in field.meanings:
        return 2.5
    if (
        "date" in field.meanings
        or not isinstance(field.value, str)
        or _URL.fullmatch(text)
        or len(text) > 120
    ):
        return -5.0
    if field.words & {"product", "item", "model", "articl", "task", "event", "text", "descript"}:
        return 7.0
    if field.meanings & {"state", "kind", "reason"} or field.words & {"unit", "currenc", "direct"}:
        return 1.0
    return 4.0 - len(field.path) / 2 if not field.meanings & {"person", "place"} else 3.0


def columns(items: Sequence[Item]) -> list[Field]:
    """Return the fields that things have: of each path one, which has a value if any has."""
    found: dict[tuple[str, ...], Field] = {}
    for item in items:
        for field in item.fields:
            if field.path not in found or found[field.path].value is None:
                found[field.path] = field
    return list(found.values())
