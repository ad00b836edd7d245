"""The token of a site's owner, and the note by which other programs find its running server.

The note is `$XDG_STATE_HOME/webagent/<digest of the root>.json`, readable by its owner alone:
`{"pid", "url", "owner_token", "root", "started"}`. `pid` and `url` are null while no server runs.
The token stays the same over restarts, so that clients need to be set up only once.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from webagent.json_text import read_json
from webagent_dev.config.folders import state_path

_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,128}")


@dataclass(frozen=True, slots=True)
class Note:
    """The content of the note of a root."""

    owner_token: str
    root: str
    pid: int | None = None
    url: str | None = None
    """URL of the first page, with a slash at its end."""
    started: str | None = None
    """When the server started, in ISO 8601."""


class Owner:
    """The owner of one root on this machine."""

    def __init__(self, root: Path) -> None:
        """Read the note, or write a first one.

        Args:
            root: Real path of the folder.
        """
        self._root = root
        self.path = state_path(root, ".json")
        self.problem: str | None = None
        """Why the note cannot be written; None if it can."""
        note = read_note(root)
        if note is None:
            note = Note(owner_token=secrets.token_urlsafe(32), root=str(root))
            self._write(note)
        self.token = note.owner_token
        self._other: Note | None = None

    def announce(self, url: str) -> str | None:
        """Write into the note that a server of this process runs at a URL.

        Return the URL of another server of the same root that runs already, None without one.
        """
        note = read_note(self._root)
        if note is not None and note.url and note.pid != os.getpid():
            self._other = note
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self._write(Note(self.token, str(self._root), os.getpid(), url, started))
        return self._other.url if self._other else None

    def withdraw(self) -> None:
        """Write into the note that it does not run any more; an earlier server is then found again."""
        note = read_note(self._root)
        if note is None or note.pid != os.getpid():
            # A later server has written the note.
            return
        if self._other and _runs(self._other.pid or 0):
            self._write(self._other)
        else:
            self._write(replace(note, pid=None, url=None, started=None))

    def _write(self, note: Note) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # mkstemp gives it mode 0600, and `replace` puts it in place as a whole.
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".note-")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(asdict(note), file)
                os.replace(name, self.path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            self.problem = f"`{self.path}` cannot be written - {error.strerror or error}"


def read_note(root: Path) -> Note | None:
    """Return the note of a root, None when there is no note that can be trusted.

    A note that other users can read, or that belongs to another user, is not trusted.
    """
    try:
        with state_path(root, ".json").open(encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            if sys.platform != "win32" and (status.st_uid != os.getuid() or status.st_mode & 0o077):
                return None
            note = Note(**read_json(file.read(65_536)))
    except (OSError, ValueError, TypeError):
        return None
    texts = (note.owner_token, note.root, note.url or "", note.started or "")
    valid = all(isinstance(text, str) for text in texts) and isinstance(note.pid, int | None)
    if not valid or not _TOKEN.fullmatch(note.owner_token) or note.root != str(root):
        return None
    if note.pid is not None and not _runs(note.pid):
        # The server was killed. Another program may have its port by now, and must not get the token.
        return replace(note, pid=None, url=None, started=None)
    return note


def _runs(pid: int) -> bool:
    if sys.platform == "win32":
        # On Windows signal 0 is Ctrl-C, and does not only test for the process.
        return True
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        # There is no such process, or it belongs to another user.
        return False
    return pid > 0
