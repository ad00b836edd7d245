"""Takes the pictures of the documentation from the real shop, into `docs/images`.

python -m tests.e2e.pictures [NAME...]
"""

from __future__ import annotations

import asyncio
import io
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Literal

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.conftest import TEMPLATE
from tests.e2e.inspector.conftest import Inspector, address
from tests.e2e.panel import films
from tests.e2e.panel.conftest import OPENED
from tests.server import Server, serving

IMAGES: Final = Path(__file__).parents[2] / "docs" / "images"
GOAL: Final = "find books by Tolkien and add the cheapest one to my basket"
TURN_MS: Final = 120
"""How long a picture of the film is shown while the page changes."""
READ_MS: Final = 1_600
"""How long it is shown where there is something to read."""
END_MS: Final = 4_000
MISTAKES: Final = (
    ("- `query` (string, required)", "- `query` (Array<string, required)"),
    ("- `bookId` (string, required)", "- `bookId` (strin[, required)"),
)


class Reel:
    """The pictures of a film, and how long each is shown."""

    def __init__(self, page: Page) -> None:
        """Film a page."""
        self._page = page
        self._pictures: list[bytes] = []
        self._shown_ms: list[int] = []

    async def show(self, shown_ms: int = TURN_MS) -> None:
        """Take a picture; one that is like the last one only makes that longer."""
        picture = await self._page.screenshot()
        if self._pictures and picture == self._pictures[-1]:
            self._shown_ms[-1] = max(self._shown_ms[-1], shown_ms)
            return
        self._pictures.append(picture)
        self._shown_ms.append(shown_ms)

    def write(self, path: Path) -> None:
        """Write the film as one moving picture that begins again by itself."""
        first, *more = (Image.open(io.BytesIO(one)).convert("RGB") for one in self._pictures)
        first.save(
            path,
            save_all=True,
            append_images=more,
            duration=self._shown_ms,
            loop=0,
            quality=72,
            method=6,
        )


async def page_of(
    browser: Browser, width: int, height: int, scheme: Literal["light", "dark"] = "light"
) -> Page:
    """Open an empty page of a new visitor, whose panel lets scripts look into it."""
    context = await browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme
    )
    await context.add_init_script(OPENED)
    return await context.new_page()


async def film(browser: Browser, server: Server) -> None:
    """The goal of the README: typed, planned, allowed, and the basket."""
    page = await page_of(browser, 900, 620)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    reel = Reel(page)
    await reel.show(READ_MS)
    await page.locator("webagent-launcher button").click()
    goal = page.locator("webagent-panel #goal")
    await goal.wait_for()
    await reel.show(READ_MS // 2)
    await goal.click()
    for at in range(0, len(GOAL), 3):
        await page.keyboard.type(GOAL[at : at + 3])
        await reel.show()
    await reel.show(READ_MS // 2)
    await page.keyboard.press("Enter")
    allow = page.locator("webagent-panel .request").get_by_role("button", name="Allow once")
    while not await page.locator("webagent-panel .outcome").count():
        await reel.show()
        # It cannot be pressed before everything was seen.
        if await allow.and_(page.locator('[aria-disabled="false"], :not([aria-disabled])')).count():
            await reel.show(READ_MS)
            await allow.hover()
            await reel.show(READ_MS // 2)
            await allow.click()
    await reel.show(END_MS)
    await page.context.close()
    reel.write(IMAGES / "demo.webp")


async def panel(browser: Browser, server: Server) -> None:
    """An approval on a desktop, and a choice on a phone."""
    desk = await page_of(browser, 1120, 780)
    basket = await films.take(desk.context, server.url, films.Film(GOAL))
    phone = await page_of(browser, 390, 780, "dark")
    choice = await films.take(phone.context, server.url, films.Film("put a Tolkien in my basket"))
    await desk.context.close()
    await phone.context.close()
    frames = {
        "panel-approval": [one for one in basket if one.asks][-1],
        "panel-phone": next(one for one in choice if one.asks),
    }
    for name, frame in frames.items():
        (IMAGES / f"{name}.png").write_bytes(frame.picture)


async def inspector(browser: Browser, server: Server) -> None:
    """A tool of the shop, its form, and what it returned."""
    page = await page_of(browser, 1280, 800)
    shop = await page.context.new_page()
    await shop.goto(server.url)
    await shop.evaluate("webagent.ready")
    await page.goto(address(server))
    shown = Inspector(page, shop, server)
    await shown.choose("searchBooks")
    await shown.field("query").fill("harbour")
    await shown.field("limit").fill("3")
    await shown.call()
    await page.evaluate("document.activeElement.blur()")
    await page.screenshot(path=IMAGES / "inspector.png")
    await page.context.close()


async def overlay(browser: Browser, server: Server) -> None:
    """Two mistakes in the manifest, over the page."""
    page = await page_of(browser, 1040, 660)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    manifest = server.root / "webagents.md"
    text = manifest.read_text("utf-8")
    for right, wrong in MISTAKES:
        assert right in text
        text = text.replace(right, wrong, 1)
    manifest.write_text(text, "utf-8")
    await page.get_by_text("webagents.md has 2 errors").wait_for()
    await page.screenshot(path=IMAGES / "overlay.png")
    await page.context.close()


PICTURES: Final[dict[Callable[[Browser, Server], Awaitable[None]], Sequence[str]]] = {
    film: ("demo.webp",),
    panel: ("panel-approval.png", "panel-phone.png"),
    inspector: ("inspector.png",),
    overlay: ("overlay.png",),
}
"""The files that each function takes; the one that changes the shop comes last."""


async def take_all(server: Server, names: Sequence[str]) -> None:
    """Take the pictures whose files, or functions, have one of the names; all without names."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGS)
        for take, files in PICTURES.items():
            if names and not {take.__name__, *files} & {*names}:
                continue
            await take(browser, server)
            for file in files:
                print(f"{IMAGES / file}: {(IMAGES / file).stat().st_size:,} bytes")
        await browser.close()


def main(names: Sequence[str]) -> None:
    """Serve a copy of the template and take the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(shutil.copytree(TEMPLATE, Path(folder) / "shop"))
        with serving(shop) as server:
            asyncio.run(take_all(server, names))


if __name__ == "__main__":
    main(sys.argv[1:])
