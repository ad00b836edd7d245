"""Values of parameters that allow only some, and yes or no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from webagent.agent.deterministic.choices import alike, choices_in
from webagent.agent.deterministic.fits import Fit, Fits
from webagent.agent.deterministic.moments import MONTHS, PARTS, WEEKDAYS
from webagent.agent.deterministic.roles import FLAG_FILLERS, stemmed
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import split_identifier

_CALENDAR: Final = frozenset((*WEEKDAYS, *MONTHS, *PARTS, *(day[:3] for day in WEEKDAYS)))
_NOT: Final = frozenset({"without", "no", "not", "don't", "except", "non", "excluding", "never"})


class ChoiceFits(Fits):
    """Finds which of the values that a slot allows are meant."""

    def choices(self, slot: Slot) -> Iterator[Fit]:
        """Yield the values of a slot that are named."""
        dated = any(str(choice).lower() in _CALENDAR for choice in slot.choices)
        kept = any(s.kinds & {"date", "time", "datetime"} for s in self._card.slots)
        taken = self._typed
        if not kept or dated or slot.stems & stemmed("currency day month time"):
            taken = frozenset(
                i
                for span in self._clause.spans
                for i in range(span.first, span.end)
                if span.kind in ("quoted", "email", "url", "phone")
            )
        found = choices_in(self._clause, slot, self._known(slot), taken)
        if slot.is_list:
            sure = [choice for choice in found if choice.score >= 2.4]
            if sure:
                used = frozenset(i for choice in sure for i in choice.used)
                yield Fit(slot, [choice.value for choice in sure], sure[0].score, used)
            return
        if slot.stems & {"currenc"}:
            for span in self._clause.spans:
                if span.kind == "money" and span.unit in slot.choices:
                    yield Fit(slot, span.unit, 6.0, frozenset())
        for span in self._clause.spans:
            if (
                span.kind in ("number", "duration")
                and span.value in slot.choices
                and not span.bound
            ):
                yield Fit(slot, span.value, 4.0, frozenset(range(span.first, span.end)))
        for choice in found:
            yield Fit(
                slot, choice.value, choice.score + self._side_score(slot, choice.used), choice.used
            )

    def _side_score(self, slot: Slot, used: frozenset[int]) -> float:
        """Score whether `from` or `to` stands before a value of a slot that is either."""
        into = bool(slot.stems & stemmed("to target destination dest into"))
        outof = bool(slot.stems & stemmed("from source origin"))
        first = min(used, default=0)
        if into == outof or not first:
            return 0.0
        lead = self._words[first - 1].low
        if lead in ("to", "into", "in"):
            return 2.0 if into else -3.0
        if lead == "from":
            return 2.0 if outof else -3.0
        return 0.0

    def _known(self, slot: Slot) -> frozenset[str]:
        """Return the stems that the tool uses for other things than a slot."""
        others = (one.stems | one.parents for one in self._card.slots if one is not slot)
        return (self._card.subject | self._card.lead).union(*others)

    def flags(self, slot: Slot) -> Iterator[Fit]:
        """Yield whether what a slot says yes or no to is wanted."""
        common = FLAG_FILLERS | self._card.subject | {self._card.verb}
        wanted = [s for s in slot.stems if s not in common] or list(slot.stems)
        for index, word in enumerate(self._words):
            if index in self._clause.verb_words and word.stem not in wanted:
                continue
            # `gluten-free` is one word, and two of a flag's.
            parts = {stem(part) for part in split_identifier(word.text)}
            hits = {
                want for want in wanted
                if want in parts or want in (word.stem, stem(word.low)) or alike(want, word.stem)
                or noun_likeness(want, word.stem) >= 0.6
            }  # fmt: skip
            if not hits:
                continue
            others = [want for want in wanted if want not in hits]
            missing = [w for w in others if not any(o.stem == w for o in self._words)]
            if len(missing) * 2 > len(wanted):
                continue
            before = {w.low for w in self._words[max(0, index - 3) : index]}
            value = not before & _NOT
            if any(w in slot.stems for w in map(stem, ("without", "exclude", "no"))):
                value = True
            yield Fit(slot, value, 3.5, frozenset({index}))
        verb = self._clause.verb
        if slot.stems & stemmed("on enabled state active power is_on enable activate") and verb in (
            stem("activate"), stem("deactivate"), stem("enable"), stem("disable"),
        ):  # fmt: skip
            yield Fit(slot, verb in (stem("activate"), stem("enable")), 5.0, frozenset())
        if verb in (stem("lock"), stem("unlock")) and slot.stems & {stem("locked"), stem("lock")}:
            yield Fit(slot, verb == stem("lock"), 5.0, frozenset())
