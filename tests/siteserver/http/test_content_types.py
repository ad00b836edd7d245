from __future__ import annotations

import pytest

from webagent_site.http.paths import content_type, is_utf8


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.MJS", "text/javascript; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.md", "text/markdown; charset=utf-8"),
        ("a.json", "application/json"),
        ("a.map", "application/json"),
        ("a.wasm", "application/wasm"),
        ("a.svg", "image/svg+xml"),
        ("a.webp", "image/webp"),
        ("a.avif", "image/avif"),
        ("a.woff2", "font/woff2"),
        ("a.webmanifest", "application/manifest+json"),
        ("a.unheard", "application/octet-stream"),
        ("a", "application/octet-stream"),
    ],
)
def test_types_come_from_our_own_table(name: str, expected: str) -> None:
    """The machine's own database has no say."""
    assert content_type(name, b"text") == expected


def test_text_that_is_not_utf_8_names_no_charset() -> None:
    """The browser reads it as on any other server."""
    assert content_type("a.css", b"/* K\xe4se */") == "text/css"
    assert content_type("a.txt", b"Caf\xe9", whole=True) == "text/plain"


def test_a_character_cut_in_two_at_the_end_is_still_utf_8() -> None:
    """Only the start of a large file is looked at."""
    assert is_utf8("ä".encode()[:1])
    assert not is_utf8(b"\xff")
