"""One expected call beside one that was made: where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webagent_dev.evals.constraints import Difference, differences
from webagent_dev.evaluation.expectation import UNSET, ExpectedCall
from webagent_dev.evaluation.made_call import MadeCall

Verdict = Literal["agrees", "differs", "out of order", "missing", "not expected"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the comparison."""

    expected: ExpectedCall | None
    made: MadeCall | None
    verdict: Verdict
    differences: tuple[Difference, ...] = ()


Way = tuple[Row, ...]
"""Some rows of a comparison, one after the other."""


def call_differences(expected: ExpectedCall, made: MadeCall) -> list[Difference]:
    """Return where a call of the right name is not what is expected of it."""
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
            found += differences(expected.result, made.value, "result")
    return found


class Table:
    """Which call is what an expected one wants, worked out once.

    Attributes:
        made: The calls of a run.
    """

    def __init__(self, made: Sequence[MadeCall]) -> None:
        """Look at the calls of a run."""
        self.made = made
        self._known: dict[tuple[int, int], list[Difference] | None] = {}

    def differences(self, expected: ExpectedCall, index: int) -> list[Difference] | None:
        """Return where they differ; None if it is another tool altogether."""
        key = (id(expected), index)
        if key not in self._known:
            made = self.made[index]
            same = expected.name == made.name
            self._known[key] = call_differences(expected, made) if same else None
        return self._known[key]

    def agrees(self, expected: ExpectedCall, index: int) -> bool:
        """Whether a call is what was expected."""
        return self.differences(expected, index) == []

    def row(self, expected: ExpectedCall, index: int) -> Row:
        """Return the two beside one another."""
        found = self.differences(expected, index) or []
        verdict: Verdict = "differs" if found else "agrees"
        return Row(expected, self.made[index], verdict, tuple(found))
