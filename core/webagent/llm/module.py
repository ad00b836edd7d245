"""A model that a JavaScript module of the site's own runs, for example by WebGPU."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from webagent.json_text import read_json
from webagent.llm.builtin import ModelBridge, bridge_messages
from webagent.llm.chat import (
    Message,
    Reply,
    ToolDefinition,
    Usage,
    chosen_tools,
    read_call,
    unique_id,
)
from webagent.llm.client import MOST_CALLS, data_url
from webagent.llm.errors import (
    ModelError,
    ModelFailed,
    ModelUnavailable,
    TimedOut,
    UnreadableAnswer,
)
from webagent.llm.tool_names import ToolNames

_LONGEST_ID = 200
_MOST_TOKENS = 1 << 40
_DEFAULT_WINDOW = 8_000

_ERRORS: Mapping[str, tuple[type[ModelError], str]] = {
    "ModuleError": (ModelUnavailable, "the module of the model cannot be used"),
}
"""Errors by the name that the page gives them; any other name is what the module threw."""

_FAILED = (ModelFailed, "the module of the model failed")


class ModuleModel:
    """A model in a module that exports `reply({messages, tools, signal, onText})`."""

    def __init__(
        self,
        bridge: ModelBridge,
        url: str,
        *,
        name: str = "",
        context_tokens: int | None = None,
        whole_s: float = 300.0,
    ) -> None:
        """Create a client for a module.

        Args:
            bridge: The page, which loads the module when the first reply is asked for.
            url: Its URL, which must be of the page's own origin.
            name: Name of the model, for prices and logs; by default `module`.
            context_tokens: The longest conversation, the reply included; by default 8,000.
            whole_s: Seconds that a reply may take, the load of the module included.

        Raises:
            ValueError: There is no URL.
        """
        if not url:
            raise ValueError("a module has a URL - write `module:/my-model.js`")
        self._bridge = bridge
        self._url = url
        self._name = name or "module"
        self._context_tokens = context_tokens or _DEFAULT_WINDOW
        self._whole_s = whole_s

    @property
    def name(self) -> str:
        """Name of the model, for prices and logs."""
        return self._name

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
        """Return the module's reply.

        Raises:
            ModelError: It gave no reply.
        """
        called = [call.name for message in messages for call in message.calls]
        names = ToolNames([*(tool.name for tool in tools), *called])
        request = {
            "module": self._url,
            "messages": [_message_data(message, names) for message in messages],
            "tools": [
                {
                    "name": names.safe(tool.name),
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                }
                for tool in chosen_tools(tools, tool_choice)
            ],
        }
        pieces: list[str] = []
        written = ""
        try:
            async with (
                asyncio.timeout(self._whole_s),
                aclosing(bridge_messages(self._bridge, request, _ERRORS, _FAILED)) as received,
            ):
                async for message in received:
                    if message["type"] == "text":
                        pieces.append(message["text"])
                        if on_text is not None:
                            on_text(message["text"])
                    elif message["type"] == "done":
                        written = message["reply"]
        except TimeoutError as error:
            raise TimedOut(f"the module did not reply within {self._whole_s:g} s") from error
        taken = {call.id for message in messages for call in message.calls}
        return self._read(written, "".join(pieces), names, taken)

    def _read(self, written: str, streamed: str, names: ToolNames, taken: set[str]) -> Reply:
        """Return the reply that the module wrote, which may be anything."""
        try:
            data = read_json(written)
        except ValueError as error:
            raise UnreadableAnswer(f"the reply of the module cannot be read - {error}") from error
        if not isinstance(data, dict):
            raise UnreadableAnswer(
                "the module did not return an object - return `{text, calls, usage}` from `reply`"
            )
        text = data.get("text")
        text = text if isinstance(text, str) else streamed
        calls = []
        given = data.get("calls")
        for call in given[:MOST_CALLS] if isinstance(given, list) else []:
            name = call.get("name") if isinstance(call, dict) else None
            if isinstance(name, str) and name:
                number = call.get("id")
                known = isinstance(number, str) and len(number) <= _LONGEST_ID
                number = unique_id(taken, number if known else "")
                taken.add(number)
                calls.append(read_call(number, names.own(name), call.get("arguments")))
        if not text and not calls:
            raise UnreadableAnswer(
                "the module returned neither words nor calls - "
                "return `{text}`, `{calls: [{name, arguments}]}` or both from `reply`"
            )
        return Reply(text, tuple(calls), _usage(data.get("usage")), self._name)


def _message_data(message: Message, names: ToolNames) -> dict[str, Any]:
    data: dict[str, Any] = {"role": message.role.value, "text": message.text}
    if message.calls:
        data["calls"] = [
            {"id": call.id, "name": names.safe(call.name), "arguments": dict(call.arguments)}
            for call in message.calls
        ]
    if message.call_id:
        data["callId"] = message.call_id
    if message.images:
        data["images"] = [data_url(image) for image in message.images]
    return data


def _usage(data: Any) -> Usage | None:
    if not isinstance(data, dict):
        return None
    prompt, completion, cached = (
        _count(data.get(key)) for key in ("prompt", "completion", "cached")
    )
    return Usage(prompt, completion, min(cached, prompt)) if prompt or completion else None


def _count(value: Any) -> int:
    return value if type(value) is int and 0 <= value < _MOST_TOKENS else 0
