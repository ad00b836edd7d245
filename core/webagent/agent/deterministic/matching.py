"""The tool for a request: what its words say, and how much of the request its arguments take up."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from webagent.agent.deterministic.arguments import Filled, fill
from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.chaining import asked_of, finders
from webagent.agent.deterministic.chunks import chunks_of
from webagent.agent.deterministic.clause import Clause, is_pick_word
from webagent.agent.deterministic.fits import Fit
from webagent.agent.deterministic.leftover import is_generic
from webagent.agent.deterministic.picking import ANAPHORS, pick_of
from webagent.agent.deterministic.ranking import Evidence, Ranking
from webagent.agent.deterministic.spans import is_code
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import is_noun
from webagent.agent.deterministic.words import STOP

_SENDING: Final = frozenset(map(stem, ("submit", "send", "post")))
_LOOKED_AT = 8
"""Tools whose arguments are read, of those that rank first."""
_LEAST: Final = 1.55
"""What a tool must score to be taken."""


@dataclass(frozen=True, slots=True)
class Match:
    """A tool for a request, and its arguments."""

    card: Card
    filled: Filled
    score: float
    evidence: Evidence


def matches(
    ranking: Ranking,
    clause: Clause,
    forbidden: Collection[str] = (),
    *,
    earlier: Card | None = None,
) -> list[Match]:
    """Return the tools that fit a request, the best first; none if nothing fits.

    Args:
        ranking: Of the site's tools.
        clause: The request.
        forbidden: Verbs of what must not be done.
        earlier: The tool of the request before, whose results may give what this one leaves out.
    """
    found = []
    pick = pick_of(clause)
    refers = earlier is not None and (pick.refers or pick.chooses)
    context = earlier.subject if earlier is not None and refers else frozenset()
    fills = fills_in(clause)
    for evidence in ranking.rank(clause, forbidden, context)[:_LOOKED_AT]:
        if fills and evidence.card.effect == "irreversible":
            # Who wants something filled in does not want it sent.
            continue
        filled = fill(evidence.card, clause)
        found_first = _found_first(ranking.cards, filled, clause, refers)
        score = _score(evidence, filled, clause, refers, found_first)
        if score >= _LEAST:
            found.append(Match(evidence.card, filled, score, evidence))
    found.sort(key=lambda match: -match.score)
    return found


_FILLING: Final = re.compile(
    r"\b(?:fill(?:s|ed|ing)?(?: (?:in|out|up))?|pre-?fill"
    r"|(?:complete|do) (?:\w+ ){0,4}(?:form|fields?|questionnaire|survey)"
    r"|(?:füll\w*|ausfüll\w*|ausgefüllt|trag\w* .{0,60}\bein|eintragen)|rempli\w*"
    r"|(?:enter|put|type|write|insert|populate) (?:\S+ ){0,8}(?:form|fields?|box|boxes)"
    r"|compl[éèe]t\w* .{0,40}(?:formulaire|champs?)"
    r"|rellen\w*|complet\w* .{0,40}formulario|compil\w*|riempi\w*|preench\w*|vul\w* .{0,60}\bin|invul\w*"
    r"|fyll\w*|udfyld\w*|täyt\w*|wypełni\w*|vypln\w*|заполн\w*|doldur\w*)\b",
    re.IGNORECASE,
)


def fills_in(clause: Clause) -> bool:
    """Whether a request is to fill something in, and not to send it."""
    sends = any(word.stem in _SENDING for word in clause.words)
    return not sends and _FILLING.search(clause.text[:500]) is not None


def _found_first(cards: Sequence[Card], filled: Filled, clause: Clause, refers: bool) -> list[Fit]:
    """Return what of a request goes to a tool that finds the thing first."""
    if refers:
        return []
    for slot in filled.missing:
        if "id" not in slot.kinds:
            continue
        for finder in finders(cards, filled.card, slot, clause)[:1]:
            return [fit for fit in asked_of(finder, clause, filled)[0].fits if fit.score >= 2.0]
    return []


def _score(
    evidence: Evidence,
    filled: Filled,
    clause: Clause,
    refers: bool,
    found_first: Sequence[Fit] = (),
) -> float:
    card = evidence.card
    used = filled.used.union(*(_places(fit, clause, filled) for fit in found_first))
    strong = [fit for fit in filled.fits if fit.score >= 2.3] + [*found_first]
    score = evidence.score + sum(min(fit.score, 6.0) * 0.13 for fit in strong)
    for span in clause.spans:
        if span.kind in ("ordinal", "quoted") or (span.kind == "number" and not span.bound):
            weight = 0.25 if span.kind == "number" else 0.4 if span.kind == "quoted" else 0.0
        else:
            weight = 0.6
        if not used & set(range(span.first, span.end)):
            score -= weight
    pick = pick_of(clause)
    referring = pick.chooses or pick.refers or refers
    if refers and not any("id" in slot.kinds for slot in card.slots) and not filled.fits:
        score -= 0.6
    if any("query" in fit.slot.kinds for fit in filled.fits) and card.reads:
        score += -0.4 if _is_slug(filled.leftover.text) else 0.8
    if card.reads and not referring and any("id" in slot.kinds for slot in filled.missing):
        score -= 0.5
    for slot in filled.missing:
        found_later = "id" in slot.kinds and (referring or filled.leftover.text)
        score -= 0.1 if found_later else 0.45
    searched = frozenset[int]().union(
        *(_places(fit, clause, filled) for fit in found_first if "query" in fit.slot.kinds)
    ) & {_object(clause)}
    if not card.reads and evidence.verb >= 0.9 and len(found_first) == 1:
        # `delete the apple pie`: what the tool's own verb is said of can be found by its name.
        searched = frozenset()
    foreign, told = _foreign(evidence, filled, clause, used, searched)
    score -= 0.55 * foreign
    known = bool(evidence.matched) or evidence.hinted
    if foreign and not known and evidence.verb < 1.0:
        return 0.0
    if not known and not strong and not referring:
        # The verb alone: `add` says nothing of what is added, unless the words have a place.
        bare = evidence.verb >= 1.0 and not filled.leftover.text and not foreign
        if not bare and (not told or evidence.verb < 0.7 or foreign):
            return 0.0
    if clause.mood == "tell" and not card.reads and evidence.verb < 0.4 and evidence.covered < 0.5:
        return 0.0
    if not clause.verb and not card.reads and not filled.fits and filled.leftover.text:
        # `a Pesto pizza please` is no wish for `sharePizza`: it says more than that takes.
        return 0.0
    typed = len(strong) > 1 and evidence.covered >= 0.5
    if evidence.verb <= 0 and evidence.nouns < 0.6 and not typed:
        return 0.0
    return score


def _object(clause: Clause) -> int:
    """Return the index of what the verb is said of: `rule` in `create a new rule that …`."""
    if not clause.verb_words or clause.mood != "do":
        return -1
    first = next((c for c in chunks_of(clause) if c.first > max(clause.verb_words)), None)
    return first.end - 1 if first is not None and not first.lead else -1


def _is_slug(text: str) -> bool:
    """Whether words are an id rather than something to look for."""
    return " " not in text and (is_code(text) or "-" in text)


def _places(fit: Fit, clause: Clause, filled: Filled) -> frozenset[int]:
    """Return where the words of a finder's argument stand in the whole request."""
    gone = filled.used - filled.leftover.used
    kept = [index for index in range(len(clause.words)) if index not in gone]
    return frozenset(kept[index] for index in fit.used if index < len(kept))


def _foreign(
    evidence: Evidence,
    filled: Filled,
    clause: Clause,
    used: frozenset[int],
    searched: frozenset[int],
) -> tuple[int, bool]:
    """Count the things a request names that the tool does not know; say if words became values."""
    named = {fit.slot.path for fit in filled.fits if fit.score >= 2.3}
    target = _object(clause)
    taken = used - filled.used - searched
    taken = taken.union(*(fit.used for fit in filled.fits if fit.slot.path in named))
    pick = pick_of(clause).used
    foreign = 0
    for index, word in enumerate(clause.words):
        if (
            index in evidence.matched
            or index in taken
            or index in clause.verb_words
            or index in pick
        ):
            continue
        if word.low in STOP or word.is_sign or is_pick_word(word.low) or word.low in ANAPHORS:
            continue
        inside = any(span.first <= index < span.end for span in clause.spans)
        if is_generic(word) or not is_noun(word.stem) or inside or (word.is_capital and index > 0):
            continue
        # What the verb is said of weighs more than what is said around it.
        foreign += 3 if index == target and not pick else 1
    return foreign, bool(filled.fits)


def close(found: Sequence[Match]) -> bool:
    """Whether the two best tools are as good as one another."""
    return len(found) > 1 and found[0].score - found[1].score < 0.05
