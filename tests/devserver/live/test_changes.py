"""The paths that change below folders: by the kernel's events, and by `watchfiles` elsewhere."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from webagent_dev.live import changes

linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify is of Linux")
WAYS = [
    pytest.param(changes._from_kernel, id="kernel", marks=linux),
    pytest.param(changes._from_watchfiles, id="watchfiles"),
]
Way = Callable[..., AsyncGenerator[set[Path], None]]


class Watched:
    """A folder that is watched."""

    def __init__(self, batches: AsyncGenerator[set[Path], None]) -> None:
        self._batches = batches

    async def next(self) -> set[Path]:
        """Return the paths that have changed together."""
        return await asyncio.wait_for(anext(self._batches), 5)

    async def until(self, path: Path) -> set[Path]:
        """Return all that has changed when a path has."""
        seen: set[Path] = set()
        while path not in seen:
            seen |= await self.next()
        return seen


@asynccontextmanager
async def watching(way: Way, folder: Path, *, recursive: bool = True) -> AsyncIterator[Watched]:
    def is_entered(path: str) -> bool:
        return os.path.basename(path) != "node_modules"

    async with aclosing(way({folder}, is_entered if recursive else None)) as batches:
        watched = Watched(batches)
        assert await watched.next() == set()
        yield watched


@pytest.mark.parametrize("way", WAYS)
async def test_files_that_are_saved_at_once_come_together(way: Way, tmp_path: Path) -> None:
    """Those below the folder, too."""
    (tmp_path / "below").mkdir()
    async with watching(way, tmp_path) as watched:
        names = ["a.html", "below/b.html"]
        for name in names:
            (tmp_path / name).write_text("text")
        seen = await watched.until(tmp_path / "below" / "b.html")

        assert tmp_path / "a.html" in seen


@pytest.mark.parametrize("way", WAYS)
async def test_a_folder_alone_is_watched_without_those_below(way: Way, tmp_path: Path) -> None:
    """A manifest may lie in a folder of a hundred thousand files."""
    (tmp_path / "below").mkdir()
    async with watching(way, tmp_path, recursive=False) as watched:
        (tmp_path / "below" / "a.html").write_text("text")
        (tmp_path / "b.html").write_text("text")

        assert tmp_path / "below" / "a.html" not in await watched.until(tmp_path / "b.html")


@pytest.mark.parametrize("way", WAYS)
async def test_files_in_a_new_folder_are_seen(way: Way, tmp_path: Path) -> None:
    """Those in folders that were made or moved in while the folder was watched."""
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    site = tmp_path / "site"
    site.mkdir()
    async with watching(way, site) as watched:
        outside.rename(site / "inside")
        (site / "made" / "deep").mkdir(parents=True)
        await watched.until(site / "made")
        await asyncio.sleep(0.1)
        for name in ("inside/deep/a.html", "made/deep/b.html"):
            (site / name).write_text("text")
            await watched.until(site / name)


@linux
async def test_a_folder_that_was_moved_away_is_watched_no_more(tmp_path: Path) -> None:
    """Moved within the site, its files have their new paths."""
    site = tmp_path / "site"
    (site / "old" / "deep").mkdir(parents=True)
    (site / "gone").mkdir()
    async with watching(changes._from_kernel, site) as watched:
        (site / "old").rename(site / "new")
        (site / "gone").rename(tmp_path / "gone")
        await watched.until(site / "gone")
        (tmp_path / "gone" / "a.html").write_text("text")
        (site / "new" / "deep" / "b.html").write_text("text")

        seen = await watched.until(site / "new" / "deep" / "b.html")
        assert not {path.name for path in seen} & {"a.html"}


@linux
async def test_the_folders_of_tools_are_not_watched(tmp_path: Path) -> None:
    """They may hold more folders than the system lets a program watch."""
    (tmp_path / "node_modules" / "deep").mkdir(parents=True)
    async with watching(changes._from_kernel, tmp_path) as watched:
        (tmp_path / "node_modules" / "deep" / "a.js").write_text("text")
        (tmp_path / "b.js").write_text("text")

        assert await watched.next() == {tmp_path / "b.js"}


@linux
async def test_a_file_is_passed_on_when_it_is_closed(tmp_path: Path) -> None:
    """A file that is kept open is passed on all the same, again and again."""
    async with watching(changes._from_kernel, tmp_path) as watched:
        with (tmp_path / "a.log").open("w") as file:
            for _ in range(2):
                file.write("line\n")
                file.flush()
                assert await watched.next() == {tmp_path / "a.log"}
        file = (tmp_path / "b.html").open("w")
        file.write("half")
        file.flush()
        batch = asyncio.create_task(watched.next())
        await asyncio.sleep(changes.LIMIT_S / 5)
        assert not batch.done()
        file.close()

        assert tmp_path / "b.html" in await batch


@linux
async def test_a_file_that_is_closed_waits_for_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does one that is new. One that is gone may come back, as in editors that keep a backup."""
    monkeypatch.setattr(changes, "QUIET_S", 30)
    monkeypatch.setattr(changes, "LIMIT_S", 30)
    async with watching(changes._from_kernel, tmp_path) as watched:
        for text in ("new", "saved"):
            (tmp_path / "a.css").write_text(text)
            assert await watched.until(tmp_path / "a.css") == {tmp_path / "a.css"}
        monkeypatch.setattr(changes, "QUIET_S", 0.2)
        (tmp_path / "a.css").rename(tmp_path / "a.css~")
        batch = asyncio.create_task(watched.next())
        await asyncio.sleep(0.05)
        (tmp_path / "a.css").write_text("written anew")

        assert await batch == {tmp_path / "a.css", tmp_path / "a.css~"}


@linux
async def test_links_in_a_circle_end(tmp_path: Path) -> None:
    """Each folder is watched once."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    async with watching(changes._from_kernel, tmp_path) as watched:
        (tmp_path / "a" / "b.html").write_text("text")

        assert await watched.next() == {tmp_path / "a" / "b.html"}


@linux
def test_lost_events_are_an_error(tmp_path: Path) -> None:
    """The kernel keeps a limited number of events; whoever watches then has to look again."""
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    watch = changes.Inotify(lambda _: True)
    try:
        watch.watch(str(tmp_path))
        for number in range(most // 2 + 1):  # each is made and closed
            (tmp_path / f"{number}").touch()
        with pytest.raises(OSError, match="more files changed at once"):
            all(iter(watch.read, set()))
    finally:
        watch.close()


@linux
async def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """The reason is the system's."""
    with pytest.raises(OSError, match="No such file"):
        await anext(changes.changed_paths({tmp_path / "none"}, None))
