"""Compares the calls of a run with those that its case expects.

`compare` first looks for a way in which all agree (`ExactComparison`). If there is none, it returns
the comparison with the fewest differences (`ClosestComparison`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from webagent.json_text import read_json
from webagent_dev.evals.case import UNSET, ActualCall, ExpectedCall, Group, Node, calls_in
from webagent_dev.evals.constraints import Difference, differences

Verdict = Literal["agrees", "differs", "out of order", "missing", "not expected"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the comparison."""

    expected: ExpectedCall | None
    actual: ActualCall | None
    verdict: Verdict
    differences: tuple[Difference, ...] = ()


Way = tuple[Row, ...]
"""Some rows of a comparison, one after the other."""

MOST_COMPARED = 200
"""Calls of one run that are compared; an agent that makes more is lost anyway."""


def compare(expected: Sequence[Node], made: Sequence[ActualCall]) -> list[Row]:
    """Return the comparison; all is well when each row agrees.

    Args:
        expected: What a case expects.
        made: The calls of a run, in order.

    Raises:
        TooManyOrders: The groups cannot be followed.
    """
    calls = list(made[:MOST_COMPARED])
    over = [Row(None, call, "not expected") for call in made[MOST_COMPARED:]]
    root = Group(True, tuple(expected))
    table = CallTable(calls)
    whole = ExactComparison(table).ways(root, 0).get(len(calls))
    if whole is not None and not over:
        return [*whole]
    return [*_moved(ClosestComparison(table).rows(root)), *over]


def _moved(rows: Sequence[Row]) -> list[Row]:
    """Return rows in which a call that is missing here and made there is one, out of order."""
    missing = [row.expected for row in rows if row.expected is not None and row.actual is None]
    found: list[Row] = []
    moved: list[ExpectedCall] = []
    for row in rows:
        made = row.actual
        if row.expected is None and made is not None:
            same = (one for one in missing if one.name == made.name)
            expected = next((one for one in same if not call_differences(one, made)), None)
            if expected is not None:
                missing.remove(expected)
                moved.append(expected)
                found.append(Row(expected, made, "out of order"))
                continue
        found.append(row)
    gone = {id(expected) for expected in moved}
    return [row for row in found if row.actual is not None or id(row.expected) not in gone]


def call_differences(expected: ExpectedCall, made: ActualCall) -> list[Difference]:
    """Return the differences between calls of one name."""
    if made.refused and made.error:
        return [Difference("", "a call that can be made", f"refused: {made.error['message']}")]
    found = []
    if expected.arguments is not None:
        found += differences(expected.arguments, dict(made.arguments))
    if expected.result is not UNSET and not (made.mocked and expected.mock is UNSET):
        said = f"failed: {made.error['message']}" if made.error else ""
        if said:
            found.append(Difference("result", "what a call gives", said))
        else:
            read = [differences(expected.result, value, "result") for value in _readings(made)]
            # The first of the fewest: the result as it is, where it makes no difference.
            fewest = min(read, key=len)
            found += fewest
    return found


def _readings(made: ActualCall) -> Iterator[Any]:
    """Yield the result of a call, and what WebMCP's own tool would read in it."""
    yield made.value
    value = made.value
    if isinstance(value, str):
        with suppress(ValueError):
            yield (value := read_json(value))
    content = value.get("content") if isinstance(value, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    if isinstance(first, dict) and isinstance(first.get("text"), str):
        yield first["text"]


class CallTable:
    """The differences between expected and actual calls, worked out once.

    Attributes:
        calls: The calls of a run.
    """

    def __init__(self, made: Sequence[ActualCall]) -> None:
        """Look at the calls of a run."""
        self.calls = made
        self._known: dict[tuple[int, int], list[Difference] | None] = {}

    def differences(self, expected: ExpectedCall, index: int) -> list[Difference] | None:
        """Return where they differ; None if it is another tool altogether."""
        key = (id(expected), index)
        if key not in self._known:
            made = self.calls[index]
            same = expected.name == made.name
            self._known[key] = call_differences(expected, made) if same else None
        return self._known[key]

    def agrees(self, expected: ExpectedCall, index: int) -> bool:
        """Whether a call is what was expected."""
        return self.differences(expected, index) == []

    def row(self, expected: ExpectedCall, index: int) -> Row:
        """Return the row of the two."""
        found = self.differences(expected, index) or []
        verdict: Verdict = "differs" if found else "agrees"
        return Row(expected, self.calls[index], verdict, tuple(found))


_MOST_WAYS = 50_000
"""Steps through groups in any order that are taken."""


class TooManyOrders(Exception):
    """Nested groups in any order allow too many orders to follow."""


class ExactComparison:
    """Finds every number of calls that a node accounts for, without any difference."""

    def __init__(self, table: CallTable) -> None:
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
            if start < len(self._table.calls) and self._table.agrees(node, start):
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
        most = min(len(leaves), len(self._table.calls) - start)
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
                        raise TooManyOrders
            reached = further
        return {end: way for (_, end), way in reached.items()}


_MOST_TRIED = 20
"""Calls in any order for which each number of calls that were made is tried."""

_MOST_BETWEEN = 5
"""Calls that nobody expected, among those in any order."""

_MISSING = 1.0

_UNEXPECTED = 1.0

_DIFFERENT = 0.9
"""The least cost of pairing calls of one name whose arguments differ."""


class ClosestComparison:
    """Finds the comparison with the fewest differences, for runs that do not agree.

    Groups of groups in any order are compared as they are written.
    """

    def __init__(self, table: CallTable) -> None:
        """Look the calls up in a table."""
        self._table = table

    def rows(self, root: Group) -> list[Row]:
        """Return the comparison of all calls."""
        last = len(self._table.calls)
        reached = self._after(root, {0: (0.0, ())})
        cost_of = {end: cost + _UNEXPECTED * (last - end) for end, (cost, _) in reached.items()}
        end = min(cost_of, key=lambda place: (cost_of[place], place))
        rest = tuple(self._unexpected(index) for index in range(end, last))
        return [*reached[end][1], *rest]

    def _after(
        self, node: Node, reached: dict[int, tuple[float, Way]]
    ) -> dict[int, tuple[float, Way]]:
        """Return the least cost of being at each place after a node."""
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
        for place in range(len(self._table.calls) + 1):
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
            if place < len(self._table.calls):
                found = self._table.differences(call, place)
                if found is not None:
                    row = self._table.row(call, place)
                    _keep(further, place + 1, best[0] + _price(found), (*best[1], row))
        return further

    def _after_any_order(
        self, leaves: Sequence[ExpectedCall], reached: dict[int, tuple[float, Way]]
    ) -> dict[int, tuple[float, Way]]:
        further: dict[int, tuple[float, Way]] = {}
        last = len(self._table.calls)
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
        return Row(None, self._table.calls[index], "not expected")


def _price(found: Sequence[Difference]) -> float:
    """Return what differences cost: the more, the more, but never as much as two other calls."""
    return 0.0 if not found else _DIFFERENT + min(len(found), 50) / 100


def _keep(found: dict[int, tuple[float, Way]], place: int, cost: float, way: Way) -> None:
    if place not in found or cost < found[place][0]:
        found[place] = (cost, way)


def paired(fitting: Sequence[Sequence[int]], needed: Sequence[bool]) -> dict[int, int]:
    """Return a largest set of pairs (a maximum matching), as the partner of each.

    The needed ones are paired first. Later pairs may change a partner, but never take it away
    (augmenting paths).

    Args:
        fitting: For each, the partners that fit.
        needed: Which of them count more.
    """
    partner_of: dict[int, int] = {}

    def pair(one: int) -> bool:
        """Find a partner for one, moving others from partner to partner."""
        came_from: dict[int, int] = {}
        queue = [one]
        for current in queue:
            for other in fitting[current]:
                if other in came_from:
                    continue
                came_from[other] = current
                if other in partner_of:
                    queue.append(partner_of[other])
                    continue
                while True:
                    owner = came_from[other]
                    before = next((o for o, p in partner_of.items() if p == owner), None)
                    partner_of[other] = owner
                    if before is None:
                        return True
                    other = before
        return False

    for important in (True, False):
        for one, need in enumerate(needed):
            if need is important:
                pair(one)
    return {one: other for other, one in partner_of.items()}
