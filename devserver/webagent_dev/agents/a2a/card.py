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
GOAL_API_VERSION = "1.0"
"""The version of the goal API, as its card has it."""
_WEB_BROWSE = {
    "id": "web-browse",
    "name": "Web Browsing",
    "description": "Browses, searches, logs in, reads tables, links and text, and fills in forms, for "
    "a goal in words.",
    "tags": ["web", "browsing", "search", "login", "forms", "extraction"],
    "examples": ["Browse the page /about", "Search for tea", "Extract the price table"],
}
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
    card = card_v1_0(manifest, origin, doors)
    return {**card, **_card_v0_3(origin), **(_security_v0_3(card) if doors == "token" else {})}


def goal_api_card(manifest: Manifest | None, origin: str, doors: Doors) -> dict[str, Any]:
    """Return the card at `/.well-known/agent.json`: its `url` is the origin, without a slash.

    Args:
        manifest: Of the site, if it has one.
        origin: Of the server, as the client knows it.
        doors: Who has access.
    """
    card = card_v1_0(manifest, origin, doors)
    skills = [_WEB_BROWSE, *card["skills"]]
    security = _security_v0_3(card) if doors == "token" else {}
    about = {"version": GOAL_API_VERSION, "skills": skills, "url": origin}
    return {**card, **about, **security}


def card_v1_0(manifest: Manifest | None, origin: str, doors: Doors) -> dict[str, Any]:
    """Return the card for clients of 1.0, without any field that their schema does not have.

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
    """Return the fields that say that a token is needed."""
    scheme = {"httpAuthSecurityScheme": {"scheme": "Bearer", "description": _SCHEME_NOTE}}
    return {
        "securitySchemes": {_SCHEME: scheme},
        "securityRequirements": [{"schemes": {_SCHEME: {"list": []}}}],
    }


def _security_v0_3(card: dict[str, Any]) -> dict[str, Any]:
    """Return the same in the spelling of 0.3, next to that of 1.0."""
    scheme = {"type": "http", "scheme": "bearer", "description": _SCHEME_NOTE}
    both = {**card["securitySchemes"][_SCHEME], **scheme}
    return {"securitySchemes": {_SCHEME: both}, "security": [{_SCHEME: []}]}
