"""Values and calls as a person would write them in JavaScript."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.registry import Binding
from webagent.registry.secrets import MASK, is_secret
from webagent.schema.validate_schema import decode
from webagent.tstypes.nodes import member_name

_LONGEST_TEXT = 120

_LONGEST_CALL = 600


def js_call(binding: Binding, arguments: Sequence[Any] | Mapping[str, Any]) -> str:
    """Return a call in JavaScript: `await global.search("tea", 5)`; secrets are left out.

    Args:
        binding: The tool.
        arguments: Encoded: in order, or one object.
    """
    if isinstance(arguments, Mapping):
        inner = js_value(arguments)
    else:
        names = [param.name for param in binding.params]
        names += [""] * (len(arguments) - len(names))
        inner = ", ".join(
            json.dumps(MASK, ensure_ascii=False) if is_secret(name) else js_value(value)
            for name, value in zip(names, arguments, strict=False)
        )
    plain = member_name(binding.name)
    owner = f"global.{plain}" if plain == binding.name else f"global[{plain}]"
    return _cut(f"await {owner}({inner})", _LONGEST_CALL)


def js_value(value: Any) -> str:
    """Return an encoded value in JavaScript; long texts are cut, with their length."""
    kind, inner = decode(value)
    match kind:
        case "string":
            return _text(inner)
        case "array":
            return f"[{', '.join(map(js_value, inner))}]"
        case "object":
            pairs = ", ".join(
                f"{member_name(str(key))}: {_member(key, v)}" for key, v in inner.items()
            )
            return f"{{ {pairs} }}" if pairs else "{}"
        case "undefined":
            return "undefined"
        case "bigint":
            return f"{inner}n"
        case "number" if isinstance(inner, str):
            return inner
        case "date":
            return f"new Date({json.dumps(inner)})"
        case "number" if isinstance(inner, float) and inner.is_integer() and abs(inner) < 2**53:
            return str(int(inner))
        case "null" | "boolean" | "number":
            return json.dumps(inner)
    return f"/* {kind} */"


def _member(key: Any, value: Any) -> str:
    return json.dumps(MASK, ensure_ascii=False) if is_secret(str(key)) else js_value(value)


def _text(text: str) -> str:
    if len(text) > _LONGEST_TEXT:
        head = json.dumps(text[:20], ensure_ascii=not text[:20].isprintable())
        return f'{head[:-1]}…" /* {len(text):,} characters */'
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
