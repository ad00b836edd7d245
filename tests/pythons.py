"""Other Pythons of this machine, each with an environment of its own for the core's tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.lock import constraints_file

ROOT = Path(__file__).parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
"""The interpreters that the core runs on."""

NEEDED = (
    "pydantic",
    "snowballstemmer",
    "babel",
    "httpx",
    "hypothesis",
    "starlette",
    "uvicorn",
    "jsonschema",
    "markdown-it-py",
    "pytest",
    "pytest-asyncio",
    "pytest-timeout",
)
"""The packages that the core and its tests import."""


def find_python(version: str) -> Path | None:
    """Return an interpreter of a version: one on PATH, or one that pyenv has installed."""
    return next((path for path in _candidates(version) if _is(path, version)), None)


def environment(interpreter: Path, version: str) -> Path:
    """Return the Python of an environment with what is needed; the first time, make it."""
    folder = ROOT / ".cache" / "pythons" / version
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = folder / "ready"
    needed = "\n".join(NEEDED)
    if not ready.exists() or ready.read_text("utf-8") != needed:
        subprocess.run([interpreter, "-m", "venv", "--clear", folder], check=True)
        options = ["--quiet", "--quiet", "--disable-pip-version-check"]
        pinned = ["--constraint", constraints_file()]
        subprocess.run([python, "-m", "pip", "install", *options, *pinned, *NEEDED], check=True)
        ready.write_text(needed, "utf-8")
    return python


def _candidates(version: str) -> Iterator[Path]:
    name = f"python{version}"
    if found := shutil.which(name):
        yield Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob(f"versions/{version}.*/bin/{name}"))


def _is(path: Path, version: str) -> bool:
    """Whether a file is an interpreter that runs; a wrapper may find none."""
    program = "import sys; print('.'.join(map(str, sys.version_info[:2])))"
    done = subprocess.run([path, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version
