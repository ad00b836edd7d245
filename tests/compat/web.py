"""Small web sites on 127.0.0.1, for what is discovered over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

META = '<meta name="webagents-md" content="{}">'
MARKDOWN = "# Shop\n\n## search\nFind.\n\n### Params\n- `q` (string, required): What.\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a site to a request."""

    body: str = ""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def manifest(body: str = MARKDOWN) -> Answer:
    """Return an answer that is a manifest."""
    return Answer(body, "text/markdown; charset=utf-8")


class Web:
    """Two origins; a site has the first, the second is somebody else's."""

    def __init__(self, ports: tuple[int, int], routes: dict[tuple[int, str], Answer]) -> None:
        self.origin, self.other = (f"http://127.0.0.1:{port}" for port in ports)
        self.asked: list[str] = []
        """The address of each request, in order."""
        self._ports = ports
        self._routes = routes

    def site(self, pages: dict[str, str | Answer], *, other: bool = False) -> str:
        """Let one origin serve these pages and no others, and return the origin."""
        port = self._ports[other]
        for key in [key for key in self._routes if key[0] == port]:
            del self._routes[key]
        for path, page in pages.items():
            self._routes[port, path] = Answer(page) if isinstance(page, str) else page
        return self.other if other else self.origin


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Let a client hang up when it has read enough."""


@contextmanager
def web() -> Iterator[Web]:
    """Serve while the block runs."""
    routes: dict[tuple[int, str], Answer] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            port = self.server.server_address[1]
            sites.asked.append(f"http://127.0.0.1:{port}{self.path}")
            answer = routes.get((port, self.path), Answer("not found", status=404))
            body = answer.body.encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(body)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: object = None, size: object = None) -> None:
            """Say nothing; the checks say what matters."""

    servers = [_Server(("127.0.0.1", 0), Handler) for _ in range(2)]
    sites = Web((servers[0].server_port, servers[1].server_port), routes)
    threads = [threading.Thread(target=server.serve_forever, args=(0.02,)) for server in servers]
    for thread in threads:
        thread.start()
    try:
        yield sites
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            server.server_close()
            thread.join()
