"""When a page waits for the manifest of the upstream."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

from tests.devserver.conftest import MANIFEST
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.hub import Hub
from webagent_dev.proxy.html_stream import DocumentInjector
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console


def injector_of(root: Path, reading: asyncio.Event) -> DocumentInjector:
    """Return an injector whose manifest is being read until `reading` is set."""

    async def refresh() -> None:
        await reading.wait()

    return DocumentInjector(
        ServeConfig(root), Site(root), Hub(), Console(io.StringIO()), refresh=refresh
    )


async def test_a_manifest_that_is_known_holds_up_no_page(tmp_path: Path) -> None:
    """It is read again, and checked, while the page is on its way."""
    (tmp_path / "webagents.md").write_text(MANIFEST)
    reading = asyncio.Event()

    await asyncio.wait_for(injector_of(tmp_path, reading).refresh_manifest(), 10)

    assert not reading.is_set()
    reading.set()


async def test_the_first_page_waits_for_the_manifest(
    tmp_path: Path,
) -> None:
    """Otherwise it would not name one; later pages do not wait."""
    reading = asyncio.Event()
    injector = injector_of(tmp_path, reading)

    first = asyncio.create_task(injector.refresh_manifest())
    await asyncio.sleep(0)
    await asyncio.wait_for(injector.refresh_manifest(), 10)
    assert not first.done()
    reading.set()
    await asyncio.wait_for(first, 10)
