"""The page in which commands work: open, or about to be."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devserver.conftest import INDEX
from tests.page_client import ClientPage, owner
from tests.server import Server, hosting
from webagent_dev.browser.running_server import find_open_page
from webagent_dev.live import open_pages
from webagent_site.errors import UsageError


@pytest.fixture(name="server")
def _server(tmp_path: Path) -> Iterator[Server]:
    root = (tmp_path / "site").resolve()
    root.mkdir()
    (root / "index.html").write_bytes(INDEX)
    with hosting(root) as server:
        yield server


@pytest.mark.parametrize("tab", ["", "ta"])
async def test_a_page_that_reloads_is_waited_for(server: Server, tab: str) -> None:
    """A command goes neither to a fresh page nor to another tab."""
    async with owner(server) as client, ClientPage(server, "other"):
        async with ClientPage(server, "tab", focused=True):
            pass
        while "tab" not in (state := (await client.get("state")).json())["returning"]:
            pass
        finding = asyncio.ensure_future(find_open_page(str(server.root), tab))
        async with ClientPage(server, "tab", focused=True):
            found = await finding

    assert state["focused"] == "tab"
    assert found is not None
    assert found[1]["page_id"] == "tab"


async def test_the_only_page_that_reloads_is_waited_for(server: Server) -> None:
    """The command opens no fresh one."""
    async with ClientPage(server, "tab"):
        pass
    finding = asyncio.ensure_future(find_open_page(str(server.root), ""))
    async with ClientPage(server, "tab"):
        found = await finding

    assert found is not None
    assert found[1]["page_id"] == "tab"


async def test_a_page_that_was_closed_is_not_waited_for_longer(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then there is none."""
    monkeypatch.setattr(open_pages, "FOLLOWS_S", 0.3)
    async with ClientPage(server, "tab"):
        pass

    assert await find_open_page(str(server.root), "") is None
    with pytest.raises(UsageError, match="no page with the id `tab` is open"):
        await find_open_page(str(server.root), "tab")
