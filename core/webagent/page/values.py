"""The encoding of values between Python and JavaScript, as JSON.

JSON has null, booleans, finite numbers, strings, arrays and plain objects. Anything else is encoded
as `{"$type": T, "value": V}`. A plain object with a key `$type` of its own becomes
`{"$type": "object", "value": {…}}`, so that data cannot pose as a tag.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, Final

from webagent.errors import InvalidArguments

UNDEFINED: Final[Mapping[str, str]] = MappingProxyType({"$type": "undefined"})
"""JavaScript's `undefined`, encoded."""

PENDING: Final = "a person has to send it"
"""Why a call is pending, for every caller."""

_MAX_SAFE_INTEGER = 2**53 - 1


def encode(value: Any) -> Any:
    """Return a value as JSON for JavaScript.

    Raises:
        InvalidArguments: JavaScript has no such value, or the value contains itself.
    """
    try:
        return _encode(value)
    except RecursionError:
        raise InvalidArguments(
            "the value is nested too deeply or contains itself",
            help="pass a tree of plain values",
        ) from None


def _encode(value: Any) -> Any:
    match value:
        case None | bool() | str():
            return value
        case int():
            if abs(value) > _MAX_SAFE_INTEGER:
                return {"$type": "bigint", "value": str(value)}
            return value
        case float():
            return value if math.isfinite(value) else {"$type": "number", "value": _word(value)}
        case datetime():
            moment = value if value.tzinfo else value.replace(tzinfo=UTC)
            text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
            return {"$type": "date", "value": text.replace("+00:00", "Z")}
        case date():
            return value.isoformat()
        case bytes() | bytearray() | memoryview():
            return {"$type": "binary", "value": base64.b64encode(bytes(value)).decode("ascii")}
        case list() | tuple():
            return [_encode(item) for item in value]
        case set() | frozenset():
            return {"$type": "set", "value": [_encode(item) for item in value]}
        case Mapping():
            return _encode_mapping(value)
        case _:
            raise InvalidArguments(
                f"a Python `{type(value).__name__}` cannot be sent to the page",
                help="pass None, bool, int, float, str, list, dict, set, bytes or datetime",
            )


def _encode_mapping(value: Mapping[Any, Any]) -> Any:
    if all(isinstance(key, str) for key in value):
        plain = {key: _encode(item) for key, item in value.items()}
        return {"$type": "object", "value": plain} if "$type" in plain else plain
    return {"$type": "map", "value": [[_encode(k), _encode(v)] for k, v in value.items()]}


def _word(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def is_pending(value: Any) -> bool:
    """Whether an encoded value says that a person has to complete the call."""
    return isinstance(value, dict) and value.get("$type") == "pending"


def decode(value: Any) -> Any:
    """Return encoded values from JavaScript as Python values.

    `undefined` becomes None, a bigint int, a date an aware datetime, binary bytes, a set a list, and
    a map a list of `[key, value]` pairs. A pending form is `{"pending", "filled"}`. Errors, functions, symbols, elements, regular expressions
    and circular references stay tagged objects, since Python has no such values.
    """
    # Most values are neither lists nor objects, so a call for each would be the largest cost.
    if type(value) is list:
        return [decode(item) if type(item) in _NESTING else item for item in value]
    if type(value) is not dict:
        return value
    tag = value.get("$type")
    if tag is None:
        return {
            key: decode(item) if type(item) in _NESTING else item for key, item in value.items()
        }
    return _decode_tagged(tag, value)


_NESTING: Final = (list, dict)


def _decode_tagged(tag: Any, value: dict[str, Any]) -> Any:
    inner = value.get("value")
    try:
        match tag:
            case "undefined":
                return None
            case "bigint":
                return int(str(inner))
            case "number":
                return float(str(inner))
            case "date":
                return datetime.fromisoformat(str(inner)) if inner else None
            case "binary":
                return base64.b64decode(str(inner), validate=True)
            case "set":
                return [decode(item) for item in inner or []]
            case "map":
                return [[decode(key), decode(item)] for key, item in inner or []]
            case "object":
                return {key: decode(item) for key, item in (inner or {}).items()}
            case "pending":
                return {"pending": PENDING, "filled": decode(inner)}
    except (ValueError, TypeError, AttributeError):
        return value
    return value


def plain(value: Any, *, bigints: bool = True) -> Any:
    """Return an encoded value as plain JSON data, with dates and sets in the usual way.

    Args:
        value: The encoded value.
        bigints: Whether a bigint stays marked, `{"$type": "bigint", "value": "10"}`. As a number a
            client could not see that it is one, and would round a long one.
    """
    return _plain(decode(_with_marks(value) if bigints else value))


def well_formed(text: str) -> str:
    r"""Write lone surrogates as `\ud800`: JavaScript strings may hold them, and UTF-8 cannot."""
    return text.encode("utf-8", "backslashreplace").decode()


def _with_marks(value: Any) -> Any:
    """Return an encoded value in which each mark of a bigint is data of its own."""
    match value:
        case list():
            return [_with_marks(item) for item in value]
        case {"$type": "bigint"}:
            return {"$type": "object", "value": value}
        case {"$type": "object", "value": dict(inner)}:
            return {"$type": "object", "value": {k: _with_marks(v) for k, v in inner.items()}}
        case dict():
            return {key: _with_marks(item) for key, item in value.items()}
    return value


def _plain(value: Any) -> Any:
    match value:
        case str():
            return well_formed(value)
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {well_formed(key): _plain(item) for key, item in value.items()}
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case bytes():
            return base64.b64encode(value).decode()
        case _:
            return value
