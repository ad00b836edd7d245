"""`webagent-dev connect`: what an agent program needs to use the pages of a site, and where to put it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from webagent_dev.commands.difference import difference
from webagent_dev.commands.documents import Misuse, is_address
from webagent_dev.config import ConfigError, resolve_config
from webagent_dev.console import Console
from webagent_dev.protocols.mcp.door import MCP_PATH
from webagent_dev.running import note_of

NAME = "webagent"
"""What programs call the server in their lists."""
VARIABLE = "WEBAGENT_TOKEN"
"""The variable of the environment that holds the token, where a program reads one."""
_INPUT = "webagent-token"
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


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


def run(
    name: str,
    console: Console,
    aside: Console,
    *,
    site: str = ".",
    stdio: bool = False,
    write: bool = False,
    yes: bool = False,
) -> int:
    """Show what a program needs, or write it into its file; return the exit code.

    Args:
        name: Of the program, a key of `PROGRAMS`.
        console: Where that is written.
        aside: Where it is said what else is to be done.
        site: The path of a folder, or an address at which a server of ours runs.
        stdio: Whether the program starts `webagent-dev mcp`, instead of asking the server itself.
        write: Whether to write the file.
        yes: Whether to write without asking.

    Raises:
        Misuse: There is no such site, or the file cannot be read or written.
    """
    program = PROGRAMS[name]
    entry = _command(program, site) if stdio else _address(program, _url(site))
    added = {program.servers: {NAME: entry}, **({} if stdio else _inputs(program))}
    path = Path(program.file)
    if not write:
        console.line(json.dumps(added, indent=2))
        aside.line(f"this goes into `{program.file}` of the project; `--write` puts it there")
    elif not _written(path, added, console, yes=yes):
        console.line("nothing was written - `--yes` writes without asking")
        return 1
    _say_token(program, site, entry, aside)
    return 0


def merged(text: str, added: dict[str, Any], name: str) -> str:
    """Return a file of JSON with more in it; what was there stays, but for an entry of our name.

    Args:
        text: The file.
        added: A table for each key, or a list whose members have ids.
        name: Of the file, for errors.

    Raises:
        Misuse: It is something else than an object of JSON.
    """
    try:
        data = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise Misuse(
            f"`{name}` is not plain JSON - {error} - add what the command writes without `--write` "
            "by hand"
        ) from None
    for key, more in added.items():
        there = data.setdefault(key, type(more)()) if isinstance(data, dict) else None
        if isinstance(there, dict) and isinstance(more, dict):
            there.update(more)
        elif isinstance(there, list) and isinstance(more, list):
            known = [one.get("id") for one in there if isinstance(one, dict)]
            there.extend(one for one in more if one["id"] not in known)
        else:
            raise Misuse(
                f"`{name}` holds something else under `{key}` than programs read - nothing of yours is "
                "overwritten - mend the file first"
            )
    found = _INDENT.search(text)
    return json.dumps(data, indent=found[1] if found else 2, ensure_ascii=False) + "\n"


def _url(site: str) -> str:
    note = note_of(site)
    if note and note.url:
        return note.url
    if is_address(site):
        raise Misuse(
            f"no server of this machine runs at `{site}` - the door is part of it - "
            "start it with `webagent-dev serve`, or write the path of the folder"
        )
    try:
        return resolve_config(None if site == "." else site).url
    except ConfigError as error:
        raise Misuse(str(error)) from None


def _address(program: Program, url: str) -> dict[str, Any]:
    return {
        **({"type": "http"} if program.kinds else {}),
        program.address: f"{url.rstrip('/')}{MCP_PATH}",
        "headers": {"Authorization": f"Bearer {program.token}"},
    }


def _command(program: Program, site: str) -> dict[str, Any]:
    if is_address(site) or Path(site).is_absolute():
        place = site
    else:
        place = f"{program.folder}{Path(site).as_posix()}" if site != "." else program.folder or "."
    first, *rest = (
        ["webagent-dev"] if shutil.which("webagent-dev") else [sys.executable, "-m", "webagent_dev"]
    )
    return {
        **({"type": "stdio"} if program.kinds else {}),
        "command": first,
        "args": [*rest, "mcp", place.rstrip("/") or "."],
    }


def _inputs(program: Program) -> dict[str, Any]:
    if not program.inputs:
        return {}
    asked = {
        "type": "promptString",
        "id": _INPUT,
        "description": "Token of the site's owner (webagent-dev token)",
        "password": True,
    }
    return {"inputs": [asked]}


def _written(path: Path, added: dict[str, Any], console: Console, *, yes: bool) -> bool:
    """Write the file after showing what changes; return whether that was agreed to."""
    try:
        before = path.read_text("utf-8") if path.exists() else ""
        after = merged(before, added, str(path))
        if json.loads(after) == (json.loads(before) if before.strip() else None):
            console.line(f"{path}: has it already")
            return True
        console.write(difference(before, after, str(path), what="connected"))
        if not (yes or (sys.stdin.isatty() and click.confirm(f"Write {path}?", default=False))):
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(after, "utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(
            f"`{path}` cannot be read or written - {error} - mend that, or add by hand what the "
            "command writes without `--write`"
        ) from None
    console.line(f"{path}: written")
    return True


def _say_token(program: Program, site: str, entry: dict[str, Any], aside: Console) -> None:
    """Say how the program gets the token, which is in no file."""
    if "command" in entry:
        aside.line("no token is in it: `webagent-dev mcp` finds the server and its token by itself")
        return
    token = "webagent-dev token" if site == "." else f"webagent-dev token {site}"
    if program.inputs:
        aside.line(f"no token is in it: {program.title} asks for the one that `{token}` writes")
    else:
        aside.line(f"no token is in it: start {program.title} where this was typed before:")
        aside.line(f'  export {VARIABLE}="$({token})"')
    if str(entry[program.address]).startswith("https:"):
        aside.line(
            f"{program.title} does not know a certificate that was made here: `--stdio` does without"
        )
