"""What a site's agent says of itself: the cards of A2A 1.0, of 0.3, and of the dialect."""

from __future__ import annotations

import json
from typing import Any

from webagent.types import Manifest, Tool
from webagent_dev import __version__
from webagent_dev.config.model import Doors

RPC_PATH = "/a2a/jsonrpc"
REST_PATH = "/a2a/rest"
VERSIONS = ("1.0", "0.3")
"""Of the protocol, the newest first."""
INPUT_MODES = ("text/plain", "application/json")
OUTPUT_MODES = ("text/plain", "application/json")
MOST_SKILLS = 200
_LONGEST = 1_000
_SCHEME = "owner"
_TOLD = "The token of the site's owner, which `webagent-dev token` prints."
_GOAL = {
    "id": "do_goal",
    "name": "Reach a goal in the page",
    "description": "Works on a goal in words in the page that the user has open, with the user's "
    "session: reads it, goes through the site, uses its tools, fills in forms, and asks before it "
    "writes.",
    "tags": ["web", "browsing", "forms", "extraction"],
    "examples": ["Summarise this page", "Open the contact page"],
    "inputModes": ["text/plain"],
    "outputModes": list(OUTPUT_MODES),
}


def agent_card(manifest: Manifest | None, origin: str, doors: Doors) -> dict[str, Any]:
    """Return the card at `/.well-known/agent-card.json`, in the shapes of 1.0 and of 0.3 at once.

    Args:
        manifest: Of the site, if it has one.
        origin: Of the server, as the client knows it.
        doors: Who may come in.
    """
    return {**newer_card(manifest, origin, doors), **_older(origin)}


def dialect_card(manifest: Manifest | None, origin: str, doors: Doors) -> dict[str, Any]:
    """Return the card at `/.well-known/agent.json`: its `url` is the origin, without a slash.

    Args:
        manifest: Of the site, if it has one.
        origin: Of the server, as the client knows it.
        doors: Who may come in.
    """
    return {**newer_card(manifest, origin, doors), "url": origin}


def newer_card(manifest: Manifest | None, origin: str, doors: Doors) -> dict[str, Any]:
    """Return what of the card clients of 1.0 look at.

    Args:
        manifest: Of the site, if it has one.
        origin: Of the server, as the client knows it.
        doors: Who may come in.
    """
    urls = {"JSONRPC": f"{origin}{RPC_PATH}", "HTTP+JSON": f"{origin}{REST_PATH}"}
    host = origin.split("://", 1)[-1]
    told = manifest.description if manifest else ""
    tools = manifest.tools if manifest else []
    return {
        "name": (manifest.name if manifest else "") or host,
        "description": told[:_LONGEST] or f"The agent of the pages at {host}.",
        "version": manifest.version if manifest else __version__,
        "supportedInterfaces": [
            {"url": url, "protocolBinding": binding, "protocolVersion": version}
            for version in VERSIONS
            for binding, url in urls.items()
        ],
        "capabilities": {"streaming": True, "pushNotifications": False},
        "defaultInputModes": list(INPUT_MODES),
        "defaultOutputModes": list(OUTPUT_MODES),
        "skills": [_GOAL, *map(_skill, tools[:MOST_SKILLS])],
        **(_security() if doors == "token" else {}),
    }


def _older(origin: str) -> dict[str, Any]:
    """Return what only clients of 0.3 look at."""
    rpc, rest = f"{origin}{RPC_PATH}", f"{origin}{REST_PATH}"
    return {
        "protocolVersion": "0.3.0",
        "url": rpc,
        "preferredTransport": "JSONRPC",
        "additionalInterfaces": [
            {"url": rpc, "transport": "JSONRPC"},
            {"url": rest, "transport": "HTTP+JSON"},
        ],
        "supportsAuthenticatedExtendedCard": False,
    }


def _skill(tool: Tool) -> dict[str, Any]:
    example = json.dumps({"tool": tool.name, "arguments": {}})
    return {
        "id": tool.name,
        "name": tool.title or tool.name,
        "description": tool.description[:_LONGEST] or tool.name,
        "tags": ["tool", tool.behavior.effect],
        "examples": [f"A data part: {example}"],
        "inputModes": list(INPUT_MODES),
        "outputModes": list(OUTPUT_MODES),
    }


def _security() -> dict[str, Any]:
    """Return what tells that a token is needed, as 1.0 and as 0.3 write it."""
    return {
        "securitySchemes": {
            _SCHEME: {
                "httpAuthSecurityScheme": {"scheme": "Bearer", "description": _TOLD},
                "type": "http",
                "scheme": "bearer",
                "description": _TOLD,
            }
        },
        "securityRequirements": [{"schemes": {_SCHEME: {"list": []}}}],
        "security": [{_SCHEME: []}],
    }
