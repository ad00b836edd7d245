"""Core's own unit tests as something that Pyodide can run."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = Path(pytest.__file__).parents[1]
NEEDED = ("pytest", "_pytest", "py.py", "pluggy", "iniconfig", "packaging", "pygments", "certifi")
ORACLES = ("markdown_it", "mdurl")
TEXTS = frozenset((".py", ".md", ".json", ".html", ".txt", ".pem"))


def suite(where: str) -> str:
    """Return the program that runs the tests of a folder; its value is what came of it, in JSON."""
    program = (ROOT / "tests" / "pyodide" / "suite.py").read_text(encoding="utf-8")
    return f"WHERE = {f'/repo/{where}'!r}\n{program}"


def archive(*folders: str) -> bytes:
    """Return a zip of folders of the repository below `repo`, and below `packages` of what runs them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for folder in folders:
            for file in _files(ROOT / folder):
                target.write(file, f"repo/{file.relative_to(ROOT)}")
        for file in (ROOT / "tests").glob("*.py"):
            target.write(file, f"repo/tests/{file.name}")
        for name in (*NEEDED, *ORACLES):
            for file in _files(PACKAGES / name):
                target.write(file, f"packages/{file.relative_to(PACKAGES)}")
    return out.getvalue()


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for file in path.rglob("*"):
        if file.suffix in TEXTS and "__pycache__" not in file.parts:
            yield file
