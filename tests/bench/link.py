"""A host of static files behind a line of a given speed, as small copies where there are some."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from urllib.parse import unquote, urlsplit

SUFFIXES = {"zstd": ".zst", "br": ".br", "gzip": ".gz"}
"""Of the copies of a file, by their encoding."""
TYPES = {".wasm": "application/wasm", ".mjs": "text/javascript", ".js": "text/javascript"}
FOR_EVER = "public, max-age=31536000, immutable"
CHUNK_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Line:
    """The connection between the host and the browser."""

    mbit_per_s: float | None = None
    """All connections share it; None for a line without a limit."""
    delay_ms: float = 0.0
    """From each request to the first byte of its answer."""


class Host:
    """Serves a folder on 127.0.0.1; use it as `with Host(folder) as host:`."""

    def __init__(self, folder: Path, *, changing: re.Pattern[str]) -> None:
        """Start serving.

        Args:
            folder: What is served.
            changing: Which paths browsers have to ask for each time; they keep all others for ever.
        """
        self.line = Line()
        self._folder = folder
        self._changing = changing
        self._free_s = 0.0
        self._sent: list[tuple[float, int]] = []
        self._answers: dict[tuple[str, str], tuple[bytes, bytes, str]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        serving = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(serving, self._loop).result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def __enter__(self) -> Host:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def forget(self) -> None:
        """Count from here."""
        self._sent = []

    def sent_bytes(self, until_s: float) -> int:
        """Return how much was sent since `forget` and before a time of the clock of `time.time`."""
        return sum(size for at_s, size in self._sent if at_s <= until_s)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(request.decode("latin-1"), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # The browser has closed it.
        finally:
            writer.close()

    async def _answer(self, request: str, writer: asyncio.StreamWriter) -> None:
        method, target, _ = request.split(" ", 2)
        fields = dict(re.findall(r"^([\w-]+): *(.*?)\r$", request.lower(), re.M))
        head, body, tag = self._found(unquote(urlsplit(target).path), fields)
        if fields.get("if-none-match") == tag.lower():
            head, body = head.replace(b"200 OK", b"304 Not Modified", 1), b""
        if self.line.delay_ms:
            await asyncio.sleep(self.line.delay_ms / 1000)
        await self._send(head, writer)
        for chunk in _chunks(b"" if method == "HEAD" else body):
            await self._send(chunk, writer)

    async def _send(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        if self.line.mbit_per_s is not None:
            now_s = time.monotonic()
            self._free_s = max(now_s, self._free_s) + len(data) * 8 / self.line.mbit_per_s / 1e6
            await asyncio.sleep(self._free_s - now_s)
        writer.write(data)
        await writer.drain()
        self._sent.append((time.time(), len(data)))

    def _found(self, path: str, fields: dict[str, str]) -> tuple[bytes, bytes, str]:
        """Return the head, the body and the entity tag of an answer."""
        accepted = fields.get("accept-encoding", "")
        if (path, accepted) not in self._answers:
            self._answers[path, accepted] = self._read(path, accepted)
        return self._answers[path, accepted]

    def _read(self, path: str, accepted: str) -> tuple[bytes, bytes, str]:
        file = self._folder / path.lstrip("/")
        if not file.is_file():
            return b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", b"", ""
        copies = {
            encoding: copy
            for encoding, suffix in SUFFIXES.items()
            if encoding in accepted and (copy := Path(f"{file}{suffix}")).is_file()
        }
        encoding = min(copies, key=lambda name: copies[name].stat().st_size, default="")
        body = copies.get(encoding, file).read_bytes()
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        kind = TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0]
        lines = [
            "HTTP/1.1 200 OK",
            f"content-type: {kind or 'application/octet-stream'}",
            f"content-length: {len(body)}",
            f"cache-control: {'no-cache' if self._changing.search(path) else FOR_EVER}",
            f"etag: {tag}",
            "vary: accept-encoding",
            *([f"content-encoding: {encoding}"] if encoding else []),
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode(), body, tag


def _chunks(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), CHUNK_BYTES):
        yield body[start : start + CHUNK_BYTES]
