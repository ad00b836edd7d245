"""What verbs have to do with each other: which ask for the same kind of thing, and which undo it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from webagent.agent.deterministic.reading.language import language, verb_relations

_KINDS: Final = (
    "show find list get filter check see read look search give view fetch tell display browse count compare calculate know",
    "read open",
    "set change update edit adjust modify move make put switch switch_to turn raise lower increase decrease",
    "add create make write enter register note save record book plan insert set_up note_down log",
    "add put insert place deposit enter save write",
    "remove delete cancel take drop clear end stop withdraw leave throw",
    "send submit write message post report inform mail share email text tell notify ask",
    "notify warn alert remind inform tell email text subscribe follow watch",
    "book reserve order buy get rent hire schedule arrange plan make request take",
    "pay transfer send give donate",
    "start begin run open launch enable play switch_on",
    "stop end close disable pause shut switch_off",
    "register join sign_up enrol subscribe enter add book apply",
)  # fmt: skip
"""Verbs that sites and visitors use for one kind of thing; each is a row."""
AWAY: Final = frozenset(("out", "off", "away", "back", "down", "from", "raus", "heraus", "runter", "herunter", "weg", "ab", "aus", "zurück", "von", "vom"))  # fmt: skip
"""What `take` has beside it if something goes."""
_GENERIC: Final = (
    "make do set put take get give have want need go let use see know be say please come bring work"
)


@cache
def _kinds() -> tuple[frozenset[str], ...]:
    return tuple(verbs_of((*row.split(),)) for row in _KINDS)


@cache
def generic() -> frozenset[str]:
    """Return the verbs that say too little to speak against a tool."""
    return verbs_of((*_GENERIC.split(),))


@cache
def adding() -> frozenset[str]:
    """Return the verbs that may give more to what was ordered before: `… and add a note`."""
    return verbs_of(("add", "include"))


@cache
def creating() -> frozenset[str]:
    """Return the verbs of tools that do what their noun says: `setReminder`, `logWatering`."""
    return verbs_of(("make", "do", "set", "put", "add", "create", "log", "record", "request", "schedule", "start", "update", "book", "send", "place", "submit"))  # fmt: skip


def makes_new(said: frozenset[str], own: frozenset[str]) -> bool:
    """Whether a word speaks of something new, and a tool makes such a thing: `a new contact` for `addContact`."""
    return bool(said & verbs_of(("create",)) and own & creating()) and are_akin(said, own)


@cache
def keeping() -> frozenset[str]:
    """Return the verbs with which everything stays as it is: `no wait, keep it`."""
    return verbs_of(("keep", "leave", "let", "stay"))


@cache
def recording() -> frozenset[str]:
    """Return the verbs of tools that write down what has happened: `logWatering`, `recordFeeding`."""
    return verbs_of(("log", "record", "note", "enter"))


@cache
def planning() -> frozenset[str]:
    """Return the verbs of tools that are about days to come: `bookTable`, `pauseDelivery`."""
    return verbs_of(("book", "reserve", "order", "schedule", "plan", "pause", "skip", "cancel", "postpone", "move", "set", "remind", "rent", "hire", "invite", "stop"))  # fmt: skip


@cache
def undoing() -> frozenset[str]:
    """Return the verbs that take away what there is."""
    return verbs_of(
        ("remove", "delete", "cancel", "withdraw", "unsubscribe", "clear", "end", "stop", "leave")
    )


@cache
def taking() -> frozenset[str]:
    """Return the verbs of what can be brought back: `archive`, `lend`."""
    return ending() | verbs_of(("archive", "retire", "lend", "borrow", "suspend", "check_out"))


@cache
def restoring() -> frozenset[str]:
    """Return the verbs that bring back what there was."""
    return verbs_of(("restore", "return", "reopen", "recover", "reactivate", "undo", "redo"))


def undoes(verbs: frozenset[str], described: frozenset[str]) -> bool:
    """Whether a tool takes something away, by the verbs of its name and its description: `leave_review` does not."""
    is_meant = not described or bool(described & verbs) or are_akin(described, verbs)
    return is_meant and bool(verbs & undoing())


@cache
def ending() -> frozenset[str]:
    """Return the verbs of tools that do what a denial asks for: `no more messages` mutes."""
    return undoing() | verbs_of(("pause", "skip", "mute", "snooze", "silence", "disable", "block", "exclude", "hide", "unfollow", "unassign", "close"))  # fmt: skip


@cache
def _heads() -> Mapping[str, str]:
    """Return the first concept of each verb, by its English stem."""
    return {stem: one for one, (stem, _) in reversed([*verb_relations().items()])}


@cache
def verbs_of(words: tuple[str, ...]) -> frozenset[str]:
    """Return the stems of English verbs, and the first concept of each."""
    english, heads = language("en"), _heads()
    found: set[str] = set()
    for word in words:
        stem = english.stem(word.replace("_", " ")) if "_" not in word else word.replace("_", " ")
        found.add(stem)
        if stem in heads:
            found.add(heads[stem])
    return frozenset(found)


def are_akin(said: frozenset[str], own: frozenset[str]) -> bool:
    """Whether two verbs ask for the same kind of thing."""
    return any(said & kind and own & kind for kind in _kinds())


def opposites(said: frozenset[str]) -> frozenset[str]:
    """Return the concepts of the opposites of a verb."""
    known = verb_relations()
    return frozenset(known[one][1] for one in said if one in known and known[one][1])
