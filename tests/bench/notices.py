"""The file system's own notification of a save: a bare inotify reader, nothing behind it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

MODIFIED = 0x2
"""`IN_MODIFY` of inotify(7)."""


class Notices:
    """Remembers when the first notification of a save came, by the clock of `time.time`."""

    def __init__(self, folder: Path) -> None:
        """Watch the files in a folder, not those below it."""
        if sys.platform != "linux":
            raise SystemExit("bench: saves are measured against inotify - run this on Linux")
        libc = ctypes.CDLL(None, use_errno=True)
        self._file = libc.inotify_init1(os.O_CLOEXEC)
        if self._file < 0 or libc.inotify_add_watch(self._file, bytes(folder), MODIFIED) < 0:
            raise OSError(ctypes.get_errno(), "inotify does not watch", str(folder))
        self._came = threading.Event()
        self._at_s = 0.0
        self._ending = folder / ".bench-end"
        self._ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def clear(self) -> None:
        """Wait for the next save."""
        self._came.clear()

    def at_s(self) -> float:
        """Return when the notification of the save came."""
        if not self._came.wait(5):
            raise SystemExit("bench: the file system did not report a save")
        return self._at_s

    def close(self) -> None:
        """Stop reading."""
        self._ended = True
        self._ending.write_text("end")
        self._thread.join()
        os.close(self._file)

    def _read(self) -> None:
        while not self._ended:
            os.read(self._file, 65_536)
            now_s = time.time()
            if not self._came.is_set():
                self._at_s = now_s
                self._came.set()


@contextlib.contextmanager
def noticing(folder: Path) -> Iterator[Notices]:
    """Read the notifications of a folder while the block runs."""
    notices = Notices(folder)
    try:
        yield notices
    finally:
        notices.close()
