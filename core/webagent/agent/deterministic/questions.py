"""Questions about things of the site: the tool whose results say what is asked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from webagent.agent.deterministic.candidates.fill import fill
from webagent.agent.deterministic.candidates.lookups import may_be_empty, name_in
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.references import asked_of, thing_of_page
from webagent.agent.deterministic.results import asked_names
from webagent.agent.deterministic.state import Task

_VAGUE: Final = frozenset(("got", "get", "have", "show", "find", "sell", "offer"))
"""Verbs with which people ask whether a site has something."""


def about_thing(
    sentence: Sentence,
    first: int,
    end: int,
    tools: Sequence[ToolWords],
    names: Collection[str],
    url: str,
) -> Task | None:
    """Return the call that answers a question about a thing with a name; None if it is about something else.

    Args:
        sentence: The goal.
        first: First token of the question.
        end: End of the question.
        tools: What can be called.
        names: Names of things that the page lists.
        url: Address of the page, which may be about one thing.
    """
    kinds = {
        str(found[0].meaning) for i in range(first, end)
        if (found := sentence.language.phrase_at(sentence.tokens, i, "questions"))
    }  # fmt: skip
    marked = any(sentence.tokens[i].text in "?؟" for i in range(first, end))
    said = [i for i in range(first, end) if sentence.weights[i] >= 0.8]
    shown = {word for name in names for word in name.casefold().replace(",", " ").split()}
    named = [i for i in said if _is_named(sentence, i, shown)]
    bounds = [v for v in sentence.values if v.bound and first <= v.first and v.end <= end]
    bounded = frozenset(i for value in bounds for i in range(value.first, value.end))
    exact = bool(bounds) or any(sentence.roles[i] == "superlatives" for i in range(first, end))
    points = any(sentence.roles[i] == "pronouns" for i in range(first, end))
    if not (kinds or marked) or not (named or exact or points):
        return None
    reading = [tool for tool in tools if tool.reads and not tool.problem]
    best: tuple[float, Task] | None = None
    for tool in reading:
        fields = asked_names(asked_of(sentence, (first, end)), tool.outputs)
        known = tool.noun_stems.union(*fields.values())
        needed = [p for p in tool.parameters if p.required]
        chosen = [
            f
            for f in fill(tool, sentence, first, end).fits
            if f.parameter.kind == "enum" and f.score > 1
        ]
        taken = bounded.union(named, *(fit.tokens for fit in chosen))
        others = [
            i for i in said if i not in taken and not sentence.tokens[i].glosses & (known | _VAGUE)
        ]
        query = next((p for p in tool.parameters if p.is_query), None)
        takes = len(needed) == 1 and (
            needed[0] is query
            or needed[0].names_thing
            or any(fit.parameter is needed[0] for fit in chosen)
        )
        # `have you anything by Tolkien?` asks for no field, but whether there is such a thing.
        if others or not takes or not (fields or exact or (query and kinds <= {"is"})):
            continue
        own = (
            thing_of_page(url, needed[0]) if needed[0].names_thing and not named and points else ""
        )
        if own and fields:
            return Task(first, end, tool.name, given=[[[*needed[0].path], own]])
        if (
            not named
            and not chosen
            and (
                query is None or not may_be_empty(tool, query) or not _is_noun(sentence, said, tool)
            )
        ):
            continue
        task = Task(first, end, tool.name)
        if query is not None and (named or not chosen):
            task.given = [[[*query.path], name_in(sentence, frozenset(named), first)]]
        # What is found by its words needs no second call.
        score = 2.0 * bool(fields) + bool(query) + 2.0 * bool(chosen)
        if best is None or score > best[0]:
            best = score, task
    return best[1] if best else None


def _is_noun(sentence: Sentence, said: Sequence[int], tool: ToolWords) -> bool:
    """Whether a question speaks of what a tool finds: `the most expensive book`."""
    nouns = tool.noun_stems
    return any(sentence.tokens[i].glosses & nouns for i in said)


def _is_named(sentence: Sentence, index: int, shown: Collection[str]) -> bool:
    token, value = sentence.tokens[index], sentence.in_value[index]
    if value is not None:
        return value.kind in ("quoted", "id")
    return sentence.is_name(index) or (len(token.key) > 3 and token.key in shown)
