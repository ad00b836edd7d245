"""The action `press_key`. The effect of a key is judged by the element that it is for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.actions.click import Click, element_of
from webagent.agent.actions.forms import (
    SAVES_AT_ONCE,
    effect_of_submit,
    fields_for,
    forms_of,
    is_sent,
    target_of,
    unseen_of,
)
from webagent.agent.effects import control_of_field, effect_of_words, strongest
from webagent.agent.permissions import Intent
from webagent.errors import InvalidArguments
from webagent.page.snapshot import Element, Snapshot
from webagent.urls import path_of

_KEY = re.compile(
    r"((?:(?:Control|Alt|Shift|Meta)\+)*)"
    r"(Enter|Escape|Tab|Space|Backspace|Delete|Insert|Home|End|Page(?:Up|Down)|ContextMenu"
    r"|Arrow(?:Left|Up|Right|Down)|F(?:[1-9]|1[0-2])|[^\x00-\x1f\x7f•])",
)
"""A key with its modifiers (`keyOf` in `dom/touch/input_events.ts`)."""

_LEAVING = frozenset(("Escape", "Tab"))
"""Keys that close what is open, or move the focus."""

_MOVING = frozenset(
    ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "Home", "End", "PageUp", "PageDown")
)
"""Keys that move the cursor or scroll."""

_CHOSEN_BY_ARROWS = frozenset(
    (
        "combobox",
        "listbox",
        "radio",
        "slider",
        "spinbutton",
        "menuitemradio",
        "date",
        "time",
        "datetime",
        "month",
        "week",
    )
)
"""Roles of fields whose value these keys change."""

_EDITED = frozenset(("textbox", "searchbox", "combobox", "spinbutton"))
"""Roles of fields that text is written into."""

_ERASING: Mapping[str, str] = {"Delete": "delete", "Backspace": "delete"}
"""Keys in the words of what they do to something that is not a text."""


class PressKey:
    """Presses a key on an element, or on the page."""

    definition = define(
        "press_key",
        "Press one key, such as `Enter`, `ArrowDown` or `Control+s`, on an element or on what has "
        "the focus.",
        "key",
        key={"type": "string", "minLength": 1, "maxLength": 40},
        pp_id={"type": "integer"},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return what the key does to the element: Enter sends a form, others edit or choose."""
        match = _KEY.fullmatch(arguments["key"])
        if match is None:
            raise InvalidArguments(
                f"there is no key `{arguments['key']}`",
                path="key",
                help="write one character or a name such as `Enter`, with `Control+` before it if "
                "that is pressed too; texts and secrets are entered with `enter_data`",
            )
        snapshot = await context.page.snapshot()
        element = _target(arguments, snapshot)
        context.focused = element.id if element else None
        intent = await _judged(match[1], match[2], element, snapshot, context)
        label = f"{arguments['key']} on {intent.label}" if intent.label else arguments["key"]
        return replace(intent, action="press_key", arguments=arguments, label=label)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page press it on the element that was judged."""
        target = {} if context.focused is None else {"pp_id": context.focused}
        return await context.act({"type": "press_key", "key": arguments["key"], **target})


def _target(arguments: Mapping[str, Any], snapshot: Snapshot) -> Element | None:
    """Return the element that a key is for: the named one, or the innermost with the focus."""
    if "pp_id" in arguments:
        return element_of(snapshot, arguments["pp_id"])
    return next((e for e in reversed(snapshot.elements) if "focused" in e.states), None)


async def _judged(
    modifiers: str, key: str, element: Element | None, snapshot: Snapshot, context: Context
) -> Intent:
    """Return the intent of a key on an element, its label without the key."""
    place = path_of(snapshot.url)
    plain = modifiers in ("", "Shift+")
    if key in _LEAVING and plain:
        return Intent("press_key", "read", place=place)
    unknown = strongest("unknown", effect_of_words(_ERASING.get(key, key)))
    if element is None:
        effect = "read" if key in _MOVING and plain else unknown
        return Intent("press_key", effect, place=place)
    found = fields_for(await forms_of(context), {"pp_id": element.id})
    if not found:
        if key in ("Enter", "Space", " "):
            pressed = await Click().intent({"pp_id": element.id}, context)
            effect = strongest(pressed.effect, unknown) if modifiers else pressed.effect
            return replace(pressed, effect=effect)
        moves = key in _MOVING and plain and element.role not in _CHOSEN_BY_ARROWS
        effect = "read" if moves else strongest(unknown, effect_of_words(element.name))
        return Intent("press_key", effect, place=place, label=element.name)
    form, field = found[0]
    typed = field.get("type")
    if key == "Enter":
        effect = effect_of_submit(form)
        if modifiers or typed in ("textarea", "textbox") or field.get("scripted") is True:
            effect = strongest(effect, "unknown")
        return Intent(
            "press_key",
            effect,
            place=place,
            label=str(form.get("name") or "") or element.name,
            to=target_of(form, context),
            kind="form",
            sends=unseen_of(form),
        )
    control = control_of_field(field, element.role, in_form=is_sent(form))
    edits = element.role in _EDITED and (key in _ERASING or len(key) == 1 or key == "Space")
    chooses = element.role in _CHOSEN_BY_ARROWS and key in _MOVING
    if key in ("Space", " ") and not edits:
        return await Click().intent({"pp_id": element.id}, context)
    effect = control.effect
    if key in _MOVING and plain and not chooses:
        effect = "read"
    elif not plain or not (edits or chooses):
        effect = strongest(effect, unknown)
    return Intent(
        "press_key",
        effect,
        place=place,
        label=element.name,
        element=element,
        kind="field",
        reason=SAVES_AT_ONCE,
    )
