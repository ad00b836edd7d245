"""Days and times for slots that hold one, or one end of a period."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webagent.agent.deterministic.fits import Fit, Fits, side_of
from webagent.agent.deterministic.roles import stemmed
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.span import Span

_TRAVEL = stemmed("arrival arrive departure depart")


class MomentFits(Fits):
    """Finds days and times by their prepositions and by the names of slots."""

    def moments(self, slot: Slot) -> Iterator[Fit]:
        """Yield the days and times that fit a slot."""
        kinds = slot.kinds
        dates = [s for s in self._clause.spans if s.kind in ("date", "dates")]
        times = [s for s in self._clause.spans if s.kind in ("time", "times")]
        if "time" in kinds:
            for span in times:
                for fit in self._moment(slot, span):
                    yield Fit(slot, self._clock(slot, fit.value), fit.score, fit.used)
            return
        for span in dates:
            for fit in self._moment(slot, span):
                if "datetime" in kinds:
                    yield from self._stamps(slot, fit, times)
                else:
                    yield fit

    def _side(self, slot: Slot) -> str:
        """Return which end of a period a slot holds: of arrival and departure the first begins it."""
        if slot.stems & _TRAVEL:
            pair = [
                one for one in self._card.slots
                if one.stems & _TRAVEL and one.kinds == slot.kinds and one.path[:-1] == slot.path[:-1]
            ]  # fmt: skip
            if len(pair) == 2:
                return "start" if pair[0] is slot else "end"
        return side_of(slot)

    def _clock(self, slot: Slot, value: str) -> str:
        """Return a time as a slot writes it: `format: time` has seconds and a zone."""
        exact = slot.schema.get("format") == "time" and self._clause.zone
        return f"{value}:00{self._clause.zone}" if exact else value

    def _stamps(self, slot: Slot, fit: Fit, times: Sequence[Span]) -> Iterator[Fit]:
        """Yield a day together with each time."""
        strict = slot.schema.get("format") == "date-time"
        seconds = ":00" if strict or "hh:mm:ss" in slot.description.lower() else ""
        zone = self._clause.zone if strict else ""
        for time in times:
            for clock in self._moment(slot, time):
                used = fit.used | clock.used
                score = max(fit.score, clock.score) + 1
                yield Fit(slot, f"{fit.value}T{clock.value}{seconds}{zone}", score, used)
        if not times and not strict:
            yield fit

    def _moment(self, slot: Slot, span: Span) -> Iterator[Fit]:
        side = self._side(slot)
        used = frozenset(range(span.first, span.end))
        before = self._words[span.first - 1].low if span.first else ""
        score = 3.0
        window = self._words[max(0, span.first - 3) : span.first]
        own = (slot.stems | slot.parents) - {"date", "time", "day", "at", "on", "hour"}
        if any(w.stem in own for w in window) and not {w.low for w in window[-1:]} & {","}:
            score += 3.0
        if span.kind in ("dates", "times"):
            first, last = span.value
            if "end" in side:
                yield Fit(slot, last, score + 1.5, used)
            elif "start" in side:
                yield Fit(slot, first, score + 1.5, used)
            else:
                yield Fit(slot, first, score - 1.5, used)
            return
        if before in ("from", "after", "since", "starting", "beginning"):
            score += 3.0 if "start" in side else -2.5 if "end" in side else 0.0
        elif before in ("until", "till", "to", "before", "by", "ending", "through"):
            score += 3.0 if "end" in side else -2.5 if "start" in side else 0.0
        elif window and any(w.low in ("returning", "return", "back", "leaving") for w in window):
            returns = any(w.low in ("returning", "return", "back") for w in window)
            score += 3.0 if ("end" in side) == returns else -2.0
        elif "end" in side:
            score -= 0.5
        elif "start" in side:
            score += 0.5
        if slot.stems & stemmed("birth birthday dob birthdate born"):
            born = any(w.low in ("born", "birth", "birthday", "dob") for w in window)
            score += 4.0 if born else -2.0
        yield Fit(slot, span.value, score, used)
