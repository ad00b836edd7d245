"""What a report says in words, the same wherever it is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from webagent_dev.contract.report import Proof, Report, ToolReport, Verdict

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
