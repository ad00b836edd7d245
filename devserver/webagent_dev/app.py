"""The application: read it from top to bottom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import TYPE_CHECKING

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute, request_response
from starlette.types import ASGIApp

from webagent_dev.agents.a2a.endpoint import A2aEndpoint
from webagent_dev.agents.goal_api.endpoint import GoalApiEndpoint
from webagent_dev.agents.mcp.endpoint import McpEndpoint
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.api.editor import OpenEditor
from webagent_dev.api.inspector import PAGE, inspector
from webagent_dev.api.owner_api import Api
from webagent_dev.config.file_watch import ConfigWatch
from webagent_dev.config.model import ServeConfig
from webagent_dev.http.access import Guard
from webagent_dev.live.channel import Live
from webagent_dev.live.hub import Hub
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.live.page_console import PageConsole
from webagent_dev.live.timeline import Timeline
from webagent_dev.live.watch import Watcher
from webagent_dev.site.announced import Announced
from webagent_dev.site.files import Files
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.config.urls import CONTROL_PATH, FALLBACK_PATH, LLM_PATH, MANIFEST_PATH
from webagent_site.http.assets import Assets
from webagent_site.http.sentences import sentence
from webagent_site.pages.relay import Relay
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent_dev.agents.a2a.job import Agent
    from webagent_dev.agents.goal_api.worker import Worker
    from webagent_dev.agents.headless import Headless
    from webagent_dev.proxy.reverse_proxy import ReverseProxy
    from webagent_site.llm.gateway import LlmGateway


END_S = 2.0
"""How long calls that run may take to be answered when the server ends."""


_NO_MODEL = {
    LLM_PATH: "the development server has no model - runs plan without one - "
    "start it with `--llm-model PROVIDER:MODEL`",
    FALLBACK_PATH: "the development server has no second model - runs end when the first one fails - "
    "name it below `[llm.fallback]` in `webagent.toml`",
}


class Ending:
    """The end of a server: calls are answered, and only then connections are closed."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.answer_calls: Callable[[], Awaitable[bool]] | None = None
        """Ends the calls that run; returns whether there were any."""


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
    timeline = Timeline()

    def pages_changed() -> None:
        api.pages_changed()
        mcp.pages_changed()
        goal_api.pages_changed()

    pages = OpenPages(pages_changed)
    relay = Relay(pages)
    ending = ending or Ending()
    headless = _headless(config, pages, console)
    api = Api(config, site, pages, relay, timeline, hub, build=assets.build)
    client_tasks = Tasks(TaskStore(site.root, console))
    mcp = McpEndpoint(config, site, pages, relay, timeline, hub, client_tasks)
    a2a = A2aEndpoint(
        config, site, client_tasks, partial(_page_agent, config, pages, relay, headless)
    )
    make_worker = partial(_worker, config, pages, relay, client_tasks, headless)
    goal_api = GoalApiEndpoint(config, client_tasks, make_worker)
    live = Live(
        *(config, site, hub, pages, relay, timeline),
        PageConsole(console, site, forward_console=config.forward_console),
        build=assets.build,
        ending=ending.begun,
    )
    gateway = cache(partial(_gateway, config, site, console))
    if config.llm:
        # Its mistakes are those of the start.
        gateway()
    watcher = Watcher(
        site,
        hub,
        console,
        manifest=config.manifest,
        command=config.manifest_command is not None,
        pages=config.reload and config.proxy is None,
    )
    reverse_proxy = _reverse_proxy(config, site, hub, console, watcher)

    async def model(request: Request) -> Response:
        return await gateway().model_endpoint(request)

    async def fallback(request: Request) -> Response:
        return await gateway().fallback_endpoint(request)

    async def answer_calls() -> bool:
        had_calls = relay.stop()
        return await client_tasks.settle(END_S) or had_calls

    ending.answer_calls = answer_calls

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watcher.run)
            tasks.start_soon(ConfigWatch(config, console).run)
            # The first request is answered once the watch is running, so that no save is missed.
            await watcher.ready.wait()
            tasks.start_soon(mcp.run)
            if reverse_proxy:
                tasks.start_soon(reverse_proxy.start, announced)
            yield
            tasks.cancel_scope.cancel()
        await client_tasks.close()
        if headless:
            await headless.close()
        if reverse_proxy:
            await reverse_proxy.close()
        if gateway.cache_info().currsize:
            await gateway().close()

    routes: list[BaseRoute] = [
        # The live channel, first because the paths below match it, too.
        WebSocketRoute(f"{CONTROL_PATH}/live", live.endpoint),
        # The editor, for errors that a page shows.
        Route(
            f"{CONTROL_PATH}/editor", OpenEditor(config, console, site).endpoint, methods=["POST"]
        ),
        # The models, for runs of the agent in pages.
        Route(f"{LLM_PATH}/{{path:path}}", model, methods=["POST"]),
        Route(f"{FALLBACK_PATH}/{{path:path}}", fallback, methods=["POST"]),
        # The inspector, and the interface for it and other programs of the owner.
        *(Route(f"{CONTROL_PATH}/{name}", partial(inspector, assets)) for name in ("", PAGE)),
        *api.routes(),
        # The protocols for programs that use the tools of open pages.
        *mcp.routes(None if reverse_proxy else files.file),
        *a2a.routes(None if reverse_proxy else files.file),
        *goal_api.routes(),
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


def _gateway(config: ServeConfig, site: Site, console: Console) -> LlmGateway:
    # Imported late: a server without a model needs it only to say so.
    from webagent_site.broker.ledger import Budget, Limit
    from webagent_site.llm.gateway import LlmGateway, page_token_check

    return LlmGateway(
        config.llm,
        page_token_check(config.page_token),
        site=Budget(at_once=4, minute=Limit(requests=60)),
        most_tokens=None,
        no_model=_NO_MODEL,
        started=site.checked.wait,
        report=lambda failure: console.labelled("model", printable(failure, 500), "red"),
    )


def _headless(config: ServeConfig, pages: OpenPages, console: Console) -> Headless | None:
    if not config.headless:
        return None
    # Imported late: only a server with `--headless` opens pages.
    from webagent_dev.agents.headless import Headless

    headless = Headless(config, pages, console)
    pages.open_page = headless.open
    return headless


def _page_agent(
    config: ServeConfig, pages: OpenPages, relay: Relay, headless: Headless | None
) -> Agent:
    # Imported with the first task of a client.
    from webagent_dev.agents.a2a.page_agent import PageAgent

    if headless is None:
        return PageAgent(config, pages, relay, None)
    from webagent_dev.agents.a2a.cross_origin import run_cross_origin

    return PageAgent(config, pages, relay, partial(run_cross_origin, headless, config.llm))


def _worker(
    config: ServeConfig,
    pages: OpenPages,
    relay: Relay,
    tasks: Tasks,
    headless: Headless | None,
) -> Worker:
    # Imported with the first task of a client.
    from webagent_dev.agents.goal_api.worker import Worker

    if headless is None:
        return Worker(config, pages, relay, tasks, None)
    opened = headless.cross_origin_page
    return Worker(config, pages, relay, tasks, opened, headless.fence_of)


async def _method_not_allowed(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = sentence("only GET and HEAD are answered here - nothing can be written", 405)
    response.headers.update(error.headers or {})
    return response
