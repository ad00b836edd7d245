"""The panel: the page's main thread next to a plain dialog, the first step next to page-agent."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, Page

from tests.bench.first_step import first_steps
from tests.bench.page_times import chromium
from tests.bench.table import table
from tests.e2e.panel.conftest import OPENED, PAGE
from tests.e2e.panel.site import Site, panel_scripts
from tests.server import serving
from tests.trace import Trace

TITLE = "The panel, ms: the page's main thread while it opens and streams, and the first step"
ROUNDS = 7
SHOP = Path(__file__).parents[2] / "site_template"
PIECE = 12
"""Characters, about three tokens."""
PIECE_MS = 8
ANSWER = """## What we have

There are **three** books by *J. R. R. Tolkien* on our shelves, see [the catalogue](/index.html):

1. The Hobbit, a paperback of `310` pages
2. The Lord of the Rings, in one volume
3. Farmer Giles of Ham, for children

| Book | Year | Price |
|:--|--:|--:|
| The Hobbit | 1937 | £8.99 |
| Farmer Giles of Ham | 1949 | £7.50 |

"""
LONG = ANSWER * 12
"""Some 4 kB of Markdown, as a wordy model writes it."""

PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
DIALOG = """
const dialog = document.body.appendChild(document.createElement("dialog"));
dialog.style.cssText = "width: 400px; height: 600px; overflow-y: auto; white-space: pre-wrap";
const opener = document.body.appendChild(document.createElement("button"));
opener.id = "opener";
opener.style.cssText = "position: fixed; left: 16px; top: 16px; z-index: 9";
opener.textContent = "Open";
opener.onclick = () => dialog.show();
"""
STREAM = """async ([text, size, wait_ms]) => {
  for (let at = 0; at < text.length; at += size) {
    window.piece(text.slice(at, at + size));
    await new Promise((resolve) => setTimeout(resolve, wait_ms));
  }
  window.whole(text);
}"""
OF_PANEL = """
agent.tell({ type: "started", goal: "books", resumed: false, model: "small-1" });
window.piece = (text) => agent.tell({ type: "text", text, final: false });
window.whole = (text) => agent.tell({ type: "text", text, final: true });
"""
OF_DIALOG = """
dialog.show();
window.piece = (text) => { dialog.append(text); dialog.scrollTop = dialog.scrollHeight; };
window.whole = () => {};
"""


Act = Callable[[Page], Awaitable[object]]


async def run() -> str:
    """Return the tables: panel and dialog take turns, each in a browser context of its own."""
    opening: dict[str, list[float]] = {"plain `<dialog>`": [], "panel": []}
    streaming: dict[str, list[float]] = {name: [] for name in opening}
    with tempfile.TemporaryDirectory() as folder, serving(SHOP) as shop:
        site = Site(panel_scripts(Path(folder)))
        page = site.page("/panel", f'{PAGE}<script type="module" src="/agent.js"></script>')
        try:
            async with chromium() as browser:
                # The round that comes first is not counted.
                for number in range(ROUNDS + 1):
                    for name, prepare, act, begin in WAYS:
                        opened = await traced(browser, shop.url, prepare, act)
                        streamed = await traced(browser, page, begin, stream)
                        if number:
                            opening[name].append(opened.total_ms)
                            streaming[name].append(streamed.longest_ms)
        finally:
            site.stop()
    size = f"{len(LONG) / 1000:.0f} kB"
    return "\n\n".join(
        (
            table("opening: all tasks", opening, digits=1),
            table(f"streaming {size}: the longest task", streaming, digits=1),
            await first_steps(),
        )
    )


async def traced(browser: Browser, url: str, prepare: Act, act: Act) -> Trace:
    """Return the trace of an act on a page that was loaded and prepared."""
    context = await browser.new_context()
    await context.add_init_script(OPENED)
    page = await context.new_page()
    try:
        await page.goto(url, wait_until="networkidle")
        await prepare(page)
        async with Trace(browser) as trace:
            await act(page)
        return trace
    finally:
        await context.close()


async def stream(page: Page) -> None:
    """Stream the answer in pieces."""
    await page.evaluate(STREAM, [LONG, PIECE, PIECE_MS])


async def add_dialog(page: Page) -> None:
    """Add the dialog and its button."""
    await page.evaluate(DIALOG)
    await page.locator("#opener").wait_for()


async def open_dialog(page: Page) -> None:
    """Open the dialog, until it is painted."""
    await page.locator("#opener").click()
    await page.evaluate(PAINTED)


async def begin_dialog(page: Page) -> None:
    """Show the dialog, which takes the answer."""
    await page.evaluate(DIALOG + OF_DIALOG)


async def find_launcher(page: Page) -> None:
    """Wait for the button of the panel."""
    await page.locator("webagent-launcher button").wait_for()


async def open_panel(page: Page) -> None:
    """Open the panel, which loads it, until it is painted in its looks."""
    await page.locator("webagent-launcher button").click()
    await page.locator("webagent-panel .dressed").wait_for()
    await page.evaluate(PAINTED)


async def begin_panel(page: Page) -> None:
    """Open the panel on a page with a scripted agent, whose run begins."""
    await page.wait_for_function("window.loaded")
    await page.evaluate("openPanel()")
    await page.locator("webagent-panel .dressed").wait_for()
    await page.evaluate(OF_PANEL)


WAYS: Final = (
    ("plain `<dialog>`", add_dialog, open_dialog, begin_dialog),
    ("panel", find_launcher, open_panel, begin_panel),
)
