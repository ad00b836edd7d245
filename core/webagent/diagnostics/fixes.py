"""Application of fixes: the edits of findings, and no other change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webagent.diagnostics.finding import Edit, Finding
from webagent.source import line_end


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text with fixes applied."""

    text: str
    applied: tuple[Finding, ...]
    """The findings whose fix is in the text, in its order. All others overlap with one of them."""


def apply_fixes(text: str, findings: Iterable[Finding]) -> Fixed:
    """Return a text with all fixes that do not touch one another.

    Inserted text gets the line end of the first line of the text.
    """
    newline = line_end(text)
    fixable = [finding for finding in findings if finding.fix and finding.fix.edits]
    fixable.sort(key=lambda finding: min(edit.span.start for edit in _edits(finding)))
    taken: list[Edit] = []
    applied: list[Finding] = []
    last = -1
    for finding in fixable:
        edits = sorted(_edits(finding), key=lambda edit: edit.span.start)
        # Not `>=`: two insertions at one place would depend on their order.
        if edits[0].span.start > last:
            taken += edits
            applied.append(finding)
            last = max(edit.span.end for edit in edits)
    pieces = []
    position = 0
    for edit in taken:
        pieces += [text[position : edit.span.start], edit.text.replace("\n", newline)]
        position = edit.span.end
    return Fixed("".join([*pieces, text[position:]]), tuple(applied))


def _edits(finding: Finding) -> tuple[Edit, ...]:
    return finding.fix.edits if finding.fix else ()
