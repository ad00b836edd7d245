"""The forms of a page: where they send what is entered, and what their buttons say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from webagent.agent.actions.base import Context
from webagent.agent.effects import effect_of_words, strongest
from webagent.errors import ToolError
from webagent.origins import origin_of
from webagent.registry.secrets import is_secret
from webagent.types import Effect
from webagent.urls import absolute

_SEARCHES = frozenset(("q", "s", "query", "search", "keyword", "keywords"))
_SUBMITS = frozenset(("submit", "image"))
"""Types of the buttons that submit a form."""

Form = Mapping[str, Any]
Button = Mapping[str, Any]


async def forms_of(context: Context) -> Sequence[Form]:
    """Return the forms of the page as it is now; none if it cannot say."""
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
    """Return the field of a form that an entry of `form_data` means."""
    for key in ("pp_id", "name", "label"):
        wanted = entry.get(key)
        if wanted is None:
            continue
        for field in fields_of(form):
            told = [field.get(key)]
            if key == "label":
                told += [field.get("placeholder"), field.get("description")]
            if any(_same(wanted, text) for text in told):
                return field
    return None


def target_of(form: Form, context: Context, button: Button | None = None) -> str:
    """Return the other origin that a form sends to; empty if it is the page's own.

    Args:
        form: The form; a button of it may send it elsewhere.
        context: With the page's own origin.
        button: The one that is pressed; without one, any of them may be.
    """
    pressed = [*buttons_of(form)] if button is None else [button]
    actions = [b["action"] for b in pressed if "action" in b]
    if button is None or not actions:
        actions.append(form.get("action"))
    return next(filter(None, (_elsewhere(action, context) for action in actions)), "")


def effect_of_submit(form: Form, button: Button | None = None) -> Effect:
    """Return what submitting a form does, by its buttons' words; a search only reads.

    Args:
        form: The form.
        button: The one that is pressed; without one, any of them may be.
    """
    pressed = [*buttons_of(form)] if button is None else [button]
    names = [str(b.get("text") or "") for b in pressed]
    reads = is_search(form) and all(b.get("method") != "post" for b in pressed)
    return strongest("read" if reads else "write", *map(effect_of_words, names))


def is_search(form: Form) -> bool:
    """Whether a form asks for nothing but words to look for, as far as its fields tell."""
    if form.get("method") == "post":
        return False
    return any(
        field.get("type") == "search" or str(field.get("name") or "").lower() in _SEARCHES
        for field in fields_of(form)
    )


def is_secret_field(field: Mapping[str, Any]) -> bool:
    """Whether what is entered into a field is a secret."""
    texts = [field.get("type"), field.get("name"), field.get("label"), field.get("autocomplete")]
    return any(isinstance(text, str) and is_secret(text.strip(" *:")) for text in texts)


async def search_target(context: Context) -> str:
    """Return the other origin that the page's search form sends to; empty if it is its own."""
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


def _same(wanted: Any, told: Any) -> bool:
    if isinstance(wanted, str) and isinstance(told, str):
        return wanted.strip(" *:").casefold() == told.strip(" *:").casefold()
    return bool(wanted == told)
