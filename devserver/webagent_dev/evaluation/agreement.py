"""Whether calls are what was expected, to the last; every order that is allowed is followed.

A group's members are consecutive: what is in any order is so as wholes, not one inside the other.
Optional calls may be left out wherever that lets the rest agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from webagent_dev.evals.comparison import Table, Way
from webagent_dev.evaluation.expectation import ExpectedCall, Node
from webagent_dev.evaluation.pairing import paired

_MOST_WAYS = 50_000
"""Ways through groups in any order that are followed."""


class TooTangled(Exception):
    """Groups in any order stand inside one another so that they cannot be followed."""


class Agreement:
    """Finds every number of calls that a node accounts for, without any difference."""

    def __init__(self, table: Table) -> None:
        """Look the calls up in a table."""
        self._table = table
        self._known: dict[tuple[int, int], dict[int, Way]] = {}
        self._followed = 0

    def ways(self, node: Node, start: int) -> dict[int, Way]:
        """Return, for each place where the node may end, how."""
        key = (id(node), start)
        if key not in self._known:
            self._known[key] = self._ways(node, start)
        return self._known[key]

    def _ways(self, node: Node, start: int) -> dict[int, Way]:
        if isinstance(node, ExpectedCall):
            ends: dict[int, Way] = {start: ()} if node.optional else {}
            if start < len(self._table.made) and self._table.agrees(node, start):
                ends[start + 1] = (self._table.row(node, start),)
            return ends
        if node.ordered:
            return self._in_order(node.nodes, start)
        leaves = [inner for inner in node.nodes if isinstance(inner, ExpectedCall)]
        if len(leaves) == len(node.nodes):
            return self._any_order(leaves, start)
        return self._wholes_in_any_order(node.nodes, start)

    def _in_order(self, nodes: Sequence[Node], start: int) -> dict[int, Way]:
        ends: dict[int, Way] = {start: ()}
        for node in nodes:
            further: dict[int, Way] = {}
            for end, way in ends.items():
                for last, more in self.ways(node, end).items():
                    further.setdefault(last, way + more)
            ends = further
        return ends

    def _any_order(self, leaves: Sequence[ExpectedCall], start: int) -> dict[int, Way]:
        ends: dict[int, Way] = {}
        needed = [not leaf.optional for leaf in leaves]
        most = min(len(leaves), len(self._table.made) - start)
        for count in range(sum(needed), most + 1):
            window = range(start, start + count)
            fitting = [[i for i in window if self._table.agrees(leaf, i)] for leaf in leaves]
            pairs = paired(fitting, needed)
            lacking = any(need and i not in pairs for i, need in enumerate(needed))
            if len(pairs) == count and not lacking:
                by_call = sorted((call, leaf) for leaf, call in pairs.items())
                ends[start + count] = tuple(self._table.row(leaves[n], i) for i, n in by_call)
        return ends

    def _wholes_in_any_order(self, nodes: Sequence[Node], start: int) -> dict[int, Way]:
        """Follow each order of the nodes, those that come to the same at once."""
        reached: dict[tuple[int, int], Way] = {(0, start): ()}
        for _ in nodes:
            further: dict[tuple[int, int], Way] = {}
            for (taken, end), way in reached.items():
                for index, node in enumerate(nodes):
                    if taken & 1 << index:
                        continue
                    for last, more in self.ways(node, end).items():
                        further.setdefault((taken | 1 << index, last), way + more)
                    self._followed += 1
                    if self._followed > _MOST_WAYS:
                        raise TooTangled
            reached = further
        return {end: way for (_, end), way in reached.items()}
