"""The stream of events, between its beginning and its first reader."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from webagent_dev.api.owner_api import Api
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.hub import Hub
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.live.timeline import Timeline
from webagent_dev.site.state import Site
from webagent_site.config.urls import API_PATH
from webagent_site.pages.relay import Relay

NOW = datetime(2026, 11, 30, tzinfo=UTC)


async def test_nothing_is_lost_before_the_first_chunk_is_sent(config: ServeConfig) -> None:
    """Events between the request and the first chunk are sent, too."""
    pages, timeline = OpenPages(lambda: None), Timeline()
    api = Api(
        config, Site(config.root), pages, Relay(pages), timeline, Hub(), started=NOW, build="b"
    )
    route = next(r for r in api.routes() if isinstance(r, Route) and r.path == f"{API_PATH}/events")
    authorization = (b"authorization", f"Bearer {config.owner.token}".encode())
    scope = {
        "type": "http",
        "method": "GET",
        "path": route.path,
        "query_string": b"after=0",
        "headers": [authorization],
    }

    answer = await route.endpoint(Request(scope))
    timeline.add("log", "tab", "just now")
    assert isinstance(answer, StreamingResponse)
    sent = []
    async with asyncio.timeout(10):
        async for piece in answer.body_iterator:
            sent.append(str(piece))
            if "event: entry" in str(piece):
                break

    assert "just now" in sent[-1]
    assert [piece.split("\n")[0] for piece in sent] == [
        "event: pages",
        "event: manifest",
        "event: entry",
    ]
