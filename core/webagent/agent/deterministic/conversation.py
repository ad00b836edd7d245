"""What earlier goals of the tab mean for this one: what was found answers it, or is what it speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import (
    AWAY,
    adding,
    verbs_of,
)
from webagent.agent.deterministic.phrases import opening, opening_of, phrase_length
from webagent.agent.deterministic.questions import asks_to_tell
from webagent.agent.deterministic.references import (
    Place,
    asked_of,
    asks_about_it,
    is_exact,
    refers,
    result_of,
    stands_for_many,
    thing_of_page,
    value_for,
)
from webagent.agent.deterministic.results import Result, meant_of, named_in, told_of
from webagent.agent.deterministic.state import EARLIER, Found, State, Task
from webagent.agent.run import PastRun
from webagent.page.values import decode

_MOST_WORDS: Final = 10
"""Words that say something in an answer to a question of an earlier run."""
_YOURS: Final = frozenset(("you", "your", "yours", "my", "mine", "euer", "eure", "ihr", "ihre", "ihnen", "mein", "meine", "meinen", "vous", "votre", "vos", "mon", "ma", "mes", "usted", "ustedes", "su", "sus", "mi", "mis"))  # fmt: skip
"""Words for the site or the person, which no thing that was found is asked by."""
_SHOWING: Final = verbs_of(("show", "tell", "give", "explain"))


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

    def told(self, first: int, end: int) -> Task | None:
        """Return what earlier results say to a question about them: `which of those is the cheapest?`."""
        sentence = self._sentence
        place = (first, end)
        # `the cheaper of those` asks for it too.
        asks = all(sentence.verbs[i] & _SHOWING for i in range(first, end) if i in sentence.orders)
        follows = first == 0 and opening_of(self._sentence)[0] == "more"
        asks = asks and (
            sentence.asks(*place)
            or follows
            or is_exact(sentence, place)
            or asks_to_tell(sentence, *place)
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
        """Return the call that adds what was found, where the goal takes it: `I'll take the second one`."""
        sentence, place = self._sentence, (first, end)
        takes = any(
            sentence.verbs[i] & verbs_of(("take",))
            for i in range(first, end)
            if i in sentence.orders
        )
        away = any(sentence.tokens[i].key in AWAY for i in range(first, end))
        adders = [
            tool
            for tool in self._tools.values()
            if tool.verbs & adding() and tool.effect == "write" and not tool.problem
        ]
        known = [
            tool
            for tool in adders
            if [p.names_thing for p in tool.parameters if p.required] == [True]
        ]
        if (
            not self._state.results
            or not takes
            or away
            or not refers(sentence, place)
            or len(known) != 1
        ):
            return None
        return Task(first, end, known[0].name)

    def thing(self, place: Place, url: str, parameter: Parameter) -> Any:
        """Return the id of the thing that was named last, or else of the one that a page is about."""
        sentence = self._sentence
        orders = any(sentence.roles[i] == "superlatives" for i in range(*place))
        for result in self._results(place) if not stands_for_many(sentence, place) else ():
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
