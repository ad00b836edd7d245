"""Words that stand for one another, by the thesaurus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.thesaurus import NOUNS, READING, WRITING
from webagent.agent.deterministic.wordlist import listed

_Groups = Mapping[str, frozenset[str]]


def _read(*tables: str) -> _Groups:
    groups: dict[str, set[str]] = defaultdict(set)
    for table in tables:
        for line in table.strip().splitlines():
            head, _, words = line.partition(":")
            for word in words.split():
                groups[stem(word)].add(head)
    return MappingProxyType({word: frozenset(heads) for word, heads in groups.items()})


_VERBS: Final = _read(READING, WRITING)
_NOUN_GROUPS: Final = _read(NOUNS)
_HEADS: Final = frozenset(
    stem(line.partition(":")[0]) for line in (READING + WRITING).strip().splitlines()
)
_ONLY_READ: Final = frozenset(
    map(
        stem,
        listed(
            """search find seek locate discover query lookup explore browse filter scan
            list show display view see fetch retrieve read tell look inspect examine
            compare contrast calculate compute estimate summarize summarise describe
            preview track trace determine analyze analyse narrow monitor interpret
            recommend"""
        ),
    )
)
_ALSO_READ: Final = frozenset(
    map(
        stem,
        listed(
            """get give check open plan suggest quote convert translate test verify
            print load download export report work count route navigate figure keep
            limit pull where validate"""
        ),
    )
)
READ_VERBS: Final = _ONLY_READ | _ALSO_READ
"""Stems of verbs that change nothing; some of them are among `WRITE_VERBS` too."""
WRITE_VERBS: Final = frozenset(_read(WRITING)) - _ONLY_READ
"""Stems of verbs that change something."""
WORDS: Final = frozenset(
    word for table in (READING, WRITING, NOUNS) for word in table.replace(":", " ").split()
)
"""All words of the thesaurus."""
KNOWN: Final = frozenset(_VERBS) | frozenset(_NOUN_GROUPS)
"""All stems of the thesaurus."""


@lru_cache(maxsize=32768)
def verb_likeness(one: str, other: str) -> float:
    """Return how far two verbs, given as stems, mean the same: 1 the same, 0 nothing alike."""
    if one == other:
        return 1.0
    shared = _VERBS.get(one, frozenset()) & _VERBS.get(other, frozenset())
    if not shared:
        return 0.0
    # A line that one of the two gives its name says more than one in which both only occur.
    return 0.75 if any(stem(head) in (one, other) for head in shared) else 0.4


@lru_cache(maxsize=65536)
def noun_likeness(one: str, other: str) -> float:
    """Return how far two nouns, given as stems, mean the same: 1 the same, 0 nothing alike."""
    if one == other:
        return 1.0
    shared = _NOUN_GROUPS.get(one, frozenset()) & _NOUN_GROUPS.get(other, frozenset())
    if not shared:
        return 0.0
    return 0.75 if any(stem(head) in (one, other) for head in shared) else 0.65


def is_verb(word: str) -> bool:
    """Whether a stem can be what somebody asks to be done."""
    return word in _VERBS


def is_noun(word: str) -> bool:
    """Whether a stem is a thing that sites have to do with."""
    return word in _NOUN_GROUPS


def noun_groups(word: str) -> frozenset[str]:
    """Return the names of the lines a noun is in."""
    return _NOUN_GROUPS.get(word, frozenset())
