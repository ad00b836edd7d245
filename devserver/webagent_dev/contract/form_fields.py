"""The fields of a form that is a tool, compared with the parameters that the manifest declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from webagent.registry import Binding
from webagent.schema import check_schema, input_schema
from webagent_dev.contract.javascript import js_value

_DEEPEST = 5


def missing_fields(binding: Binding, schema: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield each field or choice of a manifest that a form lacks: its parameter's index, and words.

    A form refuses a field or a choice that it does not have, whatever it is filled in with. Other
    values, such as a date of another form, it refuses in words.

    Args:
        binding: The tool, declared in the manifest.
        schema: The schema of the form's fields.
    """
    fields = schema.get("properties")
    fields = fields if isinstance(fields, Mapping) else {}
    declared = input_schema(binding.tool, types=binding.types).get("properties") or {}
    for index, param in enumerate(binding.params):
        name = param.name.removeprefix("...")
        if name not in fields:
            yield index, f"a field `{name}`"
            continue
        for value in _choices(declared.get(name)):
            if not _takes(fields[name], value):
                yield index, f"{js_value(value)} for `{name}`"


def _choices(schema: Any, depth: int = 0) -> Iterator[Any]:
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
            yield from _choices(branch, depth + 1)
    yield from _choices(schema.get("items"), depth + 1)


def _takes(field: Any, value: Any) -> bool:
    """Whether a field has a value: itself, as the text of a control, or in a list of several."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    schemas = (
        [field, field["items"]] if isinstance(field, Mapping) and "items" in field else [field]
    )
    return value is None or any(
        not check_schema(each, schema) for schema in schemas for each in (value, text)
    )
