"""What a page shows in the words that a person sees on it, without the marks of its elements."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from webagent.agent.deterministic.words import words_of

_QUOTED: Final = r'"([^"\n]{0,2000})"'
_MARK: Final = re.compile(
    rf"(?<!\\)\[\d{{1,9}}\] ([\w-]{{1,40}})(?: {_QUOTED}| to \S{{1,90}})?"
    rf"(?: \([a-z, ]{{1,80}}\))?(?: = {_QUOTED})?(?: \{{[^}}\n]{{0,1000}}\}})?"
)
_LEAD: Final = re.compile(r"^\s*(?:#{1,6} |- |\d{1,3}\. )?")
_DEEPEST = 8
_MOST_LINES = 12
_LONGEST_LINE = 300


def read_out(line: str) -> str:
    """Return a line of a page without its marks; empty if it has nothing but controls.

    The name of a link stays where the line says something else too.
    """
    if not _said(_MARK.sub(" ", line)):
        return ""
    plain = _MARK.sub(lambda mark: _name(mark) if mark[1] == "link" else " ", line)
    return " ".join(_LEAD.sub("", plain).replace("\\[", "[").split())[:_LONGEST_LINE]


def unmarked(text: str) -> str:
    """Return a sentence with the names of elements in the place of their marks."""
    marked = re.compile(f"`?{_MARK.pattern}`?")
    return marked.sub(lambda mark: f"“{_name(mark)}”" if _name(mark) else "it", text)


def lines_of(tree: Any, about: Collection[str]) -> list[str]:
    """Return the names in an outline: those that share words with a question, or else all.

    Args:
        tree: What an action of the page gave.
        about: Stems of what the question is about; empty where all is wanted.
    """
    found = list(dict.fromkeys(_names_in(tree)))
    if about:
        found = [line for line in found if {word.stem for word in words_of(line)} & {*about}]
    return found[:_MOST_LINES]


def _names_in(tree: Any, depth: int = 0) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(tree, list):
        for inner in tree[:200]:
            yield from _names_in(inner, depth)
    elif isinstance(tree, Mapping):
        for key in ("heading", "text", "name", "title", "code"):
            if isinstance(tree.get(key), str) and (line := read_out(tree[key])):
                yield line
                break
        for inner in tree.values():
            if isinstance(inner, list | Mapping):
                yield from _names_in(inner, depth + 1)


def _name(mark: re.Match[str]) -> str:
    return mark[2] or ""


def _said(text: str) -> bool:
    return any(not word.is_sign for word in words_of(_LEAD.sub("", text)))
