"""What a page offers: what its tools do, the names of things, the choices there are, and where a change is."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from webagent.agent.deterministic.candidates.parameters import Parameter, offering, stems_of
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.pages.lexicon import page_words
from webagent.agent.deterministic.pages.page_words import page_text, sentences
from webagent.agent.deterministic.pages.passages import language_of
from webagent.agent.deterministic.reading.language import language, languages
from webagent.agent.deterministic.reading.tokens import identifier_words, tokens_of
from webagent.page.snapshot import Element, Snapshot
from webagent.speech import say, spoken

_LEAST: Final = 3
"""Links or choices beside each other that are a list."""
_MOST: Final = 500
_LONGEST: Final = 80
_WORD: Final = re.compile(r"[^\W_]+")
_LAST: Final = re.compile(r"[^/]*/?$")
_CHOSEN: Final = frozenset(("radio", "tab", "option"))
_MOST_TOLD: Final = 8
_LONGEST_SHORT: Final = 60
_LONGEST_GREETING: Final = 16
"""Words of somebody who only greets."""


def things_on(snapshot: Snapshot) -> list[str]:
    """Return the names of things that a page lists: links that differ in the end of their address only."""
    rows: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for element in snapshot.elements[: 4 * _MOST]:
        if element.role == "link" and element.href and 0 < len(element.name) <= _LONGEST:
            rows[_shape(element.href)][element.name] = None
    return [name for shape, names in rows.items() if shape != ("", "") and len(names) >= _LEAST for name in names][:_MOST]  # fmt: skip


def _shape(href: str) -> tuple[str, str]:
    """Return an address without what names a thing in it; nothing for a place within the page."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return "", ""
    if parts.query:
        return parts.path, "&".join(one.partition("=")[0] for one in parts.query.split("&"))
    folder = _LAST.sub("", parts.path)
    return (folder, "/") if folder.count("/") > 1 else ("", "")


def spelled(text: str, names: Sequence[str]) -> str:
    """Return a text in which the names of things are quoted as the page writes them: `the hobbit`."""
    known = {tuple(word.casefold() for word in _WORD.findall(name)): name for name in names}
    known = {words: name for words, name in known.items() if len(words) > 1}
    if not known:
        return text
    longest = max(map(len, known))
    found = [*_WORD.finditer(text)]
    quoted = [range(*match.span()) for match in re.finditer(r"[\"“„«][^\"”“»]*[\"”“»]", text)]
    pieces, done, at = [], 0, 0
    while at < len(found):
        for count in range(min(longest, len(found) - at), 1, -1):
            words = tuple(match[0].casefold() for match in found[at : at + count])
            start, end = found[at].start(), found[at + count - 1].end()
            # Words without a space between them are an id: `the-hobbit`.
            is_name = any(letter.isspace() for letter in text[start:end])
            if words in known and is_name and not any(start in span for span in quoted):
                pieces += [text[done:start], f"“{known[words]}”"]
                done, at = end, at + count
                break
        else:
            at += 1
    return "".join((*pieces, text[done:]))


def closed(tool: ToolWords, tools: Sequence[ToolWords], snapshot: Snapshot) -> ToolWords:
    """Return a tool whose texts from a list of the site take only what the page offers for them.

    `A name from listCategories` is one of such a list. The page shows it as a row of choices.
    """
    if not any(_lister(p, tools) for p in tool.parameters):
        return tool
    rows = [row for row in _rows(snapshot.elements) if len(row) >= _LEAST]
    if len(rows) != 1:
        return tool
    parameters = (offering(p, rows[0]) if _lister(p, tools) else p for p in tool.parameters)
    return replace(tool, parameters=tuple(parameters))


def _lister(parameter: Parameter, tools: Sequence[ToolWords]) -> ToolWords | None:
    """Return the tool that lists what a text may be, as its description says."""
    if parameter.kind != "text" or parameter.group:
        return None
    about = {*_WORD.findall(str(parameter.schema.get("description") or ""))}
    return next((t for t in tools if t.name in about and t.reads and not any(p.required for p in t.parameters) and parameter.names & {*_singular(t.name)}), None)  # fmt: skip


def _singular(name: str) -> Iterator[str]:
    for word in identifier_words(name):
        yield from (word, word.removesuffix("s"), re.sub("ies$", "y", word))


def _rows(elements: Sequence[Element]) -> list[list[str]]:
    """Return the names of choices that are beside each other, where they are words."""
    rows: list[list[str]] = [[]]
    for element in elements:
        if element.role in _CHOSEN and element.name and element.name[0].isalpha():
            rows[-1].append(element.name[:_LONGEST])
        elif rows[-1]:
            rows.append([])
    return rows


_HOME: Final = re.compile(r"/(?:index|home)(?:\.\w{2,5})?/?$")
_REFERENCE: Final = re.compile(r'"(?=[^"\d]*\d)([A-Z0-9]{2,12}(?:[-/][A-Z0-9]{1,12}){0,3})"')
_SHORTEST: Final = 5
"""Characters of an answer that nothing else on a page is taken for."""
_LONGEST_NAME: Final = 5
"""Words of a link that is named after one thing."""
_LONGEST_VALUE: Final = 20_000


def link_to(tool: ToolWords, snapshot: Snapshot, value: Any = None) -> int | None:
    """Return the number of the link whose name begins with what a tool changes.

    Of `addToBasket` that is `Basket 2 books`. None if it is open, if it leads home, or if the page
    says already what came of the change.

    Args:
        tool: The tool.
        snapshot: What the page shows after the change.
        value: What the tool gave.
    """
    if not tool.nouns or _is_told(value, snapshot.text):
        return None
    code = language_of(page_text(snapshot.text)).code
    english = language("en")
    noun = tool.nouns[-1].union(*(english.gloss(stem, stem) for stem in tool.nouns[-1]))
    links = [
        element
        for element in snapshot.elements
        if element.role == "link"
        and element.frame is None
        and not _leads_back(element, snapshot.url)
        and _names(element, noun, code)
    ]
    here = any("current" in link.states for link in links)
    return links[0].id if links and not here else None


def _leads_back(link: Element, url: str) -> bool:
    """Whether a link leads to the page that is open, or to the home page of the site."""
    try:
        here, there = urlsplit(url), urlsplit(urljoin(url, link.href or ""))
    except ValueError:
        return True
    if (there.scheme, there.netloc) != (here.scheme, here.netloc) or "current" in link.states:
        return False
    home = _HOME.sub("/", there.path or "/") == "/" and not there.query and not there.fragment
    same = there._replace(fragment="") == here._replace(fragment="")
    return home or (link.href is not None and same)


def _is_told(value: Any, text: str) -> bool:
    """Whether a page shows the reference that a tool gave, or its whole answer in words."""
    if isinstance(value, str):
        return len(value) >= _SHORTEST and value.strip() in text
    said = _REFERENCE.findall(json.dumps(value, default=str)[:_LONGEST_VALUE])
    return any(len(one) >= _SHORTEST and one in text for one in said)


def _names(link: Element, noun: frozenset[str], code: str) -> bool:
    words = [token for token in tokens_of(link.name[:80], language(code)) if not token.is_sign]
    if not words or len(words) > _LONGEST_NAME:
        return False
    return bool(noun & (words[0].glosses | {words[0].stem} | stems_of(words[0].text, "en")))


def asks_what_there_is(sentence: Sentence) -> bool:
    """Whether somebody only greets, or asks what can be done: `hello`, `was kannst du hier?`."""
    if not sentence.tokens or len(sentence.tokens) > _LONGEST_GREETING:
        return False
    # So few words do not always say their language.
    codes = dict.fromkeys((sentence.language.code, *languages()))
    return any(_is_all_greeting(sentence.text, code) for code in codes)


def _is_all_greeting(text: str, code: str) -> bool:
    words, speech = page_words(code), language(code)
    tokens = [token for token in tokens_of(text, speech) if not token.is_sign]
    at, greets = 0, False
    while at < len(tokens):
        asked, tail = (words.at(tokens, at, role) for role in ("helps", "help_ends"))
        greeted = words.has("greetings", tokens[at])
        if asked or tail:
            at = max(said.end for said in (asked, tail) if said)
        elif greeted or speech.phrase_at(tokens, at, "polite"):
            at += 1
        else:
            return False
        # A courtesy alone is no greeting.
        greets = greets or greeted or asked is not None
    return greets


def what_there_is(tools: Sequence[ToolWords]) -> str:
    """Return what the tools of a page do, in a few words each."""
    named = list(dict.fromkeys(_short(tool) for tool in tools))
    if not named:
        return say("hello")
    listed, more = "; ".join(named[:_MOST_TOLD]), len(named) - _MOST_TOLD
    if more > 0:
        listed = say("tools_and_more", tools=listed, count=more)
    return say("hello_tools", tools=listed)


def _short(tool: ToolWords) -> str:
    """Return a tool's title, or its description's first words where these are few."""
    first = (sentences(tool.description[:400].strip()) or [""])[0].rstrip(".!? ")
    name = " ".join(identifier_words(tool.name)) or tool.name
    said = tool.title or (first if 0 < len(first) <= _LONGEST_SHORT else name)
    if said[:2].isupper() or not spoken().is_english:
        return said
    return said[:1].lower() + said[1:]
