"""The doors of a server as the inspector shows them: the address, and what each program needs."""

from __future__ import annotations

import json
import shlex
from importlib.util import find_spec
from typing import Any

from webagent_dev.agents.a2a.endpoint import CARD_PATH
from webagent_dev.agents.mcp.endpoint import NEEDED, cannot_speak
from webagent_dev.api.clients import (
    NAME,
    PROGRAMS,
    bridge,
    by_address,
    certificate_note,
    door_url,
    token_command,
    token_note,
)
from webagent_dev.config.model import ServeConfig


def view(config: ServeConfig) -> dict[str, Any]:
    """Return who may come in, and by which door; of the token nothing."""
    if config.doors == "off":
        return {"doors": config.doors, "mcp": None, "a2a": None}
    missing = [name for name in NEEDED if find_spec(name) is None]
    return {
        "doors": config.doors,
        "mcp": {
            "url": door_url(config.url),
            "problem": cannot_speak(missing[0]) if missing else None,
            "clients": _clients(config),
        },
        "a2a": {"card": f"{config.url.rstrip('/')}{CARD_PATH}"},
    }


def _clients(config: ServeConfig) -> list[dict[str, str]]:
    """Return what `webagent-dev connect` writes for each program, and what any other one takes."""
    site = str(config.root)
    clients = [
        {
            "name": name,
            "title": program.title,
            "file": program.file,
            "language": "json",
            "snippet": json.dumps(by_address(program, config.url), indent=2),
            "command": f"webagent-dev connect {name} {shlex.quote(site)} --write",
            "token": token_command(program, site),
            "token_note": token_note(program),
            "note": certificate_note(program, config.url),
        }
        for name, program in PROGRAMS.items()
    ]
    other = {
        "name": "other",
        "title": "Others",
        "file": "",
        "language": "json",
        "snippet": json.dumps({"mcpServers": {NAME: bridge(site, "--serve")}}, indent=2),
        "command": "",
        "token": "",
        "token_note": "no token is in it: `webagent-dev mcp` finds the server and its token by itself",
        "note": "for programs that start their servers, such as Claude Desktop; "
        "`--serve` starts this one if it does not run",
    }
    return [*clients, other]
