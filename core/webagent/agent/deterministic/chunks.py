"""The pieces of a request between its prepositions: `to Oslo`, `by Tolkien`, `with high priority`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.wordlist import listed
from webagent.agent.deterministic.words import PREPOSITIONS, Word

_BREAKS: Final = frozenset(
    listed(
        """and or but then that which who when if where is are was were has have had does
        did will"""
    )
)
_HARD: Final = frozenset(
    {"date", "dates", "time", "times", "money", "percent", "duration", "email", "url", "phone",
     "quoted"}
)  # fmt: skip
_DETERMINERS: Final = frozenset(
    listed(
        """a an the my our your his her their this that these those any some all me us it
        its please more another other extra additional new next of is are was be been
        will i we you he she they there to"""
    )
)
_PARTICIPLES: Final = frozenset(
    listed(
        """sorted taken owned written made ordered arriving leaving departing starting
        ending returning going costing priced dated published created due called named
        located filtered separated grouped reached cost costs take takes serve serves"""
    )
)
_TAILS: Final = frozenset(
    listed(
        """please now today thanks is are was it me for to of the a an my and do does there
        i you too as well again yet also right currently just instead anyway first"""
    )
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a request."""

    lead: str
    """The preposition before it; empty if there is none."""
    first: int
    """Index of its first word that says something."""
    end: int
    after_list: bool = False
    """Whether it goes on with a list: `cheese, ham and olives`."""

    def indices(self) -> range:
        """Return the indices of its words."""
        return range(self.first, self.end)


def chunks_of(clause: Clause) -> list[Chunk]:
    """Return the pieces of a request, typed pieces left out."""
    hard = {i for span in clause.spans if span.kind in _HARD for i in range(span.first, span.end)}
    return list(_chunks(clause, hard))


def _chunks(clause: Clause, hard: set[int]) -> Iterator[Chunk]:
    words, lead, first, joined, last = clause.words, "", 0, False, False
    for index in range(len(words) + 1):
        ends = index == len(words)
        low = "" if ends else words[index].low
        stop = ends or index in hard or index in clause.verb_words
        comma = not ends and (
            words[index].is_sign and words[index].text not in ("-", "'", "&", "#", "/")
        )
        if not (stop or comma or low in PREPOSITIONS or low in _BREAKS):
            continue
        if chunk := _trimmed(clause, lead, first, index, joined):
            yield chunk
        first = index + 1
        if low in PREPOSITIONS and index not in clause.verb_words:
            lead, joined, last = low, False, False
        elif (comma or low in ("and", "or")) and not (comma and last):
            # A list goes on with the preposition it began with, as far as `and`.
            joined = chunk is not None or joined
            last = low in ("and", "or")
            if not joined:
                lead = ""
        else:
            lead, joined, last = "", False, False


def _trimmed(clause: Clause, lead: str, first: int, end: int, joined: bool) -> Chunk | None:
    words = clause.words
    while first < end and words[first].low in _DETERMINERS and not (
        words[first].is_capital and first > 0 and end - first > 1 and words[first].low in ("the", "a")
        and words[first + 1].is_capital
    ):  # fmt: skip
        first += 1
    while end > first and (words[end - 1].low in _TAILS or leads_on(words[end - 1])):
        end -= 1
    return Chunk(lead, first, end, joined) if end > first else None


def leads_on(word: Word) -> bool:
    """Whether a word only leads on to the next piece: `taken` after …, `sorted` by …."""
    return word.text in _PARTICIPLES or (word.text.endswith("ed") and len(word.text) > 6)
