"""The watcher handles every way in which editors save a file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.devserver.live.test_watch import watching
from tests.devserver.site.test_state import BROKEN, GOOD


async def test_half_a_save_is_not_reported_as_broken(root: Path) -> None:
    """The watcher waits for an editor that truncates, writes and removes the file."""
    path = root / "webagents.md"
    async with watching(root) as watched:
        for number in range(5):
            path.write_bytes(b"")
            await asyncio.sleep(0)
            path.write_bytes(BROKEN[: -number - 20])
            await asyncio.sleep(0)
            path.unlink()
            await asyncio.sleep(0)
            path.write_bytes(GOOD + b"\n" * (number + 1))
            types = await watched.told_types(2)

            assert types == ["manifest", "findings"]

        assert "error[" not in watched.screen.getvalue()
        assert "gone" not in watched.screen.getvalue()


MORE = (
    GOOD
    + b"""
## giftWrap
Wrap the basket.

### Params
- `colour` (string, required): Colour of the paper.

## cancelOrder
Cancel an order.

### Params
"""
)


@pytest.mark.parametrize(
    ("old", "half", "new"),
    [
        (MORE, b"", MORE.replace(b"paper", b"wrapping")),
        (MORE, GOOD, MORE.replace(b"Wrap", b"Pack")),
        (MORE, MORE[: MORE.index(b"## cancel")], MORE.replace(b"Wrap", b"Pack")),
        (GOOD, MORE[: MORE.index(b" basket")], MORE),
        (MORE, None, GOOD),
    ],
    ids=["truncated", "first half", "a tool less", "longer already", "removed first"],
)
async def test_half_a_save_without_errors_is_not_broadcast(
    root: Path, monkeypatch: pytest.MonkeyPatch, old: bytes, half: bytes | None, new: bytes
) -> None:
    """The other half comes while the watcher waits, and only the whole file is broadcast."""
    path = root / "webagents.md"
    path.write_bytes(old)

    async def settle() -> None:
        path.write_bytes(new)

    monkeypatch.setattr("webagent_dev.live.watch._settle", settle)
    async with watching(root) as watched:
        if half is None:
            path.unlink()
        else:
            path.write_bytes(half)

        assert (await watched.told())["text"].encode() == new
        assert (await watched.told())["type"] == "findings"
        assert await watched.quiet_after(lambda: None)


@pytest.mark.parametrize(
    "new",
    [
        MORE.replace(b"Colour of the paper", b"Colour"),
        MORE.replace(b"Colour", b"The colour"),
        MORE + b"\n## getOrder\n### Params\n",
    ],
    ids=["shorter", "longer", "more at the end"],
)
async def test_a_usual_save_is_broadcast_at_once(
    root: Path, monkeypatch: pytest.MonkeyPatch, new: bytes
) -> None:
    """The watcher does not wait for a file that looks complete."""
    path = root / "webagents.md"
    path.write_bytes(MORE)

    async def settle() -> None:
        raise AssertionError("it waited")

    monkeypatch.setattr("webagent_dev.live.watch._settle", settle)
    async with watching(root) as watched:
        other = root / "next.tmp"
        other.write_bytes(new)
        other.replace(path)

        assert (await watched.told())["text"].encode() == new


async def test_a_script_that_is_truncated_first_reloads_once_and_whole(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that loaded the empty file would show a false error."""
    script = root / "shop.js"
    script.write_text("one()", encoding="utf-8")

    async def settle() -> None:
        script.write_text("two()", encoding="utf-8")

    monkeypatch.setattr("webagent_dev.live.watch._settle", settle)
    async with watching(root) as watched:
        script.write_text("", encoding="utf-8")

        assert (await watched.told())["path"] == "/shop.js"
        assert script.read_text(encoding="utf-8") == "two()"
        assert await watched.quiet_after(lambda: None)


def _in_place(path: Path, new: bytes) -> None:
    """As `echo` and most simple editors do: truncate, then write."""
    with path.open("wb") as file:
        file.flush()
        file.write(new)


def _in_pieces(path: Path, new: bytes) -> None:
    """As over a slow network drive."""
    with path.open("wb", buffering=0) as file:
        for start in range(0, len(new), 40):
            file.write(new[start : start + 40])
            os.fsync(file.fileno())


def _twice(path: Path, new: bytes) -> None:
    """As editors that save, format and save again."""
    path.write_bytes(new[:-1])
    path.write_bytes(new)


def _by_rename(path: Path, new: bytes) -> None:
    """As VS Code with `files.atomicSave`, JetBrains and most formatters do."""
    other = path.with_name("webagents.md.tmp")
    other.write_bytes(new)
    other.replace(path)


def _with_backup(path: Path, new: bytes) -> None:
    """As Vim and Emacs do: the old file is moved away first."""
    path.replace(path.with_name("webagents.md~"))
    path.write_bytes(new)


def _anew(path: Path, new: bytes) -> None:
    """As programs that delete the file and write a new one."""
    path.unlink()
    path.write_bytes(new)


def _by_link(path: Path, new: bytes) -> None:
    """As tools that keep versions next to each other and replace a link."""
    version = path.with_name(f"version-{len(new)}.tmp")
    version.write_bytes(new)
    link = path.with_name("next.tmp")
    link.symlink_to(version)
    link.replace(path)


@pytest.mark.parametrize(
    "write", [_in_place, _in_pieces, _twice, _by_rename, _with_backup, _anew, _by_link]
)
async def test_no_way_of_saving_shows_a_false_error(
    root: Path, write: Callable[[Path, bytes], None]
) -> None:
    """Every save arrives, and none is reported as broken or removed meanwhile."""
    path = root / "webagents.md"
    async with watching(root) as watched:
        for number in range(1, 6):
            new = GOOD + b"\nMore." * number + b"\n"
            await asyncio.to_thread(write, path, new)
            while True:
                message = await watched.told()
                assert message["type"] in ("manifest", "findings"), message
                found = message.get("findings", [])
                assert not [finding for finding in found if finding["severity"] == "error"]
                if message.get("text") == new.decode():
                    break
        assert "error[" not in watched.screen.getvalue()
        assert "gone" not in watched.screen.getvalue()
