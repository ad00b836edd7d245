"""Watches the files of a site: broadcasts saves to pages, and shows them in the terminal."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from fnmatch import fnmatchcase
from pathlib import Path

from webagent_dev.live.changes import changed_paths
from webagent_dev.live.hub import Hub
from webagent_dev.live.messages import Reload, StylesheetChanged, current_findings, manifest_message
from webagent_dev.site.state import Site, SiteState
from webagent_dev.site.tree import BUILT, IGNORED_FILES, IGNORED_FOLDERS
from webagent_dev.terminal import Console
from webagent_site.config.urls import MANIFEST_NAME
from webagent_site.http.paths import is_denied_path, shown, url_path
from webagent_site.text import printable

SETTLE_S = 0.05
"""How long a file that looks like half of a save has to stay the same to count as whole."""
MOST_SETTLES = 20
GONE_POLL_S = 0.1
SHOWN_S = 0.1
"""How long files that change are gathered for one line of the terminal."""
FIRST_CHECK_S = 0.1
"""Delay of the first check, which leaves the processor to the first page. The modules of the checks
take as long to load as the server."""
_END_BYTES = 32
"""How much of the ends of two versions of a manifest is compared."""


def is_watched(root: Path, path: Path, allow_files: Sequence[str] = ()) -> bool:
    """Whether a change of a path may concern a page."""
    if not path.is_relative_to(root):
        return False
    parts = path.relative_to(root).parts
    if is_denied_path(parts, allow_files) or not IGNORED_FOLDERS.isdisjoint(parts):
        return False
    if any(fnmatchcase(path.name, pattern) for pattern in IGNORED_FILES):
        return False
    return not any((root.joinpath(*parts[:end]) / BUILT).is_file() for end in range(1, len(parts)))


class Watcher:
    """Watches the folder of one site."""

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
        """Watch a site.

        Args:
            site: Its folder and the state of its manifest.
            hub: Broadcasts to pages.
            console: Where changes are shown.
            manifest: The file of the manifest; by default it is in the folder.
            command: Whether a command makes the manifest, from any of the files.
            pages: Whether pages are notified of other files than the manifest.
        """
        self._site = site
        self._hub = hub
        self._console = console
        self._file = manifest or site.root / MANIFEST_NAME
        self._with_pages = pages
        self._by_command = command
        self._command_run = (0.0, 0.0)
        self._was_echo = False
        self._refreshing = asyncio.Lock()
        self._stamps: dict[Path, tuple[int, int, int]] = {}
        self._unshown: dict[Path, None] = {}
        self.ready = asyncio.Event()
        """Set once no change can be missed, or once it is known that changes cannot be seen."""

    async def run(self) -> None:
        """Watch until cancelled, even if the folder goes away and comes back."""
        root = self._site.root
        missed = None
        while True:
            is_watching = False
            try:
                async with aclosing(self._batches()) as batches:
                    async for paths in batches:
                        if missed and not is_watching:
                            # Changes between the last watch and this one were not seen.
                            self._reload(missed, None)
                        is_watching = True
                        self.ready.set()
                        if self._file in paths and self._site.state.served is None:
                            # A page that was saved with it names it, and would not find it yet.
                            await self.refresh()
                        await self._notify_pages(paths)
                        if not self._is_echo(paths):
                            await self.refresh()
                # A build that replaces the whole folder ends the watch.
                missed = f"`{printable(root.name)}` was replaced"
            except (OSError, RuntimeError, ExceptionGroup) as error:
                if not is_watching and root.is_dir():
                    await self._give_up(error)
                    return
                # For example a file whose name is not UTF-8.
                missed = "something changed that could not be read"
                await asyncio.sleep(GONE_POLL_S)
            await self._wait_for_folder()

    async def _give_up(self, error: Exception) -> None:
        """Report that changes will not be seen; the site is served all the same."""
        self._console.labelled(
            "watch",
            f"changes are not seen - {printable(str(error))} - "
            "reload pages by hand, or raise the system's limit of watched files",
            "red",
        )
        await self._first_check()
        self.ready.set()

    async def _wait_for_folder(self) -> None:
        """Wait until the folder exists; by polling, because its parent is not watched."""
        while not self._site.root.is_dir():  # noqa: ASYNC110
            await asyncio.sleep(GONE_POLL_S)

    async def _batches(self) -> AsyncGenerator[set[Path], None]:
        """Yield sets of changed paths until the folder is gone or replaced.

        The first set is empty. From then on every change is seen, so anything that was read before has
        to be read again.
        """
        root = self._site.root
        identity = _identity(root)
        folders = {root, self._file.parent}
        recursive = self._with_pages or self._by_command
        async with aclosing(
            changed_paths(folders, self._is_entered if recursive else None)
        ) as batches:
            async for batch in batches:
                if _identity(root) != identity:
                    return
                paths = {path for path in batch if self._concerns(path)}
                if paths or not batch:
                    yield paths - {root}

    def _is_entered(self, path: str) -> bool:
        """Whether a folder may hold files that concern a page."""
        name = os.path.basename(path)
        return name not in IGNORED_FOLDERS and path.startswith(f"{self._site.root}{os.sep}")

    def _concerns(self, path: Path) -> bool:
        """Whether a change of a path matters."""
        root = self._site.root
        if path in (root, self._file):
            return True
        return (self._with_pages or self._by_command) and is_watched(
            root, path, self._site.allow_files
        )

    async def _notify_pages(self, paths: set[Path]) -> None:
        """Notify pages of files other than the manifest: of stylesheets to swap, or of one reload."""
        if not self._with_pages:
            return
        root = self._site.root
        candidates = {path for path in paths - {self._file} if path.is_relative_to(root)}
        if any(_is_gone_or_empty(path) for path in candidates):
            # Editors that keep a backup rename the file before they write the new one; others
            # truncate it.
            await _settle()
        changed = sorted(path for path in candidates if self._differs(path))
        others = [path for path in changed if path.suffix.lower() != ".css" or not path.is_file()]
        if others:
            # The message does not wait for the terminal, nor for files that are saved with this one.
            if not self._unshown:
                asyncio.get_running_loop().call_later(SHOWN_S, self._show_changed)
            self._unshown |= dict.fromkeys([*others, *changed])
            reason = self._changed([*others, *changed])
            self._hub.broadcast(Reload(reason=reason, path=url_path(root, others[0])))
            return
        for path in changed:
            self._console.labelled("css", printable(shown(root, path)), "dim")
            self._hub.broadcast(StylesheetChanged(path=url_path(root, path)))

    def _changed(self, paths: Sequence[Path]) -> str:
        """Return in words which paths have changed."""
        more = len({*paths}) - 1
        name = printable(shown(self._site.root, paths[0]))
        return f"`{name}`{f' and {more} more' if more else ''} changed"

    def _show_changed(self) -> None:
        self._console.labelled("reload", self._changed([*self._unshown]), "dim")
        self._unshown.clear()

    def _differs(self, path: Path) -> bool:
        """Whether the content of a path has changed since the last time, as far as `stat` shows.

        Changes of permissions and the like do not count, and neither does an empty new folder.
        """
        try:
            status = path.stat()
        except OSError:
            self._stamps.pop(path, None)
            return True
        if path.is_dir():
            try:
                return any(path.iterdir())
            except OSError:
                return False
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._stamps.get(path) == stamp:
            return False
        self._stamps[path] = stamp
        return True

    async def refresh(self) -> None:
        """Read the manifest again; if it has changed, update the state, the terminal and the pages."""
        async with self._refreshing:
            await self._refresh()

    def _is_echo(self, paths: set[Path]) -> bool:
        """Whether changes were made by the command of the manifest itself, which must not loop.

        A change while the command ran may also be a save. Then it runs once more, and only once.
        """
        if not self._by_command or not paths:
            return False
        begun, ended = self._command_run
        try:
            during = all(begun <= path.stat().st_mtime <= ended for path in paths)
        except OSError:
            during = False
        echo = during and self._was_echo
        self._was_echo = during
        return echo

    async def _refresh(self) -> None:
        await self._first_check()
        before = self._site.state
        begun = time.time()
        file = await asyncio.to_thread(self._site.read_manifest)
        self._command_run = (begun, time.time())
        if file == before.file:
            return
        state = await asyncio.to_thread(before.after, file)
        quiet = waited = 0
        while quiet < _needed_repeats(before.file, state) and waited < MOST_SETTLES:
            # Editors truncate, write in pieces, remove and rename.
            await _settle()
            waited += 1
            again = await asyncio.to_thread(self._site.read_manifest)
            if again == state.file:
                quiet += 1
                continue
            if again == before.file:
                return
            quiet = 0
            state = await asyncio.to_thread(before.after, again)
        self._site.state = state
        # Imported late: by now a manifest was checked.
        from webagent_dev.site.findings import show_manifest

        show_manifest(self._console, self._site, before)
        self._broadcast(before, state)

    async def _first_check(self) -> None:
        """Check the manifest that was there at the start; the runner of the server shows its findings."""
        state = self._site.state
        if state.file is not None and state.report is None:
            await asyncio.sleep(FIRST_CHECK_S)
            self._site.state = await asyncio.to_thread(state.after, state.file)
        self._site.checked.set()

    def _broadcast(self, before: SiteState, state: SiteState) -> None:
        if state.file is not None and not state.broken:
            self._hub.broadcast(manifest_message(state))
        self._hub.broadcast(current_findings(self._site))
        if before.manifest_path is None:
            self._reload(f"`{MANIFEST_NAME}` is new, pages now name it", None)

    def _reload(self, reason: str, path: str | None) -> None:
        self._console.labelled("reload", reason, "dim")
        self._hub.broadcast(Reload(reason=reason, path=path))


async def _settle() -> None:
    """Give an editor time to finish a save."""
    await asyncio.sleep(SETTLE_S)


def _needed_repeats(before: bytes | None, state: SiteState) -> int:
    """Return how often a manifest has to be the same again to count as a whole save.

    A usual save keeps the end of the file, or adds whole lines to it, and never waits. A version with
    another end that is shorter, or stops within a line, may be the first part of a save.
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
    """Return what identifies a folder, None if it does not exist."""
    try:
        status = os.stat(root)
    except OSError:
        return None
    return status.st_dev, status.st_ino
