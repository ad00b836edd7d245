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

from webagent_dev.agents.tasks.task import UNFINISHED, Protocol, Task, TaskEvent
from webagent_dev.terminal import Console
from webagent_site.config.folders import state_path
from webagent_site.text import printable

if TYPE_CHECKING:
    import sqlite3

MOST_TASKS = 1_000
"""Limit of finished tasks; the oldest are removed first."""
MOST_CHARACTERS = 64 << 20
"""Limit of all tasks together, with their events."""
RESTARTED = "the server was restarted before the task was finished - send it again"
LOCK_S = 1.0
"""How long the file may still be locked by a server that is shutting down."""
_UNWRITABLE = (8, 10, 13)
"""Codes of SQLite: the file became read-only, cannot be written, or its disk is full."""
_VERSION = 3
_TABLES = """
CREATE TABLE tasks (
    id TEXT PRIMARY KEY, protocol TEXT NOT NULL, context_id TEXT NOT NULL, state TEXT NOT NULL,
    reason TEXT NOT NULL, status_message TEXT NOT NULL, created REAL NOT NULL,
    updated REAL NOT NULL, characters INTEGER NOT NULL -- of its events
);
-- A table of its own, so that the large part is not written with each step.
CREATE TABLE contents (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE, data TEXT NOT NULL
);
CREATE INDEX tasks_by_time ON tasks (protocol, updated DESC, id);
CREATE TABLE events (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE, seq INTEGER NOT NULL,
    event TEXT NOT NULL, PRIMARY KEY (task_id, seq)
) WITHOUT ROWID;
"""
_FROM_VERSION_2 = """
ALTER TABLE tasks RENAME COLUMN said TO status_message;
UPDATE tasks SET protocol = 'goal_api' WHERE protocol = 'browsy';
"""
_FIELDS = "id, protocol, context_id, state, reason, status_message, created, updated"
_SELECT = f"SELECT {_FIELDS}, data FROM tasks JOIN contents ON task_id = id"  # noqa: S608
_Result = TypeVar("_Result")


class TaskStore:
    """Tasks and their events, in a file that is opened with the first access.

    Opening it marks unfinished tasks as failed, with `RESTARTED` as the reason. The file belongs to
    one server. For a second server of the same folder, and where the file cannot be written, tasks
    are kept in memory. So are all of them from the moment on at which the disk is full.

    All work is done in a thread of its own, in the order of the calls.
    """

    def __init__(self, root: Path, console: Console) -> None:
        """Keep the tasks of a site.

        Args:
            root: Real path of the folder of the site.
            console: Where a warning is written if tasks cannot be kept.
        """
        self._console = console
        self._has_warned = False
        self.path = state_path(root, ".tasks.sqlite")
        self._thread: ThreadPoolExecutor | None = None
        self._connection: sqlite3.Connection | None = None
        self._in_memory = False

    async def save(self, task: Task, *events: TaskEvent, before: Task | None = None) -> None:
        """Save a task as it is now, and its new events; on return they are on disk.

        Args:
            task: The task.
            events: The new ones.
            before: The task as it was last saved; data that is the same is not written again.
        """
        try:
            await self._do(lambda db: _save(db, task, events, before))
        except Exception as error:
            self._warn(str(error))
            raise

    async def find(self, protocol: Protocol, task_id: str) -> Task | None:
        """Return a task, None if there is none of that id and protocol."""

        def work(db: sqlite3.Connection) -> Task | None:
            query = f"{_SELECT} WHERE protocol = ? AND id = ?"
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
        """Return tasks, the one that was updated last first, and how many match in all.

        Args:
            protocol: Only those of one protocol.
            context_id: Only those of one conversation.
            state: Only those in one state.
            since: Only those that were updated at this time or later.
            after: `updated` and `id` of the last task of the page before.
            most: Limit of tasks to return.
        """
        clauses = {"protocol = ?": protocol, "context_id = ?": context_id, "state = ?": state}
        clauses["updated >= ?"] = since  # type: ignore[assignment]
        filters = {clause: value for clause, value in clauses.items() if value is not None}
        where = " AND ".join(filters)
        page = f"{where} AND (updated, id) < (?, ?)" if after else where

        def work(db: sqlite3.Connection) -> tuple[list[Task], int]:
            count = f"SELECT count(*) FROM tasks WHERE {where}"  # noqa: S608
            total: int = db.execute(count, tuple(filters.values())).fetchone()[0]
            query = f"{_SELECT} WHERE {page} ORDER BY updated DESC, id DESC LIMIT ?"
            rows = db.execute(query, (*filters.values(), *(after or ()), most)).fetchall()
            return [_task(row) for row in rows], total

        return await self._do(work)

    async def events(self, task_id: str, *, after: int = 0) -> Sequence[TaskEvent]:
        """Return the events of a task after a number, in order."""

        def work(db: sqlite3.Connection) -> Sequence[TaskEvent]:
            query = "SELECT seq, event FROM events WHERE task_id = ? AND seq > ? ORDER BY seq"
            rows = db.execute(query, (task_id, after)).fetchall()
            return [TaskEvent(seq, json.loads(event)) for seq, event in rows]

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
            # Imported late: a server without tasks does not need it.
            import sqlite3

            if self._connection is None:
                self._connection, problem = _open(self.path)
                if problem:
                    self._in_memory = True
                    loop.call_soon_threadsafe(self._warn, problem)
            try:
                with self._connection:
                    return work(self._connection)
            except sqlite3.OperationalError as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                if self._in_memory or code not in _UNWRITABLE:
                    raise
                problem = f"`{self.path}`: {error}"
            self._connection, self._in_memory = _moved_to_memory(self._connection), True
            loop.call_soon_threadsafe(self._warn, problem)
            with self._connection:
                return work(self._connection)

        loop = asyncio.get_running_loop()
        # Shielded: what has begun is written, even if the caller is cancelled.
        return await asyncio.shield(loop.run_in_executor(self._thread, worked))

    def _warn(self, problem: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            text = f"tasks of clients are lost when this server ends - {problem}"
            self._console.labelled("tasks", printable(text), "yellow")

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._in_memory = False


def _open(path: Path) -> tuple[sqlite3.Connection, str]:
    """Return a connection to the file, which is replaced if it is not a database.

    If that fails, the connection is to memory, and the text says why.
    """
    # Imported late: a server without tasks does not need it.
    import sqlite3

    try:
        try:
            return _connect(path), ""
        except sqlite3.OperationalError:
            # The file is fine: another server has locked it, or it cannot be reached.
            raise
        except sqlite3.DatabaseError:
            for ending in ("", "-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)
            return _connect(path), ""
    except (OSError, sqlite3.Error) as error:
        memory = _prepare(sqlite3.connect(":memory:", check_same_thread=False))
        return memory, f"`{path}`: {error}"


def _moved_to_memory(full: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy in memory of a database that cannot be written any more, and close it."""
    import sqlite3

    memory = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        full.backup(memory)
        memory.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error:
        # Reading fails too. The kept tasks stay in the file.
        memory.close()
        memory = _prepare(sqlite3.connect(":memory:", check_same_thread=False))
    with suppress(sqlite3.Error):
        full.close()
    return memory


def _connect(path: Path) -> sqlite3.Connection:
    import sqlite3

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Created with mode 0600, which SQLite copies for the files that it adds.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
    with suppress(OSError):
        path.chmod(0o600)
    connection = sqlite3.connect(path, timeout=LOCK_S, check_same_thread=False)
    try:
        # Otherwise another server would mark the tasks of this one as unfinished.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        return _prepare(connection)
    except BaseException:
        connection.close()
        raise


def _prepare(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Create or convert the tables, and mark unfinished tasks as failed."""
    connection.execute("PRAGMA foreign_keys = ON")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    with connection:
        if version == 2:
            connection.executescript(f"BEGIN; {_FROM_VERSION_2} PRAGMA user_version = 3; COMMIT;")
        elif version != _VERSION:
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
    db: sqlite3.Connection, task: Task, events: tuple[TaskEvent, ...], before: Task | None
) -> None:
    rows = [(task.id, each.seq, json.dumps(each.event)) for each in events]
    row = (
        *(task.id, task.protocol, task.context_id, task.state, task.reason),
        *(json.dumps(task.status_message), task.created, task.updated),
        sum(len(text) for *_, text in rows),
    )
    db.execute(
        f"INSERT INTO tasks ({_FIELDS}, characters) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "  # noqa: S608
        "ON CONFLICT (id) DO UPDATE SET context_id = excluded.context_id, state = excluded.state, "
        "reason = excluded.reason, status_message = excluded.status_message, "
        "updated = excluded.updated, "
        "characters = tasks.characters + excluded.characters",
        row,
    )
    if before is None or task.data is not before.data:
        db.execute(
            "INSERT INTO contents VALUES (?, ?) "
            "ON CONFLICT (task_id) DO UPDATE SET data = excluded.data",
            (task.id, json.dumps(task.data)),
        )
    db.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)
    if task.is_over:
        _remove_old(db)


def _remove_old(db: sqlite3.Connection) -> None:
    """Remove the oldest finished tasks while there are too many."""
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
    task_id, protocol, context_id, state, reason, message, created, updated, data = row
    about = (task_id, protocol, context_id, state, reason)
    return Task(*about, json.loads(data), json.loads(message), created, updated)
