"""Sample code for a tool of a form: a call with values that the form takes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from webagent.schema.tools import input_schema
from webagent.types import Tool

_VALUES = {
    "email": "ada@example.com",
    "tel": "+44 20 7946 0958",
    "url": "https://example.com/",
    "time": "18:30",
    "month": "2030-05",
    "week": "2030-W20",
    "color": "#336699",
    "password": "correct horse battery",
}
"""A value for a control of each type."""
_FORMATS = {"date": "date", "date-time": "datetime-local", "email": "email", "uri": "url"}
"""The type of the control that a format is for."""
_AHEAD = timedelta(days=30)


def with_sample(tool: Tool, form: Mapping[str, Any], title: str) -> Tool:
    """Return a tool with a call of it, where values can be found that the form takes.

    Args:
        tool: The tool.
        form: What was found of the form.
        title: That of the page, whose words a search may look for.
    """
    controls: dict[str, Mapping[str, Any]] = {}
    for control in form["controls"]:
        controls.setdefault(control["name"], control)
    properties = input_schema(tool).get("properties", {})
    values: list[Any] = []
    last = max((i for i, param in enumerate(tool.params, 1) if param.required), default=0)
    for param in tool.params[: last or 1]:
        schema, control = properties.get(param.name, {}), controls.get(param.name, {})
        value = _value(schema, control, title)
        if value is None:
            return tool
        # From one place to another, from one day to a later one.
        values.append(_another(value, schema) if value in values else value)
    arguments = ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
    member = f".{tool.name}" if re.fullmatch(r"[A-Za-z_$][\w$]*", tool.name) else None
    call = member or f"[{json.dumps(tool.name)}]"
    return tool.model_copy(update={"sample_code": f"await global{call}({arguments});"})


def _value(schema: Mapping[str, Any], control: Mapping[str, Any], title: str) -> Any:
    """Return a value that a control takes, None if that is unknown."""
    if choices := schema.get("enum"):
        return choices[0]
    kind = schema.get("type")
    if kind == "boolean":
        return True
    if kind == "array":
        choices = schema.get("items", {}).get("enum") or []
        return choices[:1]
    if kind in ("number", "integer"):
        return _number(control.get("value", ""), schema)
    return _text(schema, control, title)


def _another(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a value other than one that was taken already, if there is one."""
    choices = [choice for choice in schema.get("enum", ()) if choice != value]
    if choices:
        return choices[0]
    if schema.get("format") == "date":
        return f"{datetime.fromisoformat(value) + timedelta(days=2):%Y-%m-%d}"
    return value


def _number(written: str, schema: Mapping[str, Any]) -> float:
    try:
        number = float(written)
    except ValueError:
        number = float(schema.get("minimum", min(1, schema.get("maximum", 1))))
    return int(number) if number.is_integer() else number


def _text(schema: Mapping[str, Any], control: Mapping[str, Any], title: str) -> str | None:
    kind = control.get("type") or _FORMATS.get(schema.get("format", ""), "")
    if not kind or kind.startswith("select"):
        return None
    ahead = datetime.now(UTC) + _AHEAD
    if kind in ("date", "datetime-local"):
        return f"{ahead:%Y-%m-%d}" + ("T18:30" if kind == "datetime-local" else "")
    if kind == "search":
        text = next((word for word in re.findall(r"\w+", title) if len(word) > 3), "example")
    else:
        text = control.get("value") or control.get("placeholder") or _VALUES.get(kind, "")
    label = control.get("label", "")
    if control.get("autocomplete") == "name" or re.search(r"\bname\b", label, re.IGNORECASE):
        text = "Ada Lovelace"
    text = text or label or "example"
    pattern = schema.get("pattern")
    if pattern is None:
        return str(text)
    try:
        return next(
            (one for one in (text, _VALUES.get(kind, "")) if re.fullmatch(pattern, one)), None
        )
    except re.error:
        return None
