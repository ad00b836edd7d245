"""Smaller copies of files next to them, for servers that send those: `.gz`, `.br`, `.zst`."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

LEAST_BYTES = 1024
"""A smaller file is sent as fast as it is."""
_WORTH = 0.95
"""A copy that is not smaller than this part of the file is left out."""
_LARGE_BYTES = 512 * 1024
"""From here on the best compression takes too long for what it gives."""

Compress = Callable[[bytes, int | None], bytes]
"""Makes bytes smaller, with a level of its own kind, None for one that suits their number."""


def compressors() -> dict[str, Compress]:
    """Return what can be done here, by the suffix of the copies."""
    found: dict[str, Compress] = {".gz": _gzip}
    if (brotli := _module("brotli")) is not None:
        found[".br"] = partial(_brotli, brotli)
    if (zstd := _module("compression.zstd") or _module("backports.zstd")) is not None:
        found[".zst"] = partial(_zstd, zstd)
    return found


def compress(
    files: Iterable[Path], ways: Mapping[str, Compress], there: Collection[Path] = frozenset()
) -> list[Path]:
    """Write the copies of files that are worth it; return their paths.

    Args:
        files: What may get copies.
        ways: See `compressors`.
        there: Copies that are good as they are.

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
        written = pool.map(lambda job: _copy(*job), jobs)
        return [path for path in written if path is not None]


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


def _gzip(content: bytes, level: int | None) -> bytes:
    # Without a time, so that the same site gives the same bytes.
    return gzip.compress(content, 9 if level is None else level, mtime=0)


def _brotli(module: Any, content: bytes, level: int | None) -> bytes:
    if level is None:
        level = 11 if len(content) < _LARGE_BYTES else 6
    packed: bytes = module.compress(content, quality=level, lgwin=24)
    return packed


def _zstd(module: Any, content: bytes, level: int | None) -> bytes:
    if level is None:
        level = 19 if len(content) < _LARGE_BYTES else 12
    # Higher levels take windows that browsers refuse (RFC 9659).
    packed: bytes = module.compress(content, min(level, 19))
    return packed


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None
