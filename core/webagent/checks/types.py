"""Whether types are TypeScript, and of names that mean something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from webagent.codegen.types import resolve
from webagent.diagnostics import Edit, Finding, Fix, Severity
from webagent.parser import Reading
from webagent.source import Span


class _Written(NamedTuple):
    """A type as written, and whose it is."""

    text: str
    owner: str
    place: Span
    tool: str


def invalid_type(reading: Reading) -> Iterator[Finding]:
    """A type cannot be read."""
    for written in _types(reading):
        error = resolve(written.text).error
        if error is None:
            continue
        yield Finding(
            "invalid-type",
            Severity.ERROR,
            f"the type `{_short(written.text)}` of {written.owner} cannot be read: {error.message}",
            "write a TypeScript type, such as `string`, `number[]` or `{ id: string }`",
            _within(reading, written, error.start, error.end),
            written.tool,
        )


def unknown_type(reading: Reading) -> Iterator[Finding]:
    """A type names what nobody declared."""
    for written in _types(reading):
        for problem in resolve(written.text).problems:
            place = _within(reading, written, problem.start, problem.end)
            exact = reading.source.text[place.start : place.end] == problem.text
            fix = None
            if problem.instead:
                remedy = f"write `{problem.instead}`"
                if exact:
                    fix = Fix(remedy, (Edit(place, problem.instead),))
            else:
                remedy = "write the type out: `{ id: string; name: string }`"
            yield Finding(
                "unknown-type",
                Severity.WARNING,
                f"`{_short(problem.text)}` in the type of {written.owner} {problem.why}",
                remedy,
                place,
                written.tool,
                fix,
            )


def _types(reading: Reading) -> Iterator[_Written]:
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        for param, spot in zip(tool.params, place.params, strict=True):
            yield _Written(param.type, f"`{param.name}`", spot.type, tool.name)
        if tool.returns:
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
