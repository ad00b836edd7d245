"""Write the exact versions of the development environment, with the hashes of their files.

`lock.txt` has those of the projects, and `docs_site/lock.txt` what `make docs` needs besides.

    python scripts/lock.py                            what the projects need, at the locked versions
    python scripts/lock.py --upgrade                  at the newest versions
    python scripts/lock.py --upgrade-package pytest   one of them at its newest version

Further options are passed on to `uv pip compile`; uv has to be on PATH (`pip install uv`). The
versions are for every Python that the projects allow, and the hashes for every platform. The index is
the one that the environment of uv names; the file names none.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "lock.txt"
DOCS_LOCK = ROOT / "docs_site" / "lock.txt"
DOCS_NEED = "zensical"
PROJECTS = ("", "core", "siteserver", "devserver")
OWN = "webagent-"
"""How the names of our own packages begin, which are installed from this folder."""
HEADER = """\
# Exact versions of the development environment, its build tools included, with hashes.
# `make setup` installs them first. Written by `python scripts/lock.py`.
"""
DOCS_HEADER = """\
# Exact versions of what builds the site of the documentation, with hashes.
# `make docs` installs them. Written by `python scripts/lock.py`.
"""


def requirements() -> list[str]:
    """Return what the projects need from others: to run, with each extra, and to be built."""
    found: set[str] = set()
    for folder in PROJECTS:
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))
        found.update(project["build-system"]["requires"], project["project"]["dependencies"])
        for extra in project["project"].get("optional-dependencies", {}).values():
            found.update(extra)
    return sorted(name for name in found if not name.startswith(OWN))


def write(path: Path, needed: list[str], header: str, *options: str) -> int:
    """Write a file of versions; return the exit code.

    Args:
        path: Of the file; its versions stay unless the options move them.
        needed: The requirements.
        header: The comment that the file begins with.
        options: Of `uv pip compile`.
    """
    lowest = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    command = ["uv", "pip", "compile", "-", "--quiet", "--universal", "--generate-hashes"]
    command += ["--python-version", lowest["requires-python"].removeprefix(">=")]
    command += ["--no-header", "--no-annotate", "--output-file", str(path), *options]
    done = subprocess.run(
        command, input="\n".join(needed), text=True, check=False, stdout=subprocess.DEVNULL
    )
    if done.returncode == 0:
        path.write_text(header + path.read_text("utf-8"), "utf-8")
    return done.returncode


def main() -> int:
    """Write both files; return the exit code."""
    if shutil.which("uv") is None:
        print("lock: uv is not on PATH; run `pip install uv`", file=sys.stderr)
        return 1
    options = sys.argv[1:]
    # Both are installed into one environment, so what both have is at one version.
    return write(LOCK, requirements(), HEADER, *options) or write(
        DOCS_LOCK, [DOCS_NEED], DOCS_HEADER, "--constraint", str(LOCK), *options
    )


if __name__ == "__main__":
    raise SystemExit(main())
