"""Pages of visitors over their live channel, and calls to them: one process, and several on a Redis."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.redis_server import RedisServer
from tests.siteserver.live_site import Site, free_port, serving
from tests.visitor_page import VisitorPage, good
from webagent_site.broker.page_directory import MOST_PAGES
from webagent_site.broker.redis_broker import RedisBroker
from webagent_site.pages.channel import PROTOCOL, REFUSED, TOO_MANY


@pytest_asyncio.fixture(name="site", params=["memory", "redis"])
async def _site(request: pytest.FixtureRequest, root: Path, bundle: Path) -> AsyncIterator[Site]:
    broker = None
    if request.param == "redis":
        broker = RedisBroker(request.getfixturevalue("redis").url, prefix=secrets.token_hex(4))
    site = Site(root / "webagents.md", bundle, broker, free_port())
    async with serving(site):
        yield site


@pytest_asyncio.fixture(name="two")
async def _two(redis: RedisServer, root: Path, bundle: Path) -> AsyncIterator[tuple[Site, Site]]:
    prefix = secrets.token_hex(4)
    first, second = (
        Site(root / "webagents.md", bundle, RedisBroker(redis.url, prefix=prefix), free_port())
        for _ in range(2)
    )
    async with serving(first, second):
        yield first, second


async def test_a_tool_of_a_page_is_called(site: Site) -> None:
    """Its result comes back, and the page has worked on it once."""
    async with VisitorPage(site.url) as page:
        record = await site.record(page)
        result = await site.call(page, word="sea")

    assert (result["ok"], result["value"]) == (True, {"word": "sea"})
    assert record.url == f"{site.url}/"
    assert list(page.done.values()) == [1]


async def test_the_tools_of_a_page_are_known(site: Site) -> None:
    """As its registry has reported them."""
    async with VisitorPage(site.url) as page:
        record = await site.record(page)
        while record.state != "ready":
            await asyncio.sleep(0.05)
            record = await site.record(page)

    assert [tool["name"] for tool in record.tools] == ["look", "buy"]


async def test_each_visitor_has_their_own_pages(site: Site) -> None:
    """Those of another session are not among them; the one last used comes first."""
    async with (
        VisitorPage(site.url) as one,
        VisitorPage(site.url) as other,
        VisitorPage(site.url, session=one.session) as second,
    ):
        await one.greet(title="In front")
        await asyncio.sleep(0.3)
        pages = await site.agent.pages.of(f"session {one.session}")
        others = await site.agent.pages.of(f"session {other.session}")

    assert [page.tab for page in pages] == [one.page_id, second.page_id]
    assert [page.tab for page in others] == [other.page_id]


async def test_a_page_that_was_left_is_gone(site: Site) -> None:
    """It is not listed any more."""
    async with VisitorPage(site.url) as page:
        pass
    await asyncio.sleep(0.2)

    assert await site.agent.pages.of(f"session {page.session}") == []


async def test_a_tab_keeps_its_id_by_its_secret_alone(site: Site) -> None:
    """Another secret, or another session with the same secret, is another tab."""
    async with VisitorPage(site.url) as first:
        pass
    async with VisitorPage(site.url, session=first.session, secret=first.secret) as again:
        assert again.page_id == first.page_id
    async with VisitorPage(site.url, session=first.session) as other:
        assert other.page_id != first.page_id
    async with VisitorPage(site.url, secret=first.secret) as stranger:
        assert stranger.page_id != first.page_id


async def test_a_lost_connection_loses_no_call(site: Site) -> None:
    """The page works on it meanwhile, and answers when it is back."""
    begun = asyncio.Event()

    async def slow(call: dict[str, Any]) -> dict[str, Any]:
        begun.set()
        await asyncio.sleep(0.6)
        return good("done")

    async with VisitorPage(site.url, answer=slow) as page:
        calling = asyncio.create_task(site.call(page))
        await begun.wait()
        await page.drop()
        result = await calling

    assert result["value"] == "done"
    assert list(page.done.values()) == [1]
    assert page.connections == 2


async def test_a_call_to_a_page_that_is_left_ends(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an error that says what may have happened."""
    monkeypatch.setattr("webagent_site.pages.relay.FOLLOWS_S", 0.5)
    begun = asyncio.Event()

    async def never(call: dict[str, Any]) -> dict[str, Any]:
        begun.set()
        await asyncio.sleep(60)
        return good(None)

    async with VisitorPage(site.url, answer=never) as page:
        calling = asyncio.create_task(site.call(page))
        await begun.wait()
    result = await calling

    assert result["error"]["kind"] == "page_gone"
    assert "may have happened" in result["error"]["help"]


async def test_a_cancelled_call_is_cancelled_in_the_page(site: Site) -> None:
    """The page gets to know that nobody waits."""
    begun = asyncio.Event()

    async def slow(call: dict[str, Any]) -> dict[str, Any]:
        begun.set()
        await asyncio.sleep(60)
        return good(None)

    async with VisitorPage(site.url, answer=slow) as page:
        calling = asyncio.create_task(site.call(page))
        await begun.wait()
        calling.cancel()
        for _ in range(40):
            await asyncio.sleep(0.05)
            if page.cancelled:
                break

    assert page.cancelled == set(page.done)


async def test_a_page_without_a_valid_token_is_refused(site: Site) -> None:
    """Also one with a token of another session."""
    mine, other = VisitorPage(site.url), VisitorPage(site.url)
    await mine.fetch_token()
    await other.fetch_token()
    tokens = [("webagent_page_1_2", mine), (other._token, mine), (mine._token, other)]
    for token, page in tokens:
        assert await _close_code(site, page._cookie(), site.url, token) == REFUSED
    assert await _close_code(site, mine._cookie(), "https://evil.example", mine._token) == REFUSED


async def _close_code(site: Site, cookie: str, origin: str, token: str | None) -> int | None:
    async with connect(
        f"{site.url.replace('http', 'ws')}/__webagent__/pages",
        origin=origin,  # type: ignore[arg-type]
        additional_headers={"cookie": cookie},
        subprotocols=[PROTOCOL],  # type: ignore[list-item]
    ) as socket:
        message = {"v": 1, "type": "token", "token": token, "secret": "s" * 24}
        await socket.send(json.dumps(message))
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(socket.recv(), 5)
    return closed.value.rcvd.code if closed.value.rcvd else None


async def test_a_page_of_another_wire_is_refused(site: Site) -> None:
    """With a sentence, before anything is said."""
    with pytest.raises(InvalidStatus) as refused:
        async with connect(f"{site.url.replace('http', 'ws')}/__webagent__/pages"):
            pass

    assert refused.value.response.status_code == 400


async def test_a_visitor_has_a_limit_of_pages(site: Site) -> None:
    """One more is closed, and the others stay."""
    async with VisitorPage(site.url) as first:
        more = [VisitorPage(site.url, session=first.session) for _ in range(MOST_PAGES - 1)]
        await asyncio.gather(*(page.__aenter__() for page in more))
        cookie, token = first._cookie(), first._token
        async with connect(
            f"{site.url.replace('http', 'ws')}/__webagent__/pages",
            origin=site.url,  # type: ignore[arg-type]
            additional_headers={"cookie": cookie},
            subprotocols=[PROTOCOL],  # type: ignore[list-item]
        ) as socket:
            for message in (
                {"type": "token", "token": token, "secret": "s" * 24},
                {"type": "hello", "page_id": "", "document_id": "d", "url": "", "title": "",
                 "focused": True, "version": ""},
            ):  # fmt: skip
                await socket.send(json.dumps({"v": 1, **message}))
            await asyncio.wait_for(socket.wait_closed(), 5)
        pages = await site.agent.pages.of(f"session {first.session}")
        await asyncio.gather(*(page.close() for page in more))

    assert socket.close_code == TOO_MANY
    assert len(pages) == MOST_PAGES


async def test_any_process_calls_any_page(two: tuple[Site, Site]) -> None:
    """The page is at the first, and the call comes to the second."""
    first, second = two
    async with VisitorPage(first.url) as page:
        result = await second.call(page, word="sea")

    assert result["value"] == {"word": "sea"}
    assert list(page.done.values()) == [1]


async def test_a_page_that_moves_to_another_process_answers_its_call(
    two: tuple[Site, Site],
) -> None:
    """It works on the call once, wherever its connections go."""
    first, second = two
    begun = asyncio.Event()

    async def slow(call: dict[str, Any]) -> dict[str, Any]:
        begun.set()
        await asyncio.sleep(0.8)
        return good("done")

    async with VisitorPage(first.url, answer=slow) as page:
        calling = asyncio.create_task(first.call(page))
        await begun.wait()
        page.address = second.url
        await page.drop()
        result = await calling

    assert result["value"] == "done"
    assert list(page.done.values()) == [1]
