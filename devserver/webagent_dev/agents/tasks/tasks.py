"""All tasks of one server: worked on, written down, told to whoever follows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.errors import RateLimited
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.task import Numbered, Protocol, State, Task

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


MOST_AT_ONCE = 200
"""Tasks that are not over."""

LEFT = "the server failed - this is a fault of webagent-dev - its terminal says more"
"""Why a task has failed whose work ended without telling its end."""


@dataclass(slots=True, eq=False)
class _Live:
    """A task that is not over."""

    task: Task
    """As it was told last."""
    told: int = 0
    """Number of the last event of it."""
    kept: Task | None = None
    """As it was written down last."""
    feed: Feed = field(default_factory=Feed)
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    work: asyncio.Task[None] | None = None
    is_cancelled: bool = False


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
        self._unkept: dict[str, Task] = {}
        self._telling: set[asyncio.Task[None]] = set()

    async def begin(self, task: Task, *events: dict[str, Any]) -> None:
        """Make a task known that is not over.

        Raises:
            RateLimited: There are too many.
            Exception: It cannot be written down.
        """
        if len(self._live) >= MOST_AT_ONCE:
            raise RateLimited(
                f"{len(self._live)} tasks are not finished yet",
                help="wait until some of them end, or cancel them",
            )
        live = self._live[task.id] = _Live(replace(task))
        try:
            await asyncio.shield(self._going_on(self._first(live, events)))
        except asyncio.CancelledError:
            # Who wanted it has gone before anybody works on it.
            self._end(live, "cancelled")
            raise
        except BaseException:
            self._live.pop(task.id, None)
            raise

    def work(self, task: Task, working: Coroutine[Any, Any, None]) -> None:
        """Let somebody work on a task that was begun; nobody has to wait for it.

        The coroutine ends by telling a state that is over, also when it is cancelled by `cancel`.
        """
        live = self._live[task.id]
        live.work = asyncio.ensure_future(working)
        live.work.add_done_callback(
            lambda work: self._end(live, "cancelled" if work.cancelled() else "failed")
        )

    async def tell(self, task: Task, *events: dict[str, Any]) -> None:
        """Write down a task as it is now, and tell what happened in it.

        What cannot be written down is told all the same. Who is cancelled here has told it.
        """
        live = self._live.get(task.id)
        if live is not None:
            await asyncio.shield(self._going_on(self._tell(live, replace(task), events)))

    def live(self, protocol: Protocol, task_id: str) -> tuple[Task, int] | None:
        """Return a task that is not over, and the number of its last event, for `follow`.

        None when it is over, or there is none.
        """
        live = self._live.get(task_id)
        return (live.task, live.told) if live and live.task.protocol == protocol else None

    async def find(self, protocol: Protocol, task_id: str) -> Task | None:
        """Return a task as it is now, None when there is none of that id and protocol."""
        if live := self.live(protocol, task_id):
            return live[0]
        unkept = self._unkept.get(task_id)
        if unkept and unkept.protocol == protocol:
            return unkept
        return await self._store.find(protocol, task_id)

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
        if not live.is_cancelled:
            # Once: it is not to be disturbed while it tells its end.
            live.is_cancelled = True
            # By then it has begun; what never began could not tell anything.
            asyncio.get_running_loop().call_soon(live.work.cancel)
        return True

    async def close(self) -> None:
        """End all work, and close the file; what is not finished is marked when it is next opened."""
        working = [live.work for live in self._live.values() if live.work]
        self._live.clear()
        for work in working:
            work.cancel()
        await asyncio.gather(*working, *self._telling, return_exceptions=True)
        await self._store.close()

    async def _tell(self, live: _Live, task: Task, events: tuple[dict[str, Any], ...]) -> None:
        """Tell what happened, written down or not; the store says what is wrong with it."""
        over = task.is_over
        async with live.saving:
            if live.task.is_over:
                return
            numbered = live.feed.number(events, last=over)
            try:
                await self._store.save(task, *numbered, before=live.kept)
                live.kept = task
            except Exception:
                if over:
                    self._keep(task)
            live.task = task
            live.told += len(numbered)
            live.feed.put(numbered, last=over)
        if over:
            self._live.pop(task.id, None)

    async def _first(self, live: _Live, events: tuple[dict[str, Any], ...]) -> None:
        async with live.saving:
            numbered = live.feed.number(events, last=False)
            await self._store.save(live.task, *numbered)
            live.kept = live.task
            live.told += len(numbered)
            live.feed.put(numbered, last=False)

    def _keep(self, task: Task) -> None:
        """Remember a task that has ended, and is not written down as it is now."""
        self._unkept[task.id] = task
        if len(self._unkept) > MOST_AT_ONCE:
            del self._unkept[next(iter(self._unkept))]

    def _end(self, live: _Live, state: State) -> None:
        """End a task on which nobody works any more, if that was not told."""
        if self._live.get(live.task.id) is not live:
            return
        reason = LEFT if state == "failed" else ""
        ended = replace(live.task, state=state, reason=reason, updated=time.time())
        self._going_on(self._tell(live, ended, ()))

    def _going_on(self, telling: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin something that is done to its end, whoever waits for it."""
        told = asyncio.ensure_future(telling)
        self._telling.add(told)
        told.add_done_callback(self._telling.discard)
        return told
