"""Opens what a page says can be opened: dialogs, menus, folded parts. Nothing is sent meanwhile."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Page, Route

MOST = 12
"""How many are opened on a page."""
_LONGEST = 80
ENDING = re.compile(r"log.?out|sign.?out|delete|remove|unsubscribe", re.IGNORECASE)
"""Words of what may end something when it is followed or clicked."""

_OPENERS = """
    () => {
        const said = "[aria-haspopup]:not([aria-haspopup=false]), [aria-expanded=false], "
            + "[popovertarget], [command=show-modal], [command=show-popover], "
            + "details:not([open]) > summary, [data-bs-toggle], [data-toggle=modal]";
        globalThis.__webagentOpeners = [...document.querySelectorAll(said)].filter((one) => {
            if (one.disabled || one.matches("input, select, textarea")) return false;
            if (one.form && !["button", "reset"].includes(one.type)) return false;
            if (one.matches("[type=reset]")) return false;
            const link = one.closest("a[href]");
            return !link || /^(?:#|javascript:)/.test(link.getAttribute("href"));
        });
        return globalThis.__webagentOpeners.map((one) =>
            `${one.textContent} ${one.getAttribute("aria-label") ?? ""}`.slice(0, 200));
    }
"""
_OPEN = """
    (index) => {
        const one = globalThis.__webagentOpeners?.[index];
        if (one?.isConnected) one.click();
        return one !== undefined;
    }
"""


async def opened_parts(page: Page) -> AsyncIterator[str]:
    """Open one part after the other; yield after each the words of what opened it.

    It ends early when something has led to another document.

    Args:
        page: The page, at rest.
    """
    texts = await page.evaluate(_OPENERS)
    wanted = [index for index, text in enumerate(texts) if not ENDING.search(str(text))]
    if not wanted:
        return
    async with _nothing_sent(page):
        for index in wanted[:MOST]:
            if not await page.evaluate(_OPEN, index):
                return
            yield " ".join(str(texts[index]).split())[:_LONGEST]


@asynccontextmanager
async def _nothing_sent(page: Page) -> AsyncIterator[None]:
    async def refuse(route: Route) -> None:
        if route.request.method in ("GET", "HEAD", "OPTIONS"):
            await route.fallback()
        else:
            await route.abort("blockedbyclient")

    await page.route("**/*", refuse)
    try:
        yield
    finally:
        await page.unroute("**/*", refuse)
