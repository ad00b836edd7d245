"""Whether a pattern is found in a text, in time linear in the text, whatever the pattern.

A pattern becomes an automaton that follows all ways through it at once, so that nothing is ever
tried twice. The sets of states it has been in are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from webagent.schema.regex import (
    LINE_ENDS,
    WORD,
    Edge,
    Node,
    One,
    Place,
    Ranges,
    Repeat,
    Row,
    Unsupported,
    read_regex,
)

_MOST_STATES = 2_000
_MOST_KEPT = 2_000
"""Steps that are remembered."""
_LONGEST = 20_000
"""Length, in characters, of a text that is looked at."""
_DONE = 0
_NOTHING: tuple[Ranges, int] = ((), _DONE)

_States: TypeAlias = frozenset[int]
_Places: TypeAlias = frozenset[Place]


def found(pattern: str, text: str, flags: str = "") -> bool | None:
    """Return whether a pattern matches somewhere in a text; None if that cannot be known.

    Args:
        pattern: A regular expression of JavaScript, as JSON Schema has it.
        text: What to look through.
        flags: Of `i` (any case), `m` (`^` and `$` at each line) and `s` (`.` is any character),
            those that it has.
    """
    automaton = _automaton(pattern, flags)
    return None if automaton is None or len(text) > _LONGEST else automaton.found(text)


def is_readable(pattern: str, flags: str = "") -> bool:
    """Whether a pattern is understood here."""
    return _automaton(pattern, flags) is not None


@lru_cache(maxsize=64)
def _automaton(pattern: str, flags: str) -> _Automaton | None:
    try:
        return _Automaton(read_regex(pattern, flags), by_line="m" in flags)
    except Unsupported:
        return None


def _holds(ranges: Ranges, char: str) -> bool:
    """Whether a character is in one of the ranges; the lack of one is in none."""
    return bool(char) and any(low <= ord(char) <= high for low, high in ranges)


class _Automaton:
    """States by number. A state reads a character, stands at an edge, or goes on to others."""

    def __init__(self, node: Node, *, by_line: bool = False) -> None:
        self.by_line = by_line
        self.reads: dict[int, tuple[Ranges, int]] = {}
        self.edges: dict[int, tuple[Place, int]] = {}
        self.ways: dict[int, list[int]] = {}
        self.states = 1
        self.start = self.add(node, _DONE)
        self.kept: dict[tuple[_States, str, _Places], _States] = {}

    def new(self) -> int:
        self.states += 1
        if self.states > _MOST_STATES:
            raise Unsupported("too many states")
        return self.states - 1

    def add(self, node: Node, then: int) -> int:
        """Add the states of a node that goes on to a state, and return its first one."""
        if isinstance(node, Row):
            for inner in reversed(node.nodes):
                then = self.add(inner, then)
            return then
        if isinstance(node, Repeat):
            return self.repeat(node, then)
        state = self.new()
        if isinstance(node, One):
            self.reads[state] = node.ranges, then
        elif isinstance(node, Edge):
            self.edges[state] = node.place, then
        else:
            self.ways[state] = [self.add(inner, then) for inner in node.nodes]
        return state

    def repeat(self, node: Repeat, then: int) -> int:
        if node.most is None:
            loop = self.new()
            self.ways[loop] = [then]
            self.ways[loop].append(self.add(node.node, loop))
            then = loop
        else:
            end = then
            for _ in range(node.most - node.fewest):
                state = self.new()
                self.ways[state] = [end, self.add(node.node, then)]
                then = state
        for _ in range(node.fewest):
            then = self.add(node.node, then)
            self.new()
        return then

    def found(self, text: str) -> bool:
        states = self.closure([self.start], self.places("", text[:1]))
        for index, char in enumerate(text, 1):
            if _DONE in states:
                return True
            states = self.after(states, char, self.places(char, text[index : index + 1]))
        return _DONE in states

    def places(self, before: str, after: str) -> _Places:
        """Return what the place between two characters is; an end of the text has none there."""
        found: set[Place] = set()
        if not before or (self.by_line and _holds(LINE_ENDS, before)):
            found.add("start")
        if not after or (self.by_line and _holds(LINE_ENDS, after)):
            found.add("end")
        found.add("inside" if _holds(WORD, before) == _holds(WORD, after) else "boundary")
        return frozenset(found)

    def after(self, states: _States, char: str, places: _Places) -> _States:
        """Return the states behind a character, where a new match may start too."""
        key = (states, char, places)
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) >= _MOST_KEPT:
                self.kept.clear()
            begun = [*self.step(states, char), self.start]
            found = self.kept[key] = self.closure(begun, places)
        return found

    def closure(self, states: list[int], places: _Places) -> _States:
        """Return the states that are reached without a character."""
        reached: set[int] = set()
        while states:
            state = states.pop()
            if state in reached:
                continue
            reached.add(state)
            states.extend(self.ways.get(state, ()))
            if state in self.edges:
                place, then = self.edges[state]
                if place in places:
                    states.append(then)
        return frozenset(reached)

    def step(self, states: _States, char: str) -> Iterator[int]:
        """Yield the states right behind a character."""
        code = ord(char)
        for state in states:
            ranges, then = self.reads.get(state, _NOTHING)
            if any(low <= code <= high for low, high in ranges):
                yield then
