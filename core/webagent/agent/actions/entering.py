"""Filling in fields, and submitting them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.actions.forms import (
    effect_of_submit,
    field_for,
    forms_of,
    is_secret_field,
    target_of,
)
from webagent.agent.actions.reading import obtain
from webagent.agent.effects import strongest
from webagent.agent.intent import Intent
from webagent.errors import InvalidArguments
from webagent.page.snapshot import Snapshot
from webagent.types import Effect

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
        effect: Effect = "write" if arguments["submit"] else "read"
        to, label = "", ""
        for entry in entries:
            for form in forms:
                field = field_for(form, entry)
                if field is None:
                    continue
                if is_secret_field(field):
                    _learn(entry, context)
                if arguments["submit"]:
                    to = to or target_of(form, context)
                    effect = strongest(effect, effect_of_submit(form))
                    label = label or str(form.get("name") or form.get("title") or "")
            if is_secret_field({"label": _called(entry, snapshot)}):
                _learn(entry, context)
        return Intent("enter_data", effect, arguments, label=label or snapshot.url, to=to)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Have the page fill in the fields; files are asked for when they were not given yet."""
        entries = []
        for entry in arguments["form_data"]:
            if "files" in entry:
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
    context.registry.secrets.learn_arguments({"password": entry.get("text")})
