"""The agent's own words to a person, in the languages that it speaks; their texts are in `de.json` and the like.

Texts are whole sentences with places for values: `say("found_nothing", words=…)`. A text with a
`count` has a form for each number that the grammar of its language tells apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from webagent.json_text import packaged_json

LANGUAGES: Final = ("en", "de", "fr", "es", "ar")
"""The languages that have texts; English is said where another one lacks a text."""
_PLACE: Final = re.compile(r"\{(\w+)\}")
_LONGEST: Final = 1_000
"""Characters of a text that a site gives."""

Forms = str | Mapping[str, str]
"""A text, or its forms by the names of numbers: `one`, `two`, `few`, `many`, `other`."""


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of one language."""

    code: str
    texts: Mapping[str, Forms]
    units: Mapping[str, Forms] = field(default_factory=dict)
    """Amounts by the id of their unit: `{number} km`; English makes its own from the id."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Words for fields by those that programs use: `price`."""

    @property
    def is_english(self) -> bool:
        """Whether words are put together from the names of tools and fields, which are English."""
        return self.code == "en"

    def text(self, key: str, values: Mapping[str, Any]) -> str:
        """Return a text with its values."""
        forms = self.texts.get(key) or _read("en").texts[key]
        return self._filled(forms, values)

    def amount(self, unit: str, count: float, figures: str) -> str:
        """Return an amount with its unit; empty if the unit has no name here."""
        forms = self.units.get(unit)
        return self._filled(forms, {"count": count, "number": figures}) if forms else ""

    def _filled(self, forms: Forms, values: Mapping[str, Any]) -> str:
        if not isinstance(forms, str):
            form = plural(self.code, values.get("count", 0))
            forms = forms.get(form) or forms["other"]
        return _PLACE.sub(lambda place: str(values.get(place[1], place[0])), forms)


@cache
def _read(code: str) -> Speech:
    data = packaged_json(__file__, f"{code}.json")
    return Speech(code, data["texts"], data.get("units", {}), data.get("labels", {}))


def speech(tag: str, own: Mapping[str, Any] | None = None) -> Speech:
    """Return the words of a language.

    Args:
        tag: The language as a tag: `de-AT`. Of one without texts English is spoken.
        own: Texts of the site in that language, instead of ours. They are not trusted.
    """
    code = tag.lower().replace("_", "-").partition("-")[0]
    found = _read(code if code in LANGUAGES else "en")
    given = {key: text for key, text in (own or {}).items() if key in _read("en").texts and _is_text(text)}  # fmt: skip
    return Speech(code, {**found.texts, **given}, found.units, found.labels) if given else found


def _is_text(text: Any) -> bool:
    forms = text.values() if isinstance(text, Mapping) and "other" in text else [text]
    return all(isinstance(form, str) and 0 < len(form) <= _LONGEST for form in forms)


def plural(code: str, count: float) -> str:
    """Return the name of the form that goes with a number, as CLDR calls it."""
    if code == "ar":
        rest = count % 100
        named = {0.0: "zero", 1.0: "one", 2.0: "two"}.get(count)
        return named or ("few" if 3 <= rest <= 10 else "many" if 11 <= rest <= 99 else "other")
    if code == "fr":
        return "one" if 0 <= count < 2 else "other"
    return "one" if count == 1 else "other"


_SPOKEN: Final[ContextVar[Speech | None]] = ContextVar("spoken", default=None)


def spoken() -> Speech:
    """Return the language that is spoken here and now; English unless something else was set."""
    return _SPOKEN.get() or _read("en")


@contextmanager
def speaking(words: Speech | None) -> Iterator[None]:
    """Speak a language within a block, in this task alone; None changes nothing."""
    token = _SPOKEN.set(words or _SPOKEN.get())
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def say(key: str, **values: Any) -> str:
    """Return a text in the language that is spoken.

    Args:
        key: Its key in `en.json`.
        values: What stands in its places; `count` also decides its form.
    """
    return spoken().text(key, values)


def listed(texts: Sequence[str], count: int = 0, joint: str = "and") -> str:
    """Return `a, b and c`, or `a, b and 7 more`.

    Args:
        texts: What is listed.
        count: How many there are in all, if those are not all.
        joint: `and` or `or`.
    """
    more, comma = max(count - len(texts), 0), say("comma")
    if more:
        return say("and_more", items=comma.join(texts), count=more) if texts else str(count)
    if len(texts) < 2:
        return "".join(texts)
    items, last = comma.join(texts[:-1]), texts[-1]
    if spoken().code == "es" and _BEFORE_VOWEL[joint].match(last):
        # `y` and `o` change before their own sound: `España e Italia`.
        return f"{items} {'e' if joint == 'and' else 'u'} {last}"
    return say(f"list_{joint}", items=items, last=last)


_BEFORE_VOWEL: Final = {
    "and": re.compile(r"[“«\"]?h?[ií](?![aeou])", re.IGNORECASE),
    "or": re.compile(r"[“«\"]?(?:h?[oó]|8)", re.IGNORECASE),
}


def is_said(key: str, text: str) -> bool:
    """Whether a text is what a key says in one of the languages."""
    return any(_pattern(code, key).fullmatch(text) for code in LANGUAGES)


@cache
def _pattern(code: str, key: str) -> re.Pattern[str]:
    forms = _read(code).texts[key]
    parts = _PLACE.split(forms if isinstance(forms, str) else forms["other"])
    return re.compile(".+".join(map(re.escape, parts[::2])), re.DOTALL)
