"""Fits the weights of the planner to the training goals: `python -m tests.goals.fit`.

The cuts of a goal are not written down anywhere, so the fit looks for those with which the accepted
calls explain most, and moves the weights from the planner's own choice towards them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from math import exp
from pathlib import Path

import webagent.agent.deterministic
from tests.core.agent.deterministic.harness import bindings_from
from webagent.agent.deterministic.candidates.mood import mood_features
from webagent.agent.deterministic.candidates.ranking import Candidate, Ranking
from webagent.agent.deterministic.candidates.segments import places_of
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.tools import tool_words
from tests.goals.goals import Call, Goal, ToolSet, tool_sets
from tests.goals.score import same_value

FILE = Path(webagent.agent.deterministic.__file__).parent / "weights.json"
_ROUNDS = 30
_MOOD_ROUNDS = 400


@dataclass(slots=True)
class Case:
    """A goal with every part that it may be cut into."""

    goal: Goal
    sentence: Sentence
    now: datetime
    places: Sequence[tuple[int, int]]
    options: Mapping[tuple[int, int], Sequence[tuple[Candidate, float]]]
    """By part the calls for it, and how far each is one of those that are accepted."""


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
        wrong = len(given) - right
        whole = max(1, len(arguments))
        best = max(best, 0.4 + 0.6 * (right - wrong) / whole)
    return best


def _cases(sets: Sequence[ToolSet]) -> list[Case]:
    found = []
    for tool_set in sets:
        ranking = Ranking([tool_words(binding) for binding in bindings_from(tool_set.tools)])
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
            found.append(Case(goal, sentence, now, places, options))
    return found


def _derive(
    case: Case, weights: Mapping[str, float], bonus: float
) -> tuple[float, dict[str, float], list[Candidate]]:
    """Return the agreement, the features and the calls of the best cuts."""
    best: list[tuple[float, float, dict[str, float], list[Candidate]]] = [(0.0, 0.0, {}, [])]
    for last in range(1, len(case.places) + 1):
        found = None
        for start in range(last):
            part = (case.places[start][0], case.places[last - 1][1])
            before = best[start]
            chosen: Candidate | None = None
            agreed, top = 0.0, 0.0
            for candidate, agreement in case.options[part]:
                score = (
                    sum(weights[n] * v for n, v in candidate.features.items()) + bonus * agreement
                )
                if score > top:
                    chosen, agreed, top = candidate, agreement, score
            features = dict(before[2])
            if chosen is None:
                features["unexplained"] = features.get("unexplained", 0) + sum(
                    case.sentence.weights[part[0] : part[1]]
                )
                top = weights["unexplained"] * sum(case.sentence.weights[part[0] : part[1]])
            else:
                for name, value in chosen.features.items():
                    features[name] = features.get(name, 0) + value
            if start:
                features["cut"] = features.get("cut", 0) + 1
                top += weights["cut"]
            total = before[0] + top
            if found is None or total > found[0]:
                found = (
                    total,
                    before[1] + agreed,
                    features,
                    [*before[3], *([chosen] if chosen else [])],
                )
        assert found is not None
        best.append(found)
    _, agreement, features, calls = best[-1]
    return agreement, features, calls


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
                    now[name] += rate * max(
                        -2.0, min(2.0, target.get(name, 0) - features.get(name, 0))
                    )
            for name, known in weights.items():
                # A few goals do not outweigh what is known.
                now[name] += 0.002 * (known - now[name])
            steps += 1
            for name, value in now.items():
                total[name] += value
    return {name: round(value / steps, 4) for name, value in total.items()}


def fit_mood(
    cases: Sequence[Case], ranking: Mapping[str, float], weights: Mapping[str, float]
) -> dict[str, float]:
    """Return weights that tell what asks for something from what does not: a logistic regression."""
    rows = []
    for case in cases:
        _, _, calls = _derive(case, ranking, 0.0)
        for call in calls:
            rows.append(
                (
                    mood_features(case.sentence, call.first, call.end, call, case.now),
                    0.0 if case.goal.calls_nothing else 1.0,
                )
            )
    found = dict.fromkeys(weights, 0.0)
    for turn in range(_MOOD_ROUNDS):
        rate = 2.0 / (1 + turn / 80)
        slope = dict.fromkeys(found, 0.0)
        for features, target in rows:
            off = target - 1 / (
                1 + exp(-max(-30, min(30, sum(found.get(n, 0) * v for n, v in features.items()))))
            )
            weight = 1.6 if not target else 1.0
            for name, value in features.items():
                if name in slope:
                    slope[name] += weight * off * value
        for name in found:
            found[name] += rate * (slope[name] / len(rows) - 0.002 * found[name])
    return {name: round(value, 4) for name, value in found.items()}


def main() -> None:
    """Fit, and write the file of weights."""
    weights = json.loads(FILE.read_text("utf-8"))
    cases = _cases(list(tool_sets("training")))
    weights["ranking"] = fit_ranking(cases, weights["start"])
    weights["mood"] = fit_mood(cases, weights["ranking"], weights["mood"])
    FILE.write_text(json.dumps(weights, indent=1) + "\n", "utf-8")
    print(json.dumps(weights, indent=1))


if __name__ == "__main__":
    main()
