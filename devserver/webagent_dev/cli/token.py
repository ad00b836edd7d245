"""`webagent-dev token`: the token of a site's owner."""

from __future__ import annotations

import sys

import click

from webagent_dev.cli.exit import run_command
from webagent_dev.config.owner import Owner
from webagent_dev.config.resolve import resolve_config
from webagent_dev.config.urls import CONTROL_PATH, is_address
from webagent_dev.errors import UsageError
from webagent_dev.terminal import Console


@click.command("token")
@click.argument("site", metavar="[ROOT|URL]", default=".")
@click.option("--open", "open_browser", is_flag=True, help="Open the inspector in your browser.")
@run_command
def command(console: Console, site: str, open_browser: bool) -> int:
    """Write the token of a site's owner, which opens the inspector and the owner's API.

    The token of a folder stays the same over restarts of its server. If a server is running, the
    URL of its inspector is written to standard error.

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
    token = note.owner_token if note else _stored_token(site)
    console.line(token)
    if note is None or not note.url:
        if open_browser:
            raise UsageError(
                "no server runs for this folder - the inspector is part of it - "
                "start it with `webagent-dev serve`"
            )
        return 0
    url = f"{note.url.rstrip('/')}{CONTROL_PATH}/#token={token}"
    notes.line(f"inspector: {url}")
    if open_browser:
        import webbrowser

        if not webbrowser.open(url):
            notes.line("no browser was found - open the URL yourself")
    return 0


def _stored_token(site: str) -> str:
    owner = Owner(resolve_config(None if site == "." else site).root)
    if owner.problem:
        raise UsageError(
            f"{owner.problem} - a token that cannot be stored opens nothing - correct that"
        )
    return owner.token
