"""Tasks while they are worked on."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from webagent.errors import RateLimited
from webagent_dev.agents.tasks import tasks
from webagent_dev.agents.tasks import tasks as feed
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.task import Task
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.terminal import Console
from webagent_site.http.event_stream import with_pings


@pytest.fixture(name="all_tasks")
async def _all_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Tasks]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = Tasks(TaskStore(tmp_path, Console(io.StringIO())))
    yield made
    await made.close()


async def followed(all_tasks: Tasks, after: int = 0) -> list[tuple[int, Any]]:
    """Return all events of the task `t`, with their numbers."""
    return [(each.seq, each.event["n"]) async for each in all_tasks.follow("t", after=after)]


async def test_everyone_sees_the_same_events_in_the_same_order(all_tasks: Tasks) -> None:
    """Clients that come late, that reconnect, and that come when the task is over, too."""
    task = Task("t", "a2a")
    await all_tasks.begin(task, {"n": 1})
    early = [asyncio.ensure_future(followed(all_tasks)) for _ in range(3)]
    await all_tasks.publish(task, {"n": 2}, {"n": 3})
    late = asyncio.ensure_future(followed(all_tasks, 2))
    task.state = "completed"
    await all_tasks.publish(task, {"n": 4})

    whole = [(n, n) for n in range(1, 5)]
    assert await asyncio.gather(*early) == [whole] * 3
    assert await late == whole[2:]
    assert await followed(all_tasks) == whole
    assert await followed(all_tasks, 3) == whole[3:]
    assert all_tasks.active("a2a", "t") is None


async def test_the_end_of_a_stream_does_not_stop_the_task(all_tasks: Tasks) -> None:
    """Others go on to see it."""
    task = Task("t", "a2a")
    await all_tasks.begin(task, {"n": 1})
    leaving = all_tasks.follow("t")
    assert (await anext(leaving)).seq == 1
    await leaving.aclose()  # type: ignore[attr-defined]
    task.state = "completed"
    await all_tasks.publish(task, {"n": 2})
    assert await followed(all_tasks) == [(1, 1), (2, 2)]


async def test_a_task_is_seen_as_it_was_last_published(all_tasks: Tasks) -> None:
    """With the number of the last event, after which a stream continues without a gap."""
    task = Task("t", "a2a", data={"n": 0})
    await all_tasks.begin(task, {"n": 1})
    task.data = {"n": 1}
    seen = all_tasks.active("a2a", "t")
    assert seen is not None
    assert (seen[0].data, seen[1]) == ({"n": 0}, 1)
    await all_tasks.publish(task, {"n": 2}, {"n": 3})
    seen = all_tasks.active("a2a", "t")
    assert seen is not None
    assert (seen[0].data, seen[1]) == ({"n": 1}, 3)
    assert all_tasks.active("goal_api", "t") is None


async def test_events_are_on_disk_before_they_are_published(all_tasks: Tasks) -> None:
    """So that nothing is lost that a client has seen."""
    task = Task("t", "a2a")
    await all_tasks.begin(task)
    reading = asyncio.ensure_future(followed(all_tasks))
    task.state = "completed"
    telling = asyncio.ensure_future(all_tasks.publish(task, {"n": 1}))
    await reading
    kept = await all_tasks.store.find("a2a", "t")
    assert kept is not None
    assert kept.state == "completed"
    await telling


async def test_cancelled_work_publishes_its_end(all_tasks: Tasks) -> None:
    """The worker knows what was done."""
    task = Task("t", "a2a")
    begun = asyncio.Event()

    async def working() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            task.state = "cancelled"
            await all_tasks.publish(task, {"n": 1})

    await all_tasks.begin(task)
    all_tasks.work(task, working())
    await begun.wait()
    assert all_tasks.cancel("t")
    assert await followed(all_tasks) == [(1, 1)]
    assert not all_tasks.cancel("t")
    found = await all_tasks.find("a2a", "t")
    assert found is not None
    assert found.state == "cancelled"


async def test_a_caller_cancelled_while_saving_has_published(
    all_tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Later events come after it, and the task ends."""
    task = Task("t", "a2a")
    saving, going_on = asyncio.Event(), asyncio.Event()
    save = all_tasks.store.save

    async def slow(*given: Any, **more: Any) -> None:
        saving.set()
        await going_on.wait()
        await save(*given, **more)

    async def working() -> None:
        try:
            await all_tasks.publish(task, {"n": 1})
        except asyncio.CancelledError:
            task.state = "cancelled"
            going_on.set()
            await all_tasks.publish(task, {"n": 2})

    await all_tasks.begin(task)
    monkeypatch.setattr(all_tasks.store, "save", slow)
    all_tasks.work(task, working())
    await saving.wait()
    assert all_tasks.cancel("t")
    async with asyncio.timeout(10):
        assert await followed(all_tasks) == [(1, 1), (2, 2)]
    assert all_tasks.active("a2a", "t") is None
    found = await all_tasks.store.find("a2a", "t")
    assert found is not None
    assert found.state == "cancelled"


async def test_a_task_that_cannot_be_saved_is_still_published(
    all_tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a full disk; its end is known until the server ends."""
    task = Task("t", "a2a")
    await all_tasks.begin(task, {"n": 1})
    monkeypatch.setattr(all_tasks.store, "save", full)
    reading = asyncio.ensure_future(followed(all_tasks))
    await all_tasks.publish(task, {"n": 2})
    task.state = "completed"
    await all_tasks.publish(task, {"n": 3})
    assert await reading == [(1, 1), (2, 2), (3, 3)]
    assert all_tasks.active("a2a", "t") is None
    assert await all_tasks.find("a2a", "t") == task
    assert await all_tasks.find("goal_api", "t") is None


async def test_a_task_that_cannot_be_written_down_is_not_begun(
    all_tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes no place of others."""
    monkeypatch.setattr(tasks, "MOST_TASKS", 1)
    with monkeypatch.context() as patched:
        patched.setattr(all_tasks.store, "save", full)
        with pytest.raises(OSError, match="full"):
            await all_tasks.begin(Task("t", "a2a"))
    await all_tasks.begin(Task("u", "a2a"))


async def test_a_task_whose_client_leaves_while_it_begins_is_over(
    all_tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would never be worked on."""
    saving, going_on = asyncio.Event(), asyncio.Event()
    save = all_tasks.store.save

    async def slow(*given: Any, **more: Any) -> None:
        saving.set()
        await going_on.wait()
        await save(*given, **more)

    monkeypatch.setattr(all_tasks.store, "save", slow)
    beginning = asyncio.ensure_future(all_tasks.begin(Task("t", "a2a"), {"n": 1}))
    await saving.wait()
    beginning.cancel()
    await asyncio.wait((beginning,))
    going_on.set()
    assert await followed(all_tasks) == [(1, 1)]
    found = await all_tasks.find("a2a", "t")
    assert found is not None
    assert found.state == "cancelled"


async def test_work_that_is_cancelled_at_once_publishes_its_end(all_tasks: Tasks) -> None:
    """Before its first step it could not publish anything."""
    task = Task("t", "a2a")

    async def working() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            task.state = "cancelled"
            await all_tasks.publish(task, {"n": 1})

    await all_tasks.begin(task)
    all_tasks.work(task, working())
    assert all_tasks.cancel("t")
    async with asyncio.timeout(10):
        assert await followed(all_tasks) == [(1, 1)]


async def test_work_that_ends_without_publishing_has_failed(all_tasks: Tasks) -> None:
    """So no client waits forever."""

    async def working() -> None:
        return

    task = Task("t", "a2a")
    await all_tasks.begin(task)
    all_tasks.work(task, working())
    async with asyncio.timeout(10):
        assert await followed(all_tasks) == []
    found = await all_tasks.find("a2a", "t")
    assert found is not None
    assert (found.state, found.reason) == ("failed", tasks.SERVER_FAILED)


async def full(*_: object, **__: object) -> None:
    """Keep nothing."""
    raise OSError("the disk is full")


async def test_events_that_are_too_many_are_not_kept(
    all_tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the last one."""
    monkeypatch.setattr(feed, "MOST_EVENTS", 2)
    task = Task("t", "a2a")
    await all_tasks.begin(task, {"n": 1})
    await all_tasks.publish(task, {"n": 2}, {"n": 3})
    await all_tasks.publish(task, {"n": 4})
    task.state = "failed"
    await all_tasks.publish(task, {"n": 5})
    assert await followed(all_tasks) == [(1, 1), (2, 2), (3, 5)]


async def test_there_is_a_limit_to_tasks_at_a_time(
    all_tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is let in when one has ended."""
    monkeypatch.setattr(tasks, "MOST_TASKS", 1)
    task = Task("t", "a2a")
    await all_tasks.begin(task)
    with pytest.raises(RateLimited, match="not finished"):
        await all_tasks.begin(Task("u", "goal_api"))
    task.state = "completed"
    await all_tasks.publish(task)
    await all_tasks.begin(Task("u", "goal_api"))


async def test_a_stream_without_events_sends_pings() -> None:
    """And ends with its task, or when its reader leaves."""
    going = asyncio.Event()

    async def slow() -> AsyncIterator[str]:
        yield "one"
        await going.wait()
        yield "two"

    seen = []
    async for piece in with_pings(slow(), every_s=0.001):
        seen.append(piece)
        if piece.startswith(":"):
            going.set()
    assert (seen[0], seen[1], seen[-1]) == ("one", ": ping\n\n", "two")
    left = with_pings(slow())
    assert await anext(left) == "one"
    await left.aclose()  # type: ignore[attr-defined]
