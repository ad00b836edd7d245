"""Arguments for tools, as strategies of Hypothesis that draw what a JSON Schema allows.

Simple values come first. hypothesis-jsonschema 0.23.1 would replace the schema part, but of our
42 test schemas it breaks on 8 with Hypothesis 6.170 (each with optional properties), refuses
recursive types, and ignores `prefixItems` and `format: uuid`, so it was not taken.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from hypothesis import HealthCheck, find, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

from webagent.errors import InvalidArguments
from webagent.page.values import encode
from webagent.registry import Binding
from webagent.registry.binding import prepare
from webagent.schema import check_schema, input_schema
from webagent.schema.regex import found
from webagent.schema.tools import param_type
from webagent.schema.validate_schema import identity, number, text_mismatches
from webagent.tstypes.nodes import Name

Values = SearchStrategy[Any]

Seen = Mapping[str, Sequence[Any]]
"""Encoded values that a parameter was given before, by its name."""

_TAGGED = {"bigint": st.integers(), "Date": st.datetimes().map(lambda m: f"{m.isoformat()[:19]}Z")}


def arguments(binding: Binding, seen: Seen) -> Values:
    """Return encoded arguments by name, as `ToolRegistry.invoke` takes them.

    Args:
        binding: The tool.
        seen: Arguments of earlier calls. They are drawn too, since the site may know them.
    """
    schema = input_schema(binding.tool, types=binding.types)
    drawn = StrategyBuilder(schema).of(schema).map(encode)
    for param in binding.params:
        name = param.name.removeprefix("...")
        node = param_type(param, binding.types)
        if isinstance(node, Name) and node.name in _TAGGED:
            drawn = _with(drawn, name, _TAGGED[node.name].map(_tagged(node.name)))
        if seen.get(name):
            drawn = _with(
                drawn, name, st.none() | st.sampled_from([(v,) for v in seen[name]]), maybe=True
            )
    return drawn.filter(lambda given: fits(binding, given))


def example(binding: Binding, name: str) -> str:
    """Return a value for a parameter, as JavaScript writes it: what its type or its author suggests.

    Args:
        binding: The tool.
        name: Name of the parameter, without the dots of a rest parameter.
    """
    for param in binding.params:
        node = param_type(param, binding.types)
        if param.name == name and isinstance(node, Name) and node.name in _WRITTEN:
            return _WRITTEN[node.name]
    schema = input_schema(binding.tool, types=binding.types)
    part = schema.get("properties", {}).get(name, True)
    whole = {**part, "$defs": schema.get("$defs", {})} if isinstance(part, dict) else part
    for value in _suggested(part if isinstance(part, Mapping) else {}):
        if not check_schema(value, whole):
            return json.dumps(value)
    try:
        value = find(StrategyBuilder(schema).of(part), lambda _: True, settings=_QUIET)
    except HypothesisException:
        value = None
    return json.dumps(value)


def _suggested(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield values that may be meant: the author's own, then plain ones of the type."""
    yield from (schema[word] for word in ("default", "const") if word in schema)
    for word in ("examples", "enum"):
        values = schema.get(word)
        yield from values if isinstance(values, list) else ()
    for kind in _kinds(schema):
        yield from _PLAIN.get(kind, ())
    yield from (bound for word in ("minimum", "maximum") if (bound := schema.get(word)) is not None)


def named_values(schema: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the values that a schema names one by one, in lists too."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return
    if "const" in schema:
        yield schema["const"]
    named = schema.get("enum")
    yield from named if isinstance(named, list) else ()
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        for branch in branches if isinstance(branches, list) else ():
            yield from named_values(branch, depth + 1)
    yield from named_values(schema.get("items"), depth + 1)


def fits(binding: Binding, given: Any) -> bool:
    """Whether the declaration of a tool allows arguments by name."""
    if not isinstance(given, Mapping):
        return False
    try:
        prepare(binding, given)
    except InvalidArguments:
        return False
    return True


def wrong_arguments(binding: Binding, good: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield arguments by name, each with one value of a type that the tool does not declare.

    Args:
        binding: The tool.
        good: Arguments that it takes.
    """
    wrong: tuple[Any, ...] = (None, "text", 1.5, True, [], {}, {"$type": "undefined"})
    for param in binding.params:
        name = param.name.removeprefix("...")
        for value in wrong:
            given = {**good, name: value}
            if not fits(binding, given):
                yield given


def _with(drawn: Values, name: str, values: Values, *, maybe: bool = False) -> Values:
    """Return arguments in which one has values from another strategy.

    Args:
        drawn: Arguments by name.
        name: Which one.
        values: What it may be; with `maybe` each in a tuple, and None keeps what was drawn.
        maybe: Whether it may keep the value that was drawn.
    """

    def put(pair: tuple[Any, Any]) -> Any:
        given, value = pair
        if not isinstance(given, Mapping) or (maybe and value is None) or name not in given:
            return given
        return {**given, name: value[0] if maybe else value}

    return st.tuples(drawn, values).map(put)


def _tagged(name: str) -> Any:
    kind = name.lower()
    return lambda value: {"$type": kind, "value": str(value)}


_WRITTEN = {"bigint": "1n", "Date": 'new Date("2030-05-01T12:00:00Z")'}

_PLAIN: Mapping[str, tuple[Any, ...]] = {
    "string": (
        *("example", "ada@example.com", "2030-05-01", "2030-05-01T12:00:00Z", "18:30"),
        *("https://example.com/", "+44 20 7946 0958", "A1", "a"),
    ),
    "number": (1,),
    "integer": (1,),
    "boolean": (True,),
}
"""Values that parameters of a type may be given; the first that fits is taken."""

_QUIET = settings(database=None, deadline=None, suppress_health_check=[*HealthCheck])

_SAFE = 2**53 - 1

_MORE_ITEMS = 4
"""Items beyond `minItems` that an array gets at most, where its schema sets no limit."""

_DEEPEST = 40

_MOST = 60
"""Characters of a text where its schema sets no limit."""

PLAIN = "abcdefghijklmnopqrstuvwxyz ABCXYZ0123456789-_"
"""Characters of which half of the texts are made: what people look for is mostly of these."""

_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "object": ("properties", "required", "additionalProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "contains", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""Keywords by which a schema without `type` shows its type."""

_CHECKED_AFTERWARDS = (
    *("not", "if", "oneOf", "allOf", "contains", "dependentRequired", "dependentSchemas"),
    *("minProperties", "maxProperties", "propertyNames", "patternProperties", "enum", "const"),
)
"""Keywords that the strategies heed in part or not at all: values are checked afterwards."""

_SCALARS: Values = st.one_of(
    st.none(), st.booleans(), st.integers(-_SAFE, _SAFE), st.text(PLAIN, max_size=20)
)

_ANYTHING: Values = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(PLAIN, max_size=8), inner, max_size=3),
    ),
    max_leaves=5,
)


def values(schema: Any) -> Values:
    """Return values that fit a schema. A `$ref` into it is followed, even if it is recursive."""
    return StrategyBuilder(schema).of(schema)


class StrategyBuilder:
    """Builds strategies for the parts of one schema; each definition is built once."""

    def __init__(self, root: Any) -> None:
        """Build strategies for a schema."""
        self._root = root
        self._named: dict[str, Values] = {}

    def of(self, schema: Any, depth: int = 0) -> Values:
        """Return values that fit a part of the schema."""
        if schema is False or depth > _DEEPEST or _is_never(schema):
            return st.nothing()
        if not isinstance(schema, Mapping):
            return _ANYTHING
        drawn = self._drawn(schema, depth)
        if any(word in schema for word in _CHECKED_AFTERWARDS):
            whole = {**schema, "$defs": self._root.get("$defs", {})}
            drawn = drawn.filter(lambda value: not check_schema(value, whole))
        return st.none() | drawn if schema.get("nullable") is True else drawn

    def _drawn(self, schema: Mapping[str, Any], depth: int) -> Values:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return self._named_by(reference, depth)
        if "const" in schema:
            return st.just(schema["const"])
        if isinstance(schema.get("enum"), list):
            return st.sampled_from(schema["enum"]) if schema["enum"] else st.nothing()
        for word in ("allOf", "anyOf", "oneOf"):
            inner = schema.get(word)
            if isinstance(inner, list) and inner:
                rest = {key: value for key, value in schema.items() if key != word}
                inner = [self._resolved(part) for part in inner]
                if word == "allOf":
                    return self.of(merged([rest, *inner]), depth + 1)
                return st.one_of([self.of(merged([rest, part]), depth + 1) for part in inner])
        return st.one_of([self._kind(kind, schema, depth) for kind in _kinds(schema)])

    def _named_by(self, reference: str, depth: int) -> Values:
        if reference not in self._named:
            # Deferred, so that a type may contain itself.
            self._named[reference] = st.deferred(lambda: self.of(self._target(reference)))
        return self._named[reference]

    def _resolved(self, schema: Any) -> Any:
        """Return the target of a reference, so that it can be merged with the schemas next to it."""
        for _ in range(_DEEPEST):
            if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
                return schema
            schema = self._target(schema["$ref"])
        return True

    def _target(self, reference: str) -> Any:
        found = self._root
        if not reference.startswith("#"):
            return True
        for part in unquote(reference[1:]).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or key not in found:
                return True
            found = found[key]
        return found

    def _kind(self, kind: str, schema: Mapping[str, Any], depth: int) -> Values:
        match kind:
            case "null":
                return st.none()
            case "boolean":
                return st.booleans()
            case "string":
                return texts(schema)
            case "integer":
                return _integers(schema)
            case "number":
                return _numbers(schema)
            case "array":
                return self._array(schema, depth)
            case "object":
                return self._object(schema, depth)
        return _ANYTHING

    def _array(self, schema: Mapping[str, Any], depth: int) -> Values:
        least = int(number(schema.get("minItems")) or 0)
        given = number(schema.get("maxItems"))
        fixed = [self.of(part, depth + 1) for part in schema.get("prefixItems", ())]
        most = max(least, len(fixed)) + _MORE_ITEMS if given is None else int(given)
        if least > most:
            return st.nothing()
        items = self.of(schema.get("items", True), depth + 1)
        unique = identity if schema.get("uniqueItems") is True else None
        if not fixed:
            return st.lists(items, min_size=least, max_size=most, unique_by=unique)
        must = min(len(fixed), most)
        least_fixed = min(least, must) if "minItems" in schema else 0
        heads = st.integers(least_fixed, must).flatmap(lambda n: st.tuples(*fixed[:n]))
        more = max(0, most - len(fixed))
        tails = st.lists(items, min_size=max(0, least - len(fixed)), max_size=more)
        # Items after the fixed ones need all of those before them.
        return st.tuples(heads, tails).map(
            lambda pair: [*pair[0], *(pair[1] if len(pair[0]) == len(fixed) else ())]
        )

    def _object(self, schema: Mapping[str, Any], depth: int) -> Values:
        properties = schema.get("properties", {})
        names = [name for name in schema.get("required", ()) if isinstance(name, str)]
        needed = {name: self.of(properties.get(name, True), depth + 1) for name in names}
        may = {
            name: self.of(part, depth + 1)
            for name, part in properties.items()
            if name not in needed
        }
        known: Values = st.fixed_dictionaries(needed, optional=may)
        more = self._more(schema, depth)
        if more is None:
            return known
        # Declared properties win over additional ones.
        return st.tuples(more, known).map(lambda pair: {**pair[0], **pair[1]})

    def _more(self, schema: Mapping[str, Any], depth: int) -> Values | None:
        """Return properties beyond those that are named, None where the schema has none."""
        patterns = schema.get("patternProperties", {})
        rest = schema.get("additionalProperties", True)
        least = int(number(schema.get("minProperties")) or 0)
        keys: Values = self.of({"type": "string", **_mapping(schema.get("propertyNames"))})
        found: list[Values] = [
            st.dictionaries(texts({"pattern": pattern}), self.of(part, depth + 1), max_size=3)
            for pattern, part in patterns.items()
        ]
        if isinstance(rest, Mapping) or (rest is True and least):
            found.append(
                st.dictionaries(
                    keys, self.of(rest, depth + 1), min_size=min(least, 8), max_size=max(3, least)
                )
            )
        if not found:
            return None
        return st.tuples(*found).map(
            lambda parts: {k: v for part in parts for k, v in part.items()}
        )


def _is_never(schema: Any) -> bool:
    """Whether a schema allows nothing, as that of the type `never` does."""
    return isinstance(schema, Mapping) and schema.get("not") in ({}, True)


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return [kinds]
    if isinstance(kinds, list) and kinds:
        return kinds
    about = [kind for kind, words in _OF_KIND.items() if any(word in schema for word in words)]
    return about or ["anything"]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _integers(schema: Mapping[str, Any]) -> Values:
    low, high, _, _ = _bounds(schema)
    least, most = math.ceil(low), math.floor(high)
    if least == low and schema.get("exclusiveMinimum") == low:
        least += 1
    if most == high and schema.get("exclusiveMaximum") == high:
        most -= 1
    unit = number(schema.get("multipleOf"))
    if unit and unit > 0 and float(unit).is_integer():
        step = int(unit)
        first, last = -(-least // step), most // step
        return st.nothing() if first > last else st.integers(first, last).map(lambda n: n * step)
    return st.nothing() if least > most else st.integers(least, most)


def _numbers(schema: Mapping[str, Any]) -> Values:
    low, high, above, below = _bounds(schema)
    unit = number(schema.get("multipleOf"))
    if unit and unit > 0:
        first, last = math.ceil(low / unit), math.floor(high / unit)
        drawn = st.nothing() if first > last else st.integers(first, last).map(lambda n: n * unit)
        return drawn.filter(lambda value: not check_schema(value, schema))
    if low > high or (low == high and (above or below)):
        return st.nothing()
    fractions = st.floats(
        low, high, allow_nan=False, allow_infinity=False, exclude_min=above, exclude_max=below
    )
    whole = _integers(schema)
    return whole | fractions if not whole.is_empty else fractions


def _bounds(schema: Mapping[str, Any]) -> tuple[float, float, bool, bool]:
    """Return the bounds of a number, and whether each is exclusive."""
    low, high = number(schema.get("minimum")), number(schema.get("maximum"))
    above, below = number(schema.get("exclusiveMinimum")), number(schema.get("exclusiveMaximum"))
    left_low = above is not None and (low is None or above >= low)
    left_high = below is not None and (high is None or below <= high)
    least = above if left_low else low
    most = below if left_high else high
    return (
        float(-_SAFE) if least is None else float(least),
        float(_SAFE) if most is None else float(most),
        left_low,
        left_high,
    )


_NAMED_GROUP = re.compile(r"\(\?<([A-Za-z_$][\w$]*)>")

_LETTERS = st.characters(codec="utf-8")

_HOST_NAMES = st.from_regex(r"[a-z0-9]{1,12}(\.[a-z]{2,6}){0,2}", fullmatch=True)

_MOMENTS = st.datetimes().map(lambda moment: f"{moment.isoformat(timespec='seconds')}Z")

_FORMATS: Mapping[str, SearchStrategy[str]] = {
    "date": st.dates().map(lambda day: day.isoformat()),
    "date-time": _MOMENTS,
    "time": _MOMENTS.map(lambda moment: moment[11:]),
    "email": st.from_regex(
        r"[a-z0-9._+-]{1,12}@[a-z0-9-]{1,12}\.(com|org|example)", fullmatch=True
    ),
    "hostname": _HOST_NAMES,
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv6": st.ip_addresses(v=6).map(str),
    "uri": st.tuples(_HOST_NAMES, st.from_regex(r"(/[a-z0-9._~-]{0,8}){0,3}", fullmatch=True)).map(
        lambda parts: f"https://{parts[0]}{parts[1]}"
    ),
    "uuid": st.uuids().map(str),
}
"""Texts of the formats that core judges."""


def texts(schema: Mapping[str, Any]) -> SearchStrategy[str]:
    """Return texts of the length, pattern and format that a schema asks for."""
    least = int(number(schema.get("minLength")) or 0)
    given = number(schema.get("maxLength"))
    most = max(least, _MOST) if given is None else int(given)
    if least > most:
        return st.nothing()
    pattern, form = schema.get("pattern"), schema.get("format")
    if isinstance(pattern, str):
        drawn = _matching(pattern)
    elif isinstance(form, str) and form in _FORMATS:
        drawn = _FORMATS[form]
    else:
        plain = st.text(PLAIN, min_size=least, max_size=most)
        return plain | st.text(_LETTERS, min_size=least, max_size=most)
    return drawn.filter(lambda text: not any(text_mismatches(schema, text)))


def _matching(pattern: str) -> SearchStrategy[str]:
    """Return texts that match a pattern of JavaScript; Python's patterns are nearly the same."""
    try:
        compiled = re.compile(_NAMED_GROUP.sub(r"(?P<\1>", pattern), re.ASCII)
    except re.error:
        return st.nothing()
    drawn = st.from_regex(compiled, alphabet=_LETTERS)
    return drawn.filter(lambda text: found(pattern, text) is not False)


_TIGHTER: Mapping[str, Callable[[Any, Any], Any]] = {
    "minimum": max,
    "exclusiveMinimum": max,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
}


def merged(schemas: Sequence[Any]) -> Any:
    """Return one schema for values that fit all of these; it may allow more."""
    found: Any = True
    for schema in schemas:
        found = _both(found, schema)
    return found


def _both(one: Any, other: Any) -> Any:
    if one is False or other is False:
        return False
    if not isinstance(one, Mapping):
        return other
    if not isinstance(other, Mapping):
        return one
    joined = dict(one)
    for key, value in other.items():
        joined[key] = _word(key, joined[key], value) if key in joined else value
    return False if joined.get("type") == [] else joined


def _word(key: str, one: Any, other: Any) -> Any:
    if key in _TIGHTER:
        return _TIGHTER[key](one, other)
    if key == "type":
        return _types(one, other)
    if key == "enum":
        return [value for value in one if value in other]
    if key == "required":
        return [*dict.fromkeys([*one, *other])]
    if key in ("properties", "$defs"):
        return {
            name: _both(one.get(name, True), other.get(name, True))
            for name in dict.fromkeys([*one, *other])
        }
    if key in ("items", "additionalProperties", "propertyNames"):
        return _both(one, other)
    if key == "uniqueItems":
        return one or other
    return other


def _types(one: Any, other: Any) -> Any:
    names, others = _listed(one), _listed(other)
    both = [name for name in names if name in others]
    if "integer" not in both and "integer" in (*names, *others) and "number" in (*names, *others):
        both.append("integer")
    return both[0] if len(both) == 1 else both


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
