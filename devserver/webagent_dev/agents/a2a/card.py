"""The cards of the agent of a site: for A2A 1.0, for 0.3, and for clients of the goal API."""

from __future__ import annotations

from typing import Any

from webagent.types import Manifest
from webagent_dev import __version__
from webagent_dev.config.model import Doors
from webagent_site.config.urls import A2A_PATH
from webagent_site.http.a2a import card as shared
from webagent_site.http.a2a.card import OUTPUT_MODES

REST_PATH = "/a2a/rest"
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
    return shared.card_v1_0(
        manifest,
        host=origin.split("://", 1)[-1],
        version=__version__,
        urls={"JSONRPC": f"{origin}{A2A_PATH}", "HTTP+JSON": f"{origin}{REST_PATH}"},
        skills=[_GOAL],
        security=_security() if doors == "token" else {},
    )


def _card_v0_3(origin: str) -> dict[str, Any]:
    """Return the fields that only clients of 0.3 read."""
    rpc, rest = f"{origin}{A2A_PATH}", f"{origin}{REST_PATH}"
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
