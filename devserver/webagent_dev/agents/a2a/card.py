"""The cards of the agent of a site: for A2A 1.0, for 0.3, and for clients of the goal API."""

from __future__ import annotations

import json
from typing import Any

from webagent.types import Manifest, Tool
from webagent_dev import __version__
from webagent_dev.config.model import Doors

RPC_PATH = "/a2a/jsonrpc"
REST_PATH = "/a2a/rest"
VERSIONS = ("1.0", "0.3")
"""The versions of the protocol that are supported, the newest first."""
INPUT_MODES = ("text/plain", "application/json")
OUTPUT_MODES = ("text/plain", "application/json")
MOST_SKILLS = 200
_LONGEST_TEXT = 1_000
_SCHEME = "owner"
_SCHEME_NOTE = "The token of the site's owner, which `webagent-dev token` prints."
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
        doors: Who has access.
    """
    return {**card_v1_0(manifest, origin, doors), **_card_v0_3(origin)}


def goal_api_card(manifest: Manifest | None, origin: str, doors: Doors) -> dict[str, Any]:
    """Return the card at `/.well-known/agent.json`: its `url` is the origin, without a slash.

    Args:
        manifest: Of the site, if it has one.
        origin: Of the server, as the client knows it.
        doors: Who has access.
    """
    return {**card_v1_0(manifest, origin, doors), "url": origin}


def card_v1_0(manifest: Manifest | None, origin: str, doors: Doors) -> dict[str, Any]:
    """Return the fields that clients of 1.0 read.

    Args:
        manifest: Of the site, if it has one.
        origin: Of the server, as the client knows it.
        doors: Who has access.
    """
    urls = {"JSONRPC": f"{origin}{RPC_PATH}", "HTTP+JSON": f"{origin}{REST_PATH}"}
    host = origin.split("://", 1)[-1]
    description = manifest.description if manifest else ""
    tools = manifest.tools if manifest else []
    return {
        "name": (manifest.name if manifest else "") or host,
        "description": description[:_LONGEST_TEXT] or f"The agent of the pages at {host}.",
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


def _card_v0_3(origin: str) -> dict[str, Any]:
    """Return the fields that only clients of 0.3 read."""
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
        "description": tool.description[:_LONGEST_TEXT] or tool.name,
        "tags": ["tool", tool.behavior.effect],
        "examples": [f"A data part: {example}"],
        "inputModes": list(INPUT_MODES),
        "outputModes": list(OUTPUT_MODES),
    }


def _security() -> dict[str, Any]:
    """Return the fields that say that a token is needed, in the spellings of 1.0 and of 0.3."""
    return {
        "securitySchemes": {
            _SCHEME: {
                "httpAuthSecurityScheme": {"scheme": "Bearer", "description": _SCHEME_NOTE},
                "type": "http",
                "scheme": "bearer",
                "description": _SCHEME_NOTE,
            }
        },
        "securityRequirements": [{"schemes": {_SCHEME: {"list": []}}}],
        "security": [{_SCHEME: []}],
    }
