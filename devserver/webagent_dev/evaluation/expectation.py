"""What a case expects: calls of tools, in order or not, each of them perhaps optional."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias


class Unset(Enum):
    """Stands where a file says nothing, since `null` says something."""

    UNSET = "unset"


UNSET = Unset.UNSET


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One call."""

    name: str
    arguments: Any = None
    """Values and constraints by name; None if any arguments will do."""
    result: Any = UNSET
    """Value or constraint of what the tool gives, if that counts too."""
    mock: Any = UNSET
    """What the tool gives where there is no page."""
    optional: bool = False
    """Whether it may be left out."""


@dataclass(frozen=True, slots=True)
class Group:
    """Calls and groups, one after the other or in any order; a group inside stays together."""

    ordered: bool
    nodes: tuple[Node, ...]


Node: TypeAlias = ExpectedCall | Group


def calls_in(nodes: Sequence[Node]) -> Iterator[ExpectedCall]:
    """Yield all calls, as they are written."""
    for node in nodes:
        if isinstance(node, ExpectedCall):
            yield node
        else:
            yield from calls_in(node.nodes)
