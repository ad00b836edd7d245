"""How well a piece of a request fits a slot of a tool: a value, a score, and the words it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webagent.agent.deterministic.amounts import SECONDS, UNITS, plain
from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.choices import alike, choices_in
from webagent.agent.deterministic.chunks import Chunk
from webagent.agent.deterministic.clauses import Clause
from webagent.agent.deterministic.moments import MONTHS, PARTS, WEEKDAYS
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.spans import is_code
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import STOP
from webagent.schema import check_schema


@dataclass(frozen=True, slots=True)
class Fit:
    """A value for a slot."""

    slot: Slot
    value: Any
    score: float
    used: frozenset[int]
    """Indices of the words it was read from."""


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_ROLES: Final = {
    "from": _stems("from origin source company start departure depart pickup sender since begin after "
                   "earliest min sourcelanguage"),
    "to": _stems("to destination dest target end arrival recipient receiver payee language until "
                 "into beneficiary dropoff list assignee agent folder before max latest status "
                 "value new email title name level contact user"),
    "into": _stems("language target to list folder category currency"),
    "in": _stems("city location place country category area region language room section folder "
                 "currency where town neighborhood month genre department channel format near "
                 "destination project units color zone shop store board"),
    "at": _stems("time location place venue restaurant hotel address company store station branch "
                 "rate where pickup level"),
    "near": _stems("location near city place zip address postcode where region station around"),
    "close": _stems("location near city place zip address postcode where region"),
    "around": _stems("location near city place where time date"),
    "by": _stems("author artist creator director by brand writer sort order composer assignee "
                 "designer deadline due weeks days percent maker manufacturer"),
    "for": _stems("name person guest patient recipient reason customer duration topic party "
                  "occasion for place destination city region country cause user member purpose "
                  "employee driver passenger candidate client subject"),
    "with": _stems(
        "with doctor provider guest attendee participants topping ingredient teacher agent person "
        "contact artist invitees member extras attendees instructor"
    ),
    "without": _stems("without exclude excluded excluding no omit"),
    "except": _stems("without exclude except excluding"),
    "about": _stems("topic subject query about message title reason question keyword term q"),
    "regarding": _stems("topic subject about reason"),
    "on": _stems("date day topic channel platform street subject query reservation ticket board"),
    "under": _stems("name category max folder"),
    "as": _stems("role status type format priority reason as category label"),
    "called": _stems("name title label called subject"),
    "named": _stems("name title label"),
    "titled": _stems("name title label subject headline"),
    "entitled": _stems("name title label subject headline"),
    "labelled": _stems("label tag tags"),
    "tagged": _stems("label tag tags"),
    "saying": _stems("message body text content comment note description reply"),
    "says": _stems("message body text content comment note description reply"),
    "reading": _stems("message body text content comment note"),
    "because": _stems("reason description comment note message"),
    "containing": _stems("contains containing text keyword query filter includes match"),
    "mentioning": _stems("contains containing text keyword query filter"),
    "matching": _stems("contains containing text keyword query filter match pattern"),
    "via": _stems("method mode via channel payment stop"),
    "using": _stems("method mode payment card using"),
    "within": _stems("radius distance within max"),
    "before": _stems("before end until to max latest"),
    "after": _stems("after start since from min earliest"),
    "since": _stems("since start from after min"),
    "until": _stems("until end to through"),
    "through": _stems("method mode via"),
    "of": frozenset(),
}  # fmt: skip
_START: Final = _stems(
    "start from begin checkin check arrival arrive depart departure outbound "
    "pickup since after earliest first min begins starts leave leaving"
)
_END: Final = _stems(
    "end to until till checkout out return inbound dropoff before latest last through "
    "max ends due deadline returning back"
)
_MAX: Final = _stems("max maximum limit most below under budget upper ceiling to highest max_price")
_MIN: Final = _stems("min minimum least above over lower floor from lowest")
_LINKS: Final = frozenset({"is", "of", ":", "=", "as", "to", "number", "no", "the", "a", "an", "#",
                           "are", "at", "be", "id", "code", "ending", "in", "called", "for", "-"})  # fmt: skip
_KEY_STOPS: Final = frozenset({"and", "with", "from", "to", "for", "at", "on", "by", "in", "but",
                               "then", "or"})  # fmt: skip
_CALENDAR: Final = frozenset((*WEEKDAYS, *MONTHS, *PARTS, *(day[:3] for day in WEEKDAYS)))
_BOOL_FILLERS: Final = _stems(
    "include includes including has have is with only show want wants wanted require required "
    "requires needs need enable enabled allow allowed use get add send accept accepts do should "
    "filter flag leave are was can"
)
_NOT: Final = frozenset({"without", "no", "not", "don't", "except", "non", "excluding", "never"})


class Fitter:
    """Finds values for the slots of one tool in one request."""

    def __init__(self, clause: Clause, chunks: Sequence[Chunk], card: Card) -> None:
        self._clause = clause
        self._words = clause.words
        self._chunks = chunks
        self._card = card
        self._typed = frozenset(
            i for span in clause.spans for i in range(span.first, span.end)
            if span.kind not in ("ordinal", "number", "id", "duration")
        )  # fmt: skip

    def fits(self, slot: Slot) -> Iterator[Fit]:
        """Yield what could go into a slot."""
        if "choice" in slot.kinds:
            yield from self._choices(slot)
        elif "bool" in slot.kinds:
            yield from self._flags(slot)
        elif "number" in slot.kinds:
            yield from self._numbers(slot)
        elif slot.kinds & {"date", "time", "datetime"}:
            yield from self._moments(slot)
        elif slot.kinds & {"email", "phone", "url"}:
            yield from self._addresses(slot)
        elif "string" in slot.kinds:
            yield from self._texts(slot)

    def _choices(self, slot: Slot) -> Iterator[Fit]:
        dated = any(str(choice).lower() in _CALENDAR for choice in slot.choices)
        taken = (
            self._typed
            if not dated and not slot.stems & _stems("currency day month time")
            else frozenset()
        )
        found = choices_in(self._clause, slot, self._known(slot), frozenset(taken))
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
        for choice in found:
            yield Fit(
                slot, choice.value, choice.score + self._side_score(slot, choice.used), choice.used
            )

    def _side_score(self, slot: Slot, used: frozenset[int]) -> float:
        """Score whether `from` or `to` stands before a value of a slot that is either."""
        into = bool(slot.stems & _stems("to target destination dest into"))
        outof = bool(slot.stems & _stems("from source origin"))
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

    def _flags(self, slot: Slot) -> Iterator[Fit]:
        common = _BOOL_FILLERS | self._card.subject | {self._card.verb}
        wanted = [s for s in slot.stems if s not in common] or list(slot.stems)
        for index, word in enumerate(self._words):
            if index in self._clause.verb_words and word.stem not in wanted:
                continue
            # Words of one letter less than a name are not enough: all of a flag's words count.
            hits = {
                want for want in wanted
                if want in (word.stem, stem(word.low)) or alike(want, word.stem)
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
        if slot.stems & _stems("on enabled state active power is_on enable activate") and verb in (
            stem("activate"), stem("deactivate"), stem("enable"), stem("disable"),
        ):  # fmt: skip
            yield Fit(slot, verb in (stem("activate"), stem("enable")), 5.0, frozenset())
        if verb in (stem("lock"), stem("unlock")) and slot.stems & {stem("locked"), stem("lock")}:
            yield Fit(slot, verb == stem("lock"), 5.0, frozenset())

    # Numbers

    def _numbers(self, slot: Slot) -> Iterator[Fit]:
        if "month" in slot.stems and not slot.stems & {"number", "count"}:
            for index, word in enumerate(self._words):
                if word.low in MONTHS:
                    yield Fit(slot, MONTHS.index(word.low) + 1, 6.0, frozenset({index}))
        listed: list[tuple[float, Any, frozenset[int]]] = []
        if stem("stops") in slot.stems:
            for index, word in enumerate(self._words):
                if word.low in ("nonstop", "non-stop", "direct"):
                    listed.append((6.0, 0, frozenset({index})))
                    if not slot.is_list:
                        yield Fit(slot, 0, 6.0, frozenset({index}))
        for span in self._clause.spans:
            found = self._number(slot, span)
            if found is None:
                continue
            value, score = found
            if slot.type == "integer" and value != int(value):
                continue
            if not _in_bounds(slot, value):
                continue
            used = self._with_name(slot, span)
            if slot.is_list:
                listed.append((score, value, used))
            else:
                yield Fit(slot, value, score, used)
        if listed:
            best = max(score for score, _, _ in listed)
            values = [value for _, value, _ in listed]
            yield Fit(slot, values, best, frozenset().union(*(used for _, _, used in listed)))

    def _number(self, slot: Slot, span: Span) -> tuple[Any, float] | None:
        value, kinds = span.value, slot.kinds
        if span.kind == "id" and "id" in kinds and str(value).isdecimal():
            return int(value), 5.0
        if span.kind not in ("number", "money", "percent", "duration"):
            return None
        score = 0.5
        near = self._key_score(slot, span)
        score += near
        if span.unit == "age":
            return (value, 7.0) if stem("age") in slot.stems else None
        if span.kind == "money":
            if not kinds & {"money"} and kinds & {"count", "duration", "id", "rating", "limit", "percent",
                                                  "year"}:  # fmt: skip
                return None
            score += 4.0 if "money" in kinds else 1.0
        elif span.kind == "percent":
            if (
                not kinds & {"percent"}
                and kinds & {"count", "duration", "id", "money"}
                and not near
            ):
                return None
            score += 4.0 if "percent" in kinds else 0.5
        elif span.kind == "duration":
            converted = _converted(slot, span)
            if converted is None:
                return None
            value, extra = converted
            score += extra
        elif span.unit and (measured := _measured(slot, span)):
            value, extra = measured
            score += extra
        else:
            score += self._plain_number(slot, span, near)
        if slot.stems & _MAX and slot.stems & _MIN == frozenset():
            if span.bound == "min":
                return None
            score += 3.0 if span.bound == "max" else -1.0
        elif slot.stems & _MIN:
            if span.bound == "max":
                return None
            score += 3.0 if span.bound == "min" else -0.5
        elif span.bound:
            score -= 1.0
        return plain(value), score

    def _plain_number(self, slot: Slot, span: Span, near: float) -> float:
        """Score a bare number: of it only its neighbours say what it counts."""
        words, kinds = self._words, slot.kinds
        before = words[span.first - 1] if span.first else None
        after = words[span.end] if span.end < len(words) else None
        if "id" in kinds:
            if before is not None and _is_about(self._card, slot, before.stem):
                return 5.0
            return 1.0 if near else -2.0
        score = 0.0
        if kinds & {"limit"}:
            lead = before is not None and before.low in (
                "top",
                "first",
                "best",
                "last",
                "latest",
                "only",
            )
            return 5.0 if lead else 2.5 if self._counts_subject(after) else 0.0
        if kinds & {"count"}:
            if span.first - 1 in self._clause.verb_words or self._counts_subject(after):
                score += 2.5
            elif after is None or after.low in ("of", "in", "to", "for", ",", "x"):
                score += 1.0
            if words[span.first].low[-1:] == "x":
                score += 2.0
        if "year" in kinds and 1000 <= span.value <= 2999:
            score += 4.0
        if "money" in kinds and (before is None or before.low in ("of", "for", "to", "at")):
            score += 1.0
        if _is_about(self._card, slot, before.stem if before else "") and "count" in kinds:
            # `order 4512` names an order; it does not count them.
            score -= 3.0
        return score + (1.0 if slot.required else 0.0)

    def _with_name(self, slot: Slot, span: Span) -> frozenset[int]:
        """Return a typed piece's words and those beside it that name the slot: `zip 94110`."""
        first, end = span.first, span.end
        if span.kind == "number" and span.unit and end - first > 1 and not _measured(slot, span):
            # `250 g`: the unit may be the value of another slot.
            end -= 1
        heads = slot.stems - {"number", "count", "max", "min", "id"}
        if end < len(self._words) and _meant(self._words[end].stem, heads, frozenset()) >= 0.5:
            end += 1
        while first > 0 and first - 1 not in self._clause.verb_words and (
            _meant(self._words[first - 1].stem, slot.stems, frozenset()) >= 0.6
            or self._words[first - 1].low in ("number", "id", "code", "#")
        ):  # fmt: skip
            first -= 1
        return frozenset(range(first, end))

    def _counts_subject(self, after: Any) -> bool:
        if after is None:
            return False
        near = [w for w in self._words if w.start >= after.start][:3]
        return any(
            word.stem in self._card.subject
            or any(noun_likeness(word.stem, noun) >= 0.5 for noun in self._card.nouns)
            or word.low in ("copies", "copy", "pieces", "units", "items", "times", "results")
            for word in near
        )

    def _key_score(self, slot: Slot, span: Span) -> float:
        """Score how near to a number the name of the slot stands: `3 bedrooms`, `size 42`."""
        words = self._words
        heads = (
            slot.stems - _MAX - _MIN - _BOOL_FILLERS - {"number", "id", "num", "of", "extra"}
            or slot.stems
        )
        score = 0.0
        for index in range(span.end, min(span.end + 3, len(words))):
            if words[index].is_sign or words[index].low in _KEY_STOPS:
                break
            score = max(
                score, _meant(words[index].stem, heads, slot.about) * (6.0 - (index - span.end))
            )
        for index in range(span.first - 1, max(-1, span.first - 4), -1):
            if words[index].low in (",", ".") or words[index].low in ("and", "or"):
                break
            if _meant(words[index].stem, heads, frozenset()) >= 0.6:
                score = max(score, 6.0 - (span.first - 1 - index))
            if words[index].low not in _LINKS and words[index].low not in STOP:
                break
        return score

    # Days and times

    def _moments(self, slot: Slot) -> Iterator[Fit]:
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
        side = side_of(slot)
        used = frozenset(range(span.first, span.end))
        before = self._words[span.first - 1].low if span.first else ""
        score = 3.0
        window = self._words[max(0, span.first - 3) : span.first]
        own = slot.stems - {"date", "time", "day", "at", "on", "hour"}
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
        if slot.stems & _stems("birth birthday dob birthdate born"):
            born = any(w.low in ("born", "birth", "birthday", "dob") for w in window)
            score += 4.0 if born else -2.0
        yield Fit(slot, span.value, score, used)

    # Addresses

    def _addresses(self, slot: Slot) -> Iterator[Fit]:
        kind = next(iter(slot.kinds & {"email", "phone", "url"}))
        spans = [span for span in self._clause.spans if span.kind == kind]
        if not spans:
            return
        if slot.is_list:
            used = frozenset(i for span in spans for i in range(span.first, span.end))
            yield Fit(slot, [span.value for span in spans], 5.0, used)
            return
        for span in spans:
            before = self._words[span.first - 1] if span.first else None
            lead = before.low if before else ""
            bonus = 2.0 if _ROLES.get(lead, frozenset()) & slot.stems else 0.0
            yield Fit(slot, span.value, 5.0 + bonus, frozenset(range(span.first, span.end)))

    # Words

    def _texts(self, slot: Slot) -> Iterator[Fit]:
        if "id" in slot.kinds:
            yield from self._ids(slot)
            if "plain" not in slot.kinds:
                return
        if slot.is_list:
            yield from self._lists(slot)
            return
        if "currency" in slot.kinds:
            for span in self._clause.spans:
                if span.kind == "money" and span.unit:
                    yield Fit(slot, span.unit, 5.0, frozenset())
        if part := _name_part(slot):
            yield from self._name_parts(slot, part)
            return
        yield from self._keyed(slot)
        for span in self._clause.spans:
            used = frozenset(range(span.first, span.end))
            if span.kind == "quoted":
                yield Fit(slot, span.value, self._quoted_score(slot, span), used)
            elif span.kind in ("email", "phone", "url") and slot.stems & _stems(
                "contact to recipient recipients user member account login username"
            ):
                yield Fit(slot, span.value, 4.0, used)
            elif span.kind in ("duration", "number", "money") and (
                slot.kinds & {"duration", "money", "count"} or _is_measure(slot, span)
            ):
                yield Fit(slot, span.text, 4.0 if span.unit else 2.5, used)
        if slot.kinds & {"query"}:
            return
        for index, chunk in enumerate(self._chunks):
            yield from self._parts(slot, chunk)
            if not (score := self._chunk_score(slot, chunk)):
                continue
            end = chunk.end
            if "address" in slot.words:
                # `5 Mill Lane, Leeds`: an address goes on behind a comma.
                for other in self._chunks[index + 1 :]:
                    if not other.after_list or self._words[other.first - 1].text != ",":
                        break
                    end, score = other.end, score + 0.5
            used = frozenset(range(chunk.first, end))
            yield Fit(slot, self.between(chunk.first, end), score, used)

    def _parts(self, slot: Slot, chunk: Chunk) -> Iterator[Fit]:
        """Yield what a piece says in parts: `logs of payments`, `Utrecht office`, `my cat Luna`."""
        words = self._words
        last = words[chunk.end - 1]
        if (
            chunk.end - chunk.first > 1
            and last.stem in slot.stems
            and chunk.end - 1 not in self._typed
        ):
            score = 4.5 if words[chunk.first].is_capital and chunk.first else 1.5
            value = self.between(chunk.first, chunk.end - 1)
            yield Fit(slot, value, score, frozenset(chunk.indices()))
        for index in chunk.indices():
            if words[index].low == "of" and index + 1 < chunk.end and slot.required:
                after = index + 1
                while after < chunk.end - 1 and words[after].low in ("the", "my", "our", "a", "an"):
                    after += 1
                if not slot.kinds & {"text", "person"} or words[after].is_capital:
                    used = frozenset(range(index, chunk.end))
                    yield Fit(slot, self.between(after, chunk.end), 2.2, used)
                break
        if (slot.words[-1:] == ("name",) and len(slot.words) > 1) or "person" in slot.kinds:
            names = [i for i in chunk.indices() if words[i].is_capital and i > 0]
            inner = names and names[0] > chunk.first and names[-1] - names[0] == len(names) - 1
            if not chunk.lead and names and names[0] - chunk.first > 1:
                inner = False
            if any(is_code(words[i].text) for i in names):
                inner = False
            if inner and chunk.lead in ("for", "with", "to", "by", "of", ""):
                value = self.between(names[0], names[-1] + 1)
                yield Fit(slot, value, 4.6 if chunk.lead else 2.6, frozenset(chunk.indices()))

    def _name_parts(self, slot: Slot, part: str) -> Iterator[Fit]:
        """Yield the first or the last name of a person whose name stands in the request."""
        for chunk in self._chunks:
            names = [i for i in chunk.indices() if self._words[i].is_capital and i > 0]
            if len(names) < 2 or names[-1] - names[0] != len(names) - 1:
                continue
            score = 4.0 - (0.5 if chunk.lead in ("from", "at", "in", "on") else 0.0)
            first, last = names[0], names[-1]
            if part == "first":
                yield Fit(slot, self.between(first, last), score, frozenset(range(first, last)))
            else:
                yield Fit(slot, self.between(last, last + 1), score, frozenset({last}))

    def text_of(self, chunk: Chunk) -> str:
        """Return the words of a piece as they were written."""
        return self.between(chunk.first, chunk.end)

    def between(self, first: int, end: int) -> str:
        """Return the words from one index to another as they were written."""
        parts: list[str] = []
        for index in range(first, end):
            word = self._words[index]
            glued = index > first and word.start == self._words[index - 1].end
            parts.append(word.text if glued or not parts else " " + word.text)
        return "".join(parts)

    def _ids(self, slot: Slot) -> Iterator[Fit]:
        wanted = _shape(slot.description)
        listed: list[Fit] = []
        for span in self._clause.spans:
            if span.kind not in ("id", "number", "quoted"):
                continue
            used = self._with_name(slot, span)
            value = str(span.value) if span.kind != "number" else span.text
            if span.kind == "quoted":
                if "plain" not in slot.kinds and span.first and (
                    self._words[span.first - 1].stem in slot.stems
                ):  # fmt: skip
                    listed.append(Fit(slot, value, 8.0, used))
                if " " in value or (not is_code(value) and "-" not in value):
                    continue
            score = 4.0 if span.kind != "number" else -1.0
            if wanted and _prefix(value):
                score += 3.0 if _prefix(value) == wanted else -3.0
            score += self._id_neighbours(slot, span)
            if span.unit or (span.kind == "number" and not value.replace(" ", "").isalnum()):
                continue
            if score > 0:
                listed.append(Fit(slot, value, score, used))
        for index, word in enumerate(self._words):
            if index in self._clause.verb_words:
                continue
            if word.text.count("-") >= 2 and word.text == word.low and index not in self._typed:
                listed.append(Fit(slot, word.text, 4.0, frozenset({index})))
        if slot.is_list and listed:
            used = frozenset().union(*(fit.used for fit in listed))
            yield Fit(slot, [fit.value for fit in listed], max(fit.score for fit in listed), used)
            return
        yield from listed

    def _id_neighbours(self, slot: Slot, span: Span) -> float:
        score = 0.0
        words = self._words
        kinds = slot.stems - {"id", "number", "no", "code", "refer", "ref", "key"}
        for index in range(span.first - 1, max(-1, span.first - 4), -1):
            word = words[index]
            roles = _ROLES.get(word.low, frozenset())
            if roles & slot.stems and index == span.first - 1:
                score = max(score, 3.0)
            if (
                _meant(word.stem, kinds or slot.stems, frozenset()) >= 0.6
                or word.stem in slot.parents
            ):
                return max(score, 3.0)
            if _is_about(self._card, slot, word.stem) or word.stem in slot.stems:
                score = max(score, 2.5)
            if word.low == "ending" or (
                word.low == "in" and index and words[index - 1].low == "ending"
            ):
                score = max(score, 2.5)
            if word.low not in _LINKS:
                break
        after = words[span.end].stem if span.end < len(words) else ""
        if after and _meant(after, kinds, frozenset()) >= 0.6:
            score = max(score, 2.0)
        return score

    def _lists(self, slot: Slot) -> Iterator[Fit]:
        """Yield the items of a list: pieces after one preposition, joined by commas and `and`."""
        runs: list[list[Chunk]] = []
        for chunk in self._chunks:
            if chunk.after_list and runs and runs[-1][-1].end <= chunk.first:
                runs[-1].append(chunk)
            else:
                runs.append([chunk])
        quoted = [span for span in self._clause.spans if span.kind == "quoted"]
        emails = [span for span in self._clause.spans if span.kind == "email"]
        if emails and "person" in slot.kinds:
            used = frozenset(i for span in emails for i in range(span.first, span.end))
            yield Fit(slot, [span.value for span in emails], 4.5, used)
        for run in runs:
            score = self._chunk_score(slot, run[0])
            if self._words[run[0].first].stem in slot.stems and run[0].end - run[0].first > 1:
                score = max(score, 6.0)
            if not score and slot.required and not run[0].lead and not self._is_subject(run[0]):
                score = 1.6
            if score:
                used = frozenset(i for chunk in run for i in chunk.indices())
                values = [self._item(slot, chunk) for chunk in run]
                fitting = [
                    value for value in values if value and not check_schema(value, slot.schema)
                ]
                if fitting:
                    yield Fit(slot, fitting, score + 0.5, used)
        if quoted:
            used = frozenset(i for span in quoted for i in range(span.first, span.end))
            score = max(self._quoted_score(slot, span) for span in quoted)
            yield Fit(slot, [span.value for span in quoted], score - 1, used)

    def _is_subject(self, chunk: Chunk) -> bool:
        """Whether a piece only says what the tool is about."""
        return all(
            self._words[i].stem in self._card.subject or self._words[i].low in STOP
            for i in chunk.indices()
        )

    def _item(self, slot: Slot, chunk: Chunk) -> str:
        first, end = chunk.first, chunk.end
        while first < end - 1 and self._words[first].stem in slot.stems:
            first += 1
        while end - 1 > first and self._words[end - 1].stem in slot.stems:
            end -= 1
        return self.between(first, end)

    def _keyed(self, slot: Slot) -> Iterator[Fit]:
        """Yield what follows the slot's name: `name is Ada`, `subject: lunch`, `age 41`."""
        words = self._words
        head = slot.words[-1] if slot.words else ""
        heads = {stem(head)} if head not in ("name", "id", "text") or len(slot.words) == 1 else {
            stem(word) for word in slot.words if word not in ("name", "id", "text")
        }  # fmt: skip
        if slot.words in (("name",), ("full", "name")):
            heads |= slot.parents
        for index, word in enumerate(words[:-1]):
            if word.stem not in heads or index in self._clause.verb_words or index in self._typed:
                continue
            if word.low in (
                "to",
                "from",
                "in",
                "at",
                "by",
                "for",
                "with",
                "on",
                "q",
                "when",
                "where",
            ):
                continue
            start = index + 1
            linked = words[start].low in (":", "=", "is", "as", "to", "-", "of", "should", "will")
            while start < len(words) and words[start].low in (":", "=", "is", "as", "to", "be", "should",
                                                              "will", "-", "of"):  # fmt: skip
                start += 1
            end = start
            while end < len(words) and not self._ends_value(end, start, slot):
                end += 1
            if end <= start:
                continue
            strong = (linked and words[index + 1].low != "of") or (
                words[start].is_capital and "person" in slot.kinds | {"plain"} & slot.kinds
            )
            if words[start].stem in heads:
                continue
            if not linked and words[index - 1].low in ("the", "a", "an", "my") and not words[
                start].is_capital:  # fmt: skip
                continue
            value = self.between(start, end)
            yield Fit(slot, value, 6.5 if strong else 4.0, frozenset(range(index, end)))

    def _ends_value(self, at: int, start: int, slot: Slot) -> bool:
        word = self._words[at]
        if at in self._typed or (word.is_sign and word.text not in ("-", "'", "&", "/", "+")):
            return True
        free = slot.kinds & {"text"} and not slot.kinds & {"person"}
        if word.low in _KEY_STOPS and not free:
            return True
        if word.low == "of" and not (free or self._words[start].is_capital):
            return True
        others = [s for s in self._card.slots if s is not slot]
        return at > start and any(
            word.stem in other.stems and len(other.words) == 1 for other in others
        )

    def _quoted_score(self, slot: Slot, span: Span) -> float:
        kinds = slot.kinds
        score = 5.0 if "text" in kinds else 4.5 if "query" in kinds else 3.0 if kinds & {
            "person", "plain"} else 2.0  # fmt: skip
        window = self._words[max(0, span.first - 3) : span.first]
        for distance, word in enumerate(reversed(window)):
            if word.stem in slot.stems or any(
                noun_likeness(word.stem, s) >= 0.6 for s in slot.stems
            ):
                return score + 5.0 - distance
            if _ROLES.get(word.low, frozenset()) & slot.stems:
                return score + 3.0 - distance * 0.5
            if word.low in (",", "and"):
                break
        return score + (0.3 if slot.required else 0.0)

    def _chunk_score(self, slot: Slot, chunk: Chunk) -> float:
        words, kinds, lead = self._words, slot.kinds, chunk.lead
        indices = chunk.indices()
        telling = next((i for i in indices if not words[i].text[0].isdigit()), chunk.first)
        capital = words[telling].is_capital and telling > 0
        roles = _ROLES.get(lead, frozenset())
        score = 0.0
        if lead and (lead in slot.words or stem(lead) in slot.stems):
            score = 6.0
        elif roles & slot.stems:
            score = 4.5
        elif roles & slot.parents:
            score = 3.0
        elif (
            lead in ("in", "at", "near", "to", "from", "around", "close", "for")
            and "place" in kinds
        ):
            score = 4.0 if lead in ("in", "at", "near") else 3.0 if capital else 2.2
            if lead == "for" and "person" in kinds and not slot.stems & {"place", "citi", "locat"}:
                score = 3.0
        elif lead in ("by", "with", "for", "to", "under") and "person" in kinds and capital:
            score = 3.5
        elif lead in ("for", "about") and "text" in kinds and not slot.required:
            return 0.0
        elif not lead and capital and kinds & {"place", "person"}:
            score = 2.4
        elif (not lead and capital and slot.required) or (
            lead and slot.required and kinds & {"plain"}
        ):
            score = 1.6
        if not score:
            return 0.0
        if (lead == "from" and slot.stems & _END) or (
            lead == "to" and slot.stems & _START - {"check"}
        ):
            return 0.0
        if all(i in self._typed for i in indices):
            return 0.0
        if (
            kinds & {"text"}
            and not kinds & {"person"}
            and lead in ("to", "in", "for", "with", "on", "at")
        ):
            score -= 1.5
        if "person" in kinds and not capital:
            score -= 0.7
        if lead == "on" and not capital and lead not in slot.words:
            score -= 1.0
        last = words[chunk.end - 1]
        # `to my basket`: what the tool is about is no value of it.
        if all(words[i].stem in self._card.subject for i in indices):
            return 0.0
        if last.stem in self._card.nouns and not capital:
            score -= 2.5
        if chunk.end - chunk.first > 6 and not kinds & {"text"}:
            score -= 1.5
        if is_code(words[chunk.first].text) and not kinds & {"plain", "id"}:
            score -= 2.0
        return max(score, 0.0)


def _name_part(slot: Slot) -> str:
    """Return whether a slot holds a first or a last name only."""
    joined = "".join(slot.words)
    if joined in ("firstname", "givenname", "forename", "first", "fname"):
        return "first"
    return "last" if joined in ("lastname", "surname", "familyname", "lname") else ""


def side_of(slot: Slot) -> str:
    """Return whether a slot holds the start or the end of something."""
    names = slot.stems
    if slot.words[:2] == ("check", "in") or "checkin" in slot.words:
        return "start"
    if slot.words[:2] == ("check", "out") or "checkout" in slot.words:
        return "end"
    ends, starts = bool(names & _END), bool(names & _START)
    if ends != starts:
        return "end" if ends else "start"
    return ""


def _meant(word: str, heads: frozenset[str], about: frozenset[str]) -> float:
    """Return how far a word means a slot."""
    if word in heads:
        return 1.0
    best = max((noun_likeness(word, head) for head in heads), default=0.0)
    return max(best, 0.6 if word in about and len(word) > 3 else 0.0)


def _is_about(card: Card, slot: Slot, word: str) -> bool:
    """Whether a word is what a tool is about: `order` before the number of an order."""
    if not word:
        return False
    if word in card.subject or word in slot.stems or word in slot.parents:
        return word not in STOP
    return any(noun_likeness(word, noun) >= 0.6 for noun in card.nouns)


def _converted(slot: Slot, span: Span) -> tuple[float, float] | None:
    """Return a duration in the unit of a slot, and how much that is worth."""
    names = slot.stems | slot.about
    for unit in SECONDS:
        if stem(unit) in slot.stems or stem(unit + "s") in slot.stems:
            if unit == span.unit or {unit, span.unit} == {"day", "night"}:
                return span.value, 6.0
            return span.value * SECONDS[span.unit] / SECONDS[unit], 4.0
    if "duration" in slot.kinds or any(stem(unit) in names for unit in SECONDS):
        for unit in SECONDS:
            if stem(unit) in slot.about or stem(unit + "s") in slot.about:
                if unit == span.unit:
                    return span.value, 4.5
                return span.value * SECONDS[span.unit] / SECONDS[unit], 3.5
        return span.value, 2.0
    return None


def _measured(slot: Slot, span: Span) -> tuple[float, float] | None:
    """Return a measure in the unit that a slot's name or description tells."""
    if span.unit not in UNITS:
        return None
    dimension, size = UNITS[span.unit]
    for name in (*slot.words, *slot.about):
        single = name.removesuffix("s")
        for unit in (name, single):
            if unit in UNITS and UNITS[unit][0] == dimension and len(unit) > 1:
                return span.value * size / UNITS[unit][1], 5.0
    near = {"gram": {"weight", "mass"}, "metre": {"radius", "distanc", "length", "height", "width",
                                                  "rang"}, "degree": {"temperatur", "target"}}  # fmt: skip
    if slot.stems & near.get(dimension, set()):
        return span.value, 4.0
    return None


_MEASURES: Final = _stems("dosage dose strength size weight amount quantity volume length width height "
                          "distance duration capacity dimension dimensions power speed")  # fmt: skip


def _is_measure(slot: Slot, span: Span) -> bool:
    """Whether a text is a number with its unit: `500mg` for `dosage`."""
    return bool(span.unit) and bool(slot.stems & _MEASURES)


def _in_bounds(slot: Slot, value: float) -> bool:
    low, high = slot.schema.get("minimum"), slot.schema.get("maximum")
    if isinstance(low, int | float) and value < low:
        return False
    return not (isinstance(high, int | float) and value > high)


_EXAMPLE: Final = re.compile(r"\b([A-Za-z]{1,5})[-_]?\d[\w-]{0,20}")


def _shape(description: str) -> str:
    """Return the letters that ids begin with in the examples of a description: `ACC-1` → `acc`."""
    match = _EXAMPLE.search(description)
    return match.group(1).lower() if match else ""


def _prefix(value: str) -> str:
    letters = ""
    for letter in value:
        if not letter.isalpha():
            break
        letters += letter
    return letters.lower() if len(letters) < len(value) else ""
