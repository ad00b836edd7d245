"""Forms of a page as the tools that they could be: named, described and told apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webagent.agent.effects import effect_of_words, strongest
from webagent.modelcontext import from_json_schema
from webagent.types import Behavior, Effect, Tool
from webagent_dev.extract.naming import READING, is_doing, joined, phrase, tool_name, words_of
from webagent_dev.extract.page_scripts import FORMS, MARK
from webagent_dev.extract.sample_call import with_sample
from webagent_dev.extraction.schemas import tidy

if TYPE_CHECKING:
    from playwright.async_api import Page

_LONGEST_TAG = 300


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
class Forms:
    """The forms of a site; the same one has the same name on every page."""

    _names: dict[str, str] = field(default_factory=dict)
    """By what tells a form from others."""
    _facts: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What was found of each, by its name as a tool."""
    repeated: dict[str, str] = field(default_factory=dict)
    """Start tags of forms that stand on a page for each of many things, by the name of all."""

    async def mark(self, page: Page, about: str) -> None:
        """Make tools of the forms of an open page that are none.

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
            if any(one["hidden"] != form["hidden"] for one in forms):
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
                    "description": described(form, name),
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
        tool = from_json_schema(name, tidy(schema or {}, form), description=described(form, name))
        behavior = Behavior(effect=effect_of(form, name))
        return with_sample(tool.model_copy(update={"behavior": behavior}), form, title)

    def named(self, names: Collection[str]) -> tuple[NamedForm, ...]:
        """Return what to write into the tags of the forms that have these names."""
        return tuple(
            NamedForm(
                name,
                described(form, name),
                str(form["tag"])[:_LONGEST_TAG],
                effect_of(form, name),
                bool(form["scripted"]),
                tuple((given, tag[:_LONGEST_TAG]) for given, tag in form["added"]),
            )
            for name, form in self._facts.items()
            if name in names and not form["toolname"]
        )

    def _name(self, form: Mapping[str, Any], about: str) -> str:
        sign = _sign(form)
        if sign not in self._names:
            base = name_of(form, about)
            name, number = base, 2
            while name in self._names.values():
                name, number = f"{base}{number}", number + 1
            self._names[sign] = name
        return self._names[sign]


def name_of(form: Mapping[str, Any], about: str) -> str:
    """Return the name of a form's tool, of the words that the page has for it."""
    last = [part for part in urlsplit(form["action"]).path.split("/") if part][-1:]
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


def described(form: Mapping[str, Any], name: str) -> str:
    """Return what a form does, in the words of the page."""
    if form["tooldescription"]:
        return str(form["tooldescription"])
    keys = ("label", "heading", "legend") if form["inside"] else ("label", "legend", "heading")
    only = form["controls"][0]["placeholder"] if len(form["controls"]) == 1 else ""
    texts = [text for text in (*(form[key] for key in keys), form["button"], only) if text]
    doing = (text for text in texts if len(text.split()) > 1 and is_doing(phrase(text)))
    # What is written in another script may say what is done, or what it is about.
    foreign = (text for text in texts if not words_of(text))
    title = next(doing, "") or next(foreign, "") or sentence(name)
    if name in READING and title == sentence(name) and (what := only or _first_label(form)):
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
    if said == "read":
        # Scripts send it, or do what they like.
        return "read" if words and words[0] in READING else "unknown"
    return said


def sentence(name: str) -> str:
    """Return the words of a name as a sentence: `addToBasket` becomes "Add to basket."."""
    words = " ".join(words_of(name))
    return f"{words[:1].upper()}{words[1:]}." if words else name


def _first_label(form: Mapping[str, Any]) -> str:
    return next((str(one["label"]) for one in form["controls"] if one["label"]), "")


def _sentence(text: str) -> str:
    return f"{text}." if re.search(r"[A-Za-z0-9À-ɏ)\]`”»]$", text) else text


def _sign(form: Mapping[str, Any]) -> str:
    """Return what tells a form from others: where it goes, and what it takes."""
    path = urlsplit(form["action"]).path.rpartition("/")[2]
    names = sorted({control["name"] for control in form["controls"]})
    where = path or form["id"] or form["button"]
    return repr((form["method"] or "get", where, names))


def _add_names(form: dict[str, Any]) -> list[tuple[str, str]]:
    """Name the controls that have no name, without which they are no parameters."""
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
