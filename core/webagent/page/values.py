"""The encoding of values between Python and JavaScript, as JSON.

JSON has null, booleans, finite numbers, strings, arrays and plain objects. Anything else is encoded
as `{"$type": T, "value": V}`. A plain object with a key `$type` of its own becomes
`{"$type": "object", "value": {…}}`, so that data cannot pose as a tag.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class FileValue:
    """A file in the result of a tool, or in its arguments."""

    name: str
    type: str
    """Media type; that of a picture only if its bytes are one."""
    data: bytes

    @classmethod
    def read(cls, value: Any) -> FileValue | None:
        """Return the file of an encoded value; None for any other value."""
        if not isinstance(value, dict) or value.get("$type") != "file":
            return None
        try:
            data = base64.b64decode(str(value.get("value")), validate=True)
        except ValueError:
            return None
        kind = media_type(str(value.get("type") or ""), data)
        name = _UNSAFE.sub("", str(value.get("name") or "")).strip(". ")[:_LONGEST_NAME]
        return cls(name or f"file{_ENDINGS.get(kind, '')}", kind, data)

    def encoded(self) -> dict[str, str]:
        """Return it as JSON for JavaScript."""
        data = base64.b64encode(self.data).decode("ascii")
        return {"$type": "file", "value": data, "name": self.name, "type": self.type}


_LONGEST_NAME = 100
_MOST_FILES = 20
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff/\\\\:]")
"""Characters that the name of a file has not: of paths, control characters, and unseen ones."""

_PICTURES: Final[Mapping[bytes, str]] = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}
"""The first bytes of pictures."""

_ENDINGS: Final[Mapping[str, str]] = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
}


def media_type(declared: str, data: bytes) -> str:
    """Return the media type of a file: that of a picture by its bytes, else the declared one."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    for beginning, kind in _PICTURES.items():
        if data.startswith(beginning):
            return kind
    known = re.fullmatch(r"[a-z]+/[\w.+-]+", declared.partition(";")[0].strip().lower())
    return known[0] if known and not known[0].startswith("image/") else "application/octet-stream"


def is_picture(kind: str) -> bool:
    """Whether a media type is one that models and clients are shown."""
    return kind in _ENDINGS


def files_taken(value: Any, keep: Callable[[FileValue], str]) -> Any:
    """Return an encoded value with `{file, type, size}` in the place of each file.

    Files are the value itself, or directly in its list or object, as the page writes them.

    Args:
        value: The encoded value.
        keep: Takes a file and returns the name by which it is known.
    """
    left = _MOST_FILES

    def taken(inner: Any) -> Any:
        nonlocal left
        file = FileValue.read(inner)
        if file is None or left == 0:
            return inner
        left -= 1
        return {"file": keep(file), "type": file.type, "size": len(file.data)}

    if isinstance(value, list):
        return [taken(item) for item in value]
    if isinstance(value, dict) and "$type" not in value:
        return {key: taken(item) for key, item in value.items()}
    return taken(value)


def is_pending(value: Any) -> bool:
    """Whether an encoded value says that a person has to complete the call."""
    return isinstance(value, dict) and value.get("$type") == "pending"


def decode(value: Any) -> Any:
    """Return encoded values from JavaScript as Python values.

    `undefined` becomes None, a bigint int, a date an aware datetime, binary bytes, a set a list, and
    a map a list of `[key, value]` pairs. A file is `{"name", "type", "data"}`. A pending form is `{"pending", "filled"}`. Errors, functions, symbols, elements, regular expressions
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
            case "file":
                data = base64.b64decode(str(inner), validate=True)
                kind = media_type(str(value.get("type") or ""), data)
                return {"name": str(value.get("name") or ""), "type": kind, "data": data}
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
