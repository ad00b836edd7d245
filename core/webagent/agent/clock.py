"""The agent's clock: how long things take, what day it is, and waiting."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Measures time, and waits."""

    def seconds(self) -> float:
        """Return seconds since a fixed moment; they never decrease."""

    def now(self) -> datetime:
        """Return the person's local time, with its zone."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The clock of this machine, or one that goes on from another moment."""

    def __init__(self, start: datetime | None = None) -> None:
        """Start the clock.

        Args:
            start: What time it is now; that of this machine if left out.
        """
        now = datetime.now().astimezone()
        self._ahead = start.astimezone() - now if start else timedelta()

    def seconds(self) -> float:
        """Return seconds since a fixed moment."""
        return time.monotonic()

    def now(self) -> datetime:
        """Return the local time, with its zone."""
        return datetime.now().astimezone() + self._ahead

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class FakeClock:
    """A clock for tests: time passes only when something sleeps on it.

    Attributes:
        slept: How long each wait was, in seconds.
    """

    def __init__(self, start: datetime = datetime(2027, 1, 4, 9, 0, tzinfo=UTC)) -> None:
        """Start the clock at a moment."""
        self._start = start
        self._passed = 0.0
        self.slept: list[float] = []

    def seconds(self) -> float:
        """Return seconds since the start."""
        return self._passed

    def now(self) -> datetime:
        """Return the start plus the time that has passed."""
        return self._start + timedelta(seconds=self._passed)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._passed += seconds

    async def sleep(self, seconds: float) -> None:
        """Let the time pass, without waiting."""
        self.slept.append(seconds)
        self._passed += seconds
        await asyncio.sleep(0)
