"""The ten tasks with our MCP server, in the headless page that it opens.

The client asks for the short list, `?tools=own`, as the guide says for an agent that edits the site.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.conformance.coding_agent.session import Session
from tests.conformance.coding_agent.sites import PASSWORD, USER, Site
from webagent_dev.config.owner import read_note


@asynccontextmanager
async def connected(site: Site) -> AsyncIterator[Client]:
    """Connect to the server that serves the site."""
    note = read_note(site.served.resolve())
    assert note
    headers = {"authorization": f"Bearer {note.owner_token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=120) as http:
        transport = streamable_http_client(f"{site.url}/mcp?tools=own", http_client=http)
        async with Client(transport) as client:
            yield client


async def _act(session: Session, *steps: dict[str, Any], **more: Any) -> str:
    return await session.call("page_act", steps=[*steps], **more)


def _goto(path: str = "/") -> dict[str, Any]:
    return {"do": "goto", "text": path}


def _click(on: str) -> dict[str, Any]:
    return {"do": "click", "on": on}


def _fill(on: str, text: str) -> dict[str, Any]:
    return {"do": "fill", "on": on, "text": text}


ENTER = {"do": "press", "text": "Enter"}


async def search(session: Session, _: Site) -> str:
    """Fill in the search, press Enter, and read the book."""
    field = "Title, author or subject"
    return await _act(
        session, _goto(), _fill(field, "harbour"), {**ENTER, "on": field}, find="The Harbour Towns"
    )


async def basket(session: Session, _: Site) -> str:
    """Press the button; the link to the basket is among what has changed."""
    return await _act(session, _goto(), _click("Add The Harbour Towns to basket"), find="Basket 1")


async def heading(session: Session, _: Site) -> str:
    """Open the page, and read the heading."""
    return await _act(session, _goto(), find="Books for long winters")


async def error(session: Session, _: Site) -> str:
    """Press the button; what it throws is in the answer."""
    return await _act(session, _goto(), _click("Show all 32 books"))


async def proof(session: Session, _: Site) -> str:
    """Call the tool, and read what the page shows."""
    await _act(session, _goto())
    called = await session.call(
        "call_page_tool", name="searchBooks", arguments={"query": "harbour"}
    )
    return called + await session.call("page_state", find="books for")


async def counter(session: Session, _: Site) -> str:
    """Press the counter twice, and read it."""
    return await _act(session, _goto(), _click("Cups: 0"), _click("Cups: 1"), find="Cups")


async def fault(session: Session, _: Site) -> str:
    """Press the counter; what it throws is in the answer."""
    return await _act(session, _goto(), _click("Count is 0"))


async def tool(session: Session, _: Site) -> str:
    """Call the tool."""
    return await session.call("call_page_tool", name="findTeas", arguments={"word": "assam"})


async def office(session: Session, _: Site) -> str:
    """Open the administration, and read its header."""
    return await _act(session, _goto("/admin/"), find="Tea office")


async def group(session: Session, _: Site) -> str:
    """Log in, go to the form, send it, and read the message."""
    await _act(
        session,
        _goto("/admin/login/?next=/admin/auth/group/add/"),
        _fill("Username", USER),
        _fill("Password", PASSWORD),
        _click("Log in"),
    )
    return await _act(session, _fill("Name", "Pickers"), _click("Save"), find="successfully")


WAYS = {
    way.__name__: way
    for way in (search, basket, heading, error, proof, counter, fault, tool, office, group)
}
