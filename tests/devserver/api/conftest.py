"""A server with its owner, for the tests of the interface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.devserver.api.owner_client import nothing_left
from tests.devserver.conftest import INDEX, MANIFEST
from tests.page_client import brief_absence, owner
from tests.server import Server, hosting


@pytest.fixture(autouse=True, scope="module")
def _brief_absence() -> Iterator[None]:
    with brief_absence():
        yield


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("api")
    (root / "index.html").write_bytes(INDEX)
    (root / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    with hosting(root) as server:
        yield server


@pytest.fixture(name="client")
async def _client(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with owner(server) as client:
        yield client
        # No call may remain, whatever the test has requested.
        await nothing_left(client)
