"""A server whose agent clients give tasks to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.devserver.agents.a2a.client import BINDINGS, A2a
from tests.devserver.conftest import INDEX, MANIFEST
from tests.server import Server, hosting


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("a2a")
    (root / "index.html").write_bytes(INDEX)
    (root / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    state = {"XDG_STATE_HOME": str(tmp_path_factory.mktemp("state"))}
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", state["XDG_STATE_HOME"])
        with hosting(root) as server:
            yield server


@pytest.fixture(name="a2a", params=BINDINGS)
async def _a2a(server: Server, request: pytest.FixtureRequest) -> AsyncIterator[A2a]:
    async with A2a(server, request.param) as client:
        yield client
