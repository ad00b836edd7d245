"""The parameters of a tool at every depth: their kinds, the words they go by, and their choices."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import Any, Final, Literal

from webagent.agent.deterministic.reading.language import (
    detect,
    field_names,
    language,
    languages,
    named_codes,
    verbs_in,
)
from webagent.agent.deterministic.reading.quantities import unit_of_parameter
from webagent.agent.deterministic.reading.tokens import identifier_words, parted, tokens_of
from webagent.schema import regex

Kind = Literal[
    "text", "number", "boolean", "date", "time", "datetime", "duration", "email", "url", "phone",
    "enum", "id", "week", "month",
]  # fmt: skip
_SHORT_WORD: Final = 5
_PARTICLES: Final = ("up", "out", "off", "down")
"""How the nouns of verbs with a particle end: `wakeup`, `dropoff`."""
SWITCHES: Final = frozenset(("on", "enabled", "active", "power", "enable", "state"))
"""Names of switches that say nothing of what they switch."""
_EFFECTS: Final = frozenset(("visible", "shown", "subscribed", "allowed", "permitted"))
HELPERS: Final = frozenset(("is", "has", "with", "includ", "onli", "enabl", "set", "want", "need", "allow", "add", "use", "keep"))  # fmt: skip
"""Words of a switch's name that say nothing of what it switches."""
MOST_PARAMETERS: Final = 60
_MOST_CHOICES: Final = 300
DEEPEST: Final = 5
LONGEST_TEXT: Final = 1_200
_IDS: Final = frozenset(("id", "ids", "code", "ref", "number", "no", "sku", "uuid", "key", "nr", "slug", "login", "postcode", "zip", "plz", "postalcode", "coupon", "voucher", "iban", "bic", "swift", "vin", "isbn"))  # fmt: skip
_STARTS: Final = frozenset(("from", "start", "begin", "since", "after", "first", "min", "minimum", "checkin", "pickup",
                            "depart", "departure", "outbound", "earliest", "lower", "origin", "source", "arrival", "at", "in", "opens", "opening"))  # fmt: skip
_ENDS: Final = frozenset(("to", "end", "until", "till", "before", "last", "max", "maximum", "checkout", "return",
                          "latest", "upper", "destination", "target", "due", "by", "out", "back", "inbound", "closes", "closing"))  # fmt: skip
_ARRIVALS: Final = frozenset(("arrival", "arrive", "arriving", "anreise", "arrivee", "llegada"))
_DEPARTURES: Final = frozenset(("departure", "depart", "leave", "leaving", "abreise", "salida"))
_MIN: Final = frozenset(("min", "minimum", "from", "least", "above", "over", "lower"))
_MAX: Final = frozenset(("max", "maximum", "to", "most", "below", "under", "upper", "limit", "budget"))  # fmt: skip
_IDENTIFIED: Final = re.compile(
    r"\b(?:ids?|identifiers?|login|handle)\b|\bnumber\b(?! of)",
    re.IGNORECASE,
)
"""Words of a description whose parameter names a thing by its id."""
_TYPED_BY_PEOPLE: Final = frozenset(("postcode", "zip", "plz", "postalcode", "postal", "coupon", "voucher", "promo", "discount", "password", "pin", "iban", "bic", "swift", "vin", "isbn", "reference"))  # fmt: skip
_EXCLUDING: Final = frozenset(("exclude", "excluded", "excludes", "without", "avoid", "avoided", "except", "not"))  # fmt: skip
_QUERIES: Final = frozenset(("query", "q", "search", "term", "keyword", "keywords", "text", "phrase", "needle", "word", "words", "what"))  # fmt: skip
_LONGEST_SYMBOL: Final = 3
"""Characters of a value that is a picture, such as an emoji with its variant."""
_SIZES: Final[Mapping[str, str]] = {"S": "small", "M": "medium", "L": "large", "XL": "extra large"}
_SAMPLES: Final[Sequence[tuple[Kind, str]]] = (
    ("date", "2027-03-05"), ("time", "19:00"), ("datetime", "2027-03-05T19:00"),
    ("week", "2027-W09"), ("month", "2027-03"),
)  # fmt: skip
"""What a pattern of days, times, weeks or months matches."""
_EXAMPLE: Final = r"(?:e\.g\.|such as|like|example|[\"'`(])[:,]?\s*[\"'`]?"
_MOMENTS: Final[Sequence[tuple[Kind, re.Pattern[str]]]] = (
    ("datetime", re.compile(rf"yyyy-mm-dd[t ]?hh|date-time|iso 8601 datetime|\bdate and time\b|{_EXAMPLE}\d{{4}}-\d\d-\d\d[t ]\d\d:\d\d")),
    ("date", re.compile(rf"yyyy-mm-dd|{_EXAMPLE}\d{{4}}-\d\d-\d\d(?!\w|-)")),
    ("month", re.compile("yyyy-mm")),
    ("time", re.compile(rf"hh:mm|{_EXAMPLE}\d\d:\d\d(?!\w|:|-)")),
)  # fmt: skip
"""How a description says that a text is a moment, in the words of a form or by an example."""
_WEEKDAYS: Final = "motuwethfrsasu"
_EXPLAINED: Final = re.compile(
    r"(?:^|[\s(,;:])[\"'`]?(\d+:\d+|[\w.+/-]{1,40})[\"'`]?\s*(?:=|:|\bmeans\b|\bis\b|–|-(?=\s))\s*(?=([^;.()=]{2,80}))"
)
_WITH_CODE: Final = re.compile(
    r"\b(?:with|including|incl\.?|phone|telephone|mobile)\b.*\bcountry code\b", re.IGNORECASE
)
"""What says that a number begins with the code of a country: `phone, with country code`."""
_LISTED: Final = re.compile(r"[,;.:\n]")
_JOINED: Final = re.compile(r",? (?:or|oder|ou|o) |, ")
_LONGEST_PART: Final = 60
_BEHIND_QUOTED: Final = re.compile(r"['\"`]([\w.+-]{1,40})['\"`] ([^\W\d_][^,;.'\"`()]{2,60})")
"""`'day' until the end of trading, 'gtc' until cancelled`"""
_BEFORE_BRACKETS: Final = re.compile(
    r"(?:^|[,;:.]|\b(?:or|and)\b)\s*([^\W\d_][^,;:.()]{2,60}?)\s*\(['\"`]?([\w.+-]{1,40})['\"`]?\)"
)
"""`United States (us_aqi) or European (eu_caqi)`"""
_IN_BRACKETS: Final = re.compile(r"([\w.+-]{1,40})\s*\(([^()]{2,60})\)")


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the values that a parameter allows."""

    value: Any
    names: tuple[tuple[frozenset[str], ...], ...]
    """Ways to say it, each a row of words; each word as the stems that it may be."""
    keys: frozenset[str]
    """The value itself as it may be written."""
    unit: str = ""
    """The unit that it names: `kilogram` for `kg`."""
    is_code: bool = False
    """Whether it is the code of a country, a language or a currency."""
    weekday: int | None = None
    """The day of the week that it names, 0 for Monday."""


@dataclass(frozen=True)
class Parameter:
    """A value that a call takes, at some depth."""

    path: tuple[str, ...]
    kind: Kind
    is_list: bool
    required: bool
    words: tuple[frozenset[str], ...]
    """Stems of the words of its name."""
    parents: frozenset[str]
    """Stems of the names of the objects around it."""
    about: frozenset[str]
    """Stems of its description."""
    unit: str
    choices: tuple[Choice, ...]
    schema: Mapping[str, Any]
    names: frozenset[str]
    """The words of its name, as they are written."""
    holder: frozenset[str] = frozenset()
    """The words of the name of the object that it is in."""
    group: tuple[str, ...] = ()
    """The path of the list whose items have it; empty if it is in no list of objects."""
    nullable: bool = False
    said: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By a word the numbers of the choices that it may be part of."""
    leaves: bool = False
    """Whether it is when one leaves again: `departure` behind `arrival`."""
    is_needed: bool = False
    """Whether its own object cannot do without it, be that object required or not."""

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of all words of its name."""
        return frozenset[str]().union(*self.words)

    @property
    def is_start(self) -> bool:
        """Whether its name speaks of a beginning."""
        return bool(self.names & _STARTS) and not self.leaves

    @property
    def is_end(self) -> bool:
        """Whether its name speaks of an end."""
        return bool(self.names & _ENDS) or self.leaves

    @property
    def bound(self) -> str:
        """`min` or `max` if its name says so."""
        return "max" if self.names & _MAX else "min" if self.names & _MIN else ""

    @property
    def names_thing(self) -> bool:
        """Whether it names a thing by what only a result of the site can say."""
        return self.kind == "id" and not self.names & _TYPED_BY_PEOPLE

    @property
    def excludes(self) -> bool:
        """Whether it takes what is not wanted: `exclude_allergens`."""
        return bool(self.names & _EXCLUDING)

    @property
    def is_switch(self) -> bool:
        """Whether it turns something on or off, and the verb says all of it: `enabled`."""
        return self.kind == "boolean" and self.required and bool(self.names & (SWITCHES | _EFFECTS))

    @property
    def is_query(self) -> bool:
        """Whether it is the text that is searched for."""
        return bool(self.names & _QUERIES)


def offering(parameter: Parameter, values: Sequence[str]) -> Parameter:
    """Return a parameter that takes one of some values, which its schema does not name."""
    choices = tuple(_choices({"enum": [*values]}, "", detect(" ".join(values)).code))
    return replace(parameter, kind="enum", choices=choices, said=_said(choices))


@lru_cache(maxsize=4096)
def stems_of(text: str, code: str = "en") -> frozenset[str]:
    """Return the English stems of the words of a text that say something."""
    speech = language(code)
    found: set[str] = set()
    for token in tokens_of(text[:LONGEST_TEXT], speech):
        if token.is_sign or token.is_stop:
            continue
        found |= meanings(token.text, code)
    return frozenset(found)


@lru_cache(maxsize=8192)
def meanings(word: str, code: str) -> frozenset[str]:
    """Return the stems that a word of a tool may be: its own, and in English what it means."""
    parts = (
        identifier_words(word)
        if not word.isalpha() or not (word.islower() or word.istitle())
        else (word.lower(),)
    )
    english, speech = language("en"), language(code)
    found: set[str] = set()
    for part in parts:
        found.add(english.stem(part))
        if part.endswith("ee") and len(part) > _SHORT_WORD:
            # An assignee is who something is assigned to.
            found.update((english.stem(part[:-1]), english.stem(part[:-2])))
        if part.endswith("able") and len(part) > _SHORT_WORD + 1:
            # What is shareable can be shared.
            found.update(english.stem(f"{part[:-4]}{end}") for end in ("", "e"))
        stem = speech.stem(part)
        found.add(stem)
        found.update(parted(speech.gloss(stem, speech.key(part)))[0])
        base = english.stem(part[2:]) if part.startswith("un") else ""
        if base in english.verbs and english.stem(part) not in english.verbs:
            # Nobody says `unsave`; it is done by removing.
            found.update(verbs_in(parted(english.gloss(english.stem("remove"), "remove"))[0]))
        verb = next((part[: -len(end)] for end in _PARTICLES if part.endswith(end)), "")
        if english.stem(verb) in english.verbs and english.stem(part) not in english.glosses:
            # `set_wakeup_call` wakes somebody.
            found.update(parted(english.gloss(english.stem(verb), verb))[0])
    return frozenset(found)


@cache
def persons() -> frozenset[str]:
    """Return the stems of words for persons that are counted or named."""
    return stems_of("person people passenger guest traveller traveler visitor adult participant attendee player seat ticket")  # fmt: skip


def parameters_of(
    schema: Mapping[str, Any],
    code: str,
    path: tuple[str, ...] = (),
    parents: frozenset[str] = frozenset(),
    required: bool = True,
    group: tuple[str, ...] = (),
) -> Iterator[Parameter]:
    """Yield the parameters of a schema, those inside of objects and lists too.

    Args:
        schema: The schema of an object.
        code: The language in which the tool is described.
        path: Where the object is.
        parents: Stems of the names of the objects around it.
        required: Whether the object itself is required.
        group: The path of the list of objects that it is in.
    """
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or len(path) > DEEPEST:
        return
    needed = schema.get("required")
    needed = (
        set(needed)
        if isinstance(needed, list) and all(isinstance(n, str) for n in needed)
        else set()
    )
    for name, raw in list(properties.items())[:MOST_PARAMETERS]:
        inner, nullable = _plain_schema(raw)
        place = (*path, str(name))
        must = required and name in needed
        words = frozenset[str]().union(*(meanings(p, code) for p in identifier_words(str(name))))
        items, _ = _plain_schema(inner.get("items"))
        if isinstance(inner.get("properties"), Mapping):
            yield from parameters_of(inner, code, place, parents | words, must, group)
        elif inner.get("type") == "array" and isinstance(items.get("properties"), Mapping):
            yield from parameters_of(items, code, place, parents | words, must, place)
        elif inner.get("type") == "array":
            found = _parameter(place, items, inner, code, parents, must, group, True, nullable)
            yield replace(found, is_needed=name in needed)
        else:
            found = _parameter(place, inner, inner, code, parents, must, group, False, nullable)
            yield replace(found, is_needed=name in needed)


def with_names(parameters: Sequence[Parameter]) -> Iterator[Parameter]:
    """Yield parameters, those whose choices nobody explains with the names of the same choices elsewhere."""
    named: dict[tuple[str, ...], tuple[Choice, ...]] = {}
    for one in parameters:
        values = tuple(str(choice.value) for choice in one.choices)
        said = sum(len(choice.names) for choice in one.choices)
        if values and said > sum(len(choice.names) for choice in named.get(values, ())):
            named[values] = one.choices
    for one in parameters:
        known = named.get(tuple(str(choice.value) for choice in one.choices), one.choices)
        yield one if known is one.choices else replace(one, choices=known, said=_said(known))


def with_stays(parameters: Sequence[Parameter]) -> Iterator[Parameter]:
    """Yield parameters, those that end a stay as its end: `departure`, where `arrival` is before it."""
    arrivals: set[tuple[Kind, tuple[str, ...]]] = set()
    for one in parameters:
        place = one.kind, one.path[:-1]
        if one.names & _ARRIVALS:
            arrivals.add(place)
        leaves = place in arrivals and bool(one.names & _DEPARTURES)
        yield replace(one, leaves=True) if leaves else one


def _plain_schema(raw: Any) -> tuple[Mapping[str, Any], bool]:
    """Return the schema of a value that is not null, and whether null is allowed."""
    if not isinstance(raw, Mapping):
        return {}, False
    for word in ("anyOf", "oneOf"):
        options = raw.get(word)
        if isinstance(options, list):
            kept = [o for o in options if isinstance(o, Mapping) and o.get("type") != "null"]
            if len(kept) == 1:
                return {**{k: v for k, v in raw.items() if k != word}, **kept[0]}, len(kept) < len(
                    options
                )
            if kept and all("const" in o for o in kept):
                return {**raw, "enum": [o["const"] for o in kept], "x-titles": [o.get("title") or o.get("description") or "" for o in kept]}, len(kept) < len(options)  # fmt: skip
    kind = raw.get("type")
    if isinstance(kind, list):
        kept = [k for k in kind if k != "null"]
        return {**raw, "type": kept[0] if kept else "null"}, len(kept) < len(kind)
    return raw, False


def _parameter(
    path: tuple[str, ...], inner: Mapping[str, Any], outer: Mapping[str, Any], code: str,
    parents: frozenset[str], required: bool, group: tuple[str, ...], is_list: bool, nullable: bool,
) -> Parameter:  # fmt: skip
    name = path[-1]
    description = f"{outer.get('title') or ''} {outer.get('description') or ''} {inner.get('description') or '' if inner is not outer else ''}"[
        :LONGEST_TEXT
    ]
    own = identifier_words(name)
    english = field_names(code)
    parts = tuple(english.get(part, part) for part in own)
    choices = tuple(_choices(inner, description, code))
    unit = unit_of_parameter(name, description)
    if not unit and len(path) > 1 and frozenset(parts) & (_MIN | _MAX):
        # `min` in `heightCm` is in centimeters.
        unit = unit_of_parameter(path[-2], "")
    kind = _kind(name, parts, inner, description, choices, unit)
    if kind == "text" and len(path) > 1 and frozenset(parts) & (_MIN | _MAX):
        # `min` in `arrivalTime` is a time.
        kind = _kind(path[-2], identifier_words(path[-2]), inner, description, choices, unit)
    return Parameter(
        path=path,
        kind=kind,
        is_list=is_list,
        required=required,
        words=tuple(meanings(part, code) for part in own),
        parents=parents,
        about=stems_of(description, code),
        unit=unit,
        choices=choices,
        schema=inner,
        names=frozenset((*own, *parts)),
        holder=frozenset(identifier_words(path[-2])) if len(path) > 1 else frozenset(),
        group=group,
        nullable=nullable,
        said=_said(choices),
    )


def _said(choices: Sequence[Choice]) -> Mapping[str, tuple[int, ...]]:
    found: dict[str, dict[int, None]] = {}
    for number, choice in enumerate(choices):
        words = choice.keys.union(*(words for row in choice.names for words in row))
        for word in (*words, choice.unit) if choice.unit else words:
            found.setdefault(word, {})[number] = None
    return {word: tuple(numbers) for word, numbers in found.items()}


def _kind(
    name: str, parts: Sequence[str], schema: Mapping[str, Any], description: str,
    choices: Sequence[Choice], unit: str,
) -> Kind:  # fmt: skip
    """Return the kind of a parameter: by its schema, then by what its author writes."""
    if choices:
        return "enum"
    kind, form = schema.get("type"), schema.get("format")
    if kind == "boolean":
        return "boolean"
    if kind in ("number", "integer"):
        named = bool(parts) and parts[-1] in ("id", "no", "nr", "number", "num")
        return "id" if kind == "integer" and named else "number"
    forms: Mapping[Any, Kind] = {
        "date": "date", "time": "time", "date-time": "datetime", "datetime-local": "datetime", "duration": "duration",
        "week": "week", "month": "month", "email": "email", "idn-email": "email", "uri": "url", "url": "url", "iri": "url", "tel": "phone", "phone": "phone",
    }  # fmt: skip
    if form in forms:
        return forms[form]
    low = description.lower()
    pattern = str(schema.get("pattern") or "")
    if moment := next((moment for moment, rule in _MOMENTS if rule.search(low)), None):
        return moment
    if written := _kind_of_pattern(pattern):
        return written
    last = parts[-1] if parts else ""
    if last in ("phone", "telephone", "tel", "mobile"):
        return "phone"
    if _IDENTIFIED.search(description[:80]) and not {
        "name",
        "street",
        "address",
        "query",
        "q",
        "search",
    } & {*parts}:
        return "id"
    if last in ("email", "emails", "mail", "mails") or "e-mail address" in low:
        return "email"
    if last in ("url", "uri", "link", "website", "homepage"):
        return "url"
    if last in ("date", "day") and "name" not in parts:
        return "date"
    if last == "time":
        return "time"
    if last in _IDS or pattern:
        return "id"
    return "text"


def _kind_of_pattern(pattern: str) -> Kind | None:
    """Return the kind of what a pattern allows, where that is days or times only."""
    if not pattern or any(regex.found(pattern, text) for text in ("a", "7", "A7-b", "2027 03")):
        return None
    return next((kind for kind, text in _SAMPLES if regex.found(pattern, text)), None)


def _choices(schema: Mapping[str, Any], description: str, code: str) -> Iterator[Choice]:
    values = schema.get("enum")
    if not isinstance(values, list):
        values = [schema["const"]] if "const" in schema else _known_codes(schema, description)
    sized = sum(str(value).upper() in _SIZES for value in values) > 1
    titles = schema.get("x-titles")
    explained = _explained(description, values)
    codes = _codes(values, description)
    for index, value in enumerate(values[:_MOST_CHOICES]):
        if value is None or (value == "" and len(values) > 1):
            # The first of a list, `Choose a topic`, chooses nothing.
            continue
        text = str(value)
        ways = [] if text.lower() in codes else [text]
        if 0 < len(text) <= _LONGEST_SYMBOL and not any(c.isalnum() for c in text):
            ways.append(unicodedata.name(text[0], "").lower())
        if isinstance(titles, list) and index < len(titles) and titles[index]:
            # `Dr Brandt, general medicine`
            ways += [str(titles[index]), str(titles[index]).partition(",")[0]]
        ways += explained.get(text, [])
        ways += codes.get(text.lower(), "").split("|")
        ways += [_SIZES[text.upper()]] if sized and text.upper() in _SIZES else []
        names = []
        for way in dict.fromkeys(ways):
            row = _row(way, code, text.lower() in codes and " " in way)
            if row:
                names.append(row)
        yield Choice(
            value,
            tuple(names),
            frozenset(
                (
                    text.lower(),
                    text.lower().replace("_", " ").replace("-", " "),
                    # `the wheelbuilding course`
                    text.lower().replace("_", "").replace("-", ""),
                    *(way.lower() for way in ways if " " in way),
                )
            ),
            ""
            if text.lower() in codes
            else str(language("en").roles["units"].get(text.lower().replace("_", " "), "")),
            text.lower() in codes,
            _weekday([text, *explained.get(text, [])]),
        )


def _known_codes(schema: Mapping[str, Any], description: str) -> list[str]:
    """Return all codes of countries, languages or currencies where a text has to be one of them."""
    if _WITH_CODE.search(description):
        return []
    pattern, low = str(schema.get("pattern") or ""), description.lower()
    if "number" in low:
        # `Phone number with country code`
        return []
    for part, words, form in (
        ("countries", ("country code", "iso 3166", "alpha-2"), r"^[A-Z]{2}$"),
        ("languages", ("language code", "iso 639"), r"^[a-z]{2}$"),
        ("currencies", ("currency code", "iso 4217"), r"^[A-Z]{3}$"),
    ):
        if (
            schema.get("type") == "string"
            and any(word in low for word in words)
            and "phone" not in low
            and pattern in ("", form)
        ):
            codes = sorted(named_codes(part))
            return [code.lower() for code in codes] if part == "languages" else codes
    return []


def _weekday(names: Sequence[str]) -> int | None:
    for name in names:
        for code in languages():
            speech = language(code)
            if (day := speech.roles["weekdays"].get(speech.key(name))) is not None:
                return int(day)
    begins = _WEEKDAYS.find(names[0].lower()) if len(names[0]) == 2 else -1
    return begins // 2 if begins >= 0 and begins % 2 == 0 else None


def _codes(values: Sequence[Any], description: str) -> Mapping[str, str]:
    """Return the names of languages, countries or currencies whose codes are the values."""
    texts = [str(value) for value in values if value is not None]
    units = language("en").roles["units"]
    if all(text in units for text in texts):
        # `kg` and `lb` are languages too.
        return {}
    for part, length in (("languages", 2), ("countries", 2), ("currencies", 3)):
        named = {key.lower(): names for key, names in named_codes(part).items()}
        alike = [t for t in texts if len(t) == length and t.lower() in named]
        upper = bool(alike) and all(t.isupper() for t in alike)
        if len(alike) * 2 > len(texts) and upper == (part != "languages"):
            return named
    return {}


def _row(text: str, code: str, is_name: bool = False) -> tuple[frozenset[str], ...]:
    """Return the stems of each word of a text; no other unit is meant by the name `United Nations`."""
    speech = language(code)
    english = language("en")
    parts = [
        part
        for token in tokens_of(text[:80], speech)
        for part in (identifier_words(token.text) if not token.is_figure else (token.text,))
        if part not in english.stop or len(text) <= 4
    ]
    return tuple(
        _noun_like(part, code)
        if part.isalpha() and not is_name
        else frozenset((part, english.stem(part), speech.stem(part)))
        for part in parts[:6]
    )


def _noun_like(word: str, code: str) -> frozenset[str]:
    """Return the concepts of a word as a noun or adjective, if it may be one, and its own stems.

    The English word for a concept is left out: `action` names action films, not all films.
    """
    meant = meanings(word, code)
    own = {language("en").stem(word), language(code).stem(word)}
    exact = frozenset(one for one in meant if one[:1] == "#" or one in own)
    others = frozenset(one for one in exact if not one.startswith("#v"))
    if any(one[0] == "#" for one in others):
        return others
    return exact if any(one[0] == "#" for one in exact) else meant


def _explained(description: str, values: Sequence[Any]) -> Mapping[str, list[str]]:
    """Return what a description says of each value: `P1 = this sprint`, `FVMR (nine-seater van)`."""
    known = {str(value).lower(): str(value) for value in values}
    found: dict[str, list[str]] = {}
    quoted = [(m[1], m[2]) for m in _BEHIND_QUOTED.finditer(description)]
    turned = [(m[2], m[1]) for m in _BEFORE_BRACKETS.finditer(description)]
    leading = [
        (m[1], m[2]) for rule in (_EXPLAINED, _IN_BRACKETS) for m in rule.finditer(description)
    ]
    for match in (("", *pair) for pair in (*leading, *quoted, *turned)):
        value = known.get(match[1].lower())
        if value is not None:
            # `T33 = 320 mm, Australia`, but `P1 = this sprint, P2 = later`
            parts = [part.strip() for part in match[2].split(",")]
            end = next(
                (i for i, part in enumerate(parts) if part.partition(" ")[0].lower() in known),
                len(parts),
            )
            found.setdefault(value, []).extend(part for part in parts[:end] if len(part) > 1)
    if not found:
        # `HAM Hamburg, DUI Duisburg`
        pairs = [part.strip().partition(" ") for part in _LISTED.split(description)]
        listed = {known[code.lower()]: [rest.strip()] for code, _, rest in pairs if rest and code.lower() in known}  # fmt: skip
        found = listed if len(listed) > 1 else _in_order(description, values)
    return found


def _in_order(description: str, values: Sequence[Any]) -> dict[str, list[str]]:
    """Return what a description that lists as many things as there are values says of each."""
    parts = [part.strip() for part in _JOINED.split(description.strip().rstrip("."))]
    known = {str(value).lower() for value in values}
    short = all(0 < len(part) <= _LONGEST_PART and "." not in part for part in parts)
    if len(parts) != len(values) or len(parts) < 2 or not short or known & {*map(str.lower, parts)}:
        return {}
    return {str(value): [part] for value, part in zip(values, parts, strict=True)}
