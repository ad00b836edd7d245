"""An engine for JavaScript's regular expressions, in linear time.

A pattern is read into a tree, which becomes an automaton. Python's `re` can take exponential time,
and patterns come from manifests that strangers write. Look-around has an automaton of its own, whose
matches are found for the whole text first. Back references and Unicode property classes are not
supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NoReturn, TypeAlias

MAX_PATTERN = 1_000
"""Most characters of a pattern that is read."""

_MAX_TEXT = 20_000
"""Most characters of a text that is searched."""

_MAX_DEPTH = 30
"""Most levels of groups that are read."""

_MAX_STATES = 2_000
"""Most states of an automaton. `(a{100}){100}` would have ten thousand."""

_MAX_LOOKS = 20
"""Most look-aheads and look-behinds of a pattern; each goes through the text once."""

_MAX_CACHED = 2_000
"""Most steps of an automaton that are cached."""

_MOST_FOLDED = 2_000
"""Most characters of a range that are folded one by one.

Of a larger range only the ASCII letters are folded; the other case of most letters is in it as well.
"""

LAST = 0x10FFFF
"""The last code point."""

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of code points, each with its first and last."""

Place: TypeAlias = Literal["start", "end", "boundary", "inside"]
"""A place between characters: `^`, `$`, `\\b` or `\\B`."""

_DIGIT: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))

_SPACE: Ranges = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)

LINE_ENDS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_ALL: Ranges = ((0, LAST),)
_EDGES: dict[str, Place] = {"^": "start", "$": "end"}
_BOUNDARIES: dict[str, Place] = {"b": "boundary", "B": "inside"}
_SETS = {"d": _DIGIT, "w": WORD, "s": _SPACE}
_LETTERS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}
_QUANTIFIER = re.compile(r"(?:([*+?])|\{([0-9]{1,6})(?:(,)([0-9]{1,6})?)?\})\??")
_CODE = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
_LOOK = re.compile(r"\(\?(<?)([=!])")
_GROUP = re.compile(r"\((?:\?:|\?<[A-Za-z_$][\w$]*>|(?!\?))")


def found(pattern: str, text: str, flags: str = "") -> bool | None:
    """Return whether a pattern matches somewhere in a text, or None if that cannot be decided.

    It cannot for unsupported patterns and for long texts.

    Args:
        pattern: A regular expression of JavaScript, as JSON Schema has it.
        text: The text.
        flags: Any of `i` (any case), `m` (`^` and `$` at each line) and `s` (`.` is any character).
    """
    automaton = _automaton(pattern, flags)
    return None if automaton is None or len(text) > _MAX_TEXT else automaton.found(text)


def is_readable(pattern: str, flags: str = "") -> bool:
    """Whether a pattern is supported."""
    return _automaton(pattern, flags) is not None


@lru_cache(maxsize=64)
def _automaton(pattern: str, flags: str) -> _Automaton | None:
    try:
        return _Automaton(read_regex(pattern, flags), by_line="m" in flags)
    except Unsupported:
        return None


class Unsupported(Exception):
    """A text is not a regular expression, or uses unsupported syntax."""


@dataclass(frozen=True, slots=True)
class One:
    """One character of a set."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Edge:
    """A place between two characters."""

    place: Place


@dataclass(frozen=True, slots=True)
class Look:
    """A place where a node matches, or does not, from there on or up to there."""

    node: Node
    ahead: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Row:
    """Several nodes, one after another."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several nodes."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A node several times. `most` is None if there is no limit."""

    node: Node
    fewest: int
    most: int | None


Node: TypeAlias = One | Edge | Look | Row | Choice | Repeat


def read_regex(pattern: str, flags: str = "") -> Node:
    """Return the tree of a pattern.

    Args:
        pattern: A regular expression.
        flags: Any of `i` and `s`. The tree does not depend on `m`.

    Raises:
        Unsupported: It cannot be read.
    """
    if len(pattern) > MAX_PATTERN:
        raise Unsupported("too long")
    reader = _Reader(pattern, flags)
    node = reader.choice(0)
    if reader.at < len(pattern):
        raise Unsupported("`)` closes nothing")
    return node


class _Reader:
    """Reads a pattern by recursive descent; `at` is the index of the next character."""

    def __init__(self, text: str, flags: str) -> None:
        self.text = text
        self.at = 0
        self.any_case = "i" in flags
        self.dot = _ALL if "s" in flags else complement(LINE_ENDS)

    def fail(self) -> NoReturn:
        raise Unsupported(f"character {self.at}")

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def choice(self, depth: int) -> Node:
        """Read rows separated by `|`."""
        if depth > _MAX_DEPTH:
            self.fail()
        rows = [self.row(depth)]
        while self.peek() == "|":
            self.at += 1
            rows.append(self.row(depth))
        return rows[0] if len(rows) == 1 else Choice(tuple(rows))

    def row(self, depth: int) -> Node:
        """Read atoms with their quantifiers, up to `|` or `)`."""
        nodes = []
        while self.peek() not in ("", "|", ")"):
            nodes.append(self.quantify(self.atom(depth)))
        return nodes[0] if len(nodes) == 1 else Row(tuple(nodes))

    def quantify(self, node: Node) -> Node:
        """Read the quantifier after a node, if there is one, and return the node with it."""
        # A lazy `?` after it does not matter: only whether there is a match is asked.
        match = _QUANTIFIER.match(self.text, self.at)
        if match is None:
            return node
        if isinstance(node, Edge | Look):
            self.fail()
        self.at = match.end()
        if match[1]:
            return Repeat(node, int(match[1] == "+"), 1 if match[1] == "?" else None)
        fewest = int(match[2])
        most = fewest if match[3] is None else int(match[4]) if match[4] else None
        if most is not None and most < fewest:
            self.fail()
        return Repeat(node, fewest, most)

    def atom(self, depth: int) -> Node:
        """Read a group, set, escape or character."""
        char = self.peek()
        if char == "(":
            look = _LOOK.match(self.text, self.at)
            match = look or _GROUP.match(self.text, self.at)
            if match is None:
                self.fail()
            self.at = match.end()
            node = self.choice(depth + 1)
            if self.peek() != ")":
                self.fail()
            self.at += 1
            return Look(node, not look[1], look[2] == "!") if look else node
        if char in "*+?" or _QUANTIFIER.match(self.text, self.at):
            self.fail()
        self.at += 1
        if char == "\\":
            if place := _BOUNDARIES.get(self.peek()):
                self.at += 1
                return Edge(place)
            return One(self.fold_case(self.escape()))
        if char == "[":
            return One(self.set())
        if char in _EDGES:
            return Edge(_EDGES[char])
        return One(self.dot if char == "." else self.fold_case(((ord(char), ord(char)),)))

    def fold_case(self, ranges: Ranges) -> Ranges:
        """Return ranges with both cases of their letters, if the flags say so."""
        return _both_cases(ranges) if self.any_case else ranges

    def escape(self) -> Ranges:
        """Read an escape, after its backslash."""
        char = self.peek()
        self.at += 1
        if char.lower() in _SETS and char:
            ranges = _SETS[char.lower()]
            return ranges if char.islower() else complement(ranges)
        match = _CODE.match(self.text, self.at - 1)
        if match:
            self.at = match.end()
            code = int(match[1] or match[2] or match[3], 16)
            # Half of a surrogate pair: Python's texts have whole code points.
            if code > LAST or 0xD800 <= code <= 0xDFFF:
                self.fail()
        # `\0` with a digit after it is an octal escape, which the `u` flag forbids.
        elif char in _LETTERS and not (char == "0" and self.peek().isdigit()):
            code = _LETTERS[char]
        elif not char or char.isalnum() or char == "_":
            self.fail()
        else:
            code = ord(char)
        return ((code, code),)

    def set(self) -> Ranges:
        """Read a set of characters, after its `[` and up to its `]`."""
        negated = self.peek() == "^"
        self.at += negated
        ranges: list[tuple[int, int]] = []
        while self.peek() != "]":
            first = self.member()
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                last = self.member()
                low, high = first[0][0], last[0][1]
                if len(first) > 1 or len(last) > 1 or first[0][1] != low or high < low:
                    self.fail()
                ranges.append((low, high))
            else:
                ranges += first
        self.at += 1
        members = self.fold_case(tuple(ranges))
        return complement(members) if negated else members

    def member(self) -> Ranges:
        """Read one member of a set: a character or an escape."""
        char = self.peek()
        if not char:
            self.fail()
        self.at += 1
        if char != "\\":
            return ((ord(char), ord(char)),)
        # In a set `\b` is a backspace.
        if self.peek() == "b":
            self.at += 1
            return ((8, 8),)
        return self.escape()


def complement(ranges: Ranges) -> Ranges:
    """Return all code points that are in none of the ranges."""
    found, start = [], 0
    for low, high in sorted(ranges):
        if low > start:
            found.append((start, low - 1))
        start = max(start, high + 1)
    return (*found, (start, LAST)) if start <= LAST else tuple(found)


def _both_cases(ranges: Ranges) -> Ranges:
    """Return ranges with both cases of their letters."""
    found = [*ranges]
    for low, high in ranges:
        if high - low < _MOST_FOLDED:
            other = (chr(code).swapcase() for code in range(low, high + 1))
            # The other case of `ß` is two letters, which one character cannot match.
            found += [(ord(char), ord(char)) for char in other if len(char) == 1]
        elif low <= 0x7A:
            found += [(0x41, 0x5A), (0x61, 0x7A)]
    return tuple(found)


_DONE = 0
_NOTHING: tuple[Ranges, int] = ((), _DONE)
_States: TypeAlias = frozenset[int]
_Places: TypeAlias = frozenset[Place | int]
"""Kinds of a place, and the numbers of the look-arounds that hold there."""


class _Automaton:
    """A nondeterministic automaton, which follows all ways through a text at once.

    States are numbers. A state reads a character, tests an edge, or leads to other states.
    """

    def __init__(self, node: Node, *, by_line: bool = False) -> None:
        self.by_line = by_line
        self.reads: dict[int, tuple[Ranges, int]] = {}
        self.edges: dict[int, tuple[Place | int, int]] = {}
        self.looks: list[tuple[Look, _Automaton]] = []
        self.ways: dict[int, list[int]] = {}
        self.states = 1
        self.start = self.add(node, _DONE)
        self.cache: dict[tuple[_States, str, _Places], _States] = {}

    def new(self) -> int:
        """Return the number of a new state."""
        self.states += 1
        if self.states > _MAX_STATES:
            raise Unsupported("too many states")
        return self.states - 1

    def add(self, node: Node, then: int) -> int:
        """Add the states of a node, and return the first one.

        Args:
            node: The node.
            then: The state after the node.
        """
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
        elif isinstance(node, Look):
            self.edges[state] = self.look(node), then
        else:
            self.ways[state] = [self.add(inner, then) for inner in node.nodes]
        return state

    def repeat(self, node: Repeat, then: int) -> int:
        """Add the states of a repetition, and return the first one."""
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
            # Counted even if the node is empty, so that `(){999999}` ends.
            self.new()
        return then

    def look(self, node: Look) -> int:
        """Add the automaton of a look-around, and return its number."""
        # A match that begins at a place ends there when the text is read backwards.
        inner = _reversed(node.node) if node.ahead else node.node
        automaton = _Automaton(inner, by_line=self.by_line)
        self.states += automaton.states
        self.looks.append((node, automaton))
        if len(self.looks) > _MAX_LOOKS or self.states > _MAX_STATES:
            raise Unsupported("too many states")
        return len(self.looks) - 1

    def found(self, text: str) -> bool:
        """Whether there is a match anywhere in a text."""
        return any(self.ends(text))

    def ends(self, text: str, *, backward: bool = False) -> Iterator[bool]:
        """Yield for each place of a text whether a match ends there.

        Args:
            text: The text.
            backward: Whether it is read from its end; the last place comes first.
        """
        looks = [
            [holds != look.negated for holds in automaton.held(text, look)]
            for look, automaton in self.looks
        ]
        states: _States | None = None
        last = len(text)
        for index in range(last, -1, -1) if backward else range(last + 1):
            places = self.places(text[max(index - 1, 0) : index], text[index : index + 1])
            if looks:
                places |= {number for number, held in enumerate(looks) if held[index]}
            if states is None:
                states = self.closure([self.start], places)
            else:
                states = self.after(states, text[index if backward else index - 1], places)
            yield _DONE in states

    def held(self, text: str, look: Look) -> list[bool]:
        """Return for each place of a text, in order, whether the node of a look matches there."""
        found = [*self.ends(text, backward=look.ahead)]
        return found[::-1] if look.ahead else found

    def places(self, before: str, after: str) -> _Places:
        """Return the kinds of the place between two characters; empty texts for the ends."""
        found: set[Place | int] = set()
        if not before or (self.by_line and _holds(LINE_ENDS, before)):
            found.add("start")
        if not after or (self.by_line and _holds(LINE_ENDS, after)):
            found.add("end")
        found.add("inside" if _holds(WORD, before) == _holds(WORD, after) else "boundary")
        return frozenset(found)

    def after(self, states: _States, char: str, places: _Places) -> _States:
        """Return the states after a character, with those of a match that starts here."""
        key = (states, char, places)
        found = self.cache.get(key)
        if found is None:
            if len(self.cache) >= _MAX_CACHED:
                self.cache.clear()
            reached = [*self.step(states, char), self.start]
            found = self.cache[key] = self.closure(reached, places)
        return found

    def closure(self, states: list[int], places: _Places) -> _States:
        """Return states with all that can be reached from them without a character."""
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
        """Yield the states directly after a character."""
        code = ord(char)
        for state in states:
            ranges, then = self.reads.get(state, _NOTHING)
            if any(low <= code <= high for low, high in ranges):
                yield then


def _reversed(node: Node) -> Node:
    """Return the node that matches the same texts read backwards."""
    match node:
        case Row(nodes):
            return Row(tuple(_reversed(inner) for inner in reversed(nodes)))
        case Choice(nodes):
            return Choice(tuple(map(_reversed, nodes)))
        case Repeat(inner, fewest, most):
            return Repeat(_reversed(inner), fewest, most)
    return node


def _holds(ranges: Ranges, char: str) -> bool:
    """Whether a character is in one of the ranges. An empty text is not."""
    return bool(char) and any(low <= ord(char) <= high for low, high in ranges)
