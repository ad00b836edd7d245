"""What is left of a request once its typed pieces and named values are taken: what to look for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.clause import Clause, is_pick_word
from webagent.agent.deterministic.picking import pick_of
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import PREPOSITIONS, STOP, Word

_GENERIC: Final = frozenset(
    map(stem, ["result", "item", "product", "thing", "stuff", "option", "listing", "entry", "record", "site", "page", "website", "catalogue", "catalog", "shop", "store", "database", "collection", "list", "information", "info", "detail", "match", "hit", "somebody", "someone", "available", "anything", "something"])
)  # fmt: skip
_EDGE: Final = STOP | PREPOSITIONS | frozenset(
    ["called", "named", "titled", "of", "about", "there", "everything", "also", "else", "right", "possible", "near", "new", "current", "good", "nice", "great", "best", "cheapest", "cheap", "quick", "really", "maybe", "out", "kind", "kinds", "sort", "sorts", "type", "types", "lot", "lots", "bit", "few", "several", "couple", "number", "copies", "copy", "concerning", "regarding", "related", "mentioning", "mention", "containing", "contain", "cover", "covering"]
)  # fmt: skip
_RELATIVE: Final = frozenset(
    {"that", "which", "who", "whose", "when", "if", "because", "where", "so"}
)
_SAYING: Final = frozenset(map(stem, ("tell", "send", "message", "email", "write", "reply", "post", "text",
                                      "remind", "note", "report", "comment", "say")))  # fmt: skip
_INNER: Final = frozenset({"of", "the", "and", "in", "on", "for", "to", "a", "with", "from", "at", "&",
                           "-", "'", "/", "+", "by", "an", "or"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Leftover:
    """Words of a request that nothing else took."""

    text: str = ""
    """Without what the tool is about anyway."""
    full: str = ""
    """With the nouns of the tool too, for titles and messages."""
    words: tuple[Word, ...] = ()
    """Those that say something."""
    used: frozenset[int] = frozenset()
    named: bool = False
    """Whether it is written like a name."""


def leftover_of(card: Card, clause: Clause, taken: frozenset[int]) -> Leftover:
    """Return what is left for a tool that took some words."""
    hidden = set(taken) | clause.verb_words | pick_of(clause).used
    for span in clause.spans:
        if span.kind in ("date", "dates", "time", "times", "duration", "money", "percent", "email",
                         "url", "phone"):  # fmt: skip
            hidden |= set(range(span.first, span.end))
    quoted = next((span for span in clause.spans if span.kind == "quoted"
                   and not taken & set(range(span.first, span.end))), None)  # fmt: skip
    if quoted is not None:
        used = frozenset(range(quoted.first, quoted.end))
        inner = clause.words[quoted.first + 1 : quoted.end - 1]
        return Leftover(quoted.text, quoted.text, inner, used, True)
    text, used = _joined(card, clause, hidden, bare=True)
    full, all_used = _joined(card, clause, hidden, bare=False)
    words = tuple(clause.words[i] for i in sorted(used) if clause.words[i].low not in STOP)
    named = bool(words) and all(word.is_capital for word in words)
    return Leftover(text, full, words, used or all_used, named)


def _joined(
    card: Card, clause: Clause, hidden: set[int], *, bare: bool
) -> tuple[str, frozenset[int]]:
    """Return the words between what is hidden, and which they are."""
    runs: list[list[int]] = [[]]
    told = False
    for index, word in enumerate(clause.words):
        # `that nobody has read`, `when it changes`: what follows is no name of the thing.
        if (
            bare
            and index > 1
            and word.low in _RELATIVE
            and (word.low != "that" or not _names(clause, index))
        ):
            told = True
        elif word.is_sign and word.text in (",", ";", "."):
            told = False
        if told:
            runs.append([])
            continue
        broken = index in hidden or (word.is_sign and word.text not in _INNER)
        if broken or is_pick_word(word.low) or (bare and _is_known(card, clause, index)):
            runs.append([])
        else:
            runs[-1].append(index)
    parts: list[str] = []
    used: list[int] = []
    for run in runs:
        run = _trimmed(clause, run)
        if run:
            parts.append(_text(clause, run))
            used.extend(run)
    return " ".join(parts), frozenset(used)


def _names(clause: Clause, index: int) -> bool:
    """Whether `that` is the beginning of what is said: `tell Ada that I am late`."""
    return bool(clause.verb) and index < 4 and clause.verb in _SAYING


def _trimmed(clause: Clause, run: list[int]) -> list[int]:
    words = clause.words
    while run and _is_edge(words[run[0]], run[0]):
        run = run[1:]
    while run and _is_edge(words[run[-1]], run[-1]):
        run = run[:-1]
    return run


def _is_edge(word: Word, index: int) -> bool:
    if word.is_sign:
        return True
    if word.is_capital and index > 0 and len(word.text) > 2 and word.low in STOP:
        return False
    return word.low in _EDGE


def _is_known(card: Card, clause: Clause, index: int) -> bool:
    """Whether a word only says what the tool is about: `books` for `searchBooks`."""
    word = clause.words[index]
    if word.is_capital and index > 0:
        return False
    if any(
        word.stem in slot.stems or word.stem in slot.parents for slot in card.slots
    ) and not _is_text(word):
        return True
    return (
        word.stem in _GENERIC
        or word.stem in card.subject
        or any(noun_likeness(word.stem, noun) >= 0.6 for noun in card.nouns)
    )


def is_generic(word: Word) -> bool:
    """Whether a word means whatever a site has: `result`, `item`."""
    return word.stem in _GENERIC


def _is_text(word: Word) -> bool:
    return word.is_capital and word.start > 0


def _text(clause: Clause, run: list[int]) -> str:
    words = clause.words
    text = ""
    for previous, index in zip([None, *run], run, strict=False):
        word = words[index]
        glued = previous is not None and words[previous].end == word.start
        text += word.text if glued or not text else " " + word.text
    return text
