"""What a form takes, as a person would write it down."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_HINT = re.compile(r"\s*\(?Dates MUST be provided in 'YYYY-MM-DD' format\.\)?")
_FORMS = {
    "date": "YYYY-MM-DD",
    "time": "HH:MM",
    "datetime-local": "YYYY-MM-DDTHH:MM",
    "month": "YYYY-MM",
    "week": "YYYY-Www",
    "color": "#rrggbb",
}
"""How a person writes what a control of this type holds."""


def tidy(schema: Mapping[str, Any], form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a form's tool without what only programs say.

    Choices are listed once and without the one that means none; dates, times and bounds are told in
    words too.

    Args:
        schema: As the platform writes it.
        form: What was found of the form.
    """
    listed = schema.get("properties")
    controls: dict[str, list[Mapping[str, Any]]] = {}
    for control in form["controls"]:
        controls.setdefault(control["name"], []).append(control)
    properties = {
        name: _property(one, controls.get(name, []))
        for name, one in (listed if isinstance(listed, Mapping) else {}).items()
        if isinstance(one, Mapping)
    }
    given = schema.get("required")
    required = [name for name in (given if isinstance(given, list) else ()) if name in properties]
    tidied: dict[str, Any] = {"type": "object", "properties": properties}
    return {**tidied, "required": required} if required else tidied


def _property(given: Mapping[str, Any], controls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    control = controls[0] if controls else {}
    schema = {key: value for key, value in given.items() if key not in ("anyOf", "description")}
    titles = _titles(given)
    items = given.get("items")
    if isinstance(items, Mapping):
        titles = _titles(items)
        schema["items"] = {key: value for key, value in items.items() if key != "anyOf"}
    elif len(values := schema.get("enum", [])) > 1 and values[0] == "":
        schema["enum"] = values[1:]
        titles.pop("", None)
    if schema.get("multipleOf") == 1:
        del schema["multipleOf"]
        schema["type"] = "integer"
    if str(schema.get("format", "")).startswith("^"):
        schema["pattern"] = schema.pop("format")
    label = " ".join(_HINT.sub("", str(given.get("description", ""))).split()) or _label(controls)
    description = ", ".join(text for text in (label, _written(control, schema)) if text)
    if told := _choices(titles):
        description = f"{description.rstrip('.:')}: {told}" if description else told
    if description:
        schema["description"] = description
    return schema


def _label(controls: Sequence[Mapping[str, Any]]) -> str:
    """Return what a group of controls, or one without a label, is called."""
    if not controls:
        return ""
    if len(controls) > 1:
        groups = {str(control["group"]) for control in controls}
        return groups.pop() if len(groups) == 1 else ""
    return str(controls[0]["label"] or controls[0]["placeholder"])


def _written(control: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if form := _FORMS.get(control.get("type", "")):
        return f"as `{form}`"
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f"{least:g} to {most:g}"
    if least is not None:
        return f"at least {least:g}"
    return f"at most {most:g}" if most is not None else ""


def _titles(schema: Mapping[str, Any]) -> dict[str, str]:
    choices = schema.get("anyOf")
    return {
        str(choice["const"]): " ".join(str(choice.get("title", "")).split())
        for choice in (choices if isinstance(choices, list) else ())
        if isinstance(choice, Mapping) and "const" in choice
    }


def _choices(titles: Mapping[str, str]) -> str:
    """Return what choices mean, where their values do not say it."""
    told = {value: title for value, title in titles.items() if title and not _tells(value, title)}
    if not told or len(titles) > 30:
        return ""
    return "; ".join(f"`{value}` {title}" for value, title in titles.items())


def _tells(value: str, title: str) -> bool:
    """Whether a value says what its title does: `family` and `Family room`."""
    plain, shown = (re.sub(r"[\W_]+", "", text).casefold() for text in (value, title))
    return bool(plain) and (plain in shown or shown in plain)
