"""A plain static server, as a host of sites is one: files, and the headers that it was told to send."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

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
