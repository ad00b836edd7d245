"""What happens in one task, told to any number of streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from webagent_dev.agents.tasks.task import Numbered

MOST_EVENTS = 5_000
"""Of one task; what happens after them is in the task as it is, but no event of its own."""


class Feed:
    """The events of a task that is not over.

    Streams read one list, each at its own pace: a slow one costs nothing, all see the same events in
    the same order, and the end of one means nothing to the task.
    """

    def __init__(self) -> None:
        self._events: list[Numbered] = []
        self._over = False
        self._news = asyncio.Event()

    def number(self, events: tuple[dict[str, Any], ...], *, last: bool) -> list[Numbered]:
        """Return events with the numbers that they get; those that are too many are left out.

        Args:
            events: What happened.
            last: Whether they end the task, so that they are told in any case.
        """
        count = len(self._events)
        room = len(events) if last else max(0, MOST_EVENTS - count)
        return [Numbered(count + at, event) for at, event in enumerate(events[:room], 1)]

    def put(self, events: list[Numbered], *, last: bool) -> None:
        """Tell what happened to all who read."""
        self._events += events
        self._over = last
        self._news.set()
        self._news = asyncio.Event()

    async def read(self, after: int = 0) -> AsyncIterator[Numbered]:
        """Yield the events after the one of a number, until the task is over."""
        while True:
            while after < len(self._events):
                yield self._events[after]
                after += 1
            if self._over:
                return
            await self._news.wait()
