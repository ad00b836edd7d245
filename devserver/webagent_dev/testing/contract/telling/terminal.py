"""A report in the terminal: a line for each tool, below it what is broken and what to do."""

from __future__ import annotations

from collections.abc import Collection

from webagent_dev.contract.report import Proof, Report, ToolReport, Verdict
from webagent_dev.contract.site_prover import Progress
from webagent_dev.terminal import Console, printable
from webagent_dev.testing.contract.telling.words import calls, parts, sentence, spent

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
