"""The check of the links of a built site."""

from __future__ import annotations

from pathlib import Path

import pytest
from links import check

GOOD = """<!doctype html><h1 id="top">A</h1>
<a href="b/#part">b</a> <a href="/0.1/b/?q=1#part">b</a> <a href="#top">top</a>
<a href="https://other.example/">other</a> <a href="http://127.0.0.1:8000/">local</a>
<link rel="stylesheet" href="style.css"><img src="a%20b.png"><script>location.href</script>
<link rel="icon" href="data:,">
"""


def site(root: Path, start: str, style: str = "p { color: red }") -> Path:
    """Return a site with a start page, another page, a style and a picture."""
    (root / "b").mkdir()
    (root / "index.html").write_text(start, "utf-8")
    (root / "b/index.html").write_text('<h2 id="part">B</h2>', "utf-8")
    (root / "style.css").write_text(style, "utf-8")
    (root / "a b.png").touch()
    return root


def test_a_site_whose_links_lead_somewhere_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the totals are printed."""
    assert check(site(tmp_path, GOOD), "/0.1/") == 0
    assert capsys.readouterr().out == (
        "2 pages, 3 links, 3 fragments, 2 links to other hosts, 1 styles and other heads, 1 pictures\n"
    )


@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ('<a href="c/">', "c/ is missing"),
        ('<a href="b/#else">', "b/#else has no #else"),
        ('<a href="/b/">', "/b/ leaves the site"),
        ('<a href="../">', "../ leaves the site"),
        ('<a href="http://other.example/">', "http://other.example/ is http"),
        ('<a href="data:,a">', "data:,a is data"),
        ('<a href="javascript:run()">', "javascript:run() is javascript"),
        ('<img src="c.png">', "c.png is missing"),
        ('<iframe src="shop/">', "shop/ is missing"),
        (
            '<script src="https://other.example/a.js">',
            "https://other.example/a.js is loaded from another host",
        ),
        (
            '<link href="//other.example/a.css">',
            "//other.example/a.css is loaded from another host",
        ),
    ],
)
def test_a_link_that_leads_nowhere_fails_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tag: str, why: str
) -> None:
    """The page is named, the target, and the reason."""
    assert check(site(tmp_path, tag), "/0.1/") == 1
    assert capsys.readouterr().out.splitlines()[0] == f"index.html: {why}"


@pytest.mark.parametrize(
    "style", ['@import "https://other.example/a.css";', "p { background: url(//other.example/a) }"]
)
def test_a_style_that_loads_from_another_host_fails_the_check(tmp_path: Path, style: str) -> None:
    """Such as a web font."""
    assert check(site(tmp_path, GOOD, style), "/0.1/") == 1
