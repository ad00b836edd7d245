"""A goal as requests: what is asked for, one after the other, without the chat around it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from webagent.agent.deterministic.clause import Clause, Goal, joined_to
from webagent.agent.deterministic.moods import intent, is_base, wants
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.spans import spans_of
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import is_noun, is_verb
from webagent.agent.deterministic.words import Word

_CHAT: Final = tuple(
    tuple(phrase.split())
    for phrase in (
        "please", "kindly", "hi", "hello", "hey", "hi there", "hello there", "hey there", "ok",
        "okay", "so", "well", "now", "then", "also", "just", "only", "simply", "first", "next",
        "finally", "afterwards", "after that", "and", "but", "or", "plus", "maybe", "could you",
        "can you", "would you", "will you", "could i", "can i", "may i", "could we", "can we",
        "would you mind", "do you mind", "i would like you to", "i'd like you to", "i want you to",
        "i need you to", "i would like to", "i'd like to", "i would love to", "i'd love to",
        "i want to", "i need to", "i have to", "i wish to", "i am trying to", "i'm trying to",
        "i wanna", "we want to", "we need to", "we would like to", "we'd like to", "let's",
        "let us", "help me to", "help me", "is it possible to", "is it possible for you to",
        "i was wondering if you could", "i was wondering whether you could", "i wonder if you could",
        "do me a favour and", "do me a favor and", "go ahead and", "go and", "try to", "quickly",
        "be so kind as to", "be so kind and", "how do i", "how can i", "how could i",
        "good morning", "good evening", "good afternoon", "thanks", "thank you", "cheers", "once done",
        "when you are done", "when done", "you can", "you could", "i think", "i guess", "i'd", "i'll",
        "you should", "we should", "i should", "i must", "we must", "make sure to", "make sure you",
        "remember to", "tell me if you can", "i'm gonna", "i am going to", "i'm going to", "um", "uh",
        "actually", "quick question", ",", ":", "-", "–", "—", "!", ".", ";", "?",
    )
)  # fmt: skip
_NOT: Final = (
    ("do", "not"), ("don't",), ("dont",), ("never",), ("not",), ("please", "don't"),
    ("without",), ("no", "need", "to"), ("rather", "than"), ("instead", "of"), ("must", "not"),
    ("you", "must", "not"), ("you", "should", "not"), ("i", "don't", "want", "to"),
    ("i", "do", "not", "want", "to"), ("i", "don't", "want", "you", "to"),
    ("i", "do", "not", "want", "you", "to"), ("nothing",),
)  # fmt: skip
_INDEPENDENT: Final = frozenset({"me", "the", "a", "my", "all", "this", "that", "it", "them", "us"})
_JOINS: Final = frozenset({"and", "then", "but", "also"})
_ASKING: Final = frozenset(
    {"what", "which", "when", "where", "who", "how", "is", "are", "does", "do"}
)


def goal_of(text: str, words: Sequence[Word], now: datetime, verbs: Collection[str] = ()) -> Goal:
    """Return the requests in a goal.

    Args:
        text: The goal.
        words: Its words.
        now: What days are reckoned from.
        verbs: Stems of the verbs of the site's tools.
    """
    spans = spans_of(words, now, text)
    inside = {i for span in spans for i in range(span.first, span.end)}
    borders = _borders(words, inside, verbs)
    forbidden: set[str] = set()
    zone = now.isoformat()[-6:] if now.utcoffset() is not None else ""
    found: list[Clause] = []
    for first, end in zip([0, *borders], [*borders, len(words)], strict=True):
        first, end, banned = _without_bans(words, first, end, inside, verbs)
        forbidden |= banned
        clause = _clause(words, spans, first, end, text, verbs)
        if clause is not None:
            found.append(replace(clause, zone=zone))
    return Goal(tuple(_merged(found)), frozenset(forbidden), text)


def _borders(words: Sequence[Word], inside: set[int], verbs: Collection[str]) -> list[int]:
    found: list[int] = []
    for index in range(1, len(words)):
        before, low = words[index - 1], words[index].low
        if index in inside and index - 1 in inside:
            continue
        if index - 1 not in inside and before.text in (".", "!", "?", ";", "\n"):
            found.append(index)
        elif low in ("and", "then", "but", "also", "plus", "before", "after", "or") or words[
            index
        ].text in (",", ":", "–", "—"):
            if before.low in ("and", "then", "but", ","):
                continue
            start = _past_chat(words, index)
            if index < start < len(words) and start not in inside and (
                _begins_request(words, start, verbs)
                or _ban_at(words, start)
                or (low in _JOINS and words[start].low in _ASKING)
            ):  # fmt: skip
                found.append(index)
        elif (low == "without" or before.is_sign) and _banned_verb(words, index, verbs):
            found.append(index)
    return found


def _past_chat(words: Sequence[Word], at: int) -> int:
    """Return the index behind politeness and joining words."""
    moved = True
    while moved and at < len(words):
        moved = False
        for phrase in _CHAT:
            after = words[at + len(phrase)].low if at + len(phrase) < len(words) else ""
            if phrase[0] == "how" and after in ("get", "reach"):
                # `how do I get to …` asks for the way.
                continue
            if tuple(word.low for word in words[at : at + len(phrase)]) == phrase:
                longest = max(
                    (len(p) for p in _CHAT if tuple(w.low for w in words[at : at + len(p)]) == p),
                    default=len(phrase),
                )
                at, moved = at + longest, True
                break
    return at


def _begins_request(words: Sequence[Word], at: int, verbs: Collection[str]) -> bool:
    """Whether a verb that tells somebody to do something stands at a place."""
    word = words[at]
    if at + 1 < len(words) and stem(word.low + words[at + 1].low) in verbs:
        return True
    if not (is_verb(word.stem) or word.stem in verbs) or not is_base(word):
        return bool(wants(words, at))
    if at + 1 >= len(words):
        return not is_noun(word.stem)
    if at > 0 and words[at - 1].low == "then":
        return True
    after = words[at + 1]
    if after.is_sign and after.text not in ('"', "“", "'", "#", "£", "$", "€", ":"):
        return False
    if after.low in ("and", "or", "of", "is", "are", "was", "were", "that", "which"):
        return False
    if after.low in ("in", "on", "at", "with", "by", "from") and is_noun(word.stem):
        return False
    ambiguous = is_noun(word.stem) and after.low not in _INDEPENDENT
    if ambiguous and at > 0 and words[at - 1].low == ",":
        return False
    return not (ambiguous and is_noun(after.stem) and not after.is_capital and at > 0
                and words[at - 1].low in ("and", ",") and not _plural(after))  # fmt: skip


def _plural(word: Word) -> bool:
    return word.low.endswith("s")


def _ban_at(words: Sequence[Word], at: int) -> int:
    """Return how many words forbid something at a place."""
    return max(
        (len(p) for p in _NOT if tuple(word.low for word in words[at : at + len(p)]) == p),
        default=0,
    )


def _banned_verb(words: Sequence[Word], at: int, verbs: Collection[str]) -> str:
    """Return the stem of the verb that is forbidden at a place: `without booking`."""
    length = _ban_at(words, at)
    start = at + length
    while (
        length
        and start < len(words)
        and words[start].low in ("actually", "yet", "you", "to", "just")
    ):
        start += 1
    if not length or start >= len(words):
        return ""
    word = words[start]
    if words[at].low in ("without", "instead", "rather", "avoid") and not word.low.endswith("ing"):
        return ""
    return word.stem if is_verb(word.stem) or word.stem in verbs else ""


def _without_bans(
    words: Sequence[Word], first: int, end: int, inside: set[int], verbs: Collection[str]
) -> tuple[int, int, set[str]]:
    """Return a clause without what it forbids, and the verbs of that."""
    banned: set[str] = set()
    start = _past_chat(words[:end], first)
    if start < end and _ban_at(words, start):
        verb = _banned_verb(words, start, verbs)
        if verb:
            banned.add(verb)
            for index in range(start + 1, end - 1):
                if words[index].low in ("or", "and") and is_verb(words[index + 1].stem):
                    banned.add(words[index + 1].stem)
            return end, end, banned
    return first, end, banned


def _clause(
    words: Sequence[Word],
    spans: Sequence[Span],
    first: int,
    end: int,
    text: str,
    verbs: Collection[str],
) -> Clause | None:
    first = _past_chat(words[:end], first)
    while end > first and (
        words[end - 1].text in (".", "!", "?", ",", ";", ":") or words[end - 1].low in (
            "please", "thanks", "cheers", "then", "and", "but",)
    ) and not any(span.first < end <= span.end for span in spans):  # fmt: skip
        end -= 1
    if end > first + 1 and [w.low for w in words[end - 2 : end]] == ["thank", "you"]:
        end -= 2
    if first >= end:
        return None
    own = tuple(words[first:end])
    shifted = tuple(
        replace(span, first=max(span.first - first, 0), end=span.end - first)
        for span in spans
        if first < span.end <= end
    )
    mood, verb, verb_words, wanted = intent(own, verbs, words[end].text if end < len(words) else "")
    return Clause(own, shifted, text[own[0].start : own[-1].end], mood, verb, verb_words, wanted)


def _merged(clauses: Sequence[Clause]) -> list[Clause]:
    """Put what is only told to the request it belongs to: the next, or else the last."""
    found: list[Clause] = []
    told: Clause | None = None
    for clause in clauses:
        if clause.mood == "tell":
            if found and told is None and _explains(clause):
                found[-1] = joined_to(found[-1], clause)
            else:
                told = clause if told is None else joined_to(told, clause)
            continue
        found.append(clause if told is None else joined_to(clause, told))
        told = None
    if told is not None:
        if found:
            found[-1] = joined_to(found[-1], told)
        else:
            found.append(told)
    return found


def _explains(clause: Clause) -> bool:
    """Whether it goes on about what was said before: `it has been fixed`."""
    return clause.words[0].low in ("it", "it's", "they", "he", "she", "that", "this", "because")
