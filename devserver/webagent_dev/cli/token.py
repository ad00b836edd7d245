"""`webagent-dev token`: the token of a site's owner."""

from __future__ import annotations

from webagent_dev.browser.running_server import note_of
from webagent_dev.config.owner import Owner
from webagent_dev.config.resolve import resolve_config
from webagent_dev.config.urls import CONTROL_PATH, is_address
from webagent_dev.errors import ConfigError, UsageError
from webagent_dev.terminal import Console


def run(site: str, console: Console, aside: Console, *, open_browser: bool = False) -> int:
    """Write the token; return the exit code, 0.

    Args:
        site: The path of a folder, or an address at which a server of ours runs.
        console: Where the token is written, alone.
        aside: Where it is said what it opens.
        open_browser: Whether to open the inspector.

    Raises:
        UsageError: No server runs at the address, or where the inspector is to be opened; the folder is
            none; the token cannot be kept.
    """
    note = note_of(site)
    if note is None and is_address(site):
        raise UsageError(
            f"no server of this machine runs at `{site}` - a token belongs to a folder - "
            "write the path of the folder"
        )
    if note is None:
        try:
            owner = Owner(resolve_config(None if site == "." else site).root)
        except ConfigError as error:
            raise UsageError(str(error)) from None
        if owner.problem:
            raise UsageError(
                f"{owner.problem} - a token that is not kept opens nothing - mend that"
            )
    token = note.owner_token if note else owner.token
    console.line(token)
    if note is None or not note.url:
        if open_browser:
            raise UsageError(
                "no server runs for this folder - the inspector is part of it - "
                "start it with `webagent-dev serve`"
            )
        return 0
    address = f"{note.url.rstrip('/')}{CONTROL_PATH}/#token={token}"
    aside.line(f"inspector: {address}")
    if open_browser:
        import webbrowser

        if not webbrowser.open(address):
            aside.line("no browser was found - open the address yourself")
    return 0
