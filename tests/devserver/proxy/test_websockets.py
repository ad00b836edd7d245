"""WebSockets through the proxy, with a real upstream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from tests.server import HostedServer, Server


class Echo:
    """Returns each message, and remembers its clients."""

    def __init__(self) -> None:
        self.came: list[Request] = []
        self.closed: list[tuple[int | None, str | None]] = []
        self.left = asyncio.Event()

    async def talk(self, connection: ServerConnection) -> None:
        assert connection.request
        self.came.append(connection.request)
        try:
            async for message in connection:
                if message == "bye":
                    await connection.close(4321, "so long")
                await connection.send(message)
        except ConnectionClosed:
            pass
        self.closed.append((connection.close_code, connection.close_reason))
        self.left.set()

    def judge(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.path.startswith("/refused"):
            return connection.respond(403, "not you")
        if request.path.startswith("/elsewhere"):
            response = connection.respond(302, "")
            response.headers["Location"] = "http://192.0.2.1/"
            return response
        return None


@pytest_asyncio.fixture(name="echo")
async def _echo() -> AsyncIterator[Echo]:
    yield Echo()


@pytest_asyncio.fixture(name="front")
async def _front(echo: Echo, tmp_path: Path) -> AsyncIterator[Server]:
    """One server in front of the other; starting blocks, so it happens in a thread."""
    async with serve(
        echo.talk,
        "127.0.0.1",
        0,
        process_request=echo.judge,
        subprotocols=[Subprotocol("vite-hmr"), Subprotocol("b")],
        max_size=None,
    ) as behind:
        port = next(iter(behind.sockets)).getsockname()[1]
        options = ("--proxy", f"http://127.0.0.1:{port}")
        server = await asyncio.to_thread(HostedServer, tmp_path, *options)
        yield server
        await asyncio.to_thread(server.stop)


def to(front: Server, path: str, **options: object) -> connect:
    address = front.url.replace("http", "ws", 1) + path
    options.setdefault("subprotocols", [Subprotocol("vite-hmr")])
    return connect(address, origin=front.url, proxy=None, **options)  # type: ignore[arg-type]


async def test_messages_pass_in_both_directions(front: Server, echo: Echo) -> None:
    """Texts, bytes and empty messages, with the subprotocol, the path and the cookies."""
    async with to(
        front,
        "/hmr%2Fx?token=a%20b",
        subprotocols=[Subprotocol("b"), Subprotocol("vite-hmr")],
        additional_headers={"Cookie": "a=1", "Authorization": "Bearer x"},
    ) as page:
        for message in ("ä", "", b"\0\xff", b"", "x" * 1_000_000):
            await page.send(message)
            assert await page.recv() == message
        assert page.subprotocol == "vite-hmr"
    request = echo.came[0]
    assert request.path == "/hmr%2Fx?token=a%20b"
    assert request.headers["Cookie"] == "a=1"
    assert request.headers["Authorization"] == "Bearer x"
    assert request.headers["Origin"] == front.url
    assert request.headers["Host"] == front.url.partition("://")[2]
    assert request.headers["X-Forwarded-Host"] == front.url.partition("://")[2]
    assert len(request.headers.get_all("Sec-WebSocket-Key")) == 1


async def test_each_side_gets_the_close_of_the_other(front: Server, echo: Echo) -> None:
    """Code and reason."""
    page: ClientConnection
    async with to(front, "/") as page:
        await page.send("bye")
        with pytest.raises(ConnectionClosed):
            await page.recv()
    assert (page.close_code, page.close_reason) == (4321, "so long")

    echo.left.clear()
    async with to(front, "/") as page:
        await page.close(3999, "tired")
    await asyncio.wait_for(echo.left.wait(), 20)
    assert echo.closed[-1] == (3999, "tired")


@pytest.mark.parametrize(("path", "status"), [("/refused", 403), ("/elsewhere", 302)])
async def test_a_refusal_reaches_the_page(front: Server, path: str, status: int) -> None:
    """A redirect is not followed: there is only one upstream."""
    with pytest.raises(InvalidStatus) as refused:
        async with to(front, path):
            pass
    assert refused.value.response.status_code == status


async def test_pages_of_other_sites_get_no_socket(front: Server, echo: Echo) -> None:
    """The same rules as for everything else; the upstream does not see it."""
    address = front.url.replace("http", "ws", 1) + "/"
    for origin in ("http://evil.example", "null", "http://localhost:1"):
        with pytest.raises(InvalidStatus) as refused:
            async with connect(address, origin=origin, proxy=None):  # type: ignore[arg-type]
                pass
        assert refused.value.response.status_code == 403
    assert echo.came == []


async def test_our_own_channel_stays_ours(front: Server, echo: Echo) -> None:
    """Without the token it is refused here, and never passed on."""
    with pytest.raises(InvalidStatus) as refused:
        async with to(front, "/__webagent__/live?token=no"):
            pass
    assert refused.value.response.status_code == 403
    assert echo.came == []


async def test_a_socket_to_a_server_that_is_down_is_refused_with_the_reason(
    tmp_path: Path,
) -> None:
    """The page's own script tries again."""
    async with serve(lambda _: asyncio.sleep(0), "127.0.0.1", 0) as gone:
        port = next(iter(gone.sockets)).getsockname()[1]
    server = await asyncio.to_thread(HostedServer, tmp_path, "--proxy", f"http://127.0.0.1:{port}")
    with pytest.raises(InvalidStatus) as refused:
        async with to(server, "/"):
            pass
    assert refused.value.response.status_code == 502
    async with httpx.AsyncClient(base_url=server.url) as client:
        assert (await client.get("/a.js")).status_code == 502
    await asyncio.to_thread(server.stop)
