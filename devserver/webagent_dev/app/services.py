"""The services for open pages, and for the programs that use their tools.

A server makes them with the first request for one, or with the first message to pages: a page is sent
before it connects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from webagent_dev.agents.a2a.endpoint import A2aEndpoint
from webagent_dev.agents.goal_api.endpoint import GoalApiEndpoint
from webagent_dev.agents.mcp.endpoint import McpEndpoint
from webagent_dev.agents.owner_access import Handler
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.api.editor import OpenEditor
from webagent_dev.api.inspector import PAGE, inspector
from webagent_dev.api.owner_api import Api
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.channel import Live
from webagent_dev.live.hub import Hub
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.live.page_console import PageConsole
from webagent_dev.live.timeline import Timeline
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.config.urls import CONTROL_PATH, FALLBACK_PATH, LLM_PATH
from webagent_site.http.assets import Assets
from webagent_site.pages.relay import Relay
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent_dev.agents.a2a.job import Agent
    from webagent_dev.agents.goal_api.worker import Worker
    from webagent_dev.agents.headless import Headless
    from webagent_site.llm.gateway import LlmGateway

_NO_MODEL = {
    LLM_PATH: "the development server has no model - runs plan without one - "
    "start it with `--llm-model PROVIDER:MODEL`",
    FALLBACK_PATH: "the development server has no second model - runs end when the first one fails - "
    "name it below `[llm.fallback]` in `webagent.toml`",
}


class Services:
    """The endpoints for open pages and for other programs, and what they share."""

    def __init__(
        self,
        config: ServeConfig,
        site: Site,
        assets: Assets,
        console: Console,
        hub: Hub,
        *,
        started: datetime,
        ending: asyncio.Event,
    ) -> None:
        """Make them for one server.

        Args:
            config: How the site is served.
            site: The folder and the state of its manifest.
            assets: The page bundle.
            console: Where errors of pages are shown.
            hub: Broadcasts saves.
            started: When the server was started.
            ending: Set when the server begins to end.
        """
        self._config = config
        self._assets = assets
        timeline = Timeline()
        self._pages = pages = OpenPages(self._pages_changed)
        self._relay = relay = Relay(pages)
        self._headless = _headless(config, pages, console)
        self._api = Api(
            config, site, pages, relay, timeline, hub, started=started, build=assets.build
        )
        self._tasks = tasks = Tasks(TaskStore(site.root, console))
        self._mcp = McpEndpoint(config, site, pages, relay, timeline, hub, tasks)
        self._a2a = A2aEndpoint(config, site, tasks, self._page_agent)
        self._goal_api = GoalApiEndpoint(config, tasks, self._worker)
        self._live = Live(
            *(config, site, hub, pages, relay, timeline),
            PageConsole(console, site, forward_console=config.forward_console),
            build=assets.build,
            ending=ending,
        )
        self._editor = OpenEditor(config, console, site)
        self._gateway = cache(partial(_gateway, config, site, console))
        if config.llm:
            # Its mistakes are those of the start.
            self._gateway()

    def routes(self, site_file: Handler | None) -> Iterator[BaseRoute]:
        """Yield the routes.

        Args:
            site_file: Answers with a file of the site, which comes before some of ours; None behind
                a proxy.
        """
        # The live channel, first because the paths below match it, too.
        yield WebSocketRoute(f"{CONTROL_PATH}/live", self._live.endpoint)
        # The editor, for errors that a page shows.
        yield Route(f"{CONTROL_PATH}/editor", self._editor.endpoint, methods=["POST"])
        # The models, for runs of the agent in pages.
        yield Route(f"{LLM_PATH}/{{path:path}}", self._model, methods=["POST"])
        yield Route(f"{FALLBACK_PATH}/{{path:path}}", self._fallback, methods=["POST"])
        # The inspector, and the interface for it and other programs of the owner.
        for name in ("", PAGE):
            yield Route(f"{CONTROL_PATH}/{name}", partial(inspector, self._assets))
        yield from self._api.routes()
        # The protocols for programs that use the tools of open pages.
        yield from self._mcp.routes(site_file)
        yield from self._a2a.routes(site_file)
        yield from self._goal_api.routes()

    async def run(self) -> None:
        """Serve MCP from its first request on, until cancelled."""
        await self._mcp.run()

    async def answer_calls(self, within_s: float) -> bool:
        """End the calls that run; return whether there were any."""
        had_calls = self._relay.stop()
        return await self._tasks.settle(within_s) or had_calls

    async def close(self) -> None:
        """Close what is open, after the last request."""
        await self._tasks.close()
        if self._headless:
            await self._headless.close()
        if self._gateway.cache_info().currsize:
            await self._gateway().close()

    def _pages_changed(self) -> None:
        self._api.pages_changed()
        self._mcp.pages_changed()
        self._goal_api.pages_changed()

    async def _model(self, request: Request) -> Response:
        return await self._gateway().model_endpoint(request)

    async def _fallback(self, request: Request) -> Response:
        return await self._gateway().fallback_endpoint(request)

    def _page_agent(self) -> Agent:
        # Imported with the first task of a client.
        from webagent_dev.agents.a2a.page_agent import PageAgent

        if self._headless is None:
            return PageAgent(self._config, self._pages, self._relay, None)
        from webagent_dev.agents.a2a.cross_origin import run_cross_origin

        run = partial(run_cross_origin, self._headless, self._config.llm)
        return PageAgent(self._config, self._pages, self._relay, run)

    def _worker(self) -> Worker:
        # Imported with the first task of a client.
        from webagent_dev.agents.goal_api.worker import Worker

        given = (self._config, self._pages, self._relay, self._tasks)
        if self._headless is None:
            return Worker(*given, None)
        return Worker(*given, self._headless.cross_origin_page, self._headless.fence_of)


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
