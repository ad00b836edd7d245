"""The TypeScript type of a JSON value that somebody gives as an example."""

from __future__ import annotations

import json

from webagent.json_text import read_json
from webagent.parser.names import is_identifier

_DEEPEST = 20


def type_of_sample(text: str) -> str:
    """Return the type of a JSON text, or nothing if it is no JSON, or a schema."""
    try:
        value = read_json(text)
    except ValueError:
        return ""
    if isinstance(value, dict) and (
        "$schema" in value or isinstance(value.get("properties"), dict)
    ):
        return ""
    return _type(value, 0)


def _type(value: object, depth: int) -> str:
    if depth > _DEEPEST:
        return "unknown"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        types = list(dict.fromkeys(_type(item, depth + 1) for item in value))
        if not types:
            return "unknown[]"
        return (
            f"Array<{' | '.join(types)}>"
            if len(types) > 1 or types[0][0] == "{"
            else f"{types[0]}[]"
        )
    if isinstance(value, dict):
        members = (f"{_key(key)}: {_type(item, depth + 1)}" for key, item in value.items())
        return f"{{ {'; '.join(members)} }}" if value else "{}"
    return "null"


def _key(name: str) -> str:
    return name if is_identifier(name) else json.dumps(name)
