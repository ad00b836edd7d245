"""MCP: the lines in which clients read a page and its log, and the names of its elements."""

from __future__ import annotations

import pytest

from webagent.errors import InvalidArguments
from webagent.page.snapshot import Element, Snapshot
from webagent_dev.agents.mcp.page_steps import named
from webagent_dev.agents.mcp.page_views import PROBLEMS, console_lines, excerpt, request_lines
from webagent_dev.live.timeline import Timeline

PAGE = '# Shop\nBooks\n[3] link "Basket"\nMaps\nTeas\n[7] button "Empty the basket"'


def test_an_excerpt_has_a_line_around_each_match() -> None:
    """Matches that are close to each other share theirs; what is left out is marked."""
    assert excerpt(PAGE, "BASKET").split("\n") == [
        *("Books", '[3] link "Basket"', "Maps", "Teas", '[7] button "Empty the basket"')
    ]
    assert excerpt(PAGE, "shop").split("\n") == ["# Shop", "Books"]
    assert excerpt(f"{PAGE}\nend\nShop", "shop").split("\n") == [
        *("# Shop", "Books", "…", "end", "Shop")
    ]
    assert "nothing on the page has `cups`" in excerpt(PAGE, "cups")


def test_an_excerpt_has_the_whole_card_of_a_match() -> None:
    """The price is two lines below the words; the next card is left out."""
    card = '- ### [1] link "Tides"\nAda Ness, 2016\n£12.99\n[2] button "Add … to basket"'
    page = f'# Books\n2 books\n{card}\n- ### [3] link "Tea"\nBen Ness, 2017\n£8.50'

    assert excerpt(page, "tides") == f"2 books\n{card}"
    assert excerpt(page, "12.99") == card
    assert excerpt(page, "8.50") == '- ### [3] link "Tea"\nBen Ness, 2017\n£8.50'
    assert excerpt("- a\n- b\n- c\n- d", "b") == "- a\n- b\n- c"
    long = "\n".join(f"line {number}" for number in range(20))
    assert excerpt(f"- start\n{long}", "line 15") == "line 14\nline 15\nline 16"


def test_requests_have_no_secrets() -> None:
    """Neither a login nor the value of a secret field is in an address; our own files are left out."""
    shown = request_lines(
        [
            {
                "url": "http://shop.test/a?token=t0p&page=2#top",
                "by": "fetch",
                "status": 404,
                "ms": 3,
            },
            {"url": "https://me:pw@other.test/b", "by": "img", "status": 0, "ms": 1},
            {"url": "http://shop.test/__webagent__/dom.js", "by": "script", "status": 200, "ms": 1},
            {"url": "http://[", "by": "fetch", "status": 200, "ms": 1},
            "no request",
        ],
        "http://shop.test/cart",
    )

    assert shown == [
        "404 fetch /a?token=•••&page=2 3 ms",
        "failed or hidden img https://other.test/b 1 ms",
        "200 fetch an address that cannot be read 1 ms",
    ]
    assert request_lines({"not": "a list"}, "http://shop.test/") == []


def test_a_log_is_that_of_one_page() -> None:
    """Without control characters and secrets, from an entry on, and of some levels if these are named."""
    timeline = Timeline()
    place = "http://shop.test/js/cart.js:3:7"
    timeline.add("log", "tab", {"level": "log", "text": "early", "place": "", "count": 1})
    early = timeline.seq
    timeline.add("log", "tab", {"level": "error", "text": "a\x1b[31mb", "place": place, "count": 2})
    timeline.add("log", "other", {"level": "error", "text": "no", "place": "", "count": 1})
    timeline.add("call", "tab", {"name": "search"})
    timeline.add("error", "tab", {"phase": "start", "message": "key=sk-abcdefgh1234567890abcd"})

    assert console_lines(timeline, "tab")[0] == "log: early"
    late = console_lines(timeline, "tab", after=early, levels=PROBLEMS)
    assert late[0] == "error: a[31mb (×2) at js/cart.js:3:7"
    assert "•••" in late[1]
    assert len(late) == 2


def test_an_element_is_named_by_number_or_words() -> None:
    """A button comes before a heading, and a whole name before a part of one."""
    snapshot = Snapshot(
        elements=(
            Element(1, "heading", "Basket"),
            Element(2, "button", "Empty the basket"),
            Element(3, "link", "Basket"),
            Element(4, "heading", "Delivery"),
        )
    )

    assert named("2", snapshot).id == 2
    assert named("basket", snapshot).id == 3
    assert named("empty", snapshot).id == 2
    assert named("Delivery", snapshot).id == 4
    for wrong in ("9", "²", "9" * 5_000, "a", "cups"):
        with pytest.raises(InvalidArguments):
            named(wrong, snapshot)
