"""The paths that change below folders, in sets of those that change together."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import aclosing
from pathlib import Path

import anyio
from anyio.to_thread import run_sync

QUIET_S = 0.001
"""How long nothing has to change before changes are passed on."""
LIMIT_S = 0.05
"""Limit of that: changes without a pause are passed on after this time."""
STEP_MS = 2
"""How often `watchfiles` looks for changes, where the kernel's own events cannot be awaited."""


def changed_paths(
    folders: Collection[Path], is_entered: Callable[[str], bool] | None
) -> AsyncGenerator[set[Path], None]:
    """Yield sets of paths that have changed in folders, until cancelled.

    The first set is empty: from then on, no change is missed.

    Args:
        folders: Real paths.
        is_entered: Whether a folder below them is watched, too, by its path; None for no such folder.

    Raises:
        OSError: A folder cannot be watched, or changes were missed.
    """
    way = _from_kernel if sys.platform == "linux" else _from_watchfiles
    return way(folders, is_entered)


async def _from_kernel(
    folders: Collection[Path], is_entered: Callable[[str], bool] | None
) -> AsyncGenerator[set[Path], None]:
    from webagent_dev.live.inotify import Inotify

    inotify = Inotify(is_entered or (lambda _: False))
    try:
        for folder in folders:
            await run_sync(inotify.watch, str(folder))
        yield set()
        while True:
            await inotify.wait()
            inotify.written.clear()
            changed = inotify.read()
            with anyio.move_on_after(LIMIT_S):
                while True:
                    if inotify.written:
                        await inotify.wait()
                    else:
                        await asyncio.sleep(QUIET_S)
                    more = inotify.read()
                    if not more and not inotify.written:
                        break
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
