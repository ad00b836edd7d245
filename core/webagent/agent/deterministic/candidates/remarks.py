"""Messages that a goal gives without announcing them: statements, and what is said at the end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from webagent.agent.deterministic.candidates.fits import Fit
from webagent.agent.deterministic.candidates.parameters import Parameter, stems_of
from webagent.agent.deterministic.candidates.pieces import takes_message
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords

_LEFT: Final = 0.6
"""How well words fit that only one text can take."""
_ASIDE: Final = frozenset(("polite", "wanting", "questions", "negators", "without", "superlatives", "pronouns"))  # fmt: skip
"""Roles of words that are no remark."""
_FAULTS: Final = "problem fault damage defect complaint issue incident"
"""What a tool takes word of, whose message says what is wrong: `report_problem(message)`."""
_RATINGS: Final = frozenset(("stars", "rating", "score", "rate"))
_BREAKS: Final = frozenset(",.!;:-–—")
_REPORTS: Final = frozenset(("description", "details", "problem"))
"""Words of parameters that want to know what is wrong."""


def reported(
    tool: ToolWords, fits: list[Fit], sentence: Sentence, first: int, end: int
) -> list[Fit]:
    """Return fits with a whole statement as the message that a change needs: `we have mice in the attic`."""
    of_fault = bool(tool.noun_stems & stems_of(_FAULTS))
    texts = [
        p for p in tool.parameters
        if (p.names & _REPORTS or (of_fault and takes_message(p))) and p.required and p.kind == "text" and not (p.group or p.is_list)
    ]  # fmt: skip
    given = [fit for fit in fits if fit.parameter in texts]
    if tool.reads or len(texts) != 1 or any(not fit.poured for fit in given):
        return fits
    until = first
    for at, stop in sentence.clauses:
        if at >= first and stop <= end:
            if not sentence.orders.isdisjoint(range(at, stop)) or sentence.asks(at, stop):
                break
            until = stop
    subjects = sentence.language.roles["subjects"]
    spoken = [i for i in range(first, until) if not sentence.tokens[i].is_sign]
    if not any(sentence.tokens[i].key in subjects or sentence.language.phrase_at(sentence.tokens, i, "copulas") for i in spoken):  # fmt: skip
        return fits
    others = [fit for fit in fits if fit not in given]
    used = frozenset[int]().union(*(fit.tokens for fit in others))
    said = frozenset(i for i in spoken if sentence.weights[i] and i not in used)
    text = sentence.excerpt(spoken[0], spoken[-1] + 1)
    return [*others, Fit(texts[0], text, said, _LEFT)]


def remark(
    tool: ToolWords, fits: Sequence[Fit], sentence: Sentence, first: int, end: int, taken: Collection[int]
) -> list[Fit]:  # fmt: skip
    """Return what is said at the end for the only text that may take it: `log 2 hours, homepage redesign`."""
    filled = {fit.parameter.path for fit in fits}
    texts = [p for p in tool.parameters if takes_message(p) and not (p.group or p.is_list)]
    if tool.reads or len(texts) != 1 or texts[0].path in filled or texts[0].kind != "text":
        return []
    used = frozenset(taken).union(*(fit.tokens | fit.cues for fit in fits))
    if any(fit.parameter.names & _RATINGS for fit in fits):
        return _opinion(texts[0], sentence, used, end)
    commas = [i for i in range(first + 1, end - 1) if sentence.tokens[i].text == ","]
    if not commas:
        return []
    behind = [i for i in range(commas[-1] + 1, end) if not sentence.tokens[i].is_sign]
    free = all(i not in used and i not in sentence.orders and sentence.in_value[i] is None and sentence.roles[i] not in _ASIDE for i in behind)  # fmt: skip
    said = [i for i in behind if sentence.weights[i] >= 1]
    if not free or not said or any(i < commas[-1] for i in said):
        return []
    text = sentence.excerpt(behind[0], behind[-1] + 1)
    return [Fit(texts[0], text, frozenset(said), _LEFT)]


def _opinion(parameter: Parameter, sentence: Sentence, used: frozenset[int], end: int) -> list[Fit]:
    """Return what is said behind a rating as its reason: `5 stars! the soup alone was worth the drive`."""
    last = max(used, default=end)
    at = next((i + 1 for i in range(last + 1, end) if sentence.tokens[i].text in _BREAKS), end)
    behind = [i for i in range(at, end) if not sentence.tokens[i].is_sign]
    said = [i for i in behind if sentence.weights[i] >= 1]
    if not said or any(i in sentence.orders for i in behind) or sentence.asks(at, end):
        return []
    return [Fit(parameter, sentence.excerpt(behind[0], behind[-1] + 1), frozenset(said), _LEFT)]
