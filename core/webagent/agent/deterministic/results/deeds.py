"""What a tool does, as a person says it: `add it to the basket`, `I added “Dune” to the basket`.

Clauses are made of the names of tools in English alone. Other languages quote the tool's title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
_LOGGING: Final = {"login": ("log you in", "I logged you in"), "logout": ("log you out", "I logged you out"),
                   "signin": ("sign you in", "I signed you in"), "signout": ("sign you out", "I signed you out"),
                   "signup": ("sign you up", "I signed you up")}  # fmt: skip
_BASE: Final = re.compile(r"[A-Za-z]+")
_SUBJECT: Final = re.compile(
    r"\b(at which|that|which|what|when|where|whether|if|how) the (?:visitor|user|customer) (\w+)\b"
)
"""Where a description is about what a person does: `the hour at which the visitor comes`."""
_BEHIND_YOU: Final = {"is": "are", "has": "have", "does": "do", "was": "were"}
_COUNTED: Final = re.compile(r"^(\w+) (?:copies|pieces|units) of (?=an? )")
"""How a description says that there may be several: `put copies of a book into the basket`."""


def deed(tool: str, verbs: frozenset[str] = frozenset(), title: str = "", thing: str = "") -> str:
    """Return that something was done, as a sentence.

    Args:
        tool: The tool's name.
        verbs: Stems of the tool's verbs.
        title: What the tool is called for people, if it says.
        thing: The name of the thing it was done to.
    """
    thing, words = clean(thing, _LONGEST_THING), _words(tool, title)
    if spoken().is_english:
        if (said := _LOGGING.get("".join(words))) is not None:
            return f"{said[1]}."
        at = _verb_at(words, verbs)
        if at is not None:
            verb, rest = _split(words, at)
            past = " ".join([_past(verb[0]), *verb[1:]])
            return (
                f"I {past} {_object(rest, f'“{thing}”' if thing else '', verb[0])}".rstrip() + "."
            )
    what = called(tool, title)
    return say("used_for", tool=what, thing=thing) if thing else say("used", tool=what)


def called(tool: str, title: str = "") -> str:
    """Return the name of a tool for people: its title, or the words of its name."""
    return clean(title, 80) or " ".join(_words(tool, "")) or tool


def to_do(
    tool: str, verbs: frozenset[str] = frozenset(), title: str = "", description: str = ""
) -> str:
    """Return what a tool does, as it stands behind `Shall I`; the arguments are those of `deed`."""
    words = _words(tool, title)
    if spoken().is_english:
        if (said := _LOGGING.get("".join(words))) is not None:
            return said[0]
        if told := _clause(description):
            return told
        at = _verb_at(words, verbs)
        if at is not None:
            verb, rest = _split(words, at)
            return f"{' '.join(verb)} {_object(rest, '', verb[0])}".rstrip()
    return say("use", tool=called(tool, title))


def intended(tool: str, verbs: frozenset[str], title: str, thing: str, facts: Sequence[str]) -> str:
    """Return what a call will do, as it stands behind `I will`; nothing if English has no verb for it.

    Args:
        tool: The tool's name.
        verbs: Stems of the tool's verbs.
        title: What the tool is called for people, if it says.
        thing: The name of what it is done to.
        facts: What else it is called with, in words.
    """
    thing, words = clean(thing, _LONGEST_THING), _words(tool, title)
    if spoken().is_english:
        at = _verb_at(words, verbs)
        if "".join(words) in _LOGGING or at is None:
            return ""
        verb, rest = _split(words, at)
        doing = f"{' '.join(verb)} {_object(rest, f'“{thing}”' if thing else '', verb[0])}".rstrip()
    else:
        what = called(tool, title)
        doing = say("use_for", tool=what, thing=thing) if thing else say("use", tool=what)
    return f"{doing} ({say('comma').join(facts)})" if facts else doing


def _clause(description: str) -> str:
    """Return the first words of a description that say what is done: `put a book into the basket`."""
    text = re.split(r"[,;:.!?(\n–—]", description.strip()[:400], maxsplit=1)[0].strip()
    first = _BASE.match(text)
    if not text or first is None or len(text) > _LONGEST or not _is_base(first[0].lower()):
        return ""
    text = _COUNTED.sub(r"\1 ", clean(text, _LONGEST))
    text = text.replace("the visitor's", "your").replace("the user's", "your")
    text = _SUBJECT.sub(lambda said: f"{said[1]} you {_plural(said[2])}", text)
    text = re.sub(r"\bthe (?:visitor|user|customer)\b", "you", text)
    return text[:1].lower() + text[1:]


def _plural(verb: str) -> str:
    """Return a verb as it stands behind `you`: `come` of `comes`."""
    forms = (re.sub("ies$", "y", verb), verb.removesuffix("s"), verb.removesuffix("es"))
    return _BEHIND_YOU.get(verb) or next(filter(_is_base, forms), verb)


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
    known = [at for at, word in enumerate(words) if _is_base(word)]
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
    text = deed(tool, verbs, title, clean(thing, LONGEST_NAME) or _thing(arguments, schema))
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


def refusal_of(value: Any, *, reads: bool) -> str | None:
    """Return why a result says that nothing was done; None if it does not say so.

    Many tools return `{"ok": false, "error": "sold out"}` in place of an error.

    Args:
        value: What the tool returned.
        reads: Whether the tool only reads; then `ok` alone may be what was asked for.
    """
    if not isinstance(value, Mapping):
        return None
    texts = [value.get(key) for key in ("error", "reason", "message", "detail")]
    if isinstance(texts[0], Mapping):
        texts.insert(0, texts[0].get("message"))
    reason = clean(
        next((one for one in texts if isinstance(one, str) and one), ""), _LONGEST_REASON
    )
    denies = any(value.get(key) is False for key in ("ok", "success"))
    only_error = bool(value.get("error")) and value.keys() <= _WITH_ERROR
    if (denies and (reason or not reads)) or (only_error and reason):
        return reason or say("fault_undone")
    return None


def _told(fields: Sequence[Field]) -> str:
    clauses = [clause_of(field, question_of(None)) for field in fields[:4]]
    return f" {sentence_of(clauses)}" if clauses else ""


def _confirmed(item: Item) -> list[Field]:
    fields = [
        field
        for field in item.fields
        if field.value is not None and not isinstance(field.value, bool)
    ]
    fields = [
        field
        for field in fields
        if len(str(field.value)) <= 160 and not str(field.value).startswith("http")
    ]
    fields = [field for field in fields if str(field.value).strip().lower() not in _EMPTY]
    telling = [
        field
        for field in fields
        if field.meanings & {"id", "price", "date"} or field.words & _DOING
    ]
    return [*telling, *(field for field in fields if field not in telling)]


def _thing(arguments: Mapping[str, Any], schema: Any) -> str:
    """Return what the arguments call the thing: the first text that is a name, not a code."""
    best = code = ""
    for at, (key, value) in enumerate(arguments.items()):
        if at == 20:
            break
        if not isinstance(value, str) or not value.strip() or len(value) > 80:
            continue
        stems = stems_of_name(str(key)[:80])
        if _is_code(schema, key, value):
            code = code or (
                clean(value, LONGEST_NAME) if value.islower() and len(value) > 2 else ""
            )
            continue
        if stems & MEANINGS["name"]:
            return clean(value, LONGEST_NAME)
        if not best and not stems & MEANINGS["id"] and not any(sign.isdigit() for sign in value):
            best = clean(value, LONGEST_NAME)
    return best or code


def _is_code(schema: Any, key: Any, value: str) -> bool:
    """Whether a value is one of those a schema lists, or looks like a code."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    own = properties.get(key) if isinstance(properties, Mapping) else None
    return (isinstance(own, Mapping) and "enum" in own) or (value.isupper() and len(value) <= 5)
