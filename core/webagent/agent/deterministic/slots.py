"""What a tool's input schema asks for: one slot for each value that a call can pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.words import split_identifier, stems_of

_MOST_SLOTS = 60
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Slot:
    """One value of a call: a parameter, or a property inside one."""

    path: tuple[str, ...]
    """Names from the outside in."""
    words: tuple[str, ...]
    """Of its own name, in lower case."""
    stems: frozenset[str]
    """Of its name."""
    about: frozenset[str]
    """Stems of its description."""
    description: str
    type: str
    """JSON Schema's word; of an array that of its items."""
    is_list: bool
    required: bool
    schema: Mapping[str, Any]
    """Of the value, or of one item."""
    choices: tuple[Any, ...] = ()
    kinds: frozenset[str] = frozenset()
    parents: frozenset[str] = field(default=frozenset())
    """Stems of the names around it."""

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path[-1]

    @property
    def label(self) -> str:
        """Its name as a person would write it."""
        return " ".join(self.words)


def slots_of(schema: Mapping[str, Any] | None) -> tuple[Slot, ...]:
    """Return the slots of an input schema, those of nested objects among them."""
    found: list[Slot] = []
    if isinstance(schema, Mapping):
        for slot in _walk(schema, (), True, frozenset(), schema):
            found.append(slot)
            if len(found) >= _MOST_SLOTS:
                break
    return tuple(found)


def _walk(
    schema: Mapping[str, Any],
    path: tuple[str, ...],
    required: bool,
    parents: frozenset[str],
    root: Mapping[str, Any],
) -> Iterator[Slot]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return
    names = schema.get("required")
    needed = {str(name) for name in names} if isinstance(names, list) else set()
    for name, inner in properties.items():
        inner = _resolved(inner, root)
        here = (*path, str(name))
        wanted = required and name in needed
        if inner.get("type") == "object" and isinstance(inner.get("properties"), Mapping):
            if len(here) < _DEEPEST:
                around = parents | frozenset(map(stem, split_identifier(str(name))))
                yield from _walk(inner, here, wanted, around, root)
            continue
        yield _slot(here, inner, wanted, parents, root)


def _resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema without the `null` that it allows, and what it refers to within itself."""
    if not isinstance(schema, Mapping):
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        target: Any = root
        for part in reference[2:].split("/")[:6]:
            target = target.get(part) if isinstance(target, Mapping) else None
        return target if isinstance(target, Mapping) else {}
    for word in ("anyOf", "oneOf"):
        options = schema.get(word)
        if isinstance(options, list):
            real = [o for o in options if isinstance(o, Mapping) and o.get("type") != "null"]
            if real and all("const" in option for option in real):
                return {**schema, "enum": [option["const"] for option in real]}
            if real:
                return {**real[0], **{k: v for k, v in schema.items() if k == "description"}}
    return schema


def _slot(
    path: tuple[str, ...],
    schema: Mapping[str, Any],
    required: bool,
    parents: frozenset[str],
    root: Mapping[str, Any],
) -> Slot:
    words = split_identifier(path[-1])
    description = str(schema.get("description") or schema.get("title") or "")[:1000]
    is_list = schema.get("type") == "array" or "items" in schema
    inner = _resolved(schema.get("items"), root) if is_list else schema
    choices = inner.get("enum")
    if not isinstance(choices, list):
        choices = [inner["const"]] if "const" in inner else []
    kind = _type_of(inner)
    stems = frozenset(stem(word) for word in words)
    # `departureTime: {min, max}`: the name around it says what it holds.
    telling = words
    if len(path) > 1 and set(words) <= _SIDES:
        telling = words + split_identifier(path[-2])
    return Slot(
        path,
        words,
        stems,
        frozenset(stems_of(description)),
        description,
        kind,
        is_list,
        required,
        inner,
        tuple(choice for choice in choices[:200] if isinstance(choice, str | int | float | bool)),
        frozenset(_kinds(telling, description.lower(), kind, inner, bool(choices))),
        parents,
    )


def _type_of(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "string")
    return kind if isinstance(kind, str) else "string"


_SIDES: Final = frozenset({"min", "max", "from", "to", "start", "end", "value", "amount", "after", "before",
                           "first", "last", "earliest", "latest", "name", "id"})  # fmt: skip
_KIND_NAMES: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(words.split())
    for name, words in {
        "date": "date day birthday dob checkin checkout deadline due dates birthdate until expiry "
        "departure arrival",
        "time": "time hour times clock",
        "datetime": "datetime timestamp when start end starts ends begin until starttime endtime",
        "email": "email emails mail e-mail",
        "phone": "phone telephone mobile tel cell fax phonenumber",
        "url": "url link website href uri webpage",
        "id": "id ids identifier uuid sku code slug reference ref number no key isbn iban handle "
        "account confirmation tracking pnr plate vin permalink path zip postcode postal zipcode",
        "person": "name author artist director actor doctor provider guest customer passenger "
        "recipient assignee owner contact patient teacher student host attendee sender speaker "
        "employee agent donor payee beneficiary driver candidate applicant singer writer composer "
        "tutor instructor physician to attendees invitees guests participants assignees "
        "collaborators recipients members member user username",
        "place": "city location place destination origin from to address country town airport "
        "station venue area region neighborhood neighbourhood stop where near state street zip "
        "postcode pickup dropoff room zone district county port suburb branch store",
        "query": "query q search keyword keywords term terms searchterm searchtext question phrase "
        "topic lookup find searchquery",
        "text": "message body text content note notes comment description subject title summary "
        "reason details feedback instructions request caption headline remark memo letter task "
        "item items todo answer reply prompt paragraph bio about label sentence",
        "money": "price cost amount budget fee salary rent total usd gbp eur dollars pounds donation "
        "payment balance spend income loan premium deposit tip wage pay value principal sum fare",
        "percent": "rate percent percentage interest discount apr brightness volume level",
        "count": "quantity qty count number guests people adults children kids passengers rooms "
        "copies tickets seats persons travelers travellers party size portions servings amount "
        "units bedrooms beds bathrooms stops pets infants how many slices pieces participants "
        "attendees heads num covers",
        "duration": "minutes hours duration nights days weeks months years seconds length mins "
        "term timeout",
        "limit": "limit top results pagesize perpage max_results maxresults page offset",
        "rating": "rating stars score grade",
        "year": "year",
    }.items()
}


_PEOPLE: Final = (
    _KIND_NAMES["person"]
    | frozenset(
        ["first", "last", "full", "middle", "given", "family", "display", "sir", "nick", "pet"]
    )
) - {"name", "to"}


def _kinds(
    words: Sequence[str], about: str, kind: str, schema: Mapping[str, Any], has_choices: bool
) -> Iterator[str]:
    """Yield what a slot holds, by its type, its format and its name."""
    if has_choices:
        yield "choice"
        return
    if kind == "boolean":
        yield "bool"
        return
    joined = "".join(words)
    heads = {*words, joined}
    tail = words[-1] if words else ""
    named = {name for name, nouns in _KIND_NAMES.items() if heads & nouns}
    if kind in ("number", "integer"):
        yield "number"
        wanted = ("money", "percent", "count", "duration", "limit", "rating", "year")
        yield from (name for name in wanted if name in named)
        if tail in ("id", "ids", "no") or (tail == "number" and len(words) > 1 and words[0] not in (
            "number",)):  # fmt: skip
            yield "id"
        return
    if kind != "string":
        return
    yield "string"
    form = schema.get("format")
    if isinstance(form, str) and form in ("date", "time", "date-time", "email", "uri", "url"):
        yield {"date-time": "datetime", "uri": "url"}.get(form, form)
        return
    stamp = "t" in about and ("yyyy-mm-ddt" in about or "date-time" in about or "datetime" in about
                              or "date and time" in about or "iso 8601" in about)  # fmt: skip
    if stamp and named & {"date", "time", "datetime"}:
        yield "datetime"
        return
    if "yyyy-mm-dd" in about or (
        "date" in named and ("datetime" not in named or "date" in words) and tail != "time"
    ):
        yield "date"
        return
    if "hh:mm" in about or ("time" in named and "date" not in about):
        yield "time"
        return
    if "datetime" in named and tail not in ("from", "to") and any(
        word in about for word in ("date", "time", "when", "day")
    ):  # fmt: skip
        yield "date" if "date" in about and "time" not in about else "datetime"
        return
    if "email" in about and "address" in about and not named & {"text", "query"}:
        yield "email"
        return
    if "phone number" in about and not named & {"text", "query", "id"}:
        yield "phone"
        return
    for name in ("email", "phone", "url"):
        if name in named:
            yield name
            return
    if "currency" in heads:
        yield "currency"
        return
    if any(f"{word} of " in about for word in ("code", "id", "number", "identifier")) and not (
        named & {"text", "query", "person"}
    ):  # fmt: skip
        yield "id"
        return
    if words[-1:] == ("name",) and len(words) > 1 and not set(words[:-1]) & _PEOPLE:
        # The name of a thing: `medicationName`.
        yield "place" if set(words[:-1]) & _KIND_NAMES["place"] else "plain"
        return
    if "id" in named and (tail in _KIND_NAMES["id"]) and not named & {"query"}:
        yield "id"
        if named & {"place"} or tail in (
            "code", "account", "handle", "key", "reference"
        ):  # fmt: skip
            yield "plain"
        return
    for name in ("query", "text", "person", "place", "money", "count", "duration"):
        if name in named:
            yield name
    if "query" in named and any(
        word in about for word in ("location", "city", "town", "place name")
    ):
        yield "place"
    if not named & {"query", "text", "person", "place"}:
        yield "plain"
