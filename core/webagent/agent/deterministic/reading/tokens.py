"""Text as tokens: each with its place, its stem, and what it means in English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Final

from webagent.agent.deterministic.reading.chunks import pieces_of
from webagent.agent.deterministic.reading.language import Language, language
from webagent.registry.secrets import MASK

_TITLES: Final = frozenset(
    ("Mr", "Mrs", "Ms", "Miss", "Dr", "Mme", "Mlle", "Herr", "Herrn", "Frau")
)
"""What stands before the name of a person."""
_FILE: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{1,4}")
"""The name of a file, or of a host: `draft.docx`."""
_RUN: Final = re.compile(r"[^\W\d_]+|\d+")
_IDIOM_GAP: Final = 3
"""Words that may be between the first two words of a phrase."""
_LONGEST_CLAUSE: Final = 14
"""Words between a verb and its particle."""
_CLOSE: Final = 2
"""Words that a small verb may stand before its particle."""
_LONG_NAME: Final = 7
"""Letters of a name that is still known with one of them wrong."""
_CLAUSE_ENDS: Final = frozenset(".;!?:")


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or sign of a text."""

    text: str
    low: str
    """In lower case."""
    key: str
    """In lower case without accents, as dictionaries have it."""
    stem: str
    start: int
    end: int
    glosses: frozenset[str]
    """Stems of English words for it; of an English word its own."""
    is_stop: bool
    """Whether it says too little to choose a tool by."""
    broader: frozenset[str] = frozenset()
    """Concepts of which it is a kind: an animal, for a cat."""
    pronoun: str = ""
    """What a pronoun at its end stands for: "one", "many" or nothing."""
    meanings: frozenset[str] = field(init=False, repr=False, compare=False)
    """What it may mean, and its own stem, as names in another language are compared."""
    is_sign: bool = field(init=False, repr=False, compare=False)
    """Whether it is punctuation."""
    is_noun: bool = field(init=False, repr=False, compare=False)
    """Whether it may be a noun."""

    def __post_init__(self) -> None:
        """Work out what each of many candidates asks of it."""
        keep = object.__setattr__
        keep(self, "meanings", self.glosses | {self.stem, self.key})
        keep(self, "is_sign", not (self.text[0].isalnum() or self.is_secret))
        keep(self, "is_noun", any(gloss.startswith("#n") for gloss in self.glosses))

    @property
    def is_secret(self) -> bool:
        """Whether it is the placeholder of a secret."""
        return self.text.startswith(MASK)

    @property
    def is_capital(self) -> bool:
        """Whether it is written like a name."""
        return self.text[0].isupper()

    @property
    def is_title(self) -> bool:
        """Whether a name follows it: `Dr.`."""
        return self.is_capital and (self.text.endswith(".") or self.text in _TITLES)

    @property
    def is_file(self) -> bool:
        """Whether it is written like the name of a file: `notes.pdf`."""
        return _FILE.fullmatch(self.low) is not None

    @property
    def is_figure(self) -> bool:
        """Whether it begins with a digit."""
        return self.text[0].isdecimal()


def tokens_of(text: str, language: Language) -> list[Token]:
    """Return the tokens of a text, in order."""
    found: list[Token] = []
    for start, end in pieces_of(text, language.cuts):
        word = text[start:end]
        low, key, stem, glosses, broader, is_stop, pronoun = _known(language.code, word)
        found.append(Token(word, low, key, stem, start, end, glosses, is_stop, broader, pronoun))
    if language.code == "en":
        _know_owners(found, language)
    idioms = _join_idioms(found, language)
    if language.particles:
        _join_particles(found, language, idioms)
    return found


@lru_cache(maxsize=16_384)
def _known(code: str, word: str) -> tuple[str, str, str, frozenset[str], frozenset[str], bool, str]:
    speech = language(code)
    key = speech.key(word)
    low = key if key.isascii() and word.isascii() else word.lower().replace("’", "'")
    if not word[0].isalpha():
        return low, key, key, frozenset(), frozenset(), False, ""
    is_stop = key in speech.stop
    stem = speech.stem(word)
    glosses = speech.gloss(stem, key)
    if not (glosses or is_stop or key in speech.phrases) and (word.islower() or code == "de"):
        key = next((name for name in _dated(code) if is_near(key, name)), key)
    if code == "en":
        glosses = (stem, *glosses)
    pronoun = speech.pronoun_of(key) if speech.pronoun_endings and not is_stop else ""
    means, broader = parted(glosses)
    return low, key, stem, means, broader, is_stop, pronoun


@cache
def _dated(code: str) -> tuple[str, ...]:
    """Return the long names of days and months, which people misspell: `thurday`."""
    roles = language(code).roles
    names = (name for role in ("weekdays", "weekday_groups", "months", "days") for name in roles[role])  # fmt: skip
    return tuple(name for name in names if len(name) >= _LONG_NAME and name.isalpha())


def parted(glosses: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return what a word may mean, and the broader concepts."""
    means = frozenset(one for one in glosses if not one.startswith("<"))
    return means, frozenset(f"#{one[1:]}" for one in glosses if one.startswith("<"))


def _know_owners(tokens: list[Token], language: Language) -> None:
    """Give whom something belongs to the meaning of the word: `the driver's seat`, but not `the pump's loud`."""
    for at, token in enumerate(tokens[:-1]):
        after = tokens[at + 1]
        if not token.key.endswith("'s") or token.is_stop or token.key in language.phrases:
            continue
        if any(gloss.startswith("#n") for gloss in after.glosses):
            means = _known(language.code, owner(token.text))
            tokens[at] = replace(token, glosses=token.glosses | means[3], broader=means[4])


def _join_idioms(tokens: list[Token], language: Language) -> Mapping[int, frozenset[str]]:
    """Give the words of a phrase what it means, and return that of longer ones: `put it on hold`."""
    found: dict[int, frozenset[str]] = {}
    for at, token in enumerate(tokens):
        for rest, means in language.idioms.get(token.stem, ()):
            places = [at]
            for stem in rest:
                last = places[-1]
                near = range(last + 1, min(len(tokens), last + 2 + _IDIOM_GAP * (last == at)))
                place = next((i for i in near if tokens[i].stem == stem), None)
                if place is None:
                    break
                places.append(place)
            else:
                for place in places:
                    one = tokens[place]
                    said, broader = parted(means)
                    tokens[place] = replace(
                        one, glosses=one.glosses | said, broader=one.broader | broader
                    )
                    if len(places) > 2:
                        found[place] = found.get(place, frozenset()) | said
                break
    return found


def _join_particles(
    tokens: list[Token], language: Language, idioms: Mapping[int, frozenset[str]]
) -> None:
    """Give the verb before a particle what they mean together: `schalte … ein`, `turn … off`.

    What a longer phrase with the verb means stays: `put me down for the course`.
    """
    joined: set[int] = set()
    for at, token in enumerate(tokens):
        verbs = language.particles.get(token.key)
        if verbs is None:
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        # `setz es auf die Liste`: German particles end their clause, prepositions begin a phrase.
        goes_on = after is not None and not (
            after.is_sign or any(after.key in language.roles[r] for r in ("conjunctions", "polite"))
        )
        if goes_on and language.compound_words and token.key in language.roles["prepositions"]:
            continue
        # `ab 18 Uhr` is a time; a particle far from its verb ends the clause.
        counts = after is not None and after.is_figure
        for before in range(at - 1, max(-1, at - _LONGEST_CLAUSE), -1):
            verb = tokens[before]
            if verb.text in _CLAUSE_ENDS or (counts and before < at - 1):
                break
            if before and verb.is_capital and language.compound_words:
                # `leg einen Ordner an`: the verb is no noun.
                continue
            if (glosses := verbs.get(verb.stem)) and before not in joined:
                joined.add(before)
                said, broader = parted(glosses)
                said |= idioms.get(before, frozenset())
                # The verb says it all: `get it back`, but not `have a look at those over there`.
                is_stop = verb.is_stop and at - before > _CLOSE
                tokens[before] = replace(verb, glosses=said, broader=broader, is_stop=is_stop)
                tokens[at] = replace(token, is_stop=True)
                break


@lru_cache(maxsize=8192)
def identifier_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: `addToBasket`, `add_to_basket`, `add-to-basket`."""
    return tuple(part.lower() for run in _RUN.findall(name[:200]) for part in _humps(run))


def _humps(run: str) -> Iterator[str]:
    """Yield the words of `addToBasket`, `HTMLForm` and `Größe`."""
    start = 0
    for at in range(1, len(run)):
        rises = run[at].isupper() and not run[at - 1].isupper()
        falls = run[at].islower() and run[at - 1].isupper() and at - 1 > start
        if rises or falls:
            cut = at if rises else at - 1
            yield run[start:cut]
            start = cut
    yield run[start:]


def text_of(text: str, tokens: Sequence[Token], first: int, end: int) -> str:
    """Return the text of some tokens as it was written."""
    return text[tokens[first].start : tokens[end - 1].end]


def edit_distance(one: str, other: str, most: int) -> int:
    """Return how many letters differ, a swap of two counting once; more than `most` is not counted on."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, sign in enumerate(other, 1):
            cost = min(last[column] + 1, now[-1] + 1, last[column - 1] + (letter != sign))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == sign:
                cost = min(cost, before[column - 2] + 1)
            now.append(cost)
        if min(now) > most:
            return most + 1
        before, last = last, now
    return last[-1]


def owner(key: str) -> str:
    """Return a name without the ending of what it owns: `octavia` of `octavia's`."""
    return key.removesuffix("'s").removesuffix("’s")


def is_near(one: str, other: str) -> bool:
    """Whether two words differ by a slip: one letter, or two in a long word, or two swapped."""
    slips = 2 if min(len(one), len(other)) >= 9 else 1
    near = abs(len(one) - len(other)) <= slips
    return near and edit_distance(one[:40], other[:40], slips) <= slips
