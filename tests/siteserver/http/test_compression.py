"""Smaller copies, where they are smaller."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import brotli
import pytest
from backports import zstd

from webagent_site.http.compression import LEAST_BYTES, compress, compressors

UNDO = {".gz": gzip.decompress, ".br": brotli.decompress, ".zst": zstd.decompress}


@pytest.mark.parametrize("size", [LEAST_BYTES, 600 * 1024])
def test_copies_hold_the_same(tmp_path: Path, size: int) -> None:
    """Each way gives the file back, small or large."""
    path = tmp_path / "a.js"
    path.write_bytes(b"const a = 1;\n" * (size // 13 + 1))
    copies = compress([path], compressors())

    assert {copy.suffix for copy in copies} == set(UNDO)
    for copy in copies:
        assert copy.name == path.name + copy.suffix
        assert UNDO[copy.suffix](copy.read_bytes()) == path.read_bytes()


def test_a_file_that_does_not_get_smaller_has_no_copy(tmp_path: Path) -> None:
    """Neither noise nor a few bytes."""
    noise, short = tmp_path / "noise", tmp_path / "short"
    noise.write_bytes(os.urandom(4096))
    short.write_bytes(b"a" * (LEAST_BYTES - 1))

    assert compress([noise, short], compressors()) == []


def test_the_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    """No date is written into a copy."""
    path = tmp_path / "a.js"
    path.write_bytes(b"x" * 5_000)
    first = {copy: copy.read_bytes() for copy in compress([path], compressors())}
    os.utime(path, (1, 1))

    assert {copy: copy.read_bytes() for copy in compress([path], compressors())} == first


def test_a_copy_that_is_there_stays(tmp_path: Path) -> None:
    """It is not made again, and copies get none of their own."""
    path, there = tmp_path / "a.js", tmp_path / "a.js.zst"
    path.write_bytes(b"x" * 5_000)
    there.write_bytes(b"y" * 5_000)
    copies = compress([path, there], compressors(), {there})

    assert {copy.name for copy in copies} == {"a.js.gz", "a.js.br"}
    assert there.read_bytes() == b"y" * 5_000
