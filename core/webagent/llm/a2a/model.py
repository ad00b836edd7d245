"""A remote agent in the place of a model: it is sent what happened, and says what to do."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

from webagent.llm.a2a.parts import Version, image_part, result_part, text_part, tools_metadata
from webagent.llm.a2a.turn import WAITING, Heard, Turn, heard_of
from webagent.llm.chat import Message, Reply, Role, ToolDefinition
from webagent.llm.errors import BadRequest, ConnectionLost, CutStream, ModelError, TimedOut
from webagent.llm.http import (
    Fetch,
    Limits,
    Request,
    checked_headers,
    objects,
    opened,
    start_of,
    without_secrets,
)
from webagent.llm.refusals import refusal, stream_error

POLL_S = 1.0
"""Seconds between two questions after a task that goes on without a stream."""

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
"""What an agent answers that cannot stream: no such method, not supported."""
_MISTAKEN = range(-32009, -32000)


class A2AModel:
    """A remote agent that has no tools of this page, but is told of them with every message.

    It keeps the conversation by itself: it is sent only what is new, or all of it if it has not
    heard the beginning.
    """

    takes_page_tools = True
    """Whether an agent offers it the page's tools by their own names: it writes no programs."""

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
        """Speak to an agent.

        Args:
            url: Where its JSON-RPC interface is, `url` in its card.
            fetch: Sends the requests.
            version: Of the protocol that it speaks, `protocolVersion` in its card.
            headers: Sent with each request, such as `Authorization`.
            context_tokens: How long a conversation may be.
            limits: How long a turn may take.

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
        """What prices and logs know it by."""
        return f"a2a:{urlsplit(self._url).netloc or self._url}"

    @property
    def context_tokens(self) -> int:
        """How long a conversation may be, the reply included."""
        return self._context_tokens

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Return what the agent says next.

        Raises:
            ModelError: No reply could be had.
        """
        heard = heard_of(messages, self._reply)
        try:
            try:
                turn = await self._turn(messages, tools, heard, on_text)
            except _Forgotten:
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
        heard: Heard | None,
        on_text: Callable[[str], None] | None,
    ) -> Turn:
        params = {"message": self._message(messages, tools, heard)}
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
            except _NoStream:
                self._streams = False
            except ConnectionLost:
                if not turn.task:
                    raise
                # The task goes on without the stream; what becomes of it is asked for.
                return
            else:
                return
        await self._ask("send", params, turn)

    async def _ask(self, method: str, params: Mapping[str, Any], turn: Turn) -> None:
        """Send a request; what comes back is the turn's."""
        call = {
            "jsonrpc": "2.0",
            "id": secrets.token_hex(8),
            "method": _METHODS[self._version][method],
            "params": params,
        }
        body = json.dumps(call, ensure_ascii=False).encode("utf-8", "replace")
        request = Request(self._url, headers=self._headers, body=body)
        async with opened(self._fetch, request, self._limits) as answer:
            if not 200 <= answer.status < 300:
                raise refusal(answer.status, answer.headers, await start_of(answer))
            async with aclosing(objects(answer)) as found:
                async for data in found:
                    error = data.get("error") if isinstance(data, dict) else None
                    if isinstance(error, dict):
                        raise _error(error, method)
                    turn.add(data.get("result") if isinstance(data, dict) else None)
                    if turn.over:
                        return

    def _message(
        self, messages: Sequence[Message], tools: Sequence[ToolDefinition], heard: Heard | None
    ) -> dict[str, Any]:
        before = self._last if heard else None
        parts = self._news(messages, heard) if heard else self._all(messages)
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

    def _all(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Return a conversation of which the agent knows nothing, as words."""
        names = {call.id: call.name for message in messages for call in message.calls}
        parts: list[dict[str, Any]] = []
        for message in messages:
            text = message.text
            if message.role is Role.ASSISTANT:
                asked = [{"name": c.name, "args": dict(c.arguments)} for c in message.calls]
                calls = f" (you asked for {json.dumps(asked, ensure_ascii=False)})" if asked else ""
                text = f"Earlier you said: {text}{calls}"
            elif message.role is Role.TOOL:
                text = f"The result of `{names.get(message.call_id, '')}`:\n{text}"
            parts += self._shown(text, message)
        return parts

    def _news(self, messages: Sequence[Message], heard: Heard) -> list[dict[str, Any]]:
        """Return what the agent has not heard yet, the results of its calls under its own ids."""
        asked = self._reply.calls if self._reply is not None else ()
        names = {call.id: call.name for call in asked}
        parts: list[dict[str, Any]] = []
        for message in messages[heard.messages :]:
            number = heard.ids.get(message.call_id, "")
            if message.role is Role.TOOL and number in names:
                name = names.pop(number)
                parts.append(result_part(number, name, message.text, self._version))
                parts += self._shown("", message)
            elif message.role is not Role.ASSISTANT:
                parts += self._shown(message.text, message)
        for number, name in names.items():
            parts.append(result_part(number, name, _NOT_MADE, self._version))
        return parts

    def _shown(self, text: str, message: Message) -> list[dict[str, Any]]:
        images = [image_part(image, self._version) for image in message.images]
        return [*([text_part(text, self._version)] if text else []), *images]

    def _end(self, turn: Turn) -> None:
        """Tell the agent, without waiting, that nobody waits for its task any more."""
        if turn.task and not turn.over:
            task = asyncio.ensure_future(self._cancel(turn.task))
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    async def _cancel(self, task: str) -> None:
        with contextlib.suppress(ModelError):
            await self._ask("cancel", {"id": task}, Turn())


class _NoStream(Exception):
    """The agent has no streams."""


class _Forgotten(Exception):
    """The agent does not know the task any more."""


def _error(error: Mapping[str, Any], method: str) -> Exception:
    """Return what an error of JSON-RPC means."""
    code = error.get("code")
    if method == "stream" and code in _NO_STREAM:
        return _NoStream()
    if code == _NO_TASK and method in ("send", "stream"):
        return _Forgotten()
    told = stream_error({"message": error.get("message")})
    if code in _MISTAKEN or code in (-32700, -32600, -32601, -32602):
        return BadRequest(told.message)
    return told
