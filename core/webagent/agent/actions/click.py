"""Actions that click. The effect of a click is judged by the kind of the element."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.actions.forms import (
    SAVES_AT_ONCE,
    buttons_of,
    effect_of_submit,
    fields_for,
    forms_of,
    is_sent,
    plain,
    target_of,
    unseen_of,
)
from webagent.agent.effects import (
    Control,
    control_of_element,
    control_of_field,
    control_of_link,
    control_of_link_to_itself,
    control_of_script,
    effect_of_words,
    is_focused_by_click,
    strongest,
)
from webagent.agent.permissions import Intent
from webagent.errors import InvalidArguments
from webagent.page.snapshot import Element, Snapshot
from webagent.urls import absolute, origin_of, path_of

_FOCUSED = frozenset(
    ("textbox", "searchbox", "combobox", "date", "time", "datetime", "month", "week")
)
"""Roles of native fields that a click only focuses."""

_FIELDS = _FOCUSED | {
    *("checkbox", "radio", "listbox", "slider", "spinbutton", "switch", "color", "file")
}
"""Roles of fields (`isField` in `dom/read/aria_roles.ts`)."""


class Click:
    """Clicks an element."""

    definition = define(
        "click",
        "Click an element of the page.",
        "pp_id",
        pp_id={"type": "integer", "description": "Its number in the latest snapshot."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return the effect of the click, judged by the element and its form."""
        snapshot = await context.page.snapshot()
        element = _element(snapshot, arguments["pp_id"])
        if element.href:
            return _link_intent("click", arguments, element, context)
        control, to, sends = await _control(element, context)
        return Intent(
            "click",
            control.effect,
            arguments,
            place=path_of(snapshot.url),
            label=element.name,
            to=to,
            element=element,
            kind=control.kind,
            reason=SAVES_AT_ONCE if control.kind == "field" else "",
            sends=sends,
        )

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page click it."""
        return await context.act({"type": "click", **arguments})


class ClickLink:
    """Follows a link."""

    definition = define(
        "click_link",
        "Follow a link of the page, by its number or by its text.",
        pp_id={"type": "integer", "description": "Its number in the latest snapshot."},
        text={"type": "string", "description": "Its text."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return the effect of the link, and the origin that it leads to if it is another one."""
        snapshot = await context.page.snapshot()
        if ("pp_id" in arguments) == ("text" in arguments):
            raise InvalidArguments(
                "a link is named by its number or by its text, one of the two",
                help="write `click_link {pp_id}` or `click_link {text}`",
            )
        if "pp_id" in arguments:
            element = _element(snapshot, arguments["pp_id"])
            return _link_intent("click_link", arguments, element, context)
        text, place = arguments["text"], path_of(snapshot.url)
        links = [e for e in snapshot.elements if e.href or e.role == "link"]
        named = [e for e in links if _alike(e.name, text)]
        if named:
            found = [_link_intent("click_link", arguments, e, context) for e in named]
            worst = strongest(*(intent.effect for intent in found))
            return max(found, key=lambda intent: (bool(intent.to), intent.effect == worst))
        # The page may know a link of these words that was not read.
        effect = strongest("unknown", effect_of_words(text))
        return Intent("click_link", effect, arguments, place=place, label=text, kind="link")

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page follow it."""
        return await context.act({"type": "click_link", **arguments})


def _link_intent(
    action: str, arguments: Mapping[str, Any], element: Element, context: Context
) -> Intent:
    """Return the intent of following a link, judged by its words and its address."""
    here, href = context.scene.snapshot.url, element.href or ""
    url = absolute(here, href) if href else None
    to = ""
    if url is None:
        control = control_of_script(element)
    elif _stays(here, url, href):
        control = control_of_link_to_itself(element)
    else:
        origin = origin_of(url)
        to = "" if origin == context.run.origin else origin
        control = control_of_link(element, url[len(origin) :])
    return Intent(
        action,
        control.effect,
        arguments,
        place=path_of(here),
        label=element.name,
        to=to,
        element=element,
        kind=control.kind,
    )


async def _control(element: Element, context: Context) -> tuple[Control, str, dict[str, Any]]:
    """Return what a click on an element does, where it sends a form to, and what it sends unseen."""
    forms = await forms_of(context)
    for form in forms:
        for button in buttons_of(form):
            if button.get("pp_id") == element.id:
                effect = effect_of_submit(form, button)
                if element.role != "button":
                    effect = strongest(effect, "unknown")
                to, sends = target_of(form, context, button), unseen_of(form, button)
                return Control(effect, "form"), to, sends
    for form, field in fields_for(forms, {"pp_id": element.id}):
        if element.role in _FIELDS:
            if element.role in _FOCUSED and is_focused_by_click(field):
                return Control("read"), "", {}
            return control_of_field(field, element.role, in_form=is_sent(form)), "", {}
    return control_of_element(element), "", {}


def _stays(here: str, url: str, href: str) -> bool:
    """Whether a link leads to the page that it is on, and to no part of it."""
    return "#" not in href[:-1] and url.rstrip("#") == here.split("#", maxsplit=1)[0]


def _element(snapshot: Snapshot, pp_id: int) -> Element:
    element = snapshot.get(pp_id)
    if element is None and snapshot.truncated:
        return Element(pp_id, "", "")
    if element is None:
        raise InvalidArguments(
            f"there is no element {pp_id} on the page now",
            path="pp_id",
            help="take the number from the latest snapshot of the page",
        )
    return element


def _alike(name: str, text: str) -> bool:
    """Whether the page may take a link of this name for these words (`touch/name_match.ts`)."""
    return name.strip() == text.strip() or "" < plain(text) in plain(name)
