"""Forms of a page as tools: their names, descriptions, effects and parameters."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webagent.agent.effects import effect_of_words, strongest
from webagent.modelcontext import from_json_schema
from webagent.types import Behavior, Effect, Tool
from webagent_dev.extract.naming import READING, is_doing, joined, phrase, tool_name, words_of
from webagent_dev.extract.page_scripts import FORMS, MARK
from webagent_dev.extract.sample_call import with_sample

if TYPE_CHECKING:
    from playwright.async_api import Page


_LONGEST_TAG = 300
_MOST_CHOICES = 500
_TOKEN = re.compile(r"csrf|xsrf|token|nonce|viewstate|eventvalidation", re.IGNORECASE)
"""Names of hidden controls whose values differ from form to form and from page to page."""


@dataclass(frozen=True, slots=True)
class NamedForm:
    """A form that had no name as a tool, and the one it was given."""

    name: str
    description: str
    tag: str
    """Its start tag as the page has it."""
    effect: Effect
    scripted: bool
    """Whether it looks as if a script of the page sends it."""
    controls: tuple[tuple[str, str], ...] = ()
    """The names given to controls that had none, and their start tags."""


@dataclass(slots=True)
class SiteForms:
    """The forms of a site; the same one has the same name on every page."""

    _names: dict[str, str] = field(default_factory=dict)
    """By the signature of the form."""
    _facts: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The data of each form, by its name as a tool."""
    repeated: dict[str, str] = field(default_factory=dict)
    """Start tags of forms that a page repeats for each of many things, by their common name."""

    async def mark(self, page: Page, about: str) -> None:
        """Make tools of the forms of an open page that are not tools yet.

        Args:
            page: The page.
            about: The heading of the page.
        """
        alike: dict[str, list[dict[str, Any]]] = {}
        for form in await page.evaluate(FORMS):
            if form["toolname"]:
                self._facts[form["toolname"]] = form
                continue
            form["added"] = _add_names(form)
            if form["controls"]:
                alike.setdefault(self._name(form, about), []).append(form)
        marks = []
        for name, forms in alike.items():
            form = forms[0]
            if any(_subject(one) != _subject(form) for one in forms):
                # One for each thing on the page: as one tool it would be about the first alone.
                self.repeated[name] = str(form["tag"])[:_LONGEST_TAG]
            if name in self.repeated:
                continue
            # The same one more than once, as in header and footer, is one tool.
            self._facts.setdefault(name, form)
            marks.append(
                {
                    "key": form["key"],
                    "name": name,
                    "description": form_description(form, name),
                    "controls": [given for given, _ in form["added"]],
                }
            )
        await page.evaluate(MARK, marks)

    def tool(self, name: str, schema: Mapping[str, Any] | None, title: str) -> Tool | None:
        """Return the tool of a form that was marked, None for any other.

        Args:
            name: Its name.
            schema: What the platform says of its parameters.
            title: That of the page.
        """
        form = self._facts.get(name)
        if form is None:
            return None
        tool = from_json_schema(
            name, readable_schema(schema or {}, form), description=form_description(form, name)
        )
        effect = effect_of(form, name)
        update: dict[str, Any] = {"behavior": Behavior(effect=effect)}
        if sent_by_person(form, effect):
            update["description"] = f"{tool.description} A person has to send the form.".strip()
        return with_sample(tool.model_copy(update=update), form, title)

    def declared(self, names: Collection[str]) -> tuple[str, ...]:
        """Return those of these names that tags of forms have which only a person sends."""
        return tuple(
            name
            for name, form in self._facts.items()
            if name in names and form["toolname"] and not form["autosubmit"]
        )

    def named(self, names: Collection[str]) -> tuple[NamedForm, ...]:
        """Return what to write into the tags of the forms that have these names."""
        return tuple(
            NamedForm(
                name,
                form_description(form, name),
                str(form["tag"])[:_LONGEST_TAG],
                effect_of(form, name),
                bool(form["scripted"]),
                tuple((given, tag[:_LONGEST_TAG]) for given, tag in form["added"]),
            )
            for name, form in self._facts.items()
            if name in names and not form["toolname"]
        )

    def _name(self, form: Mapping[str, Any], about: str) -> str:
        signature = _signature(form)
        if signature not in self._names:
            base = name_of(form, about)
            name, number = base, 2
            while name in self._names.values():
                name, number = f"{base}{number}", number + 1
            self._names[signature] = name
        return self._names[signature]


def _subject(form: Mapping[str, Any]) -> list[list[str]]:
    """Return the hidden values of a form that say what it is about; tokens do not."""
    return [[name, value] for name, value in form["hidden"] if not _TOKEN.search(name)]


def _path_of(form: Mapping[str, Any]) -> str:
    """Return the path that a form is sent to; empty if its address is not one."""
    try:
        return urlsplit(str(form["action"])).path
    except ValueError:
        return ""


def _signature(form: Mapping[str, Any]) -> str:
    """Return what distinguishes a form from others: its target and its controls."""
    path = _path_of(form).rpartition("/")[2]
    names = sorted({control["name"] for control in form["controls"]})
    where = path or form["id"] or form["button"]
    return repr((form["method"] or "get", where, names))


def _add_names(form: dict[str, Any]) -> list[tuple[str, str]]:
    """Name the controls that have no name, without which they are not parameters."""
    taken = {control["name"] for control in form["controls"]}
    added = []
    for control in form["controls"]:
        if control["name"]:
            continue
        words = [words_of(control["id"]), phrase(control["label"]), phrase(control["placeholder"])]
        base = next((name for one in words if (name := joined(one))), joined([control["type"]]))
        name, number = base, 2
        while name in taken:
            name, number = f"{base}{number}", number + 1
        taken.add(name)
        control["name"] = name
        added.append((name, str(control["tag"])))
    return added


def name_of(form: Mapping[str, Any], about: str) -> str:
    """Return the name of a form's tool, of the words that the page has for it."""
    last = [part for part in _path_of(form).split("/") if part][-1:]
    alone = form["controls"][0]["placeholder"] if len(form["controls"]) == 1 else ""
    texts = [
        *(form[key] for key in ("id", "name", "label")),
        *([form["heading"]] if form["inside"] else []),
        form["legend"],
        *([] if form["inside"] else [form["heading"]]),
        form["button"],
        *([alone] if form["search"] else []),
        *last,
    ]
    reads = form["search"] or (form["method"] == "get" and bool(form["action"]))
    return tool_name(texts, about=about, verb="search" if reads else "send")


def form_description(form: Mapping[str, Any], name: str) -> str:
    """Return what a form does, in the words of the page."""
    if form["tooldescription"]:
        return str(form["tooldescription"])
    keys = ("label", "heading", "legend") if form["inside"] else ("label", "legend", "heading")
    only = form["controls"][0]["placeholder"] if len(form["controls"]) == 1 else ""
    texts = [text for text in (*(form[key] for key in keys), form["button"], only) if text]
    doing = (text for text in texts if len(text.split()) > 1 and is_doing(phrase(text)))
    # Text in another script may name the action or its object.
    foreign = (text for text in texts if not words_of(text))
    title = next(doing, "") or next(foreign, "") or name_as_sentence(name)
    if name in READING and title == name_as_sentence(name) and (what := only or _first_label(form)):
        title = f"{title.rstrip('.')}: {what}"
    intro = form["intro"] if title == form["heading"] else ""
    return " ".join(_sentence(text) for text in (title, intro) if text)


def effect_of(form: Mapping[str, Any], name: str) -> Effect:
    """Return what sending a form does, by its method and by its words."""
    words = [*words_of(name)]
    said = strongest(effect_of_words(form["button"]), effect_of_words(" ".join(words)))
    if form["method"] == "post":
        return strongest("write", said)
    if form["search"] or form["action"] or form["method"] == "get":
        # By the rules of the web nothing is changed by a request of this kind.
        return "irreversible" if said == "irreversible" else "read"
    # Scripts send it, or do what they like, whatever its name.
    return "unknown" if said == "read" else said


def sent_by_person(form: Mapping[str, Any], effect: Effect) -> bool:
    """Whether agents only fill a form in; one that reads is proposed to be sent at once."""
    return not form["autosubmit"] and (bool(form["toolname"]) or effect != "read")


def name_as_sentence(name: str) -> str:
    """Return the words of a name as a sentence: `addToBasket` becomes "Add to basket."."""
    words = " ".join(words_of(name))
    return f"{words[:1].upper()}{words[1:]}." if words else name


def _first_label(form: Mapping[str, Any]) -> str:
    return next((str(one["label"]) for one in form["controls"] if one["label"]), "")


def _sentence(text: str) -> str:
    return f"{text}." if re.search(r"[A-Za-z0-9À-ɏ)\]`”»]$", text) else text


_HINT = re.compile(r"\s*\(?Dates MUST be provided in 'YYYY-MM-DD' format\.\)?")

_FORMS = {
    "date": "YYYY-MM-DD",
    "time": "HH:MM",
    "datetime-local": "YYYY-MM-DDTHH:MM",
    "month": "YYYY-MM",
    "week": "YYYY-Www",
    "color": "#rrggbb",
}
"""How a person writes what a control of this type holds."""


def readable_schema(schema: Mapping[str, Any], form: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a form's tool as a person would write it.

    Choices are listed once and without the one that means none. Dates, times and bounds are also
    described in words.

    Args:
        schema: As the platform writes it.
        form: What was found of the form.
    """
    listed = schema.get("properties")
    controls: dict[str, list[Mapping[str, Any]]] = {}
    for control in form["controls"]:
        controls.setdefault(control["name"], []).append(control)
    properties = {
        name: _property(one, controls.get(name, []))
        for name, one in (listed if isinstance(listed, Mapping) else {}).items()
        if isinstance(one, Mapping)
    }
    given = schema.get("required")
    required = [name for name in (given if isinstance(given, list) else ()) if name in properties]
    tidied: dict[str, Any] = {"type": "object", "properties": properties}
    return {**tidied, "required": required} if required else tidied


def _property(given: Mapping[str, Any], controls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    control = controls[0] if controls else {}
    schema = {key: value for key, value in given.items() if key not in ("anyOf", "description")}
    titles = _titles(given)
    items = given.get("items")
    if isinstance(items, Mapping):
        titles = _titles(items)
        schema["items"] = {key: value for key, value in items.items() if key != "anyOf"}
    elif len(values := schema.get("enum", [])) > 1 and values[0] == "":
        schema["enum"] = values[1:]
        titles.pop("", None)
    many = len(schema.get("enum", ()))
    if many > _MOST_CHOICES:
        # A type that lists them all is longer than types may be.
        del schema["enum"]
    if schema.get("multipleOf") == 1:
        del schema["multipleOf"]
        schema["type"] = "integer"
    if str(schema.get("format", "")).startswith("^"):
        schema["pattern"] = schema.pop("format")
    label = " ".join(_HINT.sub("", str(given.get("description", ""))).split()) or _label(controls)
    choices = f"one of the {many:,} choices of the form" if many > _MOST_CHOICES else ""
    hints = (label, choices, _format_hint(control, schema))
    description = ", ".join(text for text in hints if text)
    if explained := _choices(titles):
        description = f"{description.rstrip('.:')}: {explained}" if description else explained
    if description:
        schema["description"] = description
    return schema


def _label(controls: Sequence[Mapping[str, Any]]) -> str:
    """Return what a group of controls, or one without a label, is called."""
    if not controls:
        return ""
    if len(controls) > 1:
        groups = {str(control["group"]) for control in controls}
        return groups.pop() if len(groups) == 1 else ""
    return str(controls[0]["label"] or controls[0]["placeholder"])


def _format_hint(control: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if form := _FORMS.get(control.get("type", "")):
        return f"as `{form}`"
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f"{least:g} to {most:g}"
    if least is not None:
        return f"at least {least:g}"
    return f"at most {most:g}" if most is not None else ""


def _titles(schema: Mapping[str, Any]) -> dict[str, str]:
    choices = schema.get("anyOf")
    return {
        str(choice["const"]): " ".join(str(choice.get("title", "")).split())
        for choice in (choices if isinstance(choices, list) else ())
        if isinstance(choice, Mapping) and "const" in choice
    }


def _choices(titles: Mapping[str, str]) -> str:
    """Return what choices mean, where their values do not say it."""
    explained = {
        value: title for value, title in titles.items() if title and not _is_clear(value, title)
    }
    if not explained or len(titles) > 30:
        return ""
    return "; ".join(f"`{value}` {title}" for value, title in titles.items())


def _is_clear(value: str, title: str) -> bool:
    """Whether a value says what its title does: `family` and `Family room`."""
    plain, shown = (re.sub(r"[\W_]+", "", text).casefold() for text in (value, title))
    return bool(plain) and (plain in shown or shown in plain)
