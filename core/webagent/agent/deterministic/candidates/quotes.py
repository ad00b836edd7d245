"""Quoted texts for parameters: names before messages, and several together for a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from webagent.agent.deterministic.candidates.fits import Fit, cued, cues_of
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.pieces import MESSAGE, NAMED, takes_message
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.reading.values import Value

_QUOTED: Final = 1.4
_TITLED: Final = 0.3
"""What quotation marks say for a name or a message."""
_NAMING: Final = 0.5
"""What words around a quoted text have to say for a parameter to name it."""
SURELY_QUOTED: Final = _QUOTED + _NAMING
_SECOND: Final = 0.9
"""What a message loses by a name that the text may be."""


def quoted(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, value: Value, first: int, end: int
) -> Fit:
    """Return a quoted text, which is a name before it is a message: `the event 'Dentist'`."""
    bonus = _TITLED if parameter.names & (MESSAGE | NAMED) else 0.0
    fit = cued(parameter, sentence, value, value.value, _QUOTED + bonus, first, end)
    if fit.score >= SURELY_QUOTED + bonus or not takes_message(parameter):
        return fit
    names = (
        p for p in tool.parameters
        if p.kind == "text" and p.names & NAMED and not (p.group or p.is_query or takes_message(p))
    )  # fmt: skip
    is_second = any(p.required >= parameter.required for p in names)
    return replace(fit, score=fit.score - _SECOND) if is_second else fit


def is_listed(tool: ToolWords, sentence: Sentence, value: Value, first: int) -> bool:
    """Whether a quoted text is one of several behind the name of a list: `with the labels 'a' and 'b'`."""
    rows: list[list[Value]] = []
    for one in sentence.values:
        if one.kind != "quoted" or one.first < first:
            continue
        joined = rows and all(
            sentence.roles[i] == "conjunctions" or sentence.tokens[i].text == ","
            for i in range(rows[-1][-1].end, one.first)
        )
        rows = [*rows[:-1], [*rows[-1], one]] if joined else [*rows, [one]]
    row = next((row for row in rows if value in row), [value])
    before = row[0].first - 1
    if len(row) == 1 or before < first:
        return False
    said = sentence.tokens[before].glosses
    return any(said & (p.parents if p.group else p.stems) for p in tool.parameters if p.group or p.is_list)  # fmt: skip


def quoted_elsewhere(
    tool: ToolWords, leaves: Sequence[Parameter], own: frozenset[str], sentence: Sentence, first: int, end: int
) -> frozenset[int]:  # fmt: skip
    """Return the words of quoted texts that another text takes sooner than a list whose name is `own`."""
    texts = [p for p in tool.parameters if p.kind == "text" and not p.group]
    is_needed = any(p.required for p in leaves)
    found: set[int] = set()
    for value in sentence.values if texts else ():
        if value.kind != "quoted" or value.first < first or value.end > end:
            continue
        if is_listed(tool, sentence, value, first):
            continue

        def said(parameter: Parameter, value: Value = value) -> float:
            return cues_of(parameter, sentence, value.first, value.end, first, end)[1]

        is_named = any(sentence.tokens[i].glosses & own for i in range(first, value.first))
        if not (is_named or is_needed) or max(map(said, texts)) > max(_NAMING, *map(said, leaves)):
            found.update(range(value.first, value.end))
    return frozenset(found)
