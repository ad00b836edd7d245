"""What the keywords of JSON Schema say of text, of numbers, and of values that are the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal, DivisionByZero, InvalidOperation
from typing import Any

from webagent.json_text import is_shallow
from webagent.schema.automaton import found
from webagent.schema.formats import FORMATS

_BOUNDS = (
    ("minimum", ">="),
    ("exclusiveMinimum", ">"),
    ("maximum", "<="),
    ("exclusiveMaximum", "<"),
)


def text_faults(schema: Mapping[str, Any], text: str) -> Iterator[str]:
    """Yield what a schema expects of a text, where the text is not like that."""
    least, most = number(schema.get("minLength")), number(schema.get("maxLength"))
    if least is not None and len(text) < least:
        yield f"string of at least {counted(least, 'character')}"
    if most is not None and len(text) > most:
        yield f"string of at most {counted(most, 'character')}"
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and found(pattern, text) is False:
        yield f"string that matches {pattern}"
    name = schema.get("format")
    if isinstance(name, str) and name in FORMATS and not FORMATS[name](text):
        yield f"string of the format {name}"


def number_faults(schema: Mapping[str, Any], value: float) -> Iterator[str]:
    """Yield what a schema expects of a number, where the number is not like that."""
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
    try:
        return Decimal(repr(value)) % Decimal(repr(unit)) == 0
    except (InvalidOperation, DivisionByZero):
        # More digits than decimals are worked out with.
        return value % unit == 0


def number(value: Any) -> float | None:
    """Return a number that a keyword may have, None for anything else."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def counted(count: float, word: str) -> str:
    """Return `1 item` or `2 items`."""
    return f"{count:g} {word}{'' if count == 1 else 's'}"


def same_value(value: Any, other: Any) -> bool:
    """Whether two pieces of JSON data are the same: `1` and `1.0` are, `1` and `true` are not."""
    if isinstance(value, str) or isinstance(other, str):
        return isinstance(other, str) and value == other
    return identity(value) == identity(other)


def identity(value: Any) -> str:
    """Return a text that only the same JSON data has; data nested too deeply has none of its own."""
    return json.dumps(_whole(value), sort_keys=True) if is_shallow(value) else ""


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list | tuple):
        return [_whole(inner) for inner in value]
    if isinstance(value, Mapping):
        return {str(key): _whole(inner) for key, inner in value.items()}
    return value
