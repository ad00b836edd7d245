"""Which pages are open, and which of them is meant."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from webagent.errors import NoPage
from webagent_dev.live import open_pages as module
from webagent_dev.live.open_pages import FOCUSED, HEADLESS, MOST_CHARACTERS, OpenPages
from webagent_site.pages.connection import Connection
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.wire import WIRE_VERSION, PageHello, PageRegistry, parse_page_message


class Changes:
    """Counts its calls."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


def hello(page_id: str = "tab", **changed: Any) -> PageHello:
    said = {
        "document_id": "d",
        "url": f"http://127.0.0.1:8000/{page_id}",
        "title": "Shop",
        "focused": False,
        "version": "0.1.0",
    }
    return PageHello(page_id=page_id, **{**said, **changed})


@pytest.fixture(name="changes")
def _changes() -> Changes:
    return Changes()


@pytest.fixture(name="pages")
def _pages(changes: Changes) -> OpenPages:
    return OpenPages(changes)


def opened(pages: OpenPages, *ids: str, **changed: Any) -> list[OpenPage]:
    return [pages.register(hello(page_id, **changed), Connection()) for page_id in ids]


def test_a_page_is_known_from_its_greeting_to_its_end(pages: OpenPages, changes: Changes) -> None:
    """Each step calls the listener."""
    connection = Connection()
    page = pages.register(hello("tab", title="Cart"), connection)
    pages.set_registry(PageRegistry(state="ready", tools=[{"name": "search"}]), connection)

    (described,) = pages.describe()
    assert set(described) == {
        "page_id",
        "document_id",
        "url",
        "title",
        "focused",
        "version",
        "state",
        "connected",
        "tools",
    }
    assert (described["title"], described["state"], described["tools"]) == ("Cart", "ready", 1)
    assert pages.by_connection(connection) is page
    assert pages.leave(connection) is page
    assert pages.leave(connection) is None
    assert (len(pages), pages.by_connection(connection), changes.count) == (0, None, 3)


def test_a_page_greets_again_and_stays_itself(pages: OpenPages) -> None:
    """With another address, title or focus, even with another id."""
    connection = Connection()
    page = pages.register(hello("tab"), connection)
    again = pages.register(hello("other", title="Cart", focused=True), connection)

    assert again is page
    assert [(p["page_id"], p["title"], p["focused"]) for p in pages.describe()] == [
        ("tab", "Cart", True)
    ]


def test_an_unknown_connection_has_no_tools(pages: OpenPages, changes: Changes) -> None:
    """It is not from our script."""
    pages.set_registry(PageRegistry(state="ready", tools=[]), Connection())

    assert (len(pages), changes.count) == (0, 0)


def test_a_malformed_registry_changes_nothing(pages: OpenPages) -> None:
    """An unknown state is not from our script; what is not a tool is left out as it is read."""
    connection = Connection()
    page = pages.register(hello(), connection)
    pages.set_registry(PageRegistry(state="rich", tools=[{"name": "x"}]), connection)
    assert (page.state, page.tools) == ("idle", [])
    tools = [1, "x", None, {"name": 7}, {"name": "y"}]
    sent = {"v": WIRE_VERSION, "type": "registry", "state": "ready", "tools": tools}
    read = parse_page_message(json.dumps(sent))
    assert isinstance(read, PageRegistry)
    pages.set_registry(read, connection)

    assert (page.state, page.tools) == ("ready", [{"name": "y"}])


def test_duplicated_tabs_stay_apart(pages: OpenPages) -> None:
    """The first keeps the id; a number that became free is given again."""
    first, second, third = opened(pages, "tab", "tab", "tab")
    assert [first.page_id, second.page_id, third.page_id] == ["tab", "tab-2", "tab-3"]
    pages.leave(second.connection)

    (again,) = opened(pages, "tab")
    assert again.page_id == "tab-2"
    assert pages.find("tab-3") is third


@pytest.mark.parametrize(
    "odd", [FOCUSED, "", "../x", "a/b", "__proto__", "a b", "é", "x" * 65, "\ud800", "-", "%2e"]
)
def test_no_page_has_a_reserved_id(pages: OpenPages, odd: str) -> None:
    """Every page can be named in an address, and none is called `focused`."""
    page, other = opened(pages, odd, odd)

    assert page.page_id != other.page_id
    for one in (page, other):
        assert one.page_id.isascii()
        assert one.page_id.replace("-", "").isalnum()
        assert pages.find(one.page_id) is one


def test_long_texts_are_cut(pages: OpenPages) -> None:
    """Our script sends none; the list of pages stays small."""
    opened(
        pages,
        "tab",
        **dict.fromkeys(("url", "title", "document_id", "version"), "x" * 1000000),
    )

    (described,) = pages.describe()
    assert len(str(described)) < 2 * MOST_CHARACTERS + 500
    assert len(described["url"]) == len(described["title"]) == MOST_CHARACTERS


def test_the_focused_page_is_meant(pages: OpenPages) -> None:
    """The one that has the focus, else the one that had it last, else the only one."""
    (only,) = opened(pages, "a")
    assert pages.find(FOCUSED) is only
    b, _ = opened(pages, "b", "c")
    with pytest.raises(NoPage, match="3 pages are open, and none has the focus"):
        pages.find(FOCUSED)
    pages.register(hello("b", focused=True), b.connection)
    assert pages.find(FOCUSED) is b
    pages.register(hello("b"), b.connection)
    assert pages.find(FOCUSED) is b
    pages.register(hello("a", focused=True), only.connection)
    pages.register(hello("b", focused=True), b.connection)
    assert pages.find(FOCUSED) is b
    pages.leave(b.connection)

    assert pages.find(FOCUSED) is only


@pytest.mark.parametrize("page_id", [FOCUSED, "gone", "x" * 100_000])
def test_without_a_page_the_error_says_what_to_do(pages: OpenPages, page_id: str) -> None:
    """The sentence stays short even for a long id."""
    with pytest.raises(NoPage) as raised:
        pages.find(page_id)

    assert raised.value.help
    assert len(raised.value.message) < 120


def test_the_next_page_of_a_tab_is_found(pages: OpenPages) -> None:
    """It is of the same tab and came later; an older copy of the tab does not count."""
    copy, left = opened(pages, "tab", "tab")
    assert pages.next_in_tab(left) is None
    (following, _) = opened(pages, "tab", "else")

    assert pages.next_in_tab(left) is following
    assert pages.next_in_tab(following) is None
    assert pages.next_in_tab(copy) is not None


def test_the_headless_page_is_meant_only_without_another(pages: OpenPages) -> None:
    """It never has the focus, whatever its browser says."""
    (own,) = opened(pages, HEADLESS, focused=True)
    assert pages.find(FOCUSED) is own
    (shown,) = opened(pages, "tab")

    assert pages.find(FOCUSED) is shown
    assert pages.find(HEADLESS) is own
    assert not own.describe()["focused"]


async def test_a_call_that_finds_no_page_has_one_opened(pages: OpenPages) -> None:
    """Once, for the page in focus alone; one that is open is taken as it is."""
    asked: list[str] = []

    async def open_page() -> None:
        asked.append("page")
        opened(pages, HEADLESS)

    pages.open_page = open_page
    with pytest.raises(NoPage):
        await pages.find_or_open("tab")
    for _ in range(2):
        assert (await pages.find_or_open(FOCUSED)).page_id == HEADLESS

    assert asked == ["page"]


async def test_the_tab_in_front_is_waited_for_between_two_of_its_pages(pages: OpenPages) -> None:
    """By its id, and as the page in front: no call goes to the headless page meanwhile."""
    opened(pages, HEADLESS)
    (front,) = opened(pages, "tab", focused=True)
    pages.register(hello("tab"), front.connection)
    assert pages.find(FOCUSED) is front
    pages.leave(front.connection)
    calls = [asyncio.ensure_future(pages.find_or_open(page_id)) for page_id in (FOCUSED, "tab")]
    opened(pages, "another")
    await asyncio.sleep(0)
    assert not any(call.done() for call in calls)
    (following,) = opened(pages, "tab")

    assert await asyncio.wait_for(asyncio.gather(*calls), 2) == [following, following]
    pages.check_write(FOCUSED, following, "MCP")


async def test_a_page_of_no_tab_is_not_waited_for(pages: OpenPages) -> None:
    """An id that never was, and one of a tab that was closed some time ago."""
    for page_id in (FOCUSED, "tab"):
        with pytest.raises(NoPage):
            await asyncio.wait_for(pages.find_or_open(page_id), 1)


async def test_a_write_does_not_change_its_page_in_silence(
    pages: OpenPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each caller is refused once, with both pages; who names a page is not."""
    monkeypatch.setattr(module, "FOLLOWS_S", 0.01)
    (headless,) = opened(pages, HEADLESS)
    (front,) = opened(pages, "tab")
    pages.leave(front.connection)

    assert await asyncio.wait_for(pages.find_or_open(FOCUSED), 2) is headless
    for caller in ("MCP", "A2A"):
        pages.check_write(HEADLESS, headless, caller)
        with pytest.raises(NoPage) as caught:
            pages.check_write(FOCUSED, headless, caller)
        assert "`http://127.0.0.1:8000/tab`" in str(caught.value)
        assert "`headless`" in str(caught.value)
        assert str(caught.value.help).startswith("nothing was done; call again to work there")
        pages.check_write(FOCUSED, headless, caller)
    (opened_since,) = opened(pages, "third")
    pages.check_write(FOCUSED, opened_since, "a new caller")
    pages.register(hello(HEADLESS), headless.connection)
    with pytest.raises(NoPage):
        pages.check_write(FOCUSED, headless, "a new caller")
    (chosen,) = opened(pages, "fourth", focused=True)
    pages.check_write(FOCUSED, chosen, "another caller")
    pages.check_write(FOCUSED, headless, "another caller")


async def test_pages_that_reload_at_once_keep_the_one_in_front(pages: OpenPages) -> None:
    """In whatever order they go and come, as after a save."""
    first, second = opened(pages, "first", focused=True), opened(pages, "second")
    pages.register(hello("first", focused=False), first[0].connection)
    for (page,) in (first, second):
        pages.leave(page.connection)
    opened(pages, "second")
    call = asyncio.ensure_future(pages.find_or_open(FOCUSED))
    await asyncio.sleep(0)
    assert not call.done()
    (back,) = opened(pages, "first")

    assert await asyncio.wait_for(call, 2) is back


async def test_the_next_page_of_a_tab_has_its_id(pages: OpenPages) -> None:
    """Also when it connects before the last one has gone."""
    (page,) = opened(pages, "tab")
    page.since = time.perf_counter() - 60
    (following,) = opened(pages, "tab")
    assert following.page_id == "tab-2"
    pages.leave(page.connection)

    assert await asyncio.wait_for(pages.find_or_open("tab"), 1) is following
    assert await asyncio.wait_for(pages.find_or_open(FOCUSED), 1) is following
    pages.check_write(FOCUSED, following, "MCP")


async def test_whether_any_page_is_open_can_be_waited_for(pages: OpenPages) -> None:
    """From the first greeting to the last leave."""
    assert not pages.any_open.is_set()
    first, second = opened(pages, "one", "two")
    pages.leave(first.connection)
    assert pages.any_open.is_set()
    pages.leave(second.connection)
    assert not pages.any_open.is_set()
