"""Where a page shows what a tool changes."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.results import fields_of
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import words_of
from webagent.page.snapshot import Element, Snapshot

_HOME: Final = re.compile(r"/(?:index|home)(?:\.\w{2,5})?/?$")
_REFERENCE: Final = re.compile(r"(?=\D*\d)[A-Z0-9]{2,12}(?:[-/][A-Z0-9]{1,12}){0,3}")
_SHORTEST = 5
"""Characters of an answer that nothing else on a page is taken for."""
_LONGEST_NAME = 5
"""Words of a link that is named after one thing."""


def link_to(card: Card, snapshot: Snapshot, value: Any = None) -> int | None:
    """Return the number of the link whose name begins with what a tool changes.

    Of `addToBasket` that is `Basket 2 books`. None if it is open, if it leads home, or if the page
    says already what came of the change.

    Args:
        card: The tool.
        snapshot: What the page shows after the change.
        value: What the tool gave.
    """
    if not card.nouns or _is_told(value, snapshot.text):
        return None
    links = [
        element
        for element in snapshot.elements
        if element.role == "link"
        and element.frame is None
        and _names(element, card.nouns[-1])
        and not _leads_back(element, snapshot.url)
    ]
    here = any("current" in link.states for link in links)
    return links[0].id if links and not here else None


def _leads_back(link: Element, url: str) -> bool:
    """Whether a link leads to the page that is open, or to the home page of the site."""
    here, there = urlsplit(url), urlsplit(urljoin(url, link.href or ""))
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
        for _, inner in fields_of(value)
        if isinstance(inner, str)
    )


def _names(link: Element, noun: str) -> bool:
    words = [word for word in words_of(link.name[:80]) if not word.is_sign]
    return bool(words) and len(words) <= _LONGEST_NAME and noun_likeness(words[0].stem, noun) >= 0.6
