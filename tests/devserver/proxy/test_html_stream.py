"""When a page waits for the manifest of the server behind."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

from tests.devserver.conftest import MANIFEST
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.hub import Hub
from webagent_dev.proxy.html_stream import Documents
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console


def documents(root: Path, reading: asyncio.Event) -> Documents:
    """Return documents for which the manifest is read until `reading` is set."""

    async def look() -> None:
        await reading.wait()

    return Documents(ServeConfig(root), Site(root), Hub(), Console(io.StringIO()), look=look)


async def test_a_manifest_that_is_known_holds_up_no_page(tmp_path: Path) -> None:
    """It is read again, and checked, while the page is on its way."""
    (tmp_path / "webagents.md").write_text(MANIFEST)
    reading = asyncio.Event()

    await asyncio.wait_for(documents(tmp_path, reading).manifest(), 10)

    assert not reading.is_set()
    reading.set()


async def test_the_first_page_waits_until_it_is_known_whether_there_is_a_manifest(
    tmp_path: Path,
) -> None:
    """A page without its name would find none; later pages wait for nothing."""
    reading = asyncio.Event()
    those = documents(tmp_path, reading)

    first = asyncio.create_task(those.manifest())
    await asyncio.sleep(0)
    await asyncio.wait_for(those.manifest(), 10)
    assert not first.done()
    reading.set()
    await asyncio.wait_for(first, 10)
