"""Answers made of files: whole or a range, unchanged or not, always of one consistent version.

A file can be saved while it is sent. Small files are read in one go, so that length, ETag and bytes
belong together; large ones are streamed to exactly the length that was promised, or cut.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping, Sequence
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


IDENTITY = "identity"

_ITEM = re.compile(
    r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;\s*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?"
)

_LEAST = 0.0001
"""What a client that does not speak of `identity` gives it: less than anything that it names."""


def choose(accept_encoding: str, offered: Sequence[str]) -> str | None:
    """Return the coding that a client likes best, `identity` for none at all.

    Args:
        accept_encoding: The header's value, empty without the header.
        offered: The codings there are, best first, of which the first wins where a client likes
            several alike.

    Returns:
        None if the client takes neither any of them nor the file as it is.
    """
    weights: dict[str, float] = {}
    for part in accept_encoding.lower().split(","):
        if item := _ITEM.fullmatch(part.strip()):
            weights[item[1].removeprefix("x-")] = float(item[2] or 1)
    others = weights.get("*", 0)
    liked = {coding: weights.get(coding, others) for coding in offered}
    liked[IDENTITY] = weights.get(IDENTITY, weights.get("*", _LEAST))
    best = max(liked, key=lambda coding: liked[coding])
    return best if liked[best] > 0 else None


SUFFIXES = {"zstd": ".zst", "br": ".br", "gzip": ".gz"}
"""The end of a copy's name by its coding, best first: browsers unpack zstd faster than brotli."""

INDEX = "bundle.json"

_State = tuple[int, int, int]


class Variants:
    """The copies that a bundle's index names.

    A copy is used only where both its bytes and those of its file are the ones that the index was
    written for: not after one of them was saved by hand, or only half copied.
    """

    def __init__(self, bundle: Path) -> None:
        self._bundle = bundle
        self._read: tuple[_State | None, Mapping[str, Mapping[str, str]]] = (None, {})
        self._digests: dict[Path, tuple[_State, str]] = {}

    def codings(self, name: str) -> list[str]:
        """Return the codings in which a file can be had, best first."""
        digests = self._index().get(name, {})
        return [coding for coding in SUFFIXES if coding in digests]

    def path(self, name: str, coding: str) -> Path | None:
        """Return a copy, None where it is not, or is not what it should be."""
        digests = self._index().get(name, {})
        original = self._bundle / name
        copy = original.with_name(original.name + SUFFIXES[coding])
        for path, digest in ((original, digests.get(IDENTITY)), (copy, digests.get(coding))):
            if digest is None or self._digest(path) != digest:
                return None
        return copy

    def chosen(self, name: str, accept_encoding: str) -> tuple[str, Path] | None:
        """Return what a client is sent, as its coding and path; None if it takes nothing there is."""
        offered = self.codings(name)
        while (coding := choose(accept_encoding, offered)) in SUFFIXES:
            if (copy := self.path(name, coding)) is not None:
                return coding, copy
            offered.remove(coding)
        return None if coding is None else (coding, self._bundle / name)

    def _index(self) -> Mapping[str, Mapping[str, str]]:
        """Return the digests of each file and its copies; read again when a build has replaced them."""
        path = self._bundle / INDEX
        try:
            state = _state(path)
            if state != self._read[0]:
                named = json.loads(path.read_text("utf-8")).get("variants", {})
                self._read = state, {name: dict(digests) for name, digests in named.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            self._read = None, {}
        return self._read[1]

    def _digest(self, path: Path) -> str | None:
        """Return the SHA-256 of a file, which is worked out once for each version of it."""
        try:
            state = _state(path)
            known = self._digests.get(path)
            if known is None or known[0] != state:
                with path.open("rb") as file:
                    known = state, hashlib.file_digest(file, "sha256").hexdigest()
                self._digests[path] = known
        except OSError:
            return None
        return known[1]


def _state(path: Path) -> _State:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino
