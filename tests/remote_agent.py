"""A remote agent that speaks A2A, with a script, over a real connection."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.model_server import Loopback
from webagent.llm import Message, Role, ToolDefinition

Json = dict[str, Any]
HELLO = [Message(Role.SYSTEM, "be short"), Message(Role.USER, "hello")]
SEARCH = ToolDefinition("search", "finds", {"type": "object", "properties": {"q": {}}})
CART = ToolDefinition("cart.add", "puts", {"type": "object"})


class Agent:
    """A remote agent with a script: each turn is a list of results, streamed if it was asked to.

    An exception in a turn is an error of JSON-RPC, `(code, message)`; `None` waits for ever.
    """

    def __init__(self) -> None:
        self.turns: deque[list[Any]] = deque()
        self.asked: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.cancelled = threading.Event()
        self.streams = True
        self.status = 200
        self._running = Loopback(Starlette(routes=[Route("/rpc", self._answer, methods=["POST"])]))
        self.url = f"{self._running.origin}/rpc"

    def stop(self) -> None:
        self._running.stop()

    @property
    def messages(self) -> list[Json]:
        return [asked["params"]["message"] for asked in self.asked if "message" in asked["params"]]

    async def _answer(self, request: Request) -> Response:
        call = json.loads(await request.body())
        self.asked.append(call)
        self.headers.append(dict(request.headers))
        if self.status != 200:
            return JSONResponse({"error": {"message": "busy"}}, self.status)
        if call["method"] in ("tasks/cancel", "CancelTask"):
            self.cancelled.set()
            return JSONResponse(self._wrapped(call, task("canceled")))
        streamed = call["method"] in ("message/stream", "SendStreamingMessage")
        if streamed and not self.streams:
            return JSONResponse(self._wrapped(call, (-32004, "no streams")))
        results = self.turns.popleft()
        if not streamed:
            return JSONResponse(self._wrapped(call, results[-1]))
        return StreamingResponse(self._stream(call, results), media_type="text/event-stream")

    async def _stream(self, call: Json, results: list[Any]) -> AsyncIterator[str]:
        for result in results:
            if result is None:
                await asyncio.Event().wait()
            yield f"data: {json.dumps(self._wrapped(call, result))}\n\n"

    def _wrapped(self, call: Json, result: Any) -> Json:
        head = {"jsonrpc": "2.0", "id": call["id"]}
        if isinstance(result, tuple):
            return {**head, "error": {"code": result[0], "message": result[1]}}
        return {**head, "result": result}


def text(words: str) -> Json:
    return {"kind": "text", "text": words}


def asks(name: str, args: Any, number: str = "c1", **metadata: str) -> Json:
    return {
        "kind": "data",
        "data": {"id": number, "name": name, "args": args},
        "metadata": metadata or {"adk_type": "function_call"},
    }


def did(name: str, number: str) -> Json:
    data = {"id": number, "name": name, "response": {"result": 1}}
    return {"kind": "data", "data": data, "metadata": {"adk_type": "function_response"}}


def message(*parts: Json) -> Json:
    return {
        "kind": "message",
        "role": "agent",
        "messageId": "m",
        "contextId": "ctx",
        "parts": [*parts],
    }


def task(state: str, *parts: Json, artifacts: list[Json] | None = None) -> Json:
    status: Json = {"state": state}
    if parts:
        status["message"] = message(*parts)
    head = {"kind": "task", "id": "task-1", "contextId": "ctx", "status": status}
    return head | ({"artifacts": artifacts} if artifacts else {})


def update(state: str, *parts: Json) -> Json:
    return {**task(state, *parts), "kind": "status-update", "taskId": "task-1", "final": False}


def artifact(words: str, *, number: str = "a", append: bool = False) -> Json:
    found = {"artifactId": number, "parts": [text(words)]}
    head = {"kind": "artifact-update", "taskId": "task-1", "contextId": "ctx"}
    return {**head, "artifact": found, "append": append}
