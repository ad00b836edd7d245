"""A server of a model on 127.0.0.1 that says what a test has written down.

The replies here are chat completions; `tests/provider_turns.py` has those of all protocols. It streams real bytes, in odd pieces, to whoever asks: Python, or a page of any origin.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from webagent_dev.server.runner import ClosingServer

LIMIT_S = 10.0
"""How long a test waits for what has to happen."""
_SIZES = (1, 7, 2, 31, 3, 113, 1, 64)
"""Bytes of the pieces in which a stream is sent, again and again."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """The server's answer to one request."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Literal["done", "cut", "held"] = "done"
    """`cut` breaks the connection after the body, `held` waits there for `release()`."""


Script = Turn | Callable[[Json], Turn]
"""A turn, or what gives one for the request's body."""


def events(*pieces: Json | str) -> bytes:
    """Return pieces as a stream of events."""
    texts = (piece if isinstance(piece, str) else json.dumps(piece) for piece in pieces)
    return b"".join(f"data: {text}\n\n".encode() for text in texts)


_CHUNK = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 0,
    "model": "scripted-1",
}


def piece(delta: Json, finish: str | None = None) -> Json:
    """Return one piece of a reply."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {**_CHUNK, "choices": [choice]}


def usage(prompt: int = 100, completion: int = 20, cached: int = 0) -> Json:
    """Return the last piece, which has only the usage."""
    counts = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return {**_CHUNK, "choices": [], "usage": counts}


def words(text: str) -> list[Json]:
    """Return the pieces of a text, five characters each."""
    first = piece({"role": "assistant", "content": ""})
    return [first, *(piece({"content": text[i : i + 5]}) for i in range(0, len(text), 5))]


def says(text: str, **counts: int) -> Turn:
    """Say something, and be done."""
    return Turn(events(*words(text), piece({}, "stop"), usage(**counts), "[DONE]"))


def asks(*calls: tuple[str, Json], text: str = "", **counts: int) -> Turn:
    """Ask for calls, `(name, arguments)` each, their arguments in fragments."""
    pieces = words(text) if text else [piece({"role": "assistant", "content": None})]
    for index, (name, arguments) in enumerate(calls):
        written = json.dumps(arguments)
        head = {"index": index, "id": f"call_{index}_{name}", "type": "function"}
        function = {"name": name, "arguments": ""}
        pieces.append(piece({"tool_calls": [{**head, "function": function}]}))
        for i in range(0, len(written), 4):
            fragment = {"index": index, "function": {"arguments": written[i : i + 4]}}
            pieces.append(piece({"tool_calls": [fragment]}))
    return Turn(events(*pieces, piece({}, "tool_calls"), usage(**counts), "[DONE]"))


def refuses(status: int, message: str = "no", *, code: str = "", **headers: str) -> Turn:
    """Answer with a status and an error object; `retry_after="2"` is the header `retry-after`."""
    body = json.dumps({"error": {"message": message, "code": code or None}}).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Turn(body, status, {"content-type": "application/json", **names})


def limited(retry_after: str = "0") -> Turn:
    """Answer 429 with `Retry-After`."""
    return refuses(429, "slow down", code="rate_limit_exceeded", retry_after=retry_after)


def cut(text: str = "I was about to") -> Turn:
    """Say something and break the connection in the middle of a line."""
    return Turn(events(*words(text)) + b'data: {"choi', ending="cut")


def held(text: str = "Let me think") -> Turn:
    """Say something and wait for `release()`, or for whoever asked to go away."""
    return Turn(events(*words(text)), ending="held")


def breaks(text: str, error: Json) -> Turn:
    """Say something, and then that it failed, inside the stream."""
    return Turn(events(*words(text), {"error": error}))


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    headers: Mapping[str, str]
    body: Json
    path: str = ""
    """Below `/v1` or `/api`, with the query."""


class Loopback:
    """An ASGI application on a free port of 127.0.0.1, in a thread of its own.

    Attributes:
        origin: `http://127.0.0.1:…`.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Start serving; connections that come before wait."""
        listening = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none")
        self._server = ClosingServer(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stop, whatever is under way."""
        self._server.stop()
        self._thread.join(LIMIT_S)
        assert not self._thread.is_alive(), "the server did not stop"


class ModelServer:
    """A server with a script.

    Attributes:
        origin: `http://127.0.0.1:…`; it also answers whoever takes it for a proxy.
        url: Where the interface begins, `/v1` included.
        requests: What was asked so far.
    """

    def __init__(self, *script: Script, cycle: bool = False) -> None:
        """Start on a free port; use it as `with ModelServer(says("hello")) as server:`.

        Args:
            script: One turn for each request.
            cycle: Whether the script begins anew when it is over.
        """
        self._script: deque[Script] = deque(script)
        self._cycle = cycle
        self.requests: list[Asked] = []
        self._gone = threading.Semaphore(0)
        self._releases: list[asyncio.Event] = []
        self._arrived = threading.Semaphore(0)
        route = Route("/{base}/{path:path}", self._answer, methods=["POST"])
        # As real interfaces do for pages: whoever has the key may ask.
        open_to_all = Middleware(
            CORSMiddleware,
            allow_origins=["*"],
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=["*"],
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        app = Starlette(routes=[route], middleware=[open_to_all])

        async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
            # A client that takes this server for its proxy names the whole address.
            await app({**scope, "path": urlsplit(scope["path"]).path}, receive, send)

        self._running = Loopback(proxy)
        self.origin = self._running.origin
        self.url = f"{self.origin}/v1"

    def add(self, *script: Script) -> None:
        """Go on with these turns."""
        self._script.extend(script)

    def wait_for_request(self) -> None:
        """Wait until one more request has come than this was called before."""
        assert self._arrived.acquire(timeout=LIMIT_S), "no request came"

    def wait_for_abort(self) -> None:
        """Wait until whoever asked for a held turn has gone away."""
        assert self._gone.acquire(timeout=LIMIT_S), "the request was not given up"

    def release(self) -> None:
        """Let held turns end; they finish their reply."""
        if self._loop is not None:
            for event in self._releases:
                self._loop.call_soon_threadsafe(event.set)

    def stop(self) -> None:
        """Stop, whatever is under way."""
        self.release()
        self._running.stop()

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    async def _answer(self, request: Request) -> Response:
        self._loop = asyncio.get_running_loop()
        body = json.loads(await request.body())
        query = f"?{request.url.query}" if request.url.query else ""
        path = f"/{request.path_params['path']}{query}"
        self.requests.append(Asked(dict(request.headers), body, path))
        self._arrived.release()
        if not self._script:
            return JSONResponse({"error": {"message": "the script is over"}}, 400)
        turn = self._script.popleft()
        if self._cycle:
            self._script.append(turn)
        # Noted before the first word is sent: a test may release the turn on hearing it.
        released = asyncio.Event()
        self._releases.append(released)
        return _Streamed(turn if isinstance(turn, Turn) else turn(body), self, released)

    async def hold(self, released: asyncio.Event, receive: Receive) -> bool:
        """Wait for `release()`; whether it came before the other side went away."""
        freed = asyncio.ensure_future(released.wait())
        left = asyncio.ensure_future(_disconnected(receive))
        try:
            await asyncio.wait({freed, left}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            freed.cancel()
            left.cancel()
        if released.is_set():
            return True
        self._gone.release()
        return False


class _Streamed(Response):
    """Sends a turn in odd pieces."""

    def __init__(self, turn: Turn, server: ModelServer, released: asyncio.Event) -> None:
        super().__init__(status_code=turn.status)
        self._turn = turn
        self._server = server
        self._released = released

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = "text/event-stream" if self._turn.status == 200 else "application/json"
        headers = {"content-type": kind, "cache-control": "no-cache", **self._turn.headers}
        await send(
            {
                "type": "http.response.start",
                "status": self._turn.status,
                "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            }
        )
        await _send_body(self._turn.body, send)
        if self._turn.ending == "cut":
            # Without a last empty chunk uvicorn closes the connection, as a crash would.
            return
        if self._turn.ending == "held":
            if not await self._server.hold(self._released, receive):
                return
            await _send_body(events(piece({}, "stop"), usage(), "[DONE]"), send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send_body(body: bytes, send: Send) -> None:
    sizes = itertools.cycle(_SIZES)
    start = 0
    while start < len(body):
        size = next(sizes)
        await send(
            {
                "type": "http.response.body",
                "body": body[start : start + size],
                "more_body": True,
            }
        )
        start += size


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def results_of(body: Json) -> Sequence[str]:
    """Return the answers to calls that a request carries, in order."""
    return [message["content"] for message in body["messages"] if message["role"] == "tool"]
