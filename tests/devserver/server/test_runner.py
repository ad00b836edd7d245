"""The whole server over real sockets, started and stopped as a developer does."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from websockets.sync.client import connect

from tests.devserver.conftest import INDEX, MANIFEST
from tests.model_server import Loopback
from tests.server import Server, serving
from webagent_dev.config.resolve import resolve_config
from webagent_dev.server.runner import bind

STOP_LIMIT_S = 4.0
"""Well above what it takes, well below the time after which a connection would end by itself."""


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("site")
    (root / "index.html").write_bytes(INDEX)
    (root / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    (root / ".env").write_text("KEY=1", encoding="utf-8")
    (root / "film.mp4").write_bytes(os.urandom(3_000_000))
    (root.parent / "outside.txt").write_text("secret", encoding="utf-8")
    with serving(root) as server:
        yield server


def address(server: Server) -> tuple[str, int]:
    host, port = server.url.removeprefix("http://").split(":")
    return host, int(port)


def raw(server: Server, target: str, *headers: str, method: str = "GET") -> tuple[int, str]:
    """Send a request as bytes, and return the status and everything that came back."""
    host, port = address(server)
    lines = [f"{method} {target} HTTP/1.1", "Connection: close", *headers]
    if not any(line.lower().startswith("host:") for line in headers):
        lines.append(f"Host: {host}:{port}")
    with socket.create_connection((host, port), timeout=10) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    text = answer.decode("latin-1")
    match = re.match(r"HTTP/1\.1 (\d+)", text)
    return (int(match[1]) if match else 0), text


def upgrade(server: Server, target: str, *headers: str) -> tuple[int, str]:
    return raw(
        server,
        target,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *headers,
    )


def token(server: Server) -> str:
    found = re.search(r"/__webagent__/live\?token=([\w-]+)", httpx.get(server.url).text)
    assert found
    return found[1]


def test_the_terminal_shows_what_is_served_and_how_to_stop(server: Server) -> None:
    """Plain text, since nobody looks at it."""
    server.wait_for_output("1 tool")

    assert re.search(r"webagent-dev 0\.\S+  ready in \d+ ms", server.output)
    assert f"{server.root.resolve()} (watched" in server.output
    assert "Ctrl-C stops" in server.output
    assert "\x1b" not in server.output


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/index.html", 200),
        ("/nothing", 404),
        ("/.env", 403),
        ("/%2eenv", 403),
        ("/%2Eenv?raw", 403),
        ("/../outside.txt", 404),
        ("/%2e%2e/outside.txt", 404),
        ("/%252e%252e/outside.txt", 404),
        ("/..%2foutside.txt", 404),
        ("/..%5coutside.txt", 400),
        ("/.env%00.html", 400),
        ("/index.html#x", 400),
        ("//outside.txt", 400),
        ("/\\..\\outside.txt", 400),
        ("http://127.0.0.1/index.html", 400),
        ("/%ff%fe", 404),
        ("/" + "a" * 10_000, 404),
        ("/" + "a" * 60_000, 404),
        ("/" + "a/" * 5_000, 404),
        ("/proc/self/environ", 404),
    ],
)
def test_no_target_reads_past_the_root(server: Server, target: str, status: int) -> None:
    """With each of these bytes as the target."""
    answered, text = raw(server, target)

    assert answered == status
    assert "secret" not in text.split("\r\n\r\n", 1)[1]
    assert "KEY" not in text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (["Host: evil.example"], 421),
        (["Host: ["], 400),
        (["Host: a", "Host: b"], 400),
        (["Host:"], 400),
        (["Origin: http://["], 403),
        (["Origin: null"], 403),
        (["Origin: http://127.0.0.1:1"], 403),
        (["Origin: \xff\xfe"], 403),
        (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], 403),
        (["Range: bytes=--1"], 200),
        (["Range: \xff"], 200),
        (["If-None-Match: \xff"], 200),
        (["Content-Length: -1"], 400),
        (["Content-Length: 99999999999999999999"], 200),
        (["Transfer-Encoding: nonsense"], 400),
        (["X: " + "a" * 60_000], 200),
    ],
)
def test_no_header_makes_the_server_fail(server: Server, headers: list[str], status: int) -> None:
    """Malformed is refused, or passed over."""
    answered, _ = raw(server, "/index.html", *headers)

    assert answered == status


def test_a_malformed_request_is_not_reported(server: Server) -> None:
    """The terminal stays quiet, and the server goes on."""
    host, port = address(server)
    before = server.output
    for nonsense in (
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
    ):
        with socket.create_connection((host, port), timeout=5) as connection:
            connection.sendall(nonsense)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(65_536)

    assert httpx.get(server.url).status_code == 200
    assert server.output == before


def test_the_live_channel_needs_the_token_and_our_origin(server: Server) -> None:
    """Otherwise there is no connection at all."""
    good = f"/__webagent__/live?token={token(server)}"

    assert upgrade(server, good, "Host: evil.example")[0] == 421
    assert upgrade(server, good, "Origin: http://evil.example")[0] == 403
    assert upgrade(server, good, "Origin: null")[0] == 403
    assert upgrade(server, "/__webagent__/live")[0] == 403
    assert upgrade(server, "/__webagent__/live?token=wrong")[0] == 403
    assert upgrade(server, f"{good}&token=x")[0] == 403
    assert upgrade(server, "/index.html")[0] == 403
    assert "reload the page" in upgrade(server, "/__webagent__/live?token=%FF")[1]


def test_large_files_come_whole_and_in_parts(server: Server) -> None:
    """Streamed with their length."""
    data = (server.root / "film.mp4").read_bytes()
    whole = httpx.get(f"{server.url}/film.mp4")
    part = httpx.get(f"{server.url}/film.mp4", headers={"range": "bytes=1500000-2500000"})

    assert whole.content == data
    assert part.content == data[1_500_000:2_500_001]


def test_a_file_that_becomes_shorter_closes_the_connection(root: Path) -> None:
    """The client sees that something is missing; the terminal shows no error."""
    film = root / "film.mp4"
    with film.open("wb") as file:
        file.truncate(400_000_000)
    with serving(root) as server:
        host, port = address(server)
        with socket.create_connection((host, port), timeout=10) as connection:
            connection.sendall(f"GET /film.mp4 HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            received = len(connection.recv(65_536))
            film.write_bytes(b"short")
            while chunk := connection.recv(1 << 20):
                received += len(chunk)

        assert received < 400_000_000
        assert "bug" not in server.output


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_server_at_once(root: Path, number: signal.Signals) -> None:
    """Also after a save, while pages are connected and a download hangs; the exit code is that of shells."""
    with (root / "film.mp4").open("wb") as film:
        film.truncate(500_000_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "webagent_dev", "serve", str(root), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    try:
        printed = ""
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/", printed)):
            printed += process.stdout.readline()
        port = int(found[1])
        page = httpx.get(found[0]).text
        live = re.search(r"/__webagent__/live\?token=[\w-]+", page)
        assert live
        with (
            connect(f"ws://127.0.0.1:{port}{live[0]}") as websocket,
            socket.create_connection(("127.0.0.1", port), timeout=5) as download,
        ):
            (root / "style.css").write_text("p {}", encoding="utf-8")
            while "/style.css" not in str(websocket.recv(timeout=5)):
                pass
            download.sendall(f"GET /film.mp4 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            download.recv(1_000)
            started = time.perf_counter()
            process.send_signal(number)
            process.send_signal(number)
            code = process.wait(10)
            took_s = time.perf_counter() - started
        printed += process.stdout.read()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()

    assert code == (130 if number == signal.SIGINT else 0)
    assert took_s < STOP_LIMIT_S
    assert "Traceback" not in printed
    assert "Error" not in printed


def test_the_port_after_a_taken_one_is_used(root: Path) -> None:
    """The terminal says so."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with serving(root, "--port", str(port)) as server:
            used = address(server)[1]

            assert used > port
            server.wait_for_output(f"{port} is taken, {used} is used instead")


def test_a_folder_without_index_and_manifest_is_served(tmp_path: Path) -> None:
    """With the next step for what is missing."""
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    with serving(tmp_path) as server:
        server.wait_for_output("no webagents.md - .* - create one")

        assert "has no index.html" in server.output
        assert httpx.get(f"{server.url}/a.txt").text == "a"
        assert httpx.get(server.url, headers={"accept": "text/html"}).status_code == 404


def test_an_address_of_the_network_comes_with_a_token(root: Path) -> None:
    """Nobody there can read the folder without it, and `--open` has it too."""
    with serving(root, "--host", "0.0.0.0") as server:
        server.wait_for_output("anyone with such a URL and its token can read this site")
        address = server.wait_for_output(r"url\s+(\S+\?webagent-token=\S+)")[1]

        assert httpx.get(server.url).status_code == 401
        with httpx.Client(follow_redirects=True) as visitor:
            assert visitor.get(address).status_code == 200
            assert visitor.get(server.url).status_code == 200


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for the browser")
def test_open_runs_the_browser_of_the_environment(root: Path, tmp_path: Path) -> None:
    """With the address that is served."""
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "opened $1"\n', encoding="utf-8")
    browser.chmod(0o755)
    with serving(root, "--open", environment={"BROWSER": str(browser)}) as server:
        server.wait_for_output(f"opened {server.url}/\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_open_without_a_display_says_so(root: Path) -> None:
    """There may be a browser all the same."""
    environment = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": "/no/such/browser"}
    with serving(root, "--open", environment=environment) as server:
        server.wait_for_output("there is no display - open the URL yourself")


async def test_small_responses_are_sent_at_once(tmp_path: Path) -> None:
    """And do not wait for the end of what was sent before, 40 ms on Linux (Nagle's algorithm)."""
    listener = bind(resolve_config(str(tmp_path), port=0))
    set_at: asyncio.Queue[int] = asyncio.Queue()

    async def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken = writer.get_extra_info("socket")
        set_at.put_nowait(taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async with await asyncio.start_server(take, sock=listener):
        _, writer = await asyncio.open_connection(*listener.getsockname())
        at_once = await set_at.get()
        writer.close()
        await writer.wait_closed()

    assert at_once


def test_no_connection_is_left_open() -> None:
    """Neither of a client that does not read, nor of one that comes while the server ends."""

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield bytes(100_000)

    async def answer(request: Request) -> StreamingResponse:
        return StreamingResponse(endless())

    server = Loopback(Starlette(routes=[Route("/", answer)]))
    with socket.create_connection(("127.0.0.1", urlsplit(server.origin).port or 0)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(9) == b"HTTP/1.1 "
        server.stop()
        # The finalizer of an open connection reports it, which fails the test.
        gc.collect()
