"""Packages from npm that tests run against, each set of them in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Work in a folder while the other processes of a run wait for theirs.

    Args:
        folder: One that is there.
    """
    # Not on Windows, where these tests are collected too.
    import fcntl

    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def installed(packages: dict[str, str], folder: Path) -> Path:
    """Return the folder in which packages are; get them the first time, and when they change.

    Args:
        packages: Their versions by name.
        folder: For them alone.
    """
    ready = folder / "ready"
    folder.mkdir(parents=True, exist_ok=True)
    with alone(folder):
        described = json.dumps({"private": True, "type": "module", "dependencies": packages})
        if not ready.exists() or ready.read_text() != described:
            (folder / "package.json").write_text(described)
            install = ["npm", "install", "--silent", "--no-audit", "--no-fund"]
            subprocess.run(install, cwd=folder, check=True)
            ready.write_text(described)
    return folder
