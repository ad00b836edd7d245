"""`webagent-dev token`: the token of a site's owner."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from webagent_dev.cli.candidates import folders
from webagent_dev.cli.exit import run_command
from webagent_dev.config.credentials import CODE_S
from webagent_dev.config.owner import Note, Owner
from webagent_dev.config.resolve import resolve_config
from webagent_dev.terminal import Console
from webagent_site.config.urls import is_address
from webagent_site.errors import UsageError
from webagent_site.text import printable


@click.command("token")
@click.argument("site", metavar="[ROOT|URL]", default=".", shell_complete=folders)
@click.option("--new", is_flag=True, help="Replace the token. The one before opens nothing more.")
@click.option("--open", "open_browser", is_flag=True, help="Open the inspector in your browser.")
@run_command
def command(console: Console, site: str, new: bool, open_browser: bool) -> int:
    """Write the token of a site's owner, which opens the inspector and the owner's API.

    The token of a folder stays the same over restarts of its server, and is replaced after 30 days.
    If a server is running, a link to its inspector is written to standard error. It opens once,
    within 10 minutes.

    \b
    Example:
      curl -H "Authorization: Bearer $(webagent-dev token)" http://127.0.0.1:8000/__webagent__/api/state
    """
    from webagent_dev.browser.running_server import note_of

    # Standard output has the token alone, for `$(…)` in a shell.
    notes = Console(sys.stderr)
    note = note_of(site)
    if note is None and is_address(site):
        raise UsageError(
            f"no server on this machine runs at `{site}` - a token belongs to a folder - "
            "write the path of the folder"
        )
    root = Path(note.root) if note else resolve_config(None if site == "." else site).root
    owner = Owner(root)
    if new:
        owner.replace_token()
    if owner.problem:
        raise UsageError(
            f"{owner.problem} - a token that cannot be stored opens nothing - correct that"
        )
    console.line(owner.token)
    url = asyncio.run(_inspector_url(note_of(site)))
    if url:
        notes.line(f"inspector: {url}")
        notes.line(f"the link opens once, within {CODE_S / 60:.0f} minutes")
    else:
        notes.line(f"no server of `{printable(str(root))}` is running, so there is no link")
    if not open_browser:
        return 0
    if url is None:
        raise UsageError(
            "no server runs for this folder - the inspector is part of it - "
            "start it with `webagent-dev serve`"
        )
    import webbrowser

    if not webbrowser.open(url):
        notes.line("no browser was found - open the URL yourself")
    return 0


async def _inspector_url(note: Note | None) -> str | None:
    from webagent_dev.browser.running_server import RunningServer

    if note is None:
        return None
    async with RunningServer(note) as running:
        return await running.inspector_url()
