"""What earlier goals of the tab mean for this one: what was found answers it, or is what it speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Filled, fill
from webagent.agent.deterministic.candidates.lookups import given_before
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import (
    AWAY,
    generic,
    undoing,
    verbs_of,
)
from webagent.agent.deterministic.phrases import opening, opening_of, phrase_length
from webagent.agent.deterministic.questions import asks_to_tell
from webagent.agent.deterministic.references import (
    Place,
    asked_of,
    asks_about_it,
    is_exact,
    named_in_list,
    refers,
    stands_for_many,
    thing_of_page,
)
from webagent.agent.deterministic.results import Result, meant_of, named_in, told_of
from webagent.agent.deterministic.state import EARLIER, Found, State, Task
from webagent.agent.deterministic.things import gives, result_of, takes_things, value_for
from webagent.agent.run import PastRun
from webagent.page.values import decode
from webagent.schema import check_schema

_MOST_WORDS: Final = 10
"""Words that say something in an answer to a question of an earlier run."""
_YOURS: Final = frozenset(("you", "your", "yours", "my", "mine", "euer", "eure", "ihr", "ihre", "ihnen", "mein", "meine", "meinen", "vous", "votre", "vos", "mon", "ma", "mes", "usted", "ustedes", "su", "sus", "mi", "mis"))  # fmt: skip
"""Words for the site or the person, which no thing that was found is asked by."""
_SHOWING: Final = verbs_of(("show", "tell", "give", "explain"))
_TAKING: Final = verbs_of(("take", "have", "do", "get", "want"))


def recall(state: State, earlier: Sequence[PastRun], tools: Mapping[str, ToolWords]) -> None:
    """Put what earlier runs found before what this one will find."""
    names: set[str] = set()
    for run in earlier:
        for call in run.calls:
            tool = tools.get(call.tool)
            reads = tool is None or tool.reads
            found = Found(EARLIER, call.tool, decode(call.value), reads, dict(call.arguments))
            state.remember(found)
            result = result_of(found, tools)
            names.update(item.name for item in result.items if len(item.name) > 2)
    # `The stock is 7` names nothing: what it is about was named before.
    naming = (run.text for run in reversed(earlier) if any(name in run.text for name in names))
    state.before = next(naming, earlier[-1].text if earlier else "")


def is_answer(sentence: Sentence, earlier: Sequence[PastRun]) -> bool:
    """Whether a goal only answers what an earlier run asked last: `The Hobbit`."""
    if not earlier or not earlier[-1].question or not sentence.tokens or opening(sentence, 0):
        return False
    content = [i for i in range(len(sentence.tokens)) if sentence.weights[i] >= 0.8]
    asks = "questions" in sentence.roles or sentence.tokens[-1].text in "?؟"
    named = all(sentence.tokens[i].is_capital for i in content)
    orders = bool(content) and bool(sentence.verbs[content[0]]) and not named
    return len(content) <= _MOST_WORDS and not asks and not orders


def behind_asides(sentence: Sentence) -> str:
    """Return a goal without the words at its beginning that only react to what was said: `great, send it`."""
    at, tokens = 0, sentence.tokens
    while at < len(tokens) and (length := phrase_length(sentence, at, "aside")):
        at += length
        while at < len(tokens) and tokens[at].is_sign:
            at += 1
    return sentence.text[tokens[at].start :] if 0 < at < len(tokens) else sentence.text


class Conversation:
    """A goal that follows others."""

    def __init__(self, sentence: Sentence, state: State, tools: Mapping[str, ToolWords]) -> None:
        """Keep the goal, what was found, and the tools by their names."""
        self._sentence = sentence
        self._state = state
        self._tools = tools

    def calls(self) -> list[Filled]:
        """Return the calls for the goals before, which this one may speak of."""
        known = ((self._tools.get(one.tool), one.arguments) for one in self._state.results)
        return [Filled.made(tool, arguments) for tool, arguments in known if tool]

    def told(self, first: int, end: int) -> Task | None:
        """Return what earlier results say to a question about them: `which of those is the cheapest?`."""
        sentence = self._sentence
        place = (first, end)
        # `the cheaper of those` asks for it too.
        asks = all(sentence.verbs[i] & _SHOWING for i in range(first, end) if i in sentence.orders)
        follows = first == 0 and opening_of(self._sentence)[0] == "more"
        counted = any(v.kind == "number" and not v.bound and first <= v.first < end for v in sentence.values)  # fmt: skip
        # `two of the cheaper one` wishes for them.
        asks = (
            asks
            and (sentence.asks(*place) or not counted)
            and (
                sentence.asks(*place)
                or follows
                or is_exact(sentence, place)
                or asks_to_tell(sentence, *place)
            )
        )
        about_it = refers(sentence, place) or asks_about_it(sentence, place)
        if not asks or not (about_it or follows or self.asks_of_one(place)):
            return None
        of_many = stands_for_many(sentence, place) or any(
            sentence.roles[i] in ("superlatives", "quantifiers") for i in range(first, end)
        )
        for result in self._results(place):
            if text := told_of(
                asked_of(sentence, place), result, self._said_before(), of_many=of_many
            ):
                return Task(first, end, state="done", said=text)
        return None

    def taken(self, first: int, end: int) -> Task | None:
        """Return the call that takes what was found: `I'll take the second one`, `two tickets for the Saturday one`."""
        sentence, place = self._sentence, (first, end)
        listed = next((one for one in reversed(self._state.results) if one.reads), None)
        if not listed or not self._takes(place):
            return None
        orders = any(i in sentence.orders for i in range(first, end))
        known, source = self.calls()[::-1], self._tools.get(listed.tool)
        found = list[tuple[int, Task]]()
        for tool in self._tools.values():
            if tool.effect == "irreversible" or tool.problem or not takes_things(tool):
                continue
            filled = fill(tool, sentence, *place)
            values = [(p, given_before(p, tool, known)) for p in filled.missing]
            lacking = [p for p, value in values if value is None]
            things = [p for p in filled.missing if p.names_thing and p not in lacking]
            named = [fit.parameter for fit in filled.fits if fit.is_name]
            things += [p for p in (*lacking, *named) if gives(listed, self._tools, tool, p)]
            points = (
                things
                and (refers(sentence, place) or self._names(tool, things, place))
                and not self._leaves(filled, things, place)
            )
            # `evening then, 2 bags` completes what was asked about.
            goes_on = not (lacking or orders) and source and tool.noun_stems & source.noun_stems
            said = sum(sentence.weights[i] >= 0.8 for i in range(first, end))
            if points or (goes_on and filled.fits and self._explained(filled, place) >= said):
                given = [[[*p.path], value] for p, value in values if value is not None]
                task = Task(first, end, tool.name, given=given)
                found.append((self._explained(filled, place), task))
        return _likeliest(found)

    def _takes(self, place: Place) -> bool:
        """Whether a part of a goal takes something (`I'll have that one`), or is all of it and has no verb (`the second one, please`)."""
        sentence, span = self._sentence, range(*place)
        # `davon zwei` takes nothing away.
        away = any(
            (sentence.tokens[i].key in AWAY and not phrase_length(sentence, i, "pointing"))
            or (sentence.verbs[i] & undoing() and not sentence.verbs[i] & _TAKING)
            for i in span
        )
        denies = any(sentence.roles[i] == "negators" for i in span)
        if away or denies or sentence.asks(*place):
            return False
        if orders := [i for i in span if i in sentence.orders]:
            return any(sentence.verbs[i] & _TAKING for i in orders)
        others = (i for i in range(len(sentence.tokens)) if i not in span)
        acts = any(sentence.verbs[i] and not sentence.is_noun(i) for i in span)
        return not acts and not any(sentence.weights[i] for i in others)

    def _leaves(self, filled: Filled, things: Sequence[Parameter], place: Place) -> bool:
        """Whether a call knows nothing of a word that a part of a goal says: `and a large popcorn with that`."""
        sentence, tool = self._sentence, filled.tool
        known = tool.words.keys() | tool.noun_stems | tool.verbs | generic()
        lists = (named_in_list(self._state, self._tools, sentence, place, tool, p) for p in things)
        given = (fit.tokens | fit.cues for fit in filled.fits if not fit.is_name)
        names = filled.group_tokens.union(*given, *(found[1] for found in lists if found))
        # `for three people` says what is counted.
        names |= {
            i + 1 for i in names if (value := sentence.in_value[i]) and value.kind == "number"
        }
        return any(
            sentence.weights[i] >= 1 and i not in names
            and not (sentence.roles[i] or sentence.in_value[i] or sentence.tokens[i].is_stop)
            and not (sentence.tokens[i].glosses | sentence.verbs[i]) & known
            for i in range(*place)
        )  # fmt: skip

    def _explained(self, filled: Filled, place: Place) -> int:
        """Return how many words of a part of a goal are of a call, or of its tool."""
        known, sentence = filled.tool.words.keys() | filled.tool.noun_stems, self._sentence
        return sum(
            i in filled.tokens or bool(sentence.weights[i] and sentence.tokens[i].glosses & known)
            for i in range(*place)
        )

    def settled(self, rivals: Sequence[str], place: Place) -> str:
        """Return the only one of some tools that a goal orders for what was found or made: `great, send it`, `book the night walk`; empty if it is unsure."""
        if not self._state.results:
            return ""
        able = [name for name in rivals if self._may_call(self._tools[name], place)]
        last = next((one for one in reversed(self._state.results) if not one.reads), None)
        made = self._tools.get(last.tool) if last else None
        if len(able) > 1 and made:
            # What was created last is an invoice, and not a reminder.
            able = [name for name in able if self._tools[name].noun_stems & made.noun_stems]
        return able[0] if len(able) == 1 else ""

    def _may_call(self, tool: ToolWords, place: Place) -> bool:
        """Whether a goal orders a tool for what was found or made, and all that it takes is known."""
        sentence, known = self._sentence, self.calls()
        orders = any(sentence.verbs[i] & tool.verbs for i in sentence.orders if i in range(*place))
        filled = fill(tool, sentence, *place)
        named = [fit.parameter for fit in filled.fits if fit.is_name]
        if not orders or not (refers(sentence, place) or self._names(tool, named, place)):
            return False
        if filled.groups or self._leaves(filled, named, place):
            return False
        return all(
            given_before(p, tool, known) is not None
            or any(gives(one, self._tools, tool, p) for one in self._state.results)
            for p in (*filled.missing, *named)
        )

    def details(self, first: int, end: int) -> Task | None:
        """Return the call that says more of a thing that was found, where a question asks more than is known: `how wide is the Oda?`."""
        sentence, place = self._sentence, (first, end)
        orders = any(i in sentence.orders and not sentence.verbs[i] & _SHOWING for i in range(*place))  # fmt: skip
        if orders or not self._state.results or not sentence.asks(*place):
            return None
        points = (
            refers(sentence, place) or asks_about_it(sentence, place) or self.asks_of_one(place)
        )
        last, found = self._state.results[-1], list[tuple[int, Task]]()
        for tool in self._tools.values():
            if not tool.reads or tool.problem:
                continue
            filled = fill(tool, sentence, *place)
            needed = [p for p in tool.parameters if p.required]
            things = [p for p in needed if p.names_thing or p in filled.missing]
            things = things or [p for p in needed if p.kind == "text" and self._is_listed(p)]
            if len(things) != 1 or things[0].is_query:
                continue
            named = named_in_list(self._state, self._tools, sentence, place, tool, things[0])
            value = named[0] if named else self.thing(place, "", things[0]) if points else None
            if points and not value:
                value = given_before(things[0], tool, self.calls()[-1:])
            repeated = last.tool == tool.name and value in last.arguments.values()
            if value in (None, "") or repeated or check_schema(value, things[0].schema):
                continue
            task = Task(first, end, tool.name, given=[[[*things[0].path], value]])
            found.append((self._explained(filled, place), task))
        return _likeliest(found)

    def _is_listed(self, parameter: Parameter) -> bool:
        """Whether what was found has a field that is called like a parameter."""
        found = (result_of(one, self._tools) for one in self._state.results)
        fields = (field.path for result in found for item in result.items for field in item.fields)
        return (parameter.path[-1],) in fields

    def _names(self, tool: ToolWords, parameters: Sequence[Parameter], place: Place) -> bool:
        """Whether a part of a goal names one of the things that were listed: `the garage, for two hours`."""
        return any(
            named_in_list(self._state, self._tools, self._sentence, place, tool, p)
            for p in parameters
        )

    def thing(self, place: Place, url: str, parameter: Parameter) -> Any:
        """Return the id of the thing that was named last, or else of the one that a page is about."""
        sentence = self._sentence
        orders = any(sentence.roles[i] == "superlatives" for i in range(*place))
        many = stands_for_many(sentence, place)
        for result in self._results(place):
            if many and len(result.items) != 1:
                break
            _, choice = meant_of(asked_of(sentence, place), result, self._said_before())
            if len(choice.items) == 1 < len(result.items) + (not orders) and orders == (
                choice.order is not None
            ):
                item = choice.items[0]
                own = value_for(item, parameter.path[-1], parameter.schema, noun=result.noun)
                if own is not None:
                    return own
        return thing_of_page(url, parameter)

    def asks_of_one(self, place: Place) -> bool:
        """Whether a question may be about the thing that was named last: `who is the author?`."""
        sentence = self._sentence
        named = any(sentence.is_name(i) or sentence.in_value[i] is not None for i in range(*place))
        named = named or any(
            sentence.roles[i] in ("superlatives", "quantifiers") for i in range(*place)
        )
        lists = (
            t.noun_stems
            for t in self._tools.values()
            if t.reads and not any(p.required for p in t.parameters)
        )
        listed = frozenset[str]().union(*lists)
        others = any(
            sentence.tokens[i].key in _YOURS or sentence.tokens[i].glosses & listed
            for i in range(*place)
        )
        return (
            place[0] == 0
            and not (named or others)
            and (sentence.asks(*place) or asks_to_tell(sentence, *place))
        )

    def _results(self, place: Place) -> list[Result]:
        """Return the results, the latest first; a question about the thing named last gets only those with it."""
        before = self._said_before()
        found = [result_of(one, self._tools) for one in reversed(self._state.results)]
        named = [one for one in found if named_in(one.items, before)]
        if is_exact(self._sentence, place) or stands_for_many(self._sentence, place):
            return [*named, *(one for one in found if one not in named)]
        return named or found

    def _said_before(self) -> str:
        """Return what was said last of a thing: `the first one, who wrote it?`."""
        return next(
            (task.said for task in reversed(self._state.tasks) if task.said), self._state.before
        )


def _likeliest(found: Sequence[tuple[int, Task]]) -> Task | None:
    """Return the call that has most of the words that were said; None if it is not the only one."""
    most = max((said for said, _ in found), default=0)
    best = [task for said, task in found if said == most]
    return best[0] if len(best) == 1 else None
