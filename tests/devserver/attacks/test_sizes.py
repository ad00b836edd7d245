"""Too long, too deep, too slow."""

from __future__ import annotations

import json
import re
import socket
import time
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.devserver.attacks.conftest import page_token, send, status
from tests.server import Server, ServerProcess
from webagent_dev.server import protocols

MEGABYTE = b"x" * (1 << 20)


def channel(server: Server) -> ClientConnection:
    address = f"ws{server.url[4:]}/__webagent__/live?token={page_token(server)}"
    return connect(address, origin=server.url, proxy=None)  # type: ignore[arg-type]


def test_a_long_body_is_not_collected(server_process: ServerProcess) -> None:
    """Row 11: 30 MB to a control path. It is refused, and memory does not grow."""
    before = server_process.peak_bytes()
    for path in ("/__webagent__/llm/v1/chat/completions", "/__webagent__/webagent.js"):
        headers = {
            "x-webagent-token": page_token(server_process),
            "content-type": "application/json",
            "content-length": str(30 << 20),
        }
        try:
            answer = httpx.post(
                server_process.url + path, content=(MEGABYTE for _ in range(30)), headers=headers
            )
        except httpx.TransportError:
            continue
        assert answer.status_code in (404, 405, 413, 501)
    assert server_process.peak_bytes() - before < 16 << 20


@pytest.mark.parametrize(
    "message",
    [
        "[" * 60_000,
        '{"a":' * 10_000,
        json.dumps({"v": 1, "type": "hello", "page_id": "\ud800"}),
        '{"v": 1e999, "type": "hello"}',
        '{"v": 1, "type": ["hello"]}',
        '{"v": 1, "type": "drift", "path": "/", "findings": [' + "{}," * 20_000 + "{}]}",
        '{"v": 1, "type": "error", "phase": "\\u001b]0;x\\u0007", "message": "\\u202e"}',
        "\0",
        "",
    ],
    ids=lambda message: message[:20],
)
def test_no_message_of_a_page_makes_it_fail(server: Server, message: str) -> None:
    """Row 11: depth, lone surrogates, numbers without end, text that steers terminals."""
    with channel(server) as page:
        assert json.loads(page.recv(20))["type"] == "hello"
        page.send(message)
        page.ping().wait(20)
    assert "\x1b" not in server.output
    assert "Traceback" not in server.output


def test_a_message_that_is_too_long_is_ignored(server: Server) -> None:
    """Row 11: pages of ours send less than 64 KiB."""
    with channel(server) as page:
        page.recv(20)
        try:
            page.send("x" * (20 << 20))
            page.ping().wait(20)
        except ConnectionClosed as closed:
            assert closed.rcvd is None or closed.rcvd.code == 1009  # noqa: PT017
    with channel(server) as page:
        assert page.recv(20)


@pytest.mark.parametrize(
    "request_head",
    [
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n" + b"X: a\r\n" * 20_000 + b"\r\n",
        b"\0" * 1_000,
        b"GET / HTTP/9.9\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
    ids=["target", "header", "headers", "nothing", "version", "tls"],
)
def test_odd_heads_do_no_harm(server_process: ServerProcess, request_head: bytes) -> None:
    """Row 11: without end, or without sense. They are refused, or are requests like others."""
    if request_head.startswith(b"\x16"):
        request_head += b"\r\n\r\n"
    before = server_process.peak_bytes()

    assert status(send(server_process, request_head)) in (0, 200, 400, 404, 431)
    assert server_process.peak_bytes() - before < 16 << 20


@pytest.mark.conformance
def test_an_endless_head_is_disconnected(server: Server) -> None:
    """Row 11: slowloris. Other clients are answered meanwhile."""
    parts = urlsplit(server.url)
    assert parts.hostname
    slow = []
    begun = time.monotonic()
    for start in (b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nX-A: "):
        connection = socket.create_connection((parts.hostname, parts.port or 80), timeout=60)
        connection.sendall(start)
        slow.append(connection)
    assert httpx.get(server.url, headers={"accept": "text/html"}).status_code == 200
    for connection in slow:
        assert re.fullmatch(rb"|HTTP/1\.1 4\d\d .*", connection.recv(10_000), re.DOTALL)
        connection.close()
    assert time.monotonic() - begun > protocols.HEADERS_S / 2


@pytest.mark.parametrize(
    ("method", "target"),
    [("POST", "/x"), ("GET", "/"), ("POST", "/__webagent__/api/state"), ("GET", "/\\")],
)
def test_a_length_next_to_chunks_ends_the_connection(
    server: Server, method: str, target: str
) -> None:
    """Row 9: a proxy before us may have read another end of the request than we did."""
    hidden = b"GET /webagents.md HTTP/1.1\r\nHost: HOST\r\n\r\n"
    answer = send(
        server,
        f"{method} {target} HTTP/1.1\r\nHost: HOST\r\nContent-Length: {5 + len(hidden)}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode()
        + hidden,
    )

    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"\r\nconnection: close\r\n" in answer.lower()
