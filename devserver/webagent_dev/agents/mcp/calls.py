"""Calls of clients: of the tools of pages, and of our own."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, InputRequiredResult

from webagent.errors import Denied, InvalidArguments, NoPage, ToolError
from webagent.page.values import encode
from webagent_dev.agents.mcp.elicitation import (
    Context,
    Form,
    answered,
    as_result,
    ask,
    can_ask,
    is_modern,
)
from webagent_dev.agents.mcp.results import Progress, failed, failed_with, succeeded
from webagent_dev.agents.mcp.results import given as given_as_result
from webagent_dev.agents.mcp.runs import Runs
from webagent_dev.agents.mcp.tools import (
    CALL_PAGE_TOOL,
    EXECUTE_JS,
    LIST_PAGES,
    OWN_TOOLS,
    PAGE_STATE,
    RUN_GOAL,
    USUAL_MS,
    Offer,
    offers_of,
)
from webagent_dev.agents.page_output import plain
from webagent_dev.live.messages import CallKind
from webagent_dev.live.open_pages import FOCUSED, OpenPage, OpenPages
from webagent_dev.live.relay import Relay

START_S = 20.0
"""How long a list of tools waits for the agent of a page to start."""
_STARTING = ("idle", "starting")
_LATE_LOOKS, _LATE_S = 40, 0.05
LOOK_S = 60.0
"""How long a page may take to show what it shows; its agent may have to start for it."""
_LONGEST_CALLER = 100

Answer = CallToolResult | InputRequiredResult


class Calls:
    """Makes the calls of clients."""

    def __init__(self, pages: OpenPages, relay: Relay) -> None:
        """Call what is in pages.

        Args:
            pages: The open ones.
            relay: How they are called.
        """
        self._pages = pages
        self._relay = relay
        self._runs = Runs(relay)
        self._known: tuple[Any, dict[str, Offer]] = (None, {})
        self._own: dict[
            str, Callable[[Context, CallToolRequestParams, dict[str, Any]], Awaitable[Answer]]
        ] = {
            LIST_PAGES.name: self._list_pages,
            PAGE_STATE.name: self._page_state,
            CALL_PAGE_TOOL.name: self._call_page_tool,
            EXECUTE_JS.name: self._execute_js,
            RUN_GOAL.name: self._run_goal,
        }

    def offers(self, page_id: str = FOCUSED) -> dict[str, Offer]:
        """Return what a page offers; of no page, nothing.

        What is the same as the last time is not read again.
        """
        try:
            tools = self._pages.find(page_id).tools
        except NoPage:
            return {}
        if self._known[0] is not tools:
            self._known = (tools, offers_of(tools, OWN_TOOLS))
        return self._known[1]

    async def awake(self, ctx: Context) -> None:
        """Let the agent of the page in focus start, if it has not: before, no tools are known."""
        try:
            page = await self._pages.wanted(FOCUSED)
        except NoPage:
            return
        if page.state not in _STARTING:
            return
        await self._relay.call(
            page.page_id, "snapshot", "", {}, timeout_s=START_S, caller=_caller(ctx)
        )
        # The list is told right after it.
        for _ in range(_LATE_LOOKS):
            if page.state not in _STARTING:
                return
            await asyncio.sleep(_LATE_S)

    async def call(self, ctx: Context, params: CallToolRequestParams) -> Answer:
        """Make a call; what goes wrong in it is a result, too.

        Raises:
            MCPError: There is no such tool.
        """
        arguments = params.arguments or {}
        try:
            if own := self._own.get(params.name):
                _check(params.name, arguments)
                return await own(ctx, params, arguments)
            await self.awake(ctx)
            page = await self._pages.wanted(FOCUSED)
            offer = self.offers(page.page_id).get(params.name)
            if offer is None:
                raise MCPError(
                    INVALID_PARAMS,
                    f"there is no tool `{params.name[:200]}` - the page in focus does not offer it now - "
                    "list the tools again",
                )
            return await self._call(ctx, params, page, offer, arguments)
        except ToolError as error:
            return failed_with(error)

    async def _call(
        self,
        ctx: Context,
        params: CallToolRequestParams,
        page: OpenPage,
        offer: Offer,
        arguments: dict[str, Any],
    ) -> Answer:
        """Call a tool of a page."""
        offer.check_arguments(arguments)
        if question := await _agreed(ctx, params, offer, arguments):
            return question
        given = {name: encode(value) for name, value in arguments.items()}
        result = await self._relayed(ctx, page, "tool", offer.own_name, given, offer.timeout_s)
        if not result["ok"]:
            return failed(result["error"])
        value = plain(result["value"])
        strangers = (offer.origin or page.hello.url) if offer.untrusted else None
        if not offer.declares and (ready := given_as_result(value, untrusted_from=strangers)):
            return ready
        if misfit := offer.misfit(value):
            return failed(misfit, json.dumps(value, ensure_ascii=False))
        structured = offer.shaped(value, modern=is_modern(ctx))
        return succeeded(value, structured=structured, untrusted_from=strangers)

    async def _list_pages(self, _: Context, __: CallToolRequestParams, ___: Any) -> Answer:
        pages = []
        for shown in self._pages.describe():
            tools = list(self.offers(shown["page_id"]))
            described = {key: shown[key] for key in ("page_id", "url", "title", "focused")}
            pages.append({**described, "tools": tools})
        return succeeded({"pages": pages}, structured={"pages": pages})

    async def _page_state(
        self, ctx: Context, _: CallToolRequestParams, given: dict[str, Any]
    ) -> Answer:
        page = await self._page(given)
        result = await self._relayed(ctx, page, "snapshot", "", {}, LOOK_S)
        if not result["ok"]:
            return failed(result["error"])
        seen = plain(result["value"])
        state = {
            "page_id": page.page_id,
            **{key: str(seen.get(key, "")) for key in ("url", "title", "text")},
            "truncated": seen.get("truncated") is True,
            "tools": [
                {"name": offer.name, "description": offer.listed(modern=True).description or ""}
                for offer in self.offers(page.page_id).values()
            ],
        }
        return succeeded(state, structured=state, untrusted_from=page.hello.url)

    async def _call_page_tool(
        self, ctx: Context, params: CallToolRequestParams, given: dict[str, Any]
    ) -> Answer:
        page = await self._page(given)
        offers = self.offers(page.page_id)
        offer = offers.get(given["name"])
        if offer is None:
            raise InvalidArguments(
                f"the page offers no tool `{given['name'][:200]}`",
                path="name",
                help=f"it offers {', '.join(offers) or 'none now'}",
            )
        answer = await self._call(ctx, params, page, offer, given.get("arguments") or {})
        if isinstance(answer, CallToolResult) and not answer.is_error:
            # Whose shape nobody has been told.
            answer.structured_content = None
        return answer

    async def _execute_js(
        self, ctx: Context, _: CallToolRequestParams, given: dict[str, Any]
    ) -> Answer:
        timeout_s = given.get("timeout_ms", USUAL_MS) / 1000
        code = {"code": given["code"]}
        result = await self._relayed(ctx, await self._page(given), "code", "", code, timeout_s)
        logs = plain(result["logs"])
        if not result["ok"]:
            return failed(
                result["error"], *([json.dumps(logs, ensure_ascii=False)] if logs else [])
            )
        shown = {"value": plain(result["value"]), "logs": logs}
        return succeeded(shown, structured=shown)

    async def _run_goal(
        self, ctx: Context, params: CallToolRequestParams, given: dict[str, Any]
    ) -> Answer:
        goal: dict[str, Any] = {"goal": given["goal"]}
        if "steps" in given:
            goal["budget"] = {"steps": given["steps"]}
        page_id = (await self._page(given)).page_id if params.request_state is None else ""
        return await self._runs.work(ctx, params, page_id, goal, _caller(ctx))

    async def _page(self, given: dict[str, Any]) -> OpenPage:
        return await self._pages.wanted(given.get("page_id", FOCUSED))

    async def _relayed(
        self,
        ctx: Context,
        page: OpenPage,
        kind: CallKind,
        name: str,
        given: dict[str, Any],
        timeout_s: float,
    ) -> dict[str, Any]:
        async with Progress(ctx) as progress:
            return await self._relay.call(
                page.page_id,
                kind,
                name,
                given,
                timeout_s=timeout_s,
                caller=_caller(ctx),
                hear=progress.hear,
            )


async def _agreed(
    ctx: Context, params: CallToolRequestParams, offer: Offer, arguments: dict[str, Any]
) -> InputRequiredResult | None:
    """Let the person in front of the client agree to what cannot be undone; None once they do.

    A client that shows no forms has asked in its own way, as it does for every tool that does not
    only read.

    Raises:
        Denied: They do not.
    """
    if offer.effect != "irreversible" or not can_ask(ctx):
        return None
    shown = json.dumps(arguments, ensure_ascii=False, indent=1)
    form = Form(
        f"`{offer.own_name}` of {offer.origin or 'the open page'} cannot be undone. "
        f"It is called with {shown}",
        {"yes": {"type": "boolean", "title": "Do it"}},
        ("yes",),
    )
    if is_modern(ctx):
        state = hashlib.sha256(f"{offer.own_name} {shown}".encode()).hexdigest()
        # An answer to another question is none to this.
        answer = answered(params) if params.request_state == state else None
        if answer is None:
            return as_result(form, state)
    else:
        answer = await ask(ctx, form)
    if answer.action != "accept" or (answer.content or {}).get("yes") is not True:
        raise Denied(
            f"the user does not want `{offer.own_name}` to be called",
            tool=offer.own_name,
            help="do not call it again unless the user asks for it",
        )
    return None


_TAKES = {name: Draft202012Validator(tool.input_schema) for name, tool in OWN_TOOLS.items()}


def _check(name: str, arguments: dict[str, Any]) -> None:
    if wrong := best_match(_TAKES[name].iter_errors(arguments)):
        raise InvalidArguments(
            f"the arguments do not fit: {wrong.message[:500]}",
            tool=name,
            path=".".join(map(str, wrong.absolute_path)) or None,
            help="look at the input schema of the tool, and call it again",
        )


def _caller(ctx: Context) -> str:
    """Return the name of a client, for people."""
    client = ctx.session.client_params
    info = client.client_info if client else None
    return ((info.title or info.name) if info else "")[:_LONGEST_CALLER] or "MCP"
