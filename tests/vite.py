"""Vite, installed once from its lock file, for the tests and the benchmarks."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.npm_kit import alone

FOLDER = Path(__file__).parent / "e2e" / "vite"


def vite_command() -> list[str]:
    """Return the command that starts Vite, or stop with a sentence that says what is missing."""
    program = FOLDER / "node_modules" / "vite" / "bin" / "vite.js"
    with alone(FOLDER):
        if not program.is_file():
            install = ["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
            try:
                subprocess.run(install, cwd=FOLDER, check=True, stdin=subprocess.DEVNULL)
            except (OSError, subprocess.CalledProcessError) as error:
                raise SystemExit(
                    f"vite: it was not installed - {error} - see to npm and the network"
                ) from None
    return ["node", str(program), "--clearScreen", "false"]
