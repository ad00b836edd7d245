"""Tasks in their file, and over restarts."""

from __future__ import annotations

import io
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from webagent_dev.agents.tasks import store as stores
from webagent_dev.agents.tasks.store import RESTARTED, TaskStore
from webagent_dev.agents.tasks.task import State, Task, TaskEvent
from webagent_dev.terminal import Console


@pytest.fixture(name="root")
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.fixture(name="store")
async def _store(root: Path) -> AsyncIterator[TaskStore]:
    store = TaskStore(root, Console(io.StringIO()))
    yield store
    await store.close()


def named(task_id: str, at: float, state: State = "completed", context: str = "") -> Task:
    """Return a task that was updated at a time."""
    return Task(task_id, "a2a", context, state, data={"id": task_id}, created=at, updated=at)


async def ids(store: TaskStore, **wanted: object) -> list[str]:
    """Return the ids of a page."""
    tasks, _ = await store.page("a2a", **wanted)  # type: ignore[arg-type]
    return [task.id for task in tasks]


async def test_a_finished_task_is_the_same_after_a_restart(root: Path, store: TaskStore) -> None:
    """With its events, and under its protocol alone."""
    task = Task("t", "a2a", "c", "working", data={"a": [1, "\ud800"]})
    await store.save(task, TaskEvent(1, {"n": 1}))
    task.state = "completed"
    await store.save(task, TaskEvent(2, {"n": 2}), TaskEvent(3, {"n": 3}))
    await store.close()

    again = TaskStore(root, Console(io.StringIO()))
    assert await again.find("a2a", "t") == task
    assert await again.find("goal_api", "t") is None
    assert await again.events("t", after=1) == [TaskEvent(2, {"n": 2}), TaskEvent(3, {"n": 3})]
    await again.close()


VERSION_2 = """
ALTER TABLE tasks RENAME COLUMN status_message TO said;
UPDATE tasks SET protocol = 'browsy' WHERE protocol = 'goal_api';
PRAGMA user_version = 2;
"""


async def test_tasks_of_the_version_before_are_kept(root: Path, store: TaskStore) -> None:
    """With their events; a protocol and a column had other names in it."""
    tasks = [
        Task("g", "goal_api", state="completed", status_message={"text": "g"}),
        Task("a", "a2a", state="completed"),
    ]
    for task in tasks:
        await store.save(task, TaskEvent(1, {"of": task.id}))
    await store.close()
    with closing(sqlite3.connect(store.path)) as older:
        older.executescript(VERSION_2)

    for _ in range(2):
        again = TaskStore(root, Console(io.StringIO()))
        assert [await again.find(task.protocol, task.id) for task in tasks] == tasks
        assert await again.events("g") == [TaskEvent(1, {"of": "g"})]
        await again.close()


@pytest.mark.parametrize("state", ["working", "input_required"])
async def test_an_unfinished_task_has_failed_after_a_restart(
    root: Path, store: TaskStore, state: State
) -> None:
    """With the reason in words; the work on it has ended."""
    await store.save(named("t", 1.0, state))
    await store.close()

    again = TaskStore(root, Console(io.StringIO()))
    found = await again.find("a2a", "t")
    assert found is not None
    assert (found.state, found.reason) == ("failed", RESTARTED)
    assert found.updated > 1.0
    await again.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such mode")
async def test_others_cannot_read_the_file(store: TaskStore) -> None:
    """Nor the files next to it while it is open."""
    await store.save(named("t", 1.0))
    kept = list(store.path.parent.glob(f"{store.path.name}*"))
    assert store.path in kept
    assert len(kept) > 1
    assert {os.stat(path).st_mode & 0o777 for path in kept} == {0o600}


async def test_unchanged_data_is_not_written_again(store: TaskStore) -> None:
    """A step costs only its own size."""
    task = Task("t", "a2a", data={"asked": "x" * 1_000_000})
    await store.save(task)
    before = store.path.with_name(store.path.name + "-wal").stat().st_size
    step = replace(task, status_message={"text": "step"})
    await store.save(step, TaskEvent(1, {"n": 1}), before=task)
    assert store.path.with_name(store.path.name + "-wal").stat().st_size - before < 100_000
    assert await store.find("a2a", "t") == step

    changed = replace(step, data={"asked": "y"})
    await store.save(changed, before=step)
    assert await store.find("a2a", "t") == changed


async def test_a_missing_file_is_reported_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each caller that saves a task still gets the error."""
    terminal = io.StringIO()
    store = TaskStore(root, Console(terminal))

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(stores, "_save", full)
    for _ in range(2):
        with pytest.raises(sqlite3.OperationalError):
            await store.save(named("t", 1.0))
    await store.close()
    assert terminal.getvalue().count("database or disk is full") == 1


async def test_pages_have_the_latest_first(store: TaskStore) -> None:
    """Each continues where the last one ended, also among tasks of one moment."""
    for name, at in (("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 3.0)):
        await store.save(named(name, at, context="x" if name in "ab" else "y"))
    await store.save(Task("other", "goal_api", state="completed"))

    assert await ids(store) == ["d", "c", "b", "a"]
    assert await ids(store, most=2) == ["d", "c"]
    assert await ids(store, most=2, after=(2.0, "c")) == ["b", "a"]
    assert await ids(store, context_id="x") == ["b", "a"]
    assert await ids(store, since=2.0) == ["d", "c", "b"]
    assert await ids(store, state="failed") == []
    assert (await store.page("a2a", most=1))[1] == 4


async def test_the_oldest_finished_tasks_are_removed_first(
    store: TaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With their events; unfinished ones stay, however old they are."""
    monkeypatch.setattr(stores, "MOST_TASKS", 2)
    await store.save(named("old", 0.5, "working"))
    for number in range(1, 5):
        await store.save(named(f"t{number}", float(number)), TaskEvent(1, {}))

    assert await ids(store) == ["t4", "t3", "old"]
    assert await store.events("t1") == []


async def test_the_store_has_a_limit_in_characters(
    store: TaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task that was just finished is always kept."""
    monkeypatch.setattr(stores, "MOST_CHARACTERS", 1_000)
    for number in range(3):
        await store.save(named(f"t{number}", float(number)), TaskEvent(1, {"text": "x" * 600}))
    assert await ids(store) == ["t2"]
    await store.save(named("big", 9.0), TaskEvent(1, {"text": "x" * 6_000}))
    assert await ids(store) == ["big"]


@pytest.mark.parametrize("kept", [b"no database at all", b"SQLite format 3\0" + b"x" * 200])
async def test_a_file_that_cannot_be_read_is_begun_again(store: TaskStore, kept: bytes) -> None:
    """Tasks are kept from then on."""
    store.path.parent.mkdir(parents=True)
    store.path.write_bytes(kept)
    await store.save(named("t", 1.0))
    await store.close()
    assert await ids(store) == ["t"]


async def test_a_second_server_of_a_folder_leaves_the_tasks_of_the_first_alone(
    root: Path, store: TaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It neither marks them as failed nor replaces the file; its own are in memory."""
    monkeypatch.setattr(stores, "LOCK_S", 0.0)
    await store.save(named("t", 1.0, "working"))
    terminal = io.StringIO()
    second = TaskStore(root, Console(terminal))
    await second.save(named("s", 2.0))

    assert await ids(second) == ["s"]
    await second.close()
    assert "tasks of clients are lost when this server ends" in terminal.getvalue()
    assert f"`{store.path}`: database is locked" in terminal.getvalue()
    await store.save(named("t", 3.0))
    assert await ids(store) == ["t"]
    await store.close()
    again = TaskStore(root, Console(io.StringIO()))
    assert await ids(again) == ["t"]
    await again.close()


async def test_without_a_file_tasks_are_in_memory(
    store: TaskStore,
) -> None:
    """As with a folder in place of the file."""
    store.path.mkdir(parents=True)
    await store.save(named("t", 1.0))
    assert await ids(store) == ["t"]


@pytest.fixture(name="small_disk")
def _small_disk(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state folder on a disk of 256 KiB."""
    disk = root / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if (
        sys.platform != "linux"
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("only root of a whole Linux mounts disks")
    monkeypatch.setenv("XDG_STATE_HOME", str(disk))
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.process
async def test_tasks_go_on_in_memory_when_the_disk_is_full(small_disk: Path, root: Path) -> None:
    """With all that was kept before; the terminal says so once, and why."""
    monitor = io.StringIO()
    store = TaskStore(root, Console(monitor))
    await store.save(named("first", 1.0), TaskEvent(1, {"n": 1}))
    for number in range(2, 40):
        task = replace(named(f"t{number}", float(number)), data={"text": "x" * 20_000})
        await store.save(task, TaskEvent(1, {"n": number}))
    await store.save(named("working", 50.0, "working"))

    assert (await store.page("a2a"))[1] == 40
    assert await store.events("first") == [TaskEvent(1, {"n": 1})]
    assert (await store.find("a2a", "working")).state == "working"  # type: ignore[union-attr]
    assert monitor.getvalue().count("tasks of clients are lost") == 1
    assert "database or disk is full" in monitor.getvalue()
    await store.close()
