"""The official suite of MCP, its inspector and the kits for TypeScript, in a folder of their own; from npm."""

from __future__ import annotations

import json
from pathlib import Path

from tests.npm_kit import installed

PACKAGES = {
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    # The kit for TypeScript of the protocol with sessions, and of the one without.
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/inspector": "2.12.0",
    # The suite needs a newer one than the build of the page does.
    "node": "24.9.0",
}
FOLDER = Path(__file__).parent.parent / ".cache" / "mcp" / "-".join(PACKAGES.values())


def kit() -> Path:
    """Return the folder in which the packages are; the first time, get them."""
    return installed(PACKAGES, FOLDER)


def node() -> Path:
    """Return the interpreter for them."""
    return kit() / "node_modules" / "node" / "bin" / "node"


def suite() -> Path:
    """Return the program that runs the suite."""
    return kit() / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


def inspector() -> Path:
    """Return the program of the inspector."""
    folder = kit() / "node_modules" / "@modelcontextprotocol" / "inspector"
    described = json.loads((folder / "package.json").read_text())
    return folder / str(described["bin"]["mcp-inspector"])
