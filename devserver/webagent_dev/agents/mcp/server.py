"""The server of the protocol, in both of its ages at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)

from webagent.errors import NoPage
from webagent_dev import __version__
from webagent_dev.agents.mcp.calls import Calls
from webagent_dev.agents.mcp.elicitation import Context, is_modern
from webagent_dev.agents.mcp.notifications import Changes
from webagent_dev.agents.mcp.resources import Documents
from webagent_dev.agents.mcp.runs import ANSWER_S
from webagent_dev.agents.mcp.tools import OWN_TOOLS
from webagent_dev.live.open_pages import FOCUSED, OpenPages
from webagent_dev.live.relay import Relay
from webagent_dev.site.state import Site

INSTRUCTIONS = (
    "Tools of a web page that the user has open in a browser; calls are made there, with the user's "
    "session. The list of tools changes with the page. When the page offers none, or not what you "
    "expect, call `list_pages`; without an open page, ask the user to open one."
)


class PageServer(Server[Any]):
    """Offers the tools of the page in focus, and a few of its own."""

    def __init__(self, site: Site, pages: OpenPages, relay: Relay) -> None:
        """Offer what is open.

        Args:
            site: Its manifest.
            pages: The open ones.
            relay: How they are called.
        """
        self._pages = pages
        self._calls = Calls(pages, relay)
        self._documents = Documents(site, self._offered)
        self.changes = Changes(self._offered, self._documents.marks)
        """To be looked at whenever a page has said something new of itself, or a save was told."""
        super().__init__(
            "webagent",
            version=__version__,
            title="The open page",
            instructions=INSTRUCTIONS,
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_subscriptions_listen=ListenHandler(self.changes.bus),
        )
        self.middleware.append(self.changes.remember)
        # What a client brings back of a question has to be what it was given, by this process.
        security = RequestStateSecurity(keys=[os.urandom(32)], ttl=ANSWER_S)
        self.middleware.append(RequestStateBoundary(security, default_audience=self.name))

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return what clients with sessions are told: also that tools and resources change."""
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True, resources_changed=True),
            experimental_capabilities,
            extensions,
        )

    def _offered(self) -> Any:
        """Return the registry of the page in focus, None without one."""
        try:
            return self._pages.find(FOCUSED).tools
        except NoPage:
            return None

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        if own := OWN_TOOLS.get(name):
            return own.input_schema
        offer = self._calls.offers().get(name)
        return offer.input_schema if offer else None

    async def _list_tools(self, ctx: Context, _: PaginatedRequestParams | None) -> ListToolsResult:
        await self._calls.awake(ctx)
        modern = is_modern(ctx)
        offered = [offer.listed(modern=modern) for offer in self._calls.offers().values()]
        tools = [*offered, *OWN_TOOLS.values()]
        # The page may offer something else at any moment.
        return ListToolsResult(tools=tools, ttl_ms=0, cache_scope="private")

    async def _call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        return await self._calls.call(ctx, params)

    async def _list_resources(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        return await self._documents.resources()

    async def _list_templates(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=[], ttl_ms=0, cache_scope="private")

    async def _read_resource(
        self, _: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        return await self._documents.read(params)

    async def _subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        if not self._documents.has(params.uri):
            raise MCPError(INVALID_PARAMS, "there is no such resource", {"uri": params.uri})
        self.changes.watch(ctx, params.uri)
        return EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        self.changes.unwatch(ctx, params.uri)
        return EmptyResult()

    async def _list_prompts(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return await self._documents.prompts()

    async def _get_prompt(self, _: Context, params: GetPromptRequestParams) -> GetPromptResult:
        return await self._documents.prompt(params)
