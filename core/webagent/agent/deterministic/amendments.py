"""How a goal changes what was called last: `make it three`, `and to Poland?`, `lock it again`, `undo that`."""

from __future__ import annotations

import json
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
from webagent.agent.deterministic.phrases import opening_of, phrase_length, points, words_of
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.references import (
    Place,
    is_exact,
    named_in_list,
    of_last_change,
)
from webagent.agent.deterministic.shifts import moment_for, moved, shift_of, shifted
from webagent.agent.deterministic.state import EARLIER, Found, State, Task
from webagent.agent.run import PastCall, PastRun
from webagent.page.values import decode

_LEAST: Final = 0.5
"""How well a value has to fit that takes the place of one of an earlier call."""
_OWN: Final = frozenset(("email", "phone", "url"))
"""Kinds of values that no two things share."""
_FEW: Final = 4
"""Words that say something in a goal that leans on the one before it without a word for that."""
_DIGITS: Final = re.compile(r"\d+")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_SETTING: Final = ("set", "change", "update", "edit", "adjust", "modify")
_CHANGING: Final = (*_SETTING, "move", "reschedule", "correct", "extend")
_RENEWING: Final = (*_SETTING, "arrange", "choose", "select", "draft", "write", "filter", "sort", "fill", "reschedule",
                    "move", "show", "extend", "rate")  # fmt: skip
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
        shift = shift_of(self._sentence, first, end)
        bare = not (kind or shift) and self._is_bare(first, end)
        kind = kind or ("instead" if shift or bare else "")
        if not self._earlier or not kind or first >= end:
            return None
        if self._orders(first) and not (shift and self._changes(first)):
            return None
        # `what about The Hobbit?` asks what was asked last, also where that needed no call.
        runs = (run for run in reversed(self._earlier) if run.calls)
        call = next((self._meant(run.calls) for run in runs), None)
        tool = self._tools.get(call.tool) if call else None
        if call and tool and (found := self._call(tool, call.arguments, kind, bare, first, end)):
            return found
        reads_on = kind == "more" and not self._earlier[-1].calls and not self._names(first, end)
        return self._read_on(first, end) if reads_on and not (call and not tool) else None

    def _call(
        self, tool: ToolWords, made: Mapping[str, Any], kind: str, bare: bool, first: int, end: int
    ) -> Task | None:
        """Return a call that was made, with what a goal changes of it; None if it is about something else."""
        known = {fit.parameter.path: fit.value for fit in Filled.made(tool, made).fits}
        new = {fit.parameter.path: fit for fit in self._new(tool, first, end)}
        if kind == "instead":
            new |= self._counted(tool, new, first, end)
            new = self._alike(tool, new, known) or new
        shift = shift_of(self._sentence, first, end)
        moments = shifted(known, shift) if shift else moved(self._sentence, new, known, first, end)
        listed = self._listed(tool, first, end) if kind == "more" else frozenset[int]()
        leans = kind == "instead" and not bare
        if not moments and self._leaves_value(new, listed, first, end):
            return None
        if not (new or moments or listed) or (not leans and self._says_else(tool, new, listed, first, end)):  # fmt: skip
            return None
        if bare and not self._goes_on_alone(tool, new, first, end):
            return None
        named = bool(listed) or self._names(first, end)
        if named:
            # Another thing is named.
            known = {path: value for path, value in known.items() if not _names(tool, path)}
            new = {path: fit for path, fit in new.items() if not fit.tokens & listed}
        rivals: list[str] = []
        if kind == "more" and not tool.reads:
            if named or any(fit.is_name for fit in new.values()):
                tool = self._adder(tool) or tool
            known = self._shared(tool, new, known, first, end)
        elif not tool.reads:
            setter = self._setter(tool, new.keys() | moments.keys(), known)
            if setter is not None:
                if setter is not tool:
                    needed = {p.path for p in setter.parameters if p.required}
                    known = {path: value for path, value in known.items() if path in needed}
                tool = setter
            elif not _renews(tool):
                if changed := self._changed(tool, new, moments, first, end):
                    return changed
                rivals = [tool.name]
        values = {path: value for path, value in known.items() if path not in new} | moments
        values |= {
            path: fit.value for path, fit in new.items()
            if path not in moments and (fit.poured or not (fit.is_name or fit.readings))
        }  # fmt: skip
        paths = [p.path for p in tool.parameters]
        given = [[[*path], value] for path, value in values.items() if path in paths]
        return Task(first, end, tool.name, rivals, given=given)

    def _meant(self, calls: Sequence[PastCall]) -> PastCall:
        """Return the last call, or that one of which a goal says a value: `sorry, rex is 31.5`."""
        said = {token.key for token in self._sentence.tokens if not token.is_stop}
        texts = (
            (call, [one for one in call.arguments.values() if isinstance(one, str)])
            for call in reversed(calls)
        )
        spoken = (call for call, own in texts if any(one.casefold() in said for one in own))
        return next(spoken, calls[-1])

    def _names(self, first: int, end: int) -> bool:
        """Whether a goal names something: `what about The Hobbit?`."""
        sentence = self._sentence
        return any(i in sentence.titles for i in range(first, end)) or any(
            v.kind == "quoted" and first <= v.first < end for v in sentence.values
        )

    def _listed(self, tool: ToolWords, first: int, end: int) -> frozenset[int]:
        """Return the words that name another thing of a list, where the last call took one: `the fan too`."""
        for parameter in tool.parameters:
            found = parameter.names_thing and named_in_list(
                self._state, self._tools, self._sentence, (first, end), tool, parameter
            )
            if found:
                return found[1]
        return frozenset()

    def _is_bare(self, first: int, end: int) -> bool:
        """Whether a goal has no verb, and leans on the one before it: `any that are like new?`."""
        sentence = self._sentence
        said = [i for i in range(first, end) if sentence.weights[i] >= 0.8]
        wants = any(sentence.roles[i] == "wanting" for i in range(first, end))
        if wants or points(sentence, first, end):
            # `the Friday one` and `I'll take the Hobbit` take one of what was found.
            return False
        acts = any(sentence.verbs[i] and not sentence.is_noun(i) for i in range(first, end))
        return (
            bool(self._earlier and self._earlier[-1].calls and said)
            and len(said) <= _FEW
            and not acts
        )

    def _goes_on_alone(
        self, tool: ToolWords, new: Mapping[tuple[str, ...], Fit], first: int, end: int
    ) -> bool:
        """Whether arguments that are said alone may change a call, and are not a goal of their own."""
        says_noun = any(t.glosses & tool.noun_stems for t in self._sentence.tokens[first:end])
        counts = tool.reads and any(fit.parameter.kind == "number" for fit in new.values())
        return bool(new) and (tool.reads or _renews(tool)) and not (says_noun or counts)

    def _leaves_value(
        self, new: Mapping[tuple[str, ...], Fit], listed: frozenset[int], first: int, end: int
    ) -> bool:
        """Whether a goal has a value that a call does not take: `50k would be ok too, but only freelance`."""
        taken = listed.union(*(fit.tokens | fit.cues for fit in new.values()))
        return any(
            first <= v.first < end and v.kind != "ordinal" and taken.isdisjoint(range(v.first, v.end))
            for v in self._sentence.values
        )  # fmt: skip

    def _says_else(
        self, tool: ToolWords, new: Mapping[tuple[str, ...], Fit], listed: frozenset[int], first: int, end: int,
    ) -> bool:  # fmt: skip
        """Whether a goal has a word for something that the last call knows nothing of: `and three colas`."""
        sentence = self._sentence
        known = tool.words.keys() | tool.noun_stems | tool.verbs
        explained = listed.union(*(fit.tokens | fit.cues for fit in new.values()))
        explained |= words_of(sentence, first, end, "pointing", "too", "again", "only", "later", "earlier")  # fmt: skip
        same = words_of(sentence, first, end, "same")
        # `same length`
        explained |= same | {i + 1 for i in same}
        ends = (
            i for i in range(first, end)
            if sentence.tokens[i].is_sign and any(phrase_length(sentence, at, "too") for at in range(first, i))
        )  # fmt: skip
        return any(
            sentence.weights[i] >= 1 and i not in explained and not sentence.roles[i]
            and sentence.in_value[i] is None and not sentence.tokens[i].glosses & known
            for i in range(first, next(ends, end))
        )  # fmt: skip

    def _shared(
        self,
        tool: ToolWords,
        new: Mapping[tuple[str, ...], Fit],
        known: Mapping[tuple[str, ...], Any],
        first: int,
        end: int,
    ) -> dict[tuple[str, ...], Any]:
        """Return the old values that hold for another of the same: not those of its own name, unless the goal says so."""
        sentence = self._sentence
        same, too = (
            any(phrase_length(sentence, i, kind) for i in range(end)) for kind in ("same", "too")
        )
        names = {path for path, fit in new.items() if fit.is_name}
        names |= {p.path for p in tool.parameters if p.names_thing and (not same or new.keys() & names)}  # fmt: skip
        if not (same or too) and (new.keys() & names or tool.verbs & verbs_of(_SETTING)):
            return {}
        named = any(
            fit.parameter.kind == "text" and all(map(sentence.is_name, fit.tokens))
            for fit in new.values()
        )
        if named:
            names |= {p.path for p in tool.parameters if p.kind in _OWN}
        if not same and (too or named):
            # What need not be said of the one is not said of the other: `and her sister Gerda`.
            names |= {p.path for p in tool.parameters if not p.required}
        kept = self._kept(end)
        alike = [p.path for p in tool.parameters if any(kept & words for words in p.words)]
        if alike:
            # `same size, but matte` leaves the number open.
            names |= {p.path for p in tool.parameters if not (p.required or p.path in alike)}
        pointing = words_of(sentence, first, end, "pointing")
        counted = any(self._number(i) is not None for i in range(first, end) if i not in pointing)
        if not same and counted:
            # `and a bunch of parsley too` says itself how much.
            names |= {p.path for p in tool.parameters if p.kind in ("number", "quantity")}
        return {path: value for path, value in known.items() if path not in names}

    def _kept(self, end: int) -> frozenset[str]:
        """Return the meanings of what shall be as before: `same size and frame`, but not `same again`."""
        sentence, found = self._sentence, set[str]()
        lengths = ((i, phrase_length(sentence, i, "same")) for i in range(end))
        for i in range(next((i + length for i, length in lengths if length), end), end):
            joins = sentence.roles[i] == "conjunctions"
            if not (joins or sentence.weights[i]) or sentence.in_value[i] or phrase_length(sentence, i, "again"):  # fmt: skip
                break
            found |= set() if joins else sentence.tokens[i].glosses
        return frozenset(found)

    def _taken_back(self) -> Task | None:
        """Return the call that takes the last change back: `lock it again`, `cancel the reservation`."""
        sentence = self._sentence
        stops = [
            i + 1 for i in range(len(sentence.tokens) - 1)
            if sentence.tokens[i].text in ".!;" and not sentence.in_value[i]
        ]  # fmt: skip
        # `Greta can mend it. put it back in`
        place = (max([opening_of(self._sentence)[1], *stops]), len(sentence.tokens))
        last = next((f for f in reversed(self._state.results) if f.task == EARLIER), None)
        own = self._tools.get(last.tool) if last else None
        again = any(phrase_length(sentence, i, "again") for i in range(*place))
        every = any(sentence.roles[i] == "quantifiers" for i in range(*place))
        if last is None or own is None or own.reads or every or sentence.asks(*place) or is_exact(sentence, place):  # fmt: skip
            return None
        if words_of(sentence, *place, "other") or self._says_other_day(place, last):
            # `den am 9. April kannst du streichen` is about another one.
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

    def _says_other_day(self, place: Place, last: Found) -> bool:
        """Whether a goal says a day that the last change was not made for."""
        made = json.dumps([last.arguments, last.value], default=str)
        days = [
            {str(one)[:10] for one in value.readings or (value.value,)}
            for value in self._sentence.values
            if value.kind in ("date", "datetime") and place[0] <= value.first < place[1]
        ]
        return any(not any(day in made for day in own) for own in days)

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
        # `he's just paid, book it` orders, and `any that are like new` does not.
        ordered = any(i in sentence.orders for i in range(lead, len(sentence.tokens)))
        verb = (
            ordered
            and bool(sentence.verbs[lead])
            and not sentence.tokens[lead].is_capital
            and not led
        )
        return asks or (verb and sentence.in_value[lead] is None)

    def _new(self, tool: ToolWords, first: int, end: int) -> Iterator[Fit]:
        sentence = self._sentence
        said = {i for i in range(first, end) if sentence.weights[i]}
        # `the other one` and `same guy` name nothing.
        pointing = words_of(sentence, first, end, "pointing", "same")
        counts = any(p.kind == "number" and not p.group for p in tool.parameters)
        # What is known already need not be found in the words: `and in York?` names no job.
        free = replace(tool, parameters=tuple(replace(p, required=False) for p in tool.parameters))
        fits = fill(free, sentence, first, end).fits
        taken = frozenset[int]().union(*(fit.tokens for fit in fits))
        fits += [fit for fit in fill(tool, sentence, first, end).fits if not fit.tokens & taken]
        for fit in fits:
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
            # `make that 3` says how many, and not which.
            small = counts and fit.parameter.kind == "id" and number and len(str(fit.value)) < 3
            if sure and not (denied or small or fit.tokens & pointing):
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

    def _changes(self, first: int) -> bool:
        """Whether the first order changes what there is: `push it back by an hour`."""
        verbs, order = self._sentence.verbs, min(self._sentence.orders, default=first)
        return are_akin(verbs[order], verbs_of(("change",))) or bool(
            verbs[order] & verbs_of(("postpone", "delay", "bring_forward", "shift"))
        )

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
            and (tool.noun_stems & other.noun_stems or any(_names(tool, path) for path in needed))
        ]  # fmt: skip
        return found[0] if len(found) == 1 else None

    def _changed(
        self, tool: ToolWords, new: Mapping[tuple[str, ...], Fit], moments: Mapping[tuple[str, ...], str], first: int, end: int,
    ) -> Task | None:  # fmt: skip
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
            own = {p.path for p in other.parameters}
            fits = {path: fit.value for path, fit in new.items() if path in own and not fit.is_name}
            fits |= {fit.parameter.path: fit.value for fit in self._new(other, first, end)}
            fits |= {path: moments[path] for path in fits.keys() & moments.keys()}
            times = [
                p for p in other.parameters if p.kind in ("datetime", "time") and p.path not in fits
            ]
            for parameter in times:
                # The same parameter, or else the only one of each.
                only = next(iter(moments.values())) if len(moments) == len(times) == 1 else ""
                if moment := moment_for(parameter.kind, moments.get(parameter.path, only)):
                    fits[parameter.path] = moment
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


def _shape(value: Any) -> str:
    """Return a text with figures with each run of them as `9`, and each run of letters as `a`; else nothing."""
    figures = isinstance(value, str) and _DIGITS.search(value)
    return _LETTERS.sub("a", _DIGITS.sub("9", value)) if figures else ""
