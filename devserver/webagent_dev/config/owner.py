"""The token of a site's owner, and the note by which other programs find its running server.

The note is `$XDG_STATE_HOME/webagent/<digest of the root>.json`, readable by its owner alone. Its
keys are those of `Note`; `pid`, `process_start`, `url` and `started` are null while no server runs.
The token stays the same over restarts, so that clients need to be set up only once a month.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webagent.json_text import read_json
from webagent_dev.config.credentials import TOKEN, OwnerCredentials, new_token
from webagent_dev.config.private_file import read_private, write_private
from webagent_dev.config.process import process_start
from webagent_site.config.folders import state_path

TOKEN_S = 30 * 86_400
"""Seconds for which a token is valid. The next server or command after that replaces it."""
_AHEAD_S = 86_400
"""How far the clock may have been ahead when a token was made."""
_MOST_BYTES = 65_536
"""The size of the largest note."""


@dataclass(frozen=True, slots=True)
class NotedServer:
    """A server of a root."""

    pid: int | None = None
    process_start: str | None = None
    """When its process started, in the words of the system."""
    url: str | None = None
    """URL of the first page, with a slash at its end."""
    started: str | None = None
    """When the server started, in ISO 8601."""

    @property
    def runs(self) -> bool:
        """Whether its process still runs; another process with its number is another one."""
        if self.pid is None or self.process_start is None:
            return False
        return process_start(self.pid) == self.process_start

    @property
    def is_valid(self) -> bool:
        """Whether the values have their types, in a note that anything may have written."""
        texts = (self.process_start, self.url, self.started)
        return isinstance(self.pid, int | None) and all(isinstance(t, str | None) for t in texts)


@dataclass(frozen=True, slots=True)
class Note(NotedServer):
    """The content of the note of a root, and its latest server."""

    owner_token: str = ""
    token_made_s: int = 0
    """When the token was made, in seconds since the epoch."""
    root: str = ""
    earlier: tuple[NotedServer, ...] = ()
    """The servers of the root that were started before and still run, the latest first."""

    @property
    def has_valid_token(self) -> bool:
        """Whether the token is not too old, nor from the future."""
        return is_token_time(self.token_made_s)

    @property
    def servers(self) -> tuple[NotedServer, ...]:
        """All servers, the latest first."""
        first = NotedServer(**{each.name: getattr(self, each.name) for each in fields(NotedServer)})
        return (first, *self.earlier)

    def with_servers(self, servers: list[NotedServer]) -> Note:
        """Return the note with other servers, the latest first."""
        first, *rest = servers or [NotedServer()]
        return replace(self, **asdict(first), earlier=tuple(rest))


class Owner(OwnerCredentials):
    """The owner of one root on this machine."""

    def __init__(self, root: Path) -> None:
        """Read the note, or write a first one.

        Args:
            root: Real path of the folder.
        """
        super().__init__()
        self._root = root
        self.path = state_path(root, ".json")
        self.problem: str | None = None
        """Why the note cannot be written; None if it can."""
        self._made_s = int(time.time())
        self._version: object = None
        self._mine = NotedServer()
        self._update(_with_valid_token)

    @property
    def token(self) -> str:
        """The token that is valid now; another one after any program has replaced it."""
        self._follow_note()
        if not is_token_time(self._made_s):
            self._update(_with_valid_token)
        return self._token

    def replace_token(self) -> None:
        """Make another token; the one before opens nothing any more, in running servers too."""
        self._update(_with_new_token)

    def announce(self, url: str) -> str | None:
        """Write into the note that a server of this process runs at a URL.

        Return the URL of another server of the same root that runs already, None without one.
        """
        started = datetime.now(UTC).isoformat(timespec="seconds")
        mine = self._mine = NotedServer(os.getpid(), process_start(os.getpid()), url, started)
        note = self._update(lambda note: note.with_servers([mine, *filter(_runs, note.servers)]))
        return next((one.url for one in note.earlier if one.pid != mine.pid), None)

    def withdraw(self) -> None:
        """Take this server out of the note; the latest of the others is then found."""
        mine = self._mine
        self._update(
            lambda note: (
                note
                if mine not in note.servers
                else note.with_servers([one for one in note.servers if one != mine and one.runs])
            )
        )

    def _follow_note(self) -> None:
        """Take over the token of the note, which another program may have written."""
        try:
            status = self.path.stat()
        except OSError:
            return
        version = (status.st_mtime_ns, status.st_ino, status.st_size)
        if version != self._version and (note := _stored_note(self._root)):
            self._version = version
            self._take_over(note)

    def _take_over(self, note: Note) -> None:
        if note.owner_token != self._token:
            self._codes.clear()
        self._token, self._made_s = note.owner_token, note.token_made_s

    def _update(self, change: Callable[[Note], Note]) -> Note:
        """Change the note, and return it; if it cannot be written, the token is changed here alone."""
        ours = Note(owner_token=self._token, token_made_s=self._made_s, root=str(self._root))
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _locked(self.path.parent):
                stored = _stored_note(self._root)
                note = change(stored or ours)
                if note != stored:
                    write_private(self.path, json.dumps(asdict(note)))
        except OSError as error:
            self.problem = f"`{self.path}` cannot be written - {error.strerror or error}"
            note = change(ours)
        self._take_over(note)
        return note


def read_note(root: Path) -> Note | None:
    """Return the note of a root, None when there is no note that can be trusted.

    Its server is the latest that runs. The note of a server that was killed stays, and another
    program may have its port and its number by now: that is not a server of the root.
    """
    note = _stored_note(root)
    return note and note.with_servers([*filter(_runs, note.servers)])


def is_token_time(made_s: float) -> bool:
    """Whether a token that was made at a time is valid now."""
    return -_AHEAD_S < time.time() - made_s < TOKEN_S


def _stored_note(root: Path) -> Note | None:
    """Return the note of a root as it is.

    A note that other users can read, or that belongs to another user, is not trusted.
    """
    try:
        note = _parsed(read_json(read_private(state_path(root, ".json"), _MOST_BYTES)))
    except (OSError, ValueError, TypeError):
        return None
    texts = (note.owner_token, note.root)
    valid = all(isinstance(text, str) for text in texts) and type(note.token_made_s) is int
    if not valid or not all(one.is_valid for one in note.servers):
        return None
    return note if TOKEN.fullmatch(note.owner_token) and note.root == str(root) else None


def _parsed(data: Any) -> Note:
    if not isinstance(data, dict):
        raise TypeError("not an object")
    earlier = tuple(NotedServer(**one) for one in data.pop("earlier", ()))
    return Note(**data, earlier=earlier)


def _with_valid_token(note: Note) -> Note:
    return note if note.has_valid_token else _with_new_token(note)


def _with_new_token(note: Note) -> Note:
    return replace(note, owner_token=new_token("owner"), token_made_s=int(time.time()))


def _runs(server: NotedServer) -> bool:
    return server.runs


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other programs from changing a note at the same time."""
    if sys.platform == "win32":
        import msvcrt

        with (folder / "lock").open("a+b") as file:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            try:
                yield
            finally:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
    else:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
