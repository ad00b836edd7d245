"""Runs every case under the package that `import webagent` finds.

As a program, `python -m tests.compat.run`, it prints what it found as JSON, so that an environment
with nothing but that package and its dependencies can run the cases.
"""

from __future__ import annotations

import json
import sys
import traceback
from dataclasses import asdict, dataclass

from tests.compat import (
    compact,
    declarations,
    discovery,
    document,
    params,
    prompt,
    readme,
    writing,
)
from tests.compat.case import Case, Trial
from tests.compat.web import web

THEMES = (readme, document, params, declarations, compact, writing, discovery, prompt)

CASES: tuple[Case, ...] = tuple(case for theme in THEMES for case in theme.case.found)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one case."""

    problem: str
    """Why the check did not hold; empty if it did."""
    code: list[str]
    """TypeScript that has to compile for the case to hold."""


def run_cases() -> dict[str, Outcome]:
    """Run every case and return what became of it, by id."""
    outcomes = {}
    with web() as sites:
        for case in CASES:
            trial = Trial(sites)
            problem = ""
            try:
                case.check(trial)
            except Exception:
                problem = traceback.format_exc(limit=-3)
            outcomes[case.id] = Outcome(problem, trial.code)
    return outcomes


if __name__ == "__main__":
    json.dump({key: asdict(outcome) for key, outcome in run_cases().items()}, sys.stdout)
