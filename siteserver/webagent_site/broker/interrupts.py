"""Questions of runs that wait for the answer of a front end, by its thread: the port, and memory."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal, Protocol

Awaited = Literal["yes", "text", "data"]
"""The kind of an answer: a yes or no, words, or values for a schema."""


@dataclass(frozen=True, slots=True)
class Interrupt:
    """A question that is open, and where its run waits."""

    id: str
    """Of the question, as the page has named it."""
    call_id: str
    """Of the call in which the run was started."""
    run_id: str
    tab: str
    """Id of the tab in which the run waits."""
    awaits: Awaited
    ends: float
    """When nobody waits any more, in seconds since 1970."""


class Interrupts(Protocol):
    """The open questions of all processes: one of each thread. Its methods raise `BrokerUnavailable`."""

    async def put(self, thread: str, interrupt: Interrupt) -> None:
        """Write down the open question of a thread."""

    async def of(self, thread: str) -> Interrupt | None:
        """Return the open question of a thread."""

    async def take(self, thread: str, interrupt: Interrupt) -> bool:
        """Remove a question; return whether it was still open. One of several callers is told so."""


class MemoryInterrupts:
    """For a site of one process."""

    def __init__(self) -> None:
        self._open: dict[str, Interrupt] = {}

    async def put(self, thread: str, interrupt: Interrupt) -> None:
        """Write down the open question of a thread, and forget those that have ended."""
        now = time.time()
        self._open = {key: each for key, each in self._open.items() if each.ends > now}
        self._open[thread] = interrupt

    async def of(self, thread: str) -> Interrupt | None:
        """Return the open question of a thread."""
        found = self._open.get(thread)
        return found if found and found.ends > time.time() else None

    async def take(self, thread: str, interrupt: Interrupt) -> bool:
        """Remove a question; return whether it was still open."""
        if await self.of(thread) != interrupt:
            return False
        del self._open[thread]
        return True
