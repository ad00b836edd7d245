"""One `webagent-dev serve --proxy` in front of a server whose bytes each test decides."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.server import Server, ServerProcess, hosting, serving
from tests.upstream import RawServer, html, listening


@pytest.fixture(name="behind", scope="module")
def _reverse_proxy() -> Iterator[RawServer]:
    with listening() as server:
        yield server


@pytest.fixture(name="front", scope="module")
def _front(behind: RawServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with hosting(tmp_path_factory.mktemp("front"), "--proxy", behind.url) as server:
        yield server


@pytest.fixture(name="front_process")
def _front_process(behind: RawServer, tmp_path: Path) -> Iterator[ServerProcess]:
    """For what is about memory, which a process has for itself."""
    behind.answer = html("<!doctype html><title>Behind</title>")
    behind.asked.clear()
    with serving(tmp_path, "--proxy", behind.url) as server:
        yield server


@pytest.fixture(name="client")
def _client(front: Server, behind: RawServer) -> Iterator[httpx.Client]:
    """A client that sends the headers of a browser that opens a page."""
    behind.answer = html("<!doctype html><title>Behind</title>")
    behind.asked.clear()
    with httpx.Client(base_url=front.url, headers={"accept": "text/html,*/*"}) as client:
        yield client


def connected(front: Server) -> socket.socket:
    """Return a connection to the server in front."""
    parts = urlsplit(front.url)
    assert parts.hostname
    assert parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def raw(front: Server, request: str, body: bytes = b"") -> bytes:
    """Send one request as it is and return all that comes back."""
    with connected(front) as connection:
        head = request.replace("\n", "\r\n").replace("HOST", urlsplit(front.url).netloc)
        connection.sendall(f"{head}\r\nConnection: close\r\n\r\n".encode() + body)
        answer = b""
        while chunk := connection.recv(65_536):
            answer += chunk
        return answer
