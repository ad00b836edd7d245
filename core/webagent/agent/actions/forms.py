"""The action `enter_data`, and the forms of a page: where they send data, and with what effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from unicodedata import normalize

from webagent.agent.actions.base import Context, define
from webagent.agent.actions.read import attachments
from webagent.agent.effects import (
    Control,
    control_of_field,
    effect_of_address,
    effect_of_path,
    effect_of_words,
    strongest,
)
from webagent.agent.permissions import Intent
from webagent.errors import InvalidArguments, OriginMismatch, ToolError
from webagent.page.snapshot import Element, Snapshot
from webagent.registry.secrets import MASK, is_secret
from webagent.types import Effect
from webagent.urls import absolute, origin_of, path_of

_SEARCHES = frozenset(("q", "s", "query", "search", "keyword", "keywords"))

SAVES_AT_ONCE = "saves_at_once"
"""Why filling in a field outside of a form is asked for."""

_SUBMITS = frozenset(("submit", "image"))
"""Types of the buttons that submit a form."""

Form = Mapping[str, Any]

Button = Mapping[str, Any]


async def forms_of(context: Context) -> Sequence[Form]:
    """Return the forms of the page now; empty if the page cannot list them."""
    try:
        found = await context.page.act({"type": "form_details", "complete": True})
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


def fields_for(
    forms: Sequence[Form], entry: Mapping[str, Any]
) -> list[tuple[Form, Mapping[str, Any]]]:
    """Return each field that the page may take for an entry of `form_data`, and its form.

    The page takes a field whose name is exactly what the entry says, else one of which it is a part.
    """
    all_fields = [(form, field) for form in forms for field in fields_of(form)]
    for matches in (_is_called, _may_mean):
        if found := [(form, field) for form, field in all_fields if matches(entry, field)]:
            return found
    return []


def _choices(field: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the choices of a field; each radio button of a group has a number of its own."""
    choices = field.get("options")
    if isinstance(choices, list):
        yield from (choice for choice in choices if isinstance(choice, Mapping))


def control_of_entry(
    entry: Mapping[str, Any], forms: Sequence[Form], snapshot: Snapshot
) -> Control:
    """Return what filling in an entry does; the worst, if it may mean several fields."""
    all_fields = [(form, field) for form in forms for field in fields_of(form)]
    controls = [
        control_of_field(field, _role_of(field, snapshot), in_form=is_sent(form))
        for form, field in fields_for(forms, entry) or all_fields
    ]
    known = controls or [control_of_field({}, "", in_form=False)]
    worst = strongest(*(control.effect for control in known))
    return next(control for control in known if control.effect == worst)


def _is_called(entry: Mapping[str, Any], field: Mapping[str, Any]) -> bool:
    """Whether a field has exactly the number or the name of an entry (`dom/touch/form_fields.ts`)."""
    if "pp_id" in entry:
        numbers = [field.get("pp_id"), *(choice.get("pp_id") for choice in _choices(field))]
        return entry["pp_id"] in numbers
    if "name" in entry:
        return entry["name"] in _names_of(field, "name")
    wanted = str(entry.get("label")).strip(_BLANK)
    return wanted in (name.strip(_BLANK) for name in _names_of(field, "label"))


_BLANK = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""The characters that `trim` of JavaScript removes."""


def _may_mean(entry: Mapping[str, Any], field: Mapping[str, Any]) -> bool:
    """Whether what an entry says is a part of a name of a field, or of one of its choices."""
    if "label" not in entry:
        return False
    wanted = plain(entry["label"])
    choices = [choice.get("text") for choice in _choices(field)]
    names = [*_names_of(field, "label"), field.get("description"), *choices]
    return not wanted or any(wanted in plain(text) for text in names)


def _names_of(field: Mapping[str, Any], key: str) -> list[str]:
    """Return the names by which the page finds a field for a `label` or a `name`."""
    found_by = field.get("found_by")
    known = found_by.get(key) if isinstance(found_by, Mapping) else None
    if not isinstance(known, list):
        known = [field.get(each) for each in ((key, "placeholder") if key == "label" else (key,))]
    # The label of radio buttons is that of their group.
    return [name for name in [*known, field.get(key)] if isinstance(name, str)]


def plain(text: Any) -> str:
    """Return a text without case, accents, spaces and punctuation (`dom/read/page_text.ts`)."""
    if not isinstance(text, str):
        return ""
    return "".join(c for c in normalize("NFKD", text).casefold() if c.isalnum())


def _role_of(field: Mapping[str, Any], snapshot: Snapshot) -> str:
    element = snapshot.get(field.get("pp_id"))
    return element.role if element else ""


def target_of(form: Form, context: Context, button: Button | None = None) -> str:
    """Return the other origin that a form sends to; empty for the page's own.

    Args:
        form: The form.
        context: The context, with the page's own origin.
        button: The button that is pressed, which may have its own target; None for any of them.
    """
    pressed = _pressed(form, button)
    actions = [b["action"] for b in pressed if "action" in b]
    if button is None or not actions:
        actions.append(form.get("action"))
    return next(filter(None, (_elsewhere(action, context) for action in actions)), "")


def effect_of_submit(form: Form, button: Button | None = None) -> Effect:
    """Return the effect of submitting a form; a search that is a plain GET only reads.

    The words of its buttons and of its address raise the effect.

    Args:
        form: The form.
        button: The button that is pressed; None for any of them.
    """
    pressed = _pressed(form, button)
    names = [str(b.get("text") or "") for b in pressed]
    parts: list[Mapping[str, Any]] = [form, *pressed]
    reads = is_search(form) and not any(
        part.get("method", "get") != "get" or part.get("scripted") is True for part in parts
    )
    # A button of another type works by a script.
    reads = reads and all(b.get("type") in _SUBMITS for b in pressed)
    targets = [path_of(str(part.get("action") or "")) for part in parts]
    base: Effect = "read" if reads else "write"
    of_target = effect_of_address if reads else effect_of_path
    sent = [f"{name}={value}" for each in pressed or [{}] for name, value in _sent(form, each)]
    found = (*map(effect_of_words, names), *map(of_target, targets), *map(effect_of_path, sent))
    return strongest(base, *found)


def unseen_of(form: Form, button: Button | None = None) -> dict[str, Any]:
    """Return the values that a GET form sends and the page does not show, by name.

    Args:
        form: The form.
        button: The button that is pressed; None for the one that Enter presses.
    """
    default = form.get("default_button")
    pressed = button or (default if isinstance(default, Mapping) else {})
    if pressed.get("method", form.get("method")) != "get":
        return {}
    found: dict[str, Any] = {}
    for name, value in _sent(form, pressed):
        found[name] = [*_listed(found[name]), value] if name in found else value
    return found


def _sent(form: Form, button: Button) -> Iterator[tuple[str, str]]:
    """Yield the names and values of hidden fields, and of the button that is pressed."""
    hidden = form.get("hidden")
    for each in [*(hidden if isinstance(hidden, list) else []), button.get("sends")]:
        if isinstance(each, Mapping):
            yield str(each.get("name")), str(each.get("value"))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _pressed(form: Form, button: Button | None) -> list[Button]:
    """Return the button that is pressed, or all that may be if it is not known which."""
    if button is not None:
        return [button]
    default = form.get("default_button")
    return [*buttons_of(form), *([default] if isinstance(default, Mapping) else [])]


def is_sent(form: Form) -> bool:
    """Whether its fields take effect when the form is sent.

    A form without a button that sends it may save at once, and so may fields without a form. A
    search only reads.
    """
    return is_search(form) or (form.get("pp_id") is not None and any(buttons_of(form)))


def is_search(form: Form) -> bool:
    """Whether a form is a search, judged by its method and fields; fields without a form are not."""
    if form.get("method") != "get":
        return False
    return any(
        field.get("type") == "search" or str(field.get("name") or "").lower() in _SEARCHES
        for field in fields_of(form)
    )


def is_secret_field(field: Mapping[str, Any]) -> bool:
    """Whether a field takes a secret."""
    texts = [field.get("type"), field.get("name"), field.get("label"), field.get("autocomplete")]
    return any(isinstance(text, str) and is_secret(text.strip(" *:")) for text in texts)


def site_search(forms: Sequence[Form]) -> Form | None:
    """Return the form that the action `search` fills in; None if it has to open one first."""
    for form in forms:
        if any(field.get("site_search") is True for field in fields_of(form)):
            return form
    return None


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
        """Return the effect of filling in the fields, and of submitting them."""
        entries = [_entry(entry, index) for index, entry in enumerate(arguments["form_data"])]
        snapshot = await context.page.snapshot()
        forms = await forms_of(context)
        meant: list[Form] = []
        element: Element | None = None
        for entry in entries:
            found = fields_for(forms, entry)
            names = [field for _, field in found] + [{"label": _called(entry, snapshot)}]
            if any(map(is_secret_field, names)):
                _learn(entry, context)
                _refuse_elsewhere([form for form, _ in found], context)
            # The page may know a field that was not read, so it may be in any form.
            meant += [form for form, _ in found] or forms
            number = entry.get("pp_id") or next((field.get("pp_id") for _, field in found), None)
            element = snapshot.get(number) if len(entries) == 1 else None
        controls = [control_of_entry(entry, forms, snapshot) for entry in entries]
        effect = strongest(*(control.effect for control in controls))
        to, label, kind = "", "", "field"
        sends: dict[str, Any] = {}
        if arguments["submit"]:
            # Fields outside of forms are submitted too, by the scripts that listen to them.
            submitted = strongest(*map(effect_of_submit, meant)) if meant else "write"
            effect = strongest(effect, submitted)
            to = next(filter(None, (target_of(form, context) for form in meant)), "")
            label = next(filter(None, (str(form.get("name") or "") for form in meant)), "")
            label, kind = label or snapshot.title, "form"
            for form in meant:
                sends |= unseen_of(form)
        else:
            called = dict.fromkeys(_called(entry, snapshot) for entry in entries)
            label = ", ".join(filter(None, called))
        return Intent(
            "enter_data",
            effect,
            arguments,
            place=path_of(snapshot.url),
            label=label,
            to=to,
            element=element,
            kind=kind,
            reason=SAVES_AT_ONCE if kind == "field" else "",
            sends=sends,
        )

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page fill in the fields; ask for files that were not given yet."""
        entries = []
        names = await self._names(arguments["form_data"], context)
        for entry, called in zip(arguments["form_data"], names, strict=True):
            if "text" in entry:
                text = await context.fill(entry["text"], called)
                secret = {"secret": True} if text != entry["text"] else {}
                entries.append({**entry, "text": text, **secret})
            elif "files" in entry:
                entries.append({**entry, "files": await attachments(entry["files"], context)})
            else:
                entries.append(entry)
        submit = arguments["submit"]
        return await context.act({"type": "enter_data", "form_data": entries, "submit": submit})

    async def _names(
        self, entries: Sequence[Mapping[str, Any]], context: Context
    ) -> list[tuple[str, ...]]:
        """Return the names of each entry's field, if there is a secret to fill in."""
        if not any(MASK in str(entry.get("text", "")) for entry in entries):
            return [("",)] * len(entries)
        snapshot, forms = await context.page.snapshot(), await forms_of(context)
        found = []
        for entry in entries:
            fields = [field for _, field in fields_for(forms, entry)]
            secret = ("password",) if any(map(is_secret_field, fields)) else ()
            found.append((_called(entry, snapshot), *secret))
        return found


class Upload:
    """Puts files of the person into a file field, or drops them where the page takes them."""

    definition = define(
        "upload",
        "Give files of the person to the page.",
        "pp_id files",
        pp_id={"type": "integer", "description": "The field, its button, or where to drop."},
        files={
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 300},
            "minItems": 1,
            "maxItems": 50,
            "description": "Their names.",
        },
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return the effect of filling in the field; a place of another kind may send at once."""
        snapshot, pp_id = await context.page.snapshot(), arguments["pp_id"]
        element = snapshot.get(pp_id)
        label = element.name if element else ""
        found = fields_for(await forms_of(context), {"pp_id": pp_id})
        known = [control_of_field(field, "file", in_form=is_sent(form)) for form, field in found]
        effect = strongest(*(each.effect for each in known)) if known else "unknown"
        return Intent(
            "upload",
            strongest(effect, "read" if known else effect_of_words(label)),
            arguments,
            place=path_of(snapshot.url),
            label=label,
            element=element,
            kind="field",
            reason="sends_at_once",
        )

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page take the files; ask for those that were not given yet."""
        files = await attachments(arguments["files"], context)
        return await context.act({"type": "upload", "pp_id": arguments["pp_id"], "files": files})


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


def _refuse_elsewhere(forms: Sequence[Form], context: Context) -> None:
    """Raise `OriginMismatch` for a form with a secret that sends it to another origin."""
    for form in forms:
        if to := target_of(form, context, next(buttons_of(form), {})):
            raise OriginMismatch(
                f"a secret would be sent to `{to}`, and the page is of `{context.run.origin}`",
                help="secrets are only entered where they stay on the origin of the page",
            )


def _learn(entry: Mapping[str, Any], context: Context) -> None:
    text = entry.get("text")
    if isinstance(text, str) and MASK not in text:
        context.registry.secrets.learn(text)
