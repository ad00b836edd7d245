"""A day of `serve` and many calls in one page: their memory after the first tenth, and later."""

from __future__ import annotations

import asyncio
import tempfile
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from playwright.async_api import Page

from tests.bench.call import MANIFEST, opened, python
from tests.bench.listening import Listener
from tests.bench.page_times import LIMIT_S, chromium
from tests.bench.running import Running, ours
from tests.bench.sites import save, small_site, start_on_use
from tests.bench.table import table

TITLE = "A day: memory after each tenth, next to that after the first"
SAVES = 5_000
RECONNECTS = 500
"""One client goes and another comes, and the page in the browser is loaded anew."""
CALLS = 10_000
MANIFESTS = 500
"""Saves of the manifest, after each of which the page has new tools."""
PAGES = (1, 10, 100)
CLIENTS = 4
HEARD_S = 0.3
TENTHS = 10

GIVEN = {"query": "red", "limit": 5}
CALL = """async ([given, calls]) => {
  for (let number = 0; number < calls; number++) await webagent.invoke("small", given);
}"""
PYTHON = """
import gc, tracemalloc

tracemalloc.start()

async def often(times):
    for _ in range(times):
        await page.call("small", "red", 5)

def held():
    gc.collect()
    return tracemalloc.get_traced_memory()[0] / 1e6
"""

CHANGED = "new Promise((done) => webagent.addEventListener('manifestchange', done, { once: true }))"

Series = dict[str, list[float]]
"""The values after each tenth, by the work until then."""


async def run(part: float = 1.0) -> str:
    """Return a table for each memory.

    Args:
        part: Of a day: 0.1 makes a tenth of the saves and of the calls.
    """
    found = {**await _day(part), **await _calls(part)}
    return "\n\n".join(table(title, rows, digits=2) for title, rows in found.items())


async def _day(part: float) -> Mapping[str, Series]:
    """Save again and again, while clients and a page in a browser come and go."""
    saves, every = round(SAVES * part), SAVES // RECONNECTS
    server_pss: Series = {}
    heap: Series = {}
    with tempfile.TemporaryDirectory() as folder:
        root = start_on_use(small_site(Path(folder) / "site"))
        server = Running(ours, root)
        clients: deque[Listener] = deque()
        try:
            pages = _pages(server, clients)
            async with chromium() as browser:
                page = await browser.new_page()
                await page.goto(server.url)
                for number in range(1, saves + 1):
                    # A saved page is loaded anew, which is the reconnect of the browser.
                    reconnects = number % every == 0
                    save(root, "html" if reconnects else "css", f"d{number}")
                    for client in clients:
                        client.hears(HEARD_S)
                    if reconnects:
                        clients.popleft().close()
                        clients.append(Listener(server))
                        await page.get_by_text(f"d{number}", exact=True).wait_for()
                    if number % (saves // TENTHS) == 0:
                        server.wait_until_quiet()
                        server_pss[f"{number:,} saves"] = [server.memory().pss]
                        heap[f"{number:,} saves"] = [await _heap_mb(page)]
        finally:
            for client in clients:
                client.close()
            server.kill()
    return {
        "MB, PSS of the server by pages": pages,
        "MB, PSS of the server": server_pss,
        "MB, JavaScript in the page that is saved": heap,
    }


def _pages(server: Running, clients: deque[Listener]) -> Series:
    """Connect more and more clients, and let all but a few of them go."""
    found: Series = {}
    for pages in PAGES:
        clients.extend(Listener(server) for _ in range(pages - len(clients)))
        server.wait_until_quiet()
        found[f"{pages:,}"] = [server.memory().pss]
    while len(clients) > CLIENTS:
        clients.pop().close()
    return found


async def _calls(part: float) -> Mapping[str, Series]:
    """Call a tool from the page and from its Python, and save the manifest in between."""
    calls, manifests = round(CALLS * part / TENTHS), round(MANIFESTS * part / TENTHS)
    heap: Series = {}
    traced: Series = {}
    async with opened() as (server, page):
        await python(page, PYTHON)
        for tenth in range(1, TENTHS + 1):
            await page.evaluate(CALL, [GIVEN, calls])
            await python(page, f"await often({calls})")
            for number in range(manifests):
                changed = asyncio.ensure_future(page.evaluate(CHANGED))
                await page.evaluate("1")  # The page listens by now.
                word = f"Calls {tenth} {number}"
                (server.root / "webagents.md").write_text(MANIFEST.replace("Calls", word), "utf-8")
                try:
                    await asyncio.wait_for(changed, LIMIT_S)
                except TimeoutError:
                    raise SystemExit(f"bench: the page never got the manifest `{word}`") from None
            done = f"{calls * tenth:,} calls each way, {manifests * tenth} new manifests"
            traced[done] = [await python(page, "held()")]
            heap[done] = [await _heap_mb(page)]
    return {
        "MB, JavaScript in the page that calls": heap,
        "MB, Python in that page, allocated since the first call": traced,
    }


async def _heap_mb(page: Page) -> float:
    """Return the memory of JavaScript in a page after its garbage is collected."""
    session = await page.context.new_cdp_session(page)
    await session.send("HeapProfiler.collectGarbage")
    used: float = (await session.send("Runtime.getHeapUsage"))["usedSize"]
    await session.detach()
    return used / 1e6
