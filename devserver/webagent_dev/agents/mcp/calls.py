"""Makes the calls of clients: of the tools of pages, and of our own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
)

from webagent.errors import Cancelled, Denied, NoPage, ServerStopped, ToolError
from webagent.page.values import encode, plain
from webagent.visible_text import visible
from webagent_dev.agents.mcp.elicitation import (
    Form,
    can_elicit,
    elicit,
    elicitation_answer,
    input_required_result,
)
from webagent_dev.agents.mcp.own_tools import (
    EXECUTE_JS,
    LIST_PAGES,
    OWN_TOOLS,
    PAGE_ACT,
    PAGE_LOG,
    PAGE_STATE,
    RUN_GOAL,
    USUAL_PROGRAM_MS,
)
from webagent_dev.agents.mcp.page_control import PageControl
from webagent_dev.agents.mcp.runs import Answer, Runs, run_result
from webagent_dev.agents.mcp.tasks import CallTasks, Finish
from webagent_dev.live.open_pages import FOCUSED, OpenPages
from webagent_site.mcp.catalogue import Catalogue, described, lines_of
from webagent_site.mcp.page_tools import (
    CALL_PAGE_TOOL,
    DESCRIBE_PAGE_TOOL,
    FIND_PAGE_TOOLS,
    PageTool,
    check_arguments,
    named_tool,
    page_tools,
)
from webagent_site.mcp.results import (
    Context,
    Progress,
    call_answer,
    error_result,
    fenced,
    is_modern,
    named_answer,
    success_result,
    tool_error_result,
)
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import Relay
from webagent_site.pages.wire import CallKind

STATE_S = 60.0
"""How long a page may take to return its state; its agent may have to start first."""
_LONGEST_CALLER = 100

RUN_S = 3600.0
"""Limit of a run; the agent has a budget of its own."""


class Calls:
    """Makes the calls of clients."""

    def __init__(
        self, pages: OpenPages, relay: Relay, control: PageControl, tasks: CallTasks
    ) -> None:
        """Make calls to open pages.

        Args:
            pages: The open ones.
            relay: Makes calls to them.
            control: Reads them and acts on them.
            tasks: Continue those that take long.
        """
        self._control = control
        self._pages = pages
        self._relay = relay
        self._runs = Runs(relay, tasks)
        self._cached: tuple[Any, dict[str, PageTool]] = (None, {})
        self._catalogues: dict[bool, tuple[Any, Catalogue]] = {}
        self._own: dict[
            str, Callable[[Context, CallToolRequestParams, dict[str, Any]], Awaitable[Answer]]
        ] = {
            LIST_PAGES.name: self._list_pages,
            PAGE_STATE.name: self._page_state,
            PAGE_ACT.name: self._page_act,
            PAGE_LOG.name: self._page_log,
            CALL_PAGE_TOOL.name: self._call_page_tool,
            EXECUTE_JS.name: self._execute_js,
            RUN_GOAL.name: self._run_goal,
            FIND_PAGE_TOOLS.name: self._find_page_tools,
            DESCRIBE_PAGE_TOOL.name: self._describe_page_tool,
        }

    def tools(self, page_id: str = FOCUSED) -> dict[str, PageTool]:
        """Return the tools of a page by their names for clients; empty without a page.

        A registry that is the same as the last time is not read again.
        """
        try:
            registry = self._pages.find(page_id).tools
        except NoPage:
            return {}
        if self._cached[0] is not registry:
            self._cached = (registry, page_tools(registry, OWN_TOOLS))
        return self._cached[1]

    def catalogue(self, tools: dict[str, PageTool], ctx: Context) -> Catalogue:
        """Return tools as a client gets them; the same tools are not cut again.

        Args:
            tools: As `tools` returns them.
            ctx: Of the client.
        """
        modern = is_modern(ctx)
        known = self._catalogues.get(modern)
        if known is None or known[0] is not tools:
            known = self._catalogues[modern] = (
                tools,
                Catalogue(tools, [*OWN_TOOLS.values()], modern=modern),
            )
        return known[1]

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the input schema of a tool, None if there is no such tool."""
        if own := OWN_TOOLS.get(name):
            return own.input_schema
        tool = self.tools().get(name)
        return tool.input_schema if tool else None

    async def started_tools(self, ctx: Context) -> dict[str, PageTool]:
        """Return the tools of the page in focus, once its agent has started; empty without a page."""
        starting = self._relay.started_page(FOCUSED, _caller(ctx))
        try:
            page = await self._relay.until_stopped(starting)
        except (NoPage, ServerStopped):
            return {}
        return self.tools(page.page_id)

    async def call(self, ctx: Context, params: CallToolRequestParams) -> Answer:
        """Make a call; its errors are results, too.

        Raises:
            MCPError: There is no such tool.
        """
        try:
            return await self._relay.until_stopped(
                self._dispatch(ctx, params, params.arguments or {})
            )
        except ToolError as error:
            return tool_error_result(error)

    async def _dispatch(
        self, ctx: Context, params: CallToolRequestParams, arguments: dict[str, Any]
    ) -> Answer:
        if own := self._own.get(params.name):
            check_arguments(params.name, arguments, OWN_TOOLS[params.name].input_schema)
            return await own(ctx, params, arguments)
        page = await self._relay.started_page(FOCUSED, _caller(ctx))
        tool = self.tools(page.page_id).get(params.name)
        if tool is None:
            raise MCPError(
                INVALID_PARAMS,
                f"there is no tool `{params.name[:200]}` - the page in focus does not offer it now - "
                "list the tools again",
            )
        if tool.effect != "read":
            self._pages.check_write(FOCUSED, page, _caller(ctx))
        finish = partial(call_answer, tool=tool, site=page.hello.url, modern=is_modern(ctx))
        return await self._call(ctx, params, page, tool, arguments, finish)

    async def _call(
        self,
        ctx: Context,
        params: CallToolRequestParams,
        page: OpenPage,
        tool: PageTool,
        arguments: dict[str, Any],
        finish: Finish,
    ) -> Answer:
        """Call a tool of a page."""
        tool.check_arguments(arguments)
        # The answer to a question of the tool belongs to a call that was approved before.
        approved = self._runs.waits(params.request_state)
        if not approved and tool.effect == "irreversible":
            shown = json.dumps(arguments, ensure_ascii=False, indent=1)
            site = tool.origin or "the open page"
            if question := await _approval(ctx, params, tool.own_name, site, shown):
                return question
        encoded = {name: encode(value) for name, value in arguments.items()}
        return await self._runs.call(
            ctx,
            params,
            page.page_id,
            "tool",
            tool.own_name,
            encoded,
            finish,
            timeout_s=tool.timeout_s,
            caller=_caller(ctx),
        )

    async def _list_pages(self, _: Context, __: CallToolRequestParams, ___: Any) -> Answer:
        pages = []
        for shown in self._pages.describe():
            tools = list(self.tools(shown["page_id"]))
            described = {key: shown[key] for key in ("page_id", "url", "title", "focused")}
            pages.append({**described, "tools": tools})
        return success_result({"pages": pages}, structured={"pages": pages})

    async def _page_state(
        self, ctx: Context, _: CallToolRequestParams, arguments: dict[str, Any]
    ) -> Answer:
        if "find" in arguments or arguments.get("picture"):
            return await self._control.read(await self._page(arguments), arguments, _caller(ctx))
        page = await self._relay.started_page(arguments.get("page_id", FOCUSED), _caller(ctx))
        result = await self._snapshot(ctx, page)
        if not result["ok"]:
            return error_result(result["error"])
        snapshot = plain(result["value"])
        state = {
            "page_id": page.page_id,
            **{key: str(snapshot.get(key, "")) for key in ("url", "title", "text")},
            "truncated": snapshot.get("truncated") is True,
            "tools": lines_of(self.tools(page.page_id).values()),
        }
        return success_result(state, structured=state, untrusted_from=page.hello.url)

    async def outline(self, ctx: Context, page_id: str) -> str:
        """Return what a page shows: its address, its title and its text, marked as data.

        Raises:
            NoPage: There is no such page.
            MCPError: It does not answer.
        """
        page = await self._page({"page_id": page_id})
        result = await self._snapshot(ctx, page)
        if not result["ok"]:
            error = result["error"]
            raise MCPError(INTERNAL_ERROR, f"{error['kind']}: {error['message']}", error)
        snapshot = plain(result["value"])
        shown = "\n".join(str(snapshot.get(key, "")) for key in ("url", "title", "text"))
        return fenced(shown, page.hello.url)

    async def _snapshot(self, ctx: Context, page: OpenPage) -> dict[str, Any]:
        return await self._relayed(ctx, page, "snapshot", "", {}, STATE_S)

    async def _page_act(
        self, ctx: Context, params: CallToolRequestParams, arguments: dict[str, Any]
    ) -> Answer:
        page = await self._page_to_write(ctx, arguments)

        async def ask(what: str, shown: str) -> InputRequiredResult | None:
            return await _approval(ctx, params, what, page.hello.url, shown)

        return await self._control.act(page, arguments, _caller(ctx), ask)

    async def _page_log(
        self, ctx: Context, _: CallToolRequestParams, arguments: dict[str, Any]
    ) -> Answer:
        page = await self._page(arguments)
        if arguments["of"] == "findings":
            # The agent of the page compares it with its manifest.
            page = await self._relay.started_page(page.page_id, _caller(ctx))
        return await self._control.log(page, arguments["of"], _caller(ctx))

    async def _call_page_tool(
        self, ctx: Context, params: CallToolRequestParams, arguments: dict[str, Any]
    ) -> Answer:
        page, tool = await self._page_tool(ctx, arguments)
        if tool.effect != "read":
            self._pages.check_write(arguments.get("page_id", FOCUSED), page, _caller(ctx))
        finish = partial(named_answer, tool=tool, site=page.hello.url)
        named = arguments.get("arguments") or {}
        return await self._call(ctx, params, page, tool, named, finish)

    async def _page_tool(
        self, ctx: Context, arguments: dict[str, Any]
    ) -> tuple[OpenPage, PageTool]:
        """Return a page and its tool that arguments name.

        Raises:
            InvalidArguments: The page does not offer it.
        """
        page = await self._relay.started_page(arguments.get("page_id", FOCUSED), _caller(ctx))
        return page, named_tool(self.tools(page.page_id), arguments["name"])

    async def _find_page_tools(
        self, ctx: Context, _: CallToolRequestParams, arguments: dict[str, Any]
    ) -> Answer:
        page = await self._relay.started_page(arguments.get("page_id", FOCUSED), _caller(ctx))
        catalogue = self.catalogue(self.tools(page.page_id), ctx)
        found = [
            {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
            for tool in catalogue.find(arguments["query"])
        ]
        shown = {"tools": found}
        return success_result(shown, structured=shown, untrusted_from=page.hello.url)

    async def _describe_page_tool(
        self, ctx: Context, _: CallToolRequestParams, arguments: dict[str, Any]
    ) -> Answer:
        page, tool = await self._page_tool(ctx, arguments)
        shown = described(tool, arguments.get("offset", 0))
        return success_result(shown, structured=shown, untrusted_from=page.hello.url)

    async def _execute_js(
        self, ctx: Context, params: CallToolRequestParams, arguments: dict[str, Any]
    ) -> Answer:
        timeout_s = arguments.get("timeout_ms", USUAL_PROGRAM_MS) / 1000
        code = {"code": arguments["code"]}
        page = await self._page_to_write(ctx, arguments)
        return await self._runs.call(
            ctx,
            params,
            page.page_id,
            "code",
            "",
            code,
            _program_result,
            timeout_s=timeout_s,
            caller=_caller(ctx),
        )

    async def _run_goal(
        self, ctx: Context, params: CallToolRequestParams, arguments: dict[str, Any]
    ) -> Answer:
        goal: dict[str, Any] = {"goal": arguments["goal"]}
        if "steps" in arguments:
            goal["budget"] = {"steps": arguments["steps"]}
        page_id = ""
        if params.request_state is None:
            page_id = (await self._page_to_write(ctx, arguments)).page_id
        elif not self._runs.waits(params.request_state):
            raise Cancelled(
                "the run is over - the answer is no longer needed",
                help="look at the page, and start the run again if it is needed",
            )
        return await self._runs.call(
            ctx,
            params,
            page_id,
            "goal",
            "",
            goal,
            run_result,
            timeout_s=RUN_S,
            caller=_caller(ctx),
        )

    async def _page(self, arguments: dict[str, Any]) -> OpenPage:
        return await self._pages.find_or_open(arguments.get("page_id", FOCUSED))

    async def _page_to_write(self, ctx: Context, arguments: dict[str, Any]) -> OpenPage:
        page = await self._page(arguments)
        self._pages.check_write(arguments.get("page_id", FOCUSED), page, _caller(ctx))
        return page

    async def _relayed(
        self,
        ctx: Context,
        page: OpenPage,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        timeout_s: float,
    ) -> dict[str, Any]:
        async with Progress(ctx) as progress:
            return await self._relay.call(
                page.page_id,
                kind,
                name,
                arguments,
                timeout_s=timeout_s,
                caller=_caller(ctx),
                on_event=progress.on_event,
            )


def _program_result(result: dict[str, Any]) -> CallToolResult:
    """Return the result of a program."""
    logs = plain(result["logs"])
    if not result["ok"]:
        more = [json.dumps(logs, ensure_ascii=False)] if logs else []
        return error_result(result["error"], *more)
    shown = {"value": plain(result["value"]), "logs": logs}
    return success_result(shown, structured=shown)


async def _approval(
    ctx: Context, params: CallToolRequestParams, what: str, site: str, shown: str
) -> InputRequiredResult | None:
    """Ask the user of the client to approve of what cannot be undone.

    A client without forms has asked in its own way, as for every tool that does not only read.

    Args:
        ctx: Of the request.
        params: Of the request; it may bring the answer.
        what: The tool, or the step.
        site: Where it is done.
        shown: With which arguments.

    Returns:
        The question as the result of the call; None once it is approved.

    Raises:
        Denied: The user does not approve.
    """
    if not can_elicit(ctx):
        return None
    form = Form(
        f"`{visible(what)}` of {site} cannot be undone. It is called with {visible(shown)}",
        {"yes": {"type": "boolean", "title": "Do it"}},
        ("yes",),
    )
    if is_modern(ctx):
        state = hashlib.sha256(f"{what} {site} {shown}".encode()).hexdigest()
        # The answer to another call must not approve of this one.
        answer = elicitation_answer(params) if params.request_state == state else None
        if answer is None:
            return input_required_result(form, state)
    else:
        answer = await elicit(ctx, form)
    if answer.action != "accept" or (answer.content or {}).get("yes") is not True:
        raise Denied(
            f"the user does not want `{what}` to be called",
            tool=what,
            help="do not call it again unless the user asks for it",
        )
    return None


def _caller(ctx: Context) -> str:
    """Return the name of the client, for people."""
    client = ctx.session.client_params
    info = client.client_info if client else None
    return ((info.title or info.name) if info else "")[:_LONGEST_CALLER] or "MCP"
