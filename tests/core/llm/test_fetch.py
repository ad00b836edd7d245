"""Requests through the page, over a bridge in Python."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys

import httpx
import pytest

from webagent.llm.errors import BadRequest, ConnectionLost, UnreadableAnswer
from webagent.llm.http import BridgeFetch, HttpxFetch, Request, ScriptedAnswer, ScriptedFetch


class Bridge:
    """The Python view of `llm/fetch_bridge.ts`."""

    def __init__(self, head: dict[str, object], *pieces: dict[str, object]) -> None:
        self.head, self.pieces = head, list(pieces)
        self.opened: list[dict[str, object]] = []
        self.closed: list[int] = []

    async def fetch_open(self, number: int, request: str) -> str:
        self.opened.append(json.loads(request))
        return json.dumps(self.head)

    async def fetch_read(self, number: int) -> str:
        if not self.pieces:
            await asyncio.Event().wait()
        return json.dumps(self.pieces.pop(0))

    def fetch_close(self, number: int) -> None:
        self.closed.append(number)


HEAD = {"ok": True, "status": 200, "headers": {"content-type": "text/plain"}}
ASKED = Request("/v1", headers={"a": "b"}, body="größe".encode())


async def test_an_answer_comes_in_pieces() -> None:
    """The text that the page receives becomes bytes."""
    bridge = Bridge(HEAD, {"ok": True, "text": "grö", "done": False},
                    {"ok": True, "text": "ße", "done": True})  # fmt: skip

    async with BridgeFetch(bridge).open(ASKED) as answer:
        body = b"".join([chunk async for chunk in answer.chunks])

    assert (answer.status, answer.headers, body.decode()) == (200, HEAD["headers"], "größe")
    assert bridge.opened == [
        {"url": "/v1", "method": "POST", "headers": {"a": "b"}, "body": "größe"}
    ]
    assert len(bridge.closed) == 1


async def test_no_connection() -> None:
    """The page reports the reason."""
    bridge = Bridge({"ok": False, "message": "Failed to fetch", "final": False})

    with pytest.raises(ConnectionLost, match="Failed to fetch"):
        async with BridgeFetch(bridge).open(ASKED):
            pass

    assert len(bridge.closed) == 1


async def test_a_request_that_cannot_be_sent_is_final() -> None:
    """A request that the page cannot send is not retried."""
    bridge = Bridge({"ok": False, "message": "this is not an address", "final": True})

    with pytest.raises(BadRequest, match="this is not an address"):
        async with BridgeFetch(bridge).open(ASKED):
            pass


@pytest.mark.parametrize("url", ["/v1", "ftp://h/v1", "http://h:port/"])
async def test_invalid_addresses_are_final(url: str) -> None:
    """Outside a page, an incomplete address is an error that is not retried."""
    async with HttpxFetch() as fetch:
        with pytest.raises(BadRequest, match="cannot be asked"):
            async with fetch.open(Request(url)):
                pass


async def test_a_compressed_answer_is_not_read() -> None:
    """It may be small, and fill the memory."""
    asked: list[bytes] = []
    bomb = gzip.compress(gzip.compress(b"0" * 1_000_000))
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip\r\ncontent-length: {len(bomb)}\r\n\r\n"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(head.encode() + bomb)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, HttpxFetch() as fetch:
        with pytest.raises(UnreadableAnswer, match="compressed its answer by `gzip, gzip`"):
            async with fetch.open(Request(f"http://127.0.0.1:{port}/v1")):
                pass

    assert b"accept-encoding: identity" in asked[0].lower()


async def test_an_answer_that_breaks_off() -> None:
    """A connection that closes while it is read is lost."""
    bridge = Bridge(HEAD, {"ok": False, "message": "network error"})

    with pytest.raises(ConnectionLost, match="ended early - network error"):
        async with BridgeFetch(bridge).open(ASKED) as answer:
            await anext(answer.chunks)

    assert len(bridge.closed) == 1


async def test_cancelling_ends_the_request() -> None:
    """Cancelling the task that reads ends the request in the page."""
    bridge = Bridge(HEAD)
    reading = asyncio.Event()

    async def read() -> None:
        async with BridgeFetch(bridge).open(ASKED) as answer:
            reading.set()
            await anext(answer.chunks)

    task = asyncio.create_task(read())
    await reading.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(bridge.closed) == 1


async def test_the_scripted_fetch() -> None:
    """It returns its answers in order, and records the requests."""
    fetch = ScriptedFetch("a", lambda request: request.url, OSError("b"),
                          ScriptedAnswer((b"c", ConnectionLost("d"))))  # fmt: skip

    for expected in (b"a", b"/v1"):
        async with fetch.open(ASKED) as answer:
            assert await anext(answer.chunks) == expected
    with pytest.raises(OSError, match="b"):
        async with fetch.open(ASKED):
            pass
    async with fetch.open(ASKED) as answer:
        with pytest.raises(ConnectionLost):
            [chunk async for chunk in answer.chunks]
    with pytest.raises(AssertionError, match="nobody expected"):
        async with fetch.open(ASKED):
            pass

    assert fetch.requests == [ASKED] * 5


def test_without_httpx_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra that brings httpx is named."""
    monkeypatch.setitem(sys.modules, "httpx", None)

    with pytest.raises(ImportError, match=r'run `pip install "webagent-core\[http\]"`'):
        HttpxFetch()


async def test_a_client_that_was_given_stays_open() -> None:
    """Its owner closes it."""
    async with httpx.AsyncClient() as client:
        async with HttpxFetch(client):
            pass

        assert not client.is_closed


async def test_redirects_are_not_followed() -> None:
    """A key must not be sent to another server, even by a client that follows redirects."""

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/v1"
        return httpx.Response(307, headers={"location": "http://elsewhere.example/"})

    transport = httpx.MockTransport(answer)
    async with (
        httpx.AsyncClient(transport=transport, follow_redirects=True) as client,
        HttpxFetch(client).open(Request("http://models.example/v1")) as given,
    ):
        assert given.status == 307
