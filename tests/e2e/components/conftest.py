"""Pages of several origins: each port of 127.0.0.1 is one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.async_api import Frame, Page

from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import BundleFiles

HEAD = '<!doctype html><link rel="icon" href="data:,">'


class Site:
    """One origin: the pages that a test puts there, and `components.js`."""

    def __init__(self) -> None:
        """Start serving, on a free port."""
        self.pages: dict[str, str] = {}
        script = BundleFiles(BUNDLE).read("components.js")
        pages = self.pages

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                found = script if path == "/components.js" else pages.get(path, "").encode()
                kind = "text/javascript" if path.endswith(".js") else "text/html"
                self.send_response(200 if found else 404)
                self.send_header("content-type", f"{kind}; charset=utf-8")
                self.send_header("content-length", str(len(found)))
                self.end_headers()
                self.wfile.write(found)

            def log_message(self, *_: Any) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def page(self, path: str, code: str = "", *, origins: str = "", body: str = "") -> str:
        """Put a page with `components.js` there, and return its URL.

        Args:
            path: Path of the page.
            code: What its module does; `webmcp` is at hand.
            origins: The origins it lists.
            body: HTML.
        """
        listed = f'<meta name="webmcp-origins" content="{origins}">' if origins else ""
        module = f'import webmcp from "/components.js";\n{code}'
        return self.raw(path, f'{listed}<body>{body}<script type="module">{module}</script>')

    def raw(self, path: str, html: str) -> str:
        """Put a page there without anything of ours, and return its URL."""
        self.pages[path] = HEAD + html
        return self.origin + path

    def stop(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()


def _site() -> Iterator[Site]:
    site = Site()
    yield site
    site.stop()


shop = pytest.fixture(_site, name="shop", scope="session")
"""The site whose page is on top."""
partner = pytest.fixture(_site, name="partner", scope="session")
"""A site that the shop lists."""
stranger = pytest.fixture(_site, name="stranger", scope="session")
"""A site that it does not."""


def tool(name: str, does: str = "name", *, component: str = "", more: str = "") -> str:
    """JavaScript that registers a tool; `does` is an expression of `p`, its parameters."""
    part = f'component: "{component}", ' if component else ""
    return (
        f'webmcp.registerTool({{name: "{name}", {part}description: "does {name}", '
        f"inputSchema: {{type: 'object', properties: {{}}}}, "
        f"execute: async (p, {{signal}}) => {{ const name = '{name}'; return {does}; }}}}); {more}\n"
    )


def frames(*urls: str) -> str:
    """HTML of frames, one for each URL."""
    return "".join(f'<iframe src="{url}"></iframe>' for url in urls)


class Shop:
    """The page on top, with what tests ask it and its frames."""

    def __init__(self, page: Page) -> None:
        """Wrap a page."""
        self.page = page

    async def open(self, url: str, *tools: str) -> None:
        """Load the page and wait until it lists these tools."""
        await self.page.goto(url)
        await self.lists(*tools)

    async def lists(self, *tools: str, frame: Frame | None = None) -> None:
        """Wait until the page, or a frame of it, lists exactly these composed names."""
        # A promise is truthy at once for `wait_for_function`, so the loop is in the page.
        where = frame or self.page
        await where.wait_for_function("window.webmcp")
        await where.evaluate(
            """async names => {
                 const listed = async () => (await webmcp.getTools()).map(
                   ({component, name}) => component ? component + "_" + name : name);
                 while (JSON.stringify(await listed()) !== names)
                   await new Promise((resolve) => setTimeout(resolve, 10));
               }""",
            json.dumps(sorted(tools), separators=(",", ":")),
        )

    def frame(self, url: str) -> Frame:
        """The frame with this URL."""
        return next(frame for frame in self.page.frames if frame.url == url)

    async def add(self, url: str) -> Frame:
        """Add a frame with this URL to the page, and return it when it is loaded."""
        added = await self.page.evaluate_handle(
            """url => new Promise((loaded) => {
                 const frame = Object.assign(document.createElement("iframe"), {src: url});
                 frame.onload = () => loaded(frame);
                 document.documentElement.append(frame);
               })""",
            url,
        )
        element = added.as_element()
        assert element is not None
        frame = await element.content_frame()
        assert frame is not None
        return frame

    async def call(
        self, name: str, parameters: Any = None, *, frame: Frame | None = None, options: str = "{}"
    ) -> Any:
        """Call a tool; the value, or `{"error": …}` with what it rejected with."""
        return await (frame or self.page).evaluate(
            f"""([name, parameters]) => webmcp.executeTool(name, parameters ?? {{}}, {options}).catch(
                 ({{name, message, kind, tool}}) => ({{error: {{name, message, kind, tool}}}}))""",
            [name, parameters],
        )


@pytest.fixture(name="top")
def _top(shop: Site, partner: Site, stranger: Site, page: Page) -> Shop:
    """A page, and sites without the pages of the test before."""
    for site in (shop, partner, stranger):
        site.pages.clear()
    return Shop(page)
