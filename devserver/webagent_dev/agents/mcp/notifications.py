"""Tells clients what has changed, in both ages of the protocol."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from webagent_dev.agents.mcp.elicitation import Context, is_modern

MOST_SESSIONS = 200
TELL_S = 5.0
"""How long a client may take to read that; one that does not keeps the others waiting."""


class Changes:
    """Knows who wants to hear of changes, and what they were told last."""

    def __init__(self, offered: Callable[[], Any], marks: Callable[[], dict[str, Any]]) -> None:
        """Begin with what there is now.

        Args:
            offered: Returns all tools; what is not equal to it later is a change.
            marks: Returns for each resource, by its address, what it is made from.
        """
        self.bus = InMemorySubscriptionBus()
        """Of clients that subscribe."""
        self._offered = offered
        self._marks = marks
        self._told = offered()
        self._marked = marks()
        self._sessions: OrderedDict[str, ServerSession] = OrderedDict()
        self._watched: dict[str, set[str]] = {}
        """Addresses of resources, by the session that wants to hear of them."""

    async def remember(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Remember the sessions of clients that have one (middleware of the server)."""
        session_id = _session_id(ctx)
        if session_id and session_id not in self._sessions:
            self._sessions[session_id] = ctx.session
            if len(self._sessions) > MOST_SESSIONS:
                self._forget(next(iter(self._sessions)))
        return await call_next(ctx)

    def watch(self, ctx: Context, uri: str) -> None:
        """Tell a session of a resource from now on."""
        if session_id := _session_id(ctx):
            self._watched.setdefault(session_id, set()).add(uri)

    def unwatch(self, ctx: Context, uri: str) -> None:
        """Tell it no more."""
        self._watched.get(_session_id(ctx), set()).discard(uri)

    def look(self, tasks: asyncio.TaskGroup) -> None:
        """Tell clients, if anything is something else than before."""
        offered, marks = self._offered(), self._marks()
        events: list[ServerEvent] = []
        if offered != self._told:
            events.append(ToolsListChanged())
        if marks.keys() != self._marked.keys():
            events.append(ResourcesListChanged())
        # One that is gone is something else, too.
        both = {**self._marked, **marks}
        changed = [uri for uri in both if self._marked.get(uri) != marks.get(uri)]
        events += [ResourceUpdated(uri=uri) for uri in changed]
        self._told, self._marked = offered, marks
        if events:
            tasks.create_task(self._tell(events))

    async def _tell(self, events: list[ServerEvent]) -> None:
        for event in events:
            await self.bus.publish(event)
        for session_id, session in tuple(self._sessions.items()):
            watched = self._watched.get(session_id, ())
            try:
                async with asyncio.timeout(TELL_S):
                    for event in events:
                        await _say(session, event, watched)
            except (MCPError, TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError):
                self._forget(session_id)

    def _forget(self, session_id: str) -> None:
        self._sessions.pop(session_id, None)
        self._watched.pop(session_id, None)


def _session_id(ctx: Context) -> str:
    """Return the id of a client's session, empty for one that has none."""
    if ctx.request is None or is_modern(ctx):
        return ""
    return str(ctx.request.headers.get("mcp-session-id", ""))


async def _say(session: ServerSession, event: ServerEvent, watched: Collection[str]) -> None:
    match event:
        case ToolsListChanged():
            await session.send_tool_list_changed()
        case ResourcesListChanged():
            await session.send_resource_list_changed()
        case ResourceUpdated(uri=uri) if uri in watched:
            await session.send_resource_updated(uri)
        case _:
            return
