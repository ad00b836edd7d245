"""A remote agent as a model: it gets the conversation over A2A, and its replies are calls."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

from webagent.json_text import utf8_json
from webagent.llm.a2a.parts import Version, image_part, result_part, text_part, tools_metadata
from webagent.llm.a2a.turn import WAITING, KnownPart, Turn, known_part
from webagent.llm.chat import Message, Reply, Role, ToolDefinition, chosen_tools
from webagent.llm.errors import BadRequest, ConnectionLost, CutStream, ModelError, TimedOut
from webagent.llm.http import (
    Fetch,
    Limits,
    Request,
    checked_headers,
    error_text,
    json_data,
    open_answer,
    without_secrets,
)
from webagent.llm.refusals import refusal, stream_error

POLL_S = 1.0
"""Seconds between two requests for a task that goes on without a stream."""

_METHODS: dict[Version, dict[str, str]] = {
    "0.3": {
        "send": "message/send",
        "stream": "message/stream",
        "get": "tasks/get",
        "cancel": "tasks/cancel",
    },
    "1.0": {
        "send": "SendMessage",
        "stream": "SendStreamingMessage",
        "get": "GetTask",
        "cancel": "CancelTask",
    },
}
_NOT_MADE = "this call was not made"
_NO_TASK = -32001
_NO_STREAM = (-32601, -32004)
"""Error codes of agents that cannot stream: no such method, not supported."""
_A2A_ERRORS = range(-32009, -32000)
_JSONRPC_ERRORS = (-32700, -32600, -32601, -32602)


class A2AModel:
    """A remote agent that calls the page's tools, whose definitions every message carries.

    The agent keeps the conversation itself. It gets only the new messages, or all of them if it does
    not know the beginning.
    """

    def __init__(
        self,
        url: str,
        fetch: Fetch,
        *,
        version: Version = "0.3",
        headers: Mapping[str, str] | None = None,
        context_tokens: int = 100_000,
        limits: Limits | None = None,
    ) -> None:
        """Create a client for an agent.

        Args:
            url: Address of its JSON-RPC interface, `url` in its card.
            fetch: Sends the requests.
            version: Version of its protocol, `protocolVersion` in its card.
            headers: Headers of each request, such as `Authorization`.
            context_tokens: The longest conversation.
            limits: Time limits of a turn.

        Raises:
            ValueError: A header cannot be sent.
        """
        self._url = url
        self._fetch = fetch
        self._version = version
        ours = {"content-type": "application/json", "accept": "text/event-stream, application/json"}
        if version == "1.0":
            ours["a2a-version"] = "1.0"
        self._headers = checked_headers(ours, headers or {})
        self._context_tokens = context_tokens
        self._limits = limits or Limits()
        self._streams = True
        self._last: Turn | None = None
        self._reply: Reply | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str:
        """Name of the agent, for prices and logs."""
        return f"a2a:{urlsplit(self._url).netloc or self._url}"

    @property
    def context_tokens(self) -> int:
        """The longest conversation, the reply included."""
        return self._context_tokens

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        *,
        on_text: Callable[[str], None] | None = None,
        tool_choice: str | None = None,
    ) -> Reply:
        """Return the agent's reply.

        Raises:
            ModelError: The agent gave no reply.
        """
        tools = chosen_tools(tools, tool_choice)
        known = known_part(messages, self._reply)
        try:
            try:
                turn = await self._turn(messages, tools, known, on_text)
            except _UnknownTask:
                turn = await self._turn(messages, tools, None, on_text)
        except ModelError as error:
            raise without_secrets(error, self._headers) from error.__cause__
        taken = [call.id for message in messages for call in message.calls]
        reply = turn.reply(tools, taken, self.name)
        self._last, self._reply = turn, reply
        return reply

    async def _turn(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        known: KnownPart | None,
        on_text: Callable[[str], None] | None,
    ) -> Turn:
        params = {"message": self._message(messages, tools, known)}
        turn = Turn(on_text)
        try:
            async with asyncio.timeout(self._limits.whole_s):
                await self._send(params, turn)
                while not turn.over:
                    if not turn.task:
                        raise CutStream("the remote agent's answer ends before it said anything")
                    await asyncio.sleep(POLL_S)
                    await self._ask("get", {"id": turn.task}, turn)
        except TimeoutError as error:
            self._end(turn)
            limit = f"{self._limits.whole_s:g} s"
            raise TimedOut(f"the remote agent did not finish within {limit}") from error
        except asyncio.CancelledError:
            self._end(turn)
            raise
        return turn

    async def _send(self, params: Mapping[str, Any], turn: Turn) -> None:
        """Send a message, as a stream if the agent has streams."""
        if self._streams:
            try:
                await self._ask("stream", params, turn)
            except _NoStreaming:
                self._streams = False
            except ConnectionLost:
                if not turn.task:
                    raise
                # The task goes on without the stream, and is polled from now on.
                return
            else:
                return
        await self._ask("send", params, turn)

    async def _ask(self, method: str, params: Mapping[str, Any], turn: Turn) -> None:
        """Send a request, and add its results to the turn."""
        call = {
            "jsonrpc": "2.0",
            "id": secrets.token_hex(8),
            "method": _METHODS[self._version][method],
            "params": params,
        }
        body = utf8_json(json.dumps(call, ensure_ascii=False))
        request = Request(self._url, headers=self._headers, body=body)
        async with open_answer(self._fetch, request, self._limits) as answer:
            if not 200 <= answer.status < 300:
                raise refusal(answer.status, answer.headers, await error_text(answer))
            async with aclosing(json_data(answer)) as results:
                async for data in results:
                    error = data.get("error") if isinstance(data, dict) else None
                    if isinstance(error, dict):
                        raise _error(error, method)
                    turn.add(data.get("result") if isinstance(data, dict) else None)
                    if turn.over:
                        return

    def _message(
        self, messages: Sequence[Message], tools: Sequence[ToolDefinition], known: KnownPart | None
    ) -> dict[str, Any]:
        before = self._last if known else None
        parts = self._new_parts(messages, known) if known else self._all_parts(messages)
        kind = {"kind": "message"} if self._version == "0.3" else {}
        sent: dict[str, Any] = {
            **kind,
            "role": "user" if self._version == "0.3" else "ROLE_USER",
            "messageId": secrets.token_hex(16),
            "parts": parts or [text_part("Go on.", self._version)],
            "metadata": {"tools": tools_metadata(tools)},
        }
        if before is not None and before.context:
            sent["contextId"] = before.context
        if before is not None and before.task:
            # A task that has ended takes no more messages.
            open_task = before.state in WAITING
            sent |= {"taskId": before.task} if open_task else {"referenceTaskIds": [before.task]}
        return sent

    def _all_parts(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Return a conversation that the agent does not know, as words."""
        names = {call.id: call.name for message in messages for call in message.calls}
        parts: list[dict[str, Any]] = []
        for message in messages:
            text = message.text
            if message.role is Role.ASSISTANT:
                made = [{"name": c.name, "args": dict(c.arguments)} for c in message.calls]
                calls = f" (you asked for {json.dumps(made, ensure_ascii=False)})" if made else ""
                text = f"Earlier you said: {text}{calls}"
            elif message.role is Role.TOOL:
                text = f"The result of `{names.get(message.call_id, '')}`:\n{text}"
            parts += self._parts_of(text, message)
        return parts

    def _new_parts(self, messages: Sequence[Message], known: KnownPart) -> list[dict[str, Any]]:
        """Return the messages that are new to the agent, with its own ids for its calls."""
        calls = self._reply.calls if self._reply is not None else ()
        names = {call.id: call.name for call in calls}
        parts: list[dict[str, Any]] = []
        for message in messages[known.messages :]:
            number = known.ids.get(message.call_id, "")
            if message.role is Role.TOOL and number in names:
                name = names.pop(number)
                parts.append(result_part(number, name, message.text, self._version))
                parts += self._parts_of("", message)
            elif message.role is not Role.ASSISTANT:
                parts += self._parts_of(message.text, message)
        for number, name in names.items():
            parts.append(result_part(number, name, _NOT_MADE, self._version))
        return parts

    def _parts_of(self, text: str, message: Message) -> list[dict[str, Any]]:
        images = [image_part(image, self._version) for image in message.images]
        return [*([text_part(text, self._version)] if text else []), *images]

    def _end(self, turn: Turn) -> None:
        """Cancel the agent's task, without waiting for the answer."""
        if turn.task and not turn.over:
            task = asyncio.ensure_future(self._cancel(turn.task))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    async def _cancel(self, task: str) -> None:
        with contextlib.suppress(ModelError):
            await self._ask("cancel", {"id": task}, Turn())


class _NoStreaming(Exception):
    """The agent cannot stream."""


class _UnknownTask(Exception):
    """The agent does not know the task any more."""


def _error(error: Mapping[str, Any], method: str) -> Exception:
    """Return the exception for an error of JSON-RPC."""
    code = error.get("code")
    if method == "stream" and code in _NO_STREAM:
        return _NoStreaming()
    if code == _NO_TASK and method in ("send", "stream"):
        return _UnknownTask()
    failure = stream_error({"message": error.get("message")})
    if code in _A2A_ERRORS or code in _JSONRPC_ERRORS:
        return BadRequest(failure.message)
    return failure
