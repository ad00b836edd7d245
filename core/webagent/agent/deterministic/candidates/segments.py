"""Cuts a goal into parts, together with the calls that explain them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webagent.agent.deterministic.candidates.ranking import Candidate, Ranking
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.weights import weights

if TYPE_CHECKING:
    from webagent.agent.deterministic.pages import PageIntent

_MOST_PARTS: Final = 7
_SKIPPED: Final = 0.1
_LOST: Final = 0.4
"""What it costs to leave a value to no call."""
_CHEAP: Final = 0.2
_DEAR: Final = 1.2
_OPENING: Final = 5
"""Words within which a request begins."""
_ENDS: Final = frozenset("?")
_LEAST: Final = 0.3
"""How much better than a tool an action of the page has to be."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a goal, and the calls for it; none where nothing serves it."""

    first: int
    end: int
    candidates: Sequence[Candidate]
    intent: PageIntent | None = None
    """What the page does for it, where no tool does it better."""

    @property
    def best(self) -> Candidate | None:
        """The best call."""
        return self.candidates[0] if self.candidates else None


def parts_of(
    sentence: Sentence,
    ranking: Ranking,
    on_page: Callable[[int, int], PageIntent | None] = lambda *_: None,
) -> list[Part]:
    """Return the parts of a goal in order: the cuts for which the calls explain the most.

    Args:
        sentence: The goal.
        ranking: The tools.
        on_page: Says what the page itself does for the tokens from one index up to another.
    """
    places = places_of(sentence)
    count = len(places)
    best: list[tuple[float, list[Part]]] = [(0.0, [])]
    for last in range(1, count + 1):
        found: tuple[float, list[Part]] | None = None
        for start in range(last):
            first, end = places[start][0], places[last - 1][1]
            score, part = _part(sentence, ranking, first, end, on_page(first, end))
            served = part.best is not None or part.intent is not None
            total = (
                best[start][0] + score - (cost_of_cut(sentence, first, end, served) if start else 0)
            )
            if found is None or total > found[0]:
                found = (total, [*best[start][1], part])
        if found is not None:
            best.append(found)
    return best[count][1]


def cost_of_cut(sentence: Sentence, at: int, end: int, served: bool) -> float:
    """Return what it costs to cut before a token: much, where a call is made and nothing begins."""
    if not served:
        return _SKIPPED + _LOST * sum(at <= value.first < end for value in sentence.values)
    for index in range(at, min(at + _OPENING, len(sentence.tokens))):
        if (
            sentence.roles[index] in ("questions", "wanting", "polite")
            or sentence.tokens[index].text in _ENDS
        ):
            return _CHEAP
        if sentence.verbs[index]:
            return _CHEAP if not sentence.is_noun(index) or index <= at + 1 else _DEAR / 2
        if sentence.weights[index] >= 1:
            break
    ended = sentence.tokens[at - 1].text in ".!?;" if at else True
    return _DEAR / 2 if ended else _DEAR


def places_of(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the smallest parts that a goal may be cut into."""
    places = list(sentence.clauses)
    while len(places) > _MOST_PARTS:
        # The shortest neighbours are joined.
        at = min(range(len(places) - 1), key=lambda i: places[i + 1][1] - places[i][0])
        places[at : at + 2] = [(places[at][0], places[at + 1][1])]
    return places


def _part(
    sentence: Sentence, ranking: Ranking, first: int, end: int, intent: PageIntent | None
) -> tuple[float, Part]:
    # A call has to explain more than no call at all.
    least = weights("ranking")["unexplained"] * sum(sentence.weights[first:end])
    found = [one for one in ranking.candidates(sentence, first, end) if one.score > least]
    top = found[0].score if found else least
    if intent is not None and intent.score > (top + _LEAST if found else least):
        return intent.score, Part(first, end, (), intent)
    return top, Part(first, end, found)
