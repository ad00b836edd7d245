"""A server on 127.0.0.1 that answers every request with the bytes of a stream."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from tests.model_server import LIMIT_S, Loopback


@dataclass
class Answer:
    """Bytes, and how they are sent."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    held: bool = False
    """Whether the answer goes on without end after the bytes."""


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    target: str
    """Path and query."""
    headers: dict[str, str]
    body: Any


class ByteServer:
    """Serves one answer until it is given another; use it as `with ByteServer() as server:`.

    Attributes:
        origin: `http://127.0.0.1:…`.
        requests: The requests so far.
    """

    def __init__(self) -> None:
        self.answer = Answer(b"")
        self.requests: list[Asked] = []
        self._gone = threading.Semaphore(0)
        route = Route("/{path:path}", self._respond, methods=["POST"])
        self._running = Loopback(Starlette(routes=[route]))
        self.origin = self._running.origin

    async def _respond(self, request: Request) -> StreamingResponse:
        query = f"?{request.url.query}" if request.url.query else ""
        body = json.loads(await request.body())
        self.requests.append(Asked(request.url.path + query, dict(request.headers), body))
        answer = self.answer
        return StreamingResponse(
            self._pieces(answer),
            answer.status,
            answer.headers,
            media_type=answer.content_type,
        )

    async def _pieces(self, answer: Answer) -> AsyncIterator[bytes]:
        """Yield the bytes in pieces that end in the middle of lines and characters."""
        for start in range(0, len(answer.body), 97):
            yield answer.body[start : start + 97]
        if answer.held:
            try:
                await asyncio.Event().wait()
            finally:
                self._gone.release()

    def wait_for_abort(self) -> None:
        """Wait until whoever asked for a held answer has gone away."""
        assert self._gone.acquire(timeout=LIMIT_S), "the request was not given up"

    def __enter__(self) -> ByteServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._running.stop()
