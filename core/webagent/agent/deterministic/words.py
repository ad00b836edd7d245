"""Text as words: each with its place in the text, its lower case and its stem."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.wordlist import listed
from webagent.registry.secrets import MASK

_WORD: Final = re.compile(
    rf"{MASK}\d{{0,3}}"
    r"|https?://[^\s<>\"“”]{1,500}"
    r"|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
    r"|\d{1,12}(?:,\d{3}){1,4}(?:\.\d{1,9})?(?!\d)"
    r"|[^\W_](?:[^\W_]|['’.:/_&+-](?=[^\W_])|\+(?=\+))*"
    r"|[^\s\w]|_"
)
_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_ABBREVIATIONS: Final = frozenset({"dr", "mr", "mrs", "ms", "st", "prof", "no", "nr", "vs"})

STOP: Final = frozenset(
    listed(
        """a an the this that these those it its he she they them his her their our us we
        you your i me my mine myself is are was were be been being am do does did done
        has have had having of to in on at by for from with into onto about as than then
        so such and or but if else when there here what which who whom whose where why
        how can could would will shall should may might must any some all each every
        both either neither no not nor only just also too very really please thanks
        thank now again ever still already up out off over under between through during
        before after above below one ones thing things stuff something anything
        everything nothing like want need let's i'd i'm i'll i've we'd it's that's
        what's there's who's where's don't doesn't can't won't s t re ve ll d m via per
        let kindly maybe perhaps ok okay hi hello hey if whether because while much many
        more most less least go get got us yes use using used call given user returns
        return e.g i.e"""
    )
)
"""Words that say too little to choose a tool by."""

PREPOSITIONS: Final = frozenset(
    listed(
        """from to into in at near by for with without about containing mentioning matching on under as called named
        titled saying because via using before after until till since between through
        against over within regarding concerning around toward towards onto during
        inside labelled tagged starting ending except entitled reading says including
        per than close"""
    )
)
"""Words that begin a piece of a request."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word, number or sign of a text."""

    text: str
    low: str
    """In lower case, with a slip of the pen mended."""
    stem: str
    start: int
    end: int

    @property
    def is_sign(self) -> bool:
        """Whether it is punctuation."""
        return not (self.text[0].isalnum() or self.is_secret)

    @property
    def is_secret(self) -> bool:
        """Whether it is the placeholder of a secret."""
        return self.text.startswith(MASK)

    @property
    def is_capital(self) -> bool:
        """Whether it is written like a name."""
        return self.text[0].isupper()


def words_of(text: str) -> list[Word]:
    """Return the words of a text, in order; the full stop of `Dr.` is not one."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word == "." and found and found[-1].low in _ABBREVIATIONS:
            continue
        low = word.lower().replace("’", "'")
        found.append(Word(word, low, stem(low), match.start(), match.end()))
    return found


@lru_cache(maxsize=8192)
def split_identifier(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: `addToBasket`, `add_to_basket`, `add-to-basket`."""
    return tuple(part.lower() for part in _HUMP.findall(name[:200]))


@lru_cache(maxsize=8192)
def stems_of(text: str) -> tuple[str, ...]:
    """Return the stems of the words that say something, in order; identifiers are taken apart."""
    found: list[str] = []
    for match in _WORD.finditer(text[:2000]):
        parts = split_identifier(match.group())
        found += [stem(part) for part in parts if part not in STOP and len(part) > 1]
    return tuple(found)
