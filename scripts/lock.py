"""Write `lock.txt`: the exact versions of the development environment, with the hashes of their files.

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
PROJECTS = ("", "core", "siteserver", "devserver")
OWN = "webagent-"
"""How the names of our own packages begin, which are installed from this folder."""
HEADER = """\
# Exact versions of the development environment, its build tools included, with hashes.
# `make setup` installs them first. Written by `python scripts/lock.py`.
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


def main() -> int:
    """Write the file; return the exit code."""
    uv = shutil.which("uv")
    if uv is None:
        print("lock: uv is not on PATH; run `pip install uv`", file=sys.stderr)
        return 1
    lowest = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    command = [uv, "pip", "compile", "-", "--quiet", "--universal", "--generate-hashes"]
    command += ["--python-version", lowest["requires-python"].removeprefix(">=")]
    command += ["--no-header", "--no-annotate", "--output-file", str(LOCK), *sys.argv[1:]]
    done = subprocess.run(
        command, input="\n".join(requirements()), text=True, check=False, stdout=subprocess.DEVNULL
    )
    if done.returncode == 0:
        LOCK.write_text(HEADER + LOCK.read_text("utf-8"), "utf-8")
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
