"""`serve --headless`: calls that find no open page, and pages of other origins."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Page

from tests.chromium import find_chromium
from tests.devserver.agents.a2a.client import A2a, words
from tests.devserver.agents.client import connected, text
from tests.e2e.conftest import Serve, Watch, held_until
from tests.page_client import owner
from tests.server import Server
from tests.upstream import listening, reply
from webagent.errors import NoPage, OriginMismatch
from webagent_dev.agents.headless import Headless
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.terminal import Console


@pytest.fixture(name="_chromium", autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", str(find_chromium()))


@pytest.mark.conformance
async def test_a_call_without_a_page_opens_one_that_stays_until_the_server_ends(
    serve: Serve, shop: Path, page: Page, watch: Watch
) -> None:
    """Clients list and call in it; the developer's own page goes first; Ctrl-C leaves no browser."""
    server = serve(shop, "--headless", process=True)
    async with connected(server) as client, owner(server) as api:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        await client.call_tool("addToBasket", {"bookId": "the-harbour-towns"})
        mine = await client.call_tool("getBasket", {})
        (headless,) = (await api.get("state")).json()["pages"]
        await page.goto(server.url)
        await page.evaluate("webagent.ready")
        theirs = await client.call_tool("getBasket", {})
        await page.goto(f"{server.url}/webagents.md")
        await gone(api)
        again = await client.call_tool("getBasket", {})
    started = children_of(server.pid)
    server.stop()
    # A text has no icon, and the browser looks for one; what it said so far is heard with an answer.
    await page.title()
    watch.errors.clear()

    assert "searchBooks" in tools
    assert headless["page_id"] == "headless"
    assert "The Harbour Towns" in text(mine)
    assert "The Harbour Towns" not in text(theirs)
    assert text(again) == text(mine)
    assert server.output.count("Chromium is started") == 1
    assert started
    assert not [process for process in started if lives(process)]


@pytest.mark.conformance
async def test_a_write_does_not_land_in_the_headless_page_in_silence(
    serve: Serve, shop: Path, page: Page, watch: Watch
) -> None:
    """It waits for the person's tab between two pages; once that is closed, it is refused first."""
    server = serve(shop, "--headless", process=True)
    add = {"bookId": "the-harbour-towns"}
    async with connected(server) as client, owner(server) as api:
        await client.call_tool("getBasket", {})
        await page.goto(server.url)
        await page.evaluate("webagent.ready")
        # The new page gets its script only after the call, so that the call comes between the two.
        called = asyncio.Event()
        await page.route("**/__webagent__/webagent.js", held_until(called))
        await page.evaluate("setTimeout(() => location.reload())")
        await gone(api)
        adding = asyncio.create_task(client.call_tool("addToBasket", add))
        await asyncio.sleep(0.2)
        called.set()
        added = await adding
        mine = await page.evaluate("webagent.call('getBasket')")
        (theirs,) = (await client.call_tool("call_page_tool", basket_of("headless"))).content
        await page.goto(f"{server.url}/webagents.md")
        refused = await client.call_tool("addToBasket", add)
        read = await client.call_tool("getBasket", {})
        again = await client.call_tool("addToBasket", add)
    # A text has no icon, and the browser looks for one.
    await page.title()
    watch.errors.clear()

    assert not added.is_error
    assert "The Harbour Towns" in json.dumps(mine)
    assert "The Harbour Towns" not in theirs.text
    assert "no_page: the page that was in front" in text(refused)
    assert "`headless`" in text(refused)
    assert not read.is_error
    assert "The Harbour Towns" not in text(read)
    assert not again.is_error


async def gone(api: httpx.AsyncClient) -> None:
    """Wait until the person's tab is gone and only the headless page is left."""
    async with asyncio.timeout(20):
        while len((await api.get("state")).json()["pages"]) > 1:
            pass


def basket_of(page_id: str) -> dict[str, str]:
    return {"name": "getBasket", "page_id": page_id}


@pytest.mark.conformance
async def test_a_page_of_an_allowed_origin_is_opened_for_a_task(
    template: Server, tmp_path: Path
) -> None:
    """And none that it only leads to; a page that cannot be reached is reported with the reason."""
    with listening() as away:
        away.answer = reply(f"HTTP/1.1 302 Found\nLocation: {template.url}/\nContent-Length: 0")
        allowed = (template.url, "http://127.0.0.1:9")
        own = headless_of(tmp_path, *allowed)
        leading = headless_of(tmp_path, away.url)
        try:
            async with own.cross_origin_page(f"{template.url}/") as port:
                seen = await port.snapshot()
            with pytest.raises(
                NoPage, match=r"`http://127\.0\.0\.1:9/` cannot be opened: browsers refuse"
            ):
                async with own.cross_origin_page("http://127.0.0.1:9/"):
                    pass
            with pytest.raises(OriginMismatch, match=f"`{template.url}` is not an origin"):
                async with leading.cross_origin_page(f"{away.url}/"):
                    pass
        finally:
            await own.close()
            await leading.close()

    assert seen.title == "Catchword Books, Wrenmouth"


@pytest.mark.conformance
async def test_a_goal_is_reached_on_a_page_of_an_allowed_origin(
    serve: Serve, shop: Path, template: Server
) -> None:
    """The agent works there from outside, with what that site declares, and asks the client."""
    server = serve(shop, "--headless", "--allow-origin", template.url)
    async with A2a(server) as client, asyncio.timeout(100):
        found = await client.send(f'search for books about "harbour" on {template.url}/')
        task = await client.send(f'add "The Harbour Towns" to the basket of {template.url}/')
        asked = []
        while task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED":
            asked.append(words(task))
            task = await client.send("yes", taskId=task["id"])
        two = await client.send(f"compare {template.url}/ and https://other.example/")

    assert found["status"]["state"] == "TASK_STATE_COMPLETED", words(found)
    assert "The Harbour Towns" in words(found)
    assert asked
    assert task["status"]["state"] == "TASK_STATE_COMPLETED", words(task)
    assert two["status"]["state"] == "TASK_STATE_REJECTED"


async def test_a_browser_that_does_not_start_is_reported_to_the_caller(
    serve: Serve, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And in the terminal; with what to do."""
    monkeypatch.setenv("CHROMIUM", str(shutil.which("false")))
    server = serve(shop, "--headless")
    async with owner(server) as api:
        asked = {"name": "getBasket", "arguments": {}}
        error = (await api.post("pages/focused/call", json=asked)).json()["error"]

    assert error["kind"] == "no_page"
    assert "no Chromium can be started" in error["message"]
    assert "`playwright install chromium`" in error["help"]
    await asyncio.to_thread(server.wait_for_output, "no Chromium can be started")


def headless_of(root: Path, *allowed: str) -> Headless:
    config = ServeConfig(root, headless=True, allow_origin=allowed)
    return Headless(config, OpenPages(lambda: None), Console(io.StringIO()))


def children_of(pid: int) -> list[Path]:
    """Return the processes that one has started, and those that they have."""
    found, asked = [], [pid]
    while asked:
        tasks = Path(f"/proc/{asked.pop()}/task").glob("*/children")
        for number in " ".join(task.read_text() for task in tasks).split():
            asked.append(int(number))
            found.append(Path(f"/proc/{number}"))
    return found


def lives(process: Path) -> bool:
    """Whether a process is still there, and not only in the lists of who has to bury it."""
    try:
        return "State:\tZ" not in (process / "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
