"""All tasks of one server: worked on, written down, told to whoever follows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.errors import RateLimited
from webagent_dev.protocols.tasks.feed import Feed
from webagent_dev.protocols.tasks.store import TaskStore
from webagent_dev.protocols.tasks.task import Numbered, Protocol, Task

MOST_AT_ONCE = 200
"""Tasks that are not over."""


@dataclass(slots=True, eq=False)
class _Live:
    """A task that is not over."""

    task: Task
    """As it was told last."""
    told: int = 0
    """Number of the last event of it."""
    feed: Feed = field(default_factory=Feed)
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    work: asyncio.Task[None] | None = None


class Tasks:
    """The tasks of one server, of both protocols.

    The way of a task: `begin` makes it known, `work` lets a coroutine work on it whoever listens,
    and that coroutine says by `tell` each time that something happened in it: it changes the `Task`
    that was begun, and passes the events of its protocol. Everyone who follows sees them, after they
    are on disk. A task is over once `tell` was called with a state that is.

    Others see a task as it was told last: its `data` is replaced when it changes, not changed in
    place.
    """

    def __init__(self, store: TaskStore) -> None:
        """Begin without any.

        Args:
            store: Where they are kept.
        """
        self._store = store
        self._live: dict[str, _Live] = {}

    async def begin(self, task: Task, *events: dict[str, Any]) -> None:
        """Make a task known that is not over.

        Raises:
            RateLimited: There are too many.
        """
        if len(self._live) >= MOST_AT_ONCE:
            raise RateLimited(
                f"{len(self._live)} tasks are not finished yet",
                help="wait until some of them end, or cancel them",
            )
        self._live[task.id] = _Live(replace(task))
        await self.tell(task, *events)

    def work(self, task: Task, working: Coroutine[Any, Any, None]) -> None:
        """Let somebody work on a task that was begun; nobody has to wait for it.

        The coroutine ends by telling a state that is over, also when it is cancelled by `cancel`.
        """
        self._live[task.id].work = asyncio.ensure_future(working)

    async def tell(self, task: Task, *events: dict[str, Any]) -> None:
        """Write down a task as it is now, and tell what happened in it."""
        live = self._live.get(task.id)
        if live is None:
            return
        over = task.is_over
        async with live.saving:
            numbered = live.feed.number(events, last=over)
            shown = replace(task)
            await self._store.save(shown, *numbered)
            live.task = shown
            live.told += len(numbered)
            live.feed.put(numbered, last=over)
        if over:
            self._live.pop(task.id, None)

    def live(self, protocol: Protocol, task_id: str) -> tuple[Task, int] | None:
        """Return a task that is not over, and the number of its last event, for `follow`.

        None when it is over, or there is none.
        """
        live = self._live.get(task_id)
        return (live.task, live.told) if live and live.task.protocol == protocol else None

    async def find(self, protocol: Protocol, task_id: str) -> Task | None:
        """Return a task as it is now, None when there is none of that id and protocol."""
        live = self.live(protocol, task_id)
        return live[0] if live else await self._store.find(protocol, task_id)

    @property
    def kept(self) -> TaskStore:
        """All tasks as they were told, for lists."""
        return self._store

    async def follow(self, task_id: str, *, after: int = 0) -> AsyncIterator[Numbered]:
        """Yield what happens in a task after the event of a number, until it is over.

        Of a task that was over before, what is kept. One that a restart has ended has no event that
        says so: look at the task afterwards.
        """
        live = self._live.get(task_id)
        if live is None:
            for event in await self._store.events(task_id, after=after):
                yield event
            return
        async for event in live.feed.read(after):
            yield event

    def cancel(self, task_id: str) -> bool:
        """Cancel the work on a task, whose coroutine tells the end; return whether there is any."""
        live = self._live.get(task_id)
        if live is None or live.work is None or live.work.done():
            return False
        if not live.work.cancelling():
            # Once: it is not to be disturbed while it tells its end.
            live.work.cancel()
        return True

    async def close(self) -> None:
        """End all work, and close the file; what is not finished is marked when it is next opened."""
        working = [live.work for live in self._live.values() if live.work]
        self._live.clear()
        for work in working:
            work.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        await self._store.close()
