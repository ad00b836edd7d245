"""The open pages of a visitor for one request of an assistant, and the calls that are allowed there.

It is the same for each protocol. Questions are asked in the page, and never of the assistant.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from webagent.errors import Denied, NoPage, ToolError
from webagent.page.values import encode
from webagent_site.assistants.grants_endpoint import host_of
from webagent_site.broker.grants import KEPT_CALLS, AssistantCall, Grant, GrantStore
from webagent_site.broker.page_directory import PageRecord
from webagent_site.errors import BrokerUnavailable
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent_site.mcp.page_tools import PageTool
    from webagent_site.pages.relay import CallListener
    from webagent_site.pages.visitor_pages import VisitorPages

WATCH_S: Final = 0.5
"""How often a grant is looked at while a call of it runs."""
START_S: Final = 30.0
"""How long the agent of a page may take to start; it lists its tools then."""
_POLL_S: Final = 0.1
_POLLS: Final = 50
_STARTING: Final = ("idle", "starting")


class GrantedPages:
    """The pages of one visitor for one assistant.

    Attributes:
        opened: The visitor's open pages, the one last used first.
        tools: The names of the tools that the visitor has allowed.
    """

    def __init__(
        self,
        grant: Grant,
        grants: GrantStore,
        pages: VisitorPages,
        opened: Sequence[PageRecord],
    ) -> None:
        """Serve one request.

        Args:
            grant: Of the visitor.
            grants: To look whether it still holds.
            pages: Makes calls.
            opened: The visitor's open pages, the one last used first.
        """
        self.opened = opened
        self.tools = grant.tools
        self._grant = grant
        self._grants = grants
        self._pages = pages
        self._caller = grant.client_name or host_of(grant.client_id) or "an assistant"

    async def page(self, page_id: str | None) -> PageRecord:
        """Return a page once its agent has started.

        Args:
            page_id: Which one; None for the one last used.

        Raises:
            NoPage: There is none.
        """
        for page in self.opened:
            if page_id in (None, page.tab):
                return await self.started(page)
        if page_id is not None and self.opened:
            raise NoPage(
                "the user does not have this page open",
                help="look which pages are open, or leave `page_id` out for the one last used",
            )
        raise NoPage(
            "the user has no page of the site open",
            help="ask the user to open the site in the browser in which they have connected you",
        )

    async def started(self, page: PageRecord) -> PageRecord:
        """Return a page once its agent has started: it lists its tools then."""
        if page.state not in _STARTING:
            return page
        await self._pages.call(page, "snapshot", "", {}, timeout_s=START_S, caller=self._caller)
        # The page sends its tools right after that.
        for _ in range(_POLLS):
            for found in await self._now_open():
                if found.tab == page.tab and found.state not in _STARTING:
                    return found
            await asyncio.sleep(_POLL_S)
        return page

    async def _now_open(self) -> Sequence[PageRecord]:
        try:
            return await self._pages.of(self._grant.visitor)
        except BrokerUnavailable as error:
            raise NoPage(str(error)) from error

    async def call(
        self,
        page: PageRecord,
        tool: PageTool,
        arguments: dict[str, Any],
        on_event: CallListener | None = None,
    ) -> dict[str, Any]:
        """Call a tool of a page, as long as the visitor allows it; return its result as data.

        Args:
            page: One of the visitor's.
            tool: One of the page's.
            arguments: By name; JSON.
            on_event: Called with each event of the call.

        Raises:
            ToolError: The call was not made, or was ended.
        """
        name = tool.own_name
        began = time.time()
        try:
            # The grant was read when the request came, and the page may have had to start.
            await self._check(name)
            tool.check_arguments(arguments)
            calling = self._pages.call(
                page,
                "tool",
                name,
                {key: encode(value) for key, value in arguments.items()},
                timeout_s=tool.timeout_s,
                caller=self._caller,
                on_event=on_event,
            )
            result = await self._while_allowed(name, calling)
        except ToolError as error:
            await self._note(AssistantCall(name, began, error.kind))
            raise
        outcome = "ok" if result["ok"] else printable(result["error"]["kind"], 100)
        await self._note(AssistantCall(name, began, outcome))
        return result

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
