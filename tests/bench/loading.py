"""One load of a page in Chromium: when it was ready, and what that took."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.async_api import BrowserContext, Page

from tests.bench.link import Host
from tests.bench.running import family, memory_of

LIMIT_MS = 120_000
REST_MS = 300
"""After ready, until its late reports have arrived."""
WINDOW_S = 0.5
"""Until browsers have set up a new window; Chromium loads pages of its own for it."""
STAY_S = 3.0
"""Browsers keep what they have compiled of WebAssembly once they have not compiled more for two seconds."""

LOOK = """async (rest) => {
  const ready = await measured;
  await new Promise((resolve) => setTimeout(resolve, rest));
  const tasks = await new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => resolve(list.getEntries()));
    observer.observe({ type: "longtask", buffered: true });
    setTimeout(resolve, rest, []);
  });
  const before = tasks.filter(({ startTime }) => startTime < ready).map(({ duration }) => duration);
  return {
    ready,
    ready_at: performance.timeOrigin + ready,
    long_sum: before.reduce((sum, task) => sum + task, 0),
    long_max: Math.max(0, ...before),
    heap: Math.max(0, ...memories.map(({ buffer }) => buffer.byteLength)),
    way: globalThis.webagent ? `${webagent.way.path}, ${webagent.way.runtime}` : null,
    reason: globalThis.webagent?.way.reason,
  };
}"""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The cost of one start."""

    ready_ms: float
    """From the beginning of the navigation."""
    long_sum_ms: float
    long_max_ms: float
    """Of the tasks of 50 ms and more on the page's thread that began before it was ready."""
    wire_mb: float
    """From the host to the browser, with heads, until it was ready; 0 for a page of another server."""
    heap_mb: float
    """Of WebAssembly's memory in the page; 0 where it has none."""
    pss_mb: float
    """Of the largest renderer."""


async def load(
    context: BrowserContext,
    host: Host,
    url: str,
    way: str | None,
    *,
    page_before: str | None = None,
    use: bool = False,
) -> Loaded:
    """Open a page in a tab of its own and measure its start.

    Args:
        context: Where to open it.
        host: The server of the built site, which counts its bytes.
        url: Of the page.
        way: What `webagent.way` must say (`snapshot, page`); None for a page without an agent.
        page_before: URL of a page that the tab shows before, until its agent is ready.
        use: Whether Python is used afterwards, and the page stays, as a visitor does.
    """
    page = await context.new_page()
    try:
        await asyncio.sleep(WINDOW_S)
        if page_before is not None:
            await _look(page, host, page_before, way)
        loaded = await _look(page, host, url, way)
        if use:
            await page.evaluate("used()")
            await asyncio.sleep(STAY_S)
        return loaded
    finally:
        await page.close()


async def _look(page: Page, host: Host, url: str, way: str | None) -> Loaded:
    host.forget()
    await page.goto(url, timeout=LIMIT_MS)
    found = await page.evaluate(LOOK, REST_MS)
    if found["way"] != way:
        why = found["reason"]
        raise SystemExit(f"bench: `{url}` started by {found['way']}, not by {way}: {why}")
    return Loaded(
        ready_ms=found["ready"],
        long_sum_ms=found["long_sum"],
        long_max_ms=found["long_max"],
        wire_mb=host.sent_bytes(found["ready_at"] / 1000) / 1e6,
        heap_mb=found["heap"] / 1e6,
        pss_mb=largest_renderer_mb(),
    )


def largest_renderer_mb() -> float:
    """Return the PSS of the largest renderer of the browsers that this process has started."""
    sizes = [0.0]
    for pid in family(os.getpid()):
        try:
            if b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes():
                sizes.append(memory_of(pid).pss)
        except (OSError, KeyError):
            continue  # It has ended.
    return max(sizes)


def row(name: str, loads: list[Loaded], peers_ms: list[float]) -> str:
    """Return a line of the table, with the ratio to each peer."""
    ready = [each.ready_ms for each in loads]
    middle = {
        field: median(getattr(each, field) for each in loads)
        for field in ("long_sum_ms", "long_max_ms", "wire_mb", "heap_mb", "pss_mb")
    }
    counted = any(each.wire_mb for each in loads)
    longest = max(each.long_max_ms for each in loads)
    cells = (
        name,
        f"{median(ready):.0f}",
        f"{min(ready):.0f}–{max(ready):.0f}",
        *(f"{median(ready) / peer_ms:.2f}" for peer_ms in peers_ms),
        f"{middle['long_sum_ms']:.0f} / {middle['long_max_ms']:.0f} ({longest:.0f})",
        f"{middle['wire_mb']:.2f}" if counted else "–",
        f"{middle['heap_mb']:.0f}" if middle["heap_mb"] else "–",
        f"{middle['pss_mb']:.0f}",
    )
    return f"| {' | '.join(cells)} |"
