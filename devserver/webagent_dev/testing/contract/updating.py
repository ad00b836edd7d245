"""Suggestions for the manifest: the types that calls have shown, as edits of its text."""

from __future__ import annotations

from collections.abc import Iterator

from webagent.checks import Report as Checked
from webagent.diagnostics import Edit, Finding, Fix, Severity
from webagent.diagnostics.fixes import apply_fixes
from webagent.parser import ToolPlace
from webagent.source import Span, line_end
from webagent_dev.testing.contract.report import Report, ToolReport


def updated(checked: Checked, report: Report) -> str:
    """Return the text of a manifest in which tools declare what they were seen to give.

    Args:
        checked: The manifest.
        report: What its tools gave; those that gave what they declare stay as they are.
    """
    return apply_fixes(checked.source.text, [*suggestions(checked, report)]).text


def suggestions(checked: Checked, report: Report) -> Iterator[Finding]:
    """Yield a finding with a fix for each tool whose declared output is missing or not kept."""
    places: dict[str, ToolPlace] = {}
    for tool, place in zip(checked.manifest.tools, checked.tools, strict=True):
        places.setdefault(tool.name, place)
    for proven in report.tools:
        if proven.observed and proven.name in places:
            yield _suggestion(checked, proven, places[proven.name])


def _suggestion(checked: Checked, proven: ToolReport, place: ToolPlace) -> Finding:
    name, seen = proven.name, proven.observed
    if place.returns is not None:
        edit = Edit(place.returns, seen)
        span, what = place.returns, "something else than it declares"
    else:
        text = checked.source.text
        end = len(text[: place.span.end].rstrip())
        new = line_end(text)
        lines = ["", "", "### Output", "", "```typescript", seen, "```"]
        edit = Edit(Span(end, end), new.join(lines))
        span, what = place.name, "what it does not declare"
    return Finding(
        "result-mismatch",
        Severity.WARNING,
        f"`{name}` gave {what}: `{seen}`",
        f"declare `{seen}` under `### Output`, if that is what is meant",
        span,
        name,
        Fix(f"declare what `{name}` gave", (edit,)),
    )
