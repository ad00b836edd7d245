"""A page without a browser: it says what our script says, and answers calls as a test wants."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.server import Server
from tests.wire import Wire
from webagent_dev import __version__
from webagent_dev.config.owner import read_note
from webagent_dev.live import open_pages
from webagent_site.pages import relay

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Knows no authorities; reading them takes longer than most tests."""
Answer = Callable[[dict[str, Any]], Any]
"""Returns the result of a call; None for no answer at all."""


@contextmanager
def brief_absence() -> Iterator[None]:
    """Let the servers of this process wait one second, not five, for a tab that is between two pages."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (open_pages, relay):
            patched.setattr(module, "FOLLOWS_S", 1.0)
        yield


def echo(call: dict[str, Any]) -> dict[str, Any]:
    """Answer with the arguments."""
    return good(call["arguments"])


def good(value: Any) -> dict[str, Any]:
    """Return a result."""
    return {"ok": True, "value": value, "logs": [], "calls": [], "duration_ms": 1.0}


def silent(_: dict[str, Any]) -> None:
    """Answer nothing."""


def owner_token(server: Server | Wire) -> str:
    """Return the token of whoever owns the server's folder."""
    note = read_note(Path(server.root).resolve())
    assert note
    return note.owner_token


def owner(server: Server) -> httpx.AsyncClient:
    """Return a client that may use the owner's interface."""
    return httpx.AsyncClient(
        base_url=f"{server.url}/__webagent__/api/",
        verify=PLAIN,
        headers={"authorization": f"Bearer {owner_token(server)}"},
        timeout=60,
        limits=httpx.Limits(max_connections=None),
    )


class ClientPage:
    """An open page; an asynchronous context manager."""

    def __init__(
        self,
        server: Server,
        page_id: str = "tab",
        *,
        answer: Answer = echo,
        tools: tuple[str | dict[str, Any], ...] = ("search",),
        greets: bool = True,
        **hello: Any,
    ) -> None:
        """Open nothing yet.

        Args:
            server: Whose page it is.
            page_id: Of its tab.
            answer: Answers calls.
            tools: What it offers, as names or as the registry lists them.
            greets: Whether it says by itself who it is.
            hello: What else it says of itself.
        """
        self.page_id = page_id
        self.answer = answer
        self.heard: list[dict[str, Any]] = []
        self._server = server
        self._tools = tools
        self._greets = greets
        self._hello = hello
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        async with owner(self._server) as client:
            source = (await client.get(self._server.url, headers={"accept": "text/html"})).text
        live = re.search(r"/__webagent__/live\?token=[\w-]+", source)
        assert live
        address = f"ws{self._server.url.removeprefix('http')}{live[0]}"
        self.socket: ClientConnection = await connect(
            address,
            origin=self._server.url,  # type: ignore[arg-type]
            max_size=None,
            # Pings take random numbers, which property tests do not allow beside their own.
            ping_interval=None,
            proxy=None,
        )
        if self._greets:
            await self.greet()
        self._reading = asyncio.ensure_future(self._read())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._reading.cancel()
        await self.socket.close()

    async def greet(self, **changed: Any) -> None:
        """Say who it is and what it offers, and wait until the server knows."""
        await self.introduce(**changed)
        async with owner(self._server) as client, asyncio.timeout(20):
            while not any(
                page["page_id"].startswith(self.page_id) and page["tools"] == len(self._tools)
                for page in (await client.get("state")).json()["pages"]
            ):
                pass

    async def introduce(self, **changed: Any) -> None:
        """Say who it is and what it offers."""
        said = {
            "page_id": self.page_id,
            "document_id": "d",
            "url": self._server.url,
            "title": "Shop",
            "focused": False,
            "version": __version__,
        }
        await self.say("hello", **{**said, **self._hello, **changed})
        await self.offer(*self._tools)

    async def offer(self, *tools: str | dict[str, Any]) -> None:
        """Say what it offers from now on."""
        listed = [
            {"name": tool, "source": "manifest"} if isinstance(tool, str) else tool
            for tool in tools
        ]
        await self.say("registry", state="ready", tools=listed)

    async def say(self, kind: str, /, **fields: Any) -> None:
        """Send a message."""
        await self.socket.send(json.dumps({"v": 1, "type": kind, **fields}))

    async def event(self, kind: str, /, **detail: Any) -> None:
        """Send an event of `window.webagent`."""
        await self.say("event", name=kind, detail=detail)

    async def told(self, kind: str, count: int = 1) -> dict[str, Any]:
        """Wait until so many messages of a type have come; return the last of them."""
        async with asyncio.timeout(20), self._news:
            while len(found := [m for m in self.heard if m["type"] == kind]) < count:
                await self._news.wait()
        return found[count - 1]

    async def _read(self) -> None:
        async for text in self.socket:
            message = json.loads(text)
            async with self._news:
                self.heard.append(message)
                self._news.notify_all()
            if message["type"] == "call" and (result := self.answer(message)) is not None:
                await self.say("result", id=message["id"], result=result)
