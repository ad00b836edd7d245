"""Parameters that only a JSON Schema tells."""

from __future__ import annotations

import json
import re
from typing import Any

from webagent.parser.params import ParamDraft
from webagent.parser.reading import ParamPlace
from webagent.source import Span
from webagent.tstypes import print_type
from webagent.tstypes.from_schema import SchemaReader

_BARE = re.compile(r"(?!(?:true|false|null|undefined|NaN|Infinity)\Z)[A-Za-z][\w .:/-]*(?<! )\Z")


def derived_params(schema: dict[str, Any], place: Span) -> list[ParamDraft]:
    """Return a parameter for each property of a schema, in its order; `place` is the schema's."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return []
    needed = required if isinstance(required, list) else []
    reader = SchemaReader(schema)
    return [
        ParamDraft(
            name,
            ParamPlace(*place, *place, *place),
            print_type(reader.type(inner)),
            _text(inner),
            name in needed,
            _default(inner),
        )
        for name, inner in properties.items()
        if name.strip()
    ]


def _text(schema: Any) -> str:
    text = schema.get("description") if isinstance(schema, dict) else None
    return text.strip() if isinstance(text, str) else ""


def _default(schema: Any) -> str | None:
    """Return a default as it is written: strings bare where nothing else could be meant."""
    if not isinstance(schema, dict) or "default" not in schema:
        return None
    value = schema["default"]
    if isinstance(value, str) and _BARE.match(value):
        return value
    return json.dumps(value, ensure_ascii=False)
