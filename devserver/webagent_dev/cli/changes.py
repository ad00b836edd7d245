"""Changes to files of the user: shown as a diff, agreed to, and written."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import click

from webagent_site.errors import UsageError

COMPARED_LINES = 10_000
"""Lines of both texts together up to which they are compared line by line."""

NOTHING_WRITTEN = "nothing was written - `--yes` writes without asking"


def unified_diff(before: str, after: str, name: str, *, label: str) -> str:
    """Return how a file changes, empty if it does not.

    Args:
        before: Its text.
        after: The new text.
        name: Its name.
        label: Why it changes, shown behind the name of the new version.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if len(old) + len(new) > COMPARED_LINES:
        rows = _one_hunk(old, new)
    else:
        rows = list(difflib.unified_diff(old, new))[2:]
    head = [f"--- {name}\n", f"+++ {name} ({label})\n"] if rows else []
    return "".join(row if row.endswith("\n") else f"{row}\n" for row in [*head, *rows])


def _one_hunk(old: list[str], new: list[str]) -> list[str]:
    """Return all lines from the first change to the last as one hunk."""
    # difflib takes quadratic time: over a minute for a manifest of 10,000 tools.
    start = _equal_lines(old, new)
    removed, added = old[start:], new[start:]
    same = _equal_lines(removed[::-1], added[::-1])
    removed, added = removed[: len(removed) - same], added[: len(added) - same]
    if not removed and not added:
        return []
    first = [start + (1 if lines else 0) for lines in (removed, added)]
    return [
        f"@@ -{first[0]},{len(removed)} +{first[1]},{len(added)} @@\n",
        *(f"-{line}" for line in removed),
        *(f"+{line}" for line in added),
    ]


def _equal_lines(old: list[str], new: list[str]) -> int:
    """Return how many lines are equal from the first on."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(old), len(new)))


def is_agreed(question: str, *, yes: bool) -> bool:
    """Whether a change is agreed to, by `--yes` or by the answer of the person at the terminal."""
    return yes or (sys.stdin.isatty() and click.confirm(question, default=False))


def write_text(path: Path, text: str, remedy: str) -> None:
    """Write a file as UTF-8.

    Args:
        path: The file.
        text: Its text; line ends are kept.
        remedy: What to do where it cannot be written.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        # A page may have halves of characters; they stay visible, as `\ud800`.
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(
            f"`{path}` cannot be written - {error.strerror or error} - {remedy}"
        ) from None


def write_output(path: Path, text: str) -> None:
    """Write a file that the user named for the output of a command.

    Raises:
        UsageError: It cannot be written.
    """
    write_text(path, text, "write the path of a file in an existing folder")
