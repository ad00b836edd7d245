"""The fields of a form that is a tool, compared with the parameters that the manifest declares."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from typing import Any

from webagent.registry import Binding
from webagent.schema import check_schema, input_schema
from webagent.types import Param
from webagent_dev.contract.evidence import Evidence, Fault
from webagent_dev.contract.generation import named_values
from webagent_dev.contract.harness import EmptyFields
from webagent_dev.contract.javascript import js_value
from webagent_dev.contract.places import Places
from webagent_dev.contract.session import PageSession

_POLL_S = 0.2


async def prove_form(
    session: PageSession, binding: Binding, evidence: Evidence, places: Places
) -> None:
    """Compare the parameters of a tool with the fields of its form, before anything is called.

    A difference counts only after some seconds, because a script may add choices and values.

    Args:
        session: A page that has just been opened.
        binding: The tool, declared in the manifest.
        evidence: Keeps the faults.
        places: The lines of the manifest.
    """
    end = time.monotonic() + session.late_s
    while True:
        schema = _form_schema(session, binding)
        empty = await session.open_page.empty_fields(binding.target.name)
        fault = _fault(binding, schema, empty, places)
        if fault is None or time.monotonic() > end:
            break
        await asyncio.sleep(_POLL_S)
        await session.registry.refresh()
    evidence.keep([fault] if fault else [])
    for index, remark in _differences(binding, empty):
        place = places.param(binding.name, index)
        evidence.remark("exists", f"{remark} (line {place.line})" if place else remark)


def _fault(
    binding: Binding, schema: Mapping[str, Any], empty: EmptyFields, places: Places
) -> Fault | None:
    """Return the fault of a call that the manifest allows, and that the form refuses."""
    name = binding.name
    missing = next(missing_fields(binding, schema), None)
    if missing is not None:
        index, what = missing
        return Fault(
            "arguments",
            f"the manifest declares {what}, and the form of `{name}` does not have "
            "that - it refuses such a call - write the same into both",
            "",
            places.param(name, index),
            binding.signature(),
            binding.params[index].name,
        )
    # The person who sends the form fills in the rest.
    if binding.attended:
        return None
    for index, param in enumerate(binding.params):
        if param.name in empty.needed and _is_optional(param):
            return Fault(
                "arguments",
                f"`{param.name}` of `{name}` may be left out, as it is declared, and its form is not "
                "sent without it - agents leave it out, and the browser refuses the call - write "
                f"`required`, or take `required` out of the field `{param.name}`",
                "",
                places.param(name, index),
                binding.signature(),
                param.name,
            )
    declared = {param.name for param in binding.params}
    for field in _properties(schema):
        if field in empty.needed and field not in declared:
            return Fault(
                "arguments",
                f"the form of `{name}` is not sent without its field `{field}`, which the manifest does "
                f"not declare - no agent can pass it - declare `{field}`, or take `required` out of "
                "the field",
                "",
                places.heading(name),
                binding.signature(),
                field,
            )
    return None


def _differences(binding: Binding, empty: EmptyFields) -> Iterator[tuple[int, str]]:
    """Yield each difference that makes no call fail: the index of its parameter, and a message."""
    for index, param in enumerate(binding.params):
        name = f"`{param.name}` of `{binding.name}`"
        if param.name in empty.spare and not _is_optional(param):
            yield (
                index,
                f"{name} is required in the manifest, and not in the form: agents that read the form "
                "leave it out - write the same into both",
            )
        if binding.attended and param.name in empty.needed and _is_optional(param):
            yield (
                index,
                f"{name} is required in the form, and not in the manifest: the person has to fill it "
                "in - write the same into both",
            )


def _is_optional(param: Param) -> bool:
    return not param.required or param.default is not None


def _form_schema(session: PageSession, binding: Binding) -> Mapping[str, Any]:
    """Return the schema of the fields of a form."""
    tools = session.registry.offers.tools
    return next((tool.input_schema for tool in tools if tool.target == binding.target), None) or {}


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = schema.get("properties")
    return fields if isinstance(fields, Mapping) else {}


def missing_fields(binding: Binding, schema: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield each declared field or choice that a form lacks: the index of its parameter, and its name.

    A form always refuses a field or a choice that it does not have. It refuses other values, such as
    a date in another format, with a message.

    Args:
        binding: The tool, declared in the manifest.
        schema: The schema of the form's fields.
    """
    fields = _properties(schema)
    declared = input_schema(binding.tool, types=binding.types).get("properties") or {}
    for index, param in enumerate(binding.params):
        name = param.name.removeprefix("...")
        if name not in fields:
            yield index, f"a field `{name}`"
            continue
        for value in named_values(declared.get(name)):
            if not _takes(fields[name], value):
                yield index, f"{js_value(value)} for `{name}`"


def _takes(field: Any, value: Any) -> bool:
    """Whether a field has a value: itself, as the text of a control, or in a list of several."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    schemas = (
        [field, field["items"]] if isinstance(field, Mapping) and "items" in field else [field]
    )
    return value is None or any(
        not check_schema(each, schema) for schema in schemas for each in (value, text)
    )
