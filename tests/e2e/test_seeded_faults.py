"""`webagent-dev test` on four sites: correct, they pass; each seeded fault is found where it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.seeded_faults import FAULTS, MANIFEST, Fault
from tests.e2e.test_commands import command

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(400)]

SITES = Path(__file__).parent.parent / "sites"

UNPROVEN = {"bakery": set(), "hall": {"book_room"}, "nursery": {"placeOrder"}, "repairs": set()}
"""The tools of each site that need a person: one who sends a form, or who names what is final."""

ACCOUNT = {"WORKSHOP_EMAIL": "nora@tallowstreet.example", "WORKSHOP_PASSWORD": "brass-screw"}
"""The environment that the workshop's `[test] login` reads."""


async def report_of(site: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code of `webagent-dev test`, and its report."""
    report = site.with_suffix(".json")
    code, out, err = await command("test", site, "--format", "json", "-o", report, *options)
    assert report.exists(), out + err
    return code, json.loads(report.read_text("utf-8"))


def blamed(report: dict[str, Any]) -> dict[str, list[tuple[str, int, str]]]:
    """Return what is said against each tool: file, line and message of the proofs that failed."""
    failed: dict[str, list[tuple[str, int, str]]] = {}
    for tool in report["tools"]:
        for proof in tool["proofs"]:
            if proof["verdict"] == "failed":
                place = proof["place"]
                said = (Path(place["path"]).name, place["line"], proof["message"])
                failed.setdefault(tool["name"], []).append(said)
    return failed


def lines_of(manifest: str, tool: str, parts: tuple[str, ...]) -> set[int]:
    """Return the numbers of the lines of a tool's section that have one of the parts."""
    rows = manifest.splitlines()
    start = rows.index(f"## {tool}")
    end = next((n for n in range(start + 1, len(rows)) if rows[n].startswith("## ")), len(rows))
    fences = [n for n in range(start, end) if rows[n].startswith("```")]
    blocks = list(zip(fences[::2], fences[1::2], strict=True))
    found: set[int] = set()
    for part in parts:
        if part.startswith("interface "):
            found.add(next(n for n, row in enumerate(rows, 1) if row.startswith(part)))
            continue
        at = [n for n in range(start, end) if part in rows[n]]
        assert at, f"{tool} has no line with {part}"
        first, last = next(((a, b) for a, b in blocks if a < at[0] < b), (at[0], at[0]))
        found |= set(range(first + 1, last + 2))
    return found


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("site", UNPROVEN)
async def test_a_correct_site_passes(site: str, tmp_path: Path) -> None:
    """Nothing is blamed, and all that needs no person is proven."""
    code, report = await report_of(shutil.copytree(SITES / site, tmp_path / site))
    verdicts = {tool["name"]: tool["verdict"] for tool in report["tools"]}

    assert blamed(report) == {}
    assert [one for one in report.get("sequences", []) if one["verdict"] == "failed"] == []
    assert {name for name, verdict in verdicts.items() if verdict != "passed"} == UNPROVEN[site]
    assert code == 0


@pytest.mark.parametrize(
    ("file", "before", "after", "tool", "line"),
    [
        ("index.html", 'autocomplete="email" required', "", "subscribe", "- `email`"),
        (MANIFEST, "optional): Month", "required): Month", "find_events", "- `month`"),
        ("hire.html", 'autocomplete="tel"', "required", "book_room", "- `phone`"),
    ],
)
async def test_a_field_that_one_of_both_requires_is_noted(
    tmp_path: Path, file: str, before: str, after: str, tool: str, line: str
) -> None:
    """With its line; no call fails by it, so it is no failure."""
    root = shutil.copytree(SITES / "hall", tmp_path / "hall")
    text = (root / file).read_text("utf-8")
    assert text.count(before) == 1
    (root / file).write_text(text.replace(before, after), "utf-8")

    _, report = await report_of(root, "--only", tool)
    remarks = [text for proof in report["tools"][0]["proofs"] for text in proof.get("remarks", ())]
    (number,) = lines_of((root / MANIFEST).read_text("utf-8"), tool, (line,))

    assert blamed(report) == {}
    assert any(f"write the same into both (line {number})" in text for text in remarks), remarks


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.site}: {fault.what}")
async def test_a_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    """The report names its tool and its line, and blames no other tool."""
    root = shutil.copytree(SITES / fault.site, tmp_path / fault.site)
    edited = root / fault.file
    text = edited.read_text("utf-8")
    assert text.count(fault.before) == 1
    edited.write_text(text.replace(fault.before, fault.after), "utf-8")

    code, report = await report_of(root, *fault.options)
    failed = blamed(report)
    allowed = lines_of((root / MANIFEST).read_text("utf-8"), fault.tool, fault.lines)

    assert code == 1
    assert list(failed) == [fault.tool]
    lines = {line for file, line, _ in failed[fault.tool] if file == MANIFEST}
    assert lines & allowed, (sorted(allowed), failed)
