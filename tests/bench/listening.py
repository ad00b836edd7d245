"""A client that hears of saves as a page does, without a browser."""

from __future__ import annotations

import contextlib
import json
import re
import time
from pathlib import Path
from types import TracebackType
from typing import cast

from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from tests.bench.running import Running
from tests.bench.sites import save

NEWS = ("css", "manifest", "reload", "update", "full-reload")
"""Types of messages, of ours and of Vite's, that report a save."""
AGAIN_S = 0.06
"""Before a save is repeated that nobody may have seen: Vite takes faster ones for one."""
SEEN_LIMIT_S = 60.0


class Listener:
    """Is connected to a server's live channel."""

    def __init__(self, server: Running) -> None:
        """Ask for the page, the stylesheet and the script, and connect as the page would."""
        self._server = server
        address, subprotocol = _channel(server)
        server.get("/main.js", accept="*/*")
        self._load()
        self._socket = connect(
            address,
            origin=Origin(server.url),
            subprotocols=subprotocol,
            proxy=None,
            compression=None,
        )

    def __enter__(self) -> Listener:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave, as a page that is closed."""
        self._socket.close()

    def hears(self, limit_s: float) -> bool:
        """Wait for news of a save and load what a page would; False if there are none in time."""
        deadline_s = time.perf_counter() + limit_s
        while (left_s := deadline_s - time.perf_counter()) > 0:
            if self._has_news(left_s):
                self._load()
                return True
        return False

    def catch_up(self) -> None:
        """Take all that has come, and load what a page would."""
        came = False
        with contextlib.suppress(TimeoutError):
            while True:
                came |= self._kind(0) in NEWS
        if came:
            self._load()

    def _has_news(self, limit_s: float) -> bool:
        with contextlib.suppress(TimeoutError):
            return self._kind(limit_s) in NEWS
        return False

    def _kind(self, limit_s: float) -> str:
        return str(json.loads(self._socket.recv(limit_s))["type"])

    def _load(self) -> None:
        self._server.get("/style.css", accept="text/css,*/*")


def seen_ms(server: Running, root: Path) -> float:
    """Return the milliseconds from the command to the first save that is seen."""
    with Listener(server) as listener:
        number = 0
        while time.perf_counter() - server.started_s < SEEN_LIMIT_S:
            number += 1
            save(root, "html", f"s{number}")
            if listener.hears(AGAIN_S):
                return (time.perf_counter() - server.started_s) * 1000
    raise SystemExit(f"bench: {server.url} has seen no save within {SEEN_LIMIT_S} s")


def _channel(server: Running) -> tuple[str, list[Subprotocol] | None]:
    """Return where the live channel of ours or of Vite is."""
    page = server.get("/")
    start = f"ws://127.0.0.1:{server.port}"
    if live := re.search(r'name="webagent-live" content="([^"]+)"', page):
        return start + cast(str, live[1]).replace("&amp;", "&"), None
    token = re.search(r'wsToken = "([^"]+)"', server.get("/@vite/client", accept="*/*"))
    if token is None:
        raise SystemExit("bench: the client of Vite names no token as it did in 8.3")
    return f"{start}/?token={token[1]}", [Subprotocol("vite-hmr")]
