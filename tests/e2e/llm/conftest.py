"""Pages with the page's side of models, and Python's side over Playwright."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.e2e.conftest import Serve, Watch
from tests.e2e.turns import Turns

SOURCES = Path(__file__).parents[3] / "browser_bundle"
ENTRY = """
export { createModelBridge } from "./src/llm/page_models.ts";
export { createFetchBridge } from "./src/llm/fetch_bridge.ts";
"""
HTML = '<!doctype html><link rel="icon" href="data:,"><title>models</title>'
MODULES = {
    "/own.js": """
        export async function reply({ messages, tools, signal, onText }) {
          globalThis.seen = { messages, tools, aborted: signal.aborted };
          signal.addEventListener("abort", () => (globalThis.seen.aborted = true));
          return globalThis.answer({ messages, tools, signal, onText });
        }
    """,
    "/empty.js": "export const replies = 1;",
    "/broken.js": "export function reply() {",
    "/throws.js": "throw new RangeError('no WebGPU here');",
}
"""Modules of the site's own by their paths; the reply of the first is what a test makes it."""


@pytest.fixture(name="script", scope="session")
def _script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page's side, built from its sources as one classic script: `models.createFetchBridge`."""
    target = tmp_path_factory.mktemp("llm") / "llm.js"
    command = [
        "node_modules/.bin/esbuild", "--bundle", "--format=iife",
        "--global-name=models", "--target=es2022", "--log-level=warning", f"--outfile={target}",
    ]  # fmt: skip
    subprocess.run(command, cwd=SOURCES, check=True, input=ENTRY, text=True)
    return target.read_text(encoding="utf-8")


@pytest.fixture(name="origin", scope="session")
def _origin() -> Iterator[str]:
    """A server of one empty page, and of `MODULES`; `/cookies` says which cookies it got."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path in MODULES:
                self._answer("text/javascript", MODULES[self.path])
            else:
                self._answer("text/html", HTML)

        def do_POST(self) -> None:
            self._answer("text/plain", self.headers.get("cookie", "none"))

        def do_OPTIONS(self) -> None:
            self._answer("text/plain", "")

        def _answer(self, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(307 if self.path == "/away" else 200)
            self.send_header("content-type", f"{kind}; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.send_header("access-control-allow-origin", "*")
            self.send_header("access-control-allow-headers", "*")
            self.send_header("location", "/cookies")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


class Bridge:
    """Python's view of the page's side: each method is that of a bridge in the page."""

    def __init__(self, page: Page) -> None:
        """Speak to the bridges of a page."""
        self.page = page
        self._sent: set[asyncio.Task[Any]] = set()

    async def fetch_open(self, number: int, request: str) -> str:
        return await self._ask("requests.fetch_open", number, request)

    async def fetch_read(self, number: int) -> str:
        return await self._ask("requests.fetch_read", number)

    def fetch_close(self, number: int) -> None:
        self._send("requests.fetch_close", number)

    async def model_availability(self, request: str) -> str:
        return await self._ask("builtin.model_availability", request)

    def model_start(self, number: int, request: str) -> None:
        self._send("builtin.model_start", number, request)

    async def model_read(self, number: int) -> str:
        return await self._ask("builtin.model_read", number)

    def model_close(self, number: int) -> None:
        self._send("builtin.model_close", number)

    async def settle(self) -> None:
        """Wait until the page has heard everything."""
        await asyncio.gather(*self._sent)

    async def _ask(self, method: str, *arguments: Any) -> str:
        await self.settle()
        return await self.page.evaluate(f"(given) => {method}(...given)", list(arguments))

    def _send(self, method: str, *arguments: Any) -> None:
        task = asyncio.ensure_future(
            self.page.evaluate(f"(given) => {method}(...given)", [*arguments])
        )
        self._sent.add(task)
        task.add_done_callback(self._sent.discard)


@pytest_asyncio.fixture(name="turns", scope="session", loop_scope="session")
async def _turns(browser: Browser) -> AsyncIterator[Turns]:
    context = await browser.new_context()
    yield Turns(context)
    await context.close()


@pytest_asyncio.fixture(name="page", loop_scope="session")
async def _page(turns: Turns, watch: Watch, serve: Serve) -> AsyncIterator[Page]:
    """A page like a new one, which leaves before the servers of its test stop."""
    async with turns.turn() as page:
        watch.attach(page)
        yield page
    watch.check()


@pytest_asyncio.fixture(name="bridge", loop_scope="session")
async def _bridge(page: Page, origin: str, script: str) -> AsyncIterator[Bridge]:
    await page.goto(f"{origin}/")
    await page.evaluate(
        f"{script}\nglobalThis.models = models;"
        "globalThis.requests = models.createFetchBridge();"
        "globalThis.builtin = models.createModelBridge(); undefined"
    )
    bridge = Bridge(page)
    yield bridge
    await bridge.settle()
