"""Reads the cases of the language: Markdown files of title, input and expected output.

    title
    .
    input
    .
    expected
    .

In an input, `→` stands for a tab, `␍` for a carriage return, `␠` for a space at the end of a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from webagent.checks import Report
from webagent.types import Behavior, Note, Tool

CASES = Path(__file__).parent.parent / "cases"

SIGNS = {"→": "\t", "␍": "\r", "␠": " "}


def cases(name: str) -> list[Any]:
    """Return (input, expected) of each case of a file, with title and line as its id."""
    found = []
    parts: list[list[str]] = [[]]
    start = 1
    for number, line in enumerate((CASES / f"{name}.md").read_text("utf-8").split("\n"), 1):
        if line != ".":
            parts[-1].append(line)
            if len(parts) == 1 and not line.strip():
                parts, start = [[]], number + 1
            continue
        parts.append([])
        if len(parts) == 4:
            title, given, expected = ("\n".join(part) for part in parts[:3])
            for sign, character in SIGNS.items():
                given = given.replace(sign, character)
            found.append(pytest.param(given, expected, id=f"{name}.md:{start} {title}"))
            parts = [[]]
    return found


def outline(report: Report) -> str:
    """Return all that was read from a manifest, one thing a line, then the findings."""
    manifest = report.manifest
    rows = [f"name {manifest.name}"] if manifest.name else []
    rows += [f"version {manifest.version}"] if manifest.version != "0.1" else []
    rows += [f"description {_text(manifest.description)}"] if manifest.description else []
    for index in range(len(manifest.tools) + 1):
        rows += [_note("note", note) for note in manifest.notes if note.after == index]
        if index < len(manifest.tools):
            rows += _tool(manifest.tools[index])
    for finding in report.findings:
        place = report.source.position(finding.span.start)
        rows.append(f"{place.line}:{place.column} {finding.severity} {finding.rule}")
    return "\n".join(rows)


def _tool(tool: Tool) -> Iterator[str]:
    yield f"tool {tool.name}"
    if tool.description:
        yield f"  description {_text(tool.description)}"
    for param in tool.params:
        mark = "" if param.required else "?"
        default = "" if param.default is None else f" = {param.default}"
        text = f" -- {_text(param.description)}" if param.description else ""
        yield f"  param {param.name}{mark}: {_text(param.type)}{default}{text}"
    if tool.returns:
        yield f"  returns {_text(tool.returns)}"
    if tool.sample_code:
        yield f"  sample {_text(tool.sample_code)}"
    for name, value in tool.behavior:
        if value != getattr(Behavior(), name):
            yield f"  {name} {value}"
    for note in tool.notes:
        yield _note("  note", note)


def _note(word: str, note: Note) -> str:
    return f"{word} {note.title}: {_text(note.text)}".rstrip()


def _text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
