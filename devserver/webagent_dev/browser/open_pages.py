"""The open pages of the server that runs for a site."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import httpx

from webagent_dev.browser.running_server import RunningServer, note_of
from webagent_site.errors import UsageError

LOOK_S = 1.0
"""How long to wait for a running server; an editor shows nothing until then."""


class Running(NamedTuple):
    """A server that runs."""

    url: str
    pages: list[dict[str, Any]]
    """As the server describes them, each with the list of its `tools`."""


async def running_for(site: str) -> Running | None:
    """Return the server of a site; None if there is none, or if it does not answer in time.

    Args:
        site: An address, or the path of a folder.
    """
    try:
        note = await asyncio.to_thread(note_of, site)
        if note is None:
            return None
        async with asyncio.timeout(LOOK_S), RunningServer(note) as running:
            if "pages" not in (state := await running.state()):
                return None
            pages = [
                {**page, "tools": await running.tools(page["page_id"])} for page in state["pages"]
            ]
            return Running(running.url, pages)
    except (TimeoutError, httpx.HTTPError, UsageError):
        return None
