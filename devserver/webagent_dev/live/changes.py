"""The paths that change below folders, in sets of those that change together."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import struct
import sys
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing, suppress
from pathlib import Path

QUIET_S = 0.001
"""A removed file is reported after nothing has changed for this long."""
LIMIT_S = 0.05
"""Changes are reported after this time, even while files are missing or open."""
STEP_MS = 2
"""How often `watchfiles` checks for changes, where the kernel's own events cannot be awaited."""

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF = 0x400, 0x800
OVERFLOW, IGNORED = 0x4000, 0x8000
ONLY_FOLDERS, IS_FOLDER = 0x01000000, 0x40000000
_MASK = (
    (MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE)
    | (DELETE_SELF | MOVE_SELF)
    | ONLY_FOLDERS
)
_EVENT = struct.Struct("iIII")
_READ_BYTES = 65_536


def changed_paths(
    folders: Collection[Path], is_entered: Callable[[str], bool] | None
) -> AsyncGenerator[set[Path], None]:
    """Yield sets of paths that have changed in folders, until cancelled.

    The first set is empty: from then on, no change is missed.

    Args:
        folders: Real paths.
        is_entered: Returns whether the folder at a path below them is watched too; None for no folder.

    Raises:
        OSError: A folder cannot be watched, or changes were missed.
    """
    source = _from_kernel if sys.platform == "linux" else _from_watchfiles
    return source(folders, is_entered)


async def _from_kernel(
    folders: Collection[Path], is_entered: Callable[[str], bool] | None
) -> AsyncGenerator[set[Path], None]:
    inotify = Inotify(is_entered or (lambda _: False))
    try:
        for folder in folders:
            walk = asyncio.create_task(asyncio.to_thread(inotify.watch, str(folder)))
            try:
                await asyncio.shield(walk)
            finally:
                # The thread uses the object that is closed below.
                await asyncio.wait({walk})
        yield set()
        while True:
            await inotify.wait()
            inotify.written.clear()
            changed = more = inotify.read()
            with suppress(TimeoutError):
                async with asyncio.timeout(LIMIT_S):
                    # A closed file that exists is reported at once; one that is gone may come back.
                    while inotify.written or not all(map(os.path.lexists, more)):
                        if inotify.written:
                            await inotify.wait()
                        else:
                            await asyncio.sleep(QUIET_S)
                        more = inotify.read()
                        changed |= more
            yield {Path(path) for path in changed}
    finally:
        inotify.close()


async def _from_watchfiles(
    folders: Collection[Path], is_entered: Callable[[str], bool] | None
) -> AsyncGenerator[set[Path], None]:
    from watchfiles import Change, awatch

    changes = awatch(
        *folders,
        watch_filter=None,
        recursive=is_entered is not None,
        step=STEP_MS,
        debounce=round(LIMIT_S * 1_000),
        ignore_permission_denied=True,
    )
    async with aclosing(changes):
        # Each step is a task of its own, because only so does cancelling stop the thread in it.
        step: asyncio.Task[set[tuple[Change, str]]] = asyncio.create_task(anext(changes))
        try:
            # The watch begins with the first part of the first step, before it waits for anything.
            await asyncio.sleep(0)
            if not step.done():
                yield set()
            while True:
                batch = await step
                step = asyncio.create_task(anext(changes))
                yield {Path(path) for _, path in batch}
        finally:
            step.cancel()
            await asyncio.gather(step, return_exceptions=True)


class Inotify:
    """The changes in folders and those below them as the Linux kernel reports them (inotify(7))."""

    def __init__(self, is_entered: Callable[[str], bool]) -> None:
        """Watch no folder yet.

        Args:
            is_entered: Returns whether the folder at a path below a watched one is watched too.

        Raises:
            OSError: The system allows no more such objects.
        """
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._is_entered = is_entered
        self._folders: dict[int, str] = {}
        self.written: set[str] = set()
        """Files that a program has begun to write and not closed since."""
        self._file = self._checked(self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))

    def close(self) -> None:
        """Stop watching."""
        os.close(self._file)

    def watch(self, folder: str) -> None:
        """Watch a folder and those below it. The kernel keeps the events until they are read.

        Raises:
            OSError: The system allows no more watches, or the folder itself cannot be watched.
        """
        self._add(folder)
        self._add_all_below(folder)

    def _add_all_below(self, folder: str) -> None:
        pending = [folder]
        while pending:
            try:
                with os.scandir(pending.pop()) as entries:
                    found = [entry.path for entry in entries if entry.is_dir()]
            except OSError:
                # It is gone again, or may not be read.
                continue
            pending += [path for path in found if self._is_entered(path) and self._add_below(path)]

    async def wait(self) -> None:
        """Wait until there are events."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(self._file, readable.set)
        try:
            await readable.wait()
        finally:
            loop.remove_reader(self._file)

    def read(self) -> set[str]:
        """Return the paths that have changed; folders that are new are watched.

        Raises:
            OSError: Events were lost, or there are more folders than the system lets us watch.
        """
        try:
            data = os.read(self._file, _READ_BYTES)
        except BlockingIOError:
            return set()
        changed = set()
        at = 0
        while at < len(data):
            watch, mask, _, size = _EVENT.unpack_from(data, at)
            at += _EVENT.size + size
            name = os.fsdecode(data[at - size : at].rstrip(b"\0"))
            if mask & OVERFLOW:
                raise OSError(errno.EOVERFLOW, "more files changed at once than the system reports")
            folder = self._folders.get(watch)
            if mask & IGNORED:
                self._folders.pop(watch, None)
            if folder is None:
                continue
            path = os.path.join(folder, name) if name else folder
            if mask & IS_FOLDER:
                self._follow(path, mask)
            elif mask & (MODIFY | CREATE):
                self.written.add(path)
            else:
                self.written.discard(path)
            changed.add(path)
        return changed

    def _follow(self, path: str, mask: int) -> None:
        """Watch a new folder, and stop watching one that was moved away."""
        if mask & MOVED_FROM:
            below = path + os.sep
            for watch, folder in self._folders.items():
                if folder == path or folder.startswith(below):
                    self._libc.inotify_rm_watch(self._file, watch)
        elif mask & (CREATE | MOVED_TO) and self._is_entered(path) and self._add_below(path):
            self._add_all_below(path)

    def _add_below(self, path: str) -> bool:
        """Watch a folder if it is there and readable; False if not, or if it is watched already."""
        before = len(self._folders)
        try:
            self._add(path)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.ENOMEM):
                raise
            return False
        # Links may lead to a folder twice, or in a circle.
        return len(self._folders) > before

    def _add(self, path: str) -> None:
        watch = self._checked(self._libc.inotify_add_watch(self._file, os.fsencode(path), _MASK))
        self._folders.setdefault(watch, path)

    @staticmethod
    def _checked(result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            if number == errno.ENOSPC:
                raise OSError(number, "the system's limit of watched folders is reached")
            raise OSError(number, os.strerror(number))
        return result
