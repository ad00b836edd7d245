"""An upstream server whose every byte is decided by a test."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes = field(repr=False)

    def all(self, name: str) -> list[str]:
        """Return the values of a header."""
        return [value for key, value in self.headers if key == name.lower()]

    def one(self, name: str) -> str | None:
        """Return the value of a header, None without it; it must not come twice."""
        values = self.all(name)
        assert len(values) < 2, values
        return values[0] if values else None


Answer = Callable[[Asked, socket.socket], None]
"""Writes what it likes; the connection is closed afterwards."""


def reply(head: str, body: bytes = b"") -> Answer:
    """Return an answer of a status line with headers, and a body as it is."""
    lines = "\r\n".join(line.strip() for line in head.strip().splitlines())

    def answer(_: Asked, connection: socket.socket) -> None:
        connection.sendall(f"{lines}\r\n\r\n".encode("latin-1") + body)

    return answer


def html(text: str, *headers: str) -> Answer:
    """Return an answer that is a page."""
    body = text.encode()
    lines = ["HTTP/1.1 200 OK", "Content-Type: text/html", *headers, f"Content-Length: {len(body)}"]
    return reply("\n".join(lines), body)


class RawServer:
    """Listens on a port and answers each connection's one request with the current answer."""

    def __init__(self, port: int = 0) -> None:
        """Listen on 127.0.0.1."""
        self.answer: Answer = html("<!doctype html><title>Behind</title>")
        self.manifest: Answer = reply("HTTP/1.1 404 Not Found\nContent-Length: 0")
        """Answers for `/webagents.md`."""
        self.asked: list[Asked] = []
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop at once, with all connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @property
    def pages(self) -> list[Asked]:
        """The requests, except those for the manifest, which our server looks for by itself."""
        return [asked for asked in self.asked if "webagents.md" not in asked.line]

    @property
    def last(self) -> Asked:
        """The latest of those requests."""
        return self.pages[-1]

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._open.add(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            asked = read_request(connection)
            if asked is None:
                return
            self.asked.append(asked)
            if "/webagents.md" in asked.line:
                self.manifest(asked, connection)
            else:
                self.answer(asked, connection)
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            return
        finally:
            self._open.discard(connection)
            connection.close()


def read_request(connection: socket.socket) -> Asked | None:
    """Read a request with its body, None when the connection ends before."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65_536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    line, *rest = head.decode("latin-1").split("\r\n")
    headers = [(name.lower(), value.strip()) for name, _, value in (r.partition(":") for r in rest)]
    rest = bytearray(body)
    sizes = [int(value) for name, value in headers if name == "content-length"]
    if ("transfer-encoding", "chunked") in headers:
        while not rest.endswith(b"0\r\n\r\n"):
            rest += connection.recv(65_536)
        return Asked(line, headers, _unchunked(bytes(rest)))
    while sizes and len(rest) < sizes[0]:
        rest += connection.recv(65_536)
    return Asked(line, headers, bytes(rest))


def _unchunked(data: bytes) -> bytes:
    pieces = []
    position = 0
    while True:
        end = data.index(b"\r\n", position)
        length = int(data[position:end], 16)
        if length == 0:
            return b"".join(pieces)
        pieces.append(data[end + 2 : end + 2 + length])
        position = end + 4 + length


@contextlib.contextmanager
def listening() -> Iterator[RawServer]:
    """Listen while the block runs."""
    server = RawServer()
    try:
        yield server
    finally:
        server.close()
