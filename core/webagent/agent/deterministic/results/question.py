"""What a person asks of a result: the kinds of fields, and the words that name one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webagent.agent.deterministic.reading.quantities import dimension
from webagent.agent.deterministic.reading.tokens import Token, is_near
from webagent.agent.deterministic.results.bounds import Asked
from webagent.agent.deterministic.results.items import (
    MEANINGS,
    Field,
    Item,
    columns,
)

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "who": ("person",),
    "when": ("date",),
    "where": ("place",),
    "why": ("reason",),
    "how long": ("duration", "distance", "date"),
    "how far": ("distance", "duration"),
    "how much": ("price", "weight", "count"),
    "how many": ("count",),
    "is": ("state",),
}
"""What fields a question asks for, the likelier first."""
_WHOLE: Final = frozenset(("detail", "particular"))
"""Words for all that there is of a thing: `show me the details`."""
_GENERAL_IDS: Final = frozenset(("id", "number", "code", "refer"))


@dataclass(frozen=True, slots=True)
class Question:
    """What a person asks of a result."""

    kinds: frozenset[str]
    stems: frozenset[str]
    words: tuple[str, ...]
    unit: str
    is_asked: bool
    heads: Mapping[str, frozenset[str]]
    """By kind what the word behind it means: `how many pages`."""

    def likeness(self, field: Field, *, fuzzy: bool = True) -> float:
        """Return how much the question's words speak for a field."""
        if "id" in field.meanings and not self.stems & (
            _GENERAL_IDS | field.words & MEANINGS["id"]
        ):
            return 0.0
        score = 3.0 * len(self.stems & field.words) + 1.0 * len(
            self.stems & field.around - field.words
        )
        if (
            score < 3
            and fuzzy
            and any(is_near(word, name) for word in self.words for name in _label_words(field))
        ):
            score += 2.5
        if "id" in field.meanings and self.stems & _GENERAL_IDS:
            score += 2.5
        for meaning in field.meanings - {"id"}:
            if self.stems & MEANINGS.get(meaning, frozenset()):
                score += 1.5
                break
        if self.unit and field.unit and dimension(field.unit) == dimension(self.unit):
            score += 4.0
        return score

    def prior(self, field: Field) -> float:
        """Return how much the kind of question speaks for a field."""
        return max((_prior(kind, field) for kind in self.kinds), default=0.0)


def _prior(kind: str, field: Field) -> float:
    if "id" in field.meanings or field.is_flag:
        return 0.0
    for at, meaning in enumerate(KINDS.get(kind, ())):
        if meaning in field.meanings:
            return 2.0 - 0.5 * at
    # A number that nothing is known of may be the amount.
    return 1.1 if kind == "how much" and not field.meanings and is_number(field.value) else 0.0


def question_of(asked: Asked | None) -> Question:
    """Return the question of a goal about a result, which is empty without a goal."""
    if asked is None:
        return Question(frozenset(), frozenset(), (), "", False, {})
    tokens = asked.tokens[:120]
    kinds: set[str] = set()
    stems: set[str] = set()
    unit, taken = "", 0
    heads: dict[str, frozenset[str]] = {}
    # The words of a date or an amount ask for no field: "the day after tomorrow".
    valued = {
        at
        for value in asked.values
        if value.kind != "quoted"
        for at in range(value.first, min(value.end, 120))
    }
    for at, token in enumerate(tokens):
        if at >= taken and (found := asked.language.phrase_at(tokens, at, "questions")):
            # "is" within a sentence asks nothing new.
            kind = str(found[0].meaning)
            if kind != "is" or not kinds:
                kinds.add(kind)
                heads[kind] = _head(tokens, at, found[1])
            taken = found[1]
        # Nor do the words of the call that found the things: "homes with 3 bedrooms".
        if not token.is_stop and not token.is_sign and at not in valued and at not in asked.given:
            kinds_of = {"which"} == kinds and _is_of(asked, tokens, taken, at)
            stems |= frozenset() if token.glosses & _WHOLE or kinds_of else token.glosses or {token.stem}  # fmt: skip
            before = asked.language.phrase_at(tokens, at - 1, "prepositions") if at else None
            is_in = before is not None and before[0].meaning == "in"
            if (is_in or (kinds & KINDS.keys() and at - taken < 2)) and not unit:
                named = asked.language.phrase_at(tokens, at, "units")
                unit = str(named[0].meaning) if named and not token.is_figure else ""
    words = tuple(
        token.key for at, token in enumerate(tokens)
        if not token.is_stop and len(token.key) >= 5 and at not in asked.given
    )  # fmt: skip
    asks = bool(kinds) or any(token.text in "?¿؟" for token in tokens)
    return Question(frozenset(kinds), frozenset(stems), words[:40], unit, asks, heads)


def _is_of(asked: Asked, tokens: Sequence[Token], behind: int, at: int) -> bool:
    """Whether a word only says what is chosen from: `which of my expenses`."""
    of = asked.language.phrase_at(tokens, behind, "prepositions") if behind < at else None
    return (
        of is not None and of[0].meaning == "of" and all(one.is_stop for one in tokens[behind:at])
    )


def _head(tokens: Sequence[Token], at: int, end: int) -> frozenset[str]:
    """Return what the word behind a question word means, where that is not `what costs`: `how much power`."""
    if any(not token.is_stop for token in tokens[at:end]):
        return frozenset()
    # `combien d’électricité`
    return next((one.glosses for one in tokens[end : end + 2] if not one.is_stop), frozenset())


def _label_words(field: Field) -> list[str]:
    return [word for word in field.label.split() if len(word) >= 5]


def is_number(value: Any) -> bool:
    """Return whether a value is a number, and not true or false."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) < 1e15
        and value == value
    )


def asked_fields(items: Iterable[Item], question: Question) -> list[Field]:
    """Return the fields that a question asks for, at most three."""
    scored = []
    for field in columns(list(items)):
        if not field.path:
            continue
        likeness, prior = question.likeness(field), question.prior(field)
        if field.meanings == {"id"} and likeness < 2.5:
            continue
        if likeness + prior > 1.0:
            scored.append((likeness + prior, field))
    found: list[Field] = []
    kinds = [kind for kind in sorted(question.kinds & KINDS.keys()) if kind != "is"]
    is_loose = len(kinds) == 1 and kinds[0].startswith("how m")
    for kind in kinds if scored and kinds and not is_loose else [""] * bool(scored):
        # Two questions in one goal are both answered: "how much … and until when …".
        head = question.heads.get(kind, frozenset())
        known = [
            entry
            for entry in scored
            if entry[1].meanings & {*KINDS.get(kind, ())} or entry[1].words & head
        ]
        own = known or [entry for entry in scored if not kind or _prior(kind, entry[1])] or scored
        most = max(score for score, _ in own)
        found += [field for score, field in own if score >= most - 0.4]
    paths = [field.path for field in found]
    return [field for _, field in scored if field.path in paths][:3]
