"""The arguments of a tool, read from a request: each word goes to the slot it fits best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.chunks import chunks_of
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.fits import Fit, side_of
from webagent.agent.deterministic.fitting import Fitter
from webagent.agent.deterministic.leftover import Leftover, leftover_of
from webagent.agent.deterministic.picking import pick_of
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.stemmer import stem
from webagent.registry.secrets import MASK
from webagent.schema import check_schema

_SURE: Final = 2.3
_ENOUGH: Final = 1.4
"""What a value for a slot must score: where it may be left out, and where it is needed."""
_CODED: Final = frozenset(
    map(
        stem,
        ("month", "year", "week", "version", "currency", "country", "language", "sort", "order"),
    )
)
_TIMES: Final = (("format", "time"), ("format", "date-time"))
_SORTING: Final = frozenset(map(stem, ("sort", "order", "by", "limit", "language", "currency")))
_DAYS: Final = {"day": 1, "night": 1, "week": 7}


@dataclass(slots=True)
class Filled:
    """What a request says about the arguments of a tool."""

    card: Card
    values: dict[tuple[str, ...], Any] = field(default_factory=dict)
    fits: list[Fit] = field(default_factory=list)
    missing: list[Slot] = field(default_factory=list)
    leftover: Leftover = field(default_factory=Leftover)
    also: list[tuple[Slot, list[Any]]] = field(default_factory=list)
    """Further values of a slot that takes one: the call is made once for each."""

    @property
    def used(self) -> frozenset[int]:
        """Indices of the words that became arguments."""
        return frozenset().union(*(fit.used for fit in self.fits))

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as the tool takes them, by name."""
        found: dict[str, Any] = {}
        for path, value in self.values.items():
            inner = found
            for name in path[:-1]:
                inner = inner.setdefault(name, {})
            inner[path[-1]] = value
        return found


def fill(
    card: Card, clause: Clause, *, given: Mapping[tuple[str, ...], Any] | None = None
) -> Filled:
    """Return the arguments that a request gives for a tool; nothing is made up.

    Args:
        card: The tool.
        clause: The request.
        given: What is known already, by path.
    """
    filled = Filled(card, dict(given or {}))
    fitter = Fitter(clause, chunks_of(clause), card)
    fits: list[Fit] = []
    for order, slot in enumerate(card.slots):
        if slot.path in filled.values:
            continue
        for fit in fitter.fits(slot):
            # Earlier slots and needed ones first, where all else is equal.
            score = fit.score - order * 0.01 + (0.2 if slot.required else 0.0)
            fits.append(Fit(slot, fit.value, score, fit.used))
    fits.sort(key=lambda fit: (-fit.score, min(fit.used, default=0)))
    taken: set[int] = set()
    for fit in fits:
        wanted = _ENOUGH if fit.slot.required else _SURE
        if fit.score < wanted or fit.used & taken:
            continue
        if fit.slot.path in filled.values:
            _collect(filled, fit, clause, taken)
            continue
        if not _is_valid(fit.slot, fit.value):
            continue
        filled.values[fit.slot.path] = fit.value
        filled.fits.append(fit)
        taken |= fit.used
    _add_shared(filled, fits)
    _add_ends(filled, clause)
    _add_same_day(filled)
    filled.leftover = leftover_of(card, clause, frozenset(taken))
    _add_words(filled, clause)
    filled.missing = _missing(filled)
    return filled


def _collect(filled: Filled, fit: Fit, clause: Clause, taken: set[int]) -> None:
    """Keep a second value that is joined to the first: `bacon and onion`."""
    if "choice" not in fit.slot.kinds and "id" not in fit.slot.kinds:
        return
    if fit.slot.is_list or not fit.slot.required or fit.score < 2.9:
        return
    first = next((f for f in filled.fits if f.slot is fit.slot), None)
    if first is None or not first.used or not fit.used or first.value == fit.value:
        return
    low, high = sorted((max(first.used), min(fit.used)))
    between = [word.low for word in clause.words[low + 1 : high]]
    joined = {"and", ",", "&", "the", "a", "some", "plus"}
    others = {w for slot, more in filled.also if slot is fit.slot for w in map(str, more)}
    if not any(w in ("and", ",", "&", "plus") for w in between):
        return
    if any(w not in joined and w.title() not in others and w not in others for w in between):
        return
    for slot, more in filled.also:
        if slot is fit.slot:
            more.append(fit.value)
            break
    else:
        filled.also.append((fit.slot, [fit.value]))
    taken |= fit.used


def _is_valid(slot: Slot, value: Any) -> bool:
    if isinstance(value, str) and value.startswith(MASK):
        # The driver fills in what it stands for.
        return True
    # A time without a zone is as exact as it can be where none is known.
    inner = {k: v for k, v in slot.schema.items() if (k, v) not in _TIMES}
    schema: Mapping[str, Any] = {"type": "array", "items": inner} if slot.is_list else inner
    return not check_schema(value, schema)


def _add_shared(filled: Filled, fits: Sequence[Fit]) -> None:
    """Let both ends of a period take from the same words: `from … to …`."""
    for fit in fits:
        if fit.slot.path in filled.values or fit.score < _SURE:
            continue
        if isinstance(fit.value, str) and fit.slot.kinds & {"date", "time", "datetime"}:
            other = next((f for f in filled.fits if f.used == fit.used
                          and f.slot.path[:-1] == fit.slot.path[:-1]), None)  # fmt: skip
            if (
                other is not None
                and other.value != fit.value
                and other.slot.kinds & fit.slot.kinds
                and other.score - fit.score < 4.0
                and _is_valid(fit.slot, fit.value)
            ):
                filled.values[fit.slot.path] = fit.value
                filled.fits.append(fit)


def _add_same_day(filled: Filled) -> None:
    """Let a period of one day begin and end on it: `the visitors of yesterday`."""
    if not filled.card.reads:
        return
    for slot in filled.card.slots:
        if not slot.required or slot.path in filled.values or side_of(slot) != "end":
            continue
        if not slot.words[0].startswith(("end", "to", "until", "last")) and slot.words[-1] not in (
            "end",
            "to",
        ):
            continue
        for fit in filled.fits:
            one = fit.slot.kinds & slot.kinds & {"date"} and side_of(fit.slot) == "start"
            if one and fit.score < 5.0:
                filled.values[slot.path] = fit.value
                filled.fits.append(Fit(slot, fit.value, fit.score, fit.used))
                break


def _add_ends(filled: Filled, clause: Clause) -> None:
    """Reckon the last day from the first and a duration: `from 5 March for three nights`."""
    used = filled.used
    span = next(
        (s for s in clause.spans if s.kind == "duration" and s.unit in _DAYS
         and not used & set(range(s.first, s.end))), None,
    )  # fmt: skip
    if span is None:
        return
    dates = [slot for slot in filled.card.slots if "date" in slot.kinds]
    start = next((s for s in dates if side_of(s) == "start" and s.path in filled.values), None)
    end = next((s for s in dates if side_of(s) == "end" and s.path not in filled.values), None)
    if start is None or end is None:
        return
    try:
        first = date.fromisoformat(str(filled.values[start.path]))
    except ValueError:
        return
    last = first + timedelta(days=int(span.value * _DAYS[span.unit]))
    filled.values[end.path] = last.isoformat()
    filled.fits.append(Fit(end, last.isoformat(), 3.0, frozenset(range(span.first, span.end))))


def _add_words(filled: Filled, clause: Clause) -> None:
    """Give what is left of the words to the slot that takes words."""
    left = filled.leftover
    if not left.text:
        _add_taken(filled, clause)
        return
    open_slots = [
        slot for slot in filled.card.slots
        if slot.path not in filled.values and "string" in slot.kinds and not slot.is_list
        and not slot.kinds & {"email", "phone", "url", "date", "time", "datetime", "currency"}
        and ("id" not in slot.kinds or "plain" in slot.kinds)
    ]  # fmt: skip
    queries = [slot for slot in open_slots if "query" in slot.kinds]
    if not queries and filled.card.reads:
        queries = [slot for slot in open_slots if "text" in slot.kinds]
    if queries and queries[0].words[-1:] == ("name",) and filled.values and not left.named:
        return
    if queries:
        _put(filled, queries[0], left.text, left.used, 2.0)
        return
    texts = [slot for slot in open_slots if slot.required]
    if len(texts) == 1 or (texts and "text" in texts[0].kinds):
        slot = texts[0]
        if slot.kinds & {"person"} and not slot.kinds & {"text", "plain"} and not left.named:
            return
        _put(filled, slot, left.full if "text" in slot.kinds else left.text, left.used, 1.5)
        return
    plain = [
        slot for slot in open_slots
        if "plain" in slot.kinds and "id" not in slot.kinds and not _is_coded(slot)
    ]  # fmt: skip
    if filled.card.reads and len(plain) == 1 and len(left.words) <= 3:
        _put(filled, plain[0], left.text, left.used, 1.2)


def _is_coded(slot: Slot) -> bool:
    """Whether a text has a form of its own: `YYYY-MM`."""
    return bool(
        "pattern" in slot.schema or "yyyy" in slot.description.lower() or slot.stems & _CODED
    )


def _add_taken(filled: Filled, clause: Clause) -> None:
    """Search for what an optional slot took, where a search needs words: `show me bags`."""
    for slot in filled.card.required():
        if "query" not in slot.kinds or slot.path in filled.values:
            continue
        names = [
            fit for fit in filled.fits
            if fit.used and fit.slot.kinds & {"choice", "person", "place", "plain"} and not fit.slot.required
            and not fit.slot.stems & _SORTING
        ]  # fmt: skip
        for fit in sorted(names, key=lambda fit: min(fit.used))[:1]:
            words = [clause.words[index] for index in sorted(fit.used)]
            _put(filled, slot, " ".join(word.text for word in words), fit.used, 1.5)
        said = filled.leftover.full and not (pick_of(clause).chooses or pick_of(clause).refers)
        if slot.path not in filled.values and said and filled.card.reads:
            # `find tents under £300`: what it is about is all there is to look for.
            _put(filled, slot, filled.leftover.full, frozenset(), 1.0)


def _put(filled: Filled, slot: Slot, text: str, used: frozenset[int], score: float) -> None:
    if _is_valid(slot, text):
        filled.values[slot.path] = text
        filled.fits.append(Fit(slot, text, score, used))


def _missing(filled: Filled) -> list[Slot]:
    """Return the slots that a call needs; those of an object that is needed, or begun."""
    begun = {path[:length] for path in filled.values for length in range(1, len(path))}
    found = []
    for slot in filled.card.slots:
        if slot.path in filled.values:
            continue
        if slot.required or (slot.path[:-1] in begun and _needed_inside(filled.card, slot)):
            found.append(slot)
    return found


def _needed_inside(card: Card, slot: Slot) -> bool:
    """Whether an object that is begun needs a property."""
    schema: Any = card.schema
    for name in slot.path[:-1]:
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        schema = properties.get(name) if isinstance(properties, Mapping) else None
    names = schema.get("required") if isinstance(schema, Mapping) else None
    return isinstance(names, list) and slot.name in names
