"""Content codings: bodies are decoded and encoded again, chunk by chunk."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol


class Coder(Protocol):
    """One direction of a content coding."""

    def feed(self, data: bytes) -> bytes:
        """Take a chunk, and return the output so far."""

    def end(self) -> bytes:
        """Return the rest."""


class Plain:
    """No coding at all."""

    def feed(self, data: bytes) -> bytes:
        """Return the chunk."""
        return data

    def end(self) -> bytes:
        """Return nothing."""
        return b""


class _Inflate:
    """Decodes gzip with one or several members, and deflate with or without its zlib wrapper."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._reader = zlib.decompressobj(bits)
        self._begun = False

    def feed(self, data: bytes) -> bytes:
        read = b""
        while data:
            if self._reader.eof:
                self._reader = zlib.decompressobj(self._bits)
            try:
                read += self._reader.decompress(data)
            except zlib.error:
                if self._begun or self._bits != zlib.MAX_WBITS:
                    raise
                # Some servers send deflate without the wrapper that RFC 9110 asks for.
                self._bits = -zlib.MAX_WBITS
                self._reader = zlib.decompressobj(self._bits)
                continue
            self._begun = True
            data = self._reader.unused_data
        return read

    def end(self) -> bytes:
        return self._reader.flush()


class _Deflate:
    def __init__(self, bits: int) -> None:
        self._writer = zlib.compressobj(6, zlib.DEFLATED, bits)

    def feed(self, data: bytes) -> bytes:
        return self._writer.compress(data) + self._writer.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        return self._writer.flush()


class _ReadBrotli:
    def __init__(self) -> None:
        self._reader: Any = import_module("brotli").Decompressor()

    def feed(self, data: bytes) -> bytes:
        return bytes(self._reader.process(data))

    def end(self) -> bytes:
        return b""


class _WriteBrotli:
    def __init__(self) -> None:
        self._writer: Any = import_module("brotli").Compressor(quality=4)

    def feed(self, data: bytes) -> bytes:
        return bytes(self._writer.process(data) + self._writer.flush())

    def end(self) -> bytes:
        return bytes(self._writer.finish())


def _zstd() -> str | None:
    """Return the name of the module for zstd: that of the standard library, or its backport."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            if find_spec(name):
                return name
        except ModuleNotFoundError:
            continue
    return None


class _ReadZstd:
    def __init__(self, module: str) -> None:
        self._reader: Any = import_module(module).ZstdDecompressor()

    def feed(self, data: bytes) -> bytes:
        return bytes(self._reader.decompress(data)) if not self._reader.eof else b""

    def end(self) -> bytes:
        return b""


class _WriteZstd:
    def __init__(self, module: str) -> None:
        self._writer: Any = import_module(module).ZstdCompressor()

    def feed(self, data: bytes) -> bytes:
        return bytes(self._writer.compress(data, self._writer.FLUSH_BLOCK))

    def end(self) -> bytes:
        return bytes(self._writer.flush())


Pair = tuple[Callable[[], Coder], Callable[[], Coder]]
"""Makes the decoder and the encoder of a coding."""


def _codings() -> dict[str, Pair]:
    known: dict[str, Pair] = {
        "": (Plain, Plain),
        "identity": (Plain, Plain),
        "gzip": (lambda: _Inflate(31), lambda: _Deflate(31)),
        "x-gzip": (lambda: _Inflate(31), lambda: _Deflate(31)),
        "deflate": (lambda: _Inflate(zlib.MAX_WBITS), lambda: _Deflate(zlib.MAX_WBITS)),
    }
    if find_spec("brotli"):
        known["br"] = (_ReadBrotli, _WriteBrotli)
    if module := _zstd():
        known["zstd"] = (lambda: _ReadZstd(module), lambda: _WriteZstd(module))
    return known


CODINGS = _codings()
"""The codings that can be decoded here, by their name in `Content-Encoding`; empty without one."""


def readable(accept_encoding: str) -> str:
    """Return the codings of an `Accept-Encoding` that can be decoded here, else `identity`."""
    parts = [part.strip() for part in accept_encoding.split(",")]
    kept = [part for part in parts if part and part.partition(";")[0].strip().lower() in CODINGS]
    return ", ".join(kept) or "identity"
