"""Answers over HTTP: JSON, and streams of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response, StreamingResponse

from webagent_dev.protocols.tasks.stream import pinged

_HEADERS = {"cache-control": "no-store"}


def as_json(data: Any, status: int = 200) -> Response:
    """Return an answer."""
    return Response(_text(data), status, headers=_HEADERS, media_type="application/json")


def as_stream(events: AsyncIterator[Any]) -> Response:
    """Return a stream of server-sent events, each of them JSON."""
    return StreamingResponse(
        pinged(_frames(events)), media_type="text/event-stream", headers=_HEADERS
    )


async def _frames(events: AsyncIterator[Any]) -> AsyncIterator[str]:
    async for event in events:
        yield f"data: {_text(event)}\n\n"


def _text(data: Any) -> str:
    # In ASCII: what a page says may hold halves of characters, which no other encoding can write.
    return json.dumps(data, separators=(",", ":"))
