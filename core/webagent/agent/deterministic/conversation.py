"""What earlier goals of the tab mean for this one: `it`, `and to Poland?`, `make it three`, an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Fit, fill
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.pages import PageIntent, PageTask
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.references import asked_of, opening, refers, said
from webagent.agent.deterministic.results import read_result, told_of
from webagent.agent.deterministic.state import EARLIER, Found, State, Task
from webagent.agent.run import PastRun
from webagent.page.values import decode

_LEAST: Final = 0.5
"""How well a value has to fit that takes the place of one of an earlier call."""
_MOST_WORDS: Final = 10
"""Words that say something in an answer to a question of an earlier run."""
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d{1,2}:\d\d)(.*)")
_SETTING: Final = ("set", "change", "update", "edit", "adjust", "modify")
_RENEWING: Final = (*_SETTING, "arrange", "choose", "select", "draft", "write", "filter", "sort", "fill", "reschedule",
                    "move", "show")  # fmt: skip
_RENEWS: Final = re.compile(r"\b(?:replac|overwrit|instead of the)", re.IGNORECASE)


def recall(state: State, earlier: Sequence[PastRun], tools: Mapping[str, ToolWords]) -> None:
    """Put what earlier runs found before what this one will find."""
    for run in earlier:
        for call in run.calls:
            tool = tools.get(call.tool)
            reads = tool is None or tool.reads
            found = Found(EARLIER, call.tool, decode(call.value), reads, dict(call.arguments))
            state.remember(found)
    state.before = earlier[-1].text if earlier else ""


def is_answer(sentence: Sentence, earlier: Sequence[PastRun]) -> bool:
    """Whether a goal only answers what an earlier run asked last: `The Hobbit`."""
    if not earlier or not earlier[-1].question or not sentence.tokens or opening(sentence, 0):
        return False
    content = [i for i in range(len(sentence.tokens)) if sentence.weights[i] >= 0.8]
    asks = "questions" in sentence.roles or sentence.tokens[-1].text in "?؟"
    named = all(sentence.tokens[i].is_capital for i in content)
    orders = bool(content) and bool(sentence.verbs[content[0]]) and not named
    return len(content) <= _MOST_WORDS and not asks and not orders


class Conversation:
    """A goal that follows others."""

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
        kind, first = self._opening()
        end = len(self._sentence.tokens)
        if not self._earlier or not kind or first >= end or self._orders(first):
            return None
        call = next((one for one in reversed(self._earlier[-1].calls)), None)
        tool = self._tools.get(call.tool) if call else None
        if call is None or tool is None:
            return self._read_on(first, end) if kind == "more" and not call else None
        known = dict(_at_paths(tool, call.arguments))
        new = {fit.parameter.path: fit for fit in self._new(tool, first, end)}
        new |= self._counted(tool, new, first, end) if kind == "instead" else {}
        moved = self._moved(known, first, end)
        quoted = any(v.kind == "quoted" and first <= v.first < end for v in self._sentence.values)
        if quoted or any(i in self._sentence.titles for i in range(first, end)):
            # Another thing is named.
            known = {path: value for path, value in known.items() if not _names(tool, path)}
        if not new and not moved:
            return None
        if kind == "more" and not tool.reads:
            # Another of the same: what was said of the first one does not hold for it.
            names = {p.path for p in tool.parameters if p.names_thing}
            kept = {path: value for path, value in known.items() if not new.keys() & names}
        else:
            kept = known
        rivals: list[str] = []
        if kind != "more" and not tool.reads:
            setter = self._setter(tool, new.keys() | moved.keys(), known)
            if setter is not None:
                tool = setter
            elif not _renews(tool):
                rivals = [tool.name]
        given = [
            [[*path], value]
            for path, value in {**kept, **moved}.items()
            if path in moved or path not in new
        ]
        given += [[[*path], fit.value] for path, fit in new.items() if fit.poured]
        paths = [[*p.path] for p in tool.parameters]
        return Task(first, end, tool.name, rivals, given=[one for one in given if one[0] in paths])

    def told(self, first: int, end: int) -> Task | None:
        """Return what earlier results say to a question about them: `which of those is the cheapest?`."""
        sentence = self._sentence
        asks = any(sentence.roles[i] == "questions" for i in range(first, end))
        place = (first, end)
        follows = first == 0 and self._opening()[0] == "more"
        if not asks or not (refers(sentence, place) or follows):
            return None
        for found in reversed(self._state.results):
            tool = self._tools.get(found.tool)
            result = read_result(found.value, tool.output if tool else None, found.tool)
            if text := told_of(asked_of(sentence, place), result, self._state.before):
                return Task(first, end, state="done", said=text)
        return None

    # What changes

    def _opening(self) -> tuple[str, int]:
        """Return how a goal follows another, and its first token behind the words that say so."""
        sentence, kind, at = self._sentence, "", 0
        while at < len(sentence.tokens):
            found = opening(sentence, at)
            if found:
                # `no, and …` corrects all the same.
                kind = found[0] if kind != "instead" else kind
                at = found[1]
            elif sentence.tokens[at].is_sign or sentence.roles[at] == "polite":
                at += 1
            else:
                break
        if kind != "instead" and any(
            said(sentence, i, "only") for i in range(at, len(sentence.tokens))
        ):
            kind = "instead"
        return kind, at

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
            if sure and not denied:
                yield fit

    def _counted(
        self, tool: ToolWords, new: Mapping[tuple[str, ...], Fit], first: int, end: int
    ) -> dict[tuple[str, ...], Fit]:
        """Return the only number of a call, where all that a goal says is one: `only one`."""
        numbers = [p for p in tool.parameters if p.kind == "number" and not p.group]
        counts = [(i, n) for i in range(first, end) if (n := self._number(i)) is not None]
        if len(numbers) != 1 or len(counts) != 1 or numbers[0].path in new:
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

    def _moved(
        self, known: Mapping[tuple[str, ...], Any], first: int, end: int
    ) -> dict[tuple[str, ...], Any]:
        """Return moments of the last call of which the goal changes only the day, or only the hour."""
        values = [v for v in self._sentence.values if first <= v.first < end]
        days = [v.value for v in values if v.kind == "date" and v.value]
        hours = [v.value for v in values if v.kind == "time" and v.value]
        found = {}
        for path, value in known.items():
            match = _MOMENT.fullmatch(value) if isinstance(value, str) else None
            if match and len(days) + len(hours) == 1:
                day, hour = (*days, match[1])[0], (*hours, match[2])[0]
                found[path] = f"{day}T{hour}{match[3]}"
        return found

    def _setter(
        self, tool: ToolWords, changed: Any, known: Mapping[tuple[str, ...], Any]
    ) -> ToolWords | None:
        """Return the tool that sets for the same thing what another one has added to."""
        english = language("en")
        setting = {english.stem(word) for word in _SETTING}
        if tool.verbs & setting:
            return tool
        needed = {*changed, *(p.path for p in tool.parameters if p.names_thing and p.path in known)}
        found = [
            other
            for other in self._tools.values()
            if other.verbs & setting and not other.reads and needed <= {p.path for p in other.parameters}
        ]  # fmt: skip
        return found[0] if len(found) == 1 else None

    def _read_on(self, first: int, end: int) -> Task:
        """Return that the page is asked for something else: `and about returns?`."""
        intent = PageIntent("read", 0.0, {}, frozenset(range(first, end)))
        return Task(first, end, page=asdict(PageTask.begin(intent, first, end)))


def _names(tool: ToolWords, path: tuple[str, ...]) -> bool:
    return any(p.path == path and p.names_thing for p in tool.parameters)


def _renews(tool: ToolWords) -> bool:
    """Whether a second call of a tool takes the place of the first."""
    english = language("en")
    verbs = {english.stem(word) for word in _RENEWING}
    return tool.effect != "irreversible" and bool(
        tool.verbs & verbs or _RENEWS.search(tool.description)
    )


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
