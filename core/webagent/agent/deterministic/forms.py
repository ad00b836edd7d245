"""A form of a page as a tool: its fields are slots, and what fills them is data to enter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.slots import slots_of

_FORMATS: Final[Mapping[str, str]] = {
    "email": "email",
    "url": "uri",
    "date": "date",
    "time": "time",
}
_MOST_FIELDS = 40
_SKIPPED: Final = frozenset({"hidden", "submit", "button", "reset", "image", "file"})


def form_in(value: Any, *, password: bool) -> dict[str, Any] | None:
    """Return the form to fill in: the one with the most fields, or one with a password.

    Args:
        value: What `form_details` gave.
        password: Whether it is the form to sign in with.
    """
    forms = value.get("forms") if isinstance(value, Mapping) else value
    found: list[dict[str, Any]] = []
    for form in forms[:20] if isinstance(forms, list) else []:
        fields = _fields(form)
        secret = any(field["type"] == "password" for field in fields)
        if fields and secret == password:
            found.append({"fields": fields})
    return max(found, key=lambda form: len(form["fields"]), default=None)


def _fields(form: Any) -> list[dict[str, Any]]:
    entries = form.get("fields") if isinstance(form, Mapping) else None
    found = []
    for field in entries[:_MOST_FIELDS] if isinstance(entries, list) else []:
        if not isinstance(field, Mapping) or not isinstance(field.get("pp_id"), int):
            continue
        kind = str(field.get("type") or "text")
        label = str(field.get("label") or field.get("placeholder") or field.get("name") or "")[:80]
        if kind in _SKIPPED or not label.strip():
            continue
        options = field.get("options")
        found.append(
            {
                "pp_id": field["pp_id"],
                "label": label.strip(" *:"),
                "type": kind,
                "required": field.get("required") is True and not field.get("value"),
                "options": [_option(o) for o in options[:100]] if isinstance(options, list) else [],
            }
        )
    return found


def _option(option: Any) -> str:
    return (
        str(option.get("text") or option.get("label") or "")
        if isinstance(option, Mapping)
        else str(option)
    )


def card_of_form(form: Mapping[str, Any]) -> Card:
    """Return a form as a tool, its fields by their labels."""
    properties: dict[str, Any] = {}
    needed = []
    for field in form["fields"]:
        schema: dict[str, Any] = {"type": "string"}
        if field["type"] == "checkbox":
            schema = {"type": "boolean"}
        elif field["type"] in ("number", "range"):
            schema = {"type": "number"}
        elif field["type"] in _FORMATS:
            schema["format"] = _FORMATS[field["type"]]
        if field["options"]:
            schema = {"type": "string", "enum": [o for o in field["options"] if o]}
        properties[field["label"]] = schema
        if field["required"]:
            needed.append(field["label"])
    schema = {"type": "object", "properties": properties, "required": needed}
    nothing: frozenset[str] = frozenset()
    return Card(
        "the form", "fill", nothing, (), nothing, nothing, slots_of(schema), nothing, (), "write", "",
        "", (), schema, nothing,
    )  # fmt: skip


def entries_of(
    form: Mapping[str, Any], values: Mapping[tuple[str, ...], Any]
) -> list[dict[str, Any]]:
    """Return what to enter: one entry for each field that has a value."""
    found: list[dict[str, Any]] = []
    for field in form["fields"]:
        value = values.get((field["label"],))
        if value is None:
            continue
        entry: dict[str, Any] = {"pp_id": field["pp_id"]}
        if isinstance(value, bool):
            entry["check"] = value
        elif field["options"]:
            entry["select"] = [str(value)]
        else:
            entry["text"] = str(value)
        found.append(entry)
    return found
