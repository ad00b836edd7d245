"""How a goal changes what was called last: `make it three`, `and to Poland?`, `lock it again`, `undo that`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Filled, Fit, fill
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import (
    AWAY,
    adding,
    are_akin,
    opposites,
    restoring,
    taking,
    undoing,
    verbs_of,
)
from webagent.agent.deterministic.pages import PageIntent, PageTask
from webagent.agent.deterministic.phrases import opening_of, phrase_length
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.references import (
    Place,
    is_exact,
    of_last_change,
)
from webagent.agent.deterministic.state import EARLIER, State, Task
from webagent.agent.run import PastRun
from webagent.page.values import decode

_LEAST: Final = 0.5
"""How well a value has to fit that takes the place of one of an earlier call."""
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d{1,2}:\d\d)(.*)")
_DIGITS: Final = re.compile(r"\d+")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_SETTING: Final = ("set", "change", "update", "edit", "adjust", "modify")
_CHANGING: Final = (*_SETTING, "move", "reschedule", "correct", "extend")
_RENEWING: Final = (*_SETTING, "arrange", "choose", "select", "draft", "write", "filter", "sort", "fill", "reschedule",
                    "move", "show")  # fmt: skip
_RENEWS: Final = re.compile(r"\b(?:replac|overwrit|instead of the)", re.IGNORECASE)


class Amendments:
    """What a goal changes of the last call."""

    def __init__(
        self, sentence: Sentence, state: State, earlier: Sequence[PastRun], tools: Mapping[str, ToolWords]
    ) -> None:  # fmt: skip
        """Keep the goal, what was found, the earlier runs, and the tools by their names."""
        self._sentence = sentence
        self._state = state
        self._earlier = earlier
        self._tools = tools

    def amended(self) -> Task | None:
        """Return the last call with what a goal changes of it: `and to Poland?`, `make it three`."""
        kind, first = opening_of(self._sentence)
        end = len(self._sentence.tokens)
        if self._undoes() and (undone := self._undone()):
            return undone
        if back := self._taken_back():
            return back
        if not self._earlier or not kind or first >= end or self._orders(first):
            return None
        named = any(i in self._sentence.titles for i in range(first, end)) or any(
            v.kind == "quoted" and first <= v.first < end for v in self._sentence.values
        )
        # `what about The Hobbit?` asks what was asked last, also where that needed no call.
        runs = self._earlier if named else self._earlier[-1:]
        call = next((one for run in reversed(runs) for one in reversed(run.calls)), None)
        tool = self._tools.get(call.tool) if call else None
        if call is None or tool is None:
            return self._read_on(first, end) if kind == "more" and not call else None
        known = dict(_at_paths(tool, call.arguments))
        new = {fit.parameter.path: fit for fit in self._new(tool, first, end)}
        new |= self._counted(tool, new, first, end) if kind == "instead" else {}
        if kind == "instead" and (meant := self._alike(tool, new, known)):
            new = meant
        moved = self._moved(known, first, end)
        if named:
            # Another thing is named.
            known = {path: value for path, value in known.items() if not _names(tool, path)}
        if not new and not moved:
            return None
        kept = known
        if kind == "more" and not tool.reads:
            if named or any(fit.is_name for fit in new.values()):
                tool = self._adder(tool) or tool
            kept = self._shared(tool, new, known, first, end)
        rivals: list[str] = []
        if kind != "more" and not tool.reads:
            setter = self._setter(tool, new.keys() | moved.keys(), known)
            if setter is not None:
                if setter is not tool:
                    needed = {p.path for p in setter.parameters if p.required}
                    kept = {path: value for path, value in kept.items() if path in needed}
                tool = setter
            elif not _renews(tool):
                if changed := self._changed(tool, first, end, [*moved.values()]):
                    return changed
                rivals = [tool.name]
        given = [
            [[*path], value]
            for path, value in {**kept, **moved}.items()
            if path in moved or path not in new
        ]
        given += [[[*path], fit.value] for path, fit in new.items() if fit.poured]
        paths = [[*p.path] for p in tool.parameters]
        return Task(first, end, tool.name, rivals, given=[one for one in given if one[0] in paths])

    def _shared(
        self,
        tool: ToolWords,
        new: Mapping[tuple[str, ...], Fit],
        known: Mapping[tuple[str, ...], Any],
        first: int,
        end: int,
    ) -> dict[tuple[str, ...], Any]:
        """Return the old values that hold for another of the same: not those of its own name, unless the goal says so."""
        names = {p.path for p in tool.parameters if p.names_thing}
        names |= {path for path, fit in new.items() if fit.is_name}
        same = any(phrase_length(self._sentence, i, "same") for i in range(first, end))
        if not same and (new.keys() & names or tool.verbs & verbs_of(_SETTING)):
            return {}
        return {path: value for path, value in known.items() if path not in names}

    def _taken_back(self) -> Task | None:
        """Return the call that takes the last change back: `lock it again`, `cancel the reservation`."""
        sentence = self._sentence
        stops = [i + 1 for i in range(len(sentence.tokens) - 1) if sentence.tokens[i].text in ".!;"]
        # `Greta can mend it. put it back in`
        place = (max([opening_of(self._sentence)[1], *stops]), len(sentence.tokens))
        last = next((f for f in reversed(self._state.results) if f.task == EARLIER), None)
        own = self._tools.get(last.tool) if last else None
        again = any(phrase_length(sentence, i, "again") for i in range(*place))
        every = any(sentence.roles[i] == "quantifiers" for i in range(*place))
        if own is None or own.reads or every or sentence.asks(*place) or is_exact(sentence, place):
            return None
        found = [tool for tool in self._tools.values() if _is_of_same(tool, own)]
        ending = [tool for tool in found if _is_opposite(tool, own) or _ends(tool, own)]
        likely = [tool for tool in ending if tool.effect != "irreversible"]
        meant = (
            [tool for tool in ending if self._says(tool)]
            or [tool for tool in likely if self._orders_it(tool)]
            or [tool for tool in likely if again and _is_opposite(tool, own)]
        )
        meant = [tool for tool in meant if _shares(tool, own)] or meant
        if len(meant) != 1:
            return None
        tool = meant[0]
        filled = fill(tool, sentence, *place)
        names = [fit for fit in filled.fits if fit.is_name]
        if any(i in sentence.titles for i in range(*place)) or self._speaks_of_else(
            tool, own, filled, place
        ):
            return None
        filled.fits = [fit for fit in filled.fits if not fit.is_name]
        filled.missing += [fit.parameter for fit in names]
        taken = filled.missing if filled.fits or not _is_opposite(tool, own) else tool.parameters
        known = [(p, of_last_change(self._state, self._tools, tool, p)) for p in taken]
        if any(value is None for p, value in known if p.required):
            return None
        given = [[[*p.path], value] for p, value in known if value is not None]
        return Task(*place, tool.name, given=given)

    def _speaks_of_else(
        self, tool: ToolWords, own: ToolWords, filled: Filled, place: Place
    ) -> bool:
        """Whether an order is about something that neither the last change nor its reverse has a word of: `delete my account`."""
        sentence = self._sentence
        known = tool.words.keys() | own.words.keys() | own.verbs
        explained = frozenset[int]().union(*(fit.tokens for fit in filled.fits if not fit.is_name))
        named = frozenset[int]().union(*(fit.tokens for fit in filled.fits if fit.is_name))
        first = max((i for i in sentence.orders if i in range(*place)), default=place[1])
        signs = (i for i in range(first, place[1]) if sentence.tokens[i].is_sign)
        clause = range(first, next(signs, place[1]))
        acts = {
            i
            for i in range(*place)
            if i in sentence.orders or sentence.verbs[i] & (tool.verbs | own.verbs)
        }
        said = [
            i for i in (*named, *(() if explained else clause))
            if i in named or (sentence.weights[i] >= 0.8 and not phrase_length(sentence, i, "again"))
        ]  # fmt: skip
        return any(
            not (i in explained | acts or sentence.roles[i] or sentence.tokens[i].glosses & known)
            for i in said
        )

    def _says(self, tool: ToolWords) -> bool:
        """Whether an order of the goal is a verb of a tool; without an order, another verb may be."""
        verbs, orders = self._sentence.verbs, self._sentence.orders
        return any(verbs[i] & tool.verbs for i in orders or range(len(verbs)))

    def _orders_it(self, tool: ToolWords) -> bool:
        """Whether an order of the goal asks for the same as a verb of a tool."""
        sentence = self._sentence
        away = any(token.key in AWAY for token in sentence.tokens)
        # `empty the basket` is about all that is in it, and `I'll take it` about nothing that goes.
        others = verbs_of(("empty", "clear")) | (frozenset() if away else verbs_of(("take",)))
        return any(are_akin(sentence.verbs[i] - others, tool.verbs) for i in sentence.orders)

    def _orders(self, first: int) -> bool:
        """Whether a part begins with a verb, or asks something that is more than a part of a question."""
        sentence = self._sentence
        lead = next((i for i in range(first, len(sentence.tokens)) if sentence.weights[i]), first)
        marked = any(token.text in "?؟" for token in sentence.tokens[-2:])
        # `one is enough` asks nothing.
        asks = any(
            sentence.roles[i] == "questions"
            for i in range(first, len(sentence.tokens) if marked else lead + 1)
        )
        # `about returns` has a noun, whatever else the word may be.
        led = lead > first and sentence.roles[lead - 1] == "prepositions"
        verb = bool(sentence.verbs[lead]) and not sentence.tokens[lead].is_capital and not led
        return asks or (verb and sentence.in_value[lead] is None)

    def _new(self, tool: ToolWords, first: int, end: int) -> Iterator[Fit]:
        sentence = self._sentence
        said = {i for i in range(first, end) if sentence.weights[i]}
        pointing = {
            j
            for i in range(first, end)
            for j in range(i, i + phrase_length(sentence, i, "pointing"))
        }
        for fit in fill(tool, sentence, first, end).fits:
            denied = any(sentence.roles[i - 1] == "negators" for i in fit.tokens if i > first)
            # Where nothing else is said, it is the value.
            number = all(self._number(i) is not None for i in fit.tokens)
            named = (
                fit.is_name
                and not number
                and any(sentence.is_name(i) or sentence.in_value[i] is not None for i in fit.tokens)
            )
            sure = (
                (fit.score >= _LEAST and not (fit.poured or fit.is_name))
                or named
                or (said <= fit.tokens and not fit.is_name)
            )
            if sure and not denied and not fit.tokens & pointing:
                yield fit

    def _counted(
        self, tool: ToolWords, new: Mapping[tuple[str, ...], Fit], first: int, end: int
    ) -> dict[tuple[str, ...], Fit]:
        """Return the only number of a call, where all that a goal says is one: `only one`."""
        numbers = [p for p in tool.parameters if p.kind == "number" and not p.group]
        counts = [(i, n) for i in range(first, end) if (n := self._number(i)) is not None]
        points = any(phrase_length(self._sentence, i, "pointing") for i in range(first, end))
        if len(numbers) != 1 or len(counts) != 1 or numbers[0].path in new or points:
            return {}
        (index, number), parameter = counts[0], numbers[0]
        return {parameter.path: Fit(parameter, number, frozenset((index,)), 1.0, poured=True)}

    def _number(self, index: int) -> Any:
        """Return what a word counts, also where it stands for a thing: `solo uno`."""
        sentence = self._sentence
        value, key = sentence.in_value[index], sentence.tokens[index].key
        if value is not None:
            return value.value if value.kind == "number" else None
        return sentence.language.roles["numbers"].get(key, sentence.language.roles["ones"].get(key))

    def _alike(
        self,
        tool: ToolWords,
        new: Mapping[tuple[str, ...], Fit],
        known: Mapping[tuple[str, ...], Any],
    ) -> dict[tuple[str, ...], Fit]:
        """Return the only new value at the place of the only old one that looks like it: `sorry, meant 198.51.100.17`."""
        (path, fit), *more = new.items() or [((), None)]
        if fit is None or more or _shape(fit.value) in ("", _shape(known.get(path))):
            return {}
        places = [p for p in tool.parameters if _shape(known.get(p.path)) == _shape(fit.value)]
        return (
            {p.path: replace(fit, parameter=p, poured=True) for p in places}
            if len(places) == 1
            else {}
        )

    def _moved(
        self, known: Mapping[tuple[str, ...], Any], first: int, end: int
    ) -> dict[tuple[str, ...], Any]:
        """Return moments of the last call of which the goal changes only the day, or only the hour."""
        values = [v for v in self._sentence.values if first <= v.first < end]
        days = [v.value for v in values if v.kind == "date" and v.value]
        hours = [[str(one) for one in v.readings or (v.value,)] for v in values if v.kind == "time"]
        found = {}
        for path, value in known.items():
            match = _MOMENT.fullmatch(value) if isinstance(value, str) else None
            if match and len(days) + len(hours) == 1:
                # Of two readings the one that is nearer to what there was: `half past two`.
                near = [min(each, key=lambda one: _apart(one, match[2])) for each in hours]
                day, hour = (*days, match[1])[0], (*near, match[2])[0]
                found[path] = f"{day}T{hour}{match[3]}"
        return found

    def _setter(
        self, tool: ToolWords, changed: Any, known: Mapping[tuple[str, ...], Any]
    ) -> ToolWords | None:
        """Return the tool that sets for the same thing what another one has added to."""
        english = language("en")
        setting = {english.stem(word) for word in _SETTING}
        if (tool.verbs | tool.noun_stems) & setting:
            return tool
        needed = {*changed, *(p.path for p in tool.parameters if p.names_thing and p.path in known)}
        found = [
            other
            for other in self._tools.values()
            if other.verbs & setting and not other.reads and needed <= {p.path for p in other.parameters}
        ]  # fmt: skip
        return found[0] if len(found) == 1 else None

    def _changed(
        self, tool: ToolWords, first: int, end: int, moments: Sequence[str]
    ) -> Task | None:
        """Return the call that changes what the last one has made: `make that 4 pm` moves a visit that was booked."""
        found = []
        for other in self._tools.values():
            if (
                other.reads
                or other.problem
                or other.name == tool.name
                or not other.verbs & verbs_of(_CHANGING)
            ):
                continue
            fits = {fit.parameter.path: fit.value for fit in self._new(other, first, end)}
            times = [
                p for p in other.parameters if p.kind in ("datetime", "time") and p.path not in fits
            ]
            if len(moments) == len(times) == 1:
                fits[times[0].path] = moments[0] if times[0].kind == "datetime" else moments[0][11:]
            lacking = [p for p in other.parameters if p.required and p.path not in fits]
            known = [(p.path, of_last_change(self._state, self._tools, other, p)) for p in lacking]
            # Its id comes from what was made, or both are about the same kind of thing.
            alike = tool.noun_stems & other.noun_stems or not {path for path, _ in known} <= {
                p.path for p in tool.parameters
            }
            if alike and fits and known and all(value is not None for _, value in known):
                given = [[[*path], value] for path, value in (*known, *fits.items())]
                found.append(Task(first, end, other.name, given=given))
        return found[0] if len(found) == 1 else None

    def _adder(self, tool: ToolWords) -> ToolWords | None:
        """Return the tool that adds another thing, where the last call has set something of one."""
        needed = {p.path for p in tool.parameters if p.names_thing}
        found = [
            other for other in self._tools.values()
            if other.verbs & adding() and not other.reads and needed and needed <= {p.path for p in other.parameters}
        ]  # fmt: skip
        return found[0] if len(found) == 1 and tool.verbs & verbs_of(_SETTING) else None

    def _undoes(self) -> bool:
        """Whether all that a goal says is that something shall be undone: `undo that`."""
        sentence = self._sentence
        ends = {
            i + n for i in range(len(sentence.tokens)) if (n := phrase_length(sentence, i, "undo"))
        }
        starts = [i for i in range(len(sentence.tokens)) if phrase_length(sentence, i, "undo")]
        return bool(starts) and not any(
            sentence.weights[i]
            for i in (*range(starts[0]), *range(max(ends), len(sentence.tokens)))
        )

    def _undone(self) -> Task | None:
        """Return the call that undoes the last change, by the tool that the site names for it."""
        end = len(self._sentence.tokens)
        calls = (call for run in reversed(self._earlier) for call in reversed(run.calls))
        call = next(
            (one for one in calls if (own := self._tools.get(one.tool)) and not own.reads), None
        )
        tool = self._tools.get(self._tools[call.tool].inverse) if call else None
        if call is None or tool is None:
            return None
        value = decode(call.value)
        known = {**(value if isinstance(value, Mapping) else {}), **call.arguments}
        given = [
            [[*p.path], known[p.path[0]]]
            for p in tool.parameters
            if len(p.path) == 1 and p.path[0] in known
        ]
        return Task(0, end, tool.name, given=given)

    def _read_on(self, first: int, end: int) -> Task:
        """Return that the page is asked for something else: `and about returns?`."""
        intent = PageIntent("read", 0.0, {}, frozenset(range(first, end)))
        return Task(first, end, page=asdict(PageTask.begin(intent, first, end)))


def _is_of_same(tool: ToolWords, other: ToolWords) -> bool:
    """Whether a tool changes the same kind of thing as another one."""
    changes = not (tool.reads or tool.problem or tool.name == other.name)
    return changes and (_shares(tool, other) or bool(tool.noun_stems & other.noun_stems))


def _shares(tool: ToolWords, other: ToolWords) -> bool:
    """Whether a tool needs something that another one takes as well."""
    return not {p.path for p in tool.parameters if p.required}.isdisjoint(
        p.path for p in other.parameters
    )


def _is_opposite(tool: ToolWords, other: ToolWords) -> bool:
    """Whether a tool takes back what another one does: `unlock` and `lock`."""
    restores = tool.verbs & restoring() and other.verbs & taking()
    against = opposites(other.verbs) & tool.verbs or opposites(tool.verbs) & other.verbs
    return tool.name == other.inverse or bool(against or restores)


def _ends(tool: ToolWords, other: ToolWords) -> bool:
    """Whether a tool takes away what another one has made."""
    return bool(tool.verbs & undoing()) and not other.verbs & undoing()


def _names(tool: ToolWords, path: tuple[str, ...]) -> bool:
    return any(p.path == path and p.names_thing for p in tool.parameters)


def _renews(tool: ToolWords) -> bool:
    """Whether a second call of a tool takes the place of the first."""
    english = language("en")
    verbs = {english.stem(word) for word in _RENEWING}
    return tool.effect != "irreversible" and bool(
        tool.verbs & verbs or _RENEWS.search(tool.description)
    )


def _apart(one: str, other: str) -> int:
    """Return the minutes between two times of the day, `HH:MM`."""
    minutes = [
        int(hour) * 60 + int(minute) for hour, minute in (t.split(":")[:2] for t in (one, other))
    ]
    return abs(minutes[0] - minutes[1])


def _shape(value: Any) -> str:
    """Return a text with figures with each run of them as `9`, and each run of letters as `a`; else nothing."""
    figures = isinstance(value, str) and _DIGITS.search(value)
    return _LETTERS.sub("a", _DIGITS.sub("9", value)) if figures else ""


def _at_paths(
    tool: ToolWords, arguments: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the arguments of a call by their paths; lists of objects have none."""
    for parameter in tool.parameters:
        value: Any = arguments
        for name in parameter.path:
            value = value.get(name) if isinstance(value, Mapping) else None
        if value is not None and not parameter.group:
            yield parameter.path, value
