"""The agent programs that are known by name, and the configuration of each to reach a server."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webagent_dev.config.extras import MCP
from webagent_dev.config.model import ServeConfig
from webagent_site.config.urls import CARD_PATH, MCP_PATH, is_address

NAME = "webagent"
"""The name of the server in the lists of programs."""

VARIABLE = "WEBAGENT_TOKEN"
"""The environment variable with the token, for programs that read one."""

_INPUT = "webagent-token"


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program, and the format of its file in a project."""

    title: str
    file: str
    """Path of the file."""
    servers: str
    """Key of its list of servers."""
    address: str
    """Key of an address in an entry."""
    token: str
    """How the file refers to the token."""
    kinds: bool = False
    """Whether an entry has a `type`."""
    folder: str = ""
    """How the file refers to the folder of the project; empty if commands run in it."""
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
"""The programs, by the names that `webagent-dev connect` takes."""


def mcp_url(url: str) -> str:
    """Return the address of the MCP endpoint of a server."""
    return f"{url.rstrip('/')}{MCP_PATH}"


def http_entry(program: Program, url: str) -> dict[str, Any]:
    """Return the configuration of a program that connects to a server by its address."""
    entry = {
        **({"type": "http"} if program.kinds else {}),
        program.address: mcp_url(url),
        "headers": {"Authorization": f"Bearer {program.token}"},
    }
    prompt = {
        "type": "promptString",
        "id": _INPUT,
        "description": "Token of the site's owner (webagent-dev token)",
        "password": True,
    }
    return {program.servers: {NAME: entry}, **({"inputs": [prompt]} if program.inputs else {})}


def stdio_entry(program: Program, site: str) -> dict[str, Any]:
    """Return the configuration of a program that starts `webagent-dev mcp` for a site."""
    if is_address(site) or Path(site).is_absolute():
        place = site
    else:
        place = f"{program.folder}{Path(site).as_posix()}" if site != "." else program.folder or "."
    kind = {"type": "stdio"} if program.kinds else {}
    return {program.servers: {NAME: {**kind, **bridge_command(place.rstrip("/") or ".")}}}


def bridge_command(*arguments: str) -> dict[str, Any]:
    """Return the command that speaks MCP on standard input and output, as an entry of a file."""
    first, *rest = (
        ["webagent-dev"] if shutil.which("webagent-dev") else [sys.executable, "-m", "webagent_dev"]
    )
    return {"command": first, "args": [*rest, "mcp", *arguments]}


def token_note(program: Program) -> str:
    """Return how a program gets the token, which is not in the file; the command comes after it."""
    if program.inputs:
        return f"no token is in it: {program.title} asks for the one that this prints:"
    return f"no token is in it; in the shell that starts {program.title}, type this first:"


def token_command(program: Program, site: str) -> str:
    """Return the command for the token."""
    # An absolute path, because it may be typed in any folder, or kept in a file of the shell.
    place = site if is_address(site) else str(Path(site).absolute())
    command = "webagent-dev token" if site == "." else f"webagent-dev token {shlex.quote(place)}"
    return command if program.inputs else f'export {VARIABLE}="$({command})"'


def certificate_note(program: Program, url: str) -> str:
    """Return why a program may refuse a server; empty if it will not."""
    if not url.startswith("https:"):
        return ""
    return f"{program.title} does not know a certificate that was made here: `--stdio` does not need one"


def clients_view(config: ServeConfig) -> dict[str, Any]:
    """Return who has access, and by which endpoints; without the token."""
    if config.doors == "off":
        return {"doors": config.doors, "mcp": None, "a2a": None}
    problem = MCP.problem
    return {
        "doors": config.doors,
        "mcp": {
            "url": mcp_url(config.url),
            "problem": f"{problem}, and start this server again" if problem else None,
            "clients": _clients(config),
        },
        "a2a": {"card": f"{config.url.rstrip('/')}{CARD_PATH}"},
    }


def _clients(config: ServeConfig) -> list[dict[str, str]]:
    """Return what `webagent-dev connect` writes for each program, and an entry for any other one."""
    site = str(config.root)
    clients = [
        {
            "name": name,
            "title": program.title,
            "file": program.file,
            "language": "json",
            "snippet": json.dumps(http_entry(program, config.url), indent=2),
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
        "snippet": json.dumps({"mcpServers": {NAME: bridge_command(site, "--serve")}}, indent=2),
        "command": "",
        "token": "",
        "token_note": "no token is in it: `webagent-dev mcp` finds the server and its token by itself",
        "note": "for programs that start their servers, such as Claude Desktop; "
        "`--serve` starts this one if it does not run",
    }
    return [*clients, other]
