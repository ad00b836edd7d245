"""page-agent, an agent in one script, which the panel is held against."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.npm_kit import installed

PACKAGES: Final = {"page-agent": "1.12.4"}
FOLDER = Path(__file__).parents[1] / ".cache" / "page-agent"


def page_agent_script() -> Path:
    """Return its script for a page, with everything in it; the first time, install it."""
    modules = installed(PACKAGES, FOLDER) / "node_modules"
    return modules / "page-agent" / "dist" / "iife" / "page-agent.demo.js"
