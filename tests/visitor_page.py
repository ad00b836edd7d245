"""A page of a visitor without a browser: it keeps to the protocol of a site's live channel.

It works on each call once, by its id; connects again when its connection is lost, after a random pause;
and writes down what it has done.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import ssl
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from webagent_site.http.visitors import SESSION_COOKIE
from webagent_site.pages.channel import PROTOCOL, REFUSED

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Knows no authorities; reading them takes long."""
Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
"""Works on a call, and returns its result."""

TOOLS = [
    {"name": "look", "description": "Look.", "input_schema": {"type": "object"}, "effect": "read"},
    {"name": "buy", "description": "Buy.", "input_schema": {"type": "object"}, "effect": "write"},
]
KEPT = 200
"""Results that a page keeps, in case one was lost on the way."""
FIRST_PAUSE_S = (0.05, 0.45)
"""The first pause before it connects again is between these while it works on a call."""
IDLE_PAUSE_S = (0.05, 3.0)
"""The same without a call."""


def good(value: Any) -> dict[str, Any]:
    """Return a result."""
    return {"ok": True, "value": value, "logs": [], "calls": [], "duration_ms": 1.0}


async def echo(call: dict[str, Any]) -> dict[str, Any]:
    """Answer with the arguments."""
    return good(call["arguments"])


class VisitorPage:
    """An open page; an asynchronous context manager."""

    def __init__(
        self,
        url: str,
        *,
        answer: Answer = echo,
        session: str | None = None,
        secret: str | None = None,
        token: str | None = None,
        headers: dict[str, str] | None = None,
        address: str | None = None,
    ) -> None:
        """Name a site.

        Args:
            url: Its origin.
            answer: Works on calls.
            session: Session of the visitor; a new one by default.
            secret: Of the tab; a new one by default.
            token: A token that the session has; by default it is asked for.
            headers: More headers of each request, such as a cookie of the site.
            address: Where the server really is, if not at the origin.
        """
        self.url = url
        self.address = address or url
        self.session = session
        self.secret = secret or secrets.token_urlsafe(24)
        self.document = secrets.token_hex(8)
        self.page_id = ""
        self.visitor = ""
        self.done: Counter[str] = Counter()
        """How often it has worked on each call, by its id."""
        self.cancelled: set[str] = set()
        self.connected = asyncio.Event()
        self.connections = 0
        self._answer = answer
        self._token = token
        self._headers = headers or {}
        self._results: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._socket: ClientConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._working: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        joined = asyncio.create_task(self.connected.wait())
        await asyncio.wait((self._task, joined), return_when=asyncio.FIRST_COMPLETED, timeout=20)
        if self._task.done():
            self._task.result()
        assert self.connected.is_set(), "the page was not taken"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leave the page."""
        self.connected.clear()
        if self._socket:
            await self._socket.close(1000)
        for task in (self._task, *self._working.values()):
            if task:
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task

    async def say(self, message: dict[str, Any]) -> None:
        """Send a message, if there is a connection."""
        if self._socket:
            with suppress(ConnectionClosed):
                await self._socket.send(json.dumps({"v": 1, **message}))

    async def drop(self) -> None:
        """Lose the connection, as by a bad network."""
        assert self._socket
        self.connected.clear()
        self._socket.transport.abort()

    async def fetch_token(self, client: httpx.AsyncClient | None = None) -> None:
        """Get a token and a session, as the page does.

        Args:
            client: Sends the request; a new one by default.
        """
        if client is None:
            async with httpx.AsyncClient(verify=PLAIN, timeout=30) as client:
                await self.fetch_token(client)
            return
        answer = await client.post(
            f"{self.address}/__webagent__/llm/token",
            headers={
                "origin": self.url,
                "host": urlsplit(self.url).netloc,
                **self._headers,
                **({"cookie": self._cookie()} if self.session else {}),
            },
        )
        answer.raise_for_status()
        self._token = answer.json()["token"]
        self.visitor = answer.json()["visitor"]
        self.session = answer.cookies.get(SESSION_COOKIE, self.session)
        # All pages of one client are different visitors.
        client.cookies.clear()

    def _cookie(self) -> str:
        own = f"{SESSION_COOKIE}={self.session}"
        return "; ".join(filter(None, (own, self._headers.get("cookie", ""))))

    async def _run(self) -> None:
        pause_s = 0.0
        while True:
            try:
                if self._token is None:
                    await self.fetch_token()
                await self._connection()
                pause_s = 0.0
            except (OSError, httpx.HTTPError, InvalidStatus, TimeoutError):
                # Nobody answers; it is tried again, later each time.
                pass
            except ConnectionClosed as closed:
                if closed.rcvd and closed.rcvd.code == REFUSED:
                    self._token = None
            self.connected.clear()
            first = FIRST_PAUSE_S if self._working else IDLE_PAUSE_S
            pause_s = random.uniform(*first) if not pause_s else min(pause_s * 1.6, 5.0)
            await asyncio.sleep(pause_s)

    async def _connection(self) -> None:
        url, address = self.url.replace("http", "ws", 1), urlsplit(self.address)
        async with connect(
            f"{url}/__webagent__/pages",
            host=address.hostname,
            port=address.port,
            origin=self.url,  # type: ignore[arg-type]
            additional_headers={**self._headers, "cookie": self._cookie()},
            subprotocols=[PROTOCOL],  # type: ignore[list-item]
            compression=None,
            max_size=8 << 20,
            ping_interval=None,
            ssl=PLAIN if url.startswith("wss") else None,
        ) as self._socket:
            self.connections += 1
            await self.say({"type": "token", "token": self._token, "secret": self.secret})
            await self.greet()
            await self.say({"type": "registry", "state": "ready", "tools": TOOLS})
            async for text in self._socket:
                self._take(json.loads(text))
        raise OSError("the connection has ended")

    async def greet(self, **changed: Any) -> None:
        """Introduce the page, or say what has changed."""
        said = {"url": f"{self.url}/", "title": "A page", "focused": True, "version": "1"}
        ids = {"page_id": "", "document_id": self.document}
        await self.say({"type": "hello", **ids, **said, **changed})

    def _take(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "joined":
                self.page_id = message["page_id"]
                self.connected.set()
            case "call":
                call_id = message["id"]
                if call_id in self._results:
                    result = {"type": "result", "id": call_id, "result": self._results[call_id]}
                    self._working[call_id] = asyncio.create_task(self.say(result))
                elif call_id not in self.done:
                    self.done[call_id] += 1
                    self._working[call_id] = asyncio.create_task(self._work(message))
            case "cancel":
                self.cancelled.add(message["id"])

    async def _work(self, call: dict[str, Any]) -> None:
        call_id = call["id"]
        result = await self._answer(call)
        self._results[call_id] = result
        if len(self._results) > KEPT:
            self._results.popitem(last=False)
        await self.say({"type": "result", "id": call_id, "result": result})
        self._working.pop(call_id, None)
