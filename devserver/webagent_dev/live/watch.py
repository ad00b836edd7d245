"""Turns what happens in the file system into news for the pages and lines in the terminal."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from fnmatch import fnmatchcase
from pathlib import Path

import anyio
from anyio.to_thread import run_sync
from watchfiles import Change, awatch

from webagent_dev.config.urls import MANIFEST_NAME
from webagent_dev.http.paths import is_denied, shown, url_path
from webagent_dev.live.hub import Hub
from webagent_dev.live.messages import (
    Reload,
    StylesheetChanged,
    current_findings,
    manifest_message,
)
from webagent_dev.site.findings import show_manifest
from webagent_dev.site.state import Site, SiteState
from webagent_dev.site.tree import BUILT, IGNORED_FILES, IGNORED_FOLDERS
from webagent_dev.terminal import Console, printable

STEP_MS = 2
"""How long the file system must be quiet before changes are passed on: half of the delay between a
save and the message, at 1.5 % of one core."""
DEBOUNCE_MS = 50
"""Changes that follow each other without a pause are passed on after this time."""
SETTLE_S = 0.05
"""How long a file that looks like half of a save must stay the same before it is taken for whole."""
MOST_SETTLES = 20
GONE_POLL_S = 0.1
FIRST_CHECK_S = 0.1
"""How long the first check leaves the processor to the first page: its modules take as long to load
as the server."""
_END_BYTES = 32
"""What is compared of the ends of two versions of a manifest."""


def is_watched(root: Path, path: Path) -> bool:
    """Whether a change of this path may concern a page."""
    if not path.is_relative_to(root):
        return False
    parts = path.relative_to(root).parts
    if any(part in IGNORED_FOLDERS or is_denied(part) for part in parts):
        return False
    if any(fnmatchcase(path.name, pattern) for pattern in IGNORED_FILES):
        return False
    return not any((root.joinpath(*parts[:end]) / BUILT).is_file() for end in range(1, len(parts)))


class Watcher:
    """Follows the saves in one folder."""

    def __init__(
        self,
        site: Site,
        hub: Hub,
        console: Console,
        *,
        manifest: Path | None = None,
        command: bool = False,
        pages: bool = True,
    ) -> None:
        """Follow the saves of a site.

        Args:
            site: Its folder and the state of its manifest.
            hub: Who is told.
            console: Where it is said.
            manifest: The file of the manifest; by default it lies in the folder.
            command: Whether the manifest is made by a command, out of any of the files.
            pages: Whether pages are told about other files than the manifest.
        """
        self._site = site
        self._hub = hub
        self._console = console
        self._file = manifest or site.root / MANIFEST_NAME
        self._with_pages = pages
        self._by_command = command
        self._ran = (0.0, 0.0)
        self._echoed = False
        self._looking = anyio.Lock()
        self._seen: dict[Path, tuple[int, int, int]] = {}
        self.standing = anyio.Event()
        """Set once no change can be missed any more, or once it is known that all will be."""

    async def run(self) -> None:
        """Watch until cancelled, also when the folder goes away and comes back."""
        root = self._site.root
        missed = None
        while True:
            stood = False
            try:
                async with aclosing(self._batches()) as batches:
                    async for paths in batches:
                        if missed and not stood:
                            # Nobody saw what happened between the last watch and this one.
                            self._reload(missed, None)
                        stood = True
                        self.standing.set()
                        if self._file in paths and self._site.state.served is None:
                            # A page that came with it names it, and would not find it yet.
                            await self.look()
                        await self._pages(paths)
                        if not self._is_echo(paths):
                            await self.look()
                # A build that replaces the folder as a whole takes the watch away with it.
                missed = f"`{printable(root.name)}` was replaced"
            except (OSError, RuntimeError, ExceptionGroup) as error:
                if not stood and root.is_dir():
                    await self._give_up(error)
                    return
                # One such error: a file whose name is not UTF-8.
                missed = "something changed that could not be read"
                await anyio.sleep(GONE_POLL_S)
            await self._folder()

    async def _give_up(self, error: Exception) -> None:
        """Say that no change will be seen; the site is served all the same."""
        self._console.labelled(
            "watch",
            f"changes are not seen - {printable(str(error))} - "
            "reload pages by hand, or raise the system's limit of watched files",
            "red",
        )
        await self._first_check()
        self.standing.set()

    async def _folder(self) -> None:
        """Wait until the folder is there; nothing tells of a folder whose parent is not watched."""
        while not self._site.root.is_dir():  # noqa: ASYNC110
            await anyio.sleep(GONE_POLL_S)

    async def _batches(self) -> AsyncGenerator[set[Path], None]:
        """Yield sets of changed paths until the folder is gone or replaced.

        The first set is empty: it says that from now on every change is seen, so what was read
        before has to be looked at once more.
        """
        root = self._site.root
        identity = _identity(root)
        changes = awatch(
            *{root, self._file.parent},
            watch_filter=lambda _, path: self._counts(Path(path)),
            recursive=self._with_pages or self._by_command,
            step=STEP_MS,
            debounce=DEBOUNCE_MS,
            ignore_permission_denied=True,
        )
        # Each step is a task of its own: only so does a stop reach the thread that waits in it.
        step: asyncio.Task[set[tuple[Change, str]]] = asyncio.create_task(anext(changes))
        try:
            # The watch begins with the first part of the first step, before it waits for anything.
            await asyncio.sleep(0)
            if not step.done():
                yield set()
            while True:
                batch = await step
                if _identity(root) != identity:
                    return
                step = asyncio.create_task(anext(changes))
                yield {Path(path) for _, path in batch} - {root}
        finally:
            step.cancel()
            await asyncio.gather(step, return_exceptions=True)
            await changes.aclose()

    def _counts(self, path: Path) -> bool:
        """Whether a change of this path may concern anybody."""
        root = self._site.root
        if path in (root, self._file):
            return True
        return (self._with_pages or self._by_command) and is_watched(root, path)

    async def _pages(self, paths: set[Path]) -> None:
        """Tell pages about files other than the manifest: swapped stylesheets, or one reload."""
        if not self._with_pages:
            return
        root = self._site.root
        candidates = {path for path in paths - {self._file} if path.is_relative_to(root)}
        if any(_is_gone_or_empty(path) for path in candidates):
            # Editors that keep a backup rename the file away before they write the new one; others
            # truncate it.
            await _settle()
        changed = sorted(path for path in candidates if self._differs(path))
        others = [path for path in changed if path.suffix.lower() != ".css" or not path.is_file()]
        if others:
            more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
            name = printable(shown(root, others[0]))
            self._reload(f"`{name}`{more} changed", url_path(root, others[0]))
            return
        for path in changed:
            self._console.labelled("css", printable(shown(root, path)), "dim")
            self._hub.broadcast(StylesheetChanged(path=url_path(root, path)))

    def _differs(self, path: Path) -> bool:
        """Whether a path holds something else than at its last change, as far as `stat` tells.

        Changes of permissions and the like are none; nor is an empty new folder.
        """
        try:
            status = path.stat()
        except OSError:
            self._seen.pop(path, None)
            return True
        if path.is_dir():
            try:
                return any(path.iterdir())
            except OSError:
                return False
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._seen.get(path) == stamp:
            return False
        self._seen[path] = stamp
        return True

    async def look(self) -> None:
        """Read the manifest again; the state, the terminal and the pages follow if it changed."""
        async with self._looking:
            await self._look()

    def _is_echo(self, paths: set[Path]) -> bool:
        """Whether changes are only what the command itself wrote, so that it does not run for ever.

        What was written while it ran may also be a save: then it runs once more, and only once.
        """
        if not self._by_command or not paths:
            return False
        begun, ended = self._ran
        try:
            during = all(begun <= path.stat().st_mtime <= ended for path in paths)
        except OSError:
            during = False
        echo = during and self._echoed
        self._echoed = during
        return echo

    async def _look(self) -> None:
        await self._first_check()
        before = self._site.state
        begun = time.time()
        file = await run_sync(self._site.read_manifest)
        self._ran = (begun, time.time())
        if file == before.file:
            return
        state = await run_sync(before.after, file)
        quiet = waited = 0
        while quiet < _needed(before.file, state) and waited < MOST_SETTLES:
            # Editors truncate, write in pieces, remove and rename.
            await _settle()
            waited += 1
            again = await run_sync(self._site.read_manifest)
            if again == state.file:
                quiet += 1
                continue
            if again == before.file:
                return
            quiet = 0
            state = await run_sync(before.after, again)
        self._site.state = state
        show_manifest(self._console, state, before)
        self._tell(before, state)

    async def _first_check(self) -> None:
        """Check the manifest that was there at the start; whoever started the server shows it."""
        state = self._site.state
        if state.file is not None and state.report is None:
            await anyio.sleep(FIRST_CHECK_S)
            self._site.state = await run_sync(state.after, state.file)
        self._site.checked.set()

    def _tell(self, before: SiteState, state: SiteState) -> None:
        if state.file is not None and not state.broken:
            self._hub.broadcast(manifest_message(state))
        self._hub.broadcast(current_findings(self._site))
        if before.manifest_path is None:
            self._reload(f"`{MANIFEST_NAME}` is new, pages now name it", None)

    def _reload(self, reason: str, path: str | None) -> None:
        self._console.labelled("reload", reason, "dim")
        self._hub.broadcast(Reload(reason=reason, path=path))


async def _settle() -> None:
    """Wait until an editor has had the time to finish what it began."""
    await anyio.sleep(SETTLE_S)


def _needed(before: bytes | None, state: SiteState) -> int:
    """Return how often a manifest must be the same again before it is taken for a whole save.

    A usual save has the end of the file that was there, or adds whole lines to it: it never waits.
    One with another end that is shorter, or stops within a line, may be the first part of a save.
    """
    file = state.file
    if file is None or not file.strip():
        return 5
    has_other_end = before is not None and file[-_END_BYTES:] != before[-_END_BYTES:]
    if has_other_end and (len(file) < len(before or b"") or not file.endswith(b"\n")):
        return 2
    return 1 if state.broken else 0


def _is_gone_or_empty(path: Path) -> bool:
    try:
        status = path.stat()
    except OSError:
        return True
    return status.st_size == 0 and path.is_file()


def _identity(root: Path) -> tuple[int, int] | None:
    """Return what stays the same about a folder while it is the same folder, None without one."""
    try:
        status = os.stat(root)
    except OSError:
        return None
    return status.st_dev, status.st_ino
