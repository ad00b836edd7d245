"""Takes the picture of the inspector that the documentation shows: `docs/images/inspector.png`.

python -m tests.e2e.inspector.picture
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.async_api import async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.conftest import TEMPLATE
from tests.e2e.inspector.conftest import Inspector, address
from tests.server import Server, serving

PICTURE = Path(__file__).parents[3] / "docs" / "images" / "inspector.png"
SIZE = {"width": 1280, "height": 800}


async def take(server: Server) -> None:
    """Call a tool of the template and take a picture of what is to be seen."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGS)
        context = await browser.new_context(viewport=SIZE, color_scheme="light")
        shop, page = await context.new_page(), await context.new_page()
        await shop.goto(server.url)
        await shop.evaluate("webagent.ready")
        await page.goto(address(server))
        inspector = Inspector(page, shop, server)
        await inspector.choose("searchBooks")
        await inspector.field("query").fill("harbour")
        await inspector.field("limit").fill("3")
        await inspector.call()
        await page.evaluate("document.activeElement.blur()")
        await page.screenshot(path=PICTURE)
        await browser.close()


def main() -> None:
    """Serve the template and take the picture."""
    with serving(TEMPLATE) as server:
        asyncio.run(take(server))


if __name__ == "__main__":
    main()
