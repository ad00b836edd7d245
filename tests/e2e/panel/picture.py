"""Takes the pictures of the panel that the documentation shows: `docs/images/panel*.png`.

python -m tests.e2e.panel.picture
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.async_api import Browser, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.conftest import TEMPLATE
from tests.e2e.panel.conftest import OPENED
from tests.e2e.panel.films import Film, Frame, take
from tests.server import Server, serving

IMAGES = Path(__file__).parents[3] / "docs" / "images"
BASKET = Film("find books by Tolkien and add the cheapest one to my basket")
CHOICE = Film("put a Tolkien in my basket")


async def frames(
    browser: Browser, server: Server, film: Film, width: int, scheme: str
) -> list[Frame]:
    """Play a film in a window of its own."""
    context = await browser.new_context(
        viewport={"width": width, "height": 780},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    await context.add_init_script(OPENED)
    taken = await take(context, server.url, film)
    await context.close()
    return taken


async def shoot(server: Server) -> None:
    """Take an approval and an outcome on a desktop, and a choice on a phone."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGS)
        basket = await frames(browser, server, BASKET, 1120, "light")
        choice = await frames(browser, server, CHOICE, 390, "dark")
        await browser.close()
    pictures = {
        "panel-approval": [one for one in basket if one.asks][-1],
        "panel": basket[-1],
        "panel-phone": next(one for one in choice if one.asks),
    }
    for name, frame in pictures.items():
        (IMAGES / f"{name}.png").write_bytes(frame.picture)


def main() -> None:
    """Serve the template and take the pictures."""
    with serving(TEMPLATE) as server:
        asyncio.run(shoot(server))


if __name__ == "__main__":
    main()
