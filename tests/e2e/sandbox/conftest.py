"""A site that is built from the source, served with a strict policy, and runs programs."""

from __future__ import annotations

import http.server
import json
import shutil
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page

from tests.e2e.conftest import TEMPLATE
from tests.server import Server, hosting
from webagent import AgentClient

BROWSER_BUNDLE = Path(__file__).parents[3] / "browser_bundle"
STRICT = "default-src 'none'; script-src 'self'; frame-src 'self'"

PAGE = """<!doctype html><html lang=en><meta charset=utf-8><title>programs</title>
<link rel=icon href="data:,"><script type=module src=/page.js></script>"""

SCRIPT = """
import { runCode } from "./code.js";
const tools = new Map(["add", "echo", "fail", "never"].map((name) => [name, "manifest"]));
const TOOLS = {
  add: ([a, b]) => ({ ok: true, value: a + b }),
  echo: ([value]) => ({ ok: true, value }),
  fail: () => ({ ok: false, error: { kind: "threw", message: "no", tool: "fail" } }),
  never: () => new Promise(() => {}),
};
let made = 0;
window.called = [];
window.messages = [];
addEventListener("message", ({ data }) => messages.push(data));
window.run = (code, options) =>
  runCode(code, {
    tools,
    call: async (name, args) => {
      called.push(name);
      args = JSON.parse(args);
      const call = { id: ++made, name, source: "manifest", arguments: args };
      return { logs: [], calls: [call], duration_ms: 0, ...(await TOOLS[name](args)) };
    },
    describe: async (name) => ({
      ok: true, logs: [], calls: [], duration_ms: 0,
      value: name ?? [...tools.keys()].map((name) => ({ name, description: "" })),
    }),
    isolation: "sandbox",
    base: new URL("/", location.href).href,
    ...options,
  });
"""


@pytest.fixture(name="scripts", scope="session")
def _scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with new builds of `code.js`, `transform.js` and `sandbox.html`."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, entry in (("code", "code.ts"), ("transform", "transform/index.ts")):
        subprocess.run(
            [
                BROWSER_BUNDLE / "node_modules/.bin/esbuild",
                BROWSER_BUNDLE / "src/sandbox" / entry,
                "--bundle",
                "--format=esm",
                "--log-level=warning",
                f"--outfile={folder / name}.js",
            ],
            check=True,
        )
    html = subprocess.run(
        [
            "node",
            "--input-type=module",
            "--eval",
            "import { sandboxHtml } from './build/sandbox.mjs';"
            "process.stdout.write(await sandboxHtml('src'))",
        ],
        check=True,
        cwd=BROWSER_BUNDLE,
        capture_output=True,
    ).stdout
    (folder / "sandbox.html").write_bytes(html)
    (folder / "page.js").write_text(SCRIPT, encoding="utf-8")
    return folder


class Site:
    """A server of those files, which records its requests."""

    def __init__(self, folder: Path) -> None:
        """Serve a folder on a free port."""
        self.asked: list[str] = []
        self.policy = STRICT
        self.embedder_policy = "unsafe-none"
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                site.asked.append(path)
                file = folder / path.lstrip("/")
                found = path == "/" or file.is_file()
                self.send_response(200 if found else 404)
                kind = "text/javascript" if path.endswith(".js") else "text/html"
                self.send_header("content-type", f"{kind}; charset=utf-8")
                self.send_header("access-control-allow-origin", "*")
                self.send_header("cross-origin-resource-policy", "same-origin")
                if path == "/":
                    self.send_header("content-security-policy", site.policy)
                    self.send_header("cross-origin-embedder-policy", site.embedder_policy)
                if path == "/sandbox.html":
                    self.send_header("cross-origin-embedder-policy", "require-corp")
                    policy = "sandbox allow-scripts; frame-ancestors 'self'"
                    self.send_header("content-security-policy", policy)
                self.end_headers()
                if found:
                    self.wfile.write(PAGE.encode() if path == "/" else file.read_bytes())

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def escaped(self) -> list[str]:
        """Return the requested paths that only a program would request."""
        return [path for path in self.asked if path.startswith("/escape")]

    def stop(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(name="site", scope="module")
def _site(scripts: Path) -> Iterator[Site]:
    site = Site(scripts)
    yield site
    site.stop()


@pytest_asyncio.fixture(name="programs", scope="module", loop_scope="session")
async def _programs(context: BrowserContext, site: Site) -> AsyncIterator[Page]:
    """A page that has `run(code, options)`; errors that programs log are allowed."""
    page = await context.new_page()
    await page.goto(site.url)
    await page.wait_for_function("window.run !== undefined")
    yield page
    await page.close()


async def run(page: Page, code: str, **options: Any) -> dict[str, Any]:
    """Run a program in the page and return its result."""
    told: str = await page.evaluate(
        "async ([code, options]) => JSON.stringify(await run(code, options))", [code, options]
    )
    result: dict[str, Any] = json.loads(told)
    return result


@pytest.fixture(name="template", scope="session")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The shop, whose own agent does not start, since the tests bring the programs."""
    root = shutil.copytree(TEMPLATE, tmp_path_factory.mktemp("sandbox") / "shop")
    (root / "webagent.toml").write_text('[page]\nstart = "use"\n', encoding="utf-8")
    with hosting(root) as server:
        yield server


@pytest_asyncio.fixture(name="shop_page", loop_scope="session")
async def _shop_page(browser: Browser, template: Server) -> AsyncIterator[Page]:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(template.url)
    yield page
    await context.close()


@pytest_asyncio.fixture(name="client", loop_scope="session")
async def _client(template: Server) -> AsyncIterator[AgentClient]:
    async with AgentClient() as client:
        await client.detect(template.url)
        yield client
