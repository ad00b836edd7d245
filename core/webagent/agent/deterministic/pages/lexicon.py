"""The words of a language for what is done on a page, from `reading/languages/<code>.page.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from webagent.agent.deterministic.reading.language import language, languages
from webagent.agent.deterministic.reading.tokens import Token, tokens_of
from webagent.json_text import packaged_json

_GAP: Final = "…"
_LONGEST_GAP: Final = 14
"""Words between both parts of a phrase: `fasse die Seite in zwei Sätzen zusammen`."""
_NOUNS: Final = frozenset(("page_things", "page_answers", "page_authors"))
"""Roles of words that are found by their stems."""
_CLAUSE_ENDS: Final = frozenset(".,;!?:")


@dataclass(frozen=True, slots=True)
class Said:
    """A phrase that was found in a text."""

    meaning: Any
    tokens: frozenset[int]
    end: int
    """The token behind its first part."""


@dataclass(frozen=True, slots=True)
class _Form:
    first: tuple[str, ...]
    last: tuple[str, ...]
    """The part behind a gap; empty if there is no gap."""
    meaning: Any


@dataclass(frozen=True, slots=True)
class PageWords:
    """What a language has for pages."""

    code: str
    phrases: Mapping[str, Mapping[str, Sequence[_Form]]]
    """By role and first word, the longest first."""
    words: Mapping[str, frozenset[str]]
    """Single words by role: their keys and stems."""
    verb_last: bool
    """Whether a verb may stand at the end of an order: `die Seite öffnen`."""

    def at(self, tokens: Sequence[Token], at: int, role: str, end: int = 1 << 30) -> Said | None:
        """Return the longest phrase of a role that starts at a token."""
        if at >= min(end, len(tokens)):
            return None
        forms = self.phrases[role]
        for form in forms.get(tokens[at].key) or forms.get(f"{tokens[at].stem}*", ()):
            after = at + len(form.first)
            if (
                after > end
                or tuple(token.key for token in tokens[at + 1 : after]) != form.first[1:]
            ):
                continue
            found = frozenset(range(at, after))
            if form.last:
                last = _behind(tokens, after, end, form.last)
                if last is None:
                    continue
                found |= frozenset(range(last, last + len(form.last)))
            return Said(form.meaning, found, after)
        return None

    def has(self, role: str, token: Token) -> bool:
        """Whether a token is one of the words of a role."""
        known = self.words[role]
        return token.key in known or (not token.is_sign and token.stem in known)


def _behind(tokens: Sequence[Token], at: int, end: int, keys: tuple[str, ...]) -> int | None:
    for index in range(at, min(end, len(tokens), at + _LONGEST_GAP)):
        if tokens[index].text in _CLAUSE_ENDS:
            return None
        if tuple(token.key for token in tokens[index : index + len(keys)]) == keys:
            return index
    return None


@cache
def page_words(code: str) -> PageWords:
    """Return the words of a language for pages."""
    speech, data = language(code), _data(code)
    phrases: dict[str, dict[str, list[_Form]]] = {}
    words: dict[str, frozenset[str]] = {}
    for role, entries in data.items():
        if isinstance(entries, bool):
            continue
        if isinstance(entries, str):
            tokens = tokens_of(entries, speech)
            words[role] = frozenset(t.key for t in tokens) | frozenset(t.stem for t in tokens)
            continue
        forms = phrases.setdefault(role, {})
        for text, meaning in _spread(entries):
            first, _, last = text.partition(_GAP)
            form = _Form(_keys(first, code), _keys(last, code), meaning)
            forms.setdefault(form.first[0], []).append(form)
            if role in _NOUNS and len(form.first) == 1:
                forms.setdefault(f"{speech.stem(form.first[0])}*", []).append(form)
        for found in forms.values():
            found.sort(key=lambda form: -len(form.first) - len(form.last))
    return PageWords(code, phrases, words, data["page_verb_last"])


@cache
def everywhere(role: str) -> Mapping[str, Any]:
    """Return the phrases of a role in all languages, in lower case: a page may speak any."""
    found: dict[str, Any] = {}
    for code in languages():
        entries = _data(code)[role]
        pairs = (
            dict.fromkeys(entries.split()) if isinstance(entries, str) else dict(_spread(entries))
        )
        found.update((text.lower(), meaning) for text, meaning in pairs.items())
    return found


def _spread(entries: Any) -> Iterator[tuple[str, Any]]:
    pairs = entries.items() if isinstance(entries, dict) else ((entry, True) for entry in entries)
    for text, meaning in pairs:
        yield from ((one.strip(), meaning) for one in text.split("|"))


def _keys(text: str, code: str) -> tuple[str, ...]:
    return tuple(token.key for token in tokens_of(text, language(code)))


@cache
def _data(code: str) -> dict[str, Any]:
    data: dict[str, Any] = packaged_json(__file__, f"../reading/languages/{code}.page.json")
    return data
