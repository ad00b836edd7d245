"""Each test that the pages on security and privacy name exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = "".join(
    (ROOT / "docs" / name).read_text("utf-8")
    for name in ("reference/attacks.md", "understand/privacy.md")
)


def test_the_tests_that_the_tables_name_exist() -> None:
    """Functions of pytest by their name, files by the end of their path."""
    files = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "browser_bundle/test").glob("*.ts")]
    defined = {
        name
        for path in files
        for name in re.findall(r"^\s*(?:async )?def (test_\w+)", path.read_text("utf-8"), re.M)
    }
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    named_files = re.findall(r"`([\w/]+\.py|[\w/]+\.test\.ts)`", PAGE)

    assert len(named) > 100
    assert named - defined == set()
    assert [n for n in named_files if not any(f.as_posix().endswith(f"/{n}") for f in files)] == []
