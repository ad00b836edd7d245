"""Writes `docs/reference/compatibility.md` from the cases: `python -m tests.compat.page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.compat.run import CASES, THEMES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "compatibility.md"

INTRODUCTION = """\
# Beside the format's own SDK

For those who come from `webagents-md`, or have to choose; [how to change over](../how-to/from-sdk.md) is a page of its own.

`webagent-core` takes the place of `webagents-md`, the SDK that the format came with: the same import name, modules,
functions and models. Programs written as that SDK documents them run unchanged; they are in
[`tests/compat/programs.py`](../../tests/compat/programs.py), and run under both packages.

Where the SDK's answer is wrong, ours is another. Below is every such place that we know, each with a check. `make test` runs
the checks here; `make conformance` also runs them under `webagents-md` 0.1.0, in an environment of its own, and demands that
every one fails there.

This page is written by `python -m tests.compat.page`.
"""

DECISIONS = """\
## Decided otherwise

One could expect something else of these; this is why they are as they are.
"""


def page() -> str:
    """Return the page."""
    return "\n".join([INTRODUCTION, *_tables(), DECISIONS, *_decisions()])


def _tables() -> Iterator[str]:
    for theme in THEMES:
        title = (theme.__doc__ or "").split("\n")[0].rstrip(".")
        yield f"## {title}\n\n| | what is checked | `webagents-md` | `webagent` | check |\n|---|---|---|---|---|"
        for case in theme.case.found:
            file, _ = case.place
            check = f"[`{case.check.__name__}`](../../tests/compat/{file})"
            cells = (case.id, case.title, case.sdk, case.ours, check)
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
        yield ""


def _decisions() -> Iterator[str]:
    for case in CASES:
        if case.decision:
            yield f"- **{case.id}** {case.title} {case.decision}"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page().rstrip() + "\n", encoding="utf-8")
