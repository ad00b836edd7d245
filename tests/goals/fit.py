"""Fits the weights of the planner to the training goals: `python -m tests.goals.fit [--check]`.

The cuts of a goal are not written down anywhere, so the fit looks for those with which the accepted
calls explain most, and moves the weights of the ranking from the planner's own choice towards them.
How likely a call is meant is a logistic regression over the parts that result. Its thresholds let
the most right calls pass, and few wrong ones, on tool sets that the regression has not seen (five
parts, in turn).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from math import exp
from pathlib import Path

import webagent.agent.deterministic
from tests.core.agent.deterministic.harness import bindings_from
from tests.goals.goals import Call, Goal, ToolSet, tool_sets
from tests.goals.score import same_value
from webagent.agent.deterministic.candidates.decision import (
    FOUND,
    decision_features,
    form_features,
)
from webagent.agent.deterministic.candidates.ranking import Candidate, Ranking
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import tools_of
from webagent.agent.deterministic.parts import cost_of_cut, must_ask, places_of
from webagent.agent.deterministic.reading.tokens import owner

FILE = Path(webagent.agent.deterministic.__file__).parent / "weights.json"
_ROUNDS = 20
_STEPS = 8
FOLDS = 5
_DECAY = 0.001
_NEAR_ENOUGH = 1e-4
MOST_WRONG = 0.06
"""The share of unseen parts for which a wrong call may be made."""
ASKS = 0.42
"""Above this a question is worth more than it disturbs: it is idle in less than three cases of five."""


@dataclass(slots=True)
class Case:
    """A goal with every part that it may be cut into."""

    tool_set: str
    goal: Goal
    sentence: Sentence
    places: Sequence[tuple[int, int]]
    options: Mapping[tuple[int, int], Sequence[tuple[Candidate, float]]]
    """By part the calls for it, and how far each is one of those that are accepted."""
    known: str
    """What the site's tools give, in which the things are that a name can be of."""


@dataclass(frozen=True, slots=True)
class Row:
    """The best call for a part, as the regression sees it."""

    tool_set: str
    features: Mapping[str, float]
    is_meant: bool
    reads: bool
    asked: bool
    """Whether a question comes before it, however likely it is."""


def _agreement(candidate: Candidate, wanted: Sequence[Call]) -> float:
    """Return 1 for an accepted call, -1 for one that nobody wants, and what is between."""
    best = -1.0
    given = candidate.filled.arguments()
    for name, arguments in wanted:
        if name != candidate.tool.name:
            continue
        right = sum(
            key in arguments and same_value(arguments[key], value) for key, value in given.items()
        )
        best = max(best, 0.4 + 0.6 * (2 * right - len(given)) / max(1, len(arguments)))
    return best


def cases_of(sets: Sequence[ToolSet]) -> list[Case]:
    """Return the goals of tool sets, with every call that the planner may choose for a part."""
    found = []
    for tool_set in sets:
        ranking = Ranking(tools_of(bindings_from(tool_set.tools)))
        now = datetime.fromisoformat(tool_set.now)
        for goal in tool_set.goals:
            sentence = ranking.mended(Sentence.read(goal.text, now))
            places = places_of(sentence)
            wanted = [call for calls in goal.accepted for call in calls]
            options = {}
            for start, last in combinations(range(len(places) + 1), 2):
                part = (places[start][0], places[last - 1][1])
                options[part] = [
                    (c, _agreement(c, wanted)) for c in ranking.candidates(sentence, *part)
                ]
            known = json.dumps(tool_set.results, ensure_ascii=False).casefold()
            found.append(Case(tool_set.name, goal, sentence, places, options, known))
    return found


def _score(candidate: Candidate, weights: Mapping[str, float]) -> float:
    return sum(weights[name] * value for name, value in candidate.features.items())


def _derive(
    case: Case, weights: Mapping[str, float], bonus: float
) -> tuple[float, dict[str, float], list[tuple[int, int]]]:
    """Return the agreement, the features and the parts of the best cuts."""
    best: list[tuple[float, float, dict[str, float], list[tuple[int, int]]]] = [(0.0, 0.0, {}, [])]
    for last in range(1, len(case.places) + 1):
        found = None
        for start in range(last):
            part = (case.places[start][0], case.places[last - 1][1])
            before = best[start]
            chosen: Candidate | None = None
            agreed = 0.0
            said = sum(case.sentence.weights[part[0] : part[1]])
            top = weights["unexplained"] * said
            for candidate, agreement in case.options[part]:
                score = _score(candidate, weights) + bonus * agreement
                if score > top:
                    chosen, agreed, top = candidate, agreement, score
            features = dict(before[2])
            if chosen is None:
                features["unexplained"] = features.get("unexplained", 0) + said
            else:
                for name, value in chosen.features.items():
                    features[name] = features.get(name, 0) + value
            if start:
                top -= cost_of_cut(case.sentence, *part, chosen is not None)
            total = before[0] + top
            if found is None or total > found[0]:
                found = (total, before[1] + agreed, features, [*before[3], part])
        assert found is not None
        best.append(found)
    _, agreement, features, parts = best[-1]
    return agreement, features, parts


def fit_ranking(cases: Sequence[Case], weights: Mapping[str, float]) -> dict[str, float]:
    """Return weights with which the accepted calls win, averaged over all rounds."""
    now = dict(weights)
    total = dict.fromkeys(now, 0.0)
    steps = 0
    wanted = [case for case in cases if not case.goal.calls_nothing and any(case.goal.accepted)]
    for turn in range(_ROUNDS):
        rate = 0.02 / (1 + turn / 5)
        for case in wanted:
            got, features, _ = _derive(case, now, 0.0)
            best, target, _ = _derive(case, now, 4.0)
            if best > got + 0.05:
                for name in now:
                    change = target.get(name, 0) - features.get(name, 0)
                    now[name] += rate * max(-2.0, min(2.0, change))
            for name, known in weights.items():
                # A few goals do not outweigh what is known.
                now[name] += 0.002 * (known - now[name])
            steps += 1
            for name, value in now.items():
                total[name] += value
    return {name: round(value / steps, 4) for name, value in total.items()}


def rows_of(cases: Sequence[Case], ranking: Mapping[str, float]) -> list[Row]:
    """Return the best call of each part, with whether it was meant."""
    rows = []
    for case in cases:
        for part in _derive(case, ranking, 0.0)[2]:
            scored = sorted(
                ((_score(c, ranking), -n, c) for n, (c, _) in enumerate(case.options[part])),
                reverse=True,
            )
            least = ranking["unexplained"] * sum(case.sentence.weights[part[0] : part[1]])
            candidates = [
                Candidate(c.filled, c.first, c.end, c.features, s)
                for s, _, c in scored
                if s > least
            ]
            if not candidates:
                continue
            form = form_features(case.sentence, *part)
            features = decision_features(case.sentence, candidates, form)
            names = [fit for fit in candidates[0].filled.fits if fit.is_name]
            if names and all(owner(case.sentence.tokens[i].low) in case.known for fit in names for i in fit.tokens):  # fmt: skip
                features |= FOUND
            meant = _is_right(candidates[0], case.goal)
            asked = must_ask(case.sentence, candidates[0])
            rows.append(Row(case.tool_set, features, meant, candidates[0].tool.reads, asked))
    return rows


def _is_right(candidate: Candidate, goal: Goal) -> bool:
    """Whether a call, as far as it is filled, is one of those that are wanted.

    Arguments that are looked up or asked for are not known yet, and may be left open.
    """
    tool, filled = candidate.tool, candidate.filled
    if goal.asks and not any(goal.accepted):
        return any(p.path[-1] in goal.asks for p in filled.missing)
    if tool.name in goal.reads:
        return True
    named = [fit for fit in filled.fits if fit.is_name]
    given = replace(filled, fits=[fit for fit in filled.fits if not fit.is_name]).arguments()
    left = {p.path[0] for p in filled.missing} | {fit.parameter.path[0] for fit in named}
    left |= {p.path[0] for p in tool.parameters if p.names_thing}
    return any(
        name == tool.name
        and same_value({key: value for key, value in arguments.items() if key in given or key not in left}, given)
        for calls in goal.accepted for name, arguments in calls
    )  # fmt: skip


def fit_decision(rows: Sequence[Row]) -> dict[str, float]:
    """Return the weights of a logistic regression with decay, by Newton's method."""
    names = sorted({name for row in rows for name in row.features})
    found = dict.fromkeys(names, 0.0)
    for _ in range(_STEPS):
        slope = [0.0 if name == "bias" else -_DECAY * len(rows) * found[name] for name in names]
        curve = [
            [_DECAY * len(rows) * (a == b) for b in range(len(names))] for a in range(len(names))
        ]
        for row in rows:
            likely = _likely(row, found)
            said = [
                (n, row.features[name]) for n, name in enumerate(names) if row.features.get(name)
            ]
            for a, value in said:
                slope[a] += (row.is_meant - likely) * value
                for b, other in said:
                    curve[a][b] += likely * (1 - likely) * value * other
        for name, step in zip(names, _solved(curve, slope), strict=True):
            found[name] += step
    return {name: round(value, 4) for name, value in found.items()}


def _solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Return the solution of linear equations whose matrix is positive definite."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at, pivot in enumerate(rows):
        for row in rows[:at] + rows[at + 1 :]:
            share = row[at] / pivot[at]
            for column in range(at, len(pivot)):
                row[column] -= share * pivot[column]
    return [row[-1] / row[at] for at, row in enumerate(rows)]


def _likely(row: Row, weights: Mapping[str, float]) -> float:
    total = sum(weights.get(name, 0.0) * value for name, value in row.features.items())
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def fit_thresholds(rows: Sequence[Row]) -> dict[str, float]:
    """Return the thresholds that are worth most on tool sets that the regression has not seen."""
    sets = sorted({row.tool_set for row in rows})
    judged = []
    for fold in range(FOLDS):
        held = set(sets[fold::FOLDS])
        weights = fit_decision([row for row in rows if row.tool_set not in held])
        judged += [(row, _likely(row, weights)) for row in rows if row.tool_set in held]
    right = sum((likely >= 0.5) == row.is_meant for row, likely in judged)
    print(f"unseen parts judged right: {right} of {len(judged)}", file=sys.stderr)
    steps = [n / 50 for n in range(int(ASKS * 50), 50)]
    reads, writes = (
        {step: _passed(judged, step, reads) for step in steps} for reads in (True, False)
    )
    most = MOST_WRONG * len(judged)
    # A look does no harm, so it needs no more than a change does.
    allowed = [
        (r, w) for w in steps for r in steps if r <= w and reads[r][1] + writes[w][1] <= most
    ]
    best = max(allowed, key=lambda pair: reads[pair[0]][0] + writes[pair[1]][0])
    return {"asks": ASKS, "reads": best[0], "writes": best[1]}


def _passed(judged: Sequence[tuple[Row, float]], threshold: float, reads: bool) -> tuple[int, int]:
    """Return how many right and how many wrong calls of one kind pass a threshold."""
    passed = [
        row
        for row, likely in judged
        if row.reads == reads and likely >= threshold and not row.asked
    ]
    right = sum(row.is_meant for row in passed)
    return right, len(passed) - right


def fit(cases: Sequence[Case], start: Mapping[str, float]) -> dict[str, Mapping[str, float]]:
    """Return what `weights.json` has for some goals."""
    ranking = fit_ranking(cases, start)
    rows = rows_of(cases, ranking)
    return {
        "start": start,
        "ranking": ranking,
        "decision": fit_decision(rows),
        "thresholds": fit_thresholds(rows),
    }


def main() -> int:
    """Fit, and write the file of weights, or compare it."""
    parser = argparse.ArgumentParser(prog="python -m tests.goals.fit", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    weights = json.loads(FILE.read_text("utf-8"))
    fitted = fit(cases_of(list(tool_sets("training"))), weights["start"])
    if check:
        off = [
            f"{part}.{name}: {weights[part].get(name)} in the file, {value} fitted"
            for part, values in fitted.items()
            for name, value in values.items()
            if abs(weights[part].get(name, 1e9) - value) > _NEAR_ENOUGH
        ]
        print(*off or ["weights.json is what the training goals give"], sep="\n")
        return 1 if off else 0
    FILE.write_text(json.dumps(fitted, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
