"""The file in which tasks are kept: SQLite, readable by its owner alone."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from webagent_dev.agents.tasks.task import UNFINISHED, Numbered, Protocol, Task
from webagent_dev.config.folders import state_path
from webagent_dev.terminal import Console, printable

if TYPE_CHECKING:
    import sqlite3

MOST_TASKS = 1_000
"""Finished ones that are kept; the oldest go first."""
MOST_CHARACTERS = 64 << 20
"""Of all tasks that are kept, with their events."""
RESTARTED = "the server was restarted before the task was finished - send it again"
LOCK_S = 1.0
"""How long a server that ends may still have the file."""
_VERSION = 2
_TABLES = """
CREATE TABLE tasks (
    id TEXT PRIMARY KEY, protocol TEXT NOT NULL, context_id TEXT NOT NULL, state TEXT NOT NULL,
    reason TEXT NOT NULL, said TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
    characters INTEGER NOT NULL -- of its events
);
-- Apart, so that what is large is not written with each step.
CREATE TABLE contents (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE, data TEXT NOT NULL
);
CREATE INDEX tasks_by_time ON tasks (protocol, updated DESC, id);
CREATE TABLE events (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE, seq INTEGER NOT NULL,
    event TEXT NOT NULL, PRIMARY KEY (task_id, seq)
) WITHOUT ROWID;
"""
_FIELDS = "id, protocol, context_id, state, reason, said, created, updated"
_SEEN = f"SELECT {_FIELDS}, data FROM tasks JOIN contents ON task_id = id"  # noqa: S608
_Result = TypeVar("_Result")


class TaskStore:
    """Tasks and their events, in a file that is opened when it is first asked.

    Opening it marks what was not finished as failed, with `RESTARTED` as the reason: whoever worked
    on it is gone. One server has the file: in a second one of the same folder, as where the file
    cannot be written, tasks last as long as the server does.

    All work is done in a thread of its own, in the order in which it was asked for.
    """

    def __init__(self, root: Path, console: Console) -> None:
        """Open nothing yet.

        Args:
            root: Real path of the site's folder.
            console: Where it is said that tasks are not kept.
        """
        self._console = console
        self._has_warned = False
        self.path = state_path(root, ".tasks.sqlite")
        self._thread: ThreadPoolExecutor | None = None
        self._connection: sqlite3.Connection | None = None

    async def save(self, task: Task, *events: Numbered, before: Task | None = None) -> None:
        """Keep a task as it is now, and what happened in it. Once this returns, it is on disk.

        Args:
            task: The one.
            events: What happened.
            before: The same as it was saved last; what is in both is not written again.
        """
        try:
            await self._do(lambda db: _save(db, task, events, before))
        except Exception as error:
            self._warn(str(error))
            raise

    async def find(self, protocol: Protocol, task_id: str) -> Task | None:
        """Return a task, None when there is none of that id and protocol."""

        def work(db: sqlite3.Connection) -> Task | None:
            query = f"{_SEEN} WHERE protocol = ? AND id = ?"
            row = db.execute(query, (protocol, task_id)).fetchone()
            return _task(row) if row else None

        return await self._do(work)

    async def page(
        self,
        protocol: Protocol,
        *,
        context_id: str | None = None,
        state: str | None = None,
        since: float | None = None,
        after: tuple[float, str] | None = None,
        most: int = 50,
    ) -> tuple[list[Task], int]:
        """Return tasks, the one whose state was said last first, and how many fit in all.

        Args:
            protocol: By which they came.
            context_id: Only those of one conversation.
            state: Only those in it.
            since: Only those whose state was said at this time or later.
            after: `updated` and `id` of the last task of the page before.
            most: How many.
        """
        wanted = {"protocol = ?": protocol, "context_id = ?": context_id, "state = ?": state}
        wanted["updated >= ?"] = since  # type: ignore[assignment]
        given = {clause: value for clause, value in wanted.items() if value is not None}
        where = " AND ".join(given)
        page = f"{where} AND (updated, id) < (?, ?)" if after else where

        def work(db: sqlite3.Connection) -> tuple[list[Task], int]:
            count = f"SELECT count(*) FROM tasks WHERE {where}"  # noqa: S608
            total: int = db.execute(count, tuple(given.values())).fetchone()[0]
            query = f"{_SEEN} WHERE {page} ORDER BY updated DESC, id DESC LIMIT ?"
            rows = db.execute(query, (*given.values(), *(after or ()), most)).fetchall()
            return [_task(row) for row in rows], total

        return await self._do(work)

    async def events(self, task_id: str, *, after: int = 0) -> Sequence[Numbered]:
        """Return what happened in a task after the event of a number, in order."""

        def work(db: sqlite3.Connection) -> Sequence[Numbered]:
            query = "SELECT seq, event FROM events WHERE task_id = ? AND seq > ? ORDER BY seq"
            rows = db.execute(query, (task_id, after)).fetchall()
            return [Numbered(seq, json.loads(event)) for seq, event in rows]

        return await self._do(work)

    async def close(self) -> None:
        """Close the file, if it was opened."""
        if self._thread is None:
            return
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown()
        self._thread = None

    async def _do(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "tasks")

        def worked() -> _Result:
            if self._connection is None:
                self._connection, problem = _open(self.path)
                if problem:
                    loop.call_soon_threadsafe(self._warn, problem)
            with self._connection:
                return work(self._connection)

        loop = asyncio.get_running_loop()
        # Shielded: what was begun is written, also when whoever asked has gone.
        return await asyncio.shield(loop.run_in_executor(self._thread, worked))

    def _warn(self, problem: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            said = f"tasks of clients are lost when this server ends - {problem}"
            self._console.labelled("tasks", printable(said), "yellow")

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _open(path: Path) -> tuple[sqlite3.Connection, str]:
    """Return a connection to the file, a new one if what is there cannot be read.

    Where there can be none, it is to memory, and the text says why.
    """
    # A server that nobody asks for tasks does not need it.
    import sqlite3

    try:
        try:
            return _opened(path), ""
        except sqlite3.OperationalError:
            # Nothing is wrong with it: another server of the folder has it, or it cannot be reached.
            raise
        except sqlite3.DatabaseError:
            for ending in ("", "-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)
            return _opened(path), ""
    except (OSError, sqlite3.Error) as error:
        memory = _prepared(sqlite3.connect(":memory:", check_same_thread=False))
        return memory, f"`{path}`: {error}"


def _opened(path: Path) -> sqlite3.Connection:
    import sqlite3

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Made with mode 0600; what SQLite adds beside it has the same.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
    with suppress(OSError):
        path.chmod(0o600)
    connection = sqlite3.connect(path, timeout=LOCK_S, check_same_thread=False)
    try:
        # What this server works on is not for another one to call unfinished.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        return _prepared(connection)
    except BaseException:
        connection.close()
        raise


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Make the tables where they are missing, and say of what was not finished that it failed."""
    connection.execute("PRAGMA foreign_keys = ON")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    with connection:
        if version != _VERSION:
            for table in ("events", "contents", "tasks"):
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT;")
        marks = ", ".join("?" * len(UNFINISHED))
        connection.execute(
            f"UPDATE tasks SET state = 'failed', reason = ?, updated = ? WHERE state IN ({marks})",  # noqa: S608
            (RESTARTED, time.time(), *UNFINISHED),
        )
    return connection


def _save(
    db: sqlite3.Connection, task: Task, events: tuple[Numbered, ...], before: Task | None
) -> None:
    happened = [(task.id, each.seq, json.dumps(each.event)) for each in events]
    row = (
        *(task.id, task.protocol, task.context_id, task.state, task.reason),
        *(json.dumps(task.said), task.created, task.updated),
        sum(len(text) for *_, text in happened),
    )
    db.execute(
        f"INSERT INTO tasks ({_FIELDS}, characters) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "  # noqa: S608
        "ON CONFLICT (id) DO UPDATE SET context_id = excluded.context_id, state = excluded.state, "
        "reason = excluded.reason, said = excluded.said, updated = excluded.updated, "
        "characters = tasks.characters + excluded.characters",
        row,
    )
    if before is None or task.data is not before.data:
        db.execute(
            "INSERT INTO contents VALUES (?, ?) "
            "ON CONFLICT (task_id) DO UPDATE SET data = excluded.data",
            (task.id, json.dumps(task.data)),
        )
    db.executemany("INSERT INTO events VALUES (?, ?, ?)", happened)
    if task.is_over:
        _forget(db)


def _forget(db: sqlite3.Connection) -> None:
    """Let go of the oldest finished tasks while there are too many."""
    with closing(
        db.execute(
            "SELECT id, sum(characters + length(data)) OVER later, count(*) OVER later "
            "FROM tasks JOIN contents ON task_id = id WHERE state NOT IN ('working', 'input_required') "
            "WINDOW later AS (ORDER BY updated DESC, id DESC)"
        )
    ) as rows:
        old = [
            (task_id,)
            for task_id, characters, number in rows
            if number > 1 and (characters > MOST_CHARACTERS or number > MOST_TASKS)
        ]
    db.executemany("DELETE FROM tasks WHERE id = ?", old)


def _task(row: tuple[Any, ...]) -> Task:
    task_id, protocol, context_id, state, reason, said, created, updated, data = row
    about = (task_id, protocol, context_id, state, reason)
    return Task(*about, json.loads(data), json.loads(said), created, updated)
