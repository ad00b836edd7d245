"""All tasks of one server: they are worked on, saved, and published to all who follow them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.errors import RateLimited
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.task import Protocol, State, Task, TaskEvent

MOST_TASKS = 200
"""Limit of tasks that are not over."""
MOST_EVENTS = 5_000
"""Limit of events of one task; after them the task itself still changes."""
SERVER_FAILED = "the server failed - this is a fault of webagent-dev - its terminal says more"
"""Why a task has failed whose work ended without publishing its end."""


class Tasks:
    """The tasks of one server, of both protocols.

    The life of a task: `begin` publishes it, and `work` runs a coroutine that works on it, whether or
    not anybody follows. The coroutine changes the `Task` that was begun, and calls `publish` with
    the events of its protocol each time that something has happened. Followers get them once they
    are on disk. A task is over once `publish` was called with a final state.

    Readers see a task as it was last published: its `data` is replaced, never changed in place.
    """

    def __init__(self, store: TaskStore) -> None:
        """Manage the tasks of one server.

        Args:
            store: Where they are kept.
        """
        self._store = store
        self._active: dict[str, _ActiveTask] = {}
        self._unsaved: dict[str, Task] = {}
        self._writing: set[asyncio.Task[None]] = set()

    async def begin(self, task: Task, *events: dict[str, Any]) -> None:
        """Publish a new task.

        Raises:
            RateLimited: There are too many.
            Exception: It cannot be saved.
        """
        if len(self._active) >= MOST_TASKS:
            raise RateLimited(
                f"{len(self._active)} tasks are not finished yet",
                help="wait until some of them end, or cancel them",
            )
        active = self._active[task.id] = _ActiveTask(replace(task))
        try:
            await asyncio.shield(self._in_background(self._publish_first(active, events)))
        except asyncio.CancelledError:
            # The client has left before the work began.
            self._end(active, "cancelled")
            raise
        except BaseException:
            self._active.pop(task.id, None)
            raise

    def work(self, task: Task, working: Coroutine[Any, Any, None]) -> None:
        """Run the work on a task in the background.

        The coroutine ends by publishing a final state, also when `cancel` cancels it.
        """
        active = self._active[task.id]
        active.work = asyncio.ensure_future(working)
        active.work.add_done_callback(
            lambda work: self._end(active, "cancelled" if work.cancelled() else "failed")
        )

    async def publish(self, task: Task, *events: dict[str, Any]) -> None:
        """Save a task as it is now, and publish its events.

        A task that cannot be saved is published all the same, and so is one whose caller is
        cancelled meanwhile.
        """
        active = self._active.get(task.id)
        if active is not None:
            await asyncio.shield(self._in_background(self._publish(active, replace(task), events)))

    def active(self, protocol: Protocol, task_id: str) -> tuple[Task, int] | None:
        """Return a task that is not over, and the number of its last event, for `follow`.

        None when it is over, or there is none.
        """
        active = self._active.get(task_id)
        return (
            (active.task, active.last_seq) if active and active.task.protocol == protocol else None
        )

    async def find(self, protocol: Protocol, task_id: str) -> Task | None:
        """Return a task as it is now, None if there is none of that id and protocol."""
        if active := self.active(protocol, task_id):
            return active[0]
        unsaved = self._unsaved.get(task_id)
        if unsaved and unsaved.protocol == protocol:
            return unsaved
        return await self._store.find(protocol, task_id)

    @property
    def store(self) -> TaskStore:
        """All tasks as they were saved, for lists."""
        return self._store

    async def follow(self, task_id: str, *, after: int = 0) -> AsyncIterator[TaskEvent]:
        """Yield the events of a task after a number, until it is over.

        For a task that is already over these are the saved ones. There is no event for the end by a
        restart: look at the task afterwards.
        """
        active = self._active.get(task_id)
        if active is None:
            for event in await self._store.events(task_id, after=after):
                yield event
            return
        async for event in active.feed.read(after):
            yield event

    def cancel(self, task_id: str) -> bool:
        """Cancel the work on a task, which then publishes its end; return whether there is any work."""
        active = self._active.get(task_id)
        if active is None or active.work is None or active.work.done():
            return False
        if not active.is_cancelled:
            # Only once, because a second time would disturb it while it publishes its end.
            active.is_cancelled = True
            # Later, because a coroutine that has not begun could not publish anything.
            asyncio.get_running_loop().call_soon(active.work.cancel)
        return True

    async def settle(self, limit_s: float) -> bool:
        """Let work that ends publish its end; return whether there was any.

        Args:
            limit_s: How long it may take.
        """
        working = [active.work for active in self._active.values() if active.work]
        if working:
            await asyncio.wait(working, timeout=limit_s)
        return bool(working)

    async def close(self) -> None:
        """End all work, and close the file; unfinished tasks are marked when it is next opened."""
        working = [active.work for active in self._active.values() if active.work]
        self._active.clear()
        for work in working:
            work.cancel()
        await asyncio.gather(*working, *self._writing, return_exceptions=True)
        await self._store.close()

    async def _publish(
        self, active: _ActiveTask, task: Task, events: tuple[dict[str, Any], ...]
    ) -> None:
        """Publish events, saved or not; the store reports its errors."""
        is_over = task.is_over
        async with active.saving:
            if active.task.is_over:
                return
            numbered = active.feed.number(events, last=is_over)
            try:
                await self._store.save(task, *numbered, before=active.saved)
                active.saved = task
            except Exception:
                if is_over:
                    self._remember(task)
            active.task = task
            active.last_seq += len(numbered)
            active.feed.put(numbered, last=is_over)
        if is_over:
            self._active.pop(task.id, None)

    async def _publish_first(self, active: _ActiveTask, events: tuple[dict[str, Any], ...]) -> None:
        async with active.saving:
            numbered = active.feed.number(events, last=False)
            await self._store.save(active.task, *numbered)
            active.saved = active.task
            active.last_seq += len(numbered)
            active.feed.put(numbered, last=False)

    def _remember(self, task: Task) -> None:
        """Remember a task that is over and could not be saved."""
        self._unsaved[task.id] = task
        if len(self._unsaved) > MOST_TASKS:
            del self._unsaved[next(iter(self._unsaved))]

    def _end(self, active: _ActiveTask, state: State) -> None:
        """End a task whose work has ended without publishing its end."""
        if self._active.get(active.task.id) is not active:
            return
        reason = SERVER_FAILED if state == "failed" else ""
        ended = replace(active.task, state=state, reason=reason, updated=time.time())
        self._in_background(self._publish(active, ended, ()))

    def _in_background(self, writing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start something that runs to its end, even if its caller is cancelled."""
        task = asyncio.ensure_future(writing)
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        return task


class Feed:
    """The events of a task that is not over.

    Streams read one list, each at its own pace. A slow one costs nothing, all see the same events in
    the same order, and the end of a stream does not affect the task.
    """

    def __init__(self) -> None:
        self._events: list[TaskEvent] = []
        self._is_over = False
        self._changed = asyncio.Event()

    def number(self, events: tuple[dict[str, Any], ...], *, last: bool) -> list[TaskEvent]:
        """Return events with their numbers; those over the limit are left out.

        Args:
            events: The new ones.
            last: Whether they end the task. Then there is no limit.
        """
        count = len(self._events)
        room = len(events) if last else max(0, MOST_EVENTS - count)
        return [TaskEvent(count + at, event) for at, event in enumerate(events[:room], 1)]

    def put(self, events: list[TaskEvent], *, last: bool) -> None:
        """Add events for all readers."""
        self._events += events
        self._is_over = last
        self._changed.set()
        self._changed = asyncio.Event()

    async def read(self, after: int = 0) -> AsyncIterator[TaskEvent]:
        """Yield the events after a number, until the task is over."""
        while True:
            while after < len(self._events):
                yield self._events[after]
                after += 1
            if self._is_over:
                return
            await self._changed.wait()


@dataclass(slots=True, eq=False)
class _ActiveTask:
    """A task that is not over."""

    task: Task
    """As it was last published."""
    last_seq: int = 0
    """Number of its last event."""
    saved: Task | None = None
    """As it was last saved."""
    feed: Feed = field(default_factory=Feed)
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    work: asyncio.Task[None] | None = None
    is_cancelled: bool = False
