"""Which content coding a client is sent."""

from __future__ import annotations

import pytest

from webagent_site.http.file_response import choose

ALL = ["zstd", "br", "gzip"]


@pytest.mark.parametrize(
    ("accept_encoding", "offered", "chosen"),
    [
        ("gzip, deflate, br, zstd", ALL, "zstd"),
        ("gzip, deflate, br", ALL, "br"),
        ("gzip, deflate", ALL, "gzip"),
        ("x-gzip", ALL, "gzip"),
        ("GZIP", ALL, "gzip"),
        ("gzip, deflate, br, zstd", ["gzip"], "gzip"),
        ("", ALL, "identity"),
        ("deflate", ALL, "identity"),
        ("gzip", [], "identity"),
        ("*", ALL, "zstd"),
        ("br;q=1.0, zstd;q=0.5", ALL, "br"),
        ("zstd ; q=0.5,gzip;Q=0.8", ALL, "gzip"),
        ("zstd;q=0, *", ALL, "br"),
        ("gzip;q=0", ["gzip"], "identity"),
        ("identity, gzip;q=0.5", ALL, "identity"),
        ("identity;q=0.2, gzip;q=0.1", ALL, "identity"),
        ("identity;q=0, gzip;q=0.001", ALL, "gzip"),
        ("gzip;q=2, br;q=a, zstd;x=1", ALL, "identity"),
        ("*;q=0, gzip", ["br"], None),
        ("*;q=0", ALL, None),
        ("identity;q=0", ALL, None),
        ("identity;q=0, zstd", [], None),
    ],
)
def test_the_coding_that_a_client_prefers_is_chosen(
    accept_encoding: str, offered: list[str], chosen: str | None
) -> None:
    """RFC 9110, 12.5.3: weights, `*`, zero for never, and the file as it is unless that is excluded."""
    assert choose(accept_encoding, offered) == chosen
