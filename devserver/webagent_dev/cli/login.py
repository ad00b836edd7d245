"""`webagent-dev login`: keeps the login of a person for the commands that open pages."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import click

from webagent_dev.cli.candidates import sessions
from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console
from webagent_site.config.urls import is_address
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from playwright.async_api import Page, StorageState


@click.command("login")
@click.argument("url")
@click.option(
    "--session",
    "name",
    required=True,
    metavar="NAME",
    shell_complete=sessions,
    help="The name to keep it by: small letters, digits and `-`.",
)
@run_command
def command(console: Console, url: str, name: str) -> int:
    """Show a browser in which you log in at URL, and keep that login as a session.

    Close the window when you are logged in. The cookies and the localStorage of the site are kept in
    a file that only you can read. --session NAME of other commands opens pages with them, at the
    origin of URL and nowhere else. The exit code is 1 if there are none.

    \b
    Example:
      webagent-dev login https://shop.example/ --session shop
      webagent-dev call myOrders --site https://shop.example/ --session shop
    """
    from webagent.urls import origin_of
    from webagent_dev.config.extras import BROWSER
    from webagent_dev.config.saved_sessions import SavedSession, path_of, read_session

    if not is_address(url):
        raise UsageError(
            f"`{url}` is not an address - a login is made at a server - "
            "write one such as `https://shop.example/` or `http://localhost:8000/`"
        )
    origin = origin_of(url)
    if path_of(name).exists() and (other := read_session(name).origin) != origin:
        raise UsageError(
            f"the session `{name}` is of `{other}` already - one name is for one site - write another "
            f"name, or delete that one with `webagent-dev sessions {name} --delete`"
        )
    BROWSER.require()
    Console(sys.stderr).line("log in, then close the window; Ctrl-C keeps nothing")
    session = SavedSession.of(name, origin, asyncio.run(_state_of_login(url)))
    if session.is_empty:
        console.line(
            f"nothing is kept: `{origin}` has neither a cookie nor an item of localStorage in the "
            "browser - write the address at which you are when you are logged in"
        )
        return 1
    session.write()
    console.line(f"the session `{name}` is kept: {session.summary}")
    return 0


async def _state_of_login(url: str) -> StorageState:
    """Show a page of a site until its last window is closed; return what its profile then has.

    Raises:
        UsageError: There is no browser or no display, the page cannot be opened, or the browser has
            ended before its windows.
    """
    from webagent_dev.browser.chromium import launch_browser
    from webagent_dev.browser.open_site import visit

    async with launch_browser(headed=True) as browser:
        from playwright.async_api import Error

        # The page is as large as the window, which the person may resize.
        context = await browser.new_context(no_viewport=True)
        closed = asyncio.Event()

        def end(_: Page) -> None:
            if not context.pages:
                closed.set()

        context.on("page", lambda page: page.on("close", end))
        try:
            await visit(await context.new_page(), url)
            await closed.wait()
            return await context.storage_state()
        except Error:
            raise UsageError(
                "the browser ended before its window was closed - nothing is kept of such a login - "
                "log in again, and close the window when you are done"
            ) from None
