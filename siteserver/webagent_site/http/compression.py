"""Smaller copies of files next to them, for servers that send those: `.gz`, `.br`, `.zst`."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

LEAST_BYTES = 1024
"""A smaller file is sent as fast as it is."""
_WORTH = 0.95
"""A copy that is not smaller than this part of the file is left out."""
_LARGE_BYTES = 1 << 20
"""From here on the best compression takes too long for what it gives."""

Compress = Callable[[bytes, int | None], bytes]
"""Makes bytes smaller, with a level of its own kind, None for one that suits their number."""


def compressors() -> dict[str, Compress]:
    """Return the ways to compress, by the suffix of the copies."""
    return {".gz": _gzip, ".br": _brotli, ".zst": _zstd}


def compress(
    files: Iterable[Path],
    ways: Mapping[str, Compress],
    there: Collection[Path] = frozenset(),
    on_done: Callable[[int, int], object] = lambda done, of: None,
) -> list[Path]:
    """Write the copies of files that are worth it; return their paths.

    Args:
        files: What may get copies.
        ways: See `compressors`.
        there: Copies that are good as they are.
        on_done: Called with the number of copies that are done, and of all.

    Raises:
        OSError: A file cannot be read or written.
    """
    jobs = [
        (path, copy, way)
        for path in files
        for suffix, way in ways.items()
        if path not in there and (copy := path.with_name(path.name + suffix)) not in there
    ]
    with ThreadPoolExecutor() as pool:
        written = []
        for done, path in enumerate(pool.map(lambda job: _copy(*job), jobs), 1):
            on_done(done, len(jobs))
            written += [path] if path else []
        return written


def smaller(content: bytes, way: Compress, level: int | None = None) -> bytes | None:
    """Return a copy that is worth it, None if there is none."""
    if len(content) < LEAST_BYTES:
        return None
    packed = way(content, level)
    return packed if len(packed) <= len(content) * _WORTH else None


def _copy(path: Path, copy: Path, way: Compress) -> Path | None:
    packed = smaller(path.read_bytes(), way)
    if packed is None:
        return None
    copy.write_bytes(packed)
    return copy


def unpacked(stored: bytes) -> bytes:
    """Return what zstd has compressed.

    Raises:
        OSError: It is not complete.
    """
    zstd = _zstd_module()
    try:
        content: bytes = zstd.decompress(stored)
    except zstd.ZstdError as error:
        raise OSError(f"zstd cannot be read: {error}") from None
    return content


def _gzip(content: bytes, level: int | None) -> bytes:
    # Without a time, so that the same site gives the same bytes.
    return gzip.compress(content, 9 if level is None else level, mtime=0)


# These two are loaded when they are needed: the start of the server needs neither.


def _brotli(content: bytes, level: int | None) -> bytes:
    if level is None:
        level = 11 if len(content) < _LARGE_BYTES else 6
    packed: bytes = import_module("brotli").compress(content, quality=level, lgwin=24)
    return packed


def _zstd(content: bytes, level: int | None) -> bytes:
    if level is None:
        level = 19 if len(content) < _LARGE_BYTES else 12
    # Higher levels take windows that browsers refuse (RFC 9659).
    packed: bytes = _zstd_module().compress(content, min(level, 19))
    return packed


def _zstd_module() -> Any:
    try:
        return import_module("compression.zstd")
    except ImportError:
        return import_module("backports.zstd")
