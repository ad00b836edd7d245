"""A shop whose pages are called from outside."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
from playwright.async_api import Page

from tests.devserver.api.owner_client import streamed, until
from tests.e2e.offering import HEAD
from tests.server import Server

MANIFEST = """# Shop

## search
Find books.

### Params
- `query` (string, required): Words.

### Behavior
- effect: read

## fail
### Params

## wait
### Params

## long
### Params
- `text` (string, required): What is said.
- `times` (number, required): How often.
"""


SCRIPT = """
<script>
  global.search = async (query) => [query, location.pathname];
  global.fail = () => { throw new Error("no such book"); };
  global.wait = () => { window.waiting = true; return new Promise(() => {}); };
  global.long = (text, times) => text.repeat(times);
</script>
<main><h1>Shop</h1><a href="/two.html">two</a></main>
"""


FILES = {
    "index.html": HEAD + SCRIPT,
    "two.html": HEAD.replace("A shop", "Two") + SCRIPT,
    "webagents.md": MANIFEST,
}


async def listed(client: httpx.AsyncClient, count: int = 1, **wanted: Any) -> list[dict[str, Any]]:
    """Wait until so many pages are open, and one of them is as wanted; return all."""
    async with asyncio.timeout(60), streamed(client, "GET", "events") as events:
        while True:
            pages: list[dict[str, Any]] = await until(events, "pages")
            if len(pages) == count and any(wanted.items() <= page.items() for page in pages):
                return pages
    raise AssertionError


async def opened(page: Page, server: Server, client: httpx.AsyncClient, count: int = 1) -> None:
    """Open the page, and wait until the server knows its tools."""
    await page.goto(server.url)
    await listed(client, count, state="ready")


async def ask(client: httpx.AsyncClient, path: str, **given: Any) -> dict[str, Any]:
    """Ask the focused page for something."""
    answer = await client.post(f"pages/focused/{path}", json=given)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


async def call(client: httpx.AsyncClient, name: str, **arguments: Any) -> dict[str, Any]:
    return await ask(client, "call", name=name, arguments=arguments)
