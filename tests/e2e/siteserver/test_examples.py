"""Applications with the agent in their pages, served as their READMEs say and used in Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.examples import EXAMPLES, served
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
        await page.get_by_label("Name").fill("Ada")
        await page.get_by_role("button", name="Log in").click()
        await expect(page.get_by_text("Books of Ada")).to_be_visible()
        await page.wait_for_load_state()
        await page.evaluate("addBook('The Salt Ledger')")
        await expect(page.locator("#books li")).to_have_text(["The Salt Ledger"])
        result = await page.evaluate("webagent.run('Show my books')")
        assert result["ok"], result
        assert "The Salt Ledger" in str(result)


@pytest.mark.conformance
async def test_fastapi(page: Page, tmp_path: Path) -> None:
    """A visitor logs in, and the agent calls a function of the application with their session."""
    with served("fastapi", tmp_path) as address:
        await page.goto(address)
        await page.get_by_label("Name").fill("Ada")
        await page.get_by_role("button", name="Log in").click()
        await expect(page.get_by_text("Runs of Ada")).to_be_visible()
        await page.wait_for_load_state()
        await page.evaluate("addRun(7.5)")
        await expect(page.locator("#runs li")).to_have_text(["7.5 km"])
        result = await page.evaluate("webagent.run('Show my runs')")

    assert result["ok"], result
    assert [call["name"] for call in result["calls"]] == ["listRuns"]
    assert "7.5" in str(result)


@pytest.mark.conformance
async def test_django(page: Page, tmp_path: Path) -> None:
    """A visitor logs in, and the agent calls a function of the application with their session."""
    with served("django", tmp_path) as address:
        await page.goto(address)
        await page.get_by_role("link", name="Join").click()
        await page.get_by_label("Username").fill("Ada")
        await page.get_by_label("Password:").fill("a-long-one-1815")
        await page.get_by_label("Password confirmation").fill("a-long-one-1815")
        await page.get_by_role("button", name="Continue").click()
        await page.wait_for_url("**/login")
        await page.get_by_label("Username").fill("Ada")
        await page.get_by_label("Password").fill("a-long-one-1815")
        await page.get_by_role("button", name="Continue").click()
        await expect(page.get_by_text("Tasks of Ada")).to_be_visible()
        await page.wait_for_load_state()
        await page.evaluate("addTask('Water the plants')")
        await expect(page.locator("#tasks li")).to_have_text(["Water the plants"])
        result = await page.evaluate("webagent.run('Show my tasks')")

    assert result["ok"], result
    assert [call["name"] for call in result["calls"]] == ["listTasks"]
    assert "Water" in str(result)


@pytest.mark.conformance
async def test_flask(page: Page, tmp_path: Path) -> None:
    """A visitor logs in, and the agent calls a function of the application with their session."""
    with served("flask", tmp_path) as address:
        await page.goto(address)
        await page.get_by_label("Name").fill("Ada")
        await page.get_by_role("button", name="Log in").click()
        await expect(page.get_by_text("Guests of Ada")).to_be_visible()
        await page.wait_for_load_state()
        await page.evaluate("inviteGuest('Grace')")
        await expect(page.locator("#guests li")).to_have_text(["Grace"])
        result = await page.evaluate("webagent.run('Show my guests')")

    assert result["ok"], result
    assert [call["name"] for call in result["calls"]] == ["listGuests"]
    assert "Grace" in str(result)


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
