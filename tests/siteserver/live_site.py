"""A site with a live channel, served in the loop of a test."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import uvicorn
from starlette.applications import Starlette

from tests.beside import ServerBeside
from tests.visitor_page import VisitorPage
from webagent_site import WebAgent
from webagent_site.broker.page_directory import PageRecord
from webagent_site.broker.redis_broker import RedisBroker


class Served(Protocol):
    """A site that can be served."""

    server: uvicorn.Server


class Site:
    """A site's application, served in this loop."""

    def __init__(
        self,
        manifest: Path,
        bundle: Path,
        broker: RedisBroker | None,
        port: int,
        **options: Any,
    ) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.agent = WebAgent(manifest, bundle=bundle, broker=broker, **(options or {"live": True}))
        config = uvicorn.Config(
            self.agent.wrap(Starlette()), port=port, log_level="error", ws="websockets-sansio"
        )
        self.server = ServerBeside(config)

    async def call(self, page: VisitorPage, name: str = "look", **given: Any) -> dict[str, Any]:
        """Call a tool of a page."""
        record = await self.record(page)
        timeout_s = given.pop("timeout_s", 10.0)
        return await self.agent.pages.call(
            record, "tool", name, given, timeout_s=timeout_s, caller="test"
        )

    async def record(self, page: VisitorPage) -> PageRecord:
        """Return what the processes know of a page."""
        pages = await self.agent.pages.of(f"session {page.session}")
        return next(each for each in pages if each.tab == page.page_id)


@asynccontextmanager
async def serving(*sites: Served) -> AsyncIterator[None]:
    """Serve them until the end of the context."""
    tasks = [asyncio.create_task(site.server.serve()) for site in sites]
    while not all(site.server.started for site in sites):  # noqa: ASYNC110 - uvicorn has no event
        await asyncio.sleep(0.01)
    try:
        yield
    finally:
        for site in sites:
            site.server.should_exit = True
        await asyncio.gather(*tasks)


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
