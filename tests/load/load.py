"""Calls to thousands of pages at a rate, and an account of each outcome."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import httpx
from playwright.async_api import Browser, Page

from tests.load.app_text import CALL_S
from tests.visitor_page import PLAIN, VisitorPage
from webagent_site.http.visitors import SESSION_COOKIE

AT_ONCE = 40
"""Pages that connect at a time."""
REAL_RATE = 2.0
"""Calls a second to real pages."""


@dataclass
class Account:
    """The calls of a while."""

    asked: dict[str, str] = field(default_factory=dict)
    """The outcome of each call, by its id; empty while it runs."""
    times_ms: list[float] = field(default_factory=list)
    """How long each answered call has taken."""

    def outcomes(self) -> Counter[str]:
        """Return how often there was each outcome."""
        return Counter(self.asked.values())

    @property
    def answered(self) -> int:
        """Calls that were answered."""
        return self.outcomes()["answered"]

    @property
    def lost(self) -> int:
        """Calls without any word."""
        return self.outcomes()[""]

    def percentile(self, share: float) -> float:
        """Return the time that a share of the answered calls did not pass, in milliseconds."""
        times = sorted(self.times_ms)
        return times[min(int(len(times) * share), len(times) - 1)] if times else 0.0


class RealPage:
    """A page in Chromium, of a visitor of its own."""

    def __init__(self, page: Page, session: str) -> None:
        self.page = page
        self.session = session

    async def done(self) -> Counter[str]:
        """Return how often it has worked on each call."""
        return Counter(await self.page.evaluate("journal"))


async def open_real(browser: Browser, url: str) -> RealPage:
    """Open a page in Chromium, and wait until its agent has started."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url)
    await page.evaluate("webagent.ready")
    for _ in range(100):
        cookies = await context.cookies(f"{url}/__webagent__/pages")
        found = [each["value"] for each in cookies if each["name"] == SESSION_COOKIE]
        if found:
            return RealPage(page, found[0])
        await asyncio.sleep(0.1)
    raise AssertionError("the page has no session")


async def open_pages(url: str, count: int) -> list[VisitorPage]:
    """Open pages that are not real ones, each of a visitor of its own."""
    turns = asyncio.Semaphore(AT_ONCE)
    pages = [VisitorPage(url) for _ in range(count)]
    limits = httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=0)
    async with httpx.AsyncClient(verify=PLAIN, timeout=60, limits=limits) as client:

        async def opened(page: VisitorPage) -> None:
            async with turns:
                await page.fetch_token(client)
                await page.__aenter__()

        await asyncio.gather(*map(opened, pages))
    return pages


async def close_pages(pages: Sequence[VisitorPage]) -> None:
    """Leave them."""
    await asyncio.gather(*(page.close() for page in pages), return_exceptions=True)


async def load(
    url: str,
    pages: Sequence[VisitorPage],
    real: Sequence[RealPage],
    *,
    rate: float,
    seconds: float,
    meanwhile: Callable[[], Awaitable[None]] | None = None,
) -> Account:
    """Make calls to random pages, and return their outcomes.

    Args:
        url: Of the site.
        pages: Pages that are not real ones.
        real: Real pages.
        rate: Calls a second.
        seconds: For how long.
        meanwhile: Begun after a fifth of the time; awaited.
    """
    account = Account()
    running: set[asyncio.Task[None]] = set()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
    async with httpx.AsyncClient(verify=PLAIN, timeout=CALL_S + 10, limits=limits) as client:

        async def call(session: str) -> None:
            call_id = secrets.token_hex(8)
            account.asked[call_id] = ""
            began = time.perf_counter()
            try:
                answer = await client.post(f"{url}/call", json={"session": session, "id": call_id})
                result = answer.json() if "json" in answer.headers.get("content-type", "") else {}
            except (httpx.HTTPError, ValueError) as error:
                account.asked[call_id] = f"connection: {type(error).__name__}"
                return
            if result.get("ok"):
                account.asked[call_id] = "answered"
                account.times_ms.append((time.perf_counter() - began) * 1000)
            else:
                kind = result.get("error", {}).get("kind") or f"nginx {answer.status_code}"
                account.asked[call_id] = kind

        def begin(session: str) -> None:
            task = asyncio.create_task(call(session))
            running.add(task)
            task.add_done_callback(running.discard)

        event: asyncio.Task[None] | None = None
        began = time.perf_counter()
        number = 0
        while (now := time.perf_counter() - began) < seconds:
            if meanwhile and event is None and now > seconds / 5:
                event = asyncio.ensure_future(_awaited(meanwhile))
            while number < now * rate:
                number += 1
                to_real = real and random.random() < REAL_RATE / rate
                begin(random.choice(real if to_real else pages).session or "")
            await asyncio.sleep(1 / (4 * rate))
        if event:
            await event
        with suppress(TimeoutError):
            async with asyncio.timeout(CALL_S + 15):
                while running:
                    await asyncio.wait(set(running))
    return account


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()


async def executed_twice(pages: Sequence[VisitorPage], real: Sequence[RealPage]) -> list[str]:
    """Return the ids of calls that pages have worked on more than once, by their own journals."""
    done: Counter[str] = Counter()
    for page in pages:
        done.update(page.done)
    for each in real:
        done.update(await each.done())
    return [call_id for call_id, count in done.items() if count > 1]
