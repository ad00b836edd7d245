"""Where a page shows what a tool changes."""

from __future__ import annotations

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import words_of
from webagent.page.snapshot import Element, Snapshot

_LONGEST_NAME = 5
"""Words of a link that is named after one thing."""


def link_to(card: Card, snapshot: Snapshot) -> int | None:
    """Return the number of the link whose name begins with what a tool changes; None if it is open.

    Of `addToBasket` that is `Basket 2 books`.
    """
    if not card.nouns:
        return None
    links = [
        element
        for element in snapshot.elements
        if element.role == "link" and element.frame is None and _names(element, card.nouns[-1])
    ]
    here = any("current" in link.states for link in links)
    return links[0].id if links and not here else None


def _names(link: Element, noun: str) -> bool:
    words = [word for word in words_of(link.name[:80]) if not word.is_sign]
    return bool(words) and len(words) <= _LONGEST_NAME and noun_likeness(words[0].stem, noun) >= 0.6
