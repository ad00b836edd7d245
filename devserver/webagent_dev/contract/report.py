"""The report of a contract test: an item for each tool, with its proofs as parts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime

from webagent_dev.contract.proof import PROOFS, Progress, Proof, SiteReport, ToolReport
from webagent_dev.reports.content import (
    VERDICT_WORDS,
    Block,
    Line,
    Report,
    ReportItem,
    Suite,
    Verdict,
)
from webagent_dev.reports.text import TerminalReport, duration, message_parts, style_of


class TerminalProgress(Progress):
    """Writes the line of each tool as soon as it is proven."""

    def __init__(self, terminal: TerminalReport) -> None:
        """Write to a terminal."""
        self._terminal = terminal

    def started(self, names: Collection[str]) -> None:
        """Learn which tools there are."""
        self._terminal.start(names)

    def begun(self, name: str) -> None:
        """Write which tool is being proven."""
        self._terminal.begin(name)

    def proven(self, tool: ToolReport) -> None:
        """Write the line of a tool."""
        self._terminal.item(_tool_item(tool))


def contract_report(site: SiteReport) -> Report:
    """Return what a contract test reports."""
    tools = tuple(map(_tool_item, site.tools))
    sequences = tuple(map(_proof_item, site.sequences))
    suites = [Suite(tool.name, f"webagents.{tool.name}", tool.parts) for tool in tools]
    if sequences:
        suites.append(Suite("sequences", "webagents.sequences", sequences))
    ended = " - ended before all were proven" if site.interrupted else ""
    return Report(
        title=site.manifest or site.site,
        subject=site.site,
        command=f"webagent-dev test {site.site}",
        ok=site.ok and not site.interrupted and not site.is_empty,
        answer=_answer(site),
        summary=summary(site) + ended,
        aside=f"({duration(site.duration_ms)}, --seed {site.seed})",
        closing=_closing(site),
        items_title="All tools",
        items=tools,
        sequences=sequences,
        remarks=site.remarks,
        started=datetime.fromisoformat(site.started),
        footer=(
            duration(site.duration_ms),
            f"the same arguments again: `webagent-dev test --seed {site.seed}`",
        ),
        suites=tuple(suites),
        properties=(("seed", str(site.seed)),),
    )


def summary(site: SiteReport) -> str:
    """Return how the tools came out, in one line; those that were not proven come first.

    Such as `5 of 13 tools not proven (5 not called), 7 passed, 1 failed`.
    """
    open_ones = _numbers(site, _NOT_PROVEN)
    numbers = _numbers(site, [verdict for verdict in site.tally if verdict not in _NOT_PROVEN])
    if not site.tools:
        return "no tools"
    if not open_ones:
        return f"{_tools(len(site.tools))}: {numbers}"
    count = sum(site.tally[verdict] for verdict in _NOT_PROVEN)
    first = f"{count} of {_tools(len(site.tools))} not proven ({open_ones})"
    return f"{first}, {numbers}" if numbers else first


_NOT_PROVEN = (Verdict.SKIPPED, Verdict.NEEDS_LOGIN)

_OPTIONS = ("--allow-unknown", "--allow-writes")
"""Options that let calls through, the more harmless first."""


def _tools(count: int) -> str:
    return "1 tool" if count == 1 else f"{count} tools"


def _numbers(site: SiteReport, verdicts: Collection[Verdict]) -> str:
    tally = site.tally
    return ", ".join(f"{tally[one]} {VERDICT_WORDS[one]}" for one in verdicts if tally[one])


def _closing(site: SiteReport) -> tuple[Line, ...]:
    """Return what lets calls through, where none was made."""
    if not site.is_empty or site.interrupted:
        return ()
    text = "nothing was called, so nothing is proven (exit code 5)"
    for option in _OPTIONS:
        if any(option in tool.allow for tool in site.tools):
            only = [tool.name for tool in site.tools if f"{option} --only" in tool.allow]
            plain = any(f"{option}`" in tool.allow for tool in site.tools)
            named = "" if plain or not only else f" --only {only[0]}"
            return (Line(f"{text}: `webagent-dev test {site.site} {option}{named}`", "yellow"),)
    return (Line(text, "yellow"),)


def _answer(site: SiteReport) -> str:
    if site.is_empty and not site.interrupted:
        return "Nothing was called, so nothing is proven."
    proofs = (*site.sequences, *(proof for tool in site.tools for proof in tool.proofs))
    broken = sum(proof.verdict is Verdict.FAILED for proof in proofs)
    promises = "1 promise" if broken == 1 else f"{broken} promises"
    kept = "keeps every promise that was tried"
    answer = kept if site.ok else f"breaks {promises} of its manifest"
    ended = ", and the test was ended early" if site.interrupted else ""
    count = sum(site.tally[verdict] for verdict in _NOT_PROVEN)
    first = f"{count} of {_tools(len(site.tools))} not proven. " if count else ""
    return f"{first}The site {answer}{ended}."


def _tool_item(tool: ToolReport) -> ReportItem:
    calls = "1 call" if tool.calls == 1 else f"{tool.calls} calls"
    parts = tuple(map(_proof_item, tool.proofs))
    lines = [
        line
        for part in parts
        for line in part.lines
        # Tools that were not called are listed at the end.
        if not (tool.allow and part.verdict is Verdict.SKIPPED and line.style != "dim")
    ]
    observed: tuple[Block, ...] = ()
    if tool.observed:
        text = "It gave this, which may be written under `### Output`:"
        observed = (Block("text", text), Block("code", tool.observed))
    return ReportItem(
        name=tool.name,
        verdict=tool.verdict,
        note=tool.effect,
        measure=f"{calls}, {duration(tool.duration_ms)}" if tool.calls else "",
        duration_ms=tool.duration_ms,
        place=tool.place,
        remedy=tool.allow,
        before=(Block("code", tool.declaration),),
        parts=parts,
        after=observed,
        lines=tuple(lines),
    )


def _proof_item(proof: Proof) -> ReportItem:
    details = (("call", proof.call), ("path", proof.path), ("declared", proof.declared))
    # There may be several sequences, and their messages distinguish them.
    silent = proof.verdict is Verdict.PASSED and proof.name != "sequence"
    return ReportItem(
        name=proof.name,
        verdict=proof.verdict,
        title=PROOFS[proof.name],
        message="" if silent else proof.message,
        note=f"{proof.calls} calls" if proof.calls > 1 else "",
        duration_ms=proof.duration_ms,
        place=proof.place,
        details=tuple((what, code) for what, code in details if code),
        remarks=proof.remarks,
        lines=tuple(_lines(proof)),
    )


def _lines(proof: Proof) -> Iterator[Line]:
    # The line of a sequence has its message already.
    sequence = proof.name == "sequence"
    if proof.verdict is not Verdict.PASSED and not sequence:
        what, why, remedy = message_parts(proof.message)
        where = f"{proof.place}: " if proof.place else ""
        yield Line(what, style_of(proof.verdict), f"{where}[{proof.name}]")
        below = {"why": why, "help": remedy, "call": proof.call, "declared": proof.declared}
        yield from (Line(f"{key}: {text}", indent=2) for key, text in below.items() if text)
    elif sequence and proof.call:
        yield Line(f"call: {proof.call}", indent=2)
    yield from (Line(f"note: {remark}", "dim") for remark in proof.remarks)
