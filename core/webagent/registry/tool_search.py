"""A search for tools by words: in their names, descriptions and parameters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import log
from typing import NamedTuple

from webagent.registry.binding import Binding

_WORD = re.compile(r"[^\W\d_]+|\d+")

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_STEM = 5
"""First characters by which words are compared, so that `orders` finds `order` in any language."""

_LONGEST = 4_000
"""Characters of a description or of a query that are read."""

_NAME, _TITLE, _DESCRIPTION, _PARAMETER = 3.0, 2.0, 1.0, 0.5
"""Weights of a word by its place."""


class ToolTexts(NamedTuple):
    """The texts of a tool in which words are searched."""

    name: str
    title: str
    description: str
    parameters: Sequence[str]
    """Names of parameters, each with its description."""


def search_tools(tools: Sequence[Binding], words: str, most: int) -> list[Binding]:
    """Return up to `most` tools that share words with a text, the best match first.

    Deprecated ones come last.

    Args:
        tools: The tools.
        words: Any text: a query, or a person's goal.
        most: The number of tools.
    """
    texts = [
        ToolTexts(
            binding.name,
            binding.tool.title,
            binding.tool.description,
            [f"{param.name} {param.description}" for param in binding.tool.params],
        )
        for binding in tools
    ]
    found = [tools[index] for index in search_texts(texts, words, len(tools))]
    return sorted(found, key=lambda one: one.tool.behavior.deprecated != "")[:most]


def search_texts(tools: Sequence[ToolTexts], words: str, most: int) -> list[int]:
    """Return the places of up to `most` tools that share words with a text, the best match first.

    A word that few tools have counts more than one that many have. A tool whose name is in the text
    comes before all others.

    Args:
        tools: The texts of the tools.
        words: Any text: a query, or a person's goal.
        most: The number of tools.
    """
    wanted = {*_stems(words)}
    weights = [_weights(tool) for tool in tools]
    having = Counter(stem for each in weights for stem in each)
    scores = [
        sum(
            weight * log(1 + len(tools) / having[stem])
            for stem, weight in each.items()
            if stem in wanted
        )
        + (1_000.0 if _names(words, tool.name) else 0.0)
        for tool, each in zip(tools, weights, strict=True)
    ]
    ranked = sorted(range(len(tools)), key=lambda index: (-scores[index], index))
    return [index for index in ranked[:most] if scores[index] > 0]


def _names(words: str, name: str) -> bool:
    text = words[:_LONGEST]
    # An expression for each tool would take longer than all else here.
    return (
        len(name) > 3 and name in text and bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))
    )


def _weights(tool: ToolTexts) -> dict[str, float]:
    """Return the stems of a tool with their weights; one that is at two places counts once."""
    places: list[tuple[float, Iterable[str]]] = [
        (_NAME, (tool.name,)),
        (_TITLE, (tool.title,)),
        (_DESCRIPTION, (tool.description,)),
        (_PARAMETER, tool.parameters),
    ]
    found: dict[str, float] = {}
    for weight, texts in places:
        for text in texts:
            for stem in _stems(text):
                found.setdefault(stem, weight)
    return found


def _stems(text: str) -> Collection[str]:
    words = _WORD.findall(_HUMP.sub(" ", text[:_LONGEST]))
    return {word.casefold()[:_STEM] for word in words if len(word) > 2 or word.isdecimal()}
