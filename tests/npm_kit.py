"""Packages from npm that tests run against, each set of them in a folder of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path


def installed(packages: dict[str, str], folder: Path) -> Path:
    """Return the folder in which packages are; the first time, get them.

    Args:
        packages: Their versions by name.
        folder: For them alone.
    """
    ready = folder / "ready"
    if not ready.exists():
        folder.mkdir(parents=True, exist_ok=True)
        described = {"private": True, "type": "module", "dependencies": packages}
        (folder / "package.json").write_text(json.dumps(described))
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund"]
        subprocess.run(install, cwd=folder, check=True)
        ready.touch()
    return folder
