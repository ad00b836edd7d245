"""Lines in the head of a file, and every other byte as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webagent_site.http.html_head import is_document, with_lines

LINE = '<meta name="x">'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "<!doctype html>\n<html>\n<head>\n  <title>x</title>\n",
            f"<!doctype html>\n<html>\n<head>\n  {LINE}\n  <title>x</title>\n",
        ),
        (
            '<head>\r\n\t<meta charset="utf-8">\r\n\t<title>x</title>',
            f'<head>\r\n\t<meta charset="utf-8">\r\n\t{LINE}\r\n\t<title>x</title>',
        ),
        ("<head>\r\t<title>", f"<head>\r\t{LINE}\r\t<title>"),
        ("<head><meta charset=utf-8><title>", f"<head><meta charset=utf-8>{LINE}<title>"),
        ("<!doctype html>\n<title>x</title>", f"<!doctype html>\n{LINE}\n<title>x</title>"),
        ("<!doctype html>", f"<!doctype html>{LINE}"),
        ("<head>  \n\n  <title>", f"<head>\n  {LINE}  \n\n  <title>"),
        (
            "<head>\n<script></script>\n<meta charset=utf-8>",
            f"<head>\n{LINE}\n<script></script>\n<meta charset=utf-8>",
        ),
        (
            '<head>\n<meta content="text/html; charset=latin1" http-equiv=Content-Type>\n',
            f'<head>\n<meta content="text/html; charset=latin1" http-equiv=Content-Type>\n{LINE}\n',
        ),
        ("<!-- <head> --><html><head>", f"<!-- <head> --><html><head>{LINE}"),
        (
            "<head>\n<script type=importmap>{}</script >\n<script type=module src=a></script>",
            f"<head>\n<script type=importmap>{{}}</script >\n{LINE}\n<script type=module src=a></script>",
        ),
        ("<head><script type=importmap>{}", f"<head>{LINE}<script type=importmap>{{}}"),
    ],
)
def test_a_line_is_written_where_a_person_would_write_it(before: str, after: str) -> None:
    """Behind the encoding and import maps, before other scripts, indented as its neighbours."""
    assert with_lines(before.encode(), [LINE]).decode() == after


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "cp1252", "shift-jis", "utf-8"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_other_bytes_stay_in_every_encoding(codec: str, end: str) -> None:
    """Taking the line out again gives the file back."""
    text = f"<!doctype html>{end}<html>{end}<head>{end} <title>£</title>{end}</head>{end}"
    text = text.replace("£", "漢字") if codec == "shift-jis" else text
    page = text.encode(codec)
    line = f"{end} {LINE}".encode("utf-16-le" if codec == "utf-16" else "ascii")

    changed = with_lines(page, [LINE])

    assert changed.count(line) == 1
    assert changed.replace(line, b"") == page


@given(st.binary(max_size=200))
def test_no_byte_is_ever_lost(page: bytes) -> None:
    """In any file, the bytes before and after the line are all of its bytes."""
    changed = with_lines(page, [LINE])
    added = len(changed) - len(page)

    assert any(changed[:i] + changed[i + added :] == page for i in range(len(page) + 1))


def test_parts_of_pages_are_not_documents() -> None:
    """A template without doctype, `<html>` and `<head>` is a part."""
    assert is_document(b"<!DOCTYPE html><title>x</title>")
    assert is_document(b"<html lang=en>")
    assert not is_document(b"<div><header>no head</header></div>")
    assert not is_document(b"<!-- <html> --><p>")
