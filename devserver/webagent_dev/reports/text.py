"""Outcomes as a person reads them in a terminal."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from webagent_dev.contract.proof import Proof, Report, ToolReport, Verdict
from webagent_dev.contract.site_prover import Progress
from webagent_dev.evals.case import ExpectedCall, MadeCall
from webagent_dev.evals.comparison import Row
from webagent_dev.evals.constraints import in_words, shown
from webagent_dev.evals.outcome import Evaluation, Outcome
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


VERDICTS: Mapping[Verdict, str] = {
    Verdict.PASSED: "passed",
    Verdict.FAILED: "failed",
    Verdict.NEEDS_LOGIN: "needs a login",
    Verdict.SKIPPED: "not called",
}
"""How each verdict of a tool reads in a sentence."""

_DASH = re.compile(r" - (?=(?:[^`]*`[^`]*`)*[^`]*$)")


def sentence(report: Report) -> str:
    """Return what came of it, in one line: `13 tools: 7 passed, 1 failed, 5 not called`."""
    count = len(report.tools)
    told = ", ".join(f"{n} {VERDICTS[verdict]}" for verdict, n in report.tally.items() if n)
    tools = "1 tool" if count == 1 else f"{count} tools"
    return f"{tools}: {told}" if told else "no tools"


def parts(proof: Proof) -> tuple[str, str, str]:
    """Return what happened, why that matters, and what to do; each may be empty."""
    found = [part for part in _DASH.split(proof.message) if part]
    if len(found) < 3:
        return (found[0] if found else "", "", found[1] if len(found) > 1 else "")
    return found[0], " - ".join(found[1:-1]), found[-1]


def spent(duration_ms: float) -> str:
    """Return a time as people say it: `340 ms`, `2.1 s`, `1 min 12 s`."""
    if duration_ms < 950:
        return f"{duration_ms:.0f} ms"
    if duration_ms < 59_500:
        return f"{duration_ms / 1000:.1f} s"
    minutes, seconds = divmod(round(duration_ms / 1000), 60)
    return f"{minutes} min {seconds} s"


def calls(tool: ToolReport) -> str:
    """Return how often a tool was called."""
    return "1 call" if tool.calls == 1 else f"{tool.calls} calls"


_LABELS = {
    Verdict.PASSED: ("passed", "green"),
    Verdict.FAILED: ("failed", "red"),
    Verdict.NEEDS_LOGIN: ("login", "yellow"),
    Verdict.SKIPPED: ("skipped", "yellow"),
}

_INDENT = 12
"""Columns before what belongs to a tool: the margin and the label of its line."""


class Lines(Progress):
    """Writes a line for each tool as soon as it is proven."""

    def __init__(self, console: Console, notes: Console) -> None:
        """Write to a console, and what is under way to another, if a person looks at that."""
        self._console = console
        self._notes = notes
        self._width = 0
        self._done = self._all = 0
        self._waiting: set[str] = set()

    def started(self, names: Collection[str]) -> None:
        """Learn how wide the names are."""
        self._all = len(names)
        self._width = min(32, max(map(len, names), default=0))

    def begun(self, name: str) -> None:
        """Say which tool is being proven; the line is overwritten."""
        self._done += 1
        if self._notes.color:
            self._notes.write(f"\r\x1b[K  {self._done}/{self._all} {printable(name, 60)} …")

    def proven(self, tool: ToolReport) -> None:
        """Write the line of a tool, and what is to be said of it."""
        self.clear()
        if tool.verdict is Verdict.NEEDS_LOGIN:
            self._waiting.add(tool.name)
        label, style = _LABELS[tool.verdict]
        name = printable(tool.name, 60).ljust(self._width)
        made = f"{calls(tool)}, {spent(tool.duration_ms)}" if tool.calls else ""
        self._console.labelled(label, f"{name}  {tool.effect.ljust(12)}  {made}".rstrip(), style)
        for proof in tool.proofs:
            held_back = bool(tool.allow) and proof.verdict is Verdict.SKIPPED
            # Those that were held back are listed in the end.
            if proof.verdict is not Verdict.PASSED and not held_back:
                self._proof(proof)
            for remark in proof.remarks:
                self._below(self._console.paint("dim", f"note: {printable(remark, 500)}"))

    def clear(self) -> None:
        """Take the line of what is under way away."""
        if self._notes.color:
            self._notes.write("\r\x1b[K")

    def _proof(self, proof: Proof) -> None:
        what, why, remedy = (printable(part) for part in parts(proof))
        style = _LABELS[proof.verdict][1]
        where = f"{printable(str(proof.place))}: " if proof.place else ""
        self._below(f"{where}{self._console.paint(style, f'[{proof.name}]')} {what}")
        if why:
            self._below(f"why: {why}", 2)
        if remedy:
            self._below(f"help: {remedy}", 2)
        if proof.call:
            self._below(f"call: {printable(proof.call)}", 2)
        if proof.declared:
            self._below(f"declared: {printable(proof.declared, 300)}", 2)

    def _below(self, text: str, more: int = 0) -> None:
        indent = _INDENT + more
        self._console.line(self._console.folded(f"{' ' * indent}{text}", indent + 2))

    def end(self, report: Report) -> None:
        """Write the sequences, what is to be said of the whole, and the sum."""
        self.clear()
        for proof in report.sequences:
            label, style = _LABELS[proof.verdict]
            self._console.labelled(label, printable(proof.message), style)
            if proof.call:
                self._below(f"call: {printable(proof.call)}", 2)
            for remark in proof.remarks:
                self._below(self._console.paint("dim", f"note: {printable(remark, 500)}"))
        for tool in report.tools:
            if tool.name in self._waiting and tool.verdict is Verdict.PASSED:
                self._console.labelled("passed", f"{printable(tool.name)}, behind a login", "green")
        for remark in report.remarks:
            self._console.labelled("note", printable(remark))
        left = [tool for tool in report.tools if tool.allow]
        if left:
            self._console.line()
            self._console.line("not called, and what would have them called:")
            for tool in left:
                where = f" ({printable(str(tool.place))})" if tool.place else ""
                name = printable(tool.name, 60).ljust(self._width)
                self._console.line(f"  {name}  {printable(tool.allow)}{where}")
        self._console.line()
        style = "green" if report.ok and not report.interrupted else "red"
        ended = " - ended before all were proven" if report.interrupted else ""
        seed = self._console.paint("dim", f"({spent(report.duration_ms)}, --seed {report.seed})")
        self._console.line(f"{self._console.paint(style, sentence(report) + ended)} {seed}")
