"""The scoreboard of several models: the evaluations of the same cases, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from webagent_dev.evals.case import Case
from webagent_dev.evals.outcome import Evaluation, Outcome, usd_of
from webagent_dev.evals.report import costs, eval_report, headline, name_of, outcome_item
from webagent_dev.reports.content import Line, Place, Report, ReportItem, Verdict
from webagent_site.text import printable

_LONGEST_NAME = 30
"""Characters of a case's name in the table."""

_LONGEST_AGENT = 32
"""Characters of a model's name in the table, which is the width of its column."""


@dataclass(frozen=True, slots=True)
class Score:
    """The runs of one case with one model."""

    outcomes: Sequence[Outcome]

    @property
    def passed(self) -> int:
        """How many of the runs passed."""
        return sum(outcome.passed for outcome in self.outcomes)

    @property
    def verdict(self) -> Verdict:
        """`passed` if each run passed; else that of the first run that did not."""
        if not self.outcomes:
            return Verdict.SKIPPED
        broken = (outcome for outcome in self.outcomes if not outcome.passed)
        return Verdict(next(broken, self.outcomes[0]).verdict)

    @property
    def words(self) -> str:
        """The verdict; of several runs, how many passed."""
        if not self.outcomes:
            return "not run"
        count = len(self.outcomes)
        return self.verdict.value if count == 1 else f"{self.passed} of {count}"

    @property
    def steps(self) -> int:
        """Steps of all runs."""
        return sum(outcome.steps for outcome in self.outcomes)

    @property
    def seconds(self) -> float:
        """How long the runs took, together."""
        return sum(outcome.seconds for outcome in self.outcomes)

    @property
    def usd(self) -> Decimal | None:
        """US dollars of all runs, None when a price is not known."""
        return usd_of(self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "runs": len(self.outcomes),
            "passed": self.passed,
            "steps": self.steps,
            "seconds": round(self.seconds, 3),
            "usd": None if self.usd is None else str(self.usd),
        }


class Scoreboard:
    """The evaluations of the same cases with several models."""

    def __init__(self, cases: Sequence[Case], evaluations: Sequence[Evaluation]) -> None:
        """Compare evaluations.

        Args:
            cases: The cases, in the order of their file.
            evaluations: One for each model, with the outcomes so far.
        """
        self._cases = cases
        self._evaluations = evaluations

    @property
    def passed(self) -> bool:
        """Whether each run of each model was, and passed."""
        return all(evaluation.passed for evaluation in self._evaluations)

    def _scores(self, case: Case) -> list[Score]:
        """Return the scores of a case, one for each model."""
        return [
            Score([outcome for outcome in evaluation.outcomes if outcome.case is case])
            for evaluation in self._evaluations
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data: each case with the scores of all models, and each evaluation."""
        cases = [
            {
                "name": name_of(Outcome(case, 1, "error")),
                "line": case.line,
                "scores": [
                    {"model": evaluation.model, **score.to_dict()}
                    for evaluation, score in zip(self._evaluations, self._scores(case), strict=True)
                ],
            }
            for case in self._cases
        ]
        return {"cases": cases, "evaluations": [each.to_dict() for each in self._evaluations]}

    def report(self, at: datetime) -> Report:
        """Return the report: an item for each case, and a suite for each model.

        Args:
            at: When the report is made.
        """
        reports = [eval_report(evaluation, at) for evaluation in self._evaluations]
        file = self._evaluations[0].file
        totals = [f"{each.agent}: {headline(each)}" for each in self._evaluations]
        named = [f"{file} with {each.agent}" for each in self._evaluations]
        return Report(
            title=file,
            subject=". ".join(map(costs, self._evaluations)),
            command=f"webagent-dev eval {file}",
            ok=self.passed,
            answer="; ".join(totals),
            summary="; ".join(totals),
            closing=(
                *(line for report in reports for line in report.closing),
                Line(""),
                *map(Line, self._table()),
            ),
            items_title="All cases",
            items=tuple(map(self._item, self._cases)),
            unsteady=tuple(
                (f"{name} with {each.agent}", count)
                for each, report in zip(self._evaluations, reports, strict=True)
                for name, count in report.unsteady
            ),
            not_run=sum(report.not_run for report in reports),
            started=at,
            suites=tuple(
                replace(suite, name=name, class_name=name)
                for name, report in zip(named, reports, strict=True)
                for suite in report.suites
            ),
        )

    def _item(self, case: Case) -> ReportItem:
        """Return the item of a case, with a part for each model."""
        scores = self._scores(case)
        parts = []
        for evaluation, score in zip(self._evaluations, scores, strict=True):
            items = [outcome_item(outcome, evaluation) for outcome in score.outcomes]
            remarks = [line.text for item in items for line in item.lines if line.style != "dim"]
            part = ReportItem(
                name=evaluation.agent,
                verdict=score.verdict,
                message=f"{score.words}, {score.steps} steps, {score.seconds:.1f} s, "
                f"{_dollars(score.usd)} USD",
                remarks=tuple(remarks),
            )
            parts.append(part)
        verdicts = [score.verdict for score in scores]
        broken = (verdict for verdict in verdicts if verdict is not Verdict.PASSED)
        return ReportItem(
            name=name_of(Outcome(case, 1, "error")),
            verdict=next(broken, Verdict.PASSED),
            measure=", ".join(score.words for score in scores),
            place=Place(self._evaluations[0].file, case.line),
            parts=tuple(parts),
        )

    def _table(self) -> Iterator[str]:
        """Yield the lines of the table: a line for each case, a column for each model."""
        agents = [printable(each.agent, _LONGEST_AGENT) for each in self._evaluations]
        yield _row("", agents)
        yield _row("", [_cell("", "steps", "time", "USD") for _ in agents])
        for case in self._cases:
            name = printable(name_of(Outcome(case, 1, "error")), _LONGEST_NAME)
            yield _row(name, map(_score_cell, self._scores(case)))
        yield _row("all", map(_total_cell, self._evaluations))


def _score_cell(score: Score) -> str:
    return _cell(score.words, score.steps, f"{score.seconds:.1f} s", _dollars(score.usd))


def _total_cell(evaluation: Evaluation) -> str:
    score = Score(evaluation.outcomes)
    words = f"{score.passed} of {evaluation.planned}"
    return _cell(words, score.steps, f"{score.seconds:.1f} s", _dollars(score.usd))


def _cell(words: str, steps: object, time: str, usd: str) -> str:
    return f"{words:<9}{steps:>5}{time:>9}{usd:>9}"


def _row(name: str, cells: Iterable[str]) -> str:
    row = f"{name:<{_LONGEST_NAME}}  " + "  ".join(f"{cell:<{_LONGEST_AGENT}}" for cell in cells)
    return row.rstrip()


def _dollars(usd: Decimal | None) -> str:
    return "unknown" if usd is None else f"{usd:.4f}"
