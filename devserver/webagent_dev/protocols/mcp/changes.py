"""Tells clients that other tools are offered now, in both ages of the protocol."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged
from mcp.shared.exceptions import MCPError

from webagent_dev.protocols.mcp.asking import Context, is_modern

MOST_SESSIONS = 200
TELL_S = 5.0
"""How long a client may take to read that; one that does not keeps the others waiting."""


class Changes:
    """Knows who wants to hear of changes, and what they were told last."""

    def __init__(self, offered: Callable[[], Any]) -> None:
        """Begin with what is offered now.

        Args:
            offered: Returns all that is offered; what is not equal to it later is a change.
        """
        self.bus = InMemorySubscriptionBus()
        """Of clients that subscribe."""
        self._offered = offered
        self._told = offered()
        self._sessions: OrderedDict[str, ServerSession] = OrderedDict()

    async def remember(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Remember the sessions of clients that have one (middleware of the server)."""
        session_id = ctx.request.headers.get("mcp-session-id") if ctx.request else None
        if session_id and not is_modern(ctx) and session_id not in self._sessions:
            self._sessions[session_id] = ctx.session
            if len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        return await call_next(ctx)

    def look(self, tasks: asyncio.TaskGroup) -> None:
        """Tell clients, if what is offered is something else than before."""
        offered = self._offered()
        if offered != self._told:
            self._told = offered
            tasks.create_task(self._tell())

    async def _tell(self) -> None:
        await self.bus.publish(ToolsListChanged())
        for session_id, session in tuple(self._sessions.items()):
            try:
                async with asyncio.timeout(TELL_S):
                    await session.send_tool_list_changed()
            except (MCPError, TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError):
                self._sessions.pop(session_id, None)
