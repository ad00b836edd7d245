"""Many saves, many pages, a server that dies: everybody ends on the last state."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from playwright.async_api import BrowserContext, async_playwright
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tests.chromium import ARGS, find_chromium
from tests.e2e.conftest import ONLY_LOCAL, Serve

pytestmark = pytest.mark.conformance

SAVES = 200
CLIENTS = 45
PAGES = 5
OURS = {"websocket", "unload-listener", "response-cache-control-no-store", "lock", "fetch"}
"""Reasons of ours for which a browser would not keep a page (as `notRestoredReasons` has them)."""


def manifest(number: int) -> str:
    return f"# Shop {number}\n\nBooks.\n\n## tool{number}\n### Params\n"


class Client:
    """Speaks the page's protocol, and does what a page does with what it hears."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.text = ""
        self.style = ""
        self.reloads = 0
        self._client = httpx.AsyncClient(base_url=url)

    async def run(self) -> None:
        """Load, listen, and load anew when the server is another one."""
        while True:
            try:
                await self._load()
                await self._listen()
            except (httpx.TransportError, OSError, WebSocketException):
                await asyncio.sleep(0.1)

    async def _load(self) -> None:
        page = (await self._client.get("/", headers={"accept": "text/html"})).text
        live = re.search(r'name="webagent-live" content="([^"]+)"', page)
        assert live
        self._live = live[1].replace("&amp;", "&")
        self.text = (await self._client.get("/webagents.md")).text
        self.style = (await self._client.get("/style.css")).text
        self.reloads += 1

    async def _listen(self) -> None:
        address = f"ws{self._url[4:]}{self._live}"
        async with connect(address, origin=self._url, proxy=None) as socket:  # type: ignore[arg-type]
            while True:
                message = json.loads(await socket.recv())
                if message["type"] == "manifest":
                    self.text = message["text"]
                elif message["type"] == "css":
                    self.style = (await self._client.get("/style.css")).text
                elif message["type"] == "reload":
                    return

    async def close(self) -> None:
        await self._client.aclose()


@asynccontextmanager
async def connected(url: str, count: int) -> AsyncIterator[list[Client]]:
    """Connect clients; none stays behind, as it would go on asking for a server that is gone."""
    clients = [Client(url) for _ in range(count)]
    tasks = [asyncio.create_task(client.run()) for client in clients]
    try:
        yield clients
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for client in clients:
            await client.close()


async def _until(check: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not check():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@pytest.mark.timeout(240)
async def test_everybody_ends_on_the_last_state(
    serve: Serve, context: BrowserContext, tmp_path: Path
) -> None:
    """200 saves, 5 pages, 45 clients, and a server that is killed and started again meanwhile."""
    root = tmp_path / "shop"
    root.mkdir()
    (root / "index.html").write_text(
        "<!doctype html><link rel=icon href=data:,><link rel=stylesheet href=/style.css><p>Shop"
    )
    (root / "style.css").write_text(":root { --number: 0 }")
    (root / "webagents.md").write_text(manifest(0))
    first = await asyncio.to_thread(serve, root)
    port = first.url.rpartition(":")[2]
    async with connected(first.url, CLIENTS) as clients:
        pages = [await context.new_page() for _ in range(PAGES)]
        for page in pages:
            await page.goto(first.url)
        await _until(lambda: all(client.text == manifest(0) for client in clients))

        for number in range(1, SAVES + 1):
            (root / "webagents.md").write_text(manifest(number))
            if number % 10 == 0:
                (root / "style.css").write_text(f":root {{ --number: {number} }}")
            await asyncio.sleep(0)
            if number == SAVES // 2:
                await asyncio.to_thread(first.kill)
            if number == SAVES * 3 // 4:
                await asyncio.to_thread(serve, root, "--port", port)

        last = f":root {{ --number: {SAVES} }}"
        await _until(
            lambda: all(
                client.text == manifest(SAVES) and client.style == last for client in clients
            ),
        )
        for page in pages:
            await page.wait_for_function(
                f"""window.webagent?.manifest().then(({{ name }}) => name === 'Shop {SAVES}' &&
                getComputedStyle(document.documentElement).getPropertyValue('--number') == {SAVES})"""
            )
        assert all(client.reloads >= 2 for client in clients)
    for page in pages:
        await page.close()


@pytest.mark.parametrize("changed", ["style.css", "webagents.md", "other.txt"])
async def test_a_page_from_the_back_forward_cache_gets_what_it_missed(
    serve: Serve, tmp_path: Path, changed: str
) -> None:
    """Nothing of ours keeps it out, and it loads anew only if it has to."""
    root = tmp_path / "shop"
    root.mkdir()
    for name in ("index", "second"):
        (root / f"{name}.html").write_text(
            f"<!doctype html><title>{name}</title><link rel=icon href=data:,>"
            "<link rel=stylesheet href=/style.css><p>Shop"
        )
    (root / "style.css").write_text("p { color: rgb(1, 1, 1) }")
    (root / "webagents.md").write_text(manifest(0))
    (root / "other.txt").write_text("x")
    server = await asyncio.to_thread(serve, root)
    # Playwright switches this cache off.
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(),
            args=[*ARGS, ONLY_LOCAL],
            ignore_default_args=["--disable-back-forward-cache"],
        )
        page = await browser.new_page()
        await page.goto(f"{server.url}/index.html")
        await page.evaluate("webagent.ready")
        await page.goto(f"{server.url}/second.html")
        await page.evaluate("webagent.ready")
        text = {"style.css": "p { color: rgb(2, 2, 2) }", "webagents.md": manifest(7)}
        (root / changed).write_text(text.get(changed, "y"))
        await page.wait_for_function(
            {
                "style.css": "getComputedStyle(document.querySelector('p')).color === 'rgb(2, 2, 2)'",
                "webagents.md": "webagent.manifest().then(({ name }) => name === 'Shop 7')",
                "other.txt": "performance.getEntriesByType('navigation')[0].type === 'reload'",
            }[changed]
        )
        # From a task of its own: this page may be gone before it could answer.
        await page.evaluate("void setTimeout(() => history.back())")
        await page.wait_for_function("document.title === 'index'")

        await page.wait_for_function(
            {
                "style.css": "getComputedStyle(document.querySelector('p')).color === 'rgb(2, 2, 2)'",
                "webagents.md": "webagent.manifest().then(({ name }) => name === 'Shop 7')",
                "other.txt": "performance.getEntriesByType('navigation')[0].type === 'reload'",
            }[changed]
        )
        why = await page.evaluate(
            "performance.getEntriesByType('navigation')[0].notRestoredReasons?.reasons ?? []"
        )
        assert not {reason["reason"] for reason in why} & OURS
        await browser.close()
