"""Answers made of files: whole or a range, unchanged or not, always of one consistent version.

A file can be saved while it is sent. Small files are read in one go, so that length, ETag and bytes
belong together; large ones are streamed to exactly the length that was promised, or cut.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import BinaryIO

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

SMALL_BYTES = 1 << 20
CHUNK_BYTES = 1 << 18
NO_CACHE = "no-cache"
"""Keep a copy, but ask before every use."""

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK")
)


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds: all of its bytes, or its first ones and the open file."""

    start: bytes
    size: int
    etag: str
    modified_s: float
    """Seconds since the epoch."""
    rest: BinaryIO | None = None
    """The open file when `start` is not all; whoever gets it closes it."""

    @classmethod
    def of(cls, body: bytes, modified_s: float) -> Content:
        """Return content that was made in memory."""
        digest = hashlib.blake2b(body, digest_size=16).hexdigest()
        return cls(body, len(body), f'"{digest}"', modified_s)

    @classmethod
    def read(cls, path: Path, *, whole: bool = False) -> Content:
        """Read a regular file; a large one stays open, unless the whole of it is wanted.

        Raises:
            OSError: It cannot be opened, or is no regular file any more.
        """
        file = open(path, "rb", opener=lambda name, _: os.open(name, _FLAGS))  # noqa: SIM115
        try:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise IsADirectoryError(f"{path} is no regular file")
            start = file.read(-1 if whole else SMALL_BYTES + 1)
            if whole or len(start) <= SMALL_BYTES:
                file.close()
                return cls.of(start, status.st_mtime)
        except BaseException:
            file.close()
            raise
        etag = f'"{status.st_mtime_ns:x}-{status.st_size:x}-{status.st_ino:x}"'
        return cls(start, status.st_size, etag, status.st_mtime, file)

    def close(self) -> None:
        """Give the open file back, if there is one; what is sent closes it by itself."""
        if self.rest is not None:
            self.rest.close()


def respond(
    request: Request, content: Content, headers: Mapping[str, str], *, status: int = 200
) -> Response:
    """Return the answer to a GET or HEAD: 200, 206, 304 or 416; another status is kept."""
    headers = {
        **headers,
        "etag": content.etag,
        "last-modified": formatdate(content.modified_s, usegmt=True),
        "accept-ranges": "bytes",
    }
    if status == 200 and _matches(request.headers.get("if-none-match"), content.etag):
        content.close()
        kept = ("cache-control", "etag", "vary")
        return Response(
            status_code=304, headers={name: headers[name] for name in kept if name in headers}
        )
    first, last = 0, content.size
    wanted = _RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    current = request.headers.get("if-range", content.etag) == content.etag
    # Several ranges, or one that makes no sense, are answered with the whole (RFC 9110, 14.2).
    if status == 200 and current and wanted and (wanted[1] or wanted[2]):
        if wanted[1]:
            first = int(wanted[1])
            last = min(int(wanted[2]) + 1, content.size) if wanted[2] else content.size
        else:
            first = max(content.size - int(wanted[2]), 0)
        if wanted[1] and wanted[2] and int(wanted[2]) < int(wanted[1]):
            first, last = 0, content.size
        elif first >= content.size:
            content.close()
            return PlainTextResponse(
                f"the file has {content.size} bytes - nothing lies in the range asked for\n",
                status_code=416,
                headers={"content-range": f"bytes */{content.size}", "cache-control": NO_CACHE},
            )
        else:
            status = 206
            headers["content-range"] = f"bytes {first}-{last - 1}/{content.size}"
    if content.rest is None:
        return Response(content.start[first:last], status, headers)
    return _Stream(content.rest, first, last, status, headers)


def _matches(if_none_match: str | None, etag: str) -> bool:
    if if_none_match is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return etag in tags or tags == ["*"]


class _Stream(Response):
    """Sends a part of an open file in chunks and closes it."""

    def __init__(
        self, file: BinaryIO, first: int, last: int, status: int, headers: Mapping[str, str]
    ) -> None:
        self._file = file
        self._first = first
        self._left = last - first
        self.status_code = status
        self.background = None
        self.init_headers({**headers, "content-length": str(self._left)})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status_code,
                    "headers": self.raw_headers,
                }
            )
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
                return
            self._file.seek(self._first)
            while self._left > 0:
                chunk = await run_sync(self._file.read, min(CHUNK_BYTES, self._left))
                if not chunk:
                    # The file became shorter: the connection is cut, so that nobody takes the
                    # part for the whole.
                    return
                self._left -= len(chunk)
                await send(
                    {"type": "http.response.body", "body": chunk, "more_body": self._left > 0}
                )
        finally:
            self._file.close()
