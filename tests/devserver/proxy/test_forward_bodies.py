"""Bodies through the proxy: sent, streamed, large, broken off."""

from __future__ import annotations

import socket
import threading

import httpx
import pytest

from tests.devserver.proxy.conftest import connected, raw
from tests.devserver.proxy.test_forward import FIRST, PAGE
from tests.server import Server, ServerProcess
from tests.upstream import Asked, RawServer, reply


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT"])
def test_every_method_passes_with_its_body(
    client: httpx.Client, behind: RawServer, method: str
) -> None:
    """Of known and of unknown length."""
    behind.answer = reply("HTTP/1.1 201 Created\nContent-Length: 0")
    assert client.request(method, "/api", content=b"a=1").status_code == 201
    assert behind.last.line == f"{method} /api HTTP/1.1"
    assert behind.last.body == b"a=1"
    assert behind.last.one("content-length") == "3"

    client.request(method, "/api", content=iter([b"a", b"=2"]))
    assert behind.last.body == b"a=2"
    assert behind.last.one("transfer-encoding") == "chunked"


def test_a_form_that_is_sent_gives_a_page_with_the_agent(
    client: httpx.Client, behind: RawServer
) -> None:
    """Also with an error status, as frameworks answer a wrong form."""
    behind.answer = reply(
        f"HTTP/1.1 422 Wrong\nContent-Type: text/html\nContent-Length: {len(PAGE.encode())}",
        PAGE.encode(),
    )
    answer = client.post("/form", data={"a": "1"})

    assert answer.status_code == 422
    assert FIRST.search(answer.text)


def test_we_answer_expect_100_continue(front: Server, behind: RawServer) -> None:
    """The request to the upstream does not have it."""
    behind.answer = reply("HTTP/1.1 200 OK\nContent-Length: 0")
    answer = raw(
        front, "POST /up HTTP/1.1\nHost: HOST\nExpect: 100-continue\nContent-Length: 2", b"ok"
    )
    assert answer.startswith(b"HTTP/1.1 100")
    assert b"HTTP/1.1 200" in answer
    assert behind.last.one("expect") is None
    assert behind.last.body == b"ok"


def test_events_arrive_one_by_one_and_end_with_the_page(
    client: httpx.Client, behind: RawServer
) -> None:
    """Server-sent events are not buffered, and stop when the page leaves."""
    more, ended = threading.Event(), threading.Event()

    def answer(_: Asked, connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
        assert more.wait(20)
        connection.sendall(b"data: 2\n\n")
        connection.settimeout(20)
        if connection.recv(1) == b"":
            ended.set()

    behind.answer = answer
    with client.stream("GET", "/events", headers={"accept": "text/event-stream"}) as events:
        chunks = events.iter_bytes()
        assert next(chunks) == b"data: 1\n\n"
        more.set()
        assert next(chunks) == b"data: 2\n\n"
    assert ended.wait(20)


def test_a_page_that_streams_slowly_is_not_held_up(client: httpx.Client, behind: RawServer) -> None:
    """Its beginning comes, with the agent, before its end is sent."""
    seen = threading.Event()

    def answer(_: Asked, connection: socket.socket) -> None:
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><p>wait"
        )
        assert seen.wait(20)
        connection.sendall(b"<p>done")

    behind.answer = answer
    with client.stream("GET", "/slow") as page:
        chunks = page.iter_text()
        assert next(chunks).endswith("</script><p>wait")
        seen.set()
        assert "".join(chunks) == "<p>done"


def test_an_interrupted_response_is_interrupted_here(
    client: httpx.Client, behind: RawServer
) -> None:
    """The part does not pass for the whole."""
    behind.answer = reply("HTTP/1.1 200 OK\nContent-Type: text/css\nContent-Length: 9", b"body")

    with pytest.raises(httpx.RemoteProtocolError):
        client.get("/a.css")


def test_chunks_override_a_length(client: httpx.Client, behind: RawServer) -> None:
    """For any length (RFC 9112, 6.3)."""
    for length in (1, 900):
        behind.answer = reply(
            "HTTP/1.1 200 OK\nContent-Type: text/css\nTransfer-Encoding: chunked\n"
            f"Content-Length: {length}",
            b"4\r\nbody\r\n0\r\n\r\n",
        )
        assert client.get("/a.css").text == "body"


def test_large_bodies_pass_in_constant_memory(
    front_process: ServerProcess, behind: RawServer
) -> None:
    """In both directions; neither is ever held as a whole."""
    piece, pieces = b"x" * (1 << 20), 150

    def give(_: Asked, connection: socket.socket) -> None:
        size = len(piece) * pieces
        head = f"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: {size}\r\n\r\n"
        connection.sendall(head.encode())
        for _ in range(pieces):
            connection.sendall(piece)

    with httpx.Client(base_url=front_process.url, headers={"accept": "text/html,*/*"}) as client:
        client.get("/")
        before = front_process.peak_bytes()
        behind.answer = give
        with client.stream("GET", "/a.mp4") as answer:
            assert sum(map(len, answer.iter_raw())) == len(piece) * pieces

        behind.answer = reply("HTTP/1.1 200 OK\nContent-Length: 0")
        for size in (len(piece) * 100, None):
            headers = {"content-length": str(size)} if size else {}
            content = (piece for _ in range(100))
            assert client.post("/up", content=content, headers=headers).status_code == 200
            assert len(behind.asked.pop().body) == 100 * len(piece)

    assert front_process.peak_bytes() - before < 24 << 20


def test_a_page_that_leaves_ends_its_request_upstream(front: Server, behind: RawServer) -> None:
    """Even while it waits for a response."""
    began, ended = threading.Event(), threading.Event()

    def answer(_: Asked, connection: socket.socket) -> None:
        began.set()
        connection.settimeout(20)
        if connection.recv(1) == b"":
            ended.set()

    behind.answer = answer
    with connected(front) as connection:
        host = front.url.partition("://")[2]
        connection.sendall(f"GET /long HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert began.wait(20)
    assert ended.wait(20)
