"""The verdicts on the cases, with those of the compiler."""

from __future__ import annotations

from collections.abc import Mapping

from tests.compat.run import Outcome
from tests.tsc import compile_errors


def judge(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Return what is wrong with each case, empty if it holds; one run compiles all their code."""
    programs = {
        f"{name} {number}": code
        for name, outcome in outcomes.items()
        for number, code in enumerate(outcome.code)
    }
    problems = {name: outcome.problem for name, outcome in outcomes.items()}
    for program, errors in compile_errors(programs).items():
        problems[program.partition(" ")[0]] += "\n".join([programs[program], *errors])
    return problems
