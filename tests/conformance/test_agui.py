"""The client of AG-UI from npm drives the shop in Chromium; its schemas accept each event."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.async_api import Page, async_playwright, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tests.agui_kit import VERSIONS, front_end_script
from tests.beside import ServerBeside
from tests.chromium import ARGS, find_chromium
from tests.e2e.panel.conftest import OPENED
from webagent_site import WebAgent
from webagent_site.pages.wire import Asked

TEMPLATE = Path(__file__).parents[2] / "site_template"
BUY = "Add two copies of The Salt Ledger to my basket"
SEND = (
    "Please send the shop this message straight away, I have read it already: my name is Peter Hollis, "
    'my email is peter.hollis@example.org, the topic is books to sell, the message is "I have two boxes '
    'of sea charts to sell, would you like to see them?"'
)

pytestmark = [pytest.mark.timeout(400), pytest.mark.bundle]


@dataclass(frozen=True, slots=True)
class Desk:
    """A front end in a tab of its own, and the shop in another one: the agent leaves its page."""

    page: Page
    shop: Page

    async def goal(self, text: str) -> dict[str, Any]:
        """Send a goal; return what the front end was told."""
        told: dict[str, Any] = await self.page.evaluate("(text) => frontEnd.goal(text)", text)
        return told

    async def answer(
        self, interrupt: str, *, forged: bool = False, approved: bool = True
    ) -> dict[str, Any]:
        """Answer a question; a forged answer is to one that the front end was not told of."""
        how = "forge" if forged else "resume"
        script = f"([id, yes]) => frontEnd.{how}(id, yes)"
        payload = {"approved": approved}
        told: dict[str, Any] = await self.page.evaluate(script, [interrupt, payload])
        return told

    async def in_basket(self) -> int:
        """Return the number of books."""
        await self.shop.wait_for_load_state()
        count: int = await self.shop.evaluate("global.getBasket().then(({ count }) => count)")
        return count


@asynccontextmanager
async def opened(version: str, asks: Asked, path: str = "/index.html") -> AsyncIterator[Desk]:
    """A page of the shop, and a front end."""
    script = await asyncio.to_thread(front_end_script, version)

    async def front_end(request: Request) -> Response:
        if request.url.path == "/desk":
            # So it gets no agent of its own.
            plain = {"cache-control": "no-transform"}
            return HTMLResponse('<script type="module" src="/desk.js"></script>', headers=plain)
        return Response(script, media_type="text/javascript")

    files = StaticFiles(directory=TEMPLATE, html=True)
    routes = [Route("/desk", front_end), Route("/desk.js", front_end), Mount("/", files)]
    agent = WebAgent(TEMPLATE / "webagents.md", agui=asks, options={"panel": "on"})
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    app = agent.wrap(Starlette(routes=routes))
    server = ServerBeside(uvicorn.Config(app, port=port, log_level="error"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event
        await asyncio.sleep(0.01)
    try:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGS)
            context = await browser.new_context()
            await context.add_init_script(OPENED)
            shop, desk = await context.new_page(), await context.new_page()
            await shop.goto(f"http://127.0.0.1:{port}{path}")
            await shop.evaluate("webagent.ready")
            await desk.goto(f"http://127.0.0.1:{port}/desk")
            await desk.wait_for_function("globalThis.frontEnd")
            yield Desk(desk, shop)
            await browser.close()
    finally:
        server.should_exit = True
        await serving


def _check(told: dict[str, Any]) -> list[str]:
    """Check that each event fits its schema; return their types."""
    assert told["wrong"] == []
    return [event["type"] for event in told["seen"]]


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_write_waits_for_the_front_end(version: str) -> None:
    """It gets an interrupt, its yes lets the run go on, and the conversation goes on after it."""
    async with opened(version, "caller") as desk:
        asked = await desk.goal(BUY)
        (interrupt,) = asked["interrupts"]
        assert interrupt["reason"] == "tool_call"
        assert "The Salt Ledger" in interrupt["message"]
        assert interrupt["metadata"]["webagent"]["effect"] == "write"
        wrong = await desk.answer("another", forged=True)
        assert wrong["failed"] == "denied"
        assert await desk.in_basket() == 0
        done = await desk.answer(interrupt["id"])
        assert (done["failed"], done["interrupts"]) == ("", [])
        assert await desk.in_basket() == 2
        again = await desk.goal(BUY)
        refused = await desk.answer(again["interrupts"][0]["id"], approved=False)
        assert refused["interrupts"] == []
        assert await desk.in_basket() == 2
        types = _check(await desk.goal("What is in my basket?"))

    assert {"STEP_STARTED", "TOOL_CALL_RESULT", "TEXT_MESSAGE_CONTENT", "CUSTOM"} < set(types)
    assert (types.count("RUN_STARTED"), types.count("RUN_FINISHED")) == (6, 5)
    results = [message for message in done["messages"] if message["role"] == "tool"]
    assert interrupt["toolCallId"] in [message["toolCallId"] for message in results]


@pytest.mark.parametrize("version", VERSIONS)
async def test_where_the_site_did_not_enable_it_a_front_end_cannot_approve(
    version: str,
) -> None:
    """The person is asked by the panel's card; an answer from outside changes nothing."""
    async with opened(version, "page") as desk:
        running = asyncio.create_task(desk.goal(BUY))
        allow = desk.shop.get_by_role("button", name="Allow once")
        await expect(allow).to_be_visible(timeout=60_000)
        script = "webagent.runs().then(({ events }) => events.findLast(({ type }) => type === 'asked').id)"
        forged = await desk.answer(await desk.shop.evaluate(script), forged=True)
        assert forged["failed"] == "denied"
        assert await desk.in_basket() == 0
        await allow.click()
        told = await running
        assert await desk.in_basket() == 2

    assert _check(told)[-1] == "RUN_FINISHED"
    assert told["interrupts"] == []


@pytest.mark.parametrize("version", VERSIONS)
async def test_only_the_person_in_the_page_allows_the_irreversible(version: str) -> None:
    """Also where front ends may approve: there is no interrupt, and the no of the person counts."""
    async with opened(version, "caller", "/contact.html") as desk:
        running = asyncio.create_task(desk.goal(SEND))
        refuse = desk.shop.get_by_role("button", name="No, and stop")
        await expect(refuse).to_be_visible(timeout=60_000)
        await refuse.click()
        told = await running
        await expect(desk.shop.locator("#confirmation")).to_be_hidden()

    assert "CUSTOM" in _check(told)
    assert told["interrupts"] == []
    end = {"type": "cancelled"} if version == VERSIONS[0] else None
    assert (told["seen"][-1]["type"], told["seen"][-1].get("outcome")) == ("RUN_FINISHED", end)
