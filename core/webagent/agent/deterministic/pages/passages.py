"""Answers a question from the text of a page: the passage that covers it, and where it is."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Final

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.pages.lexicon import everywhere, page_words
from webagent.agent.deterministic.pages.page_words import PageText, Unit, page_text, shortened
from webagent.agent.deterministic.reading.chunks import folded
from webagent.agent.deterministic.reading.language import Language, detect, language
from webagent.agent.deterministic.reading.tokens import Token, tokens_of
from webagent.agent.deterministic.reading.values import values_of
from webagent.page.snapshot import Snapshot

LONGEST: Final = 400
"""Characters of an extract."""
_LEAST: Final = 0.7
"""Share of a question that a passage has to cover."""
_SURE: Final = 0.95
"""The same where it has no answer of the type that is asked for."""
_IDIOM_GAP: Final = 3
"""Words that may be between two words of a phrase."""
_SHORT: Final = 120
"""Characters of a line that is only an address, or a number."""
_MOST_JUDGED: Final = 12
"""Passages that are looked at for the type of answer."""
_NEAR: Final = 0.6
"""Score of a passage, by that of the best, that is told with it."""
_WORD: Final = re.compile(r"[^\W_]+")
_CAPITAL: Final = r"[^\W\d_a-zß-ÿ][\w'’-]*\.?"
_NAME: Final = re.compile(rf"{_CAPITAL}(?: (?:[a-z]{{1,3}} ){{0,2}}{_CAPITAL}){{1,4}}")
"""Two or more capital words, with a `von` or `de la` between."""
_HOUSE: Final = re.compile(
    r"[^\W\d_]{3,} \d{1,4}[a-z]?\b|\b\d{1,4}[a-z]?,? [^\W\d_]{3,}|\b\d{4,5} [^\W\d_]{3,}"
)
_STREET: Final = re.compile(r"\b\d{1,4}[a-z]? [A-ZÀ-Þ]\w{2,}|\b[A-ZÀ-Þ]\w{2,} \d{1,4}[a-z]?(?:,|$)")
"""A house with its street, either first."""
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "moment": frozenset(("date", "time", "datetime", "dates", "times", "datetimes", "duration")),
    "money": frozenset(("money",)),
    "amount": frozenset(("money", "quantity", "percent")),
    "number": frozenset(("number", "quantity", "percent", "ordinal")),
    "duration": frozenset(("duration", "quantity", "times", "dates", "datetimes")),
    "email": frozenset(("email",)),
    "phone": frozenset(("phone",)),
}
_ASKED: Final = {
    "who": "name", "whose": "name", "when": "moment", "where": "place", "how many": "number", "how much": "amount",
    "how long": "duration",
}  # fmt: skip
_NARROWING: Final = frozenset(
    ("to", "from", "in", "into", "at", "on", "for", "with", "without", "near", "by", "between")
)
"""Prepositions before what an answer cannot do without: shipping `to Germany`."""
_PLACING: Final = frozenset(("in", "at", "near", "on"))
_MOST_SENTENCES: Final = 2_000
_NO_TIME: Final = datetime(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class Passage:
    """What a page says, and where."""

    text: str
    heading: str = ""
    coverage: float = 1.0
    """How much of the question it covers."""
    tokens: frozenset[int] = frozenset()
    """Words of the question that it has."""

    def told(self) -> str:
        """Return the extract with its heading."""
        return (
            f"{self.heading}: {self.text}"
            if self.heading and self.heading not in self.text
            else self.text
        )


@dataclass(frozen=True, slots=True)
class _Term:
    index: int
    worth: float
    needed: bool
    """Whether no answer can do without it: a name, a number."""


def answer_type(sentence: Sentence, first: int, end: int) -> str:
    """Return what kind of answer a question wants, or nothing."""
    words = page_words(sentence.language.code)
    found = ""
    for index in range(first, end):
        phrase = sentence.language.phrase_at(sentence.tokens, index, "questions")
        if phrase and phrase[1] <= end and not found:
            found = _ASKED.get(str(phrase[0].meaning), "")
        said = words.at(sentence.tokens, index, "page_answers", end)
        meant = said.meaning.partition(" ")[0] if said else found
        if found in ("", "amount", meant):
            found = meant
    return found


def language_of(page: PageText) -> Language:
    """Return the language that a page is written in."""
    return detect(" ".join(unit.text for unit in page.units[:200])[:4_000])


def answer(
    sentence: Sentence, first: int, end: int, subject: Iterable[int], snapshot: Snapshot
) -> Passage | None:
    """Return the passage that answers a question; None if the page does not say it.

    Args:
        sentence: The goal.
        first: First token of the question.
        end: End of the question.
        subject: The tokens that say what it is about.
        snapshot: The page.
    """
    page = page_text(snapshot.text)
    speech = language_of(page)
    terms = [_term(sentence, index) for index in subject][:24]
    if not terms or not page.units:
        return None
    finder = _Finder(sentence, terms, speech)
    rows = [finder.hits(unit.text) for unit in page.units]
    heads = [finder.hits(heading.text) for heading in page.headings]
    kind = answer_type(sentence, first, end)
    found = _ranked(page, rows, heads, terms, finder)
    judged: list[_Ranked] = []
    for one in found[:_MOST_JUDGED]:
        fits = _fits(kind, page.units[one.unit], speech) if kind else 1.0
        least = _LEAST if fits else _SURE
        if one.coverage >= least and (fits or len(terms) > 1):
            judged.append(replace(one, score=one.score * (0.4 + fits)))
    if not judged:
        return _usual(sentence, first, end, terms, page, speech)
    best = max(judged, key=lambda one: (one.score, -one.unit))
    close = {
        one.unit for one in judged if one.score >= _NEAR * best.score and one.own >= best.own
    } | {best.unit}
    text = _extract(page, best.unit, close)
    tokens = frozenset(terms[number].index for number in best.has)
    return Passage(text, _heading(page, best.unit), best.coverage, tokens)


def covered(sentence: Sentence, subject: Sequence[int], text: str, speech: Language) -> float:
    """Return the part of the words of a question that a title has."""
    hits = _Finder(sentence, [_term(sentence, index) for index in subject], speech).hits(text)
    return sum(min(1.0, weight) for weight in hits.values()) / len(subject)


def _usual(
    sentence: Sentence,
    first: int,
    end: int,
    terms: Sequence[_Term],
    page: PageText,
    speech: Language,
) -> Passage | None:
    """Return what most pages say without a word for it: the address, the telephone, the opening hours."""
    words = page_words(sentence.language.code)
    days = sentence.language.roles["weekdays"]
    said = {
        index: str(found.meaning)
        for index in range(first, end)
        if (found := words.at(sentence.tokens, index, "page_answers", end))
    }
    if not said or any(
        term.index not in said and sentence.in_value[term.index] is None
        and days.keys().isdisjoint((sentence.tokens[term.index].key, sentence.tokens[term.index].stem)) and not sentence.verbs[term.index]
        for term in terms
    ):  # fmt: skip
        return None
    kind = next(iter(said.values())).partition(" ")[0]
    if "moment open" in said.values():
        # All lines with hours count: one says `Tuesday to Saturday`, the next `Thursday to 8`.
        hours = [number for number, unit in enumerate(page.units) if _is_hours(unit.text, speech)]
        last = [
            number for number in hours if hours[-1] - number == len(hours) - 1 - hours.index(number)
        ]
        text = "\n".join(page.units[number].text for number in last)
        return Passage(shortened(text, LONGEST), tokens=frozenset(said)) if text else None
    if kind not in ("place", "phone", "email"):
        return None
    line = next((
        unit for unit in reversed(page.units)
        if len(unit.text) < _SHORT and (_STREET.search(unit.text) if kind == "place" else _fits(kind, unit, speech) >= 1)
    ), None)  # fmt: skip
    return Passage(line.text, tokens=frozenset(said)) if line else None


def _is_hours(text: str, speech: Language) -> bool:
    """Whether a line has a day of the week and an hour, and is not a date."""
    words = {speech.key(word) for word in _WORD.findall(text[:LONGEST])}
    dated = any(month in words for month in speech.roles["months"])
    return (
        not dated
        and not words.isdisjoint(speech.roles["weekdays"])
        and any(word.isdecimal() for word in words)
    )


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A passage with the numbers of the terms that it has."""

    score: float
    coverage: float
    unit: int
    own: frozenset[int]
    """Terms in it, its headings and its columns."""
    has: frozenset[int]
    """The same with those of the sentence before it."""


def _term(sentence: Sentence, index: int) -> _Term:
    token = sentence.tokens[index]
    verb = bool(sentence.verbs[index]) and not token.is_capital
    value = sentence.in_value[index]
    nouns_are_capital = sentence.language.compound_words
    name = token.is_capital and index > 0 and not nouns_are_capital
    placed = sentence.preposition[index] in _NARROWING
    needed = (
        name or placed or token.is_figure or (value is not None and value.kind in ("id", "quoted"))
    )
    kind = page_words(sentence.language.code).at(sentence.tokens, index, "page_answers")
    # A verb is often another one on the page; of `what time` the answer itself speaks.
    return _Term(index, 0.4 if kind else 0.5 if verb else 1.0, needed)


class _Finder:
    """Finds the words of a question in a page, whatever languages both are in."""

    def __init__(self, sentence: Sentence, terms: Sequence[_Term], speech: Language) -> None:
        self._speech = speech
        self._stems: dict[str, dict[int, float]] = {}
        same = sentence.language.code == speech.code
        for number, term in enumerate(terms):
            token = sentence.tokens[term.index]
            said = page_words(sentence.language.code).at(
                sentence.tokens, term.index, "page_answers"
            )
            alike = [(stem, 0.9) for stem in _alike(said.meaning, speech.code)] if said else []
            for stem, weight in (*_stems(token, speech, same=same), *alike):
                known = self._stems.setdefault(stem, {})
                known[number] = max(weight, known.get(number, 0.0))
        phrases = [
            *((first, rest, means) for first, found in speech.idioms.items() for rest, means in found),
            *((verb, (particle,), means) for particle, verbs in speech.particles.items() for verb, means in verbs.items()),
        ]  # fmt: skip
        self._idioms = [
            (first, rest, number)
            for first, rest, means in phrases
            for number, term in enumerate(terms)
            if not sentence.tokens[term.index].glosses.isdisjoint(means)
        ]
        starts = sorted(
            {re.escape(stem[:3]) for stem in (*self._stems, *(i[0] for i in self._idioms))}
        )
        self._likely = re.compile("|".join(starts) or r"(?!)")
        self._long = [s for s in self._stems if len(s) > 4] if speech.compound_words else []
        self._known: dict[str, Mapping[int, float]] = {}

    def hits(self, text: str) -> Mapping[int, float]:
        """Return by question word how surely a text has it."""
        low = folded(text, self._speech.cuts.spellings)
        if not self._likely.search(low):
            return {}
        found: dict[int, float] = {}
        for word in _WORD.findall(low):
            for number, weight in self._word(word).items():
                if weight > found.get(number, 0.0):
                    found[number] = weight
        if self._idioms:
            stems = [self._speech.stem(word) for word in _WORD.findall(low)]
            for first, rest, number in self._idioms:
                if number not in found and _has_idiom(stems, first, rest):
                    found[number] = 0.8
        return found

    def _word(self, word: str) -> Mapping[int, float]:
        known = self._known.get(word)
        if known is None:
            known = {}
            if self._likely.search(word):
                known = self._stems.get(word) or self._stems.get(self._speech.stem(word)) or {}
                for stem in self._long if not known else ():
                    if stem in word:
                        known = {
                            number: 0.8 * weight for number, weight in self._stems[stem].items()
                        }
                        break
            self._known[word] = known
        return known


def _has_idiom(stems: Sequence[str], first: str, rest: Sequence[str]) -> bool:
    """Whether a text has a phrase, its words up to a few apart: `send anything back`."""
    for at, stem in enumerate(stems):
        if stem != first:
            continue
        for wanted in rest:
            near = range(at + 1, min(len(stems), at + 2 + _IDIOM_GAP))
            at = next((i for i in near if stems[i] == wanted), -1)
            if at < 0:
                break
        else:
            return True
    return False


def _alike(meaning: str, code: str) -> list[str]:
    """Return the stems of words that ask for the same: `open`, `opening hours`."""
    forms = page_words(code).phrases["page_answers"]
    return [
        first.rstrip("*")
        for first, found in forms.items()
        if any(f.meaning == meaning for f in found)
    ]


def _stems(token: Token, speech: Language, *, same: bool) -> list[tuple[str, float]]:
    """Return what a word of the question may be in the page, with how surely."""
    found = [(token.key, 1.0), (speech.stem(token.key), 1.0)]
    if same:
        found.append((token.stem, 1.0))
    if "-" in token.key:
        found += ((speech.stem(part), 0.9) for part in token.key.split("-"))
    meant = token.glosses
    if speech.code == "en":
        found += ((gloss, 0.6) for gloss in meant)
    elif meant:
        found += (
            (stem, 0.6) for stem, words in speech.glosses.items() if not meant.isdisjoint(words)
        )
    if speech.code != "en" and not same:
        found.append((language("en").stem(token.key), 0.9))
    return [(stem, weight) for stem, weight in found if len(stem) > 1 or stem.isdecimal()]


def _ranked(
    page: PageText, rows: Sequence[Mapping[int, float]], heads: Sequence[Mapping[int, float]],
    terms: Sequence[_Term], finder: _Finder,
) -> list[_Ranked]:  # fmt: skip
    """Return what speaks of a question, the best first."""
    counts = Counter(number for hits in (*rows, *heads) for number in hits)
    total = len(rows) + len(heads)
    idf = [math.log(1 + (total - counts[n] + 0.5) / (counts[n] + 0.5)) for n in range(len(terms))]
    whole = sum(term.worth for term in terms)
    needed = {number for number, term in enumerate(terms) if term.needed}
    mean = sum(len(unit.text) for unit in page.units) / len(page.units)
    above: dict[int, Mapping[int, float]] = {-1: {}}
    for number, heading in enumerate(page.headings):
        above[number] = _merged(heads[number], above[heading.parent], 0.9)
    columns: dict[tuple[str, ...], Mapping[int, float]] = {(): {}}
    found = []
    for at, unit in enumerate(page.units):
        if unit.columns not in columns:
            columns[unit.columns] = finder.hits(" ".join(unit.columns))
        own, around = rows[at], _merged(above[unit.heading], columns[unit.columns], 1.0)
        follows = at > 0 and page.units[at - 1].line == unit.line
        context = _merged(around, rows[at - 1], 0.8) if follows else around
        has = _merged(own, context, 0.9)
        if not has or not needed <= has.keys():
            continue
        coverage = sum(terms[n].worth * min(1.0, weight + 0.2) for n, weight in has.items()) / whole
        long = 0.75 + 0.25 * len(unit.text) / mean
        score = sum(idf[n] * weight for n, weight in own.items()) * 2.2 / (1.2 + long)
        score += 0.85 * sum(idf[n] * weight for n, weight in context.items() if n not in own)
        found.append(
            _Ranked(
                score * coverage,
                min(coverage, 1.0),
                at,
                frozenset(own) | frozenset(around),
                frozenset(has),
            )
        )
    found.sort(key=lambda one: (-one.score, one.unit))
    return found


def _merged(
    one: Mapping[int, float], other: Mapping[int, float], factor: float
) -> Mapping[int, float]:
    if not other:
        return one
    return {n: max(one.get(n, 0.0), factor * other.get(n, 0.0)) for n in {*one, *other}}


def _fits(kind: str, unit: Unit, speech: Language) -> float:
    """Return how surely a passage has an answer of a kind: a name, a time, a sum, a place."""
    text = unit.text[:LONGEST]
    if kind == "name":
        return float(_has_name(text, speech) or text.upper() == text.lower())
    if kind == "place":
        streets = everywhere("page_streets")
        # `Hafenstraße` ends with one.
        ends = tuple(street for street in streets if len(street) > 4)
        words = {word.lower() for word in _WORD.findall(text)}
        if (
            not words.isdisjoint(streets)
            or any(w.endswith(ends) for w in words)
            or _HOUSE.search(text)
        ):
            return 1.0
        said, tokens = speech.roles.get("prepositions", {}), tokens_of(text, speech)
        pairs = pairwise(tokens)
        return 0.5 * any(said.get(one.key) in _PLACING and after.is_capital for one, after in pairs)
    values = values_of(text, tokens_of(text, speech), speech, _NO_TIME)
    if any(value.kind in _KINDS[kind] for value in values):
        return 1.0
    if kind == "amount" and any(value.kind == "number" for value in values):
        return 0.5
    return 0.0


def _has_name(text: str, speech: Language) -> bool:
    """Whether a text has two capital words beside each other that are no `The` and `We`."""
    found = (_WORD.findall(match[0]) for match in _NAME.finditer(text))
    return any(
        sum(w[0].isupper() and speech.key(w) not in speech.stop for w in words) > 1
        for words in found
    )


def _extract(page: PageText, at: int, close: Collection[int]) -> str:
    """Return a passage with what goes on to answer in the same section, in whole sentences."""
    units = page.units
    first = last = at
    while first - 1 in close and units[first - 1].heading == units[at].heading:
        first -= 1
    while last + 1 in close and units[last + 1].heading == units[at].heading:
        last += 1
    if last == at and units[at].text.endswith(":"):
        # What is announced is a part of the answer.
        last = max(
            i for i in range(at, min(len(units), at + 12)) if units[i].heading == units[at].heading
        )
    if len(_row(units[first])) > LONGEST:
        first = at
    text = shortened(_row(units[first]), LONGEST)
    for index in range(first + 1, last + 1):
        more = _row(units[index])
        if len(text) + len(more) + 1 > LONGEST:
            break
        text += (" " if units[index].line == units[index - 1].line else "\n") + more
    return text


def _row(unit: Unit) -> str:
    if not unit.columns:
        return unit.text
    return ", ".join(
        f"{c}: {v}" if c else v for c, v in zip(unit.columns, unit.cells, strict=True) if v
    )


def _heading(page: PageText, unit: int) -> str:
    return next(page.above(page.units[unit].heading), "")


def author(snapshot: Snapshot) -> Passage | None:
    """Return the line that names who wrote a page: one that begins with `by`, or has `written by`."""
    page = page_text(snapshot.text)
    marks = sorted(map(re.escape, everywhere("bylines")), key=len, reverse=True)
    inner = "|".join(mark for mark in marks if " " in mark)
    byline = re.compile(rf"(?:^(?:{'|'.join(marks)})\s?:?|\b(?:{inner}))\s+(?=\S)", re.IGNORECASE)
    for at, unit in enumerate(page.units):
        match = byline.search(unit.text[:300])
        rest = unit.text[match.end() :] if match else ""
        name = _NAME.match(rest) or re.match(r"[^\W\d_]{2,30}$", rest)
        if name and not re.match(r"\s[a-zß-ÿ]{4,}", rest[name.end() :]):
            return Passage(shortened(unit.text, LONGEST), _heading(page, at))
    return None


def about(snapshot: Snapshot) -> Passage | None:
    """Return the title of a page, and what it says first."""
    page = page_text(snapshot.text)
    top = next((at for at, heading in enumerate(page.headings) if heading.level == 1), -1)
    title = page.headings[top].text if top >= 0 else snapshot.title
    said = " ".join(_sentences(page, top)[:3]) or "; ".join(
        heading.text for heading in page.headings[:8] if heading.text != title
    )
    return Passage(shortened(said or title, LONGEST), title) if said or title else None


def picked(snapshot: Snapshot, count: int) -> list[str]:
    """Return the sentences of a page that say most of what it says, in its own order."""
    page = page_text(snapshot.text)
    speech, texts = language_of(page), _sentences(page)[:_MOST_SENTENCES]
    bags = [
        {w for w in _WORD.findall(folded(text[:600], speech.cuts.spellings)) if len(w) > 3 and w not in speech.stop}
        for text in texts
    ]  # fmt: skip
    weights = Counter(word for bag in bags for word in bag)
    left = dict(enumerate(bags))
    while left and len(bags) - len(left) < count:
        # What comes first says more, and what is said already says less.
        scores = {at: sum(math.log(1 + weights[word]) for word in bag) / math.sqrt(len(bag) + 4) * (1 + 0.5 / (1 + at)) for at, bag in left.items()}  # fmt: skip
        for word in left.pop(max(scores, key=scores.__getitem__)):
            weights[word] //= 3
    return [shortened(text, LONGEST) for at, text in enumerate(texts) if at not in left]


def _sentences(page: PageText, heading: int = -1) -> list[str]:
    """Return the sentences of a page from a heading on."""
    units = (unit for unit in page.units if unit.heading >= heading and not unit.cells)
    return [unit.text for unit in units if _is_sentence(unit.text)]


def _is_sentence(text: str) -> bool:
    """Whether a text is a whole sentence that tells something, rather than a label or a notice."""
    if len(text) < 30 or text.count(" ") < 4 or text.rstrip('”"»)')[-1:] not in ".!?؟。":
        return False
    low = text[:300].lower()
    return not any(word in low for word in everywhere("page_quiet"))
