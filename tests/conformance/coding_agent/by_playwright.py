"""The ten tasks with Playwright's MCP server alone, written before ours could do them.

Each takes the shortest way that its tools offer: whoever edits a page knows its selectors, so an
element is named by one instead of by a snapshot, and `browser_find` reads a part of the page.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.chromium import find_chromium
from tests.conformance.coding_agent.session import Session
from tests.conformance.coding_agent.sites import PASSWORD, USER, Site
from tests.npm_kit import installed

PACKAGES = {"@playwright/mcp": "0.0.83"}
FOLDER = Path(__file__).parents[3] / ".cache" / "playwright-mcp" / "-".join(PACKAGES.values())
OPTIONS = ("--headless", "--no-sandbox", "--isolated")


@asynccontextmanager
async def connected(site: Site) -> AsyncIterator[Client]:
    """Start the server, which starts a browser with the first call."""
    program = installed(PACKAGES, FOLDER) / "node_modules" / "@playwright" / "mcp" / "cli.js"
    chromium = find_chromium()
    assert chromium
    given = [str(program), *OPTIONS, "--executable-path", chromium]
    server = StdioServerParameters(command="node", args=given, cwd=str(site.root.parent))
    async with Client(stdio_client(server)) as client:
        yield client


async def search(session: Session, site: Site) -> str:
    """Fill in the search, press Enter, and read the book."""
    await session.call("browser_navigate", url=site.url)
    await session.call("browser_type", target="#q", text="harbour", submit=True)
    return await session.call("browser_find", text="The Harbour Towns")


async def basket(session: Session, site: Site) -> str:
    """Press the button, and read the link to the basket."""
    await session.call("browser_navigate", url=site.url)
    await session.call(
        "browser_click", target='role=button[name="Add The Harbour Towns to basket"]'
    )
    return await session.call("browser_find", regex=r"Basket \d")


async def heading(session: Session, site: Site) -> str:
    """Open the page, and read the heading."""
    await session.call("browser_navigate", url=site.url)
    return await session.call("browser_find", text="Books for long winters")


async def error(session: Session, site: Site) -> str:
    """Press the button, and read the console."""
    await session.call("browser_navigate", url=site.url)
    await session.call("browser_click", target="#more")
    return await session.call("browser_console_messages", level="error")


async def proof(session: Session, site: Site) -> str:
    """Call the tool by the page's own script, and read what the page shows."""
    await session.call("browser_navigate", url=site.url)
    called = await session.call("browser_evaluate", function=_called("searchBooks", "harbour"))
    return called + await session.call("browser_find", text="books for")


async def counter(session: Session, site: Site) -> str:
    """Press the counter twice, and read it."""
    await session.call("browser_navigate", url=site.url)
    await session.call("browser_click", target="#counter", doubleClick=True)
    return await session.call("browser_find", text="Cups")


async def fault(session: Session, site: Site) -> str:
    """Press the counter, and read the console."""
    await session.call("browser_navigate", url=site.url)
    await session.call("browser_click", target="#counter")
    return await session.call("browser_console_messages", level="error")


async def tool(session: Session, site: Site) -> str:
    """Call the tool by the page's own script."""
    await session.call("browser_navigate", url=site.url)
    return await session.call("browser_evaluate", function=_called("findTeas", "assam"))


async def office(session: Session, site: Site) -> str:
    """Open the administration, and read its header."""
    await session.call("browser_navigate", url=f"{site.url}/admin/")
    return await session.call("browser_find", text="Tea office")


async def group(session: Session, site: Site) -> str:
    """Log in, go to the form, send it, and read the message."""
    await session.call(
        "browser_navigate", url=f"{site.url}/admin/login/?next=/admin/auth/group/add/"
    )
    await session.call("browser_type", target="#id_username", text=USER)
    await session.call("browser_type", target="#id_password", text=PASSWORD, submit=True)
    await session.call("browser_type", target="#id_name", text="Tasters", submit=True)
    return await session.call("browser_find", text="successfully")


def _called(name: str, *arguments: str) -> str:
    given = ", ".join(map(json.dumps, (name, *arguments)))
    return f"() => webagent.call({given})"


WAYS = {
    way.__name__: way
    for way in (search, basket, heading, error, proof, counter, fault, tool, office, group)
}
