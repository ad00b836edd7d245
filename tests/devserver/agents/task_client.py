"""Tasks of the protocol's extension, for its official client."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

from mcp import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp_types import CallToolResult, Request, Result
from pydantic import ConfigDict

from webagent_dev.agents.mcp.tasks import EXTENSION


class Handle(Result):
    """A task in place of a result."""

    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"]


class TaskRequest(Request[dict[str, Any], str]):
    name_param = "taskId"


class Anything(Result):
    model_config = ConfigDict(extra="allow")


class TaskExtension(ClientExtension):
    """Says that the client takes tasks, and leaves them to the test."""

    identifier = EXTENSION

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Handle, resolve=self._resolve)]

    async def _resolve(self, handle: Handle, context: ClaimContext) -> CallToolResult:
        raise AssertionError


async def begin(client: Client, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Make a call that becomes a task; return its handle."""
    handle = await client.session.call_tool(name, arguments, allow_claimed=True)
    assert isinstance(handle, Handle), handle
    return handle.model_dump(by_alias=True, exclude_none=True)


async def send(client: Client, method: str, task_id: str, **params: Any) -> dict[str, Any]:
    """Send a request about a task."""
    request = TaskRequest(method=f"tasks/{method}", params={"taskId": task_id, **params})
    result = await client.session.send_request(request, Anything)
    return result.model_dump(by_alias=True, exclude_none=True)


async def until(client: Client, task_id: str, *states: str, **fields: Any) -> dict[str, Any]:
    """Poll until a task is in one of some states; return it."""
    async with asyncio.timeout(20):
        while True:
            task = await send(client, "get", task_id)
            if task["status"] in states and all(task.get(key) == fields[key] for key in fields):
                return task
            await asyncio.sleep(0.02)
