"""The prescan of the HTML standard."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webagent_site.http.html_inject import PRESCAN_BYTES, declared_encoding


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        (b"", None),
        (b"<title>x</title>", None),
        (b"\xef\xbb\xbf<meta charset=latin1>", "utf-8"),
        (b"\xff\xfe<\0", "utf-16-le"),
        (b"\xfe\xff\0<", "utf-16-be"),
        (b"<meta charset=utf-8>", "utf-8"),
        (b"<META\tCHARSET = 'ISO-8859-1' >", "iso-8859-1"),
        (b"<meta charset=x charset=y>", "x"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta charset='no label'><meta charset=koi8-r>", "koi8-r"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=gbk">', "gbk"),
        (b"<meta content=\"text/html; charset='big5'\" http-equiv=content-type>", "big5"),
        (b'<meta content="text/html; charset=big5">', None),
        (b'<meta http-equiv=content-type content="text/html; charset">', None),
        (b'<meta http-equiv=content-type content="charset gbk charset=gbk;x">', "gbk"),
        (b"<!-- <meta charset=a> --><meta charset=b>", "b"),
        (b"<!--><meta charset=a>", "a"),
        (b'<p title="<meta charset=a>"><meta charset=b>', "b"),
        (b"<?xml version='1.0'?><!doctype html></p><meta charset=b>", "b"),
        (b"<metal charset=a><meta/charset=b>", "b"),
        (b"< meta charset=a>", None),
        (b"<meta charset=a", None),
        (b"<meta charset='a>", None),
        (b" " * PRESCAN_BYTES + b"<meta charset=a>", None),
    ],
)
def test_the_label_is_the_one_a_browser_would_take(page: bytes, encoding: str | None) -> None:
    """Byte order mark first, then the first `<meta>` that counts, in the first 1024 bytes."""
    assert declared_encoding(page) == encoding


@settings(deadline=None)
@given(st.lists(st.sampled_from([b"<", b"meta", b" ", b"=", b"'", b"charset", b"!--", b">", b"/"])))
def test_no_bytes_make_it_raise(parts: list[bytes]) -> None:
    """Any page is read, and a label is always safe to put into a header."""
    label = declared_encoding(b"".join(parts))

    assert label is None or label.isascii()
