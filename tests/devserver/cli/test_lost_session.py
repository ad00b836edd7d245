"""The bridge of `webagent-dev mcp`, whose server forgets its session or is away for a while."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from webagent_dev.cli import stdio_bridge
from webagent_dev.cli.stdio_bridge import Bridge
from webagent_dev.config.credentials import proof_of
from webagent_dev.config.owner import Note

TOKEN = "secret"
NOTE = Note(url="http://server.test:80/", owner_token=TOKEN)
CHANGED = "notifications/tools/list_changed"


class FakeServer:
    """A server with one session, in place of the connections of the bridge."""

    def __init__(self) -> None:
        self.session = "first"
        self.is_away = False
        """Whether it does not respond to `initialize`."""
        self.may_begin = asyncio.Event()
        """Set when a response to `initialize` is sent."""
        self.may_begin.set()
        self.begins = asyncio.Event()
        """Set when `initialize` has come."""
        self.listens = asyncio.Event()
        """Set when the bridge has asked for the messages that the server sends by itself."""

    def restart(self) -> None:
        """Forget the session."""
        self.session = "second"
        self.begins.clear()
        self.listens.clear()

    async def respond(self, request: httpx.Request) -> httpx.Response:
        """Return the response to a request for a proof, for a stream or with a message."""
        if nonce := request.url.params.get("nonce"):
            return httpx.Response(200, json={"proof": proof_of(TOKEN, nonce, 80)})
        message = json.loads(request.content or b"{}")
        response = {"jsonrpc": "2.0", "id": message.get("id"), "result": {}}
        if message.get("method") == "initialize":
            self.begins.set()
            await self.may_begin.wait()
            if self.is_away:
                raise httpx.ConnectError("away")
            return httpx.Response(200, json=response, headers={"mcp-session-id": self.session})
        session = request.headers.get("mcp-session-id")
        if session != self.session:
            text = f"session {session}"
            response = {"jsonrpc": "2.0", "id": message.get("id"), "error": {"message": text}}
            return httpx.Response(404 if session else 400, json=response)
        if request.method == "GET":
            self.listens.set()
            return httpx.Response(405)
        return httpx.Response(200, json=response) if "id" in message else httpx.Response(202)


class FakeClient:
    """A client that has begun a session over a bridge."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._written: asyncio.Queue[Any] = asyncio.Queue()
        bridge = Bridge(lambda: NOTE, lambda line: self._written.put_nowait(json.loads(line)))
        self._task = asyncio.create_task(bridge.run(self._read()))

    async def begin(self) -> None:
        """Begin the session."""
        self.send("initialize")
        await self.receive()
        self.send("notifications/initialized")

    def send(self, method: str) -> None:
        """Send a request, or a notification."""
        number = {} if method.startswith("notifications/") else {"id": 1}
        self._lines.put_nowait(json.dumps({"jsonrpc": "2.0", "method": method} | number))

    async def receive(self) -> Any:
        """Return the next message."""
        return await asyncio.wait_for(self._written.get(), 10)

    async def leave(self) -> None:
        """End the bridge."""
        self._task.cancel()
        await asyncio.wait((self._task,))

    async def _read(self) -> AsyncIterator[str]:
        while True:
            yield await self._lines.get()


@pytest.fixture(name="server")
def _server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    server = FakeServer()

    async def respond(_: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        return await server.respond(request)

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", respond)
    return server


@pytest.fixture(name="client")
async def _client(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeClient]:
    """A client whose bridge listens again at once after the first time, but not while a call is made."""
    monkeypatch.setattr(stdio_bridge, "AGAIN_S", 0.1)
    client = FakeClient()
    await client.begin()
    await asyncio.wait_for(server.listens.wait(), 10)
    yield client
    await client.leave()


async def test_a_session_is_renewed_by_a_later_call_if_the_server_was_away(
    client: FakeClient, server: FakeServer
) -> None:
    """The call in between gets the server's error."""
    server.restart()
    server.is_away = True
    client.send("tools/list")
    assert (await client.receive())["error"]["message"] == "session first"

    server.is_away = False
    client.send("tools/list")
    messages = [await client.receive(), await client.receive()]
    assert messages == [
        {"jsonrpc": "2.0", "method": CHANGED},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ]


async def test_calls_during_a_renewal_wait_for_the_session(
    client: FakeClient, server: FakeServer
) -> None:
    """The server refuses messages without a session."""
    server.restart()
    server.may_begin.clear()
    client.send("tools/list")
    await asyncio.wait_for(server.begins.wait(), 10)
    client.send("tools/list")
    await asyncio.sleep(0.05)
    server.may_begin.set()

    assert (await client.receive())["method"] == CHANGED
    assert [(await client.receive()).get("result") for _ in range(2)] == [{}, {}]


async def test_the_bridge_still_listens_after_a_renewal(
    client: FakeClient, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it was about to listen while a call renewed the session."""
    monkeypatch.setattr(stdio_bridge, "AGAIN_S", 0.01)
    server.restart()
    server.may_begin.clear()
    client.send("tools/list")
    await asyncio.wait_for(server.begins.wait(), 10)
    await asyncio.sleep(0.2)
    server.may_begin.set()

    await asyncio.wait_for(server.listens.wait(), 10)
