"""What can be done here, for somebody who says hello or asks for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.phrasing import called

_MOST = 8
_LONGEST = 60
_ASKING: Final = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there)?)? ?"
    r"(?:(?:please )?(?:help|help me)|(?:what|how) can (?:you|i) (?:do|ask|help)(?: with)?"
    r"(?: me)?(?: you)?(?: for me)?(?: here| on this (?:page|site))?|what do you do|who are you)?"
)


def asks_what_there_is(goal: str) -> bool:
    """Whether somebody greets, or asks what can be done: `hello`, `what can you do?`."""
    words = " ".join(re.findall(r"[a-z]+", goal[:200].lower()))
    return bool(words) and _ASKING.fullmatch(words) is not None


def what_there_is(cards: Sequence[Card]) -> str:
    """Return what the tools of a page do, in a few words each."""
    named = list(dict.fromkeys(_short(card) for card in cards))
    listed = "; ".join(named[:_MOST])
    more = f"; and {len(named) - _MOST} more" if len(named) > _MOST else ""
    page = "open links, search, read the page or fill in forms"
    if not named:
        return f"Hello! I can {page}. What would you like?"
    return f"Hello! Here I can do this for you: {listed}{more}. I can also {page}."


def _short(card: Card) -> str:
    """Return a tool's title, or its description's first words where these are few."""
    first = re.split(r"(?<=\w)[.!?](?:\s|$)", card.description.strip(), maxsplit=1)[0]
    said = card.title or (first if 0 < len(first) <= _LONGEST else called(card))
    return said[:1].lower() + said[1:] if not said[:2].isupper() else said
