"""The format's own SDK in an environment of its own, as both packages import as `webagent`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from typing import Any

from tests.lock import constraints_file

ROOT = Path(__file__).parent.parent
REQUIREMENT = "webagents-md==0.1.0"
ENVIRONMENT = (
    ROOT / ".cache" / "sdk" / f"{REQUIREMENT}-py{sys.version_info[0]}.{sys.version_info[1]}"
)


def sdk_python() -> Path:
    """Return the interpreter of the environment; the first time, make it, with pip."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = ENVIRONMENT / "ready"
    if not ready.exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        options = [
            "--quiet",
            "--quiet",
            "--disable-pip-version-check",
            "--constraint",
            constraints_file(),
        ]
        subprocess.run([python, "-m", "pip", "install", *options, REQUIREMENT], check=True)
        ready.touch()
    return python


def run_under_sdk(module: str) -> Any:
    """Run a module of this repository as a program under the SDK, and return the JSON it prints."""
    done = subprocess.run(
        [sdk_python(), "-m", module],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return json.loads(done.stdout)


def sdk_sources() -> Path:
    """Return the folder of the release's source archive, which has its tests; get it with pip."""
    folder = ENVIRONMENT.with_name(f"{REQUIREMENT}-sources")
    if not folder.exists():
        archive = ENVIRONMENT.with_name(f"{REQUIREMENT}-archive")
        options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(archive)]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, REQUIREMENT], check=True)
        (found,) = archive.glob("*.tar.gz")
        with tarfile.open(found) as packed:
            packed.extractall(archive, filter="data")
        (unpacked,) = (path for path in archive.iterdir() if path.is_dir())
        unpacked.rename(folder)
    return folder
