"""The comparison with the fewest differences, for runs that do not agree."""

from __future__ import annotations

from collections.abc import Sequence

from webagent_dev.evals.comparison import Row, Table, Way
from webagent_dev.evals.constraints import Difference
from webagent_dev.evaluation.expectation import ExpectedCall, Group, Node, calls_in
from webagent_dev.evaluation.pairing import paired

_MOST_TRIED = 20
"""Calls in any order for which each number of calls that were made is tried."""
_MOST_BETWEEN = 5
"""Calls that nobody expected, among those in any order."""
_MISSING = 1.0
_UNEXPECTED = 1.0
_DIFFERENT = 0.9
"""What it costs to take a call for one of the same name whose arguments differ, at most."""


class Nearest:
    """Finds the comparison with the fewest differences, for runs that do not agree.

    Groups of groups in any order are compared as they are written.
    """

    def __init__(self, table: Table) -> None:
        """Look the calls up in a table."""
        self._table = table

    def rows(self, root: Group) -> list[Row]:
        """Return the comparison of all calls."""
        last = len(self._table.made)
        reached = self._after(root, {0: (0.0, ())})
        cost_of = {end: cost + _UNEXPECTED * (last - end) for end, (cost, _) in reached.items()}
        end = min(cost_of, key=lambda place: (cost_of[place], place))
        rest = tuple(self._unexpected(index) for index in range(end, last))
        return [*reached[end][1], *rest]

    def _after(
        self, node: Node, reached: dict[int, tuple[float, Way]]
    ) -> dict[int, tuple[float, Way]]:
        """Return what it costs at least to be at each place behind a node."""
        if isinstance(node, ExpectedCall):
            return self._after_call(node, reached)
        if node.ordered or any(isinstance(inner, Group) for inner in node.nodes):
            for inner in node.nodes:
                reached = self._after(inner, reached)
            return reached
        return self._after_any_order([*calls_in(node.nodes)], reached)

    def _after_call(
        self, call: ExpectedCall, reached: dict[int, tuple[float, Way]]
    ) -> dict[int, tuple[float, Way]]:
        further: dict[int, tuple[float, Way]] = {}
        best: tuple[float, Way] | None = None
        for place in range(len(self._table.made) + 1):
            here = reached.get(place)
            if best is not None:
                # The call before was one that nobody expected.
                best = (best[0] + _UNEXPECTED, (*best[1], self._unexpected(place - 1)))
            if here is not None and (best is None or here[0] <= best[0]):
                best = here
            if best is None:
                continue
            lacking: Way = () if call.optional else (Row(call, None, "missing"),)
            cost = 0.0 if call.optional else _MISSING
            if here is not None:
                _keep(further, place, here[0] + cost, here[1] + lacking)
            if place < len(self._table.made):
                found = self._table.differences(call, place)
                if found is not None:
                    row = self._table.row(call, place)
                    _keep(further, place + 1, best[0] + _price(found), (*best[1], row))
        return further

    def _after_any_order(
        self, leaves: Sequence[ExpectedCall], reached: dict[int, tuple[float, Way]]
    ) -> dict[int, tuple[float, Way]]:
        further: dict[int, tuple[float, Way]] = {}
        last = len(self._table.made)
        for start, (cost, way) in reached.items():
            shortest = start if len(leaves) <= _MOST_TRIED else min(start + len(leaves), last)
            for end in range(shortest, min(last, start + len(leaves) + _MOST_BETWEEN) + 1):
                more, rows = self._window(leaves, start, end)
                _keep(further, end, cost + more, way + rows)
        return further

    def _window(self, leaves: Sequence[ExpectedCall], start: int, end: int) -> tuple[float, Way]:
        """Compare some calls in a row with calls in any order."""
        table, window = self._table, range(start, end)
        exact = paired(
            [[i for i in window if table.agrees(leaf, i)] for leaf in leaves],
            [not leaf.optional for leaf in leaves],
        )
        left = {n: leaf for n, leaf in enumerate(leaves) if n not in exact}
        used = set(exact.values())
        by_call = {call: table.row(leaves[n], call) for n, call in exact.items()}
        cost = 0.0
        for call in window:
            if call in used:
                continue
            near = [n for n, leaf in left.items() if table.differences(leaf, call) is not None]
            if near:
                leaf = left.pop(near[0])
                cost += _price(table.differences(leaf, call) or [])
                by_call[call] = table.row(leaf, call)
            else:
                cost += _UNEXPECTED
                by_call[call] = self._unexpected(call)
        missing = tuple(Row(leaf, None, "missing") for leaf in left.values() if not leaf.optional)
        rows = tuple(by_call[call] for call in window)
        return cost + _MISSING * len(missing), rows + missing

    def _unexpected(self, index: int) -> Row:
        return Row(None, self._table.made[index], "not expected")


def _price(found: Sequence[Difference]) -> float:
    """Return what differences cost: the more, the more, but never as much as two other calls."""
    return 0.0 if not found else _DIFFERENT + min(len(found), 50) / 100


def _keep(found: dict[int, tuple[float, Way]], place: int, cost: float, way: Way) -> None:
    if place not in found or cost < found[place][0]:
        found[place] = (cost, way)
