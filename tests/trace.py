"""The browser's trace: how long its pages keep their main threads busy."""

from __future__ import annotations

import asyncio
from typing import Any

from playwright.async_api import Browser


class Trace:
    """The trace of all pages of a Chromium while they do something.

    The processor's time counts, as other programs of the machine may hold up any task.

    Attributes:
        longest_ms: The processor's time of the longest task of any page's main thread.
        total_ms: That of all their tasks.
    """

    def __init__(self, browser: Browser) -> None:
        """Trace a browser within a block."""
        self._browser = browser
        self.longest_ms = 0.0
        self.total_ms = 0.0

    async def __aenter__(self) -> Trace:
        """Begin."""
        self._tools = await self._browser.new_browser_cdp_session()
        self._events: list[dict[str, Any]] = []
        self._whole = asyncio.Event()
        self._tools.on("Tracing.dataCollected", lambda part: self._events.extend(part["value"]))
        self._tools.on("Tracing.tracingComplete", lambda _: self._whole.set())
        config = {"includedCategories": ["toplevel", "__metadata"], "traceBufferSizeInKb": 400_000}
        await self._tools.send("Tracing.start", {"traceConfig": config})
        return self

    async def __aexit__(self, *_: object) -> None:
        """End, and read the trace."""
        await self._tools.send("Tracing.end")
        await self._whole.wait()
        await self._tools.detach()
        mains = {
            (event["pid"], event["tid"])
            for event in self._events
            if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
        }
        times = [
            event.get("tdur", 0) / 1000
            for event in self._events
            if (event["pid"], event["tid"]) in mains and event["name"].endswith("RunTask")
        ]
        assert times, "the trace has no task"
        self.longest_ms, self.total_ms = max(times), sum(times)
