"""Outcomes as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from webagent_dev.evals.comparison import Row
from webagent_dev.evals.constraints import in_words, shown
from webagent_dev.evals.outcome import Evaluation, Outcome
from webagent_dev.evaluation.expectation import ExpectedCall
from webagent_dev.evaluation.made_call import MadeCall
from webagent_dev.terminal import Console, printable

STYLES = {"passed": "green", "failed": "red", "error": "yellow"}
_LONGEST = 400
_MOST_ROWS = 30


class Teller:
    """Tells of each run as it ends, and of all in the end."""

    def __init__(self, console: Console, file: str, *, runs: int = 1) -> None:
        """Write to a console.

        Args:
            console: Where to.
            file: Of the cases.
            runs: How often each case is run.
        """
        self._console = console
        self._file = file
        self._runs = runs

    def __call__(self, outcome: Outcome) -> None:
        """Tell of one run; of one that did not pass, why."""
        number = f" ({outcome.run} of {self._runs})" if self._runs > 1 else ""
        took = self._console.paint("dim", f"  {outcome.seconds:.1f} s")
        self._line(outcome.verdict, f"{printable(outcome.case.name)}{number}{took}")
        if outcome.passed:
            return
        self._line("", self._console.paint("dim", f"{printable(self._file)}:{outcome.case.line}"))
        if outcome.case.goal != outcome.case.name:
            self._line("", self._console.paint("dim", f"“{_cut(outcome.case.goal)}”"))
        for text, style in row_lines(outcome):
            self._line("", self._console.paint(style, _cut(text)) if style else _cut(text))
        for question in outcome.asked:
            self._line("", f"it asked: {_cut(question)}")
        if outcome.problem:
            self._line("", _cut(outcome.problem))
        elif outcome.said:
            self._line("", f"it said: {_cut(outcome.said)}")

    def summary(self, evaluation: Evaluation) -> None:
        """Tell how many passed, and what it took."""
        console = self._console
        if self._runs > 1:
            for name, line in unsteady(evaluation):
                self._line(line, printable(name), "yellow")
        console.line()
        style = "green" if evaluation.passed else "red"
        console.line(console.paint(style, headline(evaluation)))
        console.line(costs(evaluation))
        if evaluation.stopped:
            console.line(console.paint("yellow", f"not all were run - {evaluation.stopped}"))

    def _line(self, label: str, text: str, style: str = "") -> None:
        self._console.labelled(label, text, style or STYLES.get(label, "cyan"))


def headline(evaluation: Evaluation) -> str:
    """Return how many runs passed, in a line."""
    passed, failed, errors = (evaluation.count(v) for v in ("passed", "failed", "error"))
    text = f"{passed} of {evaluation.planned} passed"
    text += f", {failed} failed" if failed else ""
    text += f", {errors} could not be run" if errors else ""
    left = evaluation.planned - len(evaluation.outcomes)
    return text + (f", {left} not run" if left else "")


def costs(evaluation: Evaluation) -> str:
    """Return who planned where, and what it took, in a line."""
    who = f"model {evaluation.model}" if evaluation.model else "the planner without a model"
    where = "a page of" if evaluation.with_page else "the tools of"
    text = f"{who}, with {where} {evaluation.stage}, in {evaluation.seconds:.1f} s"
    if evaluation.model is None:
        return text
    usage, usd = evaluation.usage, evaluation.usd
    money = "of unknown price" if usd is None else f"{usd:.4f} USD"
    return f"{text}, {usage.prompt:,} + {usage.completion:,} tokens, {money}"


def unsteady(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """Yield the cases that passed in some runs only, and in how many: `2 of 3`."""
    runs: dict[int, list[Outcome]] = {}
    for outcome in evaluation.outcomes:
        runs.setdefault(id(outcome.case), []).append(outcome)
    for of_case in runs.values():
        passed = sum(outcome.passed for outcome in of_case)
        if 0 < passed < len(of_case):
            yield of_case[0].case.name, f"{passed} of {len(of_case)}"


def row_lines(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Yield the comparison of a run: lines, and the style of each."""
    if not outcome.rows and outcome.verdict == "failed":
        yield "nothing was called", ""
    for row in outcome.rows[:_MOST_ROWS]:
        yield from _row_lines(row)
    if len(outcome.rows) > _MOST_ROWS:
        yield f"… and {len(outcome.rows) - _MOST_ROWS} more", "dim"


def _row_lines(row: Row) -> Iterator[tuple[str, str]]:
    match row:
        case Row(made=MadeCall() as made, verdict="agrees"):
            yield f"  {made_text(made)}", "dim"
        case Row(made=MadeCall() as made, verdict="out of order"):
            yield f"↕ {made_text(made)} - out of order", "red"
        case Row(made=MadeCall() as made, verdict="not expected"):
            yield f"+ {made_text(made)} - not expected", "red"
            if made.error:
                yield f"    {made.error['message']}", ""
        case Row(expected=ExpectedCall() as expected, made=None):
            yield f"- {expected_text(expected)} - was not called", "red"
        case Row(made=MadeCall() as made):
            yield f"≠ {made_text(made)}", "red"
            for difference in row.differences:
                yield f"    {difference}", ""


def made_text(call: MadeCall) -> str:
    """Return a call as it was made: `find(query="harbour")`."""
    inner = ", ".join(f"{name}={shown(value)}" for name, value in call.arguments.items())
    return f"{call.name}({inner})"


def expected_text(call: ExpectedCall) -> str:
    """Return a call as it was expected, constraints in words."""
    if not isinstance(call.arguments, dict):
        return f"{call.name}(…)"
    inner = ", ".join(f"{name}={in_words(value)}" for name, value in call.arguments.items())
    return f"{call.name}({inner})"


def _cut(text: str) -> str:
    return printable(text, _LONGEST)
