"""Judges what an agent did with a goal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.goals.goals import Call, Goal, ToolSet

Verdict = Literal["right", "wrong", "asked", "short"]
"""`wrong`: a call was made that no accepted list has. `short`: some of the calls, or of the answer, is missing."""


@dataclass(frozen=True, slots=True)
class Score:
    """The verdict on one goal."""

    tool_set: str
    goal: Goal
    verdict: Verdict
    calls: Sequence[Call]
    asked: Sequence[str]
    text: str
    wrong_write: bool
    """Whether a call that nobody wanted may have changed something."""


def score(
    tool_set: ToolSet, goal: Goal, calls: Sequence[Call], asked: Sequence[str], text: str
) -> Score:
    """Judge the calls, the questions (names of parameters) and the last words of an agent."""
    verdict, wrong = _verdict(goal, calls, asked, text)
    write = any(name in tool_set.changing for name, _ in wrong)
    return Score(tool_set.name, goal, verdict, calls, asked, text, write)


def _verdict(
    goal: Goal, calls: Sequence[Call], asked: Sequence[str], text: str
) -> tuple[Verdict, Sequence[Call]]:
    if goal.calls_nothing:
        return ("wrong", calls) if calls else ("right", ())
    best: Sequence[Call] = calls
    for accepted in goal.accepted:
        left = _left(accepted, calls, goal.reads)
        if left is None:
            continue
        best = ()
        if not left and not asked and not goal.asks and _says(goal, text):
            return "right", ()
    if best:
        return "wrong", [call for call in best if not _is_accepted(goal, call)]
    if asked:
        return ("right" if goal.asks else "asked"), ()
    return "short", ()


def _left(
    accepted: Sequence[Call], calls: Sequence[Call], reads: frozenset[str]
) -> Sequence[Call] | None:
    """Return the accepted calls that were not made, or None if another one was made."""
    left = list(accepted)
    for call in calls:
        if left and _same(left[0], call):
            left.pop(0)
        elif call[0] not in reads and not any(
            _same(call, done) for done in accepted[: len(accepted) - len(left)]
        ):
            return None
    return left


def _is_accepted(goal: Goal, call: Call) -> bool:
    return call[0] in goal.reads or any(
        _same(call, one) for calls in goal.accepted for one in calls
    )


def _says(goal: Goal, text: str) -> bool:
    low = _plain(text)
    return all(_plain(said) in low for said in goal.says)


def _same(want: Call, call: Call) -> bool:
    return want[0] == call[0] and same_value(want[1], call[1])


def same_value(want: Any, got: Any) -> bool:
    """Whether an argument is the wanted one but for case, spaces and a last stop.

    A wanted value may be a pattern: `{"$any": […]}`, `{"$contains": "…"}`, or `{"$optional": …}`
    for one that may be left out.
    """
    if isinstance(want, list):
        is_alike = isinstance(got, list | tuple) and len(got) == len(want)
        return is_alike and all(map(same_value, want, got))
    if not isinstance(want, Mapping):
        return bool(_value(want) == _value(got))
    if "$optional" in want:
        return same_value(want["$optional"], got)
    if "$any" in want:
        return any(same_value(one, got) for one in want["$any"])
    if "$contains" in want:
        return _plain(str(want["$contains"])) in _plain(str(got))
    if not isinstance(got, Mapping) or got.keys() - want.keys():
        return False
    return all(
        same_value(value, got[name]) if name in got else isinstance(value, Mapping) and "$optional" in value
        for name, value in want.items()
    )  # fmt: skip


def _value(value: Any) -> Any:
    """Return a value such that texts which differ in case, spaces or a last stop are equal."""
    if isinstance(value, Mapping):
        return {key: _value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_value(inner) for inner in value]
    if isinstance(value, str):
        return _plain(value)
    # In Python True equals 1.
    return (value,) if isinstance(value, bool) else value


_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dt\d\d:\d\d)(?::00(?:\.0+)?)?(?:z|[+-]\d\d:\d\d)?")


def _plain(text: str) -> str:
    if moment := _MOMENT.fullmatch(text.casefold()):
        return moment[1]
    return " ".join(text.casefold().split()).rstrip(".!?")
