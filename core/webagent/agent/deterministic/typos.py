"""Slips of the pen: a word that nobody knows, one letter away from a word of the site."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from webagent.agent.deterministic.amounts import DURATIONS, number_at
from webagent.agent.deterministic.moments import MONTHS, WEEKDAYS
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import KNOWN, WORDS
from webagent.agent.deterministic.words import STOP, Word

_SHORTEST = 5
_LONGEST = 24
_TIMES: Final = frozenset(
    (*WEEKDAYS, *MONTHS, *DURATIONS, "tomorrow", "today", "tonight", "weekend", "cheapest", "highest",
     "lowest", "newest", "latest", "oldest", "nearest", "largest", "biggest", "smallest", "longest",
     "shortest", "earliest", "morning", "afternoon", "evening", "second", "third", "please", "rated",
     "which", "where", "would", "could", "available", "without", "between", "before", "after", "under", "about", "expensive")
)  # fmt: skip


def slips_in(words: Sequence[Word], vocabulary: Iterable[str]) -> dict[str, str]:
    """Return what the misspelled words of a text should be.

    A word is misspelled if neither the thesaurus nor the site knows it and it is one letter, or two
    letters that changed places, away from a word that they know. Names are left alone.

    Args:
        words: Of the text.
        vocabulary: Words of the site, in lower case.
    """
    own = {word for word in vocabulary if word.isalpha()}
    stems = {stem(word) for word in own}
    unknown = [
        word.low for index, word in enumerate(words)
        if _SHORTEST - 1 <= len(word.low) <= _LONGEST and word.low.isalpha() and word.low.isascii()
        and word.low not in STOP and not number_at([word], 0) and word.low not in own and word.low not in _TIMES
        and word.stem not in KNOWN and word.stem not in stems
    ]  # fmt: skip
    if not unknown:
        return {}
    table = _deletions_of_thesaurus()
    site = _deletions(own)
    found = {}
    names = {
        word.low for index, word in enumerate(words)
        if word.is_capital and index > 0 and not _opens(words, index)
    }  # fmt: skip
    for low in unknown:
        if low in names:
            # Of what is written like a name only days and months are known.
            if near := _near(low, _deletions({*WEEKDAYS, *MONTHS})):
                found[low] = near
            continue
        for ending in ("", "s", "ed", "d", "ing", "r", "er"):
            if low.endswith(ending):
                base = low.removesuffix(ending)
                if ending and (stem(base) in KNOWN or stem(base) in stems):
                    break
                near = _near(base, site) or _near(base, table)
                if near:
                    found[low] = near + ending
                    break
    return found


def mended(words: Sequence[Word], slips: Mapping[str, str]) -> list[Word]:
    """Return words with their slips put right; their text stays as it was written."""
    return [
        replace(word, low=slips[word.low], stem=stem(slips[word.low]))
        if word.low in slips
        else word
        for word in words
    ]


def _opens(words: Sequence[Word], index: int) -> bool:
    return words[index - 1].text in (".", "!", "?", ":")


def _deletions(words: Collection[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in sorted(words):
        if _SHORTEST - 1 <= len(word) <= _LONGEST:
            for piece in _pieces(word):
                found.setdefault(piece, []).append(word)
    return found


@lru_cache(maxsize=1)
def _deletions_of_thesaurus() -> dict[str, list[str]]:
    return _deletions(_TIMES | WORDS)


def _pieces(word: str) -> set[str]:
    return {word} | {word[:index] + word[index + 1 :] for index in range(len(word))}


def _near(low: str, table: Mapping[str, Sequence[str]]) -> str:
    candidates = {word for piece in _pieces(low) for word in table.get(piece, ())}
    ranked = sorted((_rank(low, word), word) for word in candidates if _rank(low, word) < 9)
    return ranked[0][1] if ranked else ""


def _rank(low: str, word: str) -> int:
    """Return how likely a slip is; 9 if it is none. Changed places are likeliest."""
    if len(low) == len(word):
        differ = [index for index in range(len(low)) if low[index] != word[index]]
        swapped = len(differ) == 2 and differ[1] == differ[0] + 1 and (
            low[differ[0]] == word[differ[1]] and low[differ[1]] == word[differ[0]]
        )  # fmt: skip
        if swapped:
            return 0
        return 2 if len(differ) == 1 and differ[0] > 0 and len(low) >= _SHORTEST else 9
    shorter, longer = sorted((low, word), key=len)
    if len(longer) - len(shorter) != 1 or (len(low) < _SHORTEST and len(word) < _SHORTEST):
        return 9
    inside = any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))
    return 1 if inside and low[0] == word[0] else 9
