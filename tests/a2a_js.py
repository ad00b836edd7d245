"""The official kit of A2A for JavaScript, in a folder of its own; from npm."""

from __future__ import annotations

from pathlib import Path

from tests.npm_kit import installed

PACKAGES = {"@a2a-js/sdk": "1.3.0"}
FOLDER = Path(__file__).parent.parent / ".cache" / "a2a-js" / "-".join(PACKAGES.values())


def js_kit() -> Path:
    """Return the folder in which the kit is; the first time, get it."""
    return installed(PACKAGES, FOLDER)
