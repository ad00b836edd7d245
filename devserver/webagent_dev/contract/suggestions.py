"""Suggestions for the manifest: the types that calls have shown, as edits of its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from webagent.checks import Report as Checked
from webagent.checks import check
from webagent.diagnostics import Edit, Finding, Fix, Severity
from webagent.diagnostics.fixes import apply_fixes
from webagent.source import Span
from webagent_dev.contract.proof import SiteReport, ToolReport


@dataclass(frozen=True, slots=True)
class ManifestUpdate:
    """A manifest with the types that were seen."""

    text: str
    left: tuple[ToolReport, ...]
    """Tools whose type can only be written by hand, such as those with an output schema."""


def with_observed_types(checked: Checked, report: SiteReport) -> ManifestUpdate:
    """Return the text of a manifest in which tools declare what they were seen to give.

    Args:
        checked: The manifest.
        report: What its tools gave; those that gave what they declare stay as they are.
    """
    numbers: dict[str, int] = {}
    for number, tool in enumerate(checked.manifest.tools):
        numbers.setdefault(tool.name, number)
    found: list[Finding] = []
    left: list[ToolReport] = []
    for proven in report.tools:
        if not proven.observed or proven.name not in numbers:
            continue
        number = numbers[proven.name]
        ways = (_suggestion(proven, edit) for edit in _edits(checked, proven.observed, number))
        good = next((way for way in ways if _declares(checked, way, number, proven.observed)), None)
        if good is not None:
            found.append(good)
        else:
            left.append(proven)
    return ManifestUpdate(apply_fixes(checked.source.text, found).text, tuple(left))


def _edits(checked: Checked, seen: str, number: int) -> Iterator[Edit]:
    """Yield the ways to write a type: over the one that is there, as a section, as a field."""
    place, text = checked.tools[number], checked.source.text
    if checked.manifest.tools[number].output_schema is not None:
        return
    if place.returns is not None:
        yield Edit(place.returns, seen)
        return
    end = Span(*[len(text[: place.span.end].rstrip())] * 2)
    yield Edit(end, "\n".join(["", "", "### Output", "", "```typescript", seen, "```"]))
    first, *further = text[place.span.start : end.end].splitlines()
    like = further[0] if further else f"  {first}"
    yield Edit(end, f"\n{like[: len(like) - len(like.lstrip())]}output: {seen}")


def _suggestion(proven: ToolReport, edit: Edit) -> Finding:
    return Finding(
        "result-mismatch",
        Severity.WARNING,
        f"`{proven.name}` gave `{proven.observed}`",
        "declare it under `### Output`, if that is what is meant",
        edit.span,
        proven.name,
        Fix(f"declare what `{proven.name}` gave", (edit,)),
    )


def _declares(checked: Checked, suggestion: Finding, number: int, seen: str) -> bool:
    """Whether a manifest with a suggestion declares that type, and is in all else as it was."""
    mended = check(apply_fixes(checked.source.text, [suggestion]).text)
    tools = [*checked.manifest.tools]
    tools[number] = tools[number].model_copy(update={"returns": seen})
    new = Counter(f.rule for f in mended.findings) - Counter(f.rule for f in checked.findings)
    return mended.manifest.tools == tools and not new
