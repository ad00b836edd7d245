"""Ranks completed calls by how much of a goal they explain."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from webagent.agent.deterministic.candidates.coordination import fill_each
from webagent.agent.deterministic.candidates.fill import Filled, Fit, fill
from webagent.agent.deterministic.candidates.leftovers import (
    context,
    names_left,
    object_left,
    orders_left,
    reasons,
    said_beside,
    unused_values,
)
from webagent.agent.deterministic.candidates.lookups import finders, following, is_given
from webagent.agent.deterministic.candidates.pieces import takes_message
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import (
    AWAY,
    are_akin,
    creating,
    generic,
    makes_new,
    opposites,
    recording,
    undoing,
    verbs_of,
)
from webagent.agent.deterministic.candidates.weights import weights
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import edit_distance, identifier_words, parted
from webagent.agent.deterministic.reading.value import WHEN

_ANSWERS: Final[Mapping[str, str]] = {
    "where": "where locate location position place address track tracking map room shelf",
    "when": "when date time day hours schedule calendar opening timetable due slot availability",
    "who": "who person member owner user author contact staff",
    "how much": "price cost fee rate quote amount balance total charge usage consumption tariff budget",
    "how many": "count number quantity total list stock statistics stats amount",
    "is": "status state progress track",
    "is there": "search find list browse look catalogue",
    "how long": "duration time distance length wait hours route",
}
"""By what a question asks for the words of tools that know it."""
NAMES: Final = 0.65
"""How much a word has to say of a tool to name what it does."""
_OF_NAME: Final = 0.9
"""How much the words of a tool's name and title say of it."""
_SAID: Final = 0.5
"""How well a verb has to agree to be said of the tool."""
_TAKEN: Final = 0.35
"""How well any verb agrees with a call that sets the value beside it."""
_COMPOUND: Final = re.compile(r"\b([^\W\d_]{2,60})-([A-ZÄÖÜ][^\W\d_]{2,60})\b")
_INTO: Final = frozenset(("in", "into", "to", "on"))
_SMALL: Final = 5
"""Letters of a small word in which a slip is looked for."""
_ALIKE: Final = 0.7
_SURELY: Final = 0.6
"""How well a value has to fit to be surely given."""
CHOSEN: Final = 1.1
"""How well a word has to fit a choice to name it."""
_MOST_NEEDED: Final = 3
_MOMENT_NAMES: Final = frozenset((
    "at", "begin", "begins", "date", "day", "deadline", "due", "end", "ends", "from", "on", "since", "slot", "start",
    "starts", "time", "until", "when",
))  # fmt: skip
"""Words in the names of fields that have a day or a time."""
_PERSONS: Final = frozenset(("name", "contact", "person", "customer", "member", "user"))
_CHANGING: Final = ("change", "update", "edit", "modify", "set", "adjust")
_DEPRECATED: Final = 0.5
"""The part of its score that a deprecated tool keeps."""
_MOST_CHOICES: Final = 60
_MOST_FILLED: Final = 10
"""Tools that are filled for one part of a goal."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A completed call for a part of a goal."""

    filled: Filled
    first: int
    end: int
    features: Mapping[str, float]
    score: float

    @property
    def tool(self) -> ToolWords:
        """The tool that is called."""
        return self.filled.tool


@dataclass(frozen=True, slots=True)
class _Hints:
    """What a part of a goal says of the tools that may serve it, whatever their words are."""

    said: frozenset[str]
    """Its verb."""
    has_message: bool
    """Whether it has a message for somebody."""
    travels: bool
    """Whether it goes from somewhere to somewhere."""
    following: frozenset[str]
    """The tools that take the things which the calls before it find."""
    kinds: frozenset[str]
    """Kinds of values that it gives."""

    @classmethod
    def of(cls, sentence: Sentence, first: int, end: int, following: frozenset[str]) -> _Hints:
        said = sentence.verbs[sentence.lead(first, end)]
        travels = {"from", "to"} <= {*sentence.preposition[first:end]}
        kinds = {v.kind for v in sentence.values if v.first >= first and v.end <= end}
        # Both ends of a span are days, or times.
        both = {kind.removesuffix("s") for kind in kinds}
        has_message = sentence.message_at(first, end) >= 0
        return cls(said, has_message, travels, following, frozenset(kinds | both))


class Ranking:
    """The tools of a page, ready to be matched."""

    def __init__(self, tools: Sequence[ToolWords]) -> None:
        """Count in how many tools each word is."""
        self.tools = tools
        self._weights = weights("ranking")
        self._vocabulary = frozenset(stem for tool in tools for stem in tool.words) | frozenset(
            stem
            for tool in tools
            for p in tool.parameters
            for c in p.choices
            for row in c.names
            for words in row
            for stem in words
        )
        self._choices = {tool.name: _words_of_choices(tool) for tool in tools}
        self._by_start: dict[str, list[str]] = {}
        for word in sorted(self._vocabulary):
            self._by_start.setdefault(word[:1], []).append(word)
        counts = Counter(
            stem for tool in tools for stem, weight in tool.words.items() if weight >= 0.6
        )
        self.finders = {
            (tool.name, p.path): finders(tools, tool, p) for tool in tools for p in tool.parameters if p.names_thing
        }  # fmt: skip
        self._rarity = {
            stem: min(
                1.0, 0.35 + math.log((len(tools) + 1) / (count + 0.5)) / math.log(len(tools) + 2)
            )
            for stem, count in counts.items()
        }

    def mended(self, sentence: Sentence) -> Sentence:
        """Return a goal whose unknown words mean the words of the tools that they are like.

        These are slips of the pen, and words that two languages share: `reserva`, `Reservierung`.
        """
        small = [key for key in sentence.language.phrases if len(key) >= _SMALL]
        tokens = [
            replace(token, is_stop=True)
            if self._is_slip(sentence, index, small)
            else replace(token, glosses=token.glosses | self._alike(token.key, token.stem))
            if sentence.weights[index] >= 1.0
            and not any(g in self._vocabulary for g in token.glosses)
            else token
            for index, token in enumerate(sentence.tokens)
        ]
        return replace(sentence, tokens=tokens)

    def parted(self, text: str) -> str:
        """Return a text in which a name stands apart from a tool's noun: `Tolkien-Bücher`."""
        nouns = frozenset[str]().union(*(tool.noun_stems for tool in self.tools))
        german = language("de")

        def apart(match: re.Match[str]) -> str:
            key = german.key(match[2])
            return (
                f"{match[1]} {match[2]}"
                if nouns & {*german.gloss(german.stem(key), key)}
                else match[0]
            )

        return _COMPOUND.sub(apart, text)

    def _is_slip(self, sentence: Sentence, index: int, small: Sequence[str]) -> bool:
        """Whether an unknown word is a small one with a slip: `pleese`."""
        token = sentence.tokens[index]
        if len(token.key) < _SMALL or token.is_capital or not token.key.isalpha() or token.stem in sentence.language.glosses or token.stem in sentence.language.phrases or token.stem in self._vocabulary:  # fmt: skip
            return False
        return any(
            key[0] == token.key[0] and key != token.key and abs(len(key) - len(token.key)) < 2 and edit_distance(key, token.key, 1) == 1
            for key in small
        )  # fmt: skip

    def _alike(self, key: str, stem: str) -> frozenset[str]:
        if len(key) < 4 or not key[0].isalpha():
            return frozenset()
        best, found = 0.0, ""
        for word in self._by_start.get(key[:1], ()):
            likeness = _likeness(key, stem, word)
            if likeness > best:
                best, found = likeness, word
        if best < _ALIKE:
            return frozenset()
        return frozenset((found,)) | parted(language("en").glosses.get(found, ()))[0]

    def candidates(
        self, sentence: Sentence, first: int, end: int, before: Sequence[Filled] = ()
    ) -> list[Candidate]:
        """Return the completed calls of a part of a goal, the best first, after the calls before it."""
        hints = _Hints.of(sentence, first, end, following(self.finders, before))
        rough = sorted(
            (
                (self._rough(tool, sentence, first, end, hints), -index)
                for index, tool in enumerate(self.tools)
            ),
            reverse=True,
        )
        found = []
        for score, index in rough[:_MOST_FILLED]:
            if score <= 0:
                break
            filled = fill_each(self.tools[-index], sentence, first, end)
            filled.missing = [p for p in filled.missing if not is_given(p, filled.tool, before)]
            features = self._features(filled, sentence, first, end)
            if features["conflict"] and filled.tool.reads and self._orders(sentence, first, end):
                # An order to change something is not served by looking.
                continue
            total = sum(self._weights[name] * value for name, value in features.items())
            if filled.tool.is_deprecated and total > 0:
                total *= _DEPRECATED
            found.append(Candidate(filled, first, end, features, total))
        found.sort(key=lambda one: -one.score)
        return found

    def _orders(self, sentence: Sentence, first: int, end: int) -> bool:
        """Whether a part of a goal begins with an order."""
        return sentence.lead(first, end) in sentence.orders

    def _rough(
        self, tool: ToolWords, sentence: Sentence, first: int, end: int, hints: _Hints
    ) -> float:
        score = 0.3 * _answers(tool, sentence, first, end)
        score += 0.3 * (sentence.asks(first, end) and _owns(tool, sentence, first, end))
        score += 0.2 * bool(hints.said & tool.noun_stems)
        score += 0.3 * (hints.has_message and any(map(takes_message, tool.parameters)))
        score += 0.2 * (hints.travels and _has_ends(tool)) + 0.3 * (tool.name in hints.following)
        for parameter in tool.parameters:
            # A value that few parameters take says little, and more than nothing.
            if parameter.kind in hints.kinds or (parameter.kind == "datetime" and "date" in hints.kinds):  # fmt: skip
                score += 0.15 if parameter.required else 0.05
        said = self._said(tool, sentence)
        return score + said[end] - said[first]

    def _said(self, tool: ToolWords, sentence: Sentence) -> Sequence[float]:
        """Return how much the words up to each token speak for a tool."""
        key = (Ranking, id(self), tool.name)
        _, known = sentence.known.get(key) or (self, None)
        if known is None:
            keys, stems = self._choices[tool.name]
            known = [0.0]
            for token, weight in zip(sentence.tokens, sentence.weights, strict=True):
                said = 0.0
                if weight:
                    said = max((
                        tool.words[gloss] * self._rarity.get(gloss, 1.0) * (1.0 if gloss == token.stem else 0.9)
                        for gloss in token.glosses if gloss in tool.words
                    ), default=0.0)  # fmt: skip
                    said += 0.6 * (token.key in keys or not stems.isdisjoint(token.glosses))
                known.append(known[-1] + said)
            # This ranking is kept with what it found, so that no other one gets its id.
            sentence.known[key] = self, known
        return known

    def _found_by(
        self, filled: Filled, sentence: Sentence, first: int, end: int
    ) -> tuple[frozenset[int], int, bool]:
        """Return the words that another tool explains, which finds what a call lacks.

        The number is of parameters that are lacking and can be found; the last says whether a name
        that is said can be looked up.
        """
        named = [f.parameter for f in filled.fits if f.is_name]
        lacking = [p for p in filled.missing if p.names_thing]
        words: set[int] = set()
        count, found = 0, False
        for parameter in (*lacking, *named):
            known = self.finders.get((filled.tool.name, parameter.path))
            if not known:
                continue
            count += parameter in lacking
            found = found or parameter in named
            taken = frozenset[int]().union(
                *(f.tokens for f in filled.fits if f.parameter is not parameter)
            )
            other = known[0][0]
            # `my visit on Friday` says which visit.
            days = (
                v for v in sentence.values
                if v.kind in WHEN and first <= v.first and v.end <= end and _has_days(other)
            )  # fmt: skip
            words.update(i for v in days for i in range(v.first, v.end) if i not in taken)
            finding = fill(other, sentence, first, end, taken | filled.group_tokens).fits
            # A word that only belongs to a choice is another thing: `flight` among books of `Travel`.
            near = (f for f in finding if f.parameter.kind != "enum" or f.score >= CHOSEN)
            words.update(i for fit in near for i in fit.tokens)
            stems = other.noun_stems
            words.update(i for i in range(first, end) if sentence.tokens[i].glosses & stems)
        return frozenset(words), count, found

    def _verbs(
        self, tool: ToolWords, sentence: Sentence, first: int, end: int, lead: int, valued: frozenset[int]
    ) -> tuple[float, float, float]:  # fmt: skip
        """Return how well verbs agree with the tool's, whether they conflict, and whether they are its opposite."""
        own = tool.verbs | tool.described if tool.verbs <= generic() else tool.verbs
        best = conflict = opposed = 0.0
        # `what time do you close` is answered by the opening hours.
        asks = sentence.asks(first, end)
        for index in range(first, end):
            said = sentence.verbs[index]
            if not said or (index != lead and index in valued):
                continue
            if sentence.is_deed(index) and not tool.verbs & recording():
                # `I deleted it` orders to delete nothing, and what brings it back is no opposite.
                continue
            if index == lead and index in valued and not tool.reads:
                # `hide my profile` sets its visibility to hidden.
                best = max(best, 0.7)
            if said & tool.verbs:
                best = 1.0
            elif said & tool.described:
                best = max(best, 0.8)
            elif are_akin(said, own):
                best = max(best, 0.7)
            elif said & tool.noun_stems and not tool.reads and (index == lead or tool.verbs & creating()):  # fmt: skip
                # `remind me` sets a reminder.
                best = max(best, 0.7)
            elif any(tool.words.get(stem, 0) >= 0.6 for stem in said):
                best = max(best, 0.35)
            if (
                opposites(said) & tool.verbs
                # `cancel the booking` books nothing.
                and not (best == 1.0 and index not in sentence.orders)
                and not said & (tool.verbs | tool.described)
                and not (tool.reads and asks)
            ):
                opposed = 1.0
        undoes = bool(tool.verbs & undoing())
        if best < _SAID and undoes and self._goes_into(tool, sentence, first, end):
            opposed = 1.0
        if undoes and self._chooses(tool, sentence, first, end, lead):
            best, opposed = 0.0, 1.0
        said = sentence.verbs[lead] if lead in sentence.orders else frozenset()
        # `book a flight` is an order, whatever else the word means.
        surely = not sentence.is_noun(lead) or (
            lead + 1 < end and sentence.tokens[lead + 1].is_stop
        )
        if best < 0.5 and own and said and not said & generic() and surely:
            conflict = 1.0
        return best, conflict, opposed

    def _goes_into(self, tool: ToolWords, sentence: Sentence, first: int, end: int) -> bool:
        """Whether something goes to where a tool takes it from: `five of them into the basket`."""
        return any(
            sentence.preposition[i] in _INTO and sentence.tokens[i].glosses & tool.noun_stems
            for i in range(first, end)
        )

    def _chooses(
        self, tool: ToolWords, sentence: Sentence, first: int, end: int, lead: int
    ) -> bool:
        """Whether something is taken, but not away: `I'll take the second one`."""
        takes = (
            lead < end
            and sentence.verbs[lead] & verbs_of(("take",))
            and not sentence.verbs[lead] & tool.verbs
        )
        return bool(takes) and not any(sentence.tokens[i].key in AWAY for i in range(first, end))

    def _pointing(self, filled: Filled, sentence: Sentence, first: int, end: int) -> frozenset[int]:
        """Return the words that point at a thing found before, where a call lacks one: `the best rated one`."""
        if not any(p.names_thing for p in filled.missing):
            return frozenset()
        found: set[int] = set()
        for index in range(first, end):
            value = sentence.in_value[index]
            if sentence.roles[index] in ("superlatives", "pronouns"):
                # `the most subscribers`, `the best rated one`
                near = range(index, min(index + 3, end))
                found.update(i for i in near if not sentence.verbs[i] or i == index)
            elif (value is not None and value.kind == "ordinal") or sentence.is_pro_form(index):
                found.add(index)
        return frozenset(found)

    def _particle(self, tool: ToolWords, sentence: Sentence, first: int, end: int) -> float:
        if not tool.particles:
            return 0.0
        said = {sentence.tokens[i].key for i in range(first, end)}
        meant = frozenset[str]().union(*(sentence.tokens[i].glosses for i in range(first, end)))
        return 1.0 if tool.particles & (said | meant) else -1.0

    def _features(
        self, filled: Filled, sentence: Sentence, first: int, end: int
    ) -> dict[str, float]:
        tool = filled.tool
        valued = filled.tokens | {
            index for value in sentence.values if filled.tokens & {*range(value.first, value.end)}
            for index in range(value.first, value.end)
        }  # fmt: skip
        if any(fit.is_name and sentence.is_quoted(fit.tokens) for fit in filled.fits):
            # Of several names each is a call of its own.
            valued |= {i for i in range(first, end) if sentence.is_quoted(frozenset((i,)))}
        found_by, looked_up, is_known = self._found_by(filled, sentence, first, end)
        poured = frozenset[int]().union(*(fit.tokens for fit in filled.fits if fit.poured))
        pointing = self._pointing(filled, sentence, first, end)
        total = explained = said_name = 0.0
        left: dict[int, float] = {}
        lead = sentence.lead(first, end)
        for index in range(first, end):
            weight = sentence.weights[index]
            if not weight:
                continue
            total += weight
            token = sentence.tokens[index]
            said = max((tool.words.get(g, 0.0) for g in token.glosses), default=0.0)
            if (
                index == lead
                and lead in sentence.orders
                and tool.verbs
                and not sentence.verbs[lead] & tool.verbs
            ):
                said = 0.9 if are_akin(sentence.verbs[lead], tool.verbs) else min(said, 0.3)
            if makes_new(sentence.verbs[index], tool.verbs):
                said = max(said, 0.9)
            worth = said
            if index in poured:
                worth = max(worth, 0.35)
            elif index in valued:
                worth = max(worth, 0.95)
            elif index in found_by or index in pointing:
                worth = max(worth, 0.8)
            said_name += weight * said if worth == said >= _OF_NAME else 0.0
            explained += weight * worth
            left[index] = weight * (1 - worth)
        verb, conflict, opposed = self._verbs(tool, sentence, first, end, lead, valued - poured)
        sets = _sets_value(filled)
        if sets:
            # `show everything in Fahrenheit` sets the units, whatever its verb is.
            verb, conflict = max(verb, _TAKEN), 0.0
        nouns = tool.nouns
        noun_weights = [max((self._rarity.get(s, 1.0) for s in n), default=0.5) for n in nouns]
        matched = [
            any(
                sentence.tokens[i].glosses & n
                for i in range(first, end)
                # `book a flight` speaks of no book.
                if sentence.weights[i]
                and not (
                    i == lead and lead in sentence.orders and not sentence.verbs[lead] & tool.verbs
                )
            )
            for n in nouns
        ]
        noun = (
            sum(w for w, m in zip(noun_weights, matched, strict=True) if m) / sum(noun_weights)
            if nouns
            else 0.4
        )
        spans = reasons(left, sentence, first, end)
        beside = said_beside(left, sentence, spans)
        unused = unused_values(tool, sentence, first, end, valued | found_by, beside)
        names = [fit for fit in filled.fits if fit.is_name]
        ids = [fit.tokens for fit in filled.fits if fit.parameter.kind == "id" and not fit.is_name]
        taken = [v for v in sentence.values if v.kind == "id" and any(v.first in tokens for tokens in ids)]  # fmt: skip
        asks = sentence.asks(first, end)
        wants = any(sentence.roles[i] in ("polite", "wanting") for i in range(first, end))
        return {
            "call": 1.0,
            "said_name": said_name,
            "explained": explained,
            "unexplained": total - explained,
            "context": context(left, spans),
            "object_left": object_left(left, sentence, first, end, lead),
            "verb": verb,
            "conflict": conflict,
            "opposed": opposed,
            "noun": noun,
            "named": float(all(matched)) if nouns else 0.0,
            "missing": float(min(len(filled.missing) - looked_up, 3)),
            "lookup": float(looked_up),
            "poured": float(sum(fit.poured for fit in filled.fits)),
            "unused": float(min(len(unused), 3)),
            "names_left": float(min(names_left(left, sentence, filled.tokens, beside), 3)),
            "fits": min(sum(fit.score for fit in filled.fits) + filled.group_score, 6.0),
            "particle": self._particle(tool, sentence, first, end),
            "asked": float(asks and tool.reads) - float(asks and not tool.reads),
            "writes_question": float(asks and not tool.reads and not wants),
            "pointing": float(bool(pointing)),
            "finder": float(is_known),
            "answers": float(_answers(tool, sentence, first, end)),
            "complete": float(_complete(filled, is_known)),
            "looked_up": float(len(names)),
            "plain_names": float(sum(_is_plain(sentence, fit) for fit in names)),
            "ids": float(len(taken)),
            "filled": _share_filled(filled),
            "owned": float(asks and _owns(tool, sentence, first, end)),
            "idle": float(_is_idle(filled)),
            "orders_left": 0.0
            if sets
            else float(min(orders_left(tool, sentence, first, end, valued - poured), 2)),
        }


@cache
def _answered() -> Mapping[str, frozenset[str]]:
    """Return by a question the words of tools that answer it."""
    stem = language("en").stem
    return {asked: frozenset(map(stem, words.split())) for asked, words in _ANSWERS.items()}


def _answers(tool: ToolWords, sentence: Sentence, first: int, end: int) -> bool:
    """Whether a tool that reads gives what a question asks for: a place for `where`."""
    if not tool.reads:
        return False
    for index in range(first, end):
        if sentence.roles[index] == "questions":
            asked = sentence.question_at(index)
            exists = sentence.language.phrase_at(sentence.tokens, index, "existence") is not None
            # `habt ihr samstags auf?` asks for no thing.
            things = [i for i in range(index, end) if sentence.is_noun(i) and "day" not in sentence.tokens[i].glosses]  # fmt: skip
            if exists and things and any(p.is_query for p in tool.parameters):
                asked = "is there"
            elif asked == "is" and not any(v.kind == "id" and first <= v.first < end for v in sentence.values):  # fmt: skip
                return False
            words = _answered().get(asked, ())
            return any(tool.words.get(word, 0) >= NAMES for word in words)
    return False


def _words_of_choices(tool: ToolWords) -> tuple[frozenset[str], frozenset[str]]:
    """Return the values that a tool offers as they are written, and the stems of their names."""
    offered = [c for p in tool.parameters for c in p.choices[:_MOST_CHOICES]]
    keys = frozenset(key for one in offered for key in one.keys)
    return keys, frozenset(
        s for one in offered for row in one.names for words in row for s in words
    )


def _has_ends(tool: ToolWords) -> bool:
    """Whether a tool takes where something begins and where it ends."""
    return {"from", "to"} <= frozenset[str]().union(*(p.names for p in tool.parameters))


def _has_days(finder: ToolWords) -> bool:
    """Whether the things that a tool finds may have days or times."""
    return not finder.outputs or any(
        _MOMENT_NAMES.intersection(identifier_words(name)) for name in finder.outputs
    )


def _owns(tool: ToolWords, sentence: Sentence, first: int, end: int) -> bool:
    """Whether a tool shows what the person has, and the goal speaks of that: `my next delivery`."""
    return tool.reads and tool.is_own and sentence.is_owned(first, end)


def _share_filled(filled: Filled) -> float:
    """Return how many of the parameters are given; where nothing is, that says nothing."""
    given = {fit.parameter.path for fit in filled.fits}
    return len(given) / len(filled.tool.parameters) if given else 0.5


def _is_plain(sentence: Sentence, fit: Fit) -> bool:
    """Whether a name that is looked up is written like any other word: `status`."""
    return not any(sentence.is_name(i) or sentence.in_value[i] is not None for i in fit.tokens)


def _complete(filled: Filled, is_known: bool) -> int:
    """Return how many parameters a call cannot do without, if the goal surely gives all of them."""
    needed = {p.path for p in filled.tool.parameters if p.required and not p.group}
    given = {
        fit.parameter.path for fit in filled.fits
        if fit.tokens and fit.score >= _SURELY and not fit.poured and (is_known or not fit.is_name)
    }  # fmt: skip
    groups = [group for group in filled.tool.groups if group in filled.groups]
    return (
        min(len(needed) + len(groups), _MOST_NEEDED)
        if needed <= given and not filled.missing
        else 0
    )


def _sets_value(filled: Filled) -> bool:
    """Whether a call sets something to what the goal surely gives."""
    # `2x Harbour Songs -> basket` changes no count of what is not there yet.
    known = not filled.missing and not any(fit.is_name for fit in filled.fits)
    return (
        known
        and bool(filled.tool.verbs & verbs_of(_CHANGING))
        and any(
            fit.parameter.kind in ("enum", "boolean", "number") and fit.score >= _SURELY
            for fit in filled.fits
        )
    )


def _is_idle(filled: Filled) -> bool:
    """Whether a call names a thing, and nothing of what it could change: `edit_episode` of an id alone."""
    tool = filled.tool
    given = {fit.parameter.path for fit in filled.fits}
    needed = [p for p in tool.parameters if p.required]
    free = [p for p in tool.parameters if not p.required]
    return bool(
        not tool.reads and free and needed and tool.verbs & verbs_of(_CHANGING)
        and all(p.kind == "id" or p.names & _PERSONS for p in needed)
        and not filled.groups and not any(p.path in given for p in free)
    )  # fmt: skip


def _likeness(key: str, stem: str, word: str) -> float:
    """Return how much a word of a goal is like a word of the tools: 1 for a common beginning."""
    if len(word) < 4 or abs(len(word) - len(stem)) > 4:
        return 0.0
    common = 0
    for one, other in zip(key, word, strict=False):
        if one != other:
            break
        common += 1
    if common >= 5 and common >= 0.7 * len(word) and common >= 0.6 * len(stem):
        return common / len(word)
    if min(len(stem), len(word)) < _SMALL:
        return 0.0
    slips = 1 if min(len(stem), len(word)) < 7 else 2
    if abs(len(stem) - len(word)) <= slips and edit_distance(stem, word, slips) <= slips:
        return 0.85
    return 0.0
