"""A form of a page as a tool: its fields are parameters, and what fills them is data to enter."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Filled, fill
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords, tool_words
from webagent.agent.deterministic.pages.intents import Part
from webagent.agent.deterministic.replies import given_by
from webagent.page.offers import Target
from webagent.registry.binding import Binding
from webagent.registry.secrets import MASK, is_secret
from webagent.speech import say
from webagent.types import Tool

_FORMATS: Final[Mapping[str, str]] = {
    "email": "email", "url": "uri", "date": "date", "time": "time", "datetime-local": "date-time", "tel": "phone",
}  # fmt: skip
_MOST_FIELDS: Final = 40
_LONGEST_GOAL: Final = 2_000
_FILLING: Final = re.compile(
    r"\b(?:fill(?:s|ed|ing)?(?: (?:in|out|up))?|pre-?fill"
    r"|(?:complete|do) (?:\w+ ){0,4}(?:form|fields?|questionnaire|survey)"
    r"|(?:füll\w*|ausfüll\w*|ausgefüllt|trag\w* .{0,60}\bein|eintragen)|rempli\w*"
    r"|(?:enter|put|type|write|insert|populate) (?:\S+ ){0,8}(?:form|fields?|box|boxes)"
    r"|compl[éèe]t\w* .{0,40}(?:formulaire|champs?)"
    r"|rellen\w*|complet\w* .{0,40}formulario|compil\w*|riempi\w*|preench\w*|vul\w* .{0,60}\bin|invul\w*"
    r"|fyll\w*|udfyld\w*|täyt\w*|wypełni\w*|vypln\w*|заполн\w*|doldur\w*)\b",
    re.IGNORECASE,
)
"""More languages than the planner reads: what this misses is sent."""
_SKIPPED: Final = frozenset({"hidden", "submit", "button", "reset", "image", "file"})


def form_in(value: Any, *, password: bool) -> list[dict[str, Any]]:
    """Return the fields of the form to fill in: the one with the most, or one with a password.

    Args:
        value: What `form_details` gave.
        password: Whether it is the form to sign in with.
    """
    forms = value.get("forms") if isinstance(value, Mapping) else value
    found = [_fields(form) for form in (forms[:20] if isinstance(forms, list) else [])]
    fitting = [
        fields
        for fields in found
        if fields and password == any(f["type"] == "password" for f in fields)
    ]
    # Who signs in wants the form with the fewest fields, not the one to register.
    return (min if password else max)(fitting, key=len, default=[])


def _fields(form: Any) -> list[dict[str, Any]]:
    entries = form.get("fields") if isinstance(form, Mapping) else None
    found: list[dict[str, Any]] = []
    for field in entries[:_MOST_FIELDS] if isinstance(entries, list) else []:
        if not isinstance(field, Mapping) or type(field.get("pp_id")) is not int:
            continue
        kind = str(field.get("type") or "text")[:40]
        label = str(field.get("label") or field.get("placeholder") or field.get("name") or "")[
            :80
        ].strip(" *:")
        if (
            kind in _SKIPPED
            or not label
            or field.get("disabled") is True
            or field.get("readonly") is True
        ):
            continue
        names = {entry["label"] for entry in found}
        options = field.get("options")
        found.append(
            {
                "pp_id": field["pp_id"],
                "label": label if label not in names else f"{label} {len(found) + 1}",
                "type": kind,
                "required": field.get("required") is True and not field.get("value"),
                "options": [_option(o) for o in options[:100]] if isinstance(options, list) else [],
                "about": str(field.get("description") or field.get("placeholder") or "")[:200],
            }
        )
    return found


def _option(option: Any) -> str:
    text = option.get("text") or option.get("label") if isinstance(option, Mapping) else option
    return str(text or "")[:120]


def filled_form(
    fields: Sequence[Mapping[str, Any]], sentence: Sentence, first: int, end: int
) -> Filled:
    """Return what a part of a text gives for the fields of a form, by their labels."""
    return fill(_tool(fields), sentence, first, end)


def _tool(fields: Sequence[Mapping[str, Any]]) -> ToolWords:
    properties = {field["label"]: _schema(field) for field in fields}
    needed = [field["label"] for field in fields if field["required"]]
    schema = {"type": "object", "properties": properties, "required": needed}
    tool = Tool(name="form", input_schema=schema)
    return tool_words(Binding(tool, Target("function", "form"), "form"))


def schema_of(
    fields: Sequence[Mapping[str, Any]], labels: Collection[str]
) -> dict[str, Any] | None:
    """Return the schema of the values of fields; None of a secret, which is asked for in words."""
    asked = [field for field in fields if field["label"] in labels]
    if any(map(is_hidden, asked)):
        return None
    properties = {field["label"]: _schema(field) | {"title": field["label"]} for field in asked}
    needed = [field["label"] for field in asked if field["required"]]
    title = say("ask_fields", fields=say("comma").join(properties))
    return {"type": "object", "title": title, "properties": properties, "required": needed}


def _schema(field: Mapping[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "description": field["about"]}
    if field["type"] == "checkbox":
        schema["type"] = "boolean"
    elif field["type"] in ("number", "range"):
        schema["type"] = "number"
    elif field["type"] in _FORMATS:
        schema["format"] = _FORMATS[field["type"]]
    if options := [option for option in field["options"] if option]:
        schema["enum"] = options
    return schema


def entries_of(
    fields: Sequence[Mapping[str, Any]], values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return what to enter: one entry for each field that has a value."""
    found: list[dict[str, Any]] = []
    for field in fields:
        value = values.get(field["label"])
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


def known_of(fields: Sequence[Mapping[str, Any]], filled: Filled) -> dict[str, Any]:
    """Return what is surely meant for a field: a secret only for one that takes secrets."""
    doubted = {fit.parameter.path[0] for fit in filled.unsure}
    doubted |= {fit.parameter.path[0] for fit in filled.fits if fit.poured}
    hidden = {field["label"] for field in fields if is_hidden(field)}
    return {
        label: value
        for label, value in filled.arguments().items()
        if label not in doubted and value is not None and (label in hidden) == (MASK in str(value))
    }


def asked_first(
    fields: Sequence[Mapping[str, Any]], labels: Collection[str], *, alone: bool
) -> list[str]:
    """Return which fields are asked for now: all that are no secrets, or else one secret."""
    missing = [field for field in fields if field["label"] in labels]
    plain = [field["label"] for field in missing if not is_hidden(field)]
    return plain[: 1 if alone else 5] or [field["label"] for field in missing[:1]]


def is_hidden(field: Mapping[str, Any]) -> bool:
    """Whether what a field takes is a secret."""
    return field["type"] == "password" or is_secret(field["label"])


def taken(
    fields: Sequence[Mapping[str, Any]], labels: Sequence[str], answer: str, sentence: Sentence
) -> dict[str, Any]:
    """Return what an answer gives for the fields that were asked for."""
    asked = [field for field in fields if field["label"] in labels]
    if len(asked) == 1 and is_hidden(asked[0]):
        # The driver has put a placeholder in its place; notes keep no secrets.
        return {asked[0]["label"]: answer if MASK in answer else MASK}
    given = given_by(_tool(asked), [[field["label"]] for field in asked], answer, sentence)
    return {label: value for (label,), value in given}


def only_fills_in(sentence: Sentence) -> bool:
    """Whether a goal wants something filled in and does not order to send it."""
    return _FILLING.search(sentence.text[:_LONGEST_GOAL]) is not None and not (
        Part(sentence, 0, len(sentence.tokens)).sends
    )
