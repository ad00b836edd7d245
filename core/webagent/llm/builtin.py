"""The model that is built into some browsers (`LanguageModel`, the Prompt API)."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Literal, Protocol

from webagent.llm.chat import Message, Reply, Role, ToolDefinition, Usage, chosen_tools
from webagent.llm.errors import (
    BadRequest,
    ContentFiltered,
    ContextTooLong,
    DownloadNeeded,
    ModelError,
    ModelFailed,
    ModelUnavailable,
    TimedOut,
)
from webagent.llm.text_calls import ReplyText, constraint, instructions, parse_reply, reply_json

Availability = Literal["absent", "unavailable", "downloadable", "downloading", "available"]
"""`absent`: the browser has no such API; `unavailable`: it has the API, but no model for this device
or these languages."""

_ERRORS: Mapping[str, tuple[type[ModelError], str]] = {
    "DownloadNeeded": (
        DownloadNeeded,
        "the browser's model must be downloaded first - let the person press a button that "
        "calls `prepare()`",
    ),
    "NotAllowedError": (
        DownloadNeeded,
        "the browser does not start its model now - call `prepare()` when the person presses a "
        "button, on a page whose Permissions-Policy allows `language-model`",
    ),
    "NotReadableError": (ContentFiltered, "the browser held the reply back"),
    "NotSupportedError": (
        ModelUnavailable,
        "this browser has no model of its own for this - use another model, or none",
    ),
    "QuotaExceededError": (ContextTooLong, "the conversation is too long for the browser's model"),
    "SyntaxError": (BadRequest, "the browser's model does not take the schemas of the tools"),
    "TypeError": (BadRequest, "the browser's model does not take the conversation"),
}
"""Errors by the name of the browser's error; any other name means that the model failed."""

_FAILED = (ModelFailed, "the browser's model failed")


class ModelBridge(Protocol):
    """The model in the page's script: JSON strings in and out (`llm/page_models.ts`)."""

    async def model_availability(self, request: str) -> str:
        """Return whether there is a model for `{"languages"}`."""

    def model_start(self, number: int, request: str) -> None:
        """Begin a reply."""

    async def model_read(self, number: int) -> str:
        """Return the next message: `progress`, `session`, `text`, `done` or `error`."""

    def model_close(self, number: int) -> None:
        """End a reply."""


class BuiltinModel:
    """The browser's own model. The conversation stays on the device.

    It makes calls in JSON, whose schema the browser enforces. The browser's own tool calls are not
    used, since it would make them without asking anybody.
    """

    def __init__(
        self,
        bridge: ModelBridge,
        *,
        languages: Sequence[str] = ("en",),
        context_tokens: int = 4_096,
        whole_s: float = 300.0,
    ) -> None:
        """Create a client for the browser's model.

        Args:
            bridge: The page.
            languages: Languages of the conversation.
            context_tokens: The longest conversation, until the browser reports it.
            whole_s: Seconds that a reply may take.
        """
        self._bridge = bridge
        self._languages = list(languages)
        self._context_tokens = context_tokens
        self._whole_s = whole_s

    @property
    def name(self) -> str:
        """Name of the model, for prices and logs."""
        return "builtin"

    @property
    def context_tokens(self) -> int:
        """The longest conversation, the reply included."""
        return self._context_tokens

    async def availability(self) -> Availability:
        """Return whether there is a model, and whether it must be downloaded first."""
        request = json.dumps({"languages": self._languages})
        found: Availability = json.loads(await self._bridge.model_availability(request))
        return found

    async def prepare(self, on_progress: Callable[[float], None] | None = None) -> None:
        """Download the model, if that is needed, and start it once.

        A browser allows the download only shortly after the person has pressed something.

        Args:
            on_progress: Receives the share that is downloaded, from 0 to 1.

        Raises:
            ModelUnavailable: There is no model, or the browser does not start it now.
        """
        request = {"initial": [], "prompt": [], "download": True}
        async with aclosing(self._messages(request)) as received:
            async for message in received:
                if message["type"] == "progress" and on_progress is not None:
                    on_progress(message["loaded"])

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        *,
        on_text: Callable[[str], None] | None = None,
        tool_choice: str | None = None,
    ) -> Reply:
        """Return the model's reply.

        Raises:
            ModelError: The model gave no reply.
        """
        request = {**_conversation(messages, chosen_tools(tools, tool_choice)), "download": False}
        pieces: list[str] = []
        reply_text = ReplyText()
        prompt = completion = 0
        try:
            async with (
                asyncio.timeout(self._whole_s),
                aclosing(self._messages(request)) as received,
            ):
                async for message in received:
                    if message["type"] == "session":
                        prompt = message["prompt"]
                    elif message["type"] == "done":
                        completion = message["completion"]
                    elif message["type"] == "text":
                        pieces.append(message["text"])
                        words = reply_text.feed(message["text"]) if tools else message["text"]
                        if words and on_text is not None:
                            on_text(words)
        except TimeoutError as error:
            raise TimedOut(
                f"the browser's model did not finish within {self._whole_s:g} s"
            ) from error
        usage = Usage(prompt, completion) if prompt else None
        if not tools:
            return Reply("".join(pieces), usage=usage, model=self.name)
        text, calls = parse_reply("".join(pieces))
        return Reply(text, calls, usage, self.name)

    async def _messages(self, request: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """Begin a reply and yield the messages of the page, up to the last."""
        request = {"languages": self._languages, **request}
        async with aclosing(bridge_messages(self._bridge, request, _ERRORS, _FAILED)) as received:
            async for message in received:
                if message["type"] == "session" and message["window"]:
                    self._context_tokens = message["window"]
                yield message


_numbers = itertools.count(1)


async def bridge_messages(
    bridge: ModelBridge,
    request: Mapping[str, Any],
    errors: Mapping[str, tuple[type[ModelError], str]],
    other: tuple[type[ModelError], str],
) -> AsyncGenerator[dict[str, Any], None]:
    """Begin a reply of a model in the page, and yield its messages, up to the last.

    Args:
        bridge: The page.
        request: What is replied to.
        errors: The error and its beginning in words, by the name of the page's error.
        other: Those of any other name.

    Raises:
        ModelError: The page reports an error.
    """
    number = next(_numbers)
    bridge.model_start(number, json.dumps(request))
    try:
        while True:
            message = json.loads(await bridge.model_read(number))
            if message["type"] == "error":
                kind, why = errors.get(message["name"], other)
                raise kind(f"{why} ({message['message'][:300]})")
            yield message
            if message["type"] == "done":
                return
    finally:
        bridge.model_close(number)


def _conversation(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """Return a conversation as the browser takes it: the past, and the prompt to reply to."""
    system = [message.text for message in messages if message.role is Role.SYSTEM]
    if tools:
        system.append(instructions(tools))
    names = {call.id: call.name for message in messages for call in message.calls}
    data = [_message_data(m, names, bool(tools)) for m in messages if m.role is not Role.SYSTEM]
    last = max((i for i, one in enumerate(data) if one["role"] == "assistant"), default=-1) + 1
    first = [{"role": "system", "text": "\n\n".join(system)}] if system else []
    request: dict[str, Any] = {
        "initial": [*first, *data[:last]],
        "prompt": data[last:] or [{"role": "user", "text": "Go on."}],
    }
    return request | ({"constraint": constraint(tools)} if tools else {})


def _message_data(message: Message, names: Mapping[str, str], with_tools: bool) -> dict[str, Any]:
    if message.role is Role.ASSISTANT:
        text = reply_json(message) if with_tools else message.text
        return {"role": "assistant", "text": text}
    text = message.text
    if message.role is Role.TOOL:
        text = f"Result of `{names.get(message.call_id, message.call_id)}`:\n{text}"
    images = [base64.b64encode(image).decode() for image in message.images]
    return {"role": "user", "text": text} | ({"images": images} if images else {})
