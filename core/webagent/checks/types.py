"""Whether types are TypeScript, and of names that mean something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from webagent.codegen.scope import Problem, SharedTypes
from webagent.codegen.shared_types import is_types, shared_types
from webagent.codegen.types import is_plain, resolve
from webagent.diagnostics import Edit, Finding, Fix, Severity
from webagent.parser import Reading
from webagent.source import Span
from webagent.tstypes import TypeSyntaxError


class _Written(NamedTuple):
    """A type as written, and whose it is."""

    text: str
    owner: str
    place: Span
    tool: str


RULES = ("invalid-type", "unknown-type")
"""What can be wrong with a type."""


def unclear_types(reading: Reading) -> Iterator[Finding]:
    """Yield types that cannot be read, and names in types that nobody declared."""
    shared = shared_types(reading.manifest)
    for written in _types(reading, shared):
        resolved = resolve(written.text, shared)
        if resolved.error is not None:
            yield _unreadable(reading, written, resolved.error)
        for problem in resolved.problems:
            place = _within(reading, written, problem.start, problem.end)
            yield _unknown(reading, problem, f"the type of {written.owner}", place, written.tool)
    for name, fence, problem in shared.problems:
        place = _place_in_types(reading, fence, Span(problem.start, problem.end))
        yield _unknown(reading, problem, f"the shared type `{name}`", place, None)


def _unreadable(reading: Reading, written: _Written, error: TypeSyntaxError) -> Finding:
    return Finding(
        "invalid-type",
        Severity.ERROR,
        f"the type `{_short(written.text)}` of {written.owner} cannot be read: {error.message}",
        "write a TypeScript type, such as `string`, `number[]` or `{ id: string }`",
        _within(reading, written, error.start, error.end),
        written.tool,
    )


def _unknown(
    reading: Reading, problem: Problem, owner: str, place: Span, tool: str | None
) -> Finding:
    exact = reading.source.text[place.start : place.end] == problem.text
    fix = None
    if problem.instead:
        remedy = f"write `{problem.instead}`"
        if exact:
            fix = Fix(remedy, (Edit(place, problem.instead),))
    else:
        remedy = "write the type out: `{ id: string; name: string }`, or declare it in `## Types`"
    return Finding(
        "unknown-type",
        Severity.WARNING,
        f"`{_short(problem.text)}` in {owner} {problem.why}",
        remedy,
        place,
        tool,
        fix,
    )


DECLARATION_RULES = ("invalid-declaration", "duplicate-type", "circular-type")
"""What can be wrong with a shared type, besides the names it uses."""


def shared_declarations(reading: Reading) -> Iterator[Finding]:
    """A shared type cannot be declared as it is written."""
    for trouble in shared_types(reading.manifest).troubles:
        yield Finding(
            trouble.rule,
            trouble.severity,
            trouble.message,
            trouble.remedy,
            _place_in_types(reading, trouble.fence, trouble.span),
        )


def _place_in_types(reading: Reading, fence: str, span: Span) -> Span:
    """Return the place of a stretch of a fence with shared types, or of the note's title."""
    text, last = reading.source.text, Span(0, 0)
    for note, place in zip(reading.manifest.notes, reading.notes, strict=True):
        if is_types(note):
            last = place.title
            at = text.find(fence, place.span.start, place.span.end) if fence else -1
            if at >= 0:
                return Span(at + span.start, at + max(span.end, span.start + 1))
    return last


def _types(reading: Reading, shared: SharedTypes) -> Iterator[_Written]:
    """Yield the types of all tools but those that are plainly in order."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        for param, spot in zip(tool.params, place.params, strict=True) if tool.params else ():
            if not is_plain(param.type, shared):
                yield _Written(param.type, f"`{param.name}`", spot.type, tool.name)
        if tool.returns and not is_plain(tool.returns, shared):
            span = place.returns or place.name
            yield _Written(tool.returns, "the output", span, tool.name)


def _within(reading: Reading, written: _Written, start: int, end: int) -> Span:
    """Return the place of a part of a type, or of the whole where it was not copied as it is."""
    text = reading.source.text[written.place.start : written.place.end]
    at = text.find(written.text)
    if at < 0:
        return written.place
    return Span(written.place.start + at + start, written.place.start + at + max(end, start + 1))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"
