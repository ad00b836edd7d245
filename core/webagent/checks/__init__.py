"""The checks of a manifest: `check` reads a text and returns its findings.

Each module has the rules of one theme, with the functions that check them. `CHECKS` lists the rules
in the order in which they run. The parser has rules of its own, about text that it cannot place.
`check` returns the findings of both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

from webagent.checks import (
    declared_types,
    foreign,
    injections,
    naming,
    parameters,
    safety,
    suggestions,
    tool_sections,
    whole_file,
)
from webagent.checks.sample_code import samples
from webagent.diagnostics import Finding, Severity, finding_dict
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading, read
from webagent.parser.gc_pause import paused_gc
from webagent.parser.reading import NotePlace, ToolPlace
from webagent.parser.rules import (
    FENCE_SWALLOWS_HEADING,
    INVALID_TYPE,
    UNCLOSED_FENCE,
    UNCLOSED_HTML,
)
from webagent.source import Source, Span
from webagent.types import Manifest

__all__ = ["CHECKS", "Check", "Report", "check", "check_bytes", "run_checks"]

Check: TypeAlias = Callable[[Reading], Iterator[Finding]]
"""Yields the findings of one or more rules. It never changes the reading."""

CHECKS: tuple[Rule, ...] = (
    foreign.FOREIGN_DOCUMENT,
    whole_file.EMPTY_MANIFEST,
    whole_file.FRONT_MATTER,
    whole_file.MISSING_TITLE,
    whole_file.NO_TOOLS,
    naming.DUPLICATE_TOOL,
    naming.DUPLICATE_PARAM,
    naming.INVALID_NAME,
    naming.CONFUSABLE_NAME,
    naming.INVALID_PARAM_NAME,
    parameters.OPTIONAL_BEFORE_REQUIRED,
    parameters.REQUIRED_WITH_DEFAULT,
    parameters.CHOICES_IN_DESCRIPTION,
    INVALID_TYPE,
    declared_types.UNKNOWN_TYPE,
    declared_types.INVALID_DECLARATION,
    declared_types.DUPLICATE_TYPE,
    declared_types.CIRCULAR_TYPE,
    declared_types.SCHEMA_MISMATCH,
    declared_types.DEFAULT_TYPE,
    tool_sections.MISSING_DESCRIPTION,
    tool_sections.MISSING_OUTPUT,
    samples.SAMPLE_SYNTAX,
    samples.SAMPLE_WITHOUT_CALL,
    samples.SAMPLE_UNKNOWN_TOOL,
    samples.SAMPLE_ARGUMENTS,
    samples.DEPRECATED_TOOL,
    tool_sections.NOTE_LOOKS_LIKE_TOOL,
    tool_sections.NESTED_TOOL,
    tool_sections.COMMENT_CLOSING,
    tool_sections.UNKNOWN_PLACEHOLDER,
    suggestions.UNUSABLE_SUGGESTIONS,
    tool_sections.UNKNOWN_INVERSE,
    safety.HIDDEN_CHARACTER,
    safety.HIDDEN_TEXT,
    injections.INSTRUCTION_INJECTION,
    safety.UNSAFE_LINK,
    whole_file.LARGE_TOOL,
    whole_file.LARGE_MANIFEST,
)
"""The rules that have a check, in the order in which the checks run."""

MAX_FINDINGS = 1_000
"""Most findings of one check, or of one rule of the parser. One more says that there are more."""


@dataclass(frozen=True, slots=True)
class Report:
    """A manifest and its findings, in the order of the text."""

    manifest: Manifest
    findings: tuple[Finding, ...]
    source: Source
    tools: tuple[ToolPlace, ...] = ()
    """The place of each tool of the manifest."""
    notes: tuple[NotePlace, ...] = ()
    """The place of each note of the manifest."""

    @property
    def broken(self) -> bool:
        """Whether there is an error: the file does not say what its author means."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON data: `{"path", "findings": [...], "tools": count}`."""
        return {
            "path": self.source.path,
            "findings": [finding_dict(finding, self.source) for finding in self.findings],
            "tools": len(self.manifest.tools),
        }


def check(text: str, *, path: str = "webagents.md") -> Report:
    """Read a manifest and check it. No text makes it raise.

    Args:
        text: The Markdown.
        path: The path of the file in findings.
    """
    with paused_gc(text):
        reading = read(text, path=path)
        findings = [*_limit(reading.findings), *_without_consequences(reading)]
    findings.sort(key=lambda finding: (finding.span.start, finding.span.end))
    return Report(reading.manifest, tuple(findings), reading.source, reading.tools, reading.notes)


def check_bytes(data: bytes, *, path: str = "webagents.md") -> Report:
    """Read a manifest from the bytes of a file and check it.

    Another encoding than UTF-8 is a finding, next to those about the text as far as it is readable.

    Args:
        data: The file.
        path: Its path in findings.
    """
    try:
        return check(data.decode("utf-8"), path=path)
    except UnicodeDecodeError as error:
        start = len(data[: error.start].decode("utf-8"))
    report = check(data.decode("utf-8", "replace"), path=path)
    finding = whole_file.NOT_UTF_8.finding(
        Span(start, start + 1),
        "the file is not UTF-8 from here on - agents read it as UTF-8",
        help="save the file with the encoding UTF-8",
    )
    return replace(report, findings=(finding, *report.findings))


def run_checks(reading: Reading) -> Iterator[Finding]:
    """Yield up to `MAX_FINDINGS` findings of each check, in the order of `CHECKS`."""
    # Rules that share a check run it once.
    for function in dict.fromkeys(rule.function for rule in CHECKS):
        if function is None:
            continue
        found = function(reading)
        yield from islice(found, MAX_FINDINGS)
        # Checks are generators: further findings are not looked for, so they cannot be counted.
        if (more := next(found, None)) is not None:
            yield replace(more, message=f"{more.message} (there may be more like this below)")


def _limit(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield up to `MAX_FINDINGS` findings of each rule, and one more with the number of the rest."""
    left = Counter(finding.rule for finding in findings)
    shown: Counter[str] = Counter()
    for finding in findings:
        rule = finding.rule
        left[rule] -= 1
        shown[rule] += 1
        if shown[rule] <= MAX_FINDINGS:
            yield finding
        elif shown[rule] == MAX_FINDINGS + 1:
            more = f" (and {left[rule]:,} more like this below)" if left[rule] else ""
            yield replace(finding, message=f"{finding.message}{more}")


_NOT_OF_FOREIGN = {
    str(rule)
    for rule in (
        whole_file.EMPTY_MANIFEST,
        whole_file.MISSING_TITLE,
        whole_file.NO_TOOLS,
        tool_sections.NOTE_LOOKS_LIKE_TOOL,
    )
}
"""Rules that do not apply to a file of another kind than a manifest."""

_SAFETY = {
    str(rule)
    for rule in (
        safety.HIDDEN_CHARACTER,
        safety.HIDDEN_TEXT,
        injections.INSTRUCTION_INJECTION,
        safety.UNSAFE_LINK,
    )
}
"""Rules that apply to every part of any file, whatever else is wrong with it."""


def _without_consequences(reading: Reading) -> Iterator[Finding]:
    """Yield the findings of all checks, without those that are consequences of another finding.

    A file of another kind has no title and no tools. An unclosed fence or comment hides the tools
    below it. Text that became code because of an unclosed fence is neither a type nor sample code.
    Rules of safety apply everywhere.
    """
    findings = list(run_checks(reading))
    is_foreign = any(finding.rule == str(foreign.FOREIGN_DOCUMENT) for finding in findings)
    unclosed = (str(UNCLOSED_FENCE), str(UNCLOSED_HTML))
    rest_is_hidden = any(finding.rule in unclosed for finding in reading.findings)
    code = _accidental_code(reading)
    starts = [span.start for span in code]
    for finding in findings:
        if is_foreign and finding.rule in _NOT_OF_FOREIGN:
            continue
        if rest_is_hidden and finding.rule == str(whole_file.NO_TOOLS):
            continue
        at = bisect_right(starts, finding.span.start) - 1
        in_code = at >= 0 and finding.span.start < code[at].end
        if finding.rule in _SAFETY or not in_code:
            yield finding


def _accidental_code(reading: Reading) -> list[Span]:
    """Return the parts of the text that are code only because a fence is not closed, in order."""
    code = []
    for finding in reading.findings:
        if finding.rule == str(UNCLOSED_FENCE):
            code.append(Span(finding.span.start, len(reading.source.text) + 1))
        elif finding.rule == str(FENCE_SWALLOWS_HEADING):
            code.append(finding.span)
    return sorted(code, key=lambda span: span.start)
