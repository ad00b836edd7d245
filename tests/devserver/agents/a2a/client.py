"""A client of A2A that sends exactly what a test wants, over either binding."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import httpx

from tests.page_client import PLAIN, owner_token
from tests.server import Server

BINDINGS = ("rpc", "rest")
_PATHS = {
    "SendMessage": ("POST", "/message:send"),
    "SendStreamingMessage": ("POST", "/message:stream"),
    "GetTask": ("GET", "/tasks/{id}"),
    "ListTasks": ("GET", "/tasks"),
    "CancelTask": ("POST", "/tasks/{id}:cancel"),
    "SubscribeToTask": ("GET", "/tasks/{id}:subscribe"),
}


class Failed(Exception):
    """An error that a client received."""

    def __init__(self, code: int, message: str, reason: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason


class A2a:
    """A client of a server; an asynchronous context manager."""

    def __init__(self, server: Server, binding: str = "rpc") -> None:
        """Connect as a program of the server's owner."""
        self.binding = binding
        headers = {"authorization": f"Bearer {owner_token(server)}", "a2a-version": "1.0"}
        self.http = httpx.AsyncClient(
            base_url=server.url, verify=PLAIN, headers=headers, timeout=60, trust_env=False
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.http.aclose()

    async def ask(self, method: str, **params: Any) -> Any:
        """Return the answer to a request.

        Raises:
            Failed: It is an error.
        """
        answer = await self.http.send(self._request(method, params))
        return self._told(answer.json(), answer.status_code)

    async def send(self, *parts: str | dict[str, Any], **more: Any) -> dict[str, Any]:
        """Send a message, and return the task."""
        task: dict[str, Any] = (await self.ask("SendMessage", **message(*parts, **more)))["task"]
        return task

    async def stream(self, method: str, **params: Any) -> AsyncIterator[dict[str, Any]]:
        """Yield the events of a stream, until its end.

        Raises:
            Failed: There is none.
        """
        answer = await self.http.send(self._request(method, params), stream=True)
        try:
            if "text/event-stream" not in answer.headers["content-type"]:
                await answer.aread()
                self._told(answer.json(), answer.status_code)
                raise AssertionError("no stream")
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    yield self._told(json.loads(line[6:]), 200)
        finally:
            await answer.aclose()

    async def until(self, task_id: str, state: str) -> dict[str, Any]:
        """Wait until a task is in a state."""
        async with asyncio.timeout(20):
            while (task := await self.ask("GetTask", id=task_id))["status"]["state"] != (
                f"TASK_STATE_{state}"
            ):
                pass
        found: dict[str, Any] = task
        return found

    def _request(self, method: str, params: dict[str, Any]) -> httpx.Request:
        if self.binding == "rpc":
            asked = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
            # In ASCII, which can write halves of characters, too.
            kind = {"content-type": "application/json"}
            return self.http.build_request(
                "POST", "/a2a/jsonrpc", content=json.dumps(asked), headers=kind
            )
        verb, path = _PATHS[method]
        path = f"/a2a/rest{path.format(**params)}"
        if verb == "POST" and "{id}" not in _PATHS[method][1]:
            return self.http.build_request(verb, path, json=params)
        query = {name: value for name, value in params.items() if name != "id"}
        return self.http.build_request(verb, path, params=query)

    def _told(self, data: Any, status: int) -> Any:
        if self.binding == "rpc":
            assert (data["jsonrpc"], data["id"]) == ("2.0", 7)
            if "error" not in data:
                return data["result"]
            error, details = data["error"], data["error"].get("data", [])
        elif status < 400:
            return data
        else:
            error, details = data["error"], data["error"]["details"]
            assert error["code"] == status
        reason = details[0]["reason"] if details else ""
        raise Failed(error["code"], error["message"], reason)


def message(*parts: str | dict[str, Any], at_once: bool = False, **more: Any) -> dict[str, Any]:
    """Return the parameters with which a message is sent."""
    made = [{"text": part} if isinstance(part, str) else part for part in parts]
    sent = {"messageId": str(uuid4()), "role": "ROLE_USER", "parts": made, **more}
    return {"message": sent, **({"configuration": {"returnImmediately": True}} if at_once else {})}


def states(events: list[dict[str, Any]]) -> list[str]:
    """Return the state of each event, or its kind."""
    return [
        (each.get("statusUpdate") or each["task"])["status"]["state"].removeprefix("TASK_STATE_")
        if "artifactUpdate" not in each
        else "artifact"
        for each in events
    ]


def words(thing: dict[str, Any]) -> str:
    """Return the text in the status of a task or an update."""
    parts = thing["status"].get("message", {}).get("parts", [])
    return " ".join(part["text"] for part in parts if "text" in part)
