"""Suggestions to visitors: the section, and its findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from webagent import parse, to_markdown
from webagent.checks import check
from webagent.checks.suggestions import suggestions_in
from webagent.serializer import normalize

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "cases" / "suggestions.json").read_text("utf-8")
)
FILE = "# Shop\n\n{}\n\n## search\n\nFind.\n\n### Params\n"


def findings(text: str) -> list[str]:
    found = check(FILE.format(text)).findings
    return [finding.message for finding in found if finding.rule == "unusable-suggestions"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_a_section_holds_a_greeting_and_goals(case: dict[str, Any]) -> None:
    """The panel's own reader has the same cases."""
    found = suggestions_in(case["text"])

    assert (found.greeting, [*found.goals]) == (case.get("greeting", ""), case.get("goals", []))
    assert case.get("problem", "") in found.problem
    assert bool(found.problem) == ("problem" in case)
    reported = findings(f"## Suggestions\n\n{case['text']}")
    assert reported == (
        [f"the panel does not show these suggestions: {found.problem}"] * bool(found.problem)
    )


def test_a_second_section_is_reported() -> None:
    """The panel shows one; the title may be in any case."""
    section = "## suggestions\n\n- One"

    assert findings(section) == []
    assert findings(f"{section}\n\n{section}") == [
        "the panel does not show these suggestions: an earlier section has this title"
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_it_stays_a_note(case: dict[str, Any]) -> None:
    """As for every other reader of the format, and written as it was."""
    manifest = parse(FILE.format(f"## Suggestions\n\n{case['text']}"))

    assert [note.title for note in manifest.notes] == ["Suggestions"]
    assert parse(to_markdown(manifest)).notes == normalize(manifest).notes
    assert [tool.name for tool in manifest.tools] == ["search"]
