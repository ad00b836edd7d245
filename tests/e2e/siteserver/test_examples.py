"""Applications with the agent in their pages, served by uvicorn and used in Chromium."""

from __future__ import annotations

import importlib.util
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from playwright.async_api import Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.model_server import Loopback, ModelServer, asks
from webagent_site import WebAgent
from webagent_site.config.llm import ModelKeys
from webagent_site.llm.gateway import LlmGateway
from webagent_site.tools.frameworks import starlette_routes

EXAMPLES = Path(__file__).parents[3] / "docs/examples"
START_S = 20
HTML = "<!doctype html><title>Books</title><link rel=icon href='data:,'><h1>Books</h1>"


@contextmanager
def served(name: str) -> Iterator[str]:
    """Serve the application of an example; yield its address."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / name / "app.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(module.app, log_level="warning", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        until = time.monotonic() + START_S
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < until, "uvicorn did not start"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(START_S)


async def test_starlette(page: Page) -> None:
    """A visitor logs in, and the agent without a model calls a tool with their session."""
    with served("starlette") as address:
        await page.goto(address)
        await page.get_by_label("Name").fill("Ada")
        await page.get_by_role("button", name="Log in").click()
        await expect(page.get_by_text("Books of Ada")).to_be_visible()
        await page.wait_for_function("!!window.addBook")
        await page.evaluate("addBook('The Salt Ledger')")
        await expect(page.locator("#books li")).to_have_text(["The Salt Ledger"])
        result = await page.evaluate("webagent.run('Show my books')")
        assert result["ok"], result
        assert "The Salt Ledger" in str(result)


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

        routes = [Route("/", shop), *starlette_routes(webagent.tools)]
        running = Loopback(webagent.wrap(Starlette(routes=routes)))
        await cold_page.goto(running.origin)
        result = await cold_page.evaluate("webagent.run('how many books about tea are there?')")
        running.stop()

    assert result["ok"], result
    assert result["text"] == "There are 3."
    assert [call["name"] for call in result["calls"]] == ["countBooks"]
    assert model.requests[0].headers["authorization"] == "Bearer sk-very-secret/0123456789"
