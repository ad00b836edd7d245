"""The application: read it from top to bottom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route, request_response
from starlette.types import ASGIApp, Receive, Scope, Send

from webagent_dev.config.file_watch import ConfigWatch
from webagent_dev.config.model import ServeConfig
from webagent_dev.http.access import Guard
from webagent_dev.live.hub import Hub
from webagent_dev.live.watch import Watcher
from webagent_dev.site.announced import Announced
from webagent_dev.site.files import Files
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.config.urls import CONTROL_PATH, MANIFEST_PATH, MCP_PATH
from webagent_site.http.assets import Assets
from webagent_site.http.sentences import sentence

if TYPE_CHECKING:
    from webagent_dev.agents.owner_access import Handler
    from webagent_dev.app.services import Services
    from webagent_dev.proxy.reverse_proxy import ReverseProxy

END_S = 2.0
"""How long calls that run may take to be answered when the server ends."""


class Ending:
    """The end of a server: calls are answered, and only then connections are closed."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.answer_calls: Callable[[float], Awaitable[bool]] | None = None
        """Ends the calls that run, within seconds; returns whether there were any."""


class ServiceRoutes(BaseRoute):
    """The routes of the services, which are made with the first request for one of them."""

    PATHS = (CONTROL_PATH, MCP_PATH, "/a2a/", "/.well-known/")
    """How their paths begin."""
    _ROUTE = "webagent.route"
    """The key of a scope for the route that it matches best."""

    def __init__(self, make: Callable[[], Services], site_file: Handler | None) -> None:
        """Take what the routes need.

        Args:
            make: Makes the services.
            site_file: See `Services.routes`.
        """
        self._make = make
        self._site_file = site_file
        self._services: Services | None = None
        self._needed = asyncio.Event()
        self._routes: Sequence[BaseRoute] = ()

    @property
    def routes(self) -> Sequence[BaseRoute]:
        """All of them."""
        self.load()
        return self._routes

    def load(self) -> None:
        """Make the services, unless they are there."""
        if self._services is None:
            self._services = self._make()
            self._routes = [*self._services.routes(self._site_file)]
            self._needed.set()

    async def run(self) -> None:
        """Serve what lasts longer than a request, until cancelled."""
        await self._needed.wait()
        assert self._services
        await self._services.run()

    async def answer_calls(self, within_s: float) -> bool:
        """End the calls that run; return whether there were any."""
        return self._services is not None and await self._services.answer_calls(within_s)

    async def close(self) -> None:
        """Close what is open, after the last request."""
        if self._services:
            await self._services.close()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return how well a request matches the best of the routes, and what is known of it then."""
        best: tuple[Match, Scope] = (Match.NONE, {})
        if scope["path"].startswith(self.PATHS):
            for route in self.routes:
                match, child = route.matches(scope)
                if match.value > best[0].value:
                    best = match, {**child, self._ROUTE: route}
                if match is Match.FULL:
                    break
        return best

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that matches."""
        await scope[self._ROUTE].handle(scope, receive, send)


def create_app(
    config: ServeConfig,
    site: Site,
    assets: Assets,
    console: Console,
    *,
    announced: asyncio.Event | None = None,
    ending: Ending | None = None,
) -> ASGIApp:
    """Return the application that serves a site and watches it while it runs.

    Args:
        config: Where it is served; `port` is the port that is really bound.
        site: The folder and the state of its manifest.
        assets: The page bundle.
        console: Where saves and errors of pages are shown.
        announced: Set once the address of the server is in the terminal; other lines of the start
            come after it.
        ending: Begun by the server before its connections are closed.
    """
    hub = Hub()
    files = Files(config, site, partial(hub.live_path, config))
    ending = ending or Ending()
    started = datetime.now(UTC)
    watcher = Watcher(
        site,
        hub,
        console,
        manifest=config.manifest,
        command=config.manifest_command is not None,
        pages=config.reload and config.proxy is None,
    )
    reverse_proxy = _reverse_proxy(config, site, hub, console, watcher)

    def make_services() -> Services:
        # Imported late: a page is sent before it connects.
        from webagent_dev.app.services import Services

        return Services(*(config, site, assets, console, hub), started=started, ending=ending.begun)

    # A file of the site comes before some of ours, but not behind a proxy.
    services = ServiceRoutes(make_services, None if reverse_proxy else files.file)
    ending.answer_calls = services.answer_calls
    if config.llm:
        # The mistakes of its configuration are those of the start.
        services.load()
    # The timeline has every save.
    hub.listen(lambda _: services.load())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(watcher.run()),
                tasks.create_task(ConfigWatch(config, console).run()),
            ]
            # The first request is answered once the watch is running, so that no save is missed.
            await watcher.ready.wait()
            running.append(tasks.create_task(services.run()))
            if reverse_proxy:
                running.append(tasks.create_task(reverse_proxy.start(announced)))
            yield
            for task in running:
                task.cancel()
        await services.close()
        if reverse_proxy:
            await reverse_proxy.close()

    routes: list[BaseRoute] = [
        # The live channel of open pages, and the protocols for programs that use their tools.
        services,
        *(reverse_proxy.first_routes() if reverse_proxy else ()),
        # Our own files come before the site's, so that no folder of the site can hide them.
        Route(f"{CONTROL_PATH}/{{path:path}}", assets.file),
    ]
    if reverse_proxy:
        # Everything else is forwarded to the upstream.
        routes += reverse_proxy.last_routes()
    else:
        routes += [
            # The manifest comes from memory: pages keep the last good one while it is broken.
            Route(MANIFEST_PATH, files.manifest),
            # Other announcements, unless the site has such files itself.
            *Announced(config, site).routes(request_response(files.file)),
            # Everything else is a file.
            Route("/{path:path}", files.file),
        ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={405: _method_not_allowed})
    # Around everything, the handling of errors included, so that it sees every response.
    return Guard(app, config)


def _reverse_proxy(
    config: ServeConfig, site: Site, hub: Hub, console: Console, watcher: Watcher
) -> ReverseProxy | None:
    if config.proxy is None:
        return None
    # Imported late: a server of a folder needs no HTTP client.
    from webagent_dev.proxy.reverse_proxy import ReverseProxy

    return ReverseProxy(config, site, hub, console, watcher.refresh)


async def _method_not_allowed(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = sentence("only GET and HEAD are answered here - nothing can be written", 405)
    response.headers.update(error.headers or {})
    return response
