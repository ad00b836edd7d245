"""The action `enter_data`, and the forms of a page: where they send data, and with what effect."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.actions.read import obtain
from webagent.agent.effects import effect_of_words, strongest
from webagent.agent.permissions import Intent
from webagent.agent.redact import fill_secret
from webagent.errors import InvalidArguments, ToolError
from webagent.page.snapshot import Element, Snapshot
from webagent.registry.secrets import MASK, is_secret
from webagent.types import Effect
from webagent.urls import absolute, origin_of, path_of

_SEARCHES = frozenset(("q", "s", "query", "search", "keyword", "keywords"))

_SUBMITS = frozenset(("submit", "image"))
"""Types of the buttons that submit a form."""

Form = Mapping[str, Any]

Button = Mapping[str, Any]


async def forms_of(context: Context) -> Sequence[Form]:
    """Return the forms of the page now; empty if the page cannot list them."""
    try:
        found = await context.page.act({"type": "form_details"})
    except ToolError:
        return ()
    return [form for form in found if isinstance(form, Mapping)] if isinstance(found, list) else ()


def fields_of(form: Form) -> Iterator[Mapping[str, Any]]:
    """Yield the fields of a form."""
    fields = form.get("fields")
    if isinstance(fields, list):
        yield from (field for field in fields if isinstance(field, Mapping))


def buttons_of(form: Form) -> Iterator[Button]:
    """Yield the buttons that submit a form."""
    buttons = form.get("buttons")
    if isinstance(buttons, list):
        known = (button for button in buttons if isinstance(button, Mapping))
        yield from (button for button in known if button.get("type") in _SUBMITS)


def field_for(form: Form, entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the field of a form that an entry of `form_data` names."""
    for key in ("pp_id", "name", "label"):
        wanted = entry.get(key)
        if wanted is None:
            continue
        for field in fields_of(form):
            texts = [field.get(key)]
            if key == "label":
                texts += [field.get("placeholder"), field.get("description")]
            if any(_same(wanted, text) for text in texts):
                return field
    return None


def target_of(form: Form, context: Context, button: Button | None = None) -> str:
    """Return the other origin that a form sends to; empty for the page's own.

    Args:
        form: The form.
        context: The context, with the page's own origin.
        button: The button that is pressed, which may have its own target; None for any of them.
    """
    pressed = [*buttons_of(form)] if button is None else [button]
    actions = [b["action"] for b in pressed if "action" in b]
    if button is None or not actions:
        actions.append(form.get("action"))
    return next(filter(None, (_elsewhere(action, context) for action in actions)), "")


def effect_of_submit(form: Form, button: Button | None = None) -> Effect:
    """Return the effect of submitting a form, judged by its buttons; a search only reads.

    Args:
        form: The form.
        button: The button that is pressed; None for any of them.
    """
    pressed = [*buttons_of(form)] if button is None else [button]
    names = [str(b.get("text") or "") for b in pressed]
    reads = is_search(form) and all(b.get("method") != "post" for b in pressed)
    return strongest("read" if reads else "write", *map(effect_of_words, names))


def is_search(form: Form) -> bool:
    """Whether a form is a search, judged by its method and fields."""
    if form.get("method") == "post":
        return False
    return any(
        field.get("type") == "search" or str(field.get("name") or "").lower() in _SEARCHES
        for field in fields_of(form)
    )


def is_secret_field(field: Mapping[str, Any]) -> bool:
    """Whether a field takes a secret."""
    texts = [field.get("type"), field.get("name"), field.get("label"), field.get("autocomplete")]
    return any(isinstance(text, str) and is_secret(text.strip(" *:")) for text in texts)


async def search_target(context: Context) -> str:
    """Return the other origin that the page's search form sends to; empty for the page's own."""
    for form in await forms_of(context):
        if is_search(form):
            return target_of(form, context)
    return ""


def _elsewhere(action: Any, context: Context) -> str:
    if not isinstance(action, str) or not action:
        return ""
    url = absolute(context.scene.snapshot.url, action)
    origin = origin_of(url) if url else action[:100]
    return "" if origin == context.run.origin else origin


def _same(wanted: Any, text: Any) -> bool:
    if isinstance(wanted, str) and isinstance(text, str):
        return wanted.strip(" *:").casefold() == text.strip(" *:").casefold()
    return bool(wanted == text)


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
    """Fills in fields of the page, and submits them if `submit` is true."""

    definition = define(
        "enter_data",
        "Fill in fields: each entry names one field (pp_id, label or name) and what goes into it "
        "(text, select, index, check or files). Submits the form if submit is true.",
        "form_data submit",
        form_data={"type": "array", "minItems": 1, "maxItems": 200, "items": _ENTRY},
        submit={"type": "boolean"},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return the effect of submitting, and its target; filling in alone is a read."""
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
            # The page may find a field by part of its label, so it may be in any form.
            meant += [form for form, _ in found] or forms
            number = entry.get("pp_id") or next((field.get("pp_id") for _, field in found), None)
            element = snapshot.get(number) if len(entries) == 1 else None
        effect: Effect = "read"
        to, label = "", ""
        if arguments["submit"]:
            # Fields outside of forms are submitted too, by the scripts that listen to them.
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
        """Let the page fill in the fields; ask for files that were not given yet."""
        entries = []
        names = await self._names(arguments["form_data"], context)
        for entry, called in zip(arguments["form_data"], names, strict=True):
            if "text" in entry:
                text = fill_secret(entry["text"], called, context.work.secret)
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
        """Return the names of each entry's field, if there is a secret to fill in."""
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
            f"`{path}` has {len(what)} values to enter",
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
