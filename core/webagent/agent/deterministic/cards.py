"""What a planner knows of one tool: the words it goes by, its slots, and what it gives back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from webagent.agent.deterministic.choices import forms_of
from webagent.agent.deterministic.slots import Slot, slots_of
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import (
    KNOWN,
    READ_VERBS,
    WORDS,
    WRITE_VERBS,
    is_noun,
    is_verb,
    verb_likeness,
)
from webagent.agent.deterministic.wordlist import listed
from webagent.agent.deterministic.words import split_identifier, stems_of, words_of
from webagent.registry.binding import Binding

_MOST_FIELDS = 80
_ALWAYS_READ: Final = frozenset(
    map(
        stem,
        listed(
            """get list search find show check view fetch read query lookup browse
            calculate compute estimate compare track convert translate describe
            preview count recommend suggest quote analyze analyse see locate filter
            explore summarize report describe validate is has look retrieve display
            discover ask browse what"""
        ),
    )
)
_SEARCHING: Final = frozenset(map(stem, ("search", "find", "lookup", "query", "look")))
_PURE: Final = frozenset(
    map(stem, ("create", "update", "delete", "remove", "add", "get", "list", "search", "find", "cancel", "edit",
               "assign", "close", "send", "submit", "set", "read", "log", "move", "archive", "share"))
)  # fmt: skip
_STARTING: Final = frozenset(
    map(stem, ("start", "begin", "create", "make", "run", "request", "submit", "add"))
)
_ADJECTIVES: Final = frozenset(map(stem, ("open", "saved", "clear", "like", "available", "free")))
_FILLERS: Final = frozenset({"for", "to", "by", "of", "from", "in", "with", "and", "the", "a", "on",
                             "into", "at", "my", "your", "all", "new", "current"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Card:
    """A tool as it is ranked and called."""

    name: str
    verb: str
    """Stem of the verb in its name; empty if there is none."""
    verbs: frozenset[str]
    """Stems of further verbs: those that begin its description's sentences, and the first word of
    its name that nobody knows."""
    nouns: tuple[str, ...]
    """Stems of the other words of its name."""
    lead: frozenset[str]
    """Stems of its title and of the first sentence of its description."""
    rest: frozenset[str]
    """Stems of the rest of its description."""
    slots: tuple[Slot, ...]
    fields: frozenset[str]
    """Stems of the names in what it gives back."""
    outputs: tuple[str, ...]
    """Names in what it gives back."""
    effect: str
    """As declared; `read` where nothing is declared and its verb changes nothing."""
    description: str
    problem: str
    paths: tuple[str, ...]
    schema: Mapping[str, Any]
    values: frozenset[str]
    """Stems of the values that its parameters allow."""
    open: bool = False
    """Whether neither its author nor a verb says whether it reads or sets what it is about."""
    subject: frozenset[str] = frozenset()
    """Stems of what it is about: the nouns of its name, and the object its description begins with."""

    asks: frozenset[str] = frozenset()
    """Stems of the names of its slots, and of those around them."""
    told: frozenset[str] = frozenset()
    """Stems of the descriptions of its slots."""
    currency: str = ""
    """Of its sums, as its description or its output says."""
    title: str = ""
    """What its author calls it for people."""

    @property
    def spoken(self) -> frozenset[str]:
        """Stems with which a request for it may begin."""
        return (frozenset({self.verb}) if self.verb else frozenset()) | self.verbs

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.effect == "read"

    def required(self) -> list[Slot]:
        """Return the slots without which it cannot be called."""
        return [slot for slot in self.slots if slot.required]


def card_of(binding: Binding) -> Card:
    """Return what there is to know of a tool."""
    tool = binding.describe()
    schema = tool.get("input_schema") or {}
    name = binding.tool.name or binding.name
    parts = [part for part in split_identifier(name) if part]
    parts = [half for part in parts for half in _halves(part)]
    stems = [stem(part) for part in parts]
    description = str(tool.get("description") or "")[:4000]
    effect = str(tool.get("effect") or "unknown")
    verb, nouns = _roles(parts, stems, description, effect)
    first, _, others = description.partition(". ")
    lead = stems_of(f"{tool.get('title') or ''} {first}")
    outputs = tuple(_field_names(tool.get("output_schema"), 0))[:_MOST_FIELDS]
    verbs = frozenset(_described_verbs(description))
    if stems and not is_verb(stems[0]) and not is_noun(stems[0]) and (
        len(stems) > 1 or effect in ("write", "irreversible")
    ):  # fmt: skip
        verbs |= {stems[0]}
    if len(parts) > 1 and parts[1] in ("up", "down", "in", "out", "off", "on", "back"):
        verbs |= {stem(parts[0] + parts[1])}
    described = _first_verb(description)
    if effect in ("write", "irreversible") and verb in _STARTING:
        # `start_irrigation` is asked for by `irrigate` too.
        verbs |= {stem(part) for part in parts[1:] if part.endswith(("tion", "sion", "ment"))}
    if not verb and described and (effect != "read" or described in READ_VERBS):
        verb = described
    is_open = effect == "unknown" and not verb
    if effect == "unknown" and (verb in _ALWAYS_READ or not (verb or verbs & WRITE_VERBS)):
        effect = "read"
    slots = _searched(slots_of(schema), verb, effect)
    return Card(
        binding.name,
        verb,
        verbs,
        tuple(nouns),
        frozenset(lead),
        frozenset(stems_of(others)),
        slots,
        frozenset(stem(word) for output in outputs for word in split_identifier(output)),
        outputs,
        effect,
        description,
        binding.problem or "",
        tuple(binding.tool.behavior.paths),
        schema,
        frozenset(
            form for slot in slots for choice in slot.choices[:60] for form in forms_of(str(choice))
        ),
        is_open,
        frozenset(nouns) | frozenset(_objects(first)),
        frozenset[str]().union(*(slot.stems | slot.parents for slot in slots)),
        frozenset[str]().union(*(slot.about for slot in slots)),
        _currency(description, tool.get("output_schema")),
        str(tool.get("title") or "")[:120],
    )


_CURRENCIES: Final = (
    ("GBP", re.compile(r"£|\bGBP\b|\bpounds? sterling\b")),
    ("EUR", re.compile(r"€|\bEUR\b|\beuros?\b")),
    ("USD", re.compile(r"\bUSD\b|\bUS dollars?\b")),
)


def _currency(description: str, output: Any) -> str:
    told = description[:1000]
    if isinstance(output, Mapping):
        told += json.dumps(output, default=str)[:4000]
    found = [name for name, words in _CURRENCIES if words.search(told)]
    return found[0] if len(found) == 1 else ""


def _searched(slots: tuple[Slot, ...], verb: str, effect: str) -> tuple[Slot, ...]:
    """Return slots with the text that is searched for marked as such: `findContacts(text)`."""
    if effect != "read" or any("query" in slot.kinds for slot in slots):
        return slots
    for index, slot in enumerate(slots):
        named = slot.words[-1:] in (("name",), ("title",)) and verb in _SEARCHING
        if not slot.is_list and "string" in slot.kinds and ("text" in slot.kinds or named):
            marked = replace(slot, kinds=slot.kinds - {"person", "text"} | {"query"})
            return (*slots[:index], marked, *slots[index + 1 :])
    return slots


def _halves(part: str) -> tuple[str, ...]:
    """Return the two words of a compound that nobody knows as one: `showtimes`."""
    if len(part) < 7 or stem(part) in KNOWN:
        return (part,)
    for cut in range(3, len(part) - 2):
        one, other = part[:cut], part[cut:]
        if one in WORDS and (other in WORDS or stem(other) in KNOWN) and len(other) > 2:
            return one, other
    return (part,)


def _roles(
    parts: list[str], stems: list[str], description: str, effect: str
) -> tuple[str, list[str]]:
    """Return the verb of a name and its other words: the first word if it can be a verb."""
    if not stems:
        return "", []
    kept = [s for part, s in zip(parts, stems, strict=True) if part not in _FILLERS]
    if (
        is_noun(stems[0])
        and stems[0] not in _ALWAYS_READ
        and len(stems) > 1
        and stems[-1] in _PURE
        and is_verb(stems[-1])
    ):
        # `contact_create`: what could be a verb is the thing here.
        return stems[-1], kept[:-1]
    if is_verb(stems[0]) and _acts(stems[0], len(stems), description, effect):
        return _phrasal(stems[0], parts[1:2]), [s for s in kept if s != stems[0]]
    for index in range(1, len(stems)):
        # `deals_update_stage`: a verb that is no noun, after the noun.
        if is_verb(stems[index]) and not is_noun(stems[index]) and stems[index] not in _ADJECTIVES:
            return stems[index], kept[:index] + kept[index + 1 :]
    # `bookings-cancel`, `orders.list`: the verb may stand at the end.
    plural = parts[-1].endswith("s") and not parts[-1].endswith("ss")
    if (
        len(stems) > 1
        and is_verb(stems[-1])
        and not plural
        and _acts(stems[-1], 2, description, effect)
    ):
        return stems[-1], kept[:-1]
    return "", kept


def _acts(word: str, length: int, description: str, effect: str) -> bool:
    """Whether a word that may be a noun is a verb here: not in `orderStatus`, which only reads."""
    if not is_noun(word):
        return True
    first = _first_verb(description)
    if verb_likeness(word, first) >= 0.4:
        return True
    if effect == "read" or (effect == "unknown" and first in _ALWAYS_READ):
        return word in _ALWAYS_READ and (length > 1 or bool(first))
    return effect in ("write", "irreversible") or (not first and length > 1 and word in WRITE_VERBS
                                                   and effect != "unknown")  # fmt: skip


def _phrasal(verb: str, following: list[str]) -> str:
    if verb in ("turn", "switch") and following in (["on"], ["off"]):
        return stem("activate") if following == ["on"] else stem("deactivate")
    if verb == "look" and following == ["up"]:
        return "search"
    if verb in ("log", "sign") and following in (["in"], ["out"], ["up"]):
        return {"in": "login", "out": "logout", "up": "regist"}[following[0]]
    return verb


def _first_verb(description: str) -> str:
    for word, after in pairwise(words_of(description[:80])[:3]):
        if is_verb(word.stem) and after.low not in (
            "of",
            "for",
            "about",
            "by",
            "on",
            "in",
            "near",
            "at",
            "from",
            "around",
        ):
            return word.stem
    return ""


def _described_verbs(description: str) -> Iterator[str]:
    """Yield the verbs that a description begins with: `Books, moves or cancels a visit`."""
    for sentence in description[:1000].split(". ")[:3]:
        words = [word for word in words_of(sentence[:200]) if not word.is_sign]
        for index, word in enumerate(words[:6]):
            if (
                is_verb(word.stem)
                and not word.low.endswith(("ing", "ed"))
                and (index == 0 or words[index - 1].low in ("or", "and", "to") or index == 1)
            ):
                yield word.stem


def _objects(first: str) -> Iterator[str]:
    """Yield the object that a description begins with: `Searches for items in …` → item."""
    words = [word for word in words_of(first[:160]) if not word.is_sign]
    seen = 0
    for word in words[1:8]:
        if word.low in ("for", "of", "the", "a", "an", "all", "new", "to", "up", "our", "your"):
            continue
        if word.low in ("by", "in", "with", "from", "on", "using", "that", "and", "or", "whose"):
            return
        seen += 1
        yield word.stem
        if seen > 2:
            return


def _field_names(schema: Any, depth: int) -> Iterator[str]:
    if not isinstance(schema, Mapping) or depth > 5:
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, inner in properties.items():
            yield str(name)
            yield from _field_names(inner, depth + 1)
    yield from _field_names(schema.get("items"), depth + 1)
    for word in ("anyOf", "oneOf"):
        options = schema.get(word)
        if isinstance(options, list):
            for option in options[:5]:
                yield from _field_names(option, depth + 1)
