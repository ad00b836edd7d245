"""The documentation tells the truth: its Python runs, its links lead somewhere."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        ROOT / "core/README.md",
        ROOT / "devserver/README.md",
    ]
)
FENCE = re.compile(r"^(?P<mark>`{3,})(\w*)\n(.*?)^(?P=mark)$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[pytest.ParameterSet]:
    """Return `(path, first line, code)` of every block of a language, named by its place."""
    found = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            if match[2] == language:
                line = text.count("\n", 0, match.start(3)) + 1
                place = f"{path.relative_to(ROOT).as_posix()}:{line}"
                found.append(pytest.param(path, line, match[3], id=place))
    return found


@pytest.mark.parametrize(("path", "line", "code"), blocks("python"))
def test_python_in_the_documentation_runs(
    path: Path, line: int, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each Python block runs by itself, in an empty folder; top-level await is allowed."""
    monkeypatch.chdir(tmp_path)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    program = compile("\n" * (line - 1) + code, str(path), "exec", flags=flags, dont_inherit=True)
    if program.co_flags & inspect.CO_COROUTINE:
        asyncio.run(eval(program, {"__name__": "docs"}))
    else:
        exec(program, {"__name__": "docs"})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files(path: Path) -> None:
    """A relative link names a file that is there."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)

    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_every_test_that_the_documentation_names_is_there() -> None:
    """A promise names the test that keeps it."""
    named = {
        name for path in PAGES for name in re.findall(r"`(test_\w+)`", path.read_text("utf-8"))
    }
    files = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    written = {name for text in files for name in re.findall(r"def (test_\w+)", text)}

    assert named - written == set()
