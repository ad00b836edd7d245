"""A response of events, which ends the run that they are about when its reader goes away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from webagent_site.agui.run_events import Event
from webagent_site.http.event_stream import EventQueue
from webagent_site.http.first_done import run_until_first_done


class EventResponse(Response):
    """Sends events as they come."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        """Send events; they are asked for as fast as they come, up to what a queue holds."""
        # nginx would keep them back otherwise.
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        # It has no length.
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        queue = EventQueue()

        async def work() -> None:
            try:
                async for event in self._events:
                    queue.put(event["type"], json.dumps(event))
            finally:
                queue.end()

        async def stream() -> None:
            start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            async for frame in queue.frames():
                body = {"type": "http.response.body", "body": frame.encode(), "more_body": True}
                await send(body)
            await send({"type": "http.response.body", "body": b""})

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        working = asyncio.create_task(work())
        try:
            await run_until_first_done(stream(), leave(), expected=OSError)
        finally:
            working.cancel()
            (ended,) = await asyncio.gather(working, return_exceptions=True)
        if isinstance(ended, Exception):
            raise ended
