"""The application: read it from top to bottom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp

from webagent_dev.agents.a2a.endpoint import A2aDoor
from webagent_dev.agents.goal_api.endpoint import BrowsyDoor
from webagent_dev.agents.mcp.endpoint import McpDoor
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.api.editor import OpenEditor
from webagent_dev.api.inspector import PAGE, inspector
from webagent_dev.api.owner_api import Api
from webagent_dev.config.file_watch import ConfigWatch
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import CONTROL_PATH, LLM_PATH, MANIFEST_PATH
from webagent_dev.http.assets import Assets
from webagent_dev.http.guard import Guard
from webagent_dev.http.pages import sentence
from webagent_dev.live.channel import Live
from webagent_dev.live.hub import Hub
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.live.page_console import PageConsole
from webagent_dev.live.relay import Relay
from webagent_dev.live.timeline import Timeline
from webagent_dev.live.watch import Watcher
from webagent_dev.llm.gateway import Llm
from webagent_dev.site.files import Files
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console

if TYPE_CHECKING:
    from webagent_dev.agents.a2a.job import Agent
    from webagent_dev.agents.goal_api.worker import Worker
    from webagent_dev.agents.headless import Headless
    from webagent_dev.proxy.reverse_proxy import Behind


def create_app(
    config: ServeConfig,
    site: Site,
    assets: Assets,
    console: Console,
    *,
    announced: asyncio.Event | None = None,
    ending: asyncio.Event | None = None,
) -> ASGIApp:
    """Return the application that serves a site and watches it while it runs.

    Args:
        config: Where it is served; `port` is the port that is really bound.
        site: The folder and the state of its manifest.
        assets: The page bundle.
        console: Where saves and errors of pages are shown.
        announced: Set once the terminal says where the server is; what else there is to say at the
            start comes after it.
        ending: Set when the server begins to end, before its connections are closed.
    """
    hub = Hub()
    files = Files(config, site, partial(hub.live_path, config))
    timeline = Timeline()

    def pages_changed() -> None:
        api.pages_changed()
        mcp.pages_changed()
        browsy.pages_changed()

    pages = OpenPages(pages_changed)
    relay = Relay(pages)
    headless = _headless(config, pages, console)
    api = Api(config, site, pages, relay, timeline, hub, build=assets.build)
    mcp = McpDoor(config, site, pages, relay, hub)
    tasks_of_clients = Tasks(TaskStore(site.root, console))
    a2a = A2aDoor(
        config, site, tasks_of_clients, partial(_page_agent, config, pages, relay, headless)
    )
    hire = partial(_worker, config, pages, relay, tasks_of_clients, headless)
    browsy = BrowsyDoor(config, tasks_of_clients, hire)
    live = Live(
        *(config, site, hub, pages, relay, timeline),
        PageConsole(console, site, forward_console=config.forward_console),
        build=assets.build,
        ending=ending or asyncio.Event(),
    )
    llm = Llm(config, site, console)
    watcher = Watcher(
        site,
        hub,
        console,
        manifest=config.manifest,
        command=config.manifest_command is not None,
        pages=config.reload and config.proxy is None,
    )
    behind = _behind(config, site, hub, console, watcher)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watcher.run)
            tasks.start_soon(ConfigWatch(config, console).run)
            # The first request is answered after the watch stands: no save is missed.
            await watcher.standing.wait()
            tasks.start_soon(mcp.run)
            if behind:
                tasks.start_soon(behind.start, announced)
            yield
            tasks.cancel_scope.cancel()
        await tasks_of_clients.close()
        if headless:
            await headless.close()
        if behind:
            await behind.close()
        await llm.close()

    routes: list[BaseRoute] = [
        # Pages hear of saves here. First, because the paths below match it too.
        WebSocketRoute(f"{CONTROL_PATH}/live", live.endpoint),
        # The editor, for errors that a page shows.
        Route(
            f"{CONTROL_PATH}/editor", OpenEditor(config, console, site).endpoint, methods=["POST"]
        ),
        # The model, for runs of the agent in pages.
        Route(f"{LLM_PATH}/chat/completions", llm.endpoint, methods=["POST"]),
        # The inspector, and what it and other programs of the owner ask for.
        *(Route(f"{CONTROL_PATH}/{name}", partial(inspector, assets)) for name in ("", PAGE)),
        *api.routes(),
        # Other programs that use the tools of open pages.
        *mcp.routes(None if behind else files.file),
        *a2a.routes(None if behind else files.file),
        *browsy.routes(),
        *(behind.first_routes() if behind else ()),
        # Our own files come before the site's, so that no folder of the site can hide them.
        Route(f"{CONTROL_PATH}/{{path:path}}", assets.file),
    ]
    if behind:
        # Everything else is up to the server behind.
        routes += behind.last_routes()
    else:
        routes += [
            # The manifest comes from memory: pages keep the last good one while it is broken.
            Route(MANIFEST_PATH, files.manifest),
            # Everything else is a file, or not there.
            Route("/{path:path}", files.file),
        ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={405: _only_reading})
    # Outside of everything, also of the handling of errors, so that every answer passes it.
    return Guard(app, config)


def _behind(
    config: ServeConfig, site: Site, hub: Hub, console: Console, watcher: Watcher
) -> Behind | None:
    if config.proxy is None:
        return None
    # Brings an HTTP client, which a server of a folder does not need to start.
    from webagent_dev.proxy.reverse_proxy import Behind

    return Behind(config, site, hub, console, watcher.look)


def _headless(config: ServeConfig, pages: OpenPages, console: Console) -> Headless | None:
    if not config.headless:
        return None
    # Brings what commands need to open pages.
    from webagent_dev.agents.headless import Headless

    headless = Headless(config, pages, console)
    pages.open_one = headless.open
    return headless


def _page_agent(
    config: ServeConfig, pages: OpenPages, relay: Relay, headless: Headless | None
) -> Agent:
    # Comes with the first task of a client.
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
    # Comes with the first task of a client.
    from webagent_dev.agents.goal_api.worker import Worker

    open_cross_origin = headless.cross_origin_page if headless else None
    return Worker(config, pages, relay, tasks, open_cross_origin)


async def _only_reading(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = sentence("only GET and HEAD are answered here - nothing can be written", 405)
    response.headers.update(error.headers or {})
    return response
