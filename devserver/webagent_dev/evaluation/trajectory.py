"""The calls of a run against those that a case expects."""

from __future__ import annotations

from collections.abc import Sequence

from webagent_dev.evals.comparison import Row, Table, call_differences
from webagent_dev.evaluation.agreement import Agreement
from webagent_dev.evaluation.expectation import ExpectedCall, Group, Node
from webagent_dev.evaluation.made_call import MadeCall
from webagent_dev.evaluation.nearest import Nearest

MOST_COMPARED = 200
"""Calls of one run that are compared; an agent that makes more is lost anyway."""


def compare(expected: Sequence[Node], made: Sequence[MadeCall]) -> list[Row]:
    """Return the comparison; all is well when each row agrees.

    Args:
        expected: What a case expects.
        made: The calls of a run, in order.

    Raises:
        TooTangled: The groups cannot be followed.
    """
    calls = list(made[:MOST_COMPARED])
    over = [Row(None, call, "not expected") for call in made[MOST_COMPARED:]]
    root = Group(True, tuple(expected))
    table = Table(calls)
    whole = Agreement(table).ways(root, 0).get(len(calls))
    if whole is not None and not over:
        return [*whole]
    return [*_moved(Nearest(table).rows(root)), *over]


def _moved(rows: Sequence[Row]) -> list[Row]:
    """Return rows in which a call that is missing here and made there is one, out of order."""
    missing = [row.expected for row in rows if row.expected is not None and row.made is None]
    found: list[Row] = []
    moved: list[ExpectedCall] = []
    for row in rows:
        made = row.made
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
    return [row for row in found if row.made is not None or id(row.expected) not in gone]
