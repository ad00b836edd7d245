"""`/mcp`: loads the protocol with the first request, and costs nothing before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from webagent_dev.agents.owner_access import (
    Handler,
    error_response,
    no_authorization_server,
    owner_only,
)
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.extras import MCP
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.hub import Hub
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.live.timeline import Timeline
from webagent_dev.site.state import Site
from webagent_site.config.urls import MCP_PATH
from webagent_site.pages.relay import Relay

MOST_SESSIONS = 200
"""Limit of clients with sessions at a time."""

PAUSE_S = 0.05
"""Changes of pages within this time are one notification."""


class McpEndpoint:
    """Answers at `/mcp`."""

    def __init__(
        self,
        config: ServeConfig,
        site: Site,
        pages: OpenPages,
        relay: Relay,
        timeline: Timeline,
        hub: Hub,
        tasks: Tasks,
    ) -> None:
        """Serve one site.

        Args:
            config: Whether the endpoint is on, and who has access.
            site: Has the manifest.
            pages: The open ones.
            relay: Makes calls to them.
            timeline: Has what they log.
            hub: Broadcasts saves.
            tasks: Keep and publish the calls that take long.
        """
        self._config = config
        self._site = site
        self._pages = pages
        self._relay = relay
        self._tasks = tasks
        self._timeline = timeline
        self._requested = asyncio.Event()
        self._started = asyncio.Event()
        self._app: ASGIApp | None = None
        self._notify: Callable[[], None] | None = None
        self._is_due = False
        self._missing = ""
        hub.listen(lambda _: self.pages_changed())

    def routes(self, site_file: Handler | None) -> Iterator[Route]:
        """Yield the routes; nothing if the endpoint is off.

        Args:
            site_file: Answers with a file of the site; None behind a proxy.
        """
        if self._config.doors != "off":
            yield Route(MCP_PATH, owner_only(self._answer, self._config))
            yield from no_authorization_server(MCP_PATH, site_file)

    async def run(self) -> None:
        """Serve from the first request on, until cancelled."""
        await self._requested.wait()
        try:
            # In a thread, because it takes most of a second, and other requests must not wait for it.
            await asyncio.to_thread(_load)
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

            from webagent_dev.agents.mcp.server import PageServer
        except ImportError as error:
            self._missing = error.name or str(error)
            self._started.set()
            return
        server = PageServer(
            self._config, self._site, self._pages, self._relay, self._timeline, self._tasks
        )
        # Our guard has already checked host and origin, more strictly than the SDK would.
        manager = StreamableHTTPSessionManager(server, max_sessions=MOST_SESSIONS)
        async with manager.run(), asyncio.TaskGroup() as tasks:
            self._notify = lambda: server.changes.notify(tasks)
            self._app = manager.asgi_app
            self._started.set()
            try:
                await asyncio.Event().wait()
            finally:
                # Pages that close while the server ends are a change, too.
                self._notify = None

    def pages_changed(self) -> None:
        """Notify clients soon, if tools or resources have changed."""
        if self._notify and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(PAUSE_S, self._notify_now)

    def _notify_now(self) -> None:
        self._is_due = False
        if self._notify:
            self._notify()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._requested.set()
        await self._started.wait()
        if self._app:
            await self._app(scope, receive, send)
            return
        problem = f"{MCP.without(self._missing)}, and start this server again"
        response = error_response(501, "internal", problem)
        await response(scope, receive, send)


def _load() -> None:
    import webagent_dev.agents.mcp.server  # noqa: F401
