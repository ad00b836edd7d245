"""Tools, things and sums in the words of people: `added to basket`, `3 books`, `£7.50`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.results import fields_of, number_in
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import is_noun, is_verb
from webagent.agent.deterministic.words import split_identifier

_PAST: Final[Mapping[str, str]] = {
    "put": "put", "set": "set", "send": "sent", "buy": "bought", "pay": "paid", "write": "written",
    "make": "made", "take": "taken", "get": "got", "give": "given", "begin": "begun", "hold": "held",
    "choose": "chosen", "leave": "left", "lend": "lent", "run": "run", "cut": "cut", "stop": "stopped",
    "drop": "dropped", "plan": "planned", "submit": "submitted", "cancel": "cancelled", "pin": "pinned",
    "transfer": "transferred", "enrol": "enrolled", "keep": "kept", "tag": "tagged", "shut": "shut",
    "withdraw": "withdrawn", "read": "read", "reset": "reset", "log": "logged", "swap": "swapped",
}  # fmt: skip
_SIGNS: Final[Mapping[str, str]] = {"GBP": "£", "EUR": "€", "USD": "$", "JPY": "¥"}
_SUMS: Final = frozenset(
    map(stem, ("price", "cost", "total", "subtotal", "fare", "fee", "premium", "rent"))
)
_MINE: Final[Mapping[str, str]] = {
    "my": "your", "me": "you", "i": "you", "mine": "yours", "our": "your", "us": "you", "we": "you",
    "myself": "yourself", "i'm": "you are", "i've": "you have", "am": "are",
}  # fmt: skip


def said_back(clause: Clause) -> str:
    """Return a request as somebody says it who will do it: `add it to your basket`."""
    said = " ".join(_MINE.get(word.lower(), word) for word in clause.text[:160].split())
    said = said.strip().rstrip(".!?")
    if clause.mood == "do" and said:
        return said[0].lower() + said[1:] if not said[:2].isupper() else said
    return (
        f"answer “{said}”"
        if clause.mood != "ask" or clause.text.endswith("?")
        else f"look for “{said}”"
    )


def called(card: Card) -> str:
    """Return what a person would call a tool: its title, or the words of its name."""
    return card.title or " ".join(split_identifier(card.name)) or f"`{card.name}`"


def done(card: Card) -> str:
    """Return what was done: `added to basket`."""
    words = split_identifier(card.name)
    if not words or not is_verb(stem(words[0])):
        return f"{called(card)}: done"
    return " ".join((past(words[0]), *words[1:]))


def past(verb: str) -> str:
    """Return the past participle of a verb."""
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + "ed"


def counted(card: Card, number: int) -> str:
    """Return how many things were found: `3 books`, `1 book`, `no books`."""
    words = split_identifier(card.name)
    noun = words[-1] if words else ""
    if not (noun.endswith("s") or is_noun(stem(noun))) or is_verb(noun) or len(words) < 2:
        noun = "result"
    single = noun.removesuffix("s") if not noun.endswith(("ss", "us", "ies")) else noun
    single = noun[:-3] + "y" if noun.endswith("ies") else single
    plural = noun if noun.endswith("s") else noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number or 'no'} {single if number == 1 else plural}"


def currency_in(value: Any) -> str:
    """Return the currency that a result names."""
    for path, inner in fields_of(value if isinstance(value, Mapping) else {}):
        if path[-1].lower() == "currency" and isinstance(inner, str):
            return inner[:8]
    return ""


def fact(name: str, value: Any, currency: str) -> str:
    """Return a field in words: `£7.50`, `4 nights`, `free: yes`, else its name and value."""
    words = split_identifier(name)
    number = number_in(value)
    if any(stem(word) in _SUMS for word in words) and number is not None:
        if isinstance(value, str) and not value.strip()[:1].isdigit():
            return value
        if currency:
            sign = _SIGNS.get(currency.upper())
            return f"{sign}{number:.2f}" if sign else f"{number:.2f} {currency}"
    said = " ".join(words)
    if isinstance(value, bool):
        return f"{said}: {'yes' if value else 'no'}"
    if isinstance(value, int) and said.endswith("s") and not said.endswith("ss"):
        return f"{value} {said.removesuffix('s') if value == 1 else said}"
    return f"{said} {value}"
