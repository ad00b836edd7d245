"""The client and the schemas of AG-UI from npm, and a front end that is made with them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.npm_kit import installed

PACKAGES = {"@ag-ui/client": "1.0.0", "@ag-ui/core": "1.0.0", "zod": "3.25.76"}
ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".cache" / "agui" / "-".join(PACKAGES.values())


def front_end_script() -> bytes:
    """Return the script of a page; the first time, get the packages."""
    folder = installed(PACKAGES, FOLDER)
    # Packages are looked for beside the program.
    source = shutil.copy(ROOT / "tests" / "conformance" / "agui" / "front_end.mjs", folder)
    esbuild = ROOT / "browser_bundle" / "node_modules" / ".bin" / "esbuild"
    built = subprocess.run(
        [esbuild, source, "--bundle", "--format=esm", "--log-level=warning"],
        check=True,
        capture_output=True,
    )
    return built.stdout
