"""Content codings, piece by piece."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webagent_site.http.coding import CODINGS, readable


def test_the_development_environment_has_all_codings() -> None:
    """So that the tests below mean them."""
    assert {"gzip", "deflate", "br", "zstd"} < set(CODINGS)


@pytest.mark.parametrize("name", sorted(CODINGS))
@given(st.lists(st.binary(max_size=2_000)), st.integers(1, 50))
def test_codings_are_decoded_in_chunks_of_any_size(
    name: str, pieces: list[bytes], size: int
) -> None:
    """The output is there as soon as the bytes that hold it are."""
    make_reader, make_writer = CODINGS[name]
    reader, writer = make_reader(), make_writer()
    for piece in pieces:
        packed = writer.feed(piece)
        read = b"".join(reader.feed(packed[at : at + size]) for at in range(0, len(packed), size))
        assert read == piece
    assert reader.feed(writer.end()) + reader.end() == b""


def test_gzip_of_several_members_and_deflate_without_a_wrapper_are_read() -> None:
    """Both are met in the wild."""
    assert CODINGS["gzip"][0]().feed(gzip.compress(b"a") + gzip.compress(b"b")) == b"ab"
    packer = zlib.compressobj(wbits=-15)
    assert CODINGS["deflate"][0]().feed(packer.compress(b"abc") + packer.flush()) == b"abc"


@pytest.mark.parametrize(
    ("asked", "passed"),
    [
        ("gzip, deflate, br, zstd", "gzip, deflate, br, zstd"),
        ("gzip;q=0.5, sdch, BR;q=1", "gzip;q=0.5, BR;q=1"),
        ("dcb, dcz", "identity"),
        ("*", "identity"),
        ("", "identity"),
    ],
)
def test_only_codings_that_can_be_decoded_are_accepted(asked: str, passed: str) -> None:
    """With the weights of the browser."""
    assert readable(asked) == passed
