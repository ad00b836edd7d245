"""The checks of a manifest: an ordered table, each row rules and the function that looks for them.

A check is a generator of findings. It gets a `Reading` and never changes it. What the parser could
not place is reported by the parser itself; `check` puts both together. What the rules are for is
told in `webagent.checks.rules`.
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
    naming,
    parameters,
    safety,
    tool_sections,
    whole_file,
)
from webagent.checks.sample_code import samples
from webagent.diagnostics import Finding, Severity, finding_dict
from webagent.parser import Reading, read
from webagent.parser.gc_pause import resting_collector
from webagent.parser.reading import ToolPlace
from webagent.source import Source, Span
from webagent.types import Manifest

__all__ = ["CHECKS", "Check", "Report", "check", "check_bytes", "run_checks"]

Check: TypeAlias = Callable[[Reading], Iterator[Finding]]
"""Yields what it finds; places come from the reading."""

CHECKS: tuple[tuple[tuple[str, ...], Check], ...] = (
    (("foreign-document",), foreign.foreign_document),
    (("empty-manifest",), whole_file.empty_manifest),
    (("front-matter",), whole_file.front_matter),
    (("missing-title",), whole_file.missing_title),
    (("no-tools",), whole_file.no_tools),
    (("duplicate-tool",), naming.duplicate_tool),
    (("duplicate-param",), naming.duplicate_param),
    (("invalid-name",), naming.invalid_name),
    (("invalid-param-name",), naming.invalid_param_name),
    (("optional-before-required",), parameters.optional_before_required),
    (("required-with-default",), parameters.required_with_default),
    (declared_types.RULES, declared_types.unclear_types),
    (declared_types.DECLARATION_RULES, declared_types.shared_declarations),
    (("schema-mismatch",), declared_types.schema_mismatch),
    (("default-type",), declared_types.default_type),
    (("missing-description",), tool_sections.missing_description),
    (("missing-output",), tool_sections.missing_output),
    (samples.RULES, samples.sample_code),
    (("note-looks-like-tool",), tool_sections.note_looks_like_tool),
    (("nested-tool",), tool_sections.nested_tool),
    (("comment-closing",), tool_sections.comment_closing),
    (("hidden-character",), safety.hidden_character),
    (("hidden-text",), safety.hidden_text),
    (("instruction-injection",), safety.instruction_injection),
    (("unsafe-link",), safety.unsafe_link),
    (whole_file.RULES, whole_file.large_texts),
)


MOST_FINDINGS = 1_000
"""Findings of one check after which the next says that there may be more, and the check ends."""


@dataclass(frozen=True, slots=True)
class Report:
    """A manifest and all that is to be said about it, in the order of the text."""

    manifest: Manifest
    findings: tuple[Finding, ...]
    source: Source
    tools: tuple[ToolPlace, ...] = ()
    """Where each tool of the manifest stands."""

    @property
    def broken(self) -> bool:
        """Whether the file does not say what its author means: there is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON data: `{"path", "findings": [...], "tools": how many}`."""
        return {
            "path": self.source.path,
            "findings": [finding_dict(finding, self.source) for finding in self.findings],
            "tools": len(self.manifest.tools),
        }


def check(text: str, *, path: str = "webagents.md") -> Report:
    """Read a manifest and check it. No text makes it raise.

    Args:
        text: The Markdown.
        path: What findings call the file.
    """
    with resting_collector(text):
        reading = read(text, path=path)
        findings = [*_shortened(reading.findings), *_relevant(reading, list(run_checks(reading)))]
    findings.sort(key=lambda finding: (finding.span.start, finding.span.end))
    return Report(reading.manifest, tuple(findings), reading.source, reading.tools)


def check_bytes(data: bytes, *, path: str = "webagents.md") -> Report:
    """Read a manifest from the bytes of a file and check it; bytes that are no UTF-8 are an error.

    Args:
        data: The file.
        path: What findings call it.
    """
    try:
        return check(data.decode("utf-8"), path=path)
    except UnicodeDecodeError as error:
        start = len(data[: error.start].decode("utf-8"))
    report = check(data.decode("utf-8", "replace"), path=path)
    finding = Finding(
        "not-utf-8",
        Severity.ERROR,
        "the file is not UTF-8 from here on - agents read it as UTF-8",
        "save the file with the encoding UTF-8",
        Span(start, start + 1),
    )
    return replace(report, findings=(finding, *report.findings))


def run_checks(reading: Reading) -> Iterator[Finding]:
    """Yield what the checks of the table find, in the table's order; of each check, so many."""
    for _, function in CHECKS:
        found = function(reading)
        yield from islice(found, MOST_FINDINGS)
        if (more := next(found, None)) is not None:
            yield replace(more, message=f"{more.message} (there may be more like this below)")


def _shortened(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield so many findings of each rule, the last with how many more there are."""
    left = Counter(finding.rule for finding in findings)
    shown: Counter[str] = Counter()
    for finding in findings:
        rule = finding.rule
        left[rule] -= 1
        shown[rule] += 1
        if shown[rule] <= MOST_FINDINGS:
            yield finding
        elif shown[rule] == MOST_FINDINGS + 1:
            more = f" (and {left[rule]:,} more like this below)" if left[rule] else ""
            yield replace(finding, message=f"{finding.message}{more}")


def _relevant(reading: Reading, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Leave out what only follows from something that is said already.

    A file that is no manifest lacks all that a manifest has; what nobody closed hides the tools
    below it; text that became code because of a fence is no type and no sample code.
    """
    foreign_file = any(finding.rule == "foreign-document" for finding in findings)
    hidden_rest = any(f.rule in ("unclosed-fence", "unclosed-html") for f in reading.findings)
    code = [_hides(reading, f) for f in reading.findings if f.rule in _HIDING]
    code.sort(key=lambda span: span.start)
    starts = [span.start for span in code]
    for finding in findings:
        if foreign_file and finding.rule in foreign.SILENCED:
            continue
        if hidden_rest and finding.rule == "no-tools":
            continue
        at = bisect_right(starts, finding.span.start) - 1
        inside = at >= 0 and finding.span.start < code[at].end
        if finding.rule in safety.RULES or not inside:
            yield finding


_HIDING = ("fence-swallows-heading", "unclosed-fence")


def _hides(reading: Reading, finding: Finding) -> Span:
    """Return the stretch of text that is code because of a fence."""
    if finding.rule == "unclosed-fence":
        return Span(finding.span.start, len(reading.source.text) + 1)
    return finding.span
