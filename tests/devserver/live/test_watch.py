"""The changes that the watcher broadcasts."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.devserver.conftest import MANIFEST
from tests.devserver.site.test_state import BROKEN, GOOD
from webagent_dev.live import watch
from webagent_dev.live.hub import Hub
from webagent_dev.live.watch import Watcher, is_watched
from webagent_dev.site.state import Site
from webagent_dev.site.tree import site_files
from webagent_dev.terminal import Console


@pytest.mark.parametrize(
    ("path", "watched"),
    [
        ("index.html", True),
        ("webagents.md", True),
        (".well-known/a.json", True),
        ("a/b/c.css", True),
        (".git/index", False),
        ("a/node_modules/x/y.js", False),
        (".venv/x.py", False),
        ("__pycache__/x.pyc", False),
        (".pytest_cache/d/webagent/a.png", False),
        ("tests/test_shop.py", False),
        (".env", False),
        (".DS_Store", False),
        ("index.html~", False),
        (".#index.html", False),
        ("#index.html#", False),
        ("4913", False),
        (".index.html.swp", False),
        ("index.html.tmp", False),
        ("sedK5nin9", False),
        ("sedum.html", True),
        ("../outside.html", False),
    ],
)
def test_temporary_files_of_editors_and_tools_are_not_watched(
    root: Path, path: str, watched: bool
) -> None:
    """Nor are files that are never served."""
    assert is_watched(root, Path(os.path.normpath(root / path))) is watched


class Watched:
    """A watched site, and the messages to its pages."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.site = Site(root)
        self.hub = Hub()
        self.screen = io.StringIO()
        self.watcher = Watcher(self.site, self.hub, Console(self.screen))
        self.page = self.hub.join()

    async def told(self) -> dict[str, Any]:
        """Wait for the next message."""
        message: dict[str, Any] = json.loads(await asyncio.wait_for(self.page.next(), 5))
        return message

    async def told_types(self, count: int) -> list[str]:
        return [(await self.told())["type"] for _ in range(count)]

    async def quiet_after(self, change: Callable[[], object]) -> bool:
        """Whether nothing was broadcast for a change, while a later one was."""
        change()
        mark = self.root / "mark.txt"
        mark.write_text(str(os.urandom(4)), encoding="utf-8")
        return (await self.told()).get("path") == "/mark.txt"


@asynccontextmanager
async def watching(root: Path) -> AsyncIterator[Watched]:
    watched = Watched(root)
    task = asyncio.create_task(watched.watcher.run())
    try:
        await asyncio.wait_for(watched.site.checked.wait(), 5)
        yield watched
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def test_the_output_of_a_build_is_not_part_of_the_site(root: Path) -> None:
    """It is neither watched nor built again; a served folder is a site even if a build wrote it."""
    for folder in (root, root / "public"):
        (folder / "webagent").mkdir(parents=True)
        (folder / "webagent" / "files.json").write_text("{}")
        (folder / "page.html").write_text("hello")

    assert is_watched(root, root / "page.html")
    assert not is_watched(root, root / "public" / "page.html")
    names = {name for name, _ in site_files(root)}
    assert "page.html" in names
    assert not any(name.startswith("public/") for name in names)


async def test_a_stylesheet_is_swapped(root: Path) -> None:
    """The message has the path of its URL."""
    (root / "css").mkdir()
    async with watching(root) as watched:
        (root / "css" / "a b.css").write_text("p {}", encoding="utf-8")

        told = await watched.told()
        assert (told["type"], told["path"]) == ("css", "/css/a%20b.css")


async def test_files_that_change_together_reload_once(root: Path) -> None:
    """Stylesheets may be among them."""
    async with watching(root) as watched:
        (root / "style.css").write_text("p {}", encoding="utf-8")
        (root / "index.html").write_text("<p>", encoding="utf-8")
        types = [(await watched.told())["type"]]
        while types[-1] != "reload":
            types.append((await watched.told())["type"])

        assert types in (["reload"], ["css", "reload"])
        assert await watched.quiet_after(lambda: None)


async def test_files_that_are_saved_one_after_another_are_one_line(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is broadcast at once; the terminal waits for those that follow."""
    monkeypatch.setattr(watch, "SHOWN_S", 1.0)
    async with watching(root) as watched:
        for name in ("a.js", "b.js", "c.js"):
            (root / name).write_text("1", encoding="utf-8")
            assert (await watched.told())["path"] == f"/{name}"
        assert "reload" not in watched.screen.getvalue()
        async with asyncio.timeout(5):
            while "`a.js` and 2 more changed" not in watched.screen.getvalue():  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_a_removed_stylesheet_reloads(root: Path) -> None:
    """There is nothing to replace it with."""
    async with watching(root) as watched:
        (root / "style.css").unlink()

        assert (await watched.told())["path"] == "/style.css"


async def test_a_save_by_rename_is_one_change_of_the_file(root: Path) -> None:
    """Neither the name of the temporary file nor a backup matters."""
    async with watching(root) as watched:
        style = root / "style.css"
        (root / "style.css.tmp").write_text("p {}", encoding="utf-8")
        os.replace(root / "style.css.tmp", style)

        assert (await watched.told())["type"] == "css"

        os.replace(style, root / "style.css~")
        style.write_text("b {}", encoding="utf-8")

        assert (await watched.told())["type"] == "css"
        assert await watched.quiet_after(lambda: None)


async def test_permissions_and_empty_folders_do_not_count(root: Path) -> None:
    """They change nothing that a page shows."""
    async with watching(root) as watched:
        (root / "style.css").write_text("p {}", encoding="utf-8")
        await watched.told()

        assert await watched.quiet_after(lambda: (root / "style.css").chmod(0o600))
        assert await watched.quiet_after(lambda: (root / "empty").mkdir())
        assert await watched.quiet_after(lambda: (root / "index.html").read_bytes())


async def test_a_folder_that_is_moved_in_reloads(root: Path) -> None:
    """The files in it are new."""
    outside = root.parent / "pictures"
    outside.mkdir()
    (outside / "a.svg").write_text("<svg/>", encoding="utf-8")
    async with watching(root) as watched:
        outside.rename(root / "pictures")

        assert (await watched.told())["path"] == "/pictures"


async def test_a_good_manifest_is_broadcast_with_its_findings(root: Path) -> None:
    """It is broadcast once, and the terminal shows it."""
    async with watching(root) as watched:
        (root / "webagents.md").write_bytes(GOOD + b"\nMore.\n")
        manifest, findings = await watched.told(), await watched.told()

        assert manifest["type"] == "manifest"
        assert manifest["text"] == MANIFEST + "\nMore.\n"
        assert findings["type"] == "findings"
        assert findings["revision"] == manifest["revision"] == 2
        assert "webagents.md: 1 tool" in watched.screen.getvalue()


async def test_a_broken_manifest_is_broadcast_by_its_findings_only(root: Path) -> None:
    """The corrected one is broadcast too, with an empty list of findings."""
    async with watching(root) as watched:
        (root / "webagents.md").write_bytes(BROKEN)
        broken = await watched.told()

        assert broken["type"] == "findings"
        assert [f["severity"] for f in broken["findings"]].count("error") == 1
        assert watched.site.state.served == GOOD

        (root / "webagents.md").write_bytes(GOOD)

        assert (await watched.told())["type"] == "manifest"
        assert (await watched.told())["findings"] == []


async def test_a_manifest_that_is_saved_unchanged_is_silent(root: Path) -> None:
    """Neither the pages nor the terminal show anything."""
    async with watching(root) as watched:
        before = watched.screen.getvalue()

        assert await watched.quiet_after(lambda: (root / "webagents.md").write_bytes(GOOD))
        assert before == watched.screen.getvalue().split("  reload")[0]


async def test_a_removed_manifest_keeps_its_last_good_version(root: Path) -> None:
    """The terminal says that the file is gone."""
    async with watching(root) as watched:
        (root / "webagents.md").unlink()
        message = await watched.told()

        assert (message["type"], message["findings"]) == ("findings", [])
        assert watched.site.state.served == GOOD
        assert "webagents.md is gone" in watched.screen.getvalue()


async def test_a_new_manifest_is_broadcast_and_pages_reload(root: Path) -> None:
    """The HTML that they loaded has no meta tag."""
    (root / "webagents.md").unlink()
    async with watching(root) as watched:
        (root / "webagents.md").write_bytes(GOOD)

        assert await watched.told_types(3) == ["manifest", "findings", "reload"]


async def test_a_page_that_names_its_first_manifest_finds_it(root: Path) -> None:
    """`init --into` saves both at once; the manifest is read before the page reloads."""
    (root / "webagents.md").unlink()
    async with watching(root) as watched:
        (root / "webagents.md").write_bytes(GOOD)
        (root / "index.html").write_text("<!doctype html><title>Announced</title>", "utf-8")

        assert await watched.told_types(3) == ["manifest", "findings", "reload"]
        assert (await watched.told())["path"] == "/index.html"


async def test_a_folder_that_is_replaced_is_watched_again(root: Path) -> None:
    """A build may remove its output first. Pages reload, and later saves are noticed."""

    def replace() -> None:
        root.rename(root.parent / "old")
        root.mkdir()
        (root / "webagents.md").write_bytes(GOOD)

    async with watching(root) as watched:
        replace()

        assert (await watched.told())["type"] == "reload"
        assert await watched.quiet_after(lambda: None)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such names")
async def test_a_file_name_that_is_not_utf_8_is_broadcast_as_its_bytes(root: Path) -> None:
    """A URL can name it, too."""
    async with watching(root) as watched:
        (root / os.fsdecode(b"\xff.css")).write_text("p {}", encoding="utf-8")

        assert (await watched.told())["path"] == "/%FF.css"
        assert await watched.quiet_after(lambda: None)


async def test_a_folder_that_cannot_be_watched_is_still_served(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The terminal shows the reason, and the manifest is checked once."""

    def changed_paths(*_: object) -> None:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("webagent_dev.live.watch.changed_paths", changed_paths)
    watched = Watched(root)
    await asyncio.wait_for(watched.watcher.run(), 5)

    assert watched.site.state.report is not None
    assert watched.watcher.ready.is_set()
    assert "changes are not seen - OS file watch limit reached" in watched.screen.getvalue()
