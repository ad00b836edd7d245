"""When a page hears of a save and shows it, by the page's own clock."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from tests.bench.running import Running
from tests.chromium import ARGS, find_chromium, install_chromium

LIMIT_S = 30.0
START_LIMIT_S = 90.0
CLOCK_S = 0.001
"""How far the clock of a page may be from ours."""

SCRIPT = """(() => {
  if (window !== top) return;
  const now = () => performance.timeOrigin + performance.now();
  const note = (what, word = "", at = now()) => { window.noted(what, word, at) };
  const meaning = {
    hello: "connected", connected: "connected", css: "message", manifest: "message",
    reload: "message", update: "message", "full-reload": "message",
    "bundled-dev-update": "message",
  };
  const Native = window.WebSocket;
  window.WebSocket = class WebSocket extends Native {
    constructor(...words) {
      super(...words);
      this.addEventListener("message", ({ data }) => {
        const at = now();
        const { type, ifFallback } = JSON.parse(data);
        // Vite's bundled mode begins with the order to leave a page that says to wait.
        if (meaning[type] && !ifFallback) note(meaning[type], type, at);
      });
    }
  };
  window.note = note;
  const style = () => getComputedStyle(document.documentElement).getPropertyValue("--save").trim();
  document.addEventListener("load", ({ target }) => {
    if (target instanceof HTMLLinkElement) note("style", style());
  }, true);
  addEventListener("DOMContentLoaded", () => {
    note("parsed", document.querySelector("#save")?.textContent ?? "");
    window.webagent?.addEventListener("manifestchange", async () => {
      const at = now();
      const { name } = await webagent.manifest();
      note("manifest", name.replace("Saves ", ""), at);
    });
  });
})();"""
"""Runs before everything else in each document: says when what happened."""

APPLIED = {"css": "style", "html": "parsed", "js": "script", "manifest": "manifest"}
"""By kind of file: the note of a page when it shows the save."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something happened in the page."""

    what: str
    word: str
    at_s: float
    """By the clock of `time.time`."""


class Watched:
    """A page that says when it hears of saves and shows them."""

    def __init__(self, page: Page) -> None:
        """Take a page of `watching`."""
        self._page = page
        self._notes: asyncio.Queue[Note] = asyncio.Queue()
        self._connected = asyncio.Event()

    async def open(self, server: Running) -> None:
        """Load the site and wait until it is connected."""
        await self._page.expose_binding("noted", self._take)
        await self._page.add_init_script(SCRIPT)
        await self._page.goto(server.url)
        await self.wait_until_connected()
        await self._check_clock()

    def forget(self) -> None:
        """Forget what has happened."""
        while not self._notes.empty():
            self._notes.get_nowait()

    async def wait_for(self, what: str, word: str | None = None, limit_s: float = LIMIT_S) -> float:
        """Return when something happened; what happened before it is forgotten.

        Raises:
            TimeoutError: It never did.
        """
        async with asyncio.timeout(limit_s):
            while True:
                note = await self._notes.get()
                if note.what == what and word in (None, note.word):
                    return note.at_s

    async def wait_until_connected(self) -> None:
        """Wait until the page hears of saves."""
        try:
            await asyncio.wait_for(self._connected.wait(), LIMIT_S)
        except TimeoutError:
            raise SystemExit(f"bench: {self._page.url} was not connected in {LIMIT_S} s") from None

    async def start_agent(self) -> None:
        """Start the agent of the page, which has none before it is used."""
        ready = self._page.evaluate("window.webagent?.ready")
        try:
            await asyncio.wait_for(ready, START_LIMIT_S)
        except TimeoutError:
            raise SystemExit(f"bench: the agent did not start in {START_LIMIT_S} s") from None

    def _take(self, _: Any, what: str, word: str, at_ms: float) -> None:
        if what == "connected":
            self._connected.set()
        elif word in ("reload", "full-reload"):
            self._connected.clear()
        self._notes.put_nowait(Note(what, word, at_ms / 1000))

    async def _check_clock(self) -> None:
        before_s = time.time()
        there_s = await self._page.evaluate("performance.timeOrigin + performance.now()") / 1000
        if not before_s - CLOCK_S <= there_s <= time.time() + CLOCK_S:
            raise SystemExit("bench: the clock of the page is not that of the machine")


@contextlib.asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Run a headless Chromium while the block runs."""
    path = find_chromium() or install_chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(ARGS))
        try:
            yield browser
        finally:
            await browser.close()


async def watch(browser: Browser, server: Running) -> Watched:
    """Open the site of a server in a page of its own."""
    context = await browser.new_context()
    watched = Watched(await context.new_page())
    await watched.open(server)
    return watched
