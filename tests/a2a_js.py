"""The official kit of A2A for JavaScript, in a folder of its own; from npm."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

PACKAGES = {"@a2a-js/sdk": "1.3.0"}
FOLDER = Path(__file__).parent.parent / ".cache" / "a2a-js" / "-".join(PACKAGES.values())


def js_kit() -> Path:
    """Return the folder in which the kit is; the first time, get it."""
    ready = FOLDER / "ready"
    if not ready.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        described = {"private": True, "type": "module", "dependencies": PACKAGES}
        (FOLDER / "package.json").write_text(json.dumps(described))
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund"]
        subprocess.run(install, cwd=FOLDER, check=True)
        ready.touch()
    return FOLDER
