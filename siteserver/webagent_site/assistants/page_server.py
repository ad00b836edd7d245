"""The MCP server for one request of an assistant: the tools of the page that its visitor has open.

It keeps nothing between requests, so any process answers the next one. Questions are asked in the page,
and never of the assistant.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from typing import Any, Final
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

from webagent.errors import Denied, ToolError
from webagent.urls import origin_of
from webagent_site.assistants.granted_pages import GrantedPages
from webagent_site.broker.page_directory import PageRecord
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
    named_answer,
    success_result,
    tool_error_result,
)

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
    output_schema={
        "type": "object",
        "properties": {
            "pages": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "page_id": {"type": "string"},
                        "url": {"type": "string"},
                        "title": {"type": "string"},
                        "tools": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "name": {"type": "string"},
                                    "allowed": {"type": "boolean"},
                                },
                                "required": ["name", "allowed"],
                            },
                        },
                    },
                    "required": ["page_id", "url", "title", "tools"],
                },
            }
        },
        "required": ["pages"],
    },
    annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
)
OWN_TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool for tool in (LIST_PAGES, CALL_PAGE_TOOL, FIND_PAGE_TOOLS, DESCRIBE_PAGE_TOOL)
}


class PageServer(Server[Any]):
    """Offers the tools of a visitor's pages to one assistant."""

    def __init__(self, granted: GrantedPages) -> None:
        """Serve one request.

        Args:
            granted: The pages and tools that the assistant reaches.
        """
        self._granted = granted
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
        opened = self._granted.opened
        tool = self._tools(opened[0]).get(name) if opened else None
        return tool.input_schema if tool else None

    async def _list_tools(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        opened = self._granted.opened
        tools = self._tools(await self._granted.started(opened[0])) if opened else {}
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
            page = await self._granted.page(None)
            tool = self._tools(page).get(params.name)
            if tool is None:
                raise MCPError(
                    INVALID_PARAMS,
                    f"there is no tool `{params.name[:200]}` - the page that the user has open does not "
                    "offer it now - list the tools again",
                )
            result = await self._result(ctx, page, tool, arguments)
            return call_answer(result, tool, origin_of(page.url), modern=is_modern(ctx))
        except ToolError as error:
            return tool_error_result(error)

    async def _result(
        self, ctx: Context, page: PageRecord, tool: PageTool, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        async with Progress(ctx) as progress:
            return await self._granted.call(page, tool, arguments, progress.on_event)

    async def _list_pages(self, _: Context, __: dict[str, Any]) -> CallToolResult:
        if not self._granted.tools:
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
                    {"name": tool.name, "allowed": tool.own_name in self._granted.tools}
                    for tool in self._tools(page).values()
                ],
            }
            for page in self._granted.opened
        ]
        return success_result({"pages": pages}, structured={"pages": pages})

    async def _call_page_tool(self, ctx: Context, arguments: dict[str, Any]) -> CallToolResult:
        page, tool = await self._page_tool(arguments)
        result = await self._result(ctx, page, tool, arguments.get("arguments") or {})
        return named_answer(result, tool, origin_of(page.url))

    async def _find_page_tools(self, ctx: Context, arguments: dict[str, Any]) -> CallToolResult:
        page = await self._granted.page(arguments.get("page_id"))
        found = [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
            for tool in self._catalogue(self._tools(page), ctx).find(arguments["query"])
        ]
        shown = {"tools": found}
        return success_result(shown, structured=shown, untrusted_from=origin_of(page.url))

    async def _describe_page_tool(self, _: Context, arguments: dict[str, Any]) -> CallToolResult:
        page, tool = await self._page_tool(arguments)
        shown = described(tool, arguments.get("offset", 0))
        return success_result(shown, structured=shown, untrusted_from=origin_of(page.url))

    async def _page_tool(self, arguments: dict[str, Any]) -> tuple[PageRecord, PageTool]:
        page = await self._granted.page(arguments.get("page_id"))
        return page, named_tool(self._tools(page), arguments["name"])

    def _tools(self, page: PageRecord) -> dict[str, PageTool]:
        """Return the tools of a page by their names for clients; each says whether it is allowed."""
        return page_tools(
            (
                tool
                if tool.get("name") in self._granted.tools
                else {**tool, "description": f"{_NOT_ALLOWED}{tool.get('description') or ''}"}
                for tool in page.tools
            ),
            OWN_TOOLS,
        )

    def _catalogue(self, tools: Mapping[str, PageTool], ctx: Context) -> Catalogue:
        return Catalogue(tools, [*OWN_TOOLS.values()], modern=is_modern(ctx))
