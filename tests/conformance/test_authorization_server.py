"""The official suite of MCP, against the authorization server of a site."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette

from tests.deployed import free_port
from tests.mcp_kit import node, suite
from tests.siteserver.assistants.conftest import fields_of
from webagent_site import Assistants, WebAgent

pytestmark = pytest.mark.timeout(600)

MANIFEST = "# Shop\n\nSells books.\n\n## searchBooks\nFind books.\n"


@contextmanager
def site(folder: Path) -> Iterator[str]:
    """Serve a site that assistants may register with; yield its origin."""
    origin = f"http://127.0.0.1:{free_port()}"
    (folder / "webagents.md").write_text(MANIFEST, "utf-8")
    options = Assistants(origin, registration=True)
    app = WebAgent(folder / "webagents.md", assistants=options).wrap(Starlette())
    config = uvicorn.Config(app, port=int(origin.rpartition(":")[2]), log_config=None)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    try:
        yield origin
    finally:
        server.should_exit = True
        thread.join()


async def press_connect(address: str) -> None:
    """Do what a visitor does who opens the address that the suite prints."""
    async with httpx.AsyncClient() as browser:
        sent = await browser.get(address)
        page = await browser.get(sent.headers["location"])
        consent = str(page.url.copy_with(query=None))
        origin = f"{page.url.scheme}://{page.url.netloc.decode()}"
        answer = await browser.post(
            consent, data={**fields_of(page), "answer": "connect"}, headers={"origin": origin}
        )
        await browser.get(answer.headers["location"])


async def test_the_authorization_server_passes_the_suite(tmp_path: Path) -> None:
    """Both of its scenarios, with nothing skipped and no warning."""
    with site(tmp_path) as origin:
        port = free_port()
        redirects = [f"http://127.0.0.1:{port}/callback"]
        async with httpx.AsyncClient() as client:
            registered = await client.post(
                f"{origin}/__webagent__/oauth/register", json={"redirect_uris": redirects}
            )
        running = await asyncio.create_subprocess_exec(
            *(node(), suite(), "authorization", "--url", f"{origin}/__webagent__/oauth"),
            *("--client-id", registered.json()["client_id"], "--resource", f"{origin}/mcp"),
            *("--port", str(port), "-o", tmp_path / "results"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert running.stdout
        out = ""
        while line := (await running.stdout.readline()).decode():
            out += line
            if re.match(rf"{origin}/\S+authorize\?", line):
                await press_connect(line.strip())
        status = await running.wait()

    assert status == 0, out
    assert "Total: 3 passed, 0 failed" in out, out
