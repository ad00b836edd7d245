"""Where a page shows what a tool changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from webagent.agent.deterministic.candidates.parameters import stems_of
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.pages.page_words import page_text
from webagent.agent.deterministic.pages.passages import language_of
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import tokens_of
from webagent.page.snapshot import Element, Snapshot

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
    if there.fragment.startswith(("/", "!")):
        # The route of a page that is a program.
        return there == here
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
