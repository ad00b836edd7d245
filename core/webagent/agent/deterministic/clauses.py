"""A goal as requests: what is asked for, one after the other, without the chat around it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from webagent.agent.deterministic.amounts import ordinal_of
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.spans import spans_of
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import WRITE_VERBS, is_noun, is_verb
from webagent.agent.deterministic.wordlist import listed
from webagent.agent.deterministic.words import PREPOSITIONS, STOP, Word

Mood = Literal["do", "ask", "tell"]
"""Whether something is to be done, is asked, or only told."""

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
_WANTS: Final = tuple(
    tuple(phrase.split())
    for phrase in (
        "i would like", "i'd like", "i want", "i need", "we need", "we want", "we'd like",
        "i'm looking for", "i am looking for", "we are looking for", "we're looking for",
        "looking for", "i'm after", "give me", "get me", "got any", "do you have", "have you got",
        "do you sell", "do you stock", "are there", "is there", "i'd love", "show me", "let me see",
        "let me have", "let me know",
    )
)  # fmt: skip
_QUESTIONS: Final = frozenset(
    listed(
        """what which who whom whose when where why how is are was were do does did has
        have had can could will would should am any"""
    )
)
_NOT: Final = (
    ("do", "not"), ("don't",), ("dont",), ("never",), ("not",), ("please", "don't"),
    ("without",), ("no", "need", "to"), ("rather", "than"), ("instead", "of"), ("must", "not"),
    ("you", "must", "not"), ("you", "should", "not"), ("i", "don't", "want", "to"),
    ("i", "do", "not", "want", "to"), ("i", "don't", "want", "you", "to"), ("avoid",),
    ("i", "do", "not", "want", "you", "to"), ("nothing",),
)  # fmt: skip
_PHRASAL: Final = {
    ("look", "for"): "search", ("look", "up"): "search", ("search", "for"): "search",
    ("search", "up"): "search", ("turn", "on"): "activate", ("switch", "on"): "activate",
    ("turn", "off"): "deactivate", ("switch", "off"): "deactivate", ("turn", "up"): "increase",
    ("turn", "down"): "decrease", ("sign", "up"): "register", ("sign", "in"): "login",
    ("log", "in"): "login", ("log", "out"): "logout", ("sign", "out"): "logout",
    ("log", "on"): "login", ("take", "out"): "remove", ("take", "off"): "remove",
    ("take", "away"): "remove", ("get", "rid"): "remove", ("set", "up"): "create",
    ("put", "in"): "add", ("call", "off"): "cancel", ("give", "back"): "return",
    ("send", "back"): "return", ("pay", "for"): "pay", ("write", "to"): "message",
    ("check", "off"): "complete", ("tick", "off"): "complete", ("cross", "off"): "complete",
    ("mark", "off"): "complete", ("push", "back"): "reschedule", ("put", "off"): "reschedule",
    ("hand", "in"): "submit", ("fill", "in"): "fill", ("fill", "out"): "fill",
    ("throw", "away"): "delete", ("throw", "out"): "delete", ("leave", "out"): "remove",
    ("sum", "up"): "summarize", ("find", "out"): "find", ("add", "up"): "calculate",
    ("work", "out"): "calculate", ("line", "up"): "schedule", ("back", "up"): "save",
    ("shut", "down"): "deactivate", ("shut", "off"): "deactivate", ("start", "up"): "activate",
    ("bring", "up"): "show", ("pull", "up"): "show", ("drop", "off"): "deliver",
    ("get", "back"): "return", ("reach", "out"): "message", ("tell", "me"): "show",
    ("let", "know"): "notify", ("sign", "off"): "approve", ("hold", "off"): "pause",
    ("go", "to"): "open", ("go", "back"): "back", ("take", "me"): "open", ("bring", "me"): "open",
    ("log", "me"): "login", ("sign", "me"): "register",
}  # fmt: skip
_PARTICLES: Final = frozenset(["on", "off", "up", "down", "out", "in", "away", "back"])
_INDEPENDENT: Final = frozenset({"me", "the", "a", "my", "all", "this", "that", "it", "them", "us"})
_PRONOUN_SUBJECTS: Final = frozenset({"i", "i'm", "i've", "we", "we're", "my", "it", "it's", "he",
                                      "she", "they", "our", "his", "her", "there", "this"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Clause:
    """One request of a goal."""

    words: tuple[Word, ...]
    spans: tuple[Span, ...]
    text: str
    """The goal's own words."""
    mood: Mood
    verb: str
    """Stem of what is to be done; empty when nothing says so."""
    verb_words: frozenset[int]
    """Indices of the words that say it."""
    wanted: bool = False
    """Whether it begins with words that want to have or see something: `do you have …`."""
    zone: str = ""
    """Offset of the person's clock from UTC, such as `+01:00`; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What somebody asks for."""

    clauses: tuple[Clause, ...]
    forbidden: frozenset[str]
    """Stems of verbs of what must not be done."""
    text: str


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


_JOINS: Final = frozenset({"and", "then", "but", "also"})
_ASKING: Final = frozenset(
    {"what", "which", "when", "where", "who", "how", "is", "are", "does", "do"}
)


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
        elif low in ("without", "don't", "do", "not") and _banned_verb(words, index, verbs):
            found.append(index)
    return found


def _past_chat(words: Sequence[Word], at: int) -> int:
    """Return the index behind politeness and joining words."""
    moved = True
    while moved and at < len(words):
        moved = False
        for phrase in _CHAT:
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
    if not (is_verb(word.stem) or word.stem in verbs) or not _is_base(word):
        return bool(_wants(words, at))
    if at + 1 >= len(words):
        return not is_noun(word.stem)
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


def _is_base(word: Word) -> bool:
    low = word.low
    if low.endswith(("ing", "ed")) and low not in (
        "need",
        "feed",
        "bring",
        "ping",
        "embed",
        "speed",
    ):
        return False
    return not low.endswith("s") or low.endswith(("ss", "us"))


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


def _wants(words: Sequence[Word], at: int) -> int:
    return max(
        (len(p) for p in _WANTS if tuple(word.low for word in words[at : at + len(p)]) == p),
        default=0,
    )


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
    mood, verb, verb_words, wanted = _intent(
        own, verbs, words[end].text if end < len(words) else ""
    )
    return Clause(own, shifted, text[own[0].start : own[-1].end], mood, verb, verb_words, wanted)


def _intent(
    words: tuple[Word, ...], verbs: Collection[str], mark: str
) -> tuple[Mood, str, frozenset[int], bool]:
    """Return the mood, the verb, the words that say it, and whether something is wanted."""
    length = _wants(words, 0)
    low = [word.low for word in words]
    if length and length < len(words):
        said = frozenset(range(length))
        if low[0] in ("show", "give", "get", "let"):
            verb = words[0].stem if low[0] != "let" else "show"
            return ("do", verb, said, True)
        after = words[length]
        if (
            low[length - 1] != "for"
            and is_verb(after.stem)
            and _is_base(after)
            and not is_noun(after.stem)
        ):
            return "do", after.stem, said | {length}, False
        return "ask", "", said, True
    if low[0] in _QUESTIONS:
        return "ask", _asked_verb(words), frozenset(), False
    start = _led_in(words)
    first = words[start]
    joined = len(words) > start + 1 and stem(first.low + words[start + 1].low) in verbs
    if (_tells(first, verbs) or joined) and (
        start == 0 or not is_noun(first.stem) or start + 1 < len(words)
    ):
        verb, said = _phrasal(words[start:], verbs)
        if verb in ("open", "make", "start", "get") and _is_new(low[start:]):
            verb = "creat"
        if verb == "take" and len(said) == 1 and not _taken_somewhere(low):
            # `take vacation`, `take ibuprofen`: the verb says nothing.
            return "ask", "", frozenset(start + index for index in said), True
        return "do", verb, frozenset(start + index for index in said), False
    if mark == "?":
        return "ask", _asked_verb(words), frozenset(), False
    if _commands(words):
        return "do", first.stem, frozenset({0}), False
    for index, word in enumerate(words[1:6], 1):
        # `to cancel my order`, `you to send`: a verb that is led in.
        if (
            low[index - 1] == "to" and is_verb(word.stem) and _is_base(word)
            and all(one in STOP for one in low[: index - 1])
        ):  # fmt: skip
            return "do", word.stem, frozenset({index}), False
    if low[0] in ("i'm", "we're", "i", "we") and (going := _going(words)):
        return "do", words[going].stem, frozenset(range(going + 1)), False
    if low[0] in _PRONOUN_SUBJECTS or any(
        word in ("is", "are", "was", "were", "has", "have") for word in low[1:6]
    ):
        return "tell", _asked_verb(words), frozenset(), False
    return "ask", "", frozenset(), False


def _taken_somewhere(low: Sequence[str]) -> bool:
    return bool(set(low) & {"from", "off", "out", "me", "down"}) and not any(
        word in low for word in ("january", "to")
    )


def _going(words: Sequence[Word]) -> int:
    """Return the index of what somebody is doing: `we are moving to …`; 0 if nothing."""
    for index in (1, 2):
        if (
            index < len(words)
            and words[index].low.endswith("ing")
            and words[index].stem in WRITE_VERBS
        ):
            return index if index == 1 or words[1].low in ("am", "are") else 0
    return 0


def _commands(words: Sequence[Word]) -> bool:
    """Whether a word that nobody knows is told to be done: `sell the old van`."""
    first = words[0]
    return (
        len(words) > 1
        and first.low.isalpha()
        and first.low not in STOP
        and not is_noun(first.stem)
        and _is_base(first)
        and first.low not in PREPOSITIONS
        and words[1].low
        in ("the", "a", "an", "my", "me", "this", "that", "it", "our", "these", "them")
    )


def _tells(word: Word, verbs: Collection[str]) -> bool:
    """Whether a word can begin a request: a verb that is known, or `re` and `un` before one."""
    if not _is_base(word):
        return False
    if is_verb(word.stem) or word.stem in verbs:
        return True
    return any(
        word.low.startswith(prefix) and is_verb(stem(word.low[len(prefix) :].removeprefix("-")))
        for prefix in ("re", "un", "dis")
    ) and not is_noun(word.stem)


def _led_in(words: Sequence[Word]) -> int:
    """Return where a request begins that leads in with a place or time: `on ticket 7 leave …`."""
    if words[0].low not in ("on", "for", "in", "at", "from", "with", "under", "to", "of"):
        return 0
    for index in range(2, min(8, len(words) - 1)):
        word, after = words[index], words[index + 1]
        if is_verb(word.stem) and _is_base(word) and (
            after.low in ("me", "a", "an", "the", "my", "it", "all", "them", "this")
            or words[index - 1].text == ","
        ) and words[index - 1].low not in ("the", "a", "an", "my", "to", "of", "our"):  # fmt: skip
            return index
    return 0


def _is_new(low: Sequence[str]) -> bool:
    return "new" in low[1:4] or "another" in low[1:3]


def _phrasal(words: tuple[Word, ...], verbs: Collection[str] = ()) -> tuple[str, frozenset[int]]:
    if len(words) > 1 and (joined := stem(words[0].low + words[1].low)) in verbs:
        # `roll back` for `rollback`.
        return joined, frozenset({0, 1})
    low = words[0].low
    if low == "check" and len(words) > 1 and words[1].low == "out":
        things = {word.low for word in words[2:5]}
        if len(words) == 2 or words[2].low not in ("the", "this", "these", "some", "a", "what") or (
            things & {"cart", "basket", "bag", "order", "trolley"}
        ):  # fmt: skip
            return stem("checkout"), frozenset({0, 1})
    for index, word in enumerate(words[1:8], 1):
        if (low, word.low) in _PHRASAL and (index == 1 or word.low in _PARTICLES):
            if index > 1 and index + 1 < len(words) and word.low in ("on", "in") and low not in (
                "turn", "switch", "log", "sign",
            ):  # fmt: skip
                continue
            return stem(_PHRASAL[low, word.low]), frozenset({0, index})
    return words[0].stem, frozenset({0})


def _asked_verb(words: Sequence[Word]) -> str:
    """Return the verb of a question that changes something: `can my order be cancelled`."""
    for word in words:
        if word.stem in WRITE_VERBS and not is_noun(word.stem) and word.low.endswith("ed"):
            return word.stem
    return ""


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


def joined_to(request: Clause, told: Clause) -> Clause:
    """Return a request with the words of another that only adds to it."""
    offset = len(request.words)
    spans = tuple(
        replace(span, first=span.first + offset, end=span.end + offset) for span in told.spans
    )
    return replace(
        request,
        words=request.words + told.words,
        spans=request.spans + spans,
        text=f"{request.text} {told.text}",
    )


def is_pick_word(low: str) -> bool:
    """Whether a word chooses one of several: `cheapest`, `second`, `last`."""
    return (
        ordinal_of(low) is not None
        or low in ("last", "latest")
        or (low.endswith("est") and len(low) > 5)
    )


def halves_of(clause: Clause, at: int) -> tuple[Clause, Clause]:
    """Return the two requests of `get the weather and the forecast`, which share a verb.

    Args:
        clause: The request.
        at: Index of the word where the second begins, behind `and`.
    """
    first = tuple(span for span in clause.spans if span.end < at)
    second = tuple(
        replace(span, first=span.first - at, end=span.end - at)
        for span in clause.spans
        if span.first >= at
    )
    text = clause.text
    cut = clause.words[at].start - clause.words[0].start
    return (
        replace(clause, words=clause.words[: at - 1], spans=first, text=text[:cut]),
        replace(
            clause, words=clause.words[at:], spans=second, text=text[cut:], verb_words=frozenset()
        ),
    )
