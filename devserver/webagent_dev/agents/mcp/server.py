"""The MCP server, for clients with and without sessions at once."""

from __future__ import annotations

import os
from typing import Any

from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler
from mcp_types import (
    CallToolRequestParams,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from webagent.errors import NoPage
from webagent_dev import __version__
from webagent_dev.agents.mcp.calls import Calls
from webagent_dev.agents.mcp.completions import Completions
from webagent_dev.agents.mcp.notifications import ChangeNotifier
from webagent_dev.agents.mcp.own_tools import OWN_TOOLS
from webagent_dev.agents.mcp.page_control import PageControl
from webagent_dev.agents.mcp.prompts import SitePrompts
from webagent_dev.agents.mcp.resources import SiteResources
from webagent_dev.agents.mcp.runs import ANSWER_S
from webagent_dev.agents.mcp.tasks import (
    EXTENSION,
    CallTasks,
    TaskParams,
    UpdateTaskParams,
    missing_capability,
    takes_tasks,
)
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.open_pages import FOCUSED, OpenPages
from webagent_dev.live.timeline import Timeline
from webagent_dev.site.state import Site
from webagent_site.mcp.results import Context
from webagent_site.pages.relay import Relay

LIST_KEY = "tools"
"""Query parameter of the address: with `own`, a client gets the server's tools and finds those of
pages with them, so that its list stays short."""

INSTRUCTIONS = (
    "Tools of a web page that the user has open in a browser; calls are made there, with the user's "
    "session. The list of tools changes with the page. When the page offers none, or not what you "
    "expect, call `list_pages`; without an open page, ask the user to open one. A long list has several "
    "pages; `find_page_tools` searches all tools of a page. Resources have the manifest, the rules for it, the "
    "outline of the page, and the documentation."
)


class PageServer(Server[Any]):
    """Offers the tools of the page in focus, and a few of its own."""

    def __init__(
        self,
        config: ServeConfig,
        site: Site,
        pages: OpenPages,
        relay: Relay,
        timeline: Timeline,
        tasks: Tasks,
    ) -> None:
        """Serve one site.

        Args:
            config: How it is served.
            site: Has the manifest.
            pages: The open ones.
            relay: Makes calls to them.
            timeline: Has what they log.
            tasks: Keep and publish the calls that take long.
        """
        self._pages = pages
        call_tasks = CallTasks(tasks)
        control = PageControl(site, pages, relay, timeline)
        self._calls = Calls(pages, relay, control, call_tasks)
        self._resources = SiteResources(site, pages, self._calls.outline)
        self._prompts = SitePrompts(config, site, pages)
        self.changes = ChangeNotifier(self._focused_tools, self._resources.versions)
        """To be called whenever a page has changed, or a file was saved."""
        super().__init__(
            "webagent",
            version=__version__,
            title="The open page",
            instructions=INSTRUCTIONS,
            get_tool_input_schema=self._calls.input_schema,
            on_list_tools=self._list_tools,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=Completions(site, pages).complete,
            on_subscriptions_listen=self._listen,
        )
        self._listen_to_changes = ListenHandler(self.changes.bus)
        # Not an argument of the kit, which knows no tasks as the results of calls.
        self.add_request_handler("tools/call", CallToolRequestParams, self._calls.call)
        self.extensions = {EXTENSION: {}}
        self.add_request_handler("tasks/get", TaskParams, call_tasks.get)
        self.add_request_handler("tasks/update", UpdateTaskParams, call_tasks.update)
        self.add_request_handler("tasks/cancel", TaskParams, call_tasks.cancel)
        self.add_notification_handler(
            "notifications/initialized", NotificationParams, self._initialized
        )
        # The state of a question has to come back as this process has sent it.
        security = RequestStateSecurity(keys=[os.urandom(32)], ttl=ANSWER_S)
        self.middleware.append(RequestStateBoundary(security, default_audience=self.name))

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Announce to clients with sessions that tools and resources change."""
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True, resources_changed=True),
            experimental_capabilities,
            # They came after sessions.
            extensions or {},
        )

    def _focused_tools(self) -> Any:
        """Return the registry of the page in focus, None without one."""
        try:
            return self._pages.find(FOCUSED).tools
        except NoPage:
            return None

    async def _initialized(self, ctx: Context, _: NotificationParams) -> None:
        self.changes.remember(ctx)

    async def _list_tools(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        # Again, because a client that was too slow for a notification is forgotten.
        self.changes.remember(ctx)
        if ctx.request is not None and ctx.request.query_params.get(LIST_KEY) == "own":
            own = [*OWN_TOOLS.values()]
            return ListToolsResult(tools=own, ttl_ms=0, cache_scope="private")
        started = await self._calls.started_tools(ctx)
        catalogue = self._calls.catalogue(started, ctx)
        tools, following = catalogue.page(params.cursor if params else None)
        # Not cached: the page may offer other tools at any moment.
        return ListToolsResult(tools=tools, next_cursor=following, ttl_ms=0, cache_scope="private")

    async def _list_resources(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return await self._resources.resources()

    async def _list_templates(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return await self._resources.templates()

    async def _read_resource(
        self, ctx: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        return await self._resources.read(ctx, params)

    async def _subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        self._resources.check(params.uri)
        self.changes.remember(ctx)
        self.changes.subscribe(ctx, params.uri)
        return EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        self.changes.unsubscribe(ctx, params.uri)
        return EmptyResult()

    async def _listen(
        self, ctx: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        if "taskIds" in (params.notifications.model_extra or {}) and not takes_tasks(ctx):
            raise missing_capability()
        return await self._listen_to_changes(ctx, params)

    async def _list_prompts(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return await self._prompts.prompts()

    async def _get_prompt(self, _: Context, params: GetPromptRequestParams) -> GetPromptResult:
        return await self._prompts.prompt(params)
