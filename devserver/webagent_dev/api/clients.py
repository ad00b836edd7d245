"""The agent programs that are known by name, and what the file of each needs to reach a server."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from webagent_dev.config.extras import NEEDED, cannot_speak
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import CARD_PATH, MCP_PATH, is_address

NAME = "webagent"
"""What programs call the server in their lists."""

VARIABLE = "WEBAGENT_TOKEN"
"""The variable of the environment that holds the token, where a program reads one."""

_INPUT = "webagent-token"


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program, and the form of its project file."""

    title: str
    file: str
    """Path of its file in a project."""
    servers: str
    """Key of its list of servers."""
    address: str
    """Key of an address in an entry."""
    token: str
    """How the file refers to the token."""
    kinds: bool = False
    """Whether an entry says of which kind it is."""
    folder: str = ""
    """How the file refers to the project's folder, for commands; empty where they run in it."""
    inputs: bool = False
    """Whether the program asks for the token itself."""


PROGRAMS = {
    "claude-code": Program(
        "Claude Code", ".mcp.json", "mcpServers", "url", f"${{{VARIABLE}}}", kinds=True
    ),
    "vscode": Program(
        "VS Code",
        ".vscode/mcp.json",
        "servers",
        "url",
        f"${{input:{_INPUT}}}",
        kinds=True,
        folder="${workspaceFolder}/",
        inputs=True,
    ),
    "cursor": Program(
        "Cursor",
        ".cursor/mcp.json",
        "mcpServers",
        "url",
        f"${{env:{VARIABLE}}}",
        folder="${workspaceFolder}/",
    ),
    "gemini": Program(
        "Gemini CLI", ".gemini/settings.json", "mcpServers", "httpUrl", f"${{{VARIABLE}}}"
    ),
}
"""By the names that the command takes."""


def door_url(url: str) -> str:
    """Return the address of the door of a server."""
    return f"{url.rstrip('/')}{MCP_PATH}"


def by_address(program: Program, url: str) -> dict[str, Any]:
    """Return what the file of a program needs to ask a server itself."""
    entry = {
        **({"type": "http"} if program.kinds else {}),
        program.address: door_url(url),
        "headers": {"Authorization": f"Bearer {program.token}"},
    }
    asked = {
        "type": "promptString",
        "id": _INPUT,
        "description": "Token of the site's owner (webagent-dev token)",
        "password": True,
    }
    return {program.servers: {NAME: entry}, **({"inputs": [asked]} if program.inputs else {})}


def by_command(program: Program, site: str) -> dict[str, Any]:
    """Return what the file of a program needs to start `webagent-dev mcp` for a site."""
    if is_address(site) or Path(site).is_absolute():
        place = site
    else:
        place = f"{program.folder}{Path(site).as_posix()}" if site != "." else program.folder or "."
    kind = {"type": "stdio"} if program.kinds else {}
    return {program.servers: {NAME: {**kind, **bridge(place.rstrip("/") or ".")}}}


def bridge(*arguments: str) -> dict[str, Any]:
    """Return the command that speaks MCP on standard input and output, as files have it."""
    first, *rest = (
        ["webagent-dev"] if shutil.which("webagent-dev") else [sys.executable, "-m", "webagent_dev"]
    )
    return {"command": first, "args": [*rest, "mcp", *arguments]}


def token_note(program: Program) -> str:
    """Return how a program gets the token, which is in no file; what to type comes after it."""
    if program.inputs:
        return f"no token is in it: {program.title} asks for the one that this writes:"
    return f"no token is in it; in the shell that starts {program.title}, type this first:"


def token_command(program: Program, site: str) -> str:
    """Return what to type for that."""
    # It is typed anywhere, or kept in a file of the shell.
    place = site if is_address(site) else str(Path(site).absolute())
    command = "webagent-dev token" if site == "." else f"webagent-dev token {shlex.quote(place)}"
    return command if program.inputs else f'export {VARIABLE}="$({command})"'


def certificate_note(program: Program, url: str) -> str:
    """Return why a program may refuse a server; empty without a reason."""
    if not url.startswith("https:"):
        return ""
    return f"{program.title} does not know a certificate that was made here: `--stdio` does without"


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
