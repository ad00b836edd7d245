"""What a request asks of the page itself, where no tool fits."""

from __future__ import annotations

from typing import Final

from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.plainly import read_out
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.words import STOP, Word, words_of
from webagent.page.snapshot import Element, Snapshot

_CLICKED: Final = frozenset(
    {"button", "link", "tab", "menuitem", "checkbox", "radio", "switch", "summary"}
)
_WORDS: Final = (
    ("tables", ("table", "tabular")),
    ("screenshot", ("screenshot", "snapshot")),
    ("outline", ("outline", "heading", "section", "toc")),
    ("navigation", ("navigation", "menu", "sitemap")),
    ("code", ("code", "snippet")),
    ("summary", ("summary", "summarize", "summarise", "overview")),
)  # fmt: skip
_KINDS: Final = tuple((name, {stem(word): word[:5] for word in words}) for name, words in _WORDS)
"""Stems of what is asked for, and how their words begin: `head` is no `heading`."""
_OPENING: Final = frozenset(
    map(stem, ("open", "go", "visit", "navigate", "show", "browse", "see", "view"))
)
_GOING: Final = frozenset(map(stem, ("go", "visit", "navigate")))
_CLICKING: Final = frozenset(map(stem, ("click", "press", "tap", "push", "hit")))
_SEARCHING: Final = frozenset(map(stem, ("search", "find", "look", "seek", "lookup")))
_FETCHING: Final = _SEARCHING | _OPENING
_PAGE: Final = frozenset(
    map(stem, ("page", "site", "website", "link", "button", "tab", "section", "menu"))
)


def intent_of(clause: Clause, snapshot: Snapshot) -> str:
    """Return what is asked of a page; empty if that is nothing that can be done on it."""
    if any(span.kind == "url" for span in clause.spans) and clause.verb in _OPENING | {""}:
        return "open"
    if clause.verb in _CLICKING:
        return "click" if target_of(clause, snapshot, _CLICKED) is not None else ""
    if clause.verb == stem("login") and _has_password(snapshot):
        return "login"
    if clause.verb == stem("fill") and _has_field(snapshot):
        return "form"
    if clause.words[0].low == "scroll":
        return "scroll"
    if snapshot.elements or snapshot.text:
        for name, nouns in _KINDS:
            named = any(w.low.startswith(nouns.get(w.stem, "?")) for w in clause.words)
            if named and clause.verb not in _SEARCHING:
                return name
    opened = (
        clause.verb in _OPENING and target_of(clause, snapshot, frozenset({"link"})) is not None
    )
    if opened:
        return "open"
    if clause.verb in _SEARCHING and search_field(snapshot) is not None:
        return "search"
    if clause.mood == "ask" and passages(clause, snapshot):
        return "read"
    return ""


def opens_page(clause: Clause, snapshot: Snapshot) -> bool:
    """Whether a request names a page to go to, and there is a link of that name."""
    paged = any(word.low in ("page", "link", "tab") for word in clause.words)
    return (
        (clause.verb in _GOING or (paged and clause.verb in _OPENING))
        and clause.mood == "do"
        and not clause.spans
        and target_of(clause, snapshot, frozenset({"link"})) is not None
    )


def target_of(clause: Clause, snapshot: Snapshot, roles: frozenset[str]) -> Element | None:
    """Return the element whose name a request says: all of its words, or the most of them."""
    said = {
        word.stem for index, word in enumerate(clause.words)
        if index not in clause.verb_words and word.low not in STOP and not word.is_sign
    } - _PAGE  # fmt: skip
    best: tuple[float, int] | None = None
    chosen: Element | None = None
    for element in snapshot.elements:
        if element.role not in roles or "disabled" in element.states:
            continue
        name = [
            word.stem
            for word in words_of(element.name[:200])
            if word.low not in STOP and not word.is_sign
        ]
        hits = sum(word in said for word in name)
        if not hits or hits < len(said):
            continue
        score = (hits / len(name), -element.id)
        if best is None or score > best:
            best, chosen = score, element
    return chosen


def search_field(snapshot: Snapshot) -> Element | None:
    """Return the field in which the site is searched."""
    return next(
        (
            element for element in snapshot.elements
            if element.role == "searchbox"
            or (element.role in ("textbox", "combobox") and "search" in element.name.lower())
        ), None,
    )  # fmt: skip


def subject_of(clause: Clause) -> set[str]:
    """Return the stems of what a question is about."""
    asked = {stem for _, nouns in _KINDS for stem in nouns}
    return {
        word.stem for index, word in enumerate(clause.words)
        if word.low not in STOP and not word.is_sign and word.stem not in _PAGE | asked
        and word.stem != "say" and not (index in clause.verb_words and word.stem in _FETCHING)
    }  # fmt: skip


def passages(clause: Clause, snapshot: Snapshot) -> list[str]:
    """Return the lines of a page that say most of what a question is about, as they are read."""
    wanted = subject_of(clause)
    if not wanted:
        return []
    found = []
    for number, line in enumerate(snapshot.text[:60_000].splitlines()[:2000]):
        text = read_out(line)
        if len(text) < 12:
            continue
        hits = len(wanted & {word.stem for word in words_of(text[:1000])})
        if hits * 2 >= len(wanted) and hits:
            found.append((-hits, number, text))
    found.sort()
    return [text for _, _, text in found[:3]]


def described(words: tuple[Word, ...]) -> str:
    """Return what a request looks for, in its own words."""
    kept = [word.text for word in words if word.low not in STOP and word.stem not in _SEARCHING]
    return " ".join(kept)


def _has_password(snapshot: Snapshot) -> bool:
    return any("password" in e.name.lower() for e in snapshot.elements if e.role == "textbox")


def _has_field(snapshot: Snapshot) -> bool:
    return any(
        e.role in ("textbox", "combobox", "checkbox", "spinbutton") for e in snapshot.elements
    )
