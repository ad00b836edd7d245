"""A plain static server, as a host of sites is one: files or their smaller copies, and its headers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from webagent_site.http.bundle_files import SUFFIXES
from webagent_site.http.file_response import choose

Headers = Callable[[str], Mapping[str, str]]


class StaticHost:
    """Serves a folder on 127.0.0.1; use it as `with StaticHost(folder) as host:`."""

    def __init__(self, folder: Path, headers: Headers = lambda path: {}) -> None:
        """Start serving.

        Args:
            folder: What is served.
            headers: What to send with the file at a path.
        """

        class Handler(SimpleHTTPRequestHandler):
            def send_head(self) -> IO[bytes] | None:
                """Send a copy as the file that it is one of, where the browser takes it."""
                asked = Path(self.translate_path(self.path))
                if asked.is_dir():
                    asked = asked / "index.html"
                copies = {
                    coding: path
                    for coding, suffix in SUFFIXES.items()
                    if (path := asked.with_name(asked.name + suffix)).is_file()
                }
                coding = choose(self.headers.get("accept-encoding", ""), list(copies))
                if coding not in copies:
                    return super().send_head()
                self.send_response(200)
                self.send_header("content-type", self.guess_type(asked))
                self.send_header("content-encoding", coding)
                self.send_header("content-length", str(copies[coding].stat().st_size))
                self.end_headers()
                return copies[coding].open("rb")

            def end_headers(self) -> None:
                for name, value in headers(self.path).items():
                    self.send_header(name, value)
                super().end_headers()

            def log_message(self, *_: Any) -> None:
                """Stay quiet."""

        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(Handler, directory=str(folder))
        )
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def __enter__(self) -> StaticHost:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
