"""`webagent-dev sessions`: lists, shows and deletes the logins that are kept."""

from __future__ import annotations

import click

from webagent_dev.cli import candidates
from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError
from webagent_site.text import printable


@click.command("sessions")
@click.argument("name", required=False, shell_complete=candidates.sessions)
@click.option("--delete", is_flag=True, help="Delete the session NAME.")
@run_command
def command(console: Console, name: str | None, delete: bool) -> int:
    """List the logins that `webagent-dev login` has kept; with NAME, show what one of them has.

    Values are never shown. A session that is deleted here is still logged in at its site until it
    ends there.

    \b
    Example:
      webagent-dev sessions
      webagent-dev sessions shop --delete
    """
    from webagent_dev.config.saved_sessions import (
        day_of,
        delete_session,
        read_session,
        session_names,
    )

    if name is None:
        if delete:
            raise UsageError("`--delete` is given without a name - write that of a session")
        for each in session_names():
            try:
                console.line(f"{each}  {read_session(each).summary}")
            except UsageError as error:
                console.line(f"{each}  {error}")
        return 0
    if delete:
        delete_session(name)
        console.line(f"the session `{name}` is deleted")
        return 0
    session = read_session(name)
    console.line(session.summary)
    for cookie in session.cookies:
        end = cookie["expires"]
        until = "until the browser ends" if end == -1 else f"until {day_of(end)}"
        hidden = ", hidden from scripts" if cookie["httpOnly"] else ""
        console.line(f"cookie  {printable(cookie['name'], 100)}, {until}{hidden}")
    for item in session.local_storage:
        console.line(f"item    {printable(item['name'], 100)}")
    return 0
