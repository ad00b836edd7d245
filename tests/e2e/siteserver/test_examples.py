"""Applications with the agent in their pages, served as their READMEs say and used in Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.examples import EXAMPLES, log_in, served
from tests.model_server import Loopback, ModelServer, asks
from webagent_site import WebAgent
from webagent_site.config.llm import ModelKeys
from webagent_site.llm.gateway import LlmGateway
from webagent_site.tools.frameworks import starlette_routes

HTML = "<!doctype html><title>Books</title><link rel=icon href='data:,'><h1>Books</h1>"


async def test_starlette(page: Page, tmp_path: Path) -> None:
    """A visitor logs in, and the agent without a model calls a tool with their session."""
    with served("starlette", tmp_path) as address:
        await page.goto(address)
        await log_in(page, "starlette")
        await page.evaluate("addBook('Nine Ferries North')")
        await expect(page.locator("#books li")).to_have_text(["Nine Ferries North"])
        result = await page.evaluate("webagent.run('Show my books')")
        assert result["ok"], result
        assert "Nine Ferries North" in str(result)


@pytest.mark.conformance
async def test_an_import_map_of_the_page_is_heard(page: Page) -> None:
    """Firefox ignores one that comes after the first module, such as the agent."""
    html = """<!doctype html><title>Books</title><link rel=icon href='data:,'>
    <script type="importmap">{"imports": {"books": "/books.js"}}</script>
    <script type="module">import { count } from "books"; window.count = count;</script>"""

    async def shop(_: Request) -> Response:
        return HTMLResponse(html)

    async def books(_: Request) -> Response:
        return Response("export const count = 3;", media_type="text/javascript")

    webagent = WebAgent(EXAMPLES / "starlette" / "webagents.md")
    app = Starlette(routes=[Route("/", shop), Route("/books.js", books)])
    running = Loopback(webagent.wrap(app))
    await page.goto(running.origin)
    await page.wait_for_function("window.count === 3 && window.webagent")
    running.stop()


async def test_a_model_of_the_site(cold_page: Page) -> None:
    """The page gets its token by itself; the model calls a function of the application."""
    with ModelServer(
        asks(("countBooks", {"word": "tea"})),
        asks(("finish", {"text": "There are 3.", "success": True})),
    ) as model:
        keys: ModelKeys = {
            "model": "openai-chat:gpt-5-mini",
            "base_url": model.url,
            "api_key_env": "KEY",
        }
        gateway = LlmGateway.for_site(keys, environment={"KEY": "sk-very-secret/0123456789"})
        webagent = WebAgent(EXAMPLES / "starlette" / "webagents.md", model=gateway)

        @webagent.tool(effect="read", sample_code="await global.countBooks('tea');")
        def countBooks(word: str) -> int:
            """Count books by a word of their title."""
            return len(word)

        async def shop(_: Request) -> Response:
            return HTMLResponse(HTML)

        async def close(_: Request) -> Response:
            # `Loopback` has no lifespan, and the connections belong to its loop.
            await webagent.close()
            return Response(status_code=204)

        routes = [Route("/", shop), Route("/close", close), *starlette_routes(webagent.tools)]
        running = Loopback(webagent.wrap(Starlette(routes=routes)))
        await cold_page.goto(running.origin)
        result = await cold_page.evaluate("webagent.run('how many books about tea are there?')")
        closed = await cold_page.evaluate("fetch('/close').then((answer) => answer.status)")
        running.stop()

    assert closed == 204
    assert result["ok"], result
    assert result["text"] == "There are 3."
    assert [call["name"] for call in result["calls"]] == ["countBooks"]
    assert model.requests[0].headers["authorization"] == "Bearer sk-very-secret/0123456789"
