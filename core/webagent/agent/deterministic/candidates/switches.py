"""Switches, as a goal turns them on and off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from webagent.agent.deterministic.candidates.fits import Fit
from webagent.agent.deterministic.candidates.parameters import (
    HELPERS,
    SWITCHES,
    Parameter,
    meanings,
    persons,
    stems_of,
)
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import opposites, undoing, verbs_of
from webagent.agent.deterministic.reading.language import denies, detect, language
from webagent.agent.deterministic.reading.tokens import Token, tokens_of

_ON: Final = frozenset(("on", "enabl", "activ", "start"))
_OFF: Final = frozenset(("off", "disabl", "deactiv", "stop"))
_AVOIDING: Final = frozenset(
    (
        "avoid",
        "exclud",
        "without",
        "skip",
        "no",
        "disabl",
        "hide",
        "mute",
        "strip",
        "omit",
        "ignor",
        "suppress",
    )
)
_NEGATED_WORDS: Final = 3
_SENTENCE_ENDS: Final = re.compile(r"[.;(]\s*")
_SAYING: Final = frozenset(("whether", "true", "onli", "also", "if", "return", "default"))
"""Stems of words of descriptions that say nothing of what a switch turns on."""
_MOST: Final = 0.6
"""How much of a description a goal has to say."""
_FURTHEST: Final = 12
"""Words between those that say a description."""
_SPREAD: Final = 3
"""Words up to the next one of a name that is spelled out."""


def switches(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> Iterator[Fit]:
    """Yield what a part of a goal says of something that is either so or not."""
    sets = parameter.required and not tool.reads
    turned = turned_by(tool, sentence, first, end) if sets else None
    if parameter.names & SWITCHES and parameter.names <= SWITCHES | HELPERS:
        for value in sentence.values:
            if value.kind == "boolean" and first <= value.first < end:
                yield Fit(parameter, value.value, frozenset((value.first,)), 1.2)
        for index in range(first, end):
            for on, stems in ((True, _ON), (False, _OFF)):
                if sentence.tokens[index].glosses & stems or sentence.tokens[index].low in stems:
                    # `it is off, put it back on`: the later word counts.
                    yield Fit(parameter, on, frozenset((index,)), 1.2 + 0.01 * index)
        if parameter.required and turned is None:
            yield Fit(parameter, True, frozenset(), 0.1)
    words = [w for w in parameter.words if w]
    telling = [w for w in words if not w & HELPERS] or words
    found = _spelled(parameter, sentence, first, end)
    hits = len(telling) if found else 0
    # The noun of `setFavourite` is what its `favourite` switches.
    is_noun = sets and parameter.stems <= tool.noun_stems
    for one in () if found else telling:
        for index in range(first, end):
            # `lock the door` sets `locked`; `archive it` lists nothing that is archived.
            orders = index in sentence.orders and not tool.reads
            if not (orders or is_noun) and sentence.tokens[index].glosses & tool.noun_stems:
                # The `album` that is shared says nothing of `can_add_photos`.
                continue
            quoted = is_elsewhere(sentence, index) and not orders
            # `bring my dog` is of pets.
            kind = sentence.is_noun(index) and bool(sentence.tokens[index].broader & one)
            if (kind or says(sentence.tokens[index], one)) and not quoted:
                hits += 1
                found.add(index)
                break
    doing = [i for i in range(first, end) if sentence.tokens[i].glosses & tool.verbs]
    once = len({sentence.tokens[i].stem for i in doing}) == len(doing)
    if len(telling) > 1 and once and found <= {*doing}:
        # `mark it as completed` says nothing of `complete_subtasks`.
        hits, found = 0, set()
    turning = [i for i in range(first, end) if not sentence.is_noun(i)]
    undo = any(opposites(sentence.verbs[i]) & one for i in turning for one in telling)
    if (not hits or hits * 2 < len(telling)) and not undo:
        told = frozenset(stem for stem in parameter.about if tool.words.get(stem, 0) < 0.5)
        found = {
            i for i in range(first, end)
            if sentence.weights[i] >= 1 and sentence.tokens[i].glosses & told and sentence.denied[i]
        }  # fmt: skip
        found = found or _described(parameter, tool, sentence, first, end)
        if not found:
            if turned is not None and parameter.is_switch:
                yield Fit(parameter, turned[0], turned[1], 0.9)
            return
        hits = 0
    negated = any(is_denied(sentence, i, first) or _is_off(sentence, i, first, end) for i in found)
    if turned is not None and not turned[0]:
        found, negated = found | turned[1], True
    # `unlock the garage` sets `locked` to false.
    undone = {i for i in turning if any(opposites(sentence.verbs[i]) & one for one in telling)}
    if undone and not any(sentence.verbs[i] for i in found - undone):
        found, negated = undone, True
    if parameter.stems & _AVOIDING:
        # `no tolls` avoids them, `tolls are fine` does not.
        avoiding = [one for one in words if one & _AVOIDING]
        negated = not (negated or any(says(sentence.tokens[i], one) for i in range(first, end) for one in avoiding))  # fmt: skip
    yield Fit(parameter, not negated, frozenset(found), 0.6 + 0.5 * hits / len(telling))


def _spelled(parameter: Parameter, sentence: Sentence, first: int, end: int) -> set[int]:
    """Return the words of a name of several that a goal says in this order: `I would buy it again`."""
    if len(parameter.words) < 2:
        return set()
    for start in range(first, end):
        found: list[int] = []
        for words in parameter.words:
            after = range(found[-1] + 1, min(end, found[-1] + _SPREAD)) if found else (start,)
            index = next((i for i in after if sentence.tokens[i].meanings & words), None)  # fmt: skip
            if index is None:
                break
            found.append(index)
        if len(found) == len(parameter.words):
            return {*found}
    return set()


def _described(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> set[int]:
    """Return the words that say most of the description of a switch: `and ask the hotel to waive the fee`."""
    own = tool.verbs | tool.noun_stems
    wanted = [
        words
        for words in _telling(str(parameter.schema.get("description") or ""))
        if not words & own
    ]
    mine = sentence.language.roles["possessives"]
    found: dict[int, int] = {}
    for index in range(first, end):
        token = sentence.tokens[index]
        if token.is_sign or sentence.in_value[index] is not None or token.glosses & own:
            continue
        for at, words in enumerate(wanted):
            said = (
                words & _persons()
                if token.key in mine
                else not token.is_stop and says(token, words)
            )
            if said and at not in found.values():
                found[index] = at
                break
    near = found and max(found) - min(found) <= _FURTHEST
    return {*found} if near and len(found) > 1 and len(found) >= _MOST * len(wanted) else set()


@lru_cache(maxsize=1024)
def _telling(description: str) -> tuple[frozenset[str], ...]:
    """Return the words of the first sentence of a description; none if it denies something."""
    text = _SENTENCE_ENDS.split(description, maxsplit=1)[0]
    if denies(text) or stems_of(text) & _AVOIDING:
        return ()
    speech = detect(text)
    return tuple(
        meanings(token.text, speech.code) for token in tokens_of(text, speech)
        if not (token.is_sign or token.is_stop or token.stem in _SAYING)
    )  # fmt: skip


@cache
def _persons() -> frozenset[str]:
    """Return the stems of words for who speaks: `only workshops that come to the customer`."""
    return persons() | stems_of("customer user patron member client owner tenant patient")


@cache
def _turning() -> tuple[frozenset[str], frozenset[str]]:
    """Return the verbs that turn something on, and those that turn it off."""
    on = verbs_of(("enable", "switch_on", "turn_on", "activate", "subscribe", "allow", "show"))
    off = verbs_of(("disable", "switch_off", "turn_off", "deactivate", "mute", "hide", "forbid"))
    return on, off


def turned_by(
    tool: ToolWords, sentence: Sentence, first: int, end: int
) -> tuple[bool, frozenset[int]] | None:
    """Return whether a part of a goal turns something on or off, and its words: `no more newsletters`."""
    on, off = _turning()
    ceasing = [
        i for i in range(first, end)
        if sentence.in_value[i] is None and sentence.language.phrase_at(sentence.tokens, i, "ceasing")
    ]  # fmt: skip
    for index in range(first, ceasing[-1] if ceasing else first):
        phrase = sentence.language.phrase_at(sentence.tokens, index, "negators", "denying")
        if phrase:
            return False, frozenset(range(index, phrase[1])) | {ceasing[-1]}
    for index in sorted(sentence.orders):
        verbs = sentence.verbs[index]
        if first <= index < end and not verbs & tool.verbs:
            if verbs & (off | undoing()):
                return False, frozenset((index,))
            if verbs & on:
                return True, frozenset((index,))
    return None


def _is_off(sentence: Sentence, index: int, first: int, end: int) -> bool:
    """Whether something is said to be off: `with the camera off`."""
    off = _turning()[1]
    near = range(max(first, index - 2), min(end, index + 3))
    return any(
        sentence.tokens[i].low in _OFF or sentence.tokens[i].glosses & _OFF or sentence.verbs[i] & off
        for i in near if i != index
    )  # fmt: skip


def is_denied(sentence: Sentence, index: int, first: int) -> bool:
    """Whether a word is denied: `isn't neutered`, `not billable`, `without the location data`."""
    if sentence.denied[index]:
        return True
    left = _NEGATED_WORDS
    for near in range(index - 1, first - 1, -1):
        if sentence.roles[near] in ("negators", "without"):
            return True
        # `I do not need the same seats`
        left -= sentence.in_value[index] is not None or not sentence.tokens[near].is_stop
        if left <= 0:
            return False
        if near > first and sentence.roles[near] == "prepositions" and sentence.weights[near - 1]:
            # `no lunch for Theo`
            return sentence.roles[near - 1] in ("negators", "without")
    return False


def is_elsewhere(sentence: Sentence, index: int) -> bool:
    """Whether a word names no choice: it is quoted, or says what is to be done."""
    value = sentence.in_value[index]
    quoted = value is not None and value.kind in ("quoted", "email", "url", "id")
    return quoted or index in sentence.orders


def says(token: Token, words: frozenset[str]) -> bool:
    """Whether a word is one of some stems, or has one as a part: `gluten-free`."""
    if token.is_sign or token.is_stop:
        return False
    if "-" in token.key[1:-1]:
        # `gluten-free`
        stem = language("en").stem
        if any(part in words or stem(part) in words for part in token.key.split("-")):
            return True
    return bool(token.glosses & words) or token.stem in words or token.key in words
