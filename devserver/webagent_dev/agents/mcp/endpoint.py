"""`/mcp`: begins to speak the protocol with the first request, and costs nothing before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from webagent_dev.agents.owner_access import Door, Handler, no_authorization_server, refusal
from webagent_dev.config.extras import cannot_speak
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import MCP_PATH
from webagent_dev.live.hub import Hub
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.live.relay import Relay
from webagent_dev.site.state import Site

MOST_SESSIONS = 200
"""Clients of the older protocol versions that may be connected at a time."""

PAUSE_S = 0.05
"""Changes of the pages that come together are told together."""


class McpDoor:
    """Answers at `/mcp`."""

    def __init__(
        self, config: ServeConfig, site: Site, pages: OpenPages, relay: Relay, hub: Hub
    ) -> None:
        """Stand ready.

        Args:
            config: Whether there is such a door.
            site: Its manifest.
            pages: The open ones.
            relay: How they are called.
            hub: Where saves are told.
        """
        self._config = config
        self._site = site
        self._pages = pages
        self._relay = relay
        self._wanted = asyncio.Event()
        self._begun = asyncio.Event()
        self._app: ASGIApp | None = None
        self._tell: Callable[[], None] | None = None
        self._untold = False
        self._missing = ""
        hub.listen(lambda _: self.pages_changed())

    def routes(self, site_file: Handler | None) -> Iterator[Route]:
        """Yield the routes, none if the door is off.

        Args:
            site_file: Answers with a file of the site; None when a server behind ours does.
        """
        if self._config.doors != "off":
            yield Route(MCP_PATH, Door(self._answer, self._config))
            yield from no_authorization_server(MCP_PATH, site_file)

    async def run(self) -> None:
        """Speak the protocol from the first request on, until this is cancelled."""
        await self._wanted.wait()
        try:
            # Takes most of a second, in which pages are still answered.
            await asyncio.to_thread(_load)
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

            from webagent_dev.agents.mcp.server import PageServer
        except ImportError as error:
            self._missing = error.name or str(error)
            self._begun.set()
            return
        server = PageServer(self._site, self._pages, self._relay)
        # Our guard has judged host and origin already, more strictly.
        manager = StreamableHTTPSessionManager(server, max_sessions=MOST_SESSIONS)
        async with manager.run(), asyncio.TaskGroup() as tasks:
            self._tell = lambda: server.changes.look(tasks)
            self._app = manager.asgi_app
            self._begun.set()
            await asyncio.Event().wait()

    def pages_changed(self) -> None:
        """Tell clients soon, if what is offered is something else now."""
        if self._tell and not self._untold:
            self._untold = True
            asyncio.get_running_loop().call_later(PAUSE_S, self._tell_now)

    def _tell_now(self) -> None:
        self._untold = False
        if self._tell:
            self._tell()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._wanted.set()
        await self._begun.wait()
        if self._app:
            await self._app(scope, receive, send)
            return
        response = refusal(501, "internal", cannot_speak(self._missing))
        await response(scope, receive, send)


def _load() -> None:
    import webagent_dev.agents.mcp.server  # noqa: F401
