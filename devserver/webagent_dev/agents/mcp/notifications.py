"""Notifies clients of changes, with and without sessions."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Any

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from webagent_site.mcp.results import Context, is_modern

MOST_SESSIONS = 200
SEND_S = 5.0
"""How long a client may take to read a notification; meanwhile the others wait."""


class ChangeNotifier:
    """Compares tools and resources with the last time, and notifies clients of the difference."""

    def __init__(self, tools: Callable[[], Any], versions: Callable[[], dict[str, Any]]) -> None:
        """Start with the present state.

        Args:
            tools: Returns all tools, to be compared.
            versions: Returns for each resource, by its address, what it is made from.
        """
        self.bus = InMemorySubscriptionBus()
        """For clients without sessions, which subscribe."""
        self._tools = tools
        self._versions = versions
        self._last_tools = tools()
        self._last_versions = versions()
        self._sessions: OrderedDict[str, ServerSession] = OrderedDict()
        self._subscribed: dict[str, set[str]] = {}
        """Addresses of resources, by the session that subscribes to them."""

    def remember(self, ctx: Context) -> None:
        """Notify the session of a client from now on; nothing for a client without a session."""
        session_id = _session_id(ctx)
        if session_id and session_id not in self._sessions:
            self._sessions[session_id] = ctx.session
            if len(self._sessions) > MOST_SESSIONS:
                self._forget(next(iter(self._sessions)))

    def subscribe(self, ctx: Context, uri: str) -> None:
        """Notify a session of changes of a resource from now on."""
        if session_id := _session_id(ctx):
            self._subscribed.setdefault(session_id, set()).add(uri)

    def unsubscribe(self, ctx: Context, uri: str) -> None:
        """Stop notifying a session of a resource."""
        self._subscribed.get(_session_id(ctx), set()).discard(uri)

    def notify(self, tasks: asyncio.TaskGroup) -> None:
        """Notify clients if anything has changed since the last time."""
        current, versions = self._tools(), self._versions()
        events: list[ServerEvent] = []
        if current != self._last_tools:
            events.append(ToolsListChanged())
        if versions.keys() != self._last_versions.keys():
            events.append(ResourcesListChanged())
        # A resource that is gone has changed, too.
        both = {**self._last_versions, **versions}
        changed = [uri for uri in both if self._last_versions.get(uri) != versions.get(uri)]
        events += [ResourceUpdated(uri=uri) for uri in changed]
        self._last_tools, self._last_versions = current, versions
        if events:
            tasks.create_task(self._send(events))

    async def _send(self, events: list[ServerEvent]) -> None:
        for event in events:
            await self.bus.publish(event)
        for session_id, session in tuple(self._sessions.items()):
            subscribed = self._subscribed.get(session_id, ())
            try:
                async with asyncio.timeout(SEND_S):
                    for event in events:
                        await _send_event(session, event, subscribed)
            except (MCPError, TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError):
                self._forget(session_id)

    def _forget(self, session_id: str) -> None:
        self._sessions.pop(session_id, None)
        self._subscribed.pop(session_id, None)


def _session_id(ctx: Context) -> str:
    """Return the id of a client's session, empty for a client without one."""
    if ctx.request is None or is_modern(ctx):
        return ""
    return str(ctx.request.headers.get("mcp-session-id", ""))


async def _send_event(
    session: ServerSession, event: ServerEvent, subscribed: Collection[str]
) -> None:
    match event:
        case ToolsListChanged():
            await session.send_tool_list_changed()
        case ResourcesListChanged():
            await session.send_resource_list_changed()
        case ResourceUpdated(uri=uri) if uri in subscribed:
            await session.send_resource_updated(uri)
        case _:
            return
