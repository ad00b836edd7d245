"""`webagent-dev connect`: what an agent program needs to use the pages of a site, and where to put it."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import click

from webagent_dev.api.clients import (
    PROGRAMS,
    Program,
    certificate_note,
    http_entry,
    stdio_entry,
    token_command,
    token_note,
)
from webagent_dev.browser.running_server import RunningServer, note_of
from webagent_dev.cli.diff import difference
from webagent_dev.config.resolve import resolve_config
from webagent_dev.config.urls import CARD_PATH, is_address
from webagent_dev.errors import ConfigError, UsageError
from webagent_dev.terminal import Console

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


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
        UsageError: There is no such site, or the file cannot be read or written.
    """
    program = PROGRAMS[name]
    url = "" if stdio else _url(site)
    added = stdio_entry(program, site) if stdio else http_entry(program, url)
    path = Path(program.file)
    if not write:
        console.line(json.dumps(added, indent=2))
        aside.line(f"this goes into `{program.file}` of the project; `--write` puts it there")
    elif not _written(path, added, console, yes=yes):
        console.line("nothing was written - `--yes` writes without asking")
        return 1
    if stdio:
        aside.line("no token is in it: `webagent-dev mcp` finds the server and its token by itself")
    else:
        _say_token(program, site, url, aside)
        aside.line(f"agents that speak A2A begin at {url.rstrip('/')}{CARD_PATH}")
    _say_door(site, aside, found_at_any_port=stdio)
    return 0


def merged(text: str, added: dict[str, Any], name: str) -> str:
    """Return a file of JSON with more in it; what was there stays, but for an entry of our name.

    Args:
        text: The file.
        added: A table for each key, or a list whose members have ids.
        name: Of the file, for errors.

    Raises:
        UsageError: It is something else than an object of JSON.
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
        raise UsageError(
            f"no server of this machine runs at `{site}` - the door is part of it - "
            "start it with `webagent-dev serve`, or write the path of the folder"
        )
    try:
        return resolve_config(None if site == "." else site).url
    except ConfigError as error:
        raise UsageError(str(error)) from None


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
        raise UsageError(
            f"`{path}` cannot be read or written - {error} - mend that, or add by hand what the "
            "command writes without `--write`"
        ) from None
    console.line(f"{path}: written")
    return True


def _say_token(program: Program, site: str, url: str, aside: Console) -> None:
    """Say how the program gets the token, which is in no file."""
    aside.line(token_note(program))
    aside.line(f"  {token_command(program, site)}")
    if note := certificate_note(program, url):
        aside.line(note)


def _say_door(site: str, aside: Console, *, found_at_any_port: bool) -> None:
    """Say what keeps programs out now: a server without such a door, or none at all."""
    note = note_of(site)

    async def ask() -> dict[str, Any]:
        if note is None:
            return {}
        async with RunningServer(note) as running:
            return await running.endpoints()

    told = asyncio.run(ask())
    if "doors" not in told:
        folder = "" if site == "." else f" {site}"
        again = (
            "" if found_at_any_port else "; if it takes another port than this one, connect again"
        )
        aside.line(
            f"no server of this site runs now - start it with `webagent-dev serve{folder}`{again}"
        )
    elif not told.get("mcp"):
        aside.line(
            "the running server has its doors off - programs get no answer - start it without "
            "`--doors off`"
        )
    elif problem := told["mcp"].get("problem"):
        aside.line(str(problem))
