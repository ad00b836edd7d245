"""What a page shows of its site: the names of things, the choices there are, and where a change is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from webagent.agent.deterministic.candidates.parameters import Parameter, offering, stems_of
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.pages.page_words import page_text
from webagent.agent.deterministic.pages.passages import language_of
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import identifier_words, tokens_of
from webagent.page.snapshot import Element, Snapshot

_LEAST: Final = 3
"""Links or choices beside each other that are a list."""
_MOST: Final = 500
_LONGEST: Final = 80
_WORD: Final = re.compile(r"[^\W_]+")
_LAST: Final = re.compile(r"[^/]*/?$")
_CHOSEN: Final = frozenset(("radio", "tab", "option"))


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
_REFERENCE: Final = re.compile(r"(?=\D*\d)[A-Z0-9]{2,12}(?:[-/][A-Z0-9]{1,12}){0,3}")
_SHORTEST: Final = 5
"""Characters of an answer that nothing else on a page is taken for."""
_LONGEST_NAME: Final = 5
"""Words of a link that is named after one thing."""
_MOST_TEXTS: Final = 200


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
    return any(
        len(inner) >= _SHORTEST and _REFERENCE.fullmatch(inner) and inner in text
        for inner in _texts(value)
    )


def _texts(value: Any) -> Iterator[str]:
    """Yield the short texts in a result."""
    waiting, left = [value], _MOST_TEXTS
    while waiting and left:
        left -= 1
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += list(one.values())[:50]
        elif isinstance(one, list):
            waiting += one[:50]
        elif isinstance(one, str) and len(one) <= 80:
            yield one


def _names(link: Element, noun: frozenset[str], code: str) -> bool:
    words = [token for token in tokens_of(link.name[:80], language(code)) if not token.is_sign]
    if not words or len(words) > _LONGEST_NAME:
        return False
    return bool(noun & (words[0].glosses | {words[0].stem} | stems_of(words[0].text, "en")))
