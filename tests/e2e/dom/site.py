"""A small site whose pages a test writes itself."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">'


class Site:
    """One origin. Paths below `/held/` are answered only after `release`, as slow servers do."""

    def __init__(self) -> None:
        """Start serving, on a free port."""
        self.pages: dict[str, str] = {}
        self.headers: dict[str, str] = {}
        self.scripts: dict[str, str] = {}
        self.posted: list[str] = []
        self._released = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                if path.startswith("/held/"):
                    site._released.wait(10)
                script = site.scripts.get(path)
                body = (
                    script
                    if script is not None
                    else HEAD + site.pages.get(path, f"<h1>{path}</h1>")
                )
                kind = "text/html" if script is None else "text/javascript"
                self._send(body.encode(), kind)

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                site.posted.append(self.rfile.read(length).decode(errors="replace"))
                self.do_GET()

            def _send(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", f"{kind}; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                for name, value in site.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def forget(self) -> None:
        """Be as at the start again."""
        for kept in (self.pages, self.headers, self.scripts):
            kept.clear()
        self.posted.clear()
        self._released.clear()

    def release(self) -> None:
        """Answer what was held."""
        self._released.set()

    def stop(self) -> None:
        """Stop serving."""
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
