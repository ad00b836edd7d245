"""The MCP server for one request of an assistant: the tools of the page that its visitor has open.

It keeps nothing between requests, so any process answers the next one. Questions are asked in the page,
and never of the assistant.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
    ToolAnnotations,
)

from webagent.errors import Denied, NoPage, ToolError
from webagent.page.values import encode
from webagent_site.assistants.grants_endpoint import host_of
from webagent_site.broker.grants import KEPT_CALLS, AssistantCall, Grant, GrantStore
from webagent_site.broker.page_directory import PageRecord
from webagent_site.errors import BrokerUnavailable
from webagent_site.mcp.catalogue import Catalogue, described
from webagent_site.mcp.page_tools import (
    CALL_PAGE_TOOL,
    DESCRIBE_PAGE_TOOL,
    FIND_PAGE_TOOLS,
    PageTool,
    check_arguments,
    named_tool,
    page_tools,
    schema_of,
)
from webagent_site.mcp.results import (
    Context,
    Progress,
    call_answer,
    is_modern,
    success_result,
    tool_error_result,
)

if TYPE_CHECKING:
    from webagent_site.pages.visitor_pages import VisitorPages

WATCH_S: Final = 0.5
"""How often a grant is looked at while a call of it runs."""
START_S: Final = 30.0
"""How long the agent of a page may take to start; it lists its tools then."""
_POLL_S: Final = 0.1
_POLLS: Final = 50
_STARTING: Final = ("idle", "starting")

INSTRUCTIONS: Final = (
    "Tools of the web page that the user has open in a browser; calls are made there, with the user's "
    "session. The user allows each tool in the panel of the page, and is asked there before something "
    "is changed. Without an open page, ask the user to open one."
)
_NOT_ALLOWED: Final = "Not allowed yet: the user allows it in the panel of the page. "

LIST_PAGES: Final = Tool(
    name="list_pages",
    title="List the open pages",
    description="The pages of the site that the user has open now, the one last used first. The other "
    "tools mean that one unless `page_id` names another.",
    input_schema=schema_of({}),
    annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
)
OWN_TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool for tool in (LIST_PAGES, CALL_PAGE_TOOL, FIND_PAGE_TOOLS, DESCRIBE_PAGE_TOOL)
}


class PageServer(Server[Any]):
    """Offers the tools of a visitor's pages to one assistant."""

    def __init__(
        self,
        grant: Grant,
        grants: GrantStore,
        pages: VisitorPages,
        opened: Sequence[PageRecord],
    ) -> None:
        """Serve one request.

        Args:
            grant: What the visitor has granted.
            grants: To look whether it still holds.
            pages: Makes calls.
            opened: The visitor's open pages, the one last used first.
        """
        self._grant = grant
        self._grants = grants
        self._pages = pages
        self._opened = opened
        self._caller = grant.client_name or host_of(grant.client_id) or "an assistant"
        self._own: dict[str, Callable[[Context, dict[str, Any]], Awaitable[CallToolResult]]] = {
            LIST_PAGES.name: self._list_pages,
            CALL_PAGE_TOOL.name: self._call_page_tool,
            FIND_PAGE_TOOLS.name: self._find_page_tools,
            DESCRIBE_PAGE_TOOL.name: self._describe_page_tool,
        }
        super().__init__(
            "webagent",
            version=version("webagent-site"),
            title="The open page",
            instructions=INSTRUCTIONS,
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        if own := OWN_TOOLS.get(name):
            return own.input_schema
        tool = self._tools(self._opened[0]).get(name) if self._opened else None
        return tool.input_schema if tool else None

    async def _list_tools(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        tools = self._tools(await self._started(self._opened[0])) if self._opened else {}
        found, following = self._catalogue(tools, ctx).page(params.cursor if params else None)
        # Not cached: the page may offer other tools at any moment.
        return ListToolsResult(tools=found, next_cursor=following, ttl_ms=0, cache_scope="private")

    async def _call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        """Make a call; its errors are results, too.

        Raises:
            MCPError: There is no such tool.
        """
        arguments = params.arguments or {}
        try:
            if own := self._own.get(params.name):
                check_arguments(params.name, arguments, OWN_TOOLS[params.name].input_schema)
                return await own(ctx, arguments)
            page = await self._page({})
            tool = self._tools(page).get(params.name)
            if tool is None:
                raise MCPError(
                    INVALID_PARAMS,
                    f"there is no tool `{params.name[:200]}` - the page that the user has open does not "
                    "offer it now - list the tools again",
                )
            return await self._call(ctx, page, tool, arguments)
        except ToolError as error:
            return tool_error_result(error)

    async def _call(
        self, ctx: Context, page: PageRecord, tool: PageTool, arguments: dict[str, Any]
    ) -> CallToolResult:
        """Call a tool of a page, as long as the visitor allows it."""
        name = tool.own_name
        began = time.time()
        try:
            # The grant was read when the request came, and the page may have had to start.
            await self._check(name)
            tool.check_arguments(arguments)
            encoded = {key: encode(value) for key, value in arguments.items()}
            async with Progress(ctx) as progress:
                calling = self._pages.call(
                    page,
                    "tool",
                    name,
                    encoded,
                    timeout_s=tool.timeout_s,
                    caller=self._caller,
                    on_event=progress.on_event,
                )
                result = await self._while_allowed(name, calling)
        except ToolError as error:
            await self._note(AssistantCall(name, began, error.kind))
            raise
        outcome = "ok" if result["ok"] else str(result["error"]["kind"])
        await self._note(AssistantCall(name, began, outcome[:100]))
        return call_answer(result, tool, page.url, modern=is_modern(ctx))

    async def _while_allowed(self, name: str, calling: Awaitable[dict[str, Any]]) -> dict[str, Any]:
        """Return the result of a call, and cancel the call once the visitor takes its tool back.

        Raises:
            Denied: The visitor has.
        """

        async def watch() -> None:
            while True:
                await asyncio.sleep(WATCH_S)
                await self._check(name)

        call, watching = asyncio.ensure_future(calling), asyncio.ensure_future(watch())
        try:
            await asyncio.wait((call, watching), return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                await watching
            return await call
        finally:
            for task in (call, watching):
                task.cancel()
            await asyncio.gather(call, watching, return_exceptions=True)

    async def _check(self, name: str) -> None:
        """Check that the visitor allows a tool now.

        Raises:
            Denied: They do not, or have disconnected the assistant, or nobody knows.
        """
        try:
            grant = await self._grants.find(self._grant.id)
        except BrokerUnavailable as error:
            raise Denied(str(error), tool=name) from error
        if grant is None:
            raise Denied("the user has disconnected you", tool=name, help="do not try it again")
        if name not in grant.tools:
            raise Denied(
                f"the user has not allowed `{name}`",
                tool=name,
                help="ask the user to allow it in the panel of the page, then call it again",
            )

    async def _note(self, call: AssistantCall) -> None:
        """Keep what the assistant did last, for the visitor to see."""

        def noted(grant: Grant) -> Grant:
            return replace(grant, calls=(*grant.calls, call)[-KEPT_CALLS:])

        try:
            await self._grants.change(self._grant.id, noted)
        except BrokerUnavailable:
            # The call was made all the same.
            return

    async def _list_pages(self, _: Context, __: dict[str, Any]) -> CallToolResult:
        if not self._grant.tools:
            raise Denied(
                "the user has not allowed any tool yet, so it is not said which pages are open",
                help="ask the user to allow a tool in the panel of the page",
            )
        pages = [
            {
                "page_id": page.tab,
                # The query may be for the user's eyes alone.
                "url": urlsplit(page.url)._replace(query="", fragment="").geturl(),
                "title": page.title,
                "tools": [
                    {"name": tool.name, "allowed": tool.own_name in self._grant.tools}
                    for tool in self._tools(page).values()
                ],
            }
            for page in self._opened
        ]
        return success_result({"pages": pages}, structured={"pages": pages})

    async def _call_page_tool(self, ctx: Context, arguments: dict[str, Any]) -> CallToolResult:
        page, tool = await self._page_tool(arguments)
        answer = await self._call(ctx, page, tool, arguments.get("arguments") or {})
        if not answer.is_error:
            # Clients know the output schema of `call_page_tool` alone, which has none.
            answer.structured_content = None
        return answer

    async def _find_page_tools(self, ctx: Context, arguments: dict[str, Any]) -> CallToolResult:
        page = await self._page(arguments)
        found = [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
            for tool in self._catalogue(self._tools(page), ctx).find(arguments["query"])
        ]
        shown = {"tools": found}
        return success_result(shown, structured=shown, untrusted_from=page.url)

    async def _describe_page_tool(self, _: Context, arguments: dict[str, Any]) -> CallToolResult:
        page, tool = await self._page_tool(arguments)
        shown = described(tool, arguments.get("offset", 0))
        return success_result(shown, structured=shown, untrusted_from=page.url)

    async def _page_tool(self, arguments: dict[str, Any]) -> tuple[PageRecord, PageTool]:
        page = await self._page(arguments)
        return page, named_tool(self._tools(page), arguments["name"])

    async def _page(self, arguments: dict[str, Any]) -> PageRecord:
        """Return the page that arguments name, or the one last used, once its agent has started.

        Raises:
            NoPage: There is none.
        """
        page_id = arguments.get("page_id")
        for page in self._opened:
            if page_id in (None, page.tab):
                return await self._started(page)
        if page_id is not None and self._opened:
            raise NoPage("the user does not have this page open", help="call `list_pages`")
        raise NoPage(
            "the user has no page of the site open",
            help="ask the user to open the site in the browser in which they have connected you",
        )

    async def _started(self, page: PageRecord) -> PageRecord:
        """Return a page once its agent has started: it lists its tools then."""
        if page.state not in _STARTING:
            return page
        await self._pages.call(page, "snapshot", "", {}, timeout_s=START_S, caller=self._caller)
        # The page sends its tools right after that.
        for _ in range(_POLLS):
            for found in await self._pages.of(self._grant.visitor):
                if found.tab == page.tab and found.state not in _STARTING:
                    return found
            await asyncio.sleep(_POLL_S)
        return page

    def _tools(self, page: PageRecord) -> dict[str, PageTool]:
        """Return the tools of a page by their names for clients; each says whether it is allowed."""
        return page_tools(
            (
                tool
                if tool.get("name") in self._grant.tools
                else {**tool, "description": f"{_NOT_ALLOWED}{tool.get('description') or ''}"}
                for tool in page.tools
            ),
            OWN_TOOLS,
        )

    def _catalogue(self, tools: Mapping[str, PageTool], ctx: Context) -> Catalogue:
        return Catalogue(tools, [*OWN_TOOLS.values()], modern=is_modern(ctx))
