"""The card by which assistants that speak A2A find the agent of a site, and the way to a token."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit

from webagent.types import Manifest
from webagent_site.config.urls import A2A_PATH, OAUTH_PATH, SERVER_METADATA_PATH
from webagent_site.http.a2a.card import OUTPUT_MODES, card_v1_0

_SCHEME: Final = "visitor"
_SKILL: Final = {
    "id": "call_tool",
    "name": "Call a tool of the open page",
    "description": "Calls one tool of the page of this site that the user has open, with the user's "
    'session: a data part {"tool": "its name", "arguments": {}}. The user allows each tool in the panel '
    "of the page, and is asked there before something is changed. Goals in words are not taken.",
    "tags": ["tool"],
    "inputModes": ["application/json"],
    "outputModes": list(OUTPUT_MODES),
}


def agent_card(manifest: Manifest, base: str) -> dict[str, Any]:
    """Return the card of A2A 1.0.

    Args:
        manifest: Of the site.
        base: The origin of the site, and the path of the mount.
    """
    return card_v1_0(
        manifest,
        host=urlsplit(base).netloc,
        version=version("webagent-site"),
        urls={"JSONRPC": f"{base}{A2A_PATH}"},
        skills=[_SKILL],
        security=_security(base),
    )


def _security(base: str) -> dict[str, Any]:
    oauth = f"{base}{OAUTH_PATH}"
    flow = {
        "authorizationUrl": f"{oauth}/authorize",
        "tokenUrl": f"{oauth}/token",
        "refreshUrl": f"{oauth}/token",
        # The user allows tools one by one.
        "scopes": {},
        "pkceRequired": True,
    }
    scheme = {
        "description": "The user connects the assistant on a page of this site.",
        "flows": {"authorizationCode": flow},
        "oauth2MetadataUrl": f"{base}{SERVER_METADATA_PATH}",
    }
    return {
        "securitySchemes": {_SCHEME: {"oauth2SecurityScheme": scheme}},
        "securityRequirements": [{"schemes": {_SCHEME: {"list": []}}}],
    }
