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


def cut(value: Any, most_chars: int) -> tuple[Any, int]:
    """Cut an encoded value for a record of it.

    The rest becomes `{"$type": "cut", "value": its first part, "length": its full length}`,
    the length in characters, items or keys.

    Args:
        value: The encoded value.
        most_chars: About how many characters are kept.

    Returns:
        The value, itself if all of it fits, and about how many characters it takes.
    """
    cutter = _Cutter(most_chars)
    return cutter.cut(value), most_chars - cutter.left


_VALUE_CHARS = 16
"""The weight of each value and each key besides its characters."""


class _Cutter:
    def __init__(self, left: int) -> None:
        self.left = left

    def cut(self, value: Any) -> Any:
        self.left -= _VALUE_CHARS
        if isinstance(value, str):
            # Half of what is left, so that one long text does not hide what comes after it.
            most = max(0, self.left // 2)
            self.left -= min(most, len(value))
            return value if len(value) <= most else _shortened(value[:most], value)
        if isinstance(value, list):
            return self._list(value)
        if not isinstance(value, dict):
            return value
        if "$type" in value:
            inner = value.get("value")
            kept = self.cut(inner)
            return value if kept is inner else kept
        return self._fields(value)

    def _list(self, value: list[Any]) -> Any:
        items: list[Any] = []
        for item in value:
            if self.left <= 0:
                return _shortened(items, value)
            items.append(self.cut(item))
        same = all(kept is item for kept, item in zip(items, value, strict=True))
        return value if same else items

    def _fields(self, value: dict[str, Any]) -> Any:
        fields: dict[str, Any] = {}
        for key, item in value.items():
            self.left -= _VALUE_CHARS + len(key)
            if self.left <= 0:
                return _shortened(fields, value)
            fields[key] = self.cut(item)
        return value if all(fields[key] is item for key, item in value.items()) else fields


def _shortened(kept: Any, value: str | list[Any] | dict[str, Any]) -> dict[str, Any]:
    return {"$type": "cut", "value": kept, "length": len(value)}


def decode(value: Any) -> Any:
    """Return encoded values from JavaScript as Python values.

    `undefined` becomes None, a bigint int, a date an aware datetime, binary bytes, a set a list, and
    a map a list of `[key, value]` pairs. Errors, functions, symbols, elements, regular expressions
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
    except (ValueError, TypeError, AttributeError):
        return value
    return value
