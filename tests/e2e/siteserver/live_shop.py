"""The bookshop with accounts, whose server uses the pages that its visitors have open."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.beside import ServerBeside
from tests.e2e.siteserver.bookshop import HTML, MANIFEST
from webagent_site import WebAgent
from webagent_site.broker.broker import Broker
from webagent_site.http.visitors import Visitors
from webagent_site.llm.gateway import LlmGateway


class LiveShop:
    """The bookshop with accounts: `/?user=NAME` logs in."""

    def __init__(self, folder: Path, *, broker: Broker | None = None, **options: Any) -> None:
        """Serve it in this loop (`serving`).

        Args:
            folder: Where its manifest is written.
            broker: What its processes share.
            options: What else `WebAgent` takes.
        """
        (folder / "webagents.md").write_text(MANIFEST)
        visitors = Visitors(b"1" * 32, account=lambda request: request.session.get("user"))
        self.agent = WebAgent(
            folder / "webagents.md",
            model=LlmGateway(None, visitors, broker=broker),
            options={"panel": "on"},
            **options,
        )
        routes = [Route("/", self._page), Route("/other", self._page)]
        app = SessionMiddleware(self.agent.wrap(Starlette(routes=routes)), secret_key="0" * 32)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = int(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{port}"
        self.server = ServerBeside(uvicorn.Config(app, port=port, log_level="error"))

    async def _page(self, request: Request) -> Response:
        if user := request.query_params.get("user"):
            request.session["user"] = user
        return HTMLResponse(HTML.replace("LANGUAGE", "en"))

    async def call(self, user: str, tool: str, **given: Any) -> dict[str, Any]:
        """Call a tool of the page that a user has open."""
        pages = self.agent.pages
        for _ in range(200):
            found = await pages.of(f"account {user}")
            if found and found[0].state != "starting":
                break
            await asyncio.sleep(0.1)
        return await pages.call(found[0], "tool", tool, given, timeout_s=60, caller="The shop")
