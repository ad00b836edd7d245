"""The check of a value against a JSON Schema: `items[2].price: expected number >= 0, got -1`.

Values are JSON data, with tagged objects for what JSON cannot hold (`{"$type": "date", "value": …}`,
see `webagent.page.values`). A date counts as a string, a set or map as a list, and a property that
is `undefined` as missing. Unknown keywords, unsupported patterns and dead references accept any
value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal, InvalidOperation
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from urllib.parse import unquote

from webagent.json_text import is_shallow
from webagent.schema.regex import found as is_found

MOST_FOUND = 20
"""Most mismatches of a check, which then stops."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*\Z")
# The values of `$type` that the page writes, see `webagent.page.values`. Another one is plain data.
_TAGS = frozenset(
    [
        "undefined",
        "bigint",
        "number",
        "date",
        "map",
        "set",
        "binary",
        "file",
        "error",
        "regexp",
        "circular",
        "function",
        "symbol",
        "element",
    ]
)

_EXACT = Context(prec=10_000)
_INDEX = re.compile(r"[0-9]{1,9}")
_MAX_STEPS = 200_000
"""Most pairs of value and schema in one check. Further ones count as valid."""

_MAX_DEPTH = 60
"""Most levels of schemas that are checked."""

_MAX_NAMED = 5
"""Most alternatives that a message names."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A place where a value does not fit its type or schema."""

    path: str
    """The place: `items[2].price`. Empty for the whole value."""
    expected: str
    got: str

    def __str__(self) -> str:
        text = f"expected {self.expected}, got {self.got}"
        return f"{self.path}: {text}" if self.path else text


def check_schema(value: Any, schema: Any, path: str = "") -> list[Mismatch]:
    """Return where a value does not fit a schema, up to `MOST_FOUND` places.

    Args:
        value: JSON data, tagged objects included.
        schema: A JSON Schema, of draft 7 or 2020-12; anything else accepts any value.
        path: What to call the value: `items`.
    """
    validator = _Validator(schema)
    validator.value(schema, value, path, 0)
    return validator.found


class _Validator:
    """One check: the root of the schema, the mismatches so far, and a count of steps.

    Methods take the decoded value as `inner` with its `kind`, the path of the value, and the number
    of schemas around the current one as `depth`.
    """

    def __init__(self, root: Any) -> None:
        self.root = root
        self.found: list[Mismatch] = []
        self.steps = 0

    def value(self, schema: Any, value: Any, path: str, depth: int) -> None:
        """Check an encoded value against a schema."""
        self.steps += 1
        if self.steps > _MAX_STEPS or depth > _MAX_DEPTH or len(self.found) >= MOST_FOUND:
            return
        kind, inner = _as_json(value)
        if schema is False:
            self.mismatch(path, "nothing", kind)
        if not isinstance(schema, Mapping) or (kind == "null" and schema.get("nullable") is True):
            return
        kinds = _kinds(schema)
        if kinds and not any(_is_kind(kind, inner, name) for name in kinds):
            # Other keywords would only repeat that the type is wrong.
            self.mismatch(path, " | ".join(kinds), kind)
            return
        if not self.is_listed(schema, inner, kind, path):
            return
        if kind == "string":
            for expected in text_mismatches(schema, inner):
                self.mismatch(path, expected, _json_of(inner))
        elif kind == "number":
            for expected in number_mismatches(schema, inner):
                self.mismatch(path, expected, _json_of(inner))
        elif kind == "array":
            self.array(schema, inner, path, depth)
        elif kind == "object":
            self.object(schema, inner, path, depth)
        self.subschemas(schema, value, path, depth, kind)

    def mismatch(self, path: str, expected: str, got: str) -> None:
        self.found.append(Mismatch(path, short(expected), got))

    def fits(self, schema: Any, value: Any, depth: int) -> bool:
        """Whether a value fits a schema; nothing is reported."""
        return not self.mismatches(schema, value, "", depth)

    def mismatches(self, schema: Any, value: Any, path: str, depth: int) -> list[Mismatch]:
        """Return the mismatches of a value, without reporting them."""
        outer, self.found = self.found, []
        self.value(schema, value, path, depth)
        inner, self.found = self.found, outer
        return inner

    def is_listed(self, schema: Mapping[str, Any], inner: Any, kind: str, path: str) -> bool:
        """Whether a value is one of those in `enum` and `const`; reported if not."""
        for word in ("enum", "const"):
            if word not in schema:
                continue
            values = [schema[word]] if word == "const" else schema[word]
            if not isinstance(values, list):
                continue
            self.steps += len(values)
            if not _is_among(inner, values):
                got = _json_of(inner) if kind in ("string", "number", "boolean") else kind
                self.mismatch(path, " | ".join(map(_json_of, values[:20])), got)
                return False
        return True

    def array(self, schema: Mapping[str, Any], inner: Sequence[Any], path: str, depth: int) -> None:
        """Check the keywords of arrays."""
        size = len(inner)
        least, most = number(schema.get("minItems")), number(schema.get("maxItems"))
        if least is not None and size < least:
            self.mismatch(path, f"array of at least {plural(least, 'item')}", f"array of {size}")
        if most is not None and size > most:
            self.mismatch(path, f"array of at most {plural(most, 'item')}", f"array of {size}")
        if schema.get("uniqueItems") is True and size > 1:
            self.steps += size
            if len({identity(item) for item in inner}) < size:
                self.mismatch(path, "array of different items", "array with an item twice")
        first, rest = schema.get("prefixItems"), schema.get("items")
        # Before 2020-12 the schemas of a tuple were in `items`.
        if isinstance(rest, list):
            first, rest = rest, schema.get("additionalItems")
        first = first if isinstance(first, list) else []
        for index, item in enumerate(inner):
            expected = first[index] if index < len(first) else rest
            if expected is not None:
                self.value(expected, item, f"{path}[{index}]", depth + 1)
        if "contains" in schema:
            self.contains(schema, inner, path, depth)

    def contains(
        self, schema: Mapping[str, Any], inner: Sequence[Any], path: str, depth: int
    ) -> None:
        """Check `contains`, `minContains` and `maxContains`."""
        hits = sum(self.fits(schema["contains"], item, depth + 1) for item in inner)
        least, most = number(schema.get("minContains")), number(schema.get("maxContains"))
        least = 1 if least is None else least
        what = self.words(schema["contains"])
        if hits < least:
            self.mismatch(path, f"array with at least {plural(least, 'item')} of {what}", f"{hits}")
        if most is not None and hits > most:
            self.mismatch(path, f"array with at most {plural(most, 'item')} of {what}", f"{hits}")

    def object(
        self, schema: Mapping[str, Any], inner: Mapping[Any, Any], path: str, depth: int
    ) -> None:
        """Check the keywords of objects."""
        given = {str(key): value for key, value in inner.items() if decode(value)[0] != "undefined"}
        properties, patterns = _mapping(schema, "properties"), _mapping(schema, "patternProperties")
        needed = list(_names(schema.get("required")))
        for key, names in _mapping(schema, "dependentRequired").items():
            needed += _names(names) if key in given else ()
        for name in dict.fromkeys(needed):
            if name not in given:
                expected = self.words(properties.get(name, True))
                self.mismatch(join(path, name), expected, "undefined")
        least, most = number(schema.get("minProperties")), number(schema.get("maxProperties"))
        if least is not None and len(given) < least:
            expected = f"object of at least {plural(least, 'member')}"
            self.mismatch(path, expected, f"object of {len(given)}")
        if most is not None and len(given) > most:
            expected = f"object of at most {plural(most, 'member')}"
            self.mismatch(path, expected, f"object of {len(given)}")
        for key, value in given.items():
            place = join(path, key)
            if "propertyNames" in schema:
                self.value(schema["propertyNames"], key, place, depth + 1)
            known = key in properties
            if known:
                self.value(properties[key], value, place, depth + 1)
            for pattern, expected_ in patterns.items():
                hit = is_found(pattern, key)
                # None: nobody knows whether the pattern is about the key, so the value passes.
                known = known or hit is not False
                if hit:
                    self.value(expected_, value, place, depth + 1)
            more = schema.get("additionalProperties", True)
            if not known and more is False:
                self.mismatch(place, "no such property", decode(value)[0])
            elif not known:
                self.value(more, value, place, depth + 1)
        for key, inner_schema in _mapping(schema, "dependentSchemas").items():
            if key in given:
                self.value(inner_schema, given, path, depth + 1)

    def subschemas(
        self, schema: Mapping[str, Any], value: Any, path: str, depth: int, kind: str
    ) -> None:
        """Check the keywords that refer to other schemas, such as `$ref` and `anyOf`."""
        if isinstance(schema.get("$ref"), str):
            self.value(self.target(schema["$ref"]), value, path, depth + 1)
        for inner in _schemas(schema, "allOf"):
            self.value(inner, value, path, depth + 1)
        for word in ("anyOf", "oneOf"):
            if alternatives := _schemas(schema, word):
                self.alternatives(alternatives, value, path, depth, kind, word == "oneOf")
        if "not" in schema and self.fits(schema["not"], value, depth + 1):
            self.mismatch(path, f"anything but {self.words(schema['not'])}", kind)
        if "if" in schema:
            branch = "then" if self.fits(schema["if"], value, depth + 1) else "else"
            self.value(schema.get(branch, True), value, path, depth + 1)

    def alternatives(
        self, schemas: list[Any], value: Any, path: str, depth: int, kind: str, only_one: bool
    ) -> None:
        """Check `anyOf` or `oneOf`.

        If no alternative fits, the mismatches of the closest one are reported. An alternative is
        close if it has mismatches only inside the value, and closer the fewer it has.
        """
        hits = 0
        near: list[list[Mismatch]] = []
        for schema in schemas:
            found = self.mismatches(schema, value, path, depth + 1)
            hits += not found
            if hits and not only_one:
                return
            if found and all(mismatch.path != path for mismatch in found):
                near.append(found)
        near.sort(key=len)
        if hits > 1:
            self.mismatch(path, f"one alternative of {len(schemas)}", f"what fits {hits}")
        elif not hits and near and (len(near) == 1 or len(near[0]) < len(near[1])):
            self.found += near[0]
        elif not hits:
            names = dict.fromkeys(self.words(schema) for schema in schemas)
            self.mismatch(path, " | ".join(list(names)[:_MAX_NAMED]), kind)

    def target(self, reference: str) -> Any:
        """Return the schema at `#/$defs/name`; True, which accepts any value, if there is none."""
        if not reference.startswith("#"):
            return True
        found = self.root
        for part in unquote(reference[1:]).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, Mapping) and key in found:
                found = found[key]
            elif isinstance(found, list) and _INDEX.fullmatch(key) and int(key) < len(found):
                found = found[int(key)]
            else:
                return True
        return found if reference[1:2] in ("", "/") else True

    def words(self, schema: Any) -> str:
        """Return a name for the values of a schema: `string | null`, `"a" | "b"` or `a value`."""
        # A reference may refer to itself.
        for _ in range(_MAX_NAMED):
            if isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
                schema = self.target(schema["$ref"])
        if not isinstance(schema, Mapping):
            return "nothing" if schema is False else "a value"
        if "const" in schema:
            return _json_of(schema["const"])
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return " | ".join(map(_json_of, schema["enum"][:20]))
        return " | ".join(_kinds(schema)) or "a value"


def _as_json(value: Any) -> tuple[str, Any]:
    """Return an encoded value as JSON has it: `string` for a date, `array` for a set."""
    kind, inner = decode(value)
    if kind == "date" and isinstance(inner, str):
        return "string", inner
    if kind in ("set", "map") and isinstance(inner, list):
        return "array", inner
    if kind in ("bigint", "number") and isinstance(inner, str):
        try:
            return "number", int(inner) if kind == "bigint" else float(inner)
        except ValueError:
            return "no number", inner
    return kind, inner


def _is_kind(kind: str, inner: Any, name: str) -> bool:
    """Whether a value has the type that a schema names."""
    if name == "integer":
        # `1.0` is an integer, as in JavaScript.
        return kind == "number" and (isinstance(inner, int) or inner.is_integer())
    return kind == name


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return [kinds]
    return [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else []


def _mapping(schema: Mapping[str, Any], word: str) -> Mapping[str, Any]:
    found = schema.get(word)
    return found if isinstance(found, Mapping) else {}


def _schemas(schema: Mapping[str, Any], word: str) -> list[Any]:
    found = schema.get(word)
    return found if isinstance(found, list) else []


def _names(found: Any) -> list[str]:
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _json_of(value: Any) -> str:
    return short(json.dumps(value, ensure_ascii=False, default=str))


def text_mismatches(schema: Mapping[str, Any], text: str) -> Iterator[str]:
    """Yield each expectation of a schema that a text does not meet."""
    least, most = number(schema.get("minLength")), number(schema.get("maxLength"))
    if least is not None and len(text) < least:
        yield f"string of at least {plural(least, 'character')}"
    if most is not None and len(text) > most:
        yield f"string of at most {plural(most, 'character')}"
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and is_found(pattern, text) is False:
        yield f"string that matches {pattern}"
    name = schema.get("format")
    if isinstance(name, str) and name in FORMATS and not FORMATS[name](text):
        yield f"string of the format {name}"


_BOUNDS = (
    ("minimum", ">="),
    ("exclusiveMinimum", ">"),
    ("maximum", "<="),
    ("exclusiveMaximum", "<"),
)


def number_mismatches(schema: Mapping[str, Any], value: float) -> Iterator[str]:
    """Yield each expectation of a schema that a number does not meet."""
    kind = "integer" if schema.get("type") == "integer" else "number"
    for word, sign in _BOUNDS:
        bound = number(schema.get(word))
        if bound is None:
            continue
        fits = {
            ">=": value >= bound,
            ">": value > bound,
            "<=": value <= bound,
            "<": value < bound,
        }
        if not fits[sign]:
            yield f"{kind} {sign} {json.dumps(bound)}"
    unit = number(schema.get("multipleOf"))
    if unit is not None and unit > 0 and not _is_multiple(value, unit):
        yield f"{kind} that is a multiple of {json.dumps(unit)}"


def _is_multiple(value: float, unit: float) -> bool:
    # In binary, 0.3 is not a multiple of 0.1. The shortest decimals are what the author wrote.
    try:
        return _EXACT.remainder(Decimal(repr(value)), Decimal(repr(unit))) == 0
    except InvalidOperation:
        # Infinity, or a quotient of more digits than a number of JSON may have.
        return False


def number(value: Any) -> float | None:
    """Return the value of a keyword if it is a number, else None."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def plural(count: float, word: str) -> str:
    """Return `1 item` or `2 items`."""
    shown = count if isinstance(count, int) else f"{count:g}"
    return f"{shown} {word}{'' if count == 1 else 's'}"


def _is_among(value: Any, others: Sequence[Any]) -> bool:
    """Whether a value is one of others: `1` is `1.0`, but not `true`. It may be long, so it is read once."""
    if isinstance(value, str):
        return any(isinstance(other, str) and value == other for other in others)
    own = identity(value)
    return any(not isinstance(other, str) and own == identity(other) for other in others)


def identity(value: Any) -> str:
    """Return a text that equal JSON data shares; an empty text for data that is nested too deeply."""
    return json.dumps(_with_integers(value), sort_keys=True) if is_shallow(value) else ""


def _with_integers(value: Any) -> Any:
    """Return JSON data with `1` for `1.0`, which are the same number in JSON."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list | tuple):
        return [_with_integers(inner) for inner in value]
    if isinstance(value, Mapping):
        return {str(key): _with_integers(inner) for key, inner in value.items()}
    return value


# RFC 3339: a leap second is `60`, and the offset is mandatory.
_TIME = (
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|[-+](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _by_pattern(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _by_parser(read: Callable[[str], object]) -> Callable[[str], bool]:
    def fits(text: str) -> bool:
        try:
            read(text)
        except ValueError:
            return False
        return True

    return fits


def _day(text: str) -> date:
    # `fromisoformat` also reads `20260101` and `2026-W01-1`, which RFC 3339 does not have.
    if _DAY.fullmatch(text) is None:
        raise ValueError(text)
    return date.fromisoformat(text)


def _moment(text: str) -> None:
    _day(text[:10])
    if re.fullmatch(rf"[Tt]{_TIME}", text[10:]) is None:
        raise ValueError(text)


def _address(text: str) -> IPv6Address:
    # Python reads zones such as `fe80::1%eth0`, which the format does not have.
    if "%" in text:
        raise ValueError(text)
    return IPv6Address(text)


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": _by_parser(_day),
    "date-time": _by_parser(_moment),
    "time": _by_pattern(_TIME),
    "email": _by_pattern(r"[^@\s]+@[^@\s]+"),
    "hostname": _by_pattern(
        r"(?=.{1,253}\Z)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
        r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
    ),
    "ipv4": _by_parser(IPv4Address),
    "ipv6": _by_parser(_address),
    "uri": _by_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+"),
    "uuid": _by_pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
}
"""The check of each format. Any text fits an unknown format."""


def decode(value: Any) -> tuple[str, Any]:
    """Return the kind of an encoded value, and its content.

    `{"$type": "date", "value": "2026-01-01"}` is `("date", "2026-01-01")`, and `[1]` is
    `("array", [1])`.
    """
    if value is None:
        return "null", None
    # Before numbers: in Python a bool is an int.
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, int | float):
        return "number", value
    if isinstance(value, str):
        return "string", value
    if isinstance(value, list | tuple):
        return "array", value
    if isinstance(value, Mapping):
        tag, inner = value.get("$type"), value.get("value")
        # The escape for data of the page that has a property `$type` itself.
        if tag == "object" and isinstance(inner, Mapping):
            return "object", inner
        if isinstance(tag, str) and tag in _TAGS:
            return tag, inner
        return "object", value
    return type(value).__name__, value


def kind_of(value: Any) -> str:
    """Return the kind of an encoded value, such as `string` or `date`."""
    return decode(value)[0]


def join(path: str, key: str) -> str:
    """Return the path of a property: `a.b`, or `a["b c"]`."""
    if not _IDENTIFIER.match(key):
        return f"{path}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{path}.{key}" if path else key


def short(text: str) -> str:
    """Return a text for a message, cut after 80 characters."""
    return text if len(text) <= 80 else f"{text[:79]}…"
