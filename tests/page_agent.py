"""page-agent, whose script the panel is held against, and whose page controller our looks are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.npm_kit import installed

VERSION: Final = "1.12.4"
_PACKAGES: Final = {"page-agent": VERSION, "@page-agent/page-controller": VERSION}
_FOLDER = Path(__file__).parents[1] / ".cache" / "page-agent"


def page_agent() -> Path:
    """Return the folder of its packages; the first time, install them."""
    return installed(_PACKAGES, _FOLDER)


def page_agent_script() -> Path:
    """Return its script for a page, with everything in it."""
    return page_agent() / "node_modules" / "page-agent" / "dist" / "iife" / "page-agent.demo.js"
