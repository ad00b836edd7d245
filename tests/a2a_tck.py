"""The official kits of A2A, each at one commit, with an environment of their own.

They are in no package: `A2A_TCK` names a clone of their repository; without it they are fetched.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
from io import BytesIO
from pathlib import Path

REPOSITORY = "https://github.com/a2aproject/a2a-tck.git"
COMMITS = {
    "1.0": "357c4a87afa2818731590647cccbea31c31733a2",
    "0.3": "50afdd61169b3a6e099df5147d3282b0acf91307",
}
REQUIREMENTS = (
    *("deepdiff==9.1.0", "gherkin-official==42.0.1", "googleapis-common-protos==1.76.0"),
    *("grpcio==1.85.1", "grpcio-tools==1.85.1", "httpx==0.28.1", "Jinja2==3.1.6"),
    *("jsonschema==4.26.0", "packaging==26.3", "protobuf==7.36.2", "pyOpenSSL==26.4.0"),
    *("pytest==9.2.0", "pytest-asyncio==1.5.0", "pytest-html==4.2.0"),
    *("pytest-json-report==1.5.0", "python-dotenv==1.2.4", "PyYAML==6.0.3"),
    *("requests==2.34.2", "responses==0.26.3"),
)
FOLDER = Path(__file__).parent.parent / ".cache" / "a2a-tck"
FETCH_S = 120


class NoKit(Exception):
    """The kits cannot be had; the message says why."""


def tck(version: str) -> Path:
    """Return the folder of the kit for a version; the first time, get it.

    Raises:
        NoKit: It cannot be had.
    """
    folder = FOLDER / COMMITS[version]
    if not folder.exists():
        made = folder.with_suffix(".new")
        with tarfile.open(fileobj=BytesIO(_archive(COMMITS[version]))) as archive:
            archive.extractall(made, filter="data")
        made.rename(folder)
    return folder


def tck_python() -> Path:
    """Return the interpreter for the kits; the first time, make its environment, with pip."""
    environment = FOLDER / f"py{sys.version_info[0]}.{sys.version_info[1]}"
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = environment / "ready"
    if not ready.exists():
        venv.create(environment, with_pip=True, clear=True)
        quiet = ["--quiet", "--quiet", "--disable-pip-version-check"]
        subprocess.run([python, "-m", "pip", "install", *quiet, *REQUIREMENTS], check=True)
        ready.touch()
    return python


def _archive(commit: str) -> bytes:
    """Return the files of a commit as a tar archive."""
    clone = os.environ.get("A2A_TCK")
    try:
        if clone is None:
            clone = str(FOLDER / "repository")
            if not Path(clone).exists():
                _git("init", "--quiet", "--bare", clone)
            _git("-C", clone, "fetch", "--quiet", "--depth", "1", REPOSITORY, commit)
        return _git("-C", clone, "archive", commit)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error).encode()
        reason = said.decode(errors="replace").strip().splitlines()[-1:]
        raise NoKit(
            f"the kit of A2A at {commit[:7]} cannot be had - {' '.join(reason)} - "
            "name a clone of its repository in the variable `A2A_TCK`"
        ) from None


def _git(*arguments: str) -> bytes:
    quiet = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(
        ["git", *arguments], capture_output=True, check=True, timeout=FETCH_S, env=quiet
    )
    return done.stdout
