"""Names as sentences, and drafts of what pages offer."""

from __future__ import annotations

import pytest

from webagent import parse
from webagent.types import Behavior, Manifest, Param, Tool
from webagent_dev.extraction.crawl import _key, _leads_on
from webagent_dev.extraction.draft import draft
from webagent_dev.extraction.reading import PageReading, sentence


def reading(path: str, *tools: Tool) -> PageReading:
    return PageReading(path, "Shop", "Books.", "", tools, (), (), secure=True)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("addToBasket", "Add to basket."),
        ("getURLFor2Pages", "Get url for2 pages."),
        ("login", "Login."),
    ],
)
def test_a_name_reads_as_a_sentence(name: str, words: str) -> None:
    """Its words, one after the other."""
    assert sentence(name) == words


def test_a_tool_of_every_page_has_no_paths() -> None:
    """One of some pages says of which."""
    both, one = Tool(name="findAll"), Tool(name="payNow", behavior=Behavior(effect="write"))
    text, _ = draft(Manifest(), [reading("/", both), reading("/pay", both, one)])
    manifest = parse(text)

    assert manifest.tools[0].behavior.paths == []
    assert manifest.tools[1].behavior.paths == ["/pay"]
    assert manifest.tools[1].behavior.effect == "write"


def test_a_tool_that_no_manifest_can_name_is_left_out() -> None:
    """The rest has no error."""
    odd = Tool(name="a b `c`\n## d", params=[Param(name="x", type="Array<")])
    text, left_out = draft(Manifest(), [reading("/", odd, Tool(name="findAll"))])

    assert parse(text).tool_names[-1] == "findAll"
    assert len(left_out) <= 1


@pytest.mark.parametrize(
    ("link", "follows"),
    [
        ("https://a.example/app/b", True),
        ("https://a.example/app/b.html?x=1#y", True),
        ("https://a.example/other", False),
        ("https://b.example/app/b", False),
        ("http://a.example/app/b", False),
        ("https://a.example/app/plan.pdf", False),
        ("https://a.example/app/logout", False),
        ("https://a.example/app/item?do=delete", False),
        ("mailto:a@b.example", False),
    ],
)
def test_links_are_followed_within_the_site(link: str, follows: bool) -> None:
    """Not where something could be done or downloaded."""
    assert _leads_on(link, "https://a.example/app/index.html") is follows


def test_the_same_page_is_read_once() -> None:
    """Whatever stands behind its path."""
    assert _key("https://a/b/index.html?q=1") == _key("https://a/b/#x") == "/b/"
