"""What the results of a run say: to a part that no tool serves, of things that are compared, of an id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from webagent.agent.deterministic.candidates.lookups import may_be_empty
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.pages import link_to
from webagent.agent.deterministic.reading.tokens import is_near
from webagent.agent.deterministic.references import asked_of
from webagent.agent.deterministic.results import (
    COMPARING,
    Result,
    missing_of,
    read_result,
    told_of,
)
from webagent.agent.deterministic.state import EARLIER, State, Task
from webagent.agent.deterministic.things import result_of
from webagent.agent.run import Scene
from webagent.registry.binding import ToolSource
from webagent.schema import check_schema

_OF_PAGE: Final = frozenset((ToolSource.FORM, ToolSource.COMPONENT))
_WORD: Final = re.compile(r"[^\W_]+")
_LIMITS: Final = (frozenset(("limit",)), frozenset(("page", "size")), frozenset(("per", "page")))
"""Words of a parameter that says how many things are listed at most."""


def changed_place(state: State, tools: Mapping[str, ToolWords], scene: Scene) -> int | None:
    """Return the number of the link that shows what was changed last: `Basket`."""
    finished = [task for task in state.tasks if task.tool and task.state == "done"]
    tool = tools.get(finished[-1].tool) if finished else None
    stays = any(one.source in _OF_PAGE and not one.problem for one in scene.tools)
    if state.shown or state.stopped or stays or tool is None or tool.reads:
        # A page with a form or a part that is a tool is not left while somebody works there.
        return None
    return link_to(tool, scene.snapshot, state.results[-1].value if state.results else None)


def found_nothing(task: Task, state: State) -> bool:
    """Return whether all that was looked up for a task was empty."""
    number = state.tasks.index(task)
    own = [found for found in state.results if found.task == number and found.reads]
    return bool(own) and not any(read_result(one.value, None, one.tool).items for one in own)


def found_for(task: Task, state: State, sentence: Sentence, tools: Mapping[str, ToolWords]) -> str:
    """Return what the results of a run say to a part that no tool serves."""
    before = " ".join(one.said for one in state.tasks)
    says = [i for i in range(task.first, task.end) if sentence.weights[i]]
    # Words such as `tell me` are left out of the question.
    first = says[0] + 1 if says and says[0] in sentence.orders else task.first
    for found in reversed(state.results):
        result = result_of(found, tools)
        asked = asked_of(sentence, (first, task.end))
        if found.task != EARLIER and (text := told_of(asked, result, before)):
            return text
    return ""


def compared(state: State, sentence: Sentence, tools: Mapping[str, ToolWords]) -> Result | None:
    """Return the things that a goal compares, where each was looked up by itself."""
    tasks = state.tasks
    tool = tools.get(tasks[0].tool) if len(tasks) > 1 else None
    compares = any(token.glosses & COMPARING for token in sentence.tokens)
    if tool is None or not compares or any((one.tool, one.state) != (tool.name, "done") for one in tasks):  # fmt: skip
        return None
    found = {one.task: one.value for one in state.results if one.tool == tool.name}
    values = [found[at] for at in range(len(tasks)) if isinstance(found.get(at), Mapping)]
    schema = {"type": "array", "items": tool.output} if tool.output else None
    return read_result(values, schema, tool.name) if len(values) == len(tasks) else None


def call_for_all(
    task: Task, sentence: Sentence, tool: ToolWords, value: Any, given: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the arguments that list all things, where the `cheapest` of some was meant of all, or a name has a slip."""
    missing = missing_of(read_result(value, tool.output, tool.name)) if tool.reads else 0
    exact = bool(task.misspelled) or any(
        sentence.roles[i] == "superlatives" for i in range(task.first, task.end)
    )
    limit = next((p for p in tool.parameters if any(names <= p.names for names in _LIMITS)), None)
    if not (missing and exact and limit) or limit.path[0] in given or check_schema(missing, limit.schema):  # fmt: skip
        return None
    return {**given, limit.path[0]: missing}


def without_words(
    sentence: Sentence, tool: ToolWords, value: Any, given: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the arguments that list everything, where nothing was found for a name that may have a slip."""
    query = next((p for p in tool.parameters if p.is_query and given.get(p.path[0])), None)
    found = read_result(value, tool.output, tool.name).items
    if query is None or not may_be_empty(tool, query) or found:
        return None
    words, known = str(given[query.path[0]]).split(), sentence.language
    named = (
        (token.is_capital and known.code != "de") or token.stem not in known.glosses
        for token in sentence.tokens if token.text in words and not token.is_stop
    )  # fmt: skip
    return {**given, query.path[0]: ""} if any(named) else None


def nearly_named(result: Result, words: str) -> list[Any]:
    """Return the things whose names have all words, or words that differ by a slip: `The Salt Leger`."""
    said = [word for word in _WORD.findall(words.casefold()) if len(word) > 2]

    def is_like(name: str) -> bool:
        own = _WORD.findall(name.casefold())
        return all(
            any(one == word or (len(word) > 4 and is_near(one, word)) for one in own)
            for word in said
        )

    return [item.value for item in result.items if said and is_like(item.name)]


def name_of_id(state: State, arguments: Mapping[str, Any]) -> str:
    """Return the name of the thing whose id a call was made with."""
    ids = {
        name: value
        for name, value in arguments.items()
        if isinstance(value, str | int) and value not in (True, False, "")
    }
    for found in reversed(state.results):
        items = read_result(found.value, None, found.tool).items
        named = [
            item.name for item in items
            if item.name and any(
                field.path != item.naming and field.value in ids.values()
                and ("id" in field.meanings or ids.get(field.path[-1]) == field.value)
                for field in item.fields if not isinstance(field.value, tuple)
            )
        ]  # fmt: skip
        if named:
            # A value that several things have, such as a kind of room, is not an id.
            return named[0] if len(named) == 1 else ""
    return ""
