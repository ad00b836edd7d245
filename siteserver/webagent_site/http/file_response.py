"""Responses with files: ranges, ETags and content codings, always of one version of a file.

A file can be saved while it is sent. Small files are read in one go, so that length, ETag and bytes
belong together. Large files are streamed up to the length that was announced, or the connection is
closed.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping, Sequence
from email.utils import formatdate
from pathlib import Path
from typing import NamedTuple, Protocol

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

# Starlette's FileResponse has ranges, but it neither compares `If-None-Match` (304) nor sends content
# that was made in memory (pages with our tags). It reads the status and the bytes of a path in two
# steps, between which a save changes the file under its ETag, and it refuses malformed ranges, which
# servers ignore by RFC 9110.

SMALL_BYTES = 1 << 20
"""Up to this size a file is read in one go."""

CHUNK_BYTES = 1 << 18
"""How much of a large file is read at a time."""

NO_CACHE = "no-cache"
"""The value of `cache-control` for a copy that is checked before every use."""

_LAST_S = 253_402_300_799.0
"""The end of the year 9999, the last that a date of HTTP can have; files may have later ones."""

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")

_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK")
)


class SeekableFile(Protocol):
    """An open file, as far as responses use it."""

    def seek(self, offset: int, /) -> object:
        """Go to an offset from the start."""

    def read(self, most: int, /) -> bytes:
        """Return the next bytes, none at the end."""

    def close(self) -> None:
        """Close it."""


class _FileWithInsertion:
    """An open file that seems to have more bytes at one place."""

    def __init__(self, file: SeekableFile, place: int, inserted: bytes) -> None:
        self._file = file
        self._place = place
        self._inserted = inserted
        self._at = 0
        self.close = file.close

    def seek(self, offset: int, /) -> None:
        self._at = offset
        is_before = offset < self._place
        self._file.seek(offset if is_before else max(offset - len(self._inserted), self._place))

    def read(self, most: int, /) -> bytes:
        past = self._at - self._place
        if past < 0:
            data = self._file.read(min(most, -past))
        elif past < len(self._inserted):
            data = self._inserted[past : past + most]
        else:
            data = self._file.read(most)
        self._at += len(data)
        return data


class Content(NamedTuple):
    """The content of a file: all of its bytes, or the first ones and the open file."""

    start: bytes
    size: int
    etag: str
    modified_s: float
    """Seconds since the epoch."""
    rest: SeekableFile | None = None
    """The open file if `start` is not all of it; `close` closes it."""

    @classmethod
    def of(cls, body: bytes, modified_s: float) -> Content:
        """Return content that was made in memory."""
        digest = hashlib.blake2b(body, digest_size=16).hexdigest()
        return cls(body, len(body), f'"{digest}"', modified_s)

    @classmethod
    def read(cls, path: Path) -> Content:
        """Read a regular file; a large one stays open.

        Raises:
            OSError: It cannot be opened, or is not a regular file any more.
        """
        file = open(path, "rb", opener=lambda name, _: os.open(name, _FLAGS))  # noqa: SIM115
        try:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise IsADirectoryError(f"{path} is not a regular file")
            start = file.read(SMALL_BYTES + 1)
            if len(start) <= SMALL_BYTES:
                file.close()
                return cls.of(start, status.st_mtime)
        except BaseException:
            file.close()
            raise
        etag = f'"{status.st_mtime_ns:x}-{status.st_size:x}-{status.st_ino:x}"'
        return cls(start, status.st_size, etag, status.st_mtime, file)

    def with_insertion(self, place: int, inserted: bytes) -> Content:
        """Return the content with bytes in between; a large file is not read for that."""
        if self.rest is None:
            body = self.start[:place] + inserted + self.start[place:]
            return Content.of(body, self.modified_s)
        digest = hashlib.blake2b(inserted, digest_size=8).hexdigest()
        file = _FileWithInsertion(self.rest, place, inserted)
        size = self.size + len(inserted)
        return Content(self.start, size, f'{self.etag[:-1]}-{digest}"', self.modified_s, file)

    def close(self) -> None:
        """Close the open file, if there is one; a response closes it after sending it."""
        if self.rest is not None:
            self.rest.close()


def respond(
    request: Request, content: Content, headers: Mapping[str, str], *, status: int = 200
) -> Response:
    """Return the response to a GET or HEAD with status 200, 206, 304 or 416.

    A status other than 200 is kept, and neither ranges nor ETags count then.
    """
    headers = {
        **headers,
        "etag": content.etag,
        "last-modified": formatdate(min(max(content.modified_s, 0.0), _LAST_S), usegmt=True),
        "accept-ranges": "bytes",
    }
    if status == 200 and _matches(request.headers.get("if-none-match"), content.etag):
        content.close()
        sent = ("cache-control", "etag", "vary")
        return Response(
            status_code=304, headers={name: headers[name] for name in sent if name in headers}
        )
    first, last = 0, content.size
    range_ = _RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    is_current = request.headers.get("if-range", content.etag) == content.etag
    # The whole file is sent for several ranges, and for one that makes no sense (RFC 9110, 14.2).
    if status == 200 and is_current and range_ and (range_[1] or range_[2]):
        if range_[1]:
            first = int(range_[1])
            last = min(int(range_[2]) + 1, content.size) if range_[2] else content.size
        else:
            first = max(content.size - int(range_[2]), 0)
        if range_[1] and range_[2] and int(range_[2]) < int(range_[1]):
            first, last = 0, content.size
        elif first >= content.size:
            content.close()
            return PlainTextResponse(
                f"the file has {content.size} bytes - none of them is in the requested range\n",
                status_code=416,
                headers={"content-range": f"bytes */{content.size}", "cache-control": NO_CACHE},
            )
        else:
            status = 206
            headers["content-range"] = f"bytes {first}-{last - 1}/{content.size}"
    if content.rest is None:
        return Response(content.start[first:last], status, headers)
    return _FileStream(content.rest, first, last, status, headers)


def _matches(if_none_match: str | None, etag: str) -> bool:
    if if_none_match is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return etag in tags or tags == ["*"]


class _FileStream(Response):
    """Sends a part of an open file in chunks and closes it."""

    def __init__(
        self, file: SeekableFile, first: int, last: int, status: int, headers: Mapping[str, str]
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
                    # The file became shorter. The connection is closed, so that the client does not take
                    # the part for the whole.
                    return
                self._left -= len(chunk)
                await send(
                    {"type": "http.response.body", "body": chunk, "more_body": self._left > 0}
                )
        finally:
            self._file.close()


# Content codings

IDENTITY = "identity"
"""The coding of a file as it is."""

_ITEM = re.compile(
    r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;\s*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?"
)

_LEAST = 0.0001
"""The weight of `identity` for a client that does not name it: less than all that it names."""


def choose(accept_encoding: str, offered: Sequence[str]) -> str | None:
    """Return the coding that a client prefers, `identity` for the file as it is.

    Args:
        accept_encoding: The value of the header, empty without it.
        offered: The codings that exist, best first; the first wins among those of equal weight.

    Returns:
        None if the client accepts none of them, and not the file as it is either.
    """
    weights: dict[str, float] = {}
    for part in accept_encoding.lower().split(","):
        if item := _ITEM.fullmatch(part.strip()):
            weights[item[1].removeprefix("x-")] = float(item[2] or 1)
    others = weights.get("*", 0)
    weighted = {coding: weights.get(coding, others) for coding in offered}
    weighted[IDENTITY] = weights.get(IDENTITY, weights.get("*", _LEAST))
    best = max(weighted, key=lambda coding: weighted[coding])
    return best if weighted[best] > 0 else None
