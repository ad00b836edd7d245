"""The client and the schemas of AG-UI from npm, and a front end that is made with them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.npm_kit import installed

VERSIONS = ("1.0.0", "0.0.59")
"""Of AG-UI: the current one, and the one that front ends of 2026 come with."""
ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".cache" / "agui"


def front_end_script(version: str) -> bytes:
    """Return the script of a page, with the agent of the documentation; the first time, get the packages."""
    packages = {"@ag-ui/client": version, "@ag-ui/core": version, "zod": "3.25.76"}
    folder = installed(packages, FOLDER / version)
    page = (ROOT / "docs" / "how-to" / "front-ends.md").read_text("utf-8")
    (agent,) = re.findall(r"^```ts\n(import .*?)^```$", page, re.MULTILINE | re.DOTALL)
    (folder / "agent.ts").write_text(agent, encoding="utf-8")
    # Packages are looked for beside the program.
    source = shutil.copy(ROOT / "tests" / "conformance" / "agui" / "front_end.mjs", folder)
    esbuild = ROOT / "browser_bundle" / "node_modules" / ".bin" / "esbuild"
    # Before 1.0 the schemas were in the package itself.
    older = [] if version == VERSIONS[0] else ["--alias:@ag-ui/core/schemas=@ag-ui/core"]
    built = subprocess.run(
        [esbuild, source, "--bundle", "--format=esm", "--log-level=warning", *older],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return built.stdout
