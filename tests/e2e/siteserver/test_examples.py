"""The examples of the documentation, served by uvicorn and used in Chromium."""

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

EXAMPLES = Path(__file__).parents[3] / "docs/examples"
START_S = 20


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
        await page.evaluate("addBook('The Salt Ledger')")
        await expect(page.locator("#books li")).to_have_text(["The Salt Ledger"])
        result = await page.evaluate("webagent.run('Show my books')")
        assert result["ok"], result
        assert "The Salt Ledger" in str(result)
