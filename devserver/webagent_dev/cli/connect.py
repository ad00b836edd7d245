"""`webagent-dev connect`: what an agent program needs to use the pages of a site, and where it goes."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webagent_dev.cli.candidates import folders
from webagent_dev.cli.changes import NOTHING_WRITTEN, is_agreed, unified_diff
from webagent_dev.cli.exit import run_command
from webagent_dev.cli.options import yes_option
from webagent_dev.config.resolve import resolve_config
from webagent_dev.terminal import Console
from webagent_site.config.urls import CARD_PATH, is_address
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from webagent_dev.api.clients import Program

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


@click.command("connect")
@click.argument("program", type=click.Choice(["claude-code", "vscode", "cursor", "gemini"]))
@click.argument("site", metavar="[ROOT|URL]", default=".", shell_complete=folders)
@click.option(
    "--stdio",
    is_flag=True,
    help="Let the program start `webagent-dev mcp`, which finds the server and its token itself.",
)
@click.option("--write", is_flag=True, help="Add it to the program's file in this folder.")
@yes_option
@run_command
def command(console: Console, program: str, site: str, stdio: bool, write: bool, yes: bool) -> int:
    """Write what an agent PROGRAM needs to use the pages of a site over MCP.

    Its file refers to the token and never holds it. With --write, the change is shown first, and
    nothing of yours is lost. The exit code is 1 if nothing was written because you did not agree.

    \b
    Example:
      webagent-dev connect claude-code --write
    """
    from webagent_dev.api.clients import PROGRAMS, http_entry, stdio_entry
    from webagent_dev.browser.running_server import mcp_endpoints

    endpoints = asyncio.run(mcp_endpoints(site))
    # Standard output has the entry alone, so that it can be piped into a file.
    notes = Console(sys.stderr)
    client = PROGRAMS[program]
    url = "" if stdio else _server_url(site)
    added = stdio_entry(client, site) if stdio else http_entry(client, url)
    if not write:
        console.line(json.dumps(added, indent=2))
        notes.line(f"this goes into `{client.file}` of the project; `--write` adds it there")
    elif not _write(Path(client.file), added, console, yes=yes):
        console.line(NOTHING_WRITTEN)
        return 1
    if stdio:
        notes.line("no token is in it: `webagent-dev mcp` finds the server and its token itself")
    else:
        _explain_token(client, site, url, notes)
        notes.line(f"agents that speak A2A begin at {url.rstrip('/')}{CARD_PATH}")
    _report_server(endpoints, site, notes, any_port=stdio)
    return 0


def _server_url(site: str) -> str:
    """Return the URL of the server that runs for a site, or of the one that would be started."""
    from webagent_dev.browser.running_server import note_of

    note = note_of(site)
    if note and note.url:
        return note.url
    if is_address(site):
        raise UsageError(
            f"no server on this machine runs at `{site}` - programs reach pages through it - "
            "start it with `webagent-dev serve`, or write the path of the folder"
        )
    return resolve_config(None if site == "." else site).url


def _write(path: Path, added: dict[str, Any], console: Console, *, yes: bool) -> bool:
    """Write the file after showing what changes; return whether that was agreed to."""
    try:
        before = path.read_text("utf-8") if path.exists() else ""
        after = merged(before, added, str(path))
        if json.loads(after) == (json.loads(before) if before.strip() else None):
            console.line(f"{path}: has it already")
            return True
        console.write(unified_diff(before, after, str(path), label="connected"))
        if not is_agreed(f"Write {path}?", yes=yes):
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(after, "utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"`{path}` cannot be read or written - {error} - correct that, or add by hand what the "
            "command writes without `--write`"
        ) from None
    console.line(f"{path}: written")
    return True


def merged(text: str, added: dict[str, Any], name: str) -> str:
    """Return a JSON file with more entries; only an entry of our own name is replaced.

    Args:
        text: The text of the file.
        added: An object for each key, or a list whose members have ids.
        name: Name of the file, for errors.

    Raises:
        UsageError: The file is not a JSON object that programs read.
    """
    try:
        data = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise UsageError(
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
            raise UsageError(
                f"`{name}` has a value under `{key}` that programs cannot read - nothing of yours is "
                "overwritten - correct the file first"
            )
    found = _INDENT.search(text)
    return json.dumps(data, indent=found[1] if found else 2, ensure_ascii=False) + "\n"


def _explain_token(client: Program, site: str, url: str, notes: Console) -> None:
    """Write how the program gets the token, which is in no file."""
    from webagent_dev.api.clients import certificate_note, token_command, token_note

    notes.line(token_note(client))
    notes.line(f"  {token_command(client, site)}")
    if note := certificate_note(client, url):
        notes.line(note)


def _report_server(endpoints: dict[str, Any], site: str, notes: Console, *, any_port: bool) -> None:
    """Write what keeps programs out at present.

    Args:
        endpoints: Those of the running server; empty without one.
        site: The path of a folder, or a URL.
        notes: Where it is written.
        any_port: Whether the program finds the server at whatever port it takes.
    """
    if not endpoints:
        folder = "" if site == "." else f" {site}"
        again = "" if any_port else "; if it takes another port than this one, connect again"
        notes.line(
            f"no server of this site is running - start it with `webagent-dev serve{folder}`{again}"
        )
    elif not endpoints["mcp"]:
        notes.line(
            "the running server has its doors off - programs get no answer - start it without "
            "`--doors off`"
        )
