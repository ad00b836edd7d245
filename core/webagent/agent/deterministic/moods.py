"""What a request wants: something done, an answer, or only to tell; and the verb that says it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from webagent.agent.deterministic.clause import Mood
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import WRITE_VERBS, is_noun, is_verb
from webagent.agent.deterministic.wordlist import listed
from webagent.agent.deterministic.words import PREPOSITIONS, STOP, Word

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
_PRONOUN_SUBJECTS: Final = frozenset({"i", "i'm", "i've", "we", "we're", "my", "it", "it's", "he",
                                      "she", "they", "our", "his", "her", "there", "this"})  # fmt: skip


def wants(words: Sequence[Word], at: int) -> int:
    """Return how many words at a place say that something is wanted."""
    return max(
        (len(p) for p in _WANTS if tuple(word.low for word in words[at : at + len(p)]) == p),
        default=0,
    )


def intent(
    words: tuple[Word, ...], verbs: Collection[str], mark: str
) -> tuple[Mood, str, frozenset[int], bool]:
    """Return the mood, the verb, the words that say it, and whether something is wanted."""
    length = wants(words, 0)
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
            and is_base(after)
            and not is_noun(after.stem)
        ):
            return "do", after.stem, said | {length}, False
        return "ask", "", said, True
    if low[0] in _QUESTIONS:
        asked = _asked_verb(words) if low[0] in ("can", "could", "may", "will", "would") else ""
        return "ask", asked, frozenset(), False
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
            low[index - 1] == "to" and is_verb(word.stem) and is_base(word)
            and all(one in STOP for one in low[: index - 1])
        ):  # fmt: skip
            return "do", word.stem, frozenset({index}), False
    if low[0] in ("i'm", "we're", "i", "we") and (going := _going(words)):
        return "do", words[going].stem, frozenset(range(going + 1)), False
    if _is_trouble(low) and low[0] not in _QUESTIONS:
        return "do", stem("report"), frozenset(), False
    if low[0] in _PRONOUN_SUBJECTS or any(
        word in ("is", "are", "was", "were", "has", "have") for word in low[1:6]
    ):
        return "tell", _asked_verb(words), frozenset(), False
    return "ask", "", frozenset(), False


def _is_trouble(low: Sequence[str]) -> bool:
    """Whether something is said not to work: `the brakes are broken`."""
    if set(low) & {"broken", "damaged", "leaking", "leaks", "faulty", "defective"}:
        return True
    return any(
        word in ("work", "working", "works")
        and {"not", "don't", "doesn't", "isn't", "aren't"} & set(low[:at])
        for at, word in enumerate(low)
    )


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
        and is_base(first)
        and first.low not in PREPOSITIONS
        and words[1].low
        in (
            "the",
            "a",
            "an",
            "my",
            "me",
            "this",
            "that",
            "it",
            "our",
            "these",
            "them",
            "all",
            "some",
            "every",
        )
    )


def _tells(word: Word, verbs: Collection[str]) -> bool:
    """Whether a word can begin a request: a verb that is known, or `re` and `un` before one."""
    if not is_base(word):
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
        if is_verb(word.stem) and is_base(word) and (
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
    if len(words) > 2 and words[1].low in ("me", "us") and words[2].low in _PARTICLES and (
        (low, words[2].low) in _PHRASAL
    ):  # fmt: skip
        # `log me out` is no `log me`.
        return stem(_PHRASAL[low, words[2].low]), frozenset({0, 2})
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


def is_base(word: Word) -> bool:
    """Whether a word has no ending: `book`, not `books` or `booking`."""
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
