"""The examples of the CommonMark specification, from the npm package that carries it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = "commonmark-spec@0.31.2"
FOLDER = ROOT / ".cache" / "commonmark" / PACKAGE
_EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n.*?^`{32}$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """One example: its number in the specification, and the Markdown."""

    number: int
    markdown: str


def examples() -> list[Example]:
    """Return all examples; the first time, install the package, with npm."""
    text = FOLDER / "node_modules" / "commonmark-spec" / "spec.txt"
    if not text.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        options = ["--silent", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]
        subprocess.run(["npm", "install", *options, "--prefix", FOLDER, PACKAGE], check=True)
    found = _EXAMPLE.finditer(text.read_text(encoding="utf-8"))
    return [Example(n, match[1].replace("→", "\t")) for n, match in enumerate(found, 1)]
