"""Pages that are left, closed, copied and come back in the middle of what they do for others."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Page, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.devserver.api.owner_client import nothing_left, streamed, until
from tests.e2e.conftest import ONLY_LOCAL, Serve, Watch, held_until
from tests.e2e.relay.site import call, listed, opened
from tests.model_server import ModelServer, asks
from tests.page_client import owner, owner_token
from tests.server import Server


async def test_a_page_that_is_left_in_mid_call_says_so(
    page: Page, server: Server, client: httpx.AsyncClient
) -> None:
    """At once, for a reload and for another address; the page after it takes calls."""
    await opened(page, server, client)
    for leave in ("location.reload()", "location.href = '/two.html'"):
        asking = asyncio.ensure_future(call(client, "wait"))
        await page.wait_for_function("window.waiting")
        await page.evaluate(leave)
        error = (await asyncio.wait_for(asking, 20))["error"]
        assert error["kind"] == "navigated"
        assert error["help"] == "what was started may have happened; look before you call it again"
        await page.wait_for_function("!window.waiting && window.webagent?.state === 'ready'")
        await listed(client, state="ready")
    await listed(client, title="Two")

    assert (await call(client, "search", query="x"))["value"] == ["x", "/two.html"]


@pytest.mark.conformance
async def test_a_page_that_is_closed_in_mid_call_is_gone(
    browser: Browser, server: Server, client: httpx.AsyncClient
) -> None:
    """It is not called `navigated`; without any page a call says what to do."""
    context = await browser.new_context()
    closed = await context.new_page()
    await opened(closed, server, client)
    asking = asyncio.ensure_future(call(client, "wait"))
    await closed.wait_for_function("window.waiting")
    await context.close()

    assert (await asyncio.wait_for(asking, 20))["error"]["kind"] == "page_gone"
    # It has said that it leaves a moment before it is gone.
    await nothing_left(client)
    none = (await call(client, "search", query="x"))["error"]
    assert none["kind"] == "no_page"
    assert none["help"].startswith("open one in a browser, and call again")


async def test_a_call_between_two_pages_waits_for_the_next_one(
    page: Page, server: Server, client: httpx.AsyncClient
) -> None:
    """At any moment after a navigation has begun, also by the tab's id."""
    await opened(page, server, client)
    (before,) = await listed(client)
    for page_id in ("focused", before["page_id"]):
        given = {"name": "search", "arguments": {"query": "x"}}
        # The new page gets its script only after the call, so that the call comes between the two.
        called = asyncio.Event()
        await page.route("**/__webagent__/webagent.js", held_until(called))
        await page.evaluate("setTimeout(() => location.reload())")
        await nothing_left(client)
        calling = asyncio.create_task(client.post(f"pages/{page_id}/call", json=given))
        await asyncio.sleep(0.2)
        assert not calling.done()
        called.set()
        answer = (await calling).json()
        await page.unroute("**/__webagent__/webagent.js")
        assert answer["ok"], answer


async def test_a_page_that_was_left_and_is_shown_again_takes_calls(
    page: Page, server: Server, client: httpx.AsyncClient
) -> None:
    """Under the id that its tab had before."""
    await opened(page, server, client)
    (before,) = await listed(client)
    await page.goto(f"{server.url}/two.html")
    await listed(client, title="Two", state="ready")
    await page.go_back()
    (after,) = await listed(client, title="A shop", state="ready")

    assert after["page_id"] == before["page_id"]
    assert (await call(client, "search", query="x"))["value"] == ["x", "/"]


async def test_a_copy_of_a_tab_is_another_page(
    page: Page, server: Server, client: httpx.AsyncClient
) -> None:
    """Each is called by its own id, and says its own title."""
    await opened(page, server, client)
    async with page.expect_popup() as opening:
        await page.evaluate("window.open('/two.html', '_blank')")
    copy = await opening.value
    pages = await listed(client, 2, title="Two", state="ready")
    await copy.evaluate("document.title = 'The copy'")
    pages = await listed(client, 2, title="The copy")
    values = {}
    for found in pages:
        given = {"name": "search", "arguments": {"query": "x"}}
        answer = await client.post(f"pages/{found['page_id']}/call", json=given)
        values[found["title"]] = answer.json()["value"][1]
    await copy.close()

    assert values == {"A shop": "/", "The copy": "/two.html"}
    first, second = (found["page_id"] for found in pages)
    assert second == f"{first}-2"


async def test_a_run_goes_on_over_a_navigation_with_its_questions(
    page: Page, serve: Serve, root: Path
) -> None:
    """The caller outside answers on both pages, and gets the end."""
    question = {"summary": "I am on the second page.", "question": "Which colour?"}
    script = (
        asks(("make_plan", {"plan": "I will go to the second page and ask."})),
        asks(("goto_url", {"url": "/two.html"})),
        asks(("communicate", question)),
        asks(("finish", {"text": "Red it is.", "success": True})),
    )
    with ModelServer(*script) as model:
        llm = ("--llm-base-url", model.url, "--llm-model", "scripted-1")
        server = serve(root, *llm)
        async with owner(server) as client:
            await opened(page, server, client)
            given = {"goal": "find a colour", "caller": "terminal"}
            kinds = []
            async with (
                streamed(client, "POST", "pages/focused/run", json=given) as events,
                asyncio.timeout(90),
            ):
                run = (await until(events, "run"))["run"]
                async for name, data in events:
                    if name == "question":
                        kinds.append(data["request"]["kind"])
                        said = {"question": data["question"], "yes": True, "text": "red"}
                        answer = await client.post(f"runs/{run}/answer", json=said)
                        assert answer.status_code == 204
                    if name == "result":
                        result = data
                        break
            callers = {
                entry.get("caller")
                for entry in (await client.get("timeline")).json()["entries"]
                if entry["kind"] == "agent"
            }
            state = (await client.get("state")).json()

    assert kinds[0] == "plan"
    assert kinds[-1] == "question"
    assert result["ok"], result
    assert (result["value"]["ok"], result["value"]["text"]) == (True, "Red it is.")
    assert page.url.endswith("/two.html")
    assert callers == {"terminal"}
    assert len(state["pages"]) == 1


@pytest.mark.conformance
async def test_closing_the_request_stops_the_run_also_on_its_second_page(
    page: Page, serve: Serve, root: Path
) -> None:
    """The agent is free for the next goal."""
    script = (
        asks(("make_plan", {"plan": "I will go to the second page and ask."})),
        asks(("goto_url", {"url": "/two.html"})),
        asks(("communicate", {"summary": "Here.", "question": "Which colour?"})),
    )
    with ModelServer(*script) as model:
        server = serve(root, "--llm-base-url", model.url, "--llm-model", "scripted-1")
        async with owner(server) as client:
            await opened(page, server, client)
            given = {"goal": "find a colour"}
            async with streamed(client, "POST", "pages/focused/run", json=given) as events:
                run = (await until(events, "run"))["run"]
                while (asked := await until(events, "question"))["request"]["kind"] != "question":
                    said = {"question": asked["question"], "yes": True}
                    await client.post(f"runs/{run}/answer", json=said)
            async with streamed(client, "GET", "events?after=0") as events:
                while (await until(events, "entry"))["detail"].get("type") != "finished":
                    pass

    assert page.url.endswith("/two.html")


@pytest.mark.conformance
async def test_a_server_that_is_killed_in_mid_call_is_found_again_by_its_page(
    page: Page, serve: Serve, root: Path, watch: Watch
) -> None:
    """The page loads anew and takes the next call; the token is the same as before."""
    server = serve(root, process=True)
    token = owner_token(server)
    async with owner(server) as client:
        await opened(page, server, client)
        asking = asyncio.ensure_future(call(client, "wait"))
        await page.wait_for_function("window.waiting")
        server.kill()
        with pytest.raises(httpx.TransportError):
            await asking
    again = serve(root, "--port", server.url.rpartition(":")[2])
    async with owner(again) as client:
        await listed(client, state="ready")
        assert (await call(client, "search", query="x"))["ok"]
    # The browser says that nobody was there.
    watch.errors.clear()

    assert again.url == server.url
    assert owner_token(again) == token


@pytest.mark.conformance
async def test_a_run_whose_server_was_killed_while_it_asked_ends(
    page: Page, serve: Serve, shop: Path, watch: Watch
) -> None:
    """Nobody claims it at the server that comes after; the agent takes the next goal."""
    server = serve(shop, process=True)
    given = {"goal": "add the-harbour-towns to the basket", "caller": "terminal"}
    async with owner(server) as client:
        await opened(page, server, client)
        with suppress(httpx.TransportError):
            async with streamed(client, "POST", "pages/focused/run", json=given) as events:
                await until(events, "question")
                server.kill()
                await until(events, "result")
    again = serve(shop, "--port", server.url.rpartition(":")[2])
    async with owner(again) as client, asyncio.timeout(60):
        await listed(client, state="ready")
        while True:
            asked = {"goal": "search for books about the harbour", "caller": "terminal"}
            async with streamed(client, "POST", "pages/focused/run", json=asked) as events:
                result = await until(events, "result")
            if result["ok"] or "works on another goal" not in result["error"]["message"]:
                break
    watch.errors.clear()

    assert result["ok"]
    assert result["value"]["ok"], result
    assert await page.evaluate("getBasket().then((basket) => basket.items.length)") == 0


async def test_a_run_that_goes_to_another_origin_ends_with_both(
    page: Page, server: Server, client: httpx.AsyncClient, serve: Serve, root: Path
) -> None:
    """Once the person has allowed it; nothing is said to be gone."""
    away = serve(root)
    await opened(page, server, client)
    async with (
        streamed(
            client, "POST", "pages/focused/run", json={"goal": f"go to {away.url}/"}
        ) as events,
        asyncio.timeout(90),
    ):
        run = (await until(events, "run"))["run"]
        asked = await until(events, "question")
        answer = {"question": asked["question"], "yes": True}
        await client.post(f"runs/{run}/answer", json=answer)
        result = await until(events, "result")
    await page.wait_for_url(f"{away.url}/")

    assert asked["request"]["details"]["to"] == away.url
    assert result["error"]["kind"] == "origin_mismatch"
    assert f"`{away.url}`" in result["error"]["message"]
    assert f"`{server.url}`" in result["error"]["message"]


@pytest.mark.conformance
async def test_a_page_out_of_the_back_forward_cache_takes_calls(
    server: Server, client: httpx.AsyncClient
) -> None:
    """It is the same document; what ran in it when it was left has had its answer."""
    # Playwright switches this cache off.
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(),
            args=[*ARGS, ONLY_LOCAL],
            ignore_default_args=["--disable-back-forward-cache"],
        )
        page = await browser.new_page()
        await opened(page, server, client)
        await page.evaluate("window.mark = 'the same'")
        (before,) = await listed(client, state="ready")
        asking = asyncio.ensure_future(call(client, "wait"))
        await page.wait_for_function("window.waiting")
        await page.goto(f"{server.url}/two.html")
        left = await asyncio.wait_for(asking, 30)
        await listed(client, title="Two", state="ready")
        await page.evaluate("void setTimeout(() => history.back())")
        await page.wait_for_function("window.mark === 'the same'")
        (after,) = await listed(client, title="A shop", state="ready")
        found = await call(client, "search", query="x")
        await browser.close()

    assert left["error"]["kind"] == "navigated"
    assert found["value"] == ["x", "/"]
    for word in ("page_id", "document_id"):
        assert after[word] == before[word]
