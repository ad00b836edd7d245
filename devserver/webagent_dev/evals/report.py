"""The report of an evaluation: an item for each run of a case, with its calls as parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from webagent.agent.cost import AS_OF
from webagent.registry.secrets import Secrets
from webagent_dev.evals.case import ActualCall, Case, ExpectedCall, PastCall, Utterance
from webagent_dev.evals.comparison import Row
from webagent_dev.evals.constraints import in_words, shown
from webagent_dev.evals.outcome import Evaluation, Outcome
from webagent_dev.reports.content import Block, Line, Place, Report, ReportItem, Suite, Verdict

_MOST_ROWS = 30
"""Calls of a run that a terminal shows."""

_MESSAGES = {
    "agrees": "as expected",
    "differs": "differs",
    "out of order": "out of order",
    "missing": "was not called",
    "not expected": "not expected",
}
"""The words of the page for each row."""

_ROW_MARKS = {
    "agrees": " ",
    "differs": "≠",
    "out of order": "↕",
    "missing": "-",
    "not expected": "+",
}
"""The mark of each row in the terminal; docs/how-to/evaluate.md explains them."""


def eval_report(evaluation: Evaluation, at: datetime) -> Report:
    """Return what an evaluation reports.

    Args:
        evaluation: The runs, with their outcomes.
        at: When the report is made.
    """
    items = tuple(outcome_item(outcome, evaluation) for outcome in evaluation.outcomes)
    stopped: tuple[Line, ...] = ()
    if evaluation.stopped:
        stopped = (Line(f"not all were run - {evaluation.stopped}", "yellow"),)
    stopped += tuple(Line(text, "red") for text in evaluation.differences)
    several = any(outcome.run > 1 for outcome in evaluation.outcomes)
    cases = tuple(
        replace(item, name=f"{name_of(outcome)} ({outcome.run})" if several else item.name)
        for outcome, item in zip(evaluation.outcomes, items, strict=True)
    )
    costs_line = costs(evaluation)
    return Report(
        title=evaluation.file,
        subject=costs_line,
        command=f"webagent-dev eval {evaluation.file}",
        ok=evaluation.passed,
        answer=". ".join([headline(evaluation), *(_sentence(line.text) for line in stopped)]),
        summary=headline(evaluation),
        closing=(Line(costs_line), *stopped),
        items_title="All runs",
        items=items,
        unsteady=tuple(_unsteady(evaluation)),
        not_run=evaluation.planned - len(evaluation.outcomes),
        started=at,
        suites=(Suite(evaluation.file, evaluation.file, cases),),
    )


def headline(evaluation: Evaluation) -> str:
    """Return how many runs passed, in one line."""
    passed, failed, errors = (evaluation.count(v) for v in ("passed", "failed", "error"))
    text = f"{passed} of {evaluation.planned} passed"
    text += f", {failed} failed" if failed else ""
    text += f", {errors} could not be run" if errors else ""
    left = evaluation.planned - len(evaluation.outcomes)
    return text + (f", {left} not run" if left else "")


def costs(evaluation: Evaluation) -> str:
    """Return the planner, the site, and what the runs took, in one line."""
    planner = f"model {evaluation.model}" if evaluation.model else "the planner without a model"
    planner = "the expected calls themselves" if evaluation.smoke else planner
    where = "a page of" if evaluation.with_page else "the tools of"
    text = f"{planner}, with {where} {evaluation.site}, in {evaluation.seconds:.1f} s"
    if evaluation.model is None:
        return text
    usage, usd = evaluation.usage, evaluation.usd
    prices = "configured prices" if evaluation.configured_price else f"list prices of {AS_OF}"
    money = "of unknown price" if usd is None else f"{usd:.4f} USD at {prices}"
    return f"{text}, {usage.prompt:,} + {usage.completion:,} tokens, {money}"


def _unsteady(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """Yield the cases that passed in some runs only, and in how many: `2 of 3`."""
    runs: dict[int, list[Outcome]] = {}
    for outcome in evaluation.outcomes:
        runs.setdefault(id(outcome.case), []).append(outcome)
    for of_case in runs.values():
        passed = sum(outcome.passed for outcome in of_case)
        if 0 < passed < len(of_case):
            yield name_of(of_case[0]), f"{passed} of {len(of_case)}"


def outcome_item(outcome: Outcome, evaluation: Evaluation) -> ReportItem:
    """Return the item of one run, without the secrets of its goal."""
    case, runs = outcome.case, evaluation.runs
    seconds = f"{outcome.seconds:.1f} s"
    item = ReportItem(
        name=f"{case.name} ({outcome.run} of {runs})" if runs > 1 else case.name,
        verdict=Verdict(outcome.verdict),
        measure=seconds,
        duration_ms=outcome.seconds * 1000,
        place=Place(evaluation.file, case.line),
        before=tuple(_conversation(case)),
        parts=tuple(map(_row_item, outcome.rows)),
        after=tuple(Block("text", text[0].upper() + text[1:]) for text in _remarks(outcome)),
        lines=() if outcome.passed else tuple(_lines(outcome, evaluation.file)),
    )
    masked: ReportItem = _masked(item, outcome.secrets)
    return masked


def _masked(part: Any, secrets: Secrets) -> Any:
    """Return a part of a report in which secrets are masked."""
    if isinstance(part, tuple):
        return tuple(_masked(inner, secrets) for inner in part)
    if isinstance(part, ReportItem | Line | Block):
        names = [one.name for one in fields(part) if one.name not in ("kind", "style", "verdict")]
        texts = {name: _masked(getattr(part, name), secrets) for name in names}
        return replace(part, **texts)
    return secrets.mask_text(part) if type(part) is str else part


def name_of(outcome: Outcome) -> str:
    """Return the name of the case of a run, without the secrets of its goal."""
    return outcome.secrets.mask_text(outcome.case.name)


def _conversation(case: Case) -> Iterator[Block]:
    for message in case.messages:
        match message:
            case Utterance(by_person=by_person, text=text):
                yield Block("quote", text if by_person else f"Agent: {text}")
            case PastCall(name=name, arguments=arguments):
                yield Block("code", f"{name} {shown(arguments)}")
            case _:
                yield Block("code", f"→ {shown(message.response)}")


def _row_item(row: Row) -> ReportItem:
    return ReportItem(
        name=_call_text(row),
        verdict=Verdict.PASSED if row.verdict == "agrees" else Verdict.FAILED,
        message=_MESSAGES[row.verdict],
        remarks=tuple(_row_remarks(row)),
    )


def _remarks(outcome: Outcome) -> Iterator[str]:
    """Yield what there is to say of a run besides its calls."""
    if not outcome.rows and outcome.verdict != "error":
        yield "nothing was called"
    yield from (f"it asked: {question}" for question in outcome.asked)
    if outcome.switched:
        yield "the model failed, and its fallback took over"
    if outcome.problem:
        yield outcome.problem
    elif outcome.said:
        yield f"it said: {outcome.said}"


def _lines(outcome: Outcome, file: str) -> Iterator[Line]:
    case = outcome.case
    yield Line(f"{file}:{case.line}", "dim")
    if case.goal != case.name:
        yield Line(f"“{case.goal}”", "dim")
    for row in outcome.rows[:_MOST_ROWS]:
        agrees = row.verdict == "agrees"
        message = "" if row.verdict in ("agrees", "differs") else f" - {_MESSAGES[row.verdict]}"
        text = f"{_ROW_MARKS[row.verdict]} {_call_text(row)}{message}"
        yield Line(text, "dim" if agrees else "red")
        if row.verdict in ("differs", "not expected"):
            yield from (Line(remark, indent=4) for remark in _row_remarks(row))
    if len(outcome.rows) > _MOST_ROWS:
        yield Line(f"… and {len(outcome.rows) - _MOST_ROWS} more", "dim")
    yield from map(Line, _remarks(outcome))


def _row_remarks(row: Row) -> Iterator[str]:
    yield from map(str, row.differences)
    if row.actual and row.actual.error and not row.differences:
        yield row.actual.error["message"]


def _call_text(row: Row) -> str:
    """Return a call as it was made, or as it was expected where none was made."""
    call: ActualCall | ExpectedCall | None = row.actual or row.expected
    assert call is not None
    if not isinstance(call.arguments, Mapping):
        return f"{call.name}(…)"
    written = shown if row.actual else in_words
    inner = ", ".join(f"{name}={written(value)}" for name, value in call.arguments.items())
    return f"{call.name}({inner})"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
