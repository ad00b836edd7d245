"""Measures the agent without a model: `python -m tests.goals [training|held_back|ordinary] [SET…]`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from unittest import mock

from tests.core.agent.deterministic.harness import bindings_from, follow
from tests.goals.fit import FILE, FOLDS, cases_of, fit
from tests.goals.goals import PARTS, Goal, ToolSet, tool_sets
from tests.goals.score import Score, score
from webagent.agent.deterministic.candidates import weights
from webagent.agent.deterministic.planner import DeterministicPlanner
from webagent.agent.run import PastCall, PastRun
from webagent.page.values import encode


def _crowded(one: ToolSet, sets: Sequence[ToolSet], count: int) -> ToolSet:
    """Return a set with the tools of others beside its own, up to `count` in all."""
    tools = {tool["name"]: tool for tool in one.tools}
    for other in sets:
        for tool in other.tools:
            if len(tools) < count:
                tools.setdefault(tool["name"], tool)
    return replace(one, tools=[*tools.values()])


async def _play(planner: Callable[[], Any], tool_set: ToolSet, goal: Goal) -> Score:
    tools = bindings_from(tool_set.tools)
    try:
        outcome = await follow(goal.text, tools, tool_set.call, now=tool_set.now, planner=planner)
    except AssertionError as error:
        return score(tool_set, goal, [("endless", {})], [], str(error))
    return score(tool_set, goal, outcome.calls, outcome.asked, outcome.text)


async def _play_then(
    planner: Callable[[], Any], tool_set: ToolSet, goal: Goal, earlier: tuple[PastRun, ...] = ()
) -> list[Score]:
    """Play a goal and those that lean on it, each after right calls for those before it."""
    tools, scores = bindings_from(tool_set.tools), list[Score]()
    for one in (goal, *goal.then):
        outcome = await follow(
            one.text, tools, tool_set.call, now=tool_set.now, planner=planner, earlier=earlier
        )
        scores.append(score(tool_set, one, outcome.calls, outcome.asked, outcome.text))
        right = scores[-1].verdict == "right"
        earlier += (outcome.past if right else _as_wanted(tool_set, one),)
    return scores[1:]


def _as_wanted(tool_set: ToolSet, goal: Goal) -> PastRun:
    """Return the run of a careful operator."""
    calls = []
    for tool, wanted in goal.accepted[0]:
        given = {key: _chosen(value) for key, value in wanted.items()}
        with contextlib.suppress(ValueError):
            calls.append(PastCall(tool, given, encode(tool_set.call(tool, given))))
    return PastRun(goal.text, "", True, calls=tuple(calls))


def _chosen(value: Any) -> Any:
    """Return an argument of a wanted call as somebody would give it."""
    if isinstance(value, Mapping):
        if "$any" in value:
            return _chosen(value["$any"][0])
        if "$optional" in value or "$contains" in value:
            return _chosen(value.get("$optional", value.get("$contains")))
        return {key: _chosen(one) for key, one in value.items()}
    return [_chosen(one) for one in value] if isinstance(value, list) else value


async def _measure_then(planner: Callable[[], Any], sets: Sequence[ToolSet]) -> list[Score]:
    goals = [(one, goal) for one in sets for goal in one.goals if goal.then]
    return [found for one, goal in goals for found in await _play_then(planner, one, goal)]


async def _measure(planner: Callable[[], Any], sets: Sequence[ToolSet]) -> list[Score]:
    return [await _play(planner, tool_set, goal) for tool_set in sets for goal in tool_set.goals]


def _measure_unseen(sets: Sequence[ToolSet]) -> list[Score]:
    """Play a fifth of the sites at a time, with weights that are fitted to the others."""
    start = json.loads(FILE.read_text("utf-8"))["start"]
    cases = cases_of(sets)
    scores = []
    for fold in range(FOLDS):
        held = sets[fold::FOLDS]
        names = {one.name for one in held}
        fitted = fit([case for case in cases if case.tool_set not in names], start)
        with mock.patch.object(weights, "_data", return_value=fitted):
            scores += asyncio.run(_measure(DeterministicPlanner, held))
    return scores


def _rate(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f} %" if whole else "    –  "


def _report(scores: Sequence[Score]) -> None:
    called = [one for one in scores if not one.goal.calls_nothing]
    nothing = [one for one in scores if one.goal.calls_nothing]
    verdicts = Counter(one.verdict for one in called)
    print(f"{len(scores)} goals, {len(nothing)} of which call nothing")
    for verdict in ("right", "wrong", "asked", "short"):
        print(f"  {verdict:6} {_rate(verdicts[verdict], len(called))}")
    right = sum(one.verdict == "right" for one in nothing)
    print(f"  nothing called where nothing must be {_rate(right, len(nothing))}")
    print(f"  calls that may have changed something unasked: {sum(s.wrong_write for s in scores)}")
    by_tag: dict[str, Counter[str]] = defaultdict(Counter)
    for one in scores:
        for tag in (*one.goal.tags, one.goal.lang):
            by_tag[tag][one.verdict] += 1
    print(f"\n{'tag':18} {'goals':>5}  right  wrong  asked  short")
    for tag, counts in sorted(by_tag.items()):
        whole = counts.total()
        rates = "".join(
            f"{100 * counts[v] / whole:7.0f}" for v in ("right", "wrong", "asked", "short")
        )
        print(f"{tag:18} {whole:5}{rates}")


def _list(scores: Sequence[Score]) -> None:
    for one in scores:
        if one.verdict != "right":
            print(f"{one.verdict:6} {one.tool_set} [{one.goal.lang}] {one.goal.text}")
            print(
                f"       made {json.dumps(one.calls, ensure_ascii=False)} asked {list(one.asked)}"
            )
            print(
                f"       want {json.dumps(one.goal.accepted, ensure_ascii=False)} {one.goal.asks or ''}"
            )
            print(f"       says {one.text[:160]!r} {one.goal.says or ''}")


def main() -> None:
    """Play the goals, and print the rates."""
    parser = argparse.ArgumentParser(prog="python -m tests.goals", description=__doc__)
    parser.add_argument("part", nargs="?", default="training", choices=PARTS)
    parser.add_argument("sets", nargs="*", help="names of tool sets; all without any")
    parser.add_argument("--list", action="store_true", help="print each goal that is not right")
    parser.add_argument(
        "--tools", type=int, default=0, metavar="N", help="fill each page up with tools of others"
    )
    parser.add_argument(
        "--unseen", action="store_true", help="a fifth of the sites at a time, fitted to the others"
    )
    parser.add_argument(
        "--then", action="store_true", help="the goals that lean on others: `take it out again`"
    )
    options = parser.parse_args()
    every = list(tool_sets(options.part))
    sets = [
        _crowded(one, every, options.tools)
        for one in every if not options.sets or one.name in options.sets
    ]  # fmt: skip
    measure = _measure_then if options.then else _measure
    scores = (
        _measure_unseen(sets)
        if options.unseen
        else asyncio.run(measure(DeterministicPlanner, sets))
    )
    if options.list:
        _list(scores)
    _report(scores)


if __name__ == "__main__":
    main()
