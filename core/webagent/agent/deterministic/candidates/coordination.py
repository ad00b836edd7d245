"""Wishes that share one verb: `put 400 on food and 100 on travel` are two calls of one tool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Filled, Fit, fill
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords

_SAID: Final = 0.3
"""How much a word has to say of a tool to need no argument."""
_LEAST: Final = 0.3
"""How well a value has to fit to be one of several."""
_RESTING: Final = 0.6
"""How well the words fit that only the wishes beside them explain."""
_NEAR: Final = 2
"""Words from a number to what it counts at most."""
_LONGEST: Final = 3
"""Words of such a name at most."""
_COUNTS: Final = 0.8
"""How much a word has to say to be more than a small one."""
_CIRCUMSTANCES: Final = frozenset(("boolean", "date", "time", "datetime"))
"""Kinds of arguments that alone make no wish of their own."""
_MOST: Final = 8
"""Wishes that share one verb at most."""

Wish = tuple[int, int, list[list[Any]]]
"""Where a wish is in the goal, and `[path, value]` of the arguments that it shares with the others."""


def coordinated(
    tool: ToolWords, sentence: Sentence, first: int, end: int, whole: Filled | None = None
) -> list[Wish]:
    """Return the wishes for one tool that a part of a goal joins, or nothing if it is one wish.

    Args:
        tool: What is called.
        sentence: The goal.
        first: The first token of the part.
        end: Its end.
        whole: The one call for all of it, if it is known.
    """
    if tool.groups or any(p.is_list and p.required for p in tool.parameters):
        return []
    ways = [*_ways(sentence, first, end)]
    whole = whole or fill(tool, sentence, first, end)
    counted = bool(whole.also) and any(_counts(fit, whole.fits) for fit in whole.fits)
    if not ways or (not counted and _is_explained(whole, sentence, first, end)):
        # One call takes it all: `from the 3rd to the 5th, for two adults and a child`.
        return []
    for places in ways:
        calls = _calls(tool, sentence, places)
        rows = [_surely(filled) for filled in calls]
        if _are_alike(rows) and all(
            _is_explained(one, sentence, *place) for one, place in zip(calls, places, strict=True)
        ):
            known = {fit.parameter.path: fit for row in (rows[-1], rows[0]) for fit in row}
            counts = {fit.parameter.path for row in rows for fit in row if _counts(fit, row)}
            found = []
            for (at, until), row, one in zip(places, rows, calls, strict=True):
                missing = [fit for path, fit in known.items() if path not in {f.parameter.path for f in row}]  # fmt: skip
                # `two bikes and a lamp`; `100 euros to dollars and to pounds`
                alone = _is_one(sentence, row)
                given = [
                    [[*f.parameter.path], 1 if alone and f.parameter.path in counts else f.value]
                    for f in missing
                    if f.parameter.required or f.parameter.path not in counts
                ]
                # These values are read only beside the other calls, so each call is given its own.
                given += [[[*f.parameter.path], f.value] for f in one.fits if f.score == _RESTING]
                found.append((at, until, given))
            return found
    return []


def _calls(tool: ToolWords, sentence: Sentence, places: Sequence[tuple[int, int]]) -> list[Filled]:
    """Return the call of each wish; where the first gives a text, the others do by all their words."""
    calls = [fill(tool, sentence, at, until) for at, until in places]
    texts = [fit.parameter for fit in calls[0].fits if fit.parameter.kind == "text"]
    if len(texts) != 1 or texts[0].is_query:
        return calls
    # Beside the others, a word is surely meant: `Max is 12 kg and Luna is 9`.
    calls[0].fits = [replace(f, score=max(f.score, _RESTING)) if f.parameter is texts[0] else f for f in calls[0].fits]  # fmt: skip
    for filled, (at, until) in zip(calls[1:], places[1:], strict=True):
        given = any(fit.parameter is texts[0] and fit.score >= _LEAST for fit in filled.fits)
        if given and _is_explained(filled, sentence, at, until):
            continue
        others = [fit for fit in filled.fits if fit.parameter is not texts[0]]
        left = _left(replace(filled, fits=others), sentence, at, until)
        while left and left[0] - 1 > at and sentence.weights[left[0] - 1] >= _COUNTS and sentence.in_value[left[0] - 1] is None:  # fmt: skip
            # `cough` of `cough drops` may be known to the tool.
            left = [left[0] - 1, *left]
        if left and _is_noun_phrase(sentence, at, left):
            text = sentence.excerpt(left[0], left[-1] + 1)
            filled.fits = [*others, Fit(texts[0], text, frozenset(left), _RESTING)]
    return calls


def _is_noun_phrase(sentence: Sentence, at: int, words: Sequence[int]) -> bool:
    """Whether words are one name behind a joint, with at most an article and a number before it."""
    before, inside = range(at, words[0]), range(words[0], words[-1] + 1)
    return (
        len(words) == len(inside) <= _LONGEST
        and not any(
            (sentence.verbs[i] and sentence.weights[i]) or sentence.roles[i] == "pronouns"
            for i in before
        )
        and not any(sentence.in_value[i] for i in inside)
        # `cough drops`
        and (not sentence.verbs[words[0]] or sentence.is_noun(words[0]))
    )


def _counts(fit: Fit, row: Sequence[Fit]) -> bool:
    """Whether a number counts the one thing that it stands before: `two bikes and a lamp`."""
    if fit.parameter.kind != "number" or not fit.tokens:
        return False
    return any(
        fit is not one and one.tokens and 0 <= min(one.tokens) - max(fit.tokens) <= _NEAR
        for one in row
    )


def _is_one(sentence: Sentence, row: Sequence[Fit]) -> bool:
    """Whether an article says that a wish is for one thing: `a tart`."""
    at = min((min(fit.tokens) for fit in row if fit.tokens), default=0) - 1
    return at >= 0 and sentence.tokens[at].key in sentence.language.roles["ones"]


def fill_each(tool: ToolWords, sentence: Sentence, first: int, end: int) -> Filled:
    """Return the best call of a tool; of several joined wishes the first, with the values of the others."""
    whole = fill(tool, sentence, first, end)
    wishes = coordinated(tool, sentence, first, end, whole)
    if not wishes:
        whole.also += _further_names(whole, sentence, end)
        return whole
    filled = fill(tool, sentence, first, wishes[0][1])
    shared = {tuple(path) for path, _ in wishes[0][2]}
    filled.missing = [p for p in filled.missing if p.path not in shared]
    for at, until, _ in wishes[1:]:
        filled.also += fill(tool, sentence, at, until).fits
    return filled


def _further_names(filled: Filled, sentence: Sentence, end: int) -> list[Fit]:
    """Return the names joined to the one that a call takes: `compare The Hobbit and Farmer Giles`."""
    found: list[Fit] = []
    for fit in filled.fits:
        at = max(fit.tokens) + 1 if fit.is_name else end
        while at + 1 < end and (sentence.roles[at] == "conjunctions" or sentence.tokens[at].text in ",&+"):  # fmt: skip
            first = at = at + 1
            while at < end and at in sentence.titles:
                at += 1
            if at > first:
                words = frozenset(range(first, at))
                found.append(replace(fit, value=sentence.excerpt(first, at), tokens=words))
    return found


def _ways(sentence: Sentence, first: int, end: int) -> Iterator[Sequence[tuple[int, int]]]:
    """Yield the ways to cut a part: at each joint, and at one of them."""
    joints = [
        i for i in range(first + 1, end - 1)
        if sentence.in_value[i] is None and not sentence.in_title(i) and i not in sentence.titles
        and (sentence.roles[i] == "conjunctions" or sentence.tokens[i].text in ",&+")
    ]  # fmt: skip
    # `…, and also …` is one joint.
    joints = [i for i in joints if i - 1 not in joints]
    if not joints or len(joints) >= _MOST:
        return
    # `two soups and a roll, all large`: what is behind the last comma is of all.
    ends = _joins(sentence, joints[-1])
    single = [[i] for i in joints if len(joints) > 1 and _joins(sentence, i)]
    for chosen in [joints, *single] if ends else single:
        places = [*pairwise([first, *chosen, end])]
        if not any(sentence.asks(a, b) or any(i in sentence.orders for i in range(a, b)) for a, b in places[1:]):  # fmt: skip
            yield places


def _joins(sentence: Sentence, index: int) -> bool:
    """Whether a joint is `and`, and not only a comma."""
    words = range(index, index + 2)
    meant = [sentence.language.roles["conjunctions"].get(sentence.tokens[i].key) for i in words]
    return any(one in ("and", "then") for one in meant) or sentence.tokens[index].text in "&+"


def _surely(filled: Filled) -> list[Fit]:
    """Return the arguments of a wish that it gives itself, with one reading."""
    # `1x tea + 2x soup`
    counted = any(fit.parameter.kind == "number" for fit in filled.fits)
    return [
        fit for fit in filled.fits
        if fit.tokens and fit.score >= _LEAST and not (fit.parameter.is_list or len(fit.readings) > 1 or (fit.is_name and not counted))
    ]  # fmt: skip


def _are_alike(rows: Sequence[Sequence[Fit]]) -> bool:
    """Whether each wish gives the same arguments as the others, with other values."""
    paths = [{f.parameter.path for f in row} for row in rows]
    common = set.intersection(*paths)
    # What one of them gives alone, all share; only the first and the last may.
    alone = [own - common for own in paths]
    if not common or any(alone[1:-1]) or (alone[0] & alone[-1]):
        return False
    known = {f.parameter.path: f for f in rows[0]}
    kinds = {known[path].parameter.kind for path in common}
    if all(known[path].parameter.is_query for path in common) or kinds <= _CIRCUMSTANCES:
        return False
    values = [tuple(repr(f.value) for f in row if f.parameter.path in common) for row in rows]
    return len(set(values)) == len(values)


def _is_explained(filled: Filled, sentence: Sentence, first: int, end: int) -> bool:
    """Whether a call leaves no word that says something else."""
    return not _left(filled, sentence, first, end)


def _left(filled: Filled, sentence: Sentence, first: int, end: int) -> list[int]:
    """Return the words that a call leaves."""
    used = filled.tokens
    taken = filled.group_tokens.union(*(fit.tokens for fit in (*filled.fits, *filled.also)))

    def is_said(index: int) -> bool:
        value = sentence.in_value[index]
        if value is not None and used & {*range(value.first, value.end)}:
            return True
        token = sentence.tokens[index]
        if any(
            not p.said.keys().isdisjoint((token.key, token.stem)) for p in filled.tool.parameters
        ):
            # A choice that is not taken is of another wish: `3 colas and a water`.
            return index in taken
        of_tool = any(filled.tool.words.get(gloss, 0) >= _SAID for gloss in token.glosses)
        return index in used or index in sentence.orders or of_tool

    return [i for i in range(first, end) if sentence.weights[i] >= _COUNTS and not is_said(i)]
