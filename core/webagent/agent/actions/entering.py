"""Filling in fields, and submitting them."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.actions.forms import (
    Form,
    effect_of_submit,
    field_for,
    forms_of,
    is_secret_field,
    target_of,
)
from webagent.agent.actions.read import obtain
from webagent.agent.effects import strongest
from webagent.agent.intent import Intent
from webagent.agent.placeholder import fill_in
from webagent.errors import InvalidArguments
from webagent.page.snapshot import Element, Snapshot
from webagent.registry.secrets import MASK
from webagent.types import Effect
from webagent.urls import path_of

_WHERE = ("pp_id", "label", "name")
_WHAT = ("text", "select", "index", "check", "files")

_ENTRY = {
    "type": "object",
    "properties": {
        "pp_id": {"type": "integer", "description": "Number of the field."},
        "label": {"type": "string", "description": "Its label, or what it shows when empty."},
        "name": {"type": "string", "description": "Its name in the form."},
        "text": {"type": "string", "description": "What to write into it."},
        "select": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Which of its choices to select, by text or value.",
        },
        "index": {"type": "integer", "minimum": 0, "description": "Which choice, from 0."},
        "check": {"type": "boolean", "description": "Whether it is to be checked."},
        "files": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Names of files that the person gives.",
        },
    },
    "additionalProperties": False,
}


class EnterData:
    """Fills in fields of the page, and submits them if it is to."""

    definition = define(
        "enter_data",
        "Fill in fields: each entry names one field (pp_id, label or name) and what goes into it "
        "(text, select, index, check or files). Submits the form if submit is true.",
        "form_data submit",
        form_data={"type": "array", "minItems": 1, "maxItems": 200, "items": _ENTRY},
        submit={"type": "boolean"},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Say what is submitted, and to whom; entering alone changes nothing."""
        entries = [_entry(entry, index) for index, entry in enumerate(arguments["form_data"])]
        snapshot = await context.page.snapshot()
        forms = await forms_of(context)
        meant: list[Form] = []
        element: Element | None = None
        for entry in entries:
            found = [(form, field) for form in forms if (field := field_for(form, entry))]
            names = [field for _, field in found] + [{"label": _called(entry, snapshot)}]
            if any(map(is_secret_field, names)):
                _learn(entry, context)
            # The page may find a field by part of its label: then it may be in any form.
            meant += [form for form, _ in found] or forms
            number = entry.get("pp_id") or next((field.get("pp_id") for _, field in found), None)
            element = snapshot.get(number) if len(entries) == 1 else None
        effect: Effect = "read"
        to, label = "", ""
        if arguments["submit"]:
            # Fields that are in no form are submitted all the same, by whatever listens to them.
            effect = strongest(*map(effect_of_submit, meant)) if meant else "write"
            to = next(filter(None, (target_of(form, context) for form in meant)), "")
            label = next(filter(None, (str(form.get("name") or "") for form in meant)), "")
        place = path_of(snapshot.url)
        return Intent(
            "enter_data",
            effect,
            arguments,
            place=place,
            label=label or snapshot.title,
            to=to,
            element=element,
        )

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Have the page fill in the fields; files are asked for when they were not given yet."""
        entries = []
        names = await self._names(arguments["form_data"], context)
        for entry, called in zip(arguments["form_data"], names, strict=True):
            if "text" in entry:
                text = fill_in(entry["text"], called, context.work.secret)
                entries.append({**entry, "text": text})
            elif "files" in entry:
                files = [await obtain(name, context) for name in entry["files"]]
                data = [
                    {"name": f.name, "type": f.type, "data": base64.b64encode(f.data).decode()}
                    for f in files
                ]
                entries.append({**entry, "files": data})
            else:
                entries.append(entry)
        submit = arguments["submit"]
        return await context.act({"type": "enter_data", "form_data": entries, "submit": submit})

    async def _names(
        self, entries: Sequence[Mapping[str, Any]], context: Context
    ) -> list[tuple[str, ...]]:
        """Return what the field of each entry is called, if a secret has to be filled in."""
        if not any(entry.get("text") == MASK for entry in entries):
            return [("",)] * len(entries)
        snapshot, forms = await context.page.snapshot(), await forms_of(context)
        found = []
        for entry in entries:
            fields = [field for form in forms if (field := field_for(form, entry))]
            secret = ("password",) if any(map(is_secret_field, fields)) else ()
            found.append((_called(entry, snapshot), *secret))
        return found


def _entry(entry: Mapping[str, Any], index: int) -> Mapping[str, Any]:
    where = [key for key in _WHERE if key in entry]
    what = [key for key in _WHAT if key in entry]
    path = f"form_data[{index}]"
    if len(where) != 1:
        raise InvalidArguments(
            f"`{path}` names its field in {len(where)} ways",
            path=path,
            help="write one of `pp_id`, `label` and `name`",
        )
    if len(what) != 1:
        raise InvalidArguments(
            f"`{path}` says {len(what)} things to enter",
            path=path,
            help="write one of `text`, `select`, `index`, `check` and `files`",
        )
    return entry


def _called(entry: Mapping[str, Any], snapshot: Snapshot) -> str:
    if "pp_id" in entry:
        element = snapshot.get(entry["pp_id"])
        return element.name if element else ""
    return str(entry.get("label") or entry.get("name") or "")


def _learn(entry: Mapping[str, Any], context: Context) -> None:
    text = entry.get("text")
    if text != MASK:
        context.registry.secrets.learn_arguments({"password": text})
