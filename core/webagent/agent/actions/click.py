"""Actions of a mouse, and answers to the dialogs that an action opens.

The effect of a click is judged by the kind of the element.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from webagent.agent.actions.base import (
    ActionWithIntent,
    Context,
    PageAction,
    check_arguments,
    define,
)
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
from webagent.agent.run import Done
from webagent.errors import InvalidArguments
from webagent.llm.chat import ToolCall
from webagent.page.snapshot import Element, Snapshot
from webagent.registry.secrets import MASK
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
        element = element_of(snapshot, arguments["pp_id"])
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
            element = element_of(snapshot, arguments["pp_id"])
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


HOVER = PageAction(
    define(
        "hover",
        "Point at an element, to see what it shows then.",
        "pp_id",
        pp_id={"type": "integer"},
    ),
    "hover",
)


class Drag:
    """Drags an element onto another one, or by a distance."""

    definition = define(
        "drag",
        "Drag an element onto another one (to), or by pixels (by_x, by_y).",
        "pp_id",
        pp_id={"type": "integer"},
        to={"type": "integer"},
        by_x={"type": "number"},
        by_y={"type": "number"},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return an unknown effect, which the words of both elements raise."""
        snapshot = await context.page.snapshot()
        if ("to" in arguments) == bool({"by_x", "by_y"} & arguments.keys()):
            raise InvalidArguments(
                "it is not said where to drag it, or it is said twice",
                help="write `drag {pp_id, to}` or `drag {pp_id, by_x, by_y}`",
            )
        parts = [element_of(snapshot, arguments["pp_id"])]
        if "to" in arguments:
            parts.append(element_of(snapshot, arguments["to"]))
        names = [part.name for part in parts]
        effect = strongest("unknown", *map(effect_of_words, names))
        place, label = path_of(snapshot.url), " onto ".join(names)
        return Intent("drag", effect, arguments, place=place, label=label, kind="element")

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page drag it."""
        return await context.act({"type": "drag", **arguments})


_OPENERS = frozenset(("click", "click_link", "enter_data", "press_key", "drag", "upload", "search"))
"""Actions that are taken again to answer the dialog that they opened."""


class AnswerDialog:
    """Answers the dialog that the last action opened.

    A browser waits in a `confirm` or a `prompt` until it is answered, so the answer has to be there
    beforehand. The action is taken again with it, and it counts for this dialog, once.
    """

    definition = define(
        "answer_dialog",
        "Accept the `confirm` or `prompt` that was dismissed in the last action, which is taken "
        "again. With accept false, close a dialog of the page.",
        "accept",
        accept={"type": "boolean"},
        text={"type": "string", "maxLength": 1_000, "description": "For a prompt."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return the effect of the action that is taken again.

        A page asks with `confirm` before what cannot be taken back, so to accept is irreversible.
        """
        snapshot = await context.page.snapshot()
        place = path_of(snapshot.url)
        if not arguments["accept"]:
            return Intent("answer_dialog", "read", arguments, place=place)
        done, dialog = _dismissed(context)
        _check_answer(arguments, dialog)
        again, taken = _again(done, context)
        action = context.work.actions.get(done.call.name)
        intent = Intent(done.call.name)
        if isinstance(action, ActionWithIntent):
            intent = await action.intent(taken, again) or intent
        effect = strongest("write", intent.effect, effect_of_words(dialog["text"]))
        return Intent(
            "answer_dialog",
            "irreversible" if dialog["kind"] == "confirm" else effect,
            {**arguments, "dialog": dialog["text"], "action": done.call.name},
            place=place,
            label=dialog["text"],
            to=intent.to,
            sends=intent.sends,
        )

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Take the action again; `answered` is whether the page asked the same again."""
        if not arguments["accept"]:
            return await context.act({"type": "answer_dialog", "accept": False})
        done, dialog = _dismissed(context)
        again, taken = _again(done, context)
        answer = {"answer": arguments["text"]} if "text" in arguments else {}
        again.dialog = {"kind": dialog["kind"], "text": dialog["text"], "accept": True} | answer
        reply = await context.work.actions.get(done.call.name).perform(taken, again)
        if not isinstance(reply, Mapping):
            return reply
        answered = dialog | {"accepted": True} in _dialogs_of(reply)
        return {**reply, "answered": answered or reply.get("navigates") is True}


def _again(done: Done, context: Context) -> tuple[Context, Mapping[str, Any]]:
    """Return the context and the arguments of an action that is taken again."""
    call = ToolCall(context.call.id, done.call.name, dict(done.call.arguments))
    definition = context.work.actions.get(call.name).definition
    return replace(context, call=call, prepared=None), check_arguments(definition, call)


def _dismissed(context: Context) -> tuple[Done, dict[str, Any]]:
    """Return the last action that opened a dialog which was dismissed, and the dialog.

    Raises:
        InvalidArguments: The last action on the page opened none.
    """
    acted = [
        done
        for done in context.run.done()
        if done.call.name in _OPENERS or (done.call.name == "answer_dialog" and done.ok)
    ]
    done = acted[-1] if acted and acted[-1].call.name in _OPENERS else None
    asked = [d for d in _dialogs_of(done.value if done else None) if d["kind"] != "alert"]
    if done is None or not asked or done.url != context.scene.snapshot.url:
        raise InvalidArguments(
            "the last action on the page opened no dialog that can be answered",
            help="look at the page: a dialog of its own has buttons, which you `click`",
        )
    dialog = asked[-1]
    if dialog["accepted"]:
        raise InvalidArguments(
            f"the dialog `{dialog['text']}` was accepted already",
            help="look at the page: what it asked about has happened",
        )
    return done, dialog


def _check_answer(arguments: Mapping[str, Any], dialog: Mapping[str, Any]) -> None:
    if MASK in arguments.get("text", ""):
        raise InvalidArguments(
            "a secret is not entered into a prompt, whose words any script of the page may write",
            path="text",
            help="use a field of the page that takes the secret",
        )
    if (dialog["kind"] == "prompt") != ("text" in arguments):
        raise InvalidArguments(
            f"a `{dialog['kind']}` is answered {'with' if dialog['kind'] == 'prompt' else 'without'} a text",
            path="text",
            help="write `answer_dialog {accept}` for a `confirm`, with `text` for a `prompt`",
        )


def _dialogs_of(reply: Any) -> list[dict[str, Any]]:
    """Return the dialogs of a page's reply, which is not trusted."""
    listed = reply.get("dialogs") if isinstance(reply, Mapping) else None
    found: list[dict[str, Any]] = []
    for each in listed if isinstance(listed, list) else []:
        kind, text = (each.get("kind"), each.get("text")) if isinstance(each, Mapping) else ("", "")
        if kind in ("alert", "confirm", "prompt") and isinstance(text, str):
            found.append({"kind": kind, "text": text, "accepted": each.get("accepted") is True})
    return found


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


def element_of(snapshot: Snapshot, pp_id: int) -> Element:
    """Return the element of a number; one without a name if the snapshot does not show all.

    Raises:
        InvalidArguments: There is no such element.
    """
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
