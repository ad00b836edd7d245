"""What a tool does, as a person says it: `add it to the basket`, `I added “Dune” to the basket`.

Clauses are made of the names of tools in English alone. Other languages quote the tool's title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.results.answer import of_many
from webagent.agent.deterministic.results.clauses import (
    LONGEST,
    LONGEST_NAME,
    clause_of,
    sentence_of,
)
from webagent.agent.deterministic.results.items import (
    MEANINGS,
    Field,
    Item,
    Result,
    stems_of_name,
)
from webagent.agent.deterministic.results.measures import clean, written
from webagent.agent.deterministic.results.question import question_of
from webagent.speech import say, spoken

_LONGEST: Final = 90
_LONGEST_THING: Final = 70
_IRREGULAR: Final = {
    "begin": "began", "bring": "brought", "buy": "bought", "choose": "chose", "cut": "cut", "do": "did", "draw": "drew",
    "feed": "fed", "find": "found", "get": "got", "give": "gave", "go": "went", "hide": "hid", "hold": "held",
    "leave": "left", "lend": "lent", "let": "let", "make": "made", "pay": "paid", "put": "put", "read": "read",
    "rebuild": "rebuilt", "reset": "reset", "resend": "resent", "run": "ran", "see": "saw", "sell": "sold",
    "send": "sent", "set": "set", "shut": "shut", "split": "split", "take": "took", "tell": "told", "think": "thought",
    "withdraw": "withdrew", "write": "wrote",
}  # fmt: skip
_DOUBLED: Final = frozenset(
    ("ban", "cancel", "drop", "log", "pin", "plan", "skip", "stop", "submit", "swap", "tag", "transfer", "unpin", "zip")
)  # fmt: skip
_PARTICLES: Final = frozenset(("on", "off", "in", "out", "up", "down", "back"))
_JOINTS: Final = frozenset(("to", "from", "into", "for", "with", "by", "of", "at"))
_AIMED: Final = frozenset(("at", "for"))
"""They lead to the thing itself, and not to a place for it."""
_WITHOUT_IT: Final = frozenset(
    ("apply", "go", "listen", "reply", "speak", "subscribe", "talk", "write")
)
_ARTICLES: Final = frozenset(("a", "an", "the", "all", "my", "your"))
_BASE: Final = re.compile(r"[A-Za-z]+")
_OF_PERSON: Final = re.compile(r"\bthe (?:visitor|user|customer)\b('s)?")
_PERSON_DOES: Final = re.compile(
    r"\b(?:that|which|what|when|where|whether|if|how) the (?:visitor|user|customer)\b"
)
"""Where a description is about what a person does: `the hour at which the visitor comes`."""


def called(tool: str, title: str = "") -> str:
    """Return the name of a tool for people: its title, or the words of its name."""
    return clean(title, 80) or " ".join(_words(tool, "")) or tool


def to_do(
    tool: str, verbs: frozenset[str] = frozenset(), title: str = "", description: str = ""
) -> str:
    """Return what a tool does, as it stands behind `Shall I`; the arguments are those of `intended`."""
    told = _clause(description) if spoken().is_english else ""
    return told or _said(tool, verbs, title, "") or say("use", tool=called(tool, title))


def intended(tool: str, verbs: frozenset[str], title: str, thing: str, facts: Sequence[str]) -> str:
    """Return what a call will do, as it stands behind `I will`; nothing if English has no verb for it.

    Args:
        tool: The tool's name.
        verbs: Stems of the tool's verbs.
        title: What the tool is called for people, if it says.
        thing: The name of what it is done to.
        facts: What else it is called with, in words.
    """
    thing = clean(thing, _LONGEST_THING)
    doing = _said(tool, verbs, title, thing)
    if not spoken().is_english:
        what = called(tool, title)
        doing = say("use_for", tool=what, thing=thing) if thing else say("use", tool=what)
    told = say("comma").join(facts)
    if told and doing.endswith(")"):
        # `change a quantity (Dune, quantity 2)`
        return f"{doing[:-1]}{say('comma')}{told})"
    return f"{doing} ({told})" if told and doing else doing


def _said(
    tool: str, verbs: frozenset[str], title: str, thing: str, *, is_past: bool = False
) -> str:
    """Return a tool's own verb with its object: `add “Dune” to the basket`; only English has such words."""
    words = _words(tool, title)
    at = _verb_at(words, verbs) if spoken().is_english else None
    if at is None:
        return ""
    (first, *particle), rest = _split(words, at)
    verb, named = _past(first) if is_past else first, f"“{thing}”" if thing else ""
    if particle == ["out"] and rest[:1] == ["of"] and rest[1:]:
        # `take “Dune” out of the basket`
        return f"{verb} {named or 'it'} out of {_with_article(rest[1:])}"
    return f"{' '.join((verb, *particle))} {_object(rest, named, first)}".rstrip()


def _clause(description: str) -> str:
    """Return the first words of a description that say what is done: `put a book into the basket`."""
    text = re.split(r"[,;:.!?(\n–—]", description.strip()[:400], maxsplit=1)[0].strip()
    first = _BASE.match(text)
    if first is None or len(text) > _LONGEST or not _is_base(first[0].lower()) or _PERSON_DOES.search(text):  # fmt: skip
        return ""
    text = _OF_PERSON.sub(lambda said: "your" if said[1] else "you", clean(text, _LONGEST))
    return text[:1].lower() + text[1:]


def _is_base(word: str) -> bool:
    """Whether a word is a verb as it stands behind `to`."""
    english = language("en")
    known = english.stem(word) in english.verbs or word in _IRREGULAR or word in _DOUBLED
    return known and not word.endswith(("s", "ing", "ed")) and word not in english.stop


def _words(tool: str, title: str) -> list[str]:
    """Return the words of a title that begins with a verb, or else those of the tool's name."""
    titled = [word.lower() for word in clean(title, 80).split()]
    if titled and _is_base(titled[0]):
        return titled
    return [word.lower() for word in identifier_words(clean(tool, 80))]


def _verb_at(words: Sequence[str], verbs: frozenset[str]) -> int | None:
    english = language("en")
    # Of a verb of another language no English past can be made.
    # `cancel the visit` visits nothing.
    nouns = {at + 1 for at, word in enumerate(words) if word in _ARTICLES}
    known = [at for at, word in enumerate(words) if _is_base(word) and at not in nouns]
    own = [at for at in known if english.stem(words[at]) in verbs]
    return next(iter((*own, *known)), None)


def _split(words: Sequence[str], at: int) -> tuple[list[str], list[str]]:
    """Return the verb with its particle, and the other words; a noun may stand before the verb."""
    end = at + 2 if at + 1 < len(words) and words[at + 1] in _PARTICLES else at + 1
    return list(words[at:end]), [*words[end:], *words[:at]]


def _object(rest: Sequence[str], named: str, verb: str) -> str:
    """Return the words behind a verb: `“Dune” to the basket`, `the order (7)`, `at a book`."""
    if not rest:
        return named
    if rest[0] in _AIMED and rest[1:]:
        is_any = rest[1] in ("a", "an")
        return f"{rest[0]} {named if named and is_any else _object(rest[1:], named, verb)}"
    if rest[0] in _JOINTS:
        if not rest[1:]:
            return named
        it = named or ("" if verb in _WITHOUT_IT else "it")
        return f"{it} {rest[0]} {_with_article(rest[1:])}".lstrip()
    joint = next((at for at, word in enumerate(rest) if word in _JOINTS), len(rest))
    noun = _with_article(rest[:joint])
    tail = f" {rest[joint]} {_with_article(rest[joint + 1 :])}" if rest[joint + 1 :] else ""
    return f"{noun}{f' ({named[1:-1]})' if named else ''}{tail}"


def _with_article(words: Sequence[str]) -> str:
    return " ".join(words if words[0] in _ARTICLES else ("the", *words))


def _past(verb: str) -> str:
    """Return the past of an English verb."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}ed" if verb in _DOUBLED else f"{verb}ed"


_DOING: Final = frozenset(("status", "state", "ok", "success", "result", "message"))
_WITH_ERROR: Final = frozenset(
    ("error", "code", "status", "message", "reason", "detail", "details")
)
"""Keys of a result that has nothing but an error."""
_SWITCHING: Final = frozenset(
    ("close", "disable", "end", "hide", "mute", "pause", "set", "stop", "switch", "toggle", "turn")
)
"""Words of tools that return whether something is on."""
_FAILED: Final = frozenset(("error", "failed", "failure", "rejected", "denied"))
"""States of a change that was not made."""
_ERROR_TEXT: Final = re.compile(r"\s*error:\s*", re.IGNORECASE)
_LONGEST_REASON: Final = 300
_EMPTY: Final = frozenset(("", "ok", "okay", "done", "success", "true", "none", "null"))


def done(
    tool: str,
    arguments: Mapping[str, Any],
    result: Result,
    *,
    schema: Any = None,
    verbs: frozenset[str] = frozenset(),
    title: str = "",
    thing: str = "",
) -> str:
    """Return that something was done, with the thing's name and what the result confirms.

    Args:
        tool: The tool's name.
        arguments: What it was called with.
        result: What it gave back.
        schema: The tool's input schema, which says what is a code.
        verbs: Stems of the tool's verbs.
        title: What the tool is called for people, if it says.
        thing: The name of the thing, if an argument is only its id.
    """
    thing = clean(thing, LONGEST_NAME) or _thing(arguments, schema)
    what, told = called(tool, title), _said(tool, verbs, title, thing, is_past=True)
    used = say("used_for", tool=what, thing=thing) if thing else say("used", tool=what)
    text = f"I {told}." if told else used
    if result.is_list and result.count:
        text += " " + of_many(result.items, result.count, result.noun, question_of(None), ())
    elif len(result.items) == 1 and result.items[0].fields:
        item = result.items[0]
        own = item.fields[0]
        said = str(own.value).strip().lower()
        if own.path:
            text += _told([field for field in _confirmed(item) if field.path])
        elif not isinstance(own.value, bool) and said not in _EMPTY and said not in text.lower():
            text += " " + say("it_says", text=written(own.value))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def refusal_of(tool: str, arguments: Mapping[str, Any], value: Any, *, reads: bool) -> str | None:
    """Return why a result says that nothing was done; None if it does not say so.

    Many tools return `{"ok": false, "error": "sold out"}` in place of an error.

    Args:
        tool: The tool's name.
        arguments: What it was called with.
        value: What the tool returned.
        reads: Whether the tool only reads; then `ok` or a state may be what was asked for.
    """
    if isinstance(value, str) and (found := _ERROR_TEXT.match(value)) and not reads:
        return clean(value[found.end() :], _LONGEST_REASON) or say("fault_undone")
    denies = not reads and _is_undone(tool, arguments, value)
    if not isinstance(value, Mapping):
        return say("fault_undone") if denies else None
    if not reads and (inner := refusal_of(tool, arguments, value.get("result"), reads=False)):
        return inner
    errors = value.get("errors")
    said = [value.get(key) for key in ("error", "reason", "message", "detail")]
    said += errors if isinstance(errors, list) else [errors]
    texts = [one.get("message") if isinstance(one, Mapping) else one for one in said]
    reason = clean(
        next((one for one in texts if isinstance(one, str) and one), ""), _LONGEST_REASON
    )
    denies = denies or any(value.get(key) is False for key in ("ok", "success"))
    only_error = bool(value.get("error")) and value.keys() <= _WITH_ERROR
    failed = not reads and (
        value.get("isError") is True
        or bool(errors)
        or any(str(value.get(key)).lower() in _FAILED for key in ("status", "state"))
    )
    if failed or (denies and (reason or not reads)) or (only_error and reason):
        return reason or say("fault_undone")
    return None


def _is_undone(tool: str, arguments: Mapping[str, Any], value: Any) -> bool:
    """Whether a change denies itself: `false`, or `{"added": false}` of `addToCart`."""
    words = _words(tool, "")
    if _SWITCHING & {*words} or any(one is False for one in arguments.values()):
        # What is off now may be what was wanted.
        return False
    if not isinstance(value, Mapping):
        return value is False
    english = language("en")
    keys = (identifier_words(str(key)[:80])[-1:] for key, one in islice(value.items(), 20) if one is False)  # fmt: skip
    denied = {word.lower() for last in keys for word in last}
    did = {english.stem(word) for word in denied if word.endswith("ed")}
    return any(_past(word) in denied or english.stem(word) in did for word in words)


def _told(fields: Sequence[Field]) -> str:
    clauses = [clause_of(field, question_of(None)) for field in fields[:4]]
    return f" {sentence_of(clauses)}" if clauses else ""


def _confirmed(item: Item) -> list[Field]:
    fields = [
        one for one in item.fields
        if one.value is not None and not one.is_flag and len(str(one.value)) <= 160
        and not str(one.value).startswith("http") and str(one.value).strip().lower() not in _EMPTY
    ]  # fmt: skip
    telling = {"id", "price", "date"}
    return sorted(fields, key=lambda one: not (one.meanings & telling or one.words & _DOING))


def _thing(arguments: Mapping[str, Any], schema: Any) -> str:
    """Return what the arguments call the thing: a text that is named so, or else the first words."""
    texts = [
        (stems_of_name(str(key)[:80]), value) for key, value in islice(arguments.items(), 20)
        if isinstance(value, str) and 0 < len(value.strip()) <= 80 and not _is_code(schema, key, value)
    ]  # fmt: skip
    named = [text for stems, text in texts if stems & MEANINGS["name"]]
    words = [text for stems, text in texts if not stems & MEANINGS["id"] and not any(map(str.isdigit, text))]  # fmt: skip
    return clean(next(iter((*named, *words)), ""), LONGEST_NAME)


def _is_code(schema: Any, key: Any, value: str) -> bool:
    """Whether a value is one of those a schema lists, or looks like a code."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    own = properties.get(key) if isinstance(properties, Mapping) else None
    return (isinstance(own, Mapping) and "enum" in own) or (value.isupper() and len(value) <= 5)
