"""Filling in a form with what the goal says, and sending it when the goal says so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webagent.errors import ToolError
from webagent_dev.agents.goal_api.actor import Actor, in_words
from webagent_dev.agents.goal_api.form_values import fields_of, filling_of, wants_submit
from webagent_dev.protocols.browsy.answer import Answer, send
from webagent_dev.protocols.browsy.seen import look, refuse_walls
from webagent_dev.protocols.browsy.steps import Step, Tell, Unable

_MOST_SHOWN = 12
_ELEMENT = re.compile(r"\[\d+\] ")


async def fill(actor: Actor, goal: str, tell: Tell) -> dict[str, Any]:
    """Fill the form in that the goal means; return the page after that, and what was filled in.

    Raises:
        Unable: There is no form, no such field, or nothing to fill in.
    """
    found = await actor.act({"type": "form_details"})
    forms = [form for form in found if isinstance(form, Mapping)] if isinstance(found, list) else []
    filling = filling_of(goal, forms)
    if filling is None:
        raise Unable("No form found - the page has no fields to fill in - name the page that has")
    shown = [_name(field) for field in fields_of(filling.form)][:_MOST_SHOWN]
    there = f"the form has {', '.join(f'`{name}`' for name in shown)}"
    if filling.unknown:
        raise Unable(f"Element not found: `{filling.unknown[0]}` is no field - {there}")
    if not filling.entries:
        raise Unable(f"Element not found: the goal names no field of the form - {there}")
    submit = wants_submit(goal)
    names = {field["pp_id"]: _name(field) for field in fields_of(filling.form)}
    filled = [names[entry["pp_id"]] for entry in filling.entries]
    await tell(Step("fill", f"Filling in {', '.join(filled)}", ", ".join(filled)))
    entries = list(filling.entries)
    action = {"type": "enter_data", "form_data": entries, "submit": submit}
    try:
        answer = await send(actor, action) if submit else Answer.read(await actor.act(action))
    except ToolError as error:
        raise Unable(f"The form could not be filled in: {in_words(error)}") from None
    seen = await look(actor)
    refuse_walls(seen)
    if submit:
        await tell(Step("fill", f"Form submitted: {seen.title}", seen.snapshot.url, seen.page_type))
    lines = (*answer.alerts, *(answer.appeared if submit else ()))
    messages = [line.lstrip("# ") for line in lines if not _ELEMENT.match(line)]
    return {**seen.to_dict(), "filled": filled, "submitted": submit, "messages": messages}


def _name(field: Mapping[str, Any]) -> str:
    return str(field.get("label") or field.get("name") or field.get("type") or "field")
