"""Smaller copies of files beside them, for servers that send those: `.gz`, `.br`, `.zst`."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping
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

Compress = Callable[[bytes], bytes]


def compressors() -> dict[str, Compress]:
    """Return what can be done here, by the suffix of the copies."""
    found: dict[str, Compress] = {".gz": _gzip}
    if (brotli := _module("brotli")) is not None:
        found[".br"] = partial(_brotli, brotli)
    if (zstd := _module("compression.zstd") or _module("backports.zstd")) is not None:
        found[".zst"] = partial(_zstd, zstd)
    return found


def compress(files: Iterable[Path], ways: Mapping[str, Compress]) -> list[Path]:
    """Write the copies of files that are worth it; return their paths.

    Raises:
        OSError: A file cannot be read or written.
    """
    jobs = [(path, suffix, way) for path in files for suffix, way in ways.items()]
    with ThreadPoolExecutor() as pool:
        written = pool.map(lambda job: _copy(*job), jobs)
        return [path for path in written if path is not None]


def _copy(path: Path, suffix: str, way: Compress) -> Path | None:
    content = path.read_bytes()
    if len(content) < LEAST_BYTES:
        return None
    smaller = way(content)
    if len(smaller) > len(content) * _WORTH:
        return None
    copy = path.with_name(path.name + suffix)
    copy.write_bytes(smaller)
    return copy


def _gzip(content: bytes) -> bytes:
    # Without a time, so that the same site gives the same bytes.
    return gzip.compress(content, 9, mtime=0)


def _brotli(module: Any, content: bytes) -> bytes:
    quality = 11 if len(content) < _LARGE_BYTES else 6
    smaller: bytes = module.compress(content, quality=quality)
    return smaller


def _zstd(module: Any, content: bytes) -> bytes:
    smaller: bytes = module.compress(content, 19 if len(content) < _LARGE_BYTES else 12)
    return smaller


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None
