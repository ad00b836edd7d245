"""OpenAI's API for responses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from webagent.llm.chat import Message, Role, ToolDefinition, Usage
from webagent.llm.client import (
    Assembly,
    ModelClient,
    WrittenCall,
    cache_key,
    data_url,
    function_json,
    objects_in,
    text_in,
    tokens_in,
)
from webagent.llm.refusals import stream_error
from webagent.llm.strict import fits_strict
from webagent.llm.tool_names import ToolNames

Item = dict[str, Any]

_WITHOUT_REASONING = re.compile(r"(?:.*/)?(?:gpt-3|gpt-4|gpt-5-chat|chatgpt)")
"""Models that refuse a request for their reasoning."""


class ResponsesModel(ModelClient):
    """A model behind OpenAI's API for responses.

    Nothing is stored there: reasoning comes back encrypted, and is sent again with the conversation.
    """

    protocol = "responses"

    def _path(self) -> str:
        return "/responses"

    def _body(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        tool_choice: str | None,
        names: ToolNames,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._name,
            "input": [item for message in messages for item in self._items(message, names)],
            "stream": True,
            "store": False,
        }
        if not _WITHOUT_REASONING.match(self._name):
            body["include"] = ["reasoning.encrypted_content"]
        if tools:
            body["tools"] = [_tool(tool, names) for tool in tools]
        if tool_choice is not None:
            body["tool_choice"] = {"type": "function", "name": names.safe(tool_choice)}
        key = cache_key(messages, tools)
        return body | ({"prompt_cache_key": key} if key else {})

    def _assembly(self, on_text: Callable[[str], None] | None) -> ResponseAssembly:
        return ResponseAssembly(on_text)

    def _items(self, message: Message, names: ToolNames) -> list[Item]:
        """Return a message as items of the input."""
        if message.role is Role.TOOL:
            output = _content(message) if message.images else message.text
            return [{"type": "function_call_output", "call_id": message.call_id, "output": output}]
        replayed = self._replayed(message)
        if replayed:
            return [dict(item) for item in replayed]
        calls = [
            {
                "type": "function_call",
                "call_id": call.id,
                "name": names.safe(call.name),
                "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
            }
            for call in message.calls
        ]
        if calls and not message.text:
            return calls
        content = _content(message) if message.images else message.text
        return [{"type": "message", "role": message.role.value, "content": content}, *calls]


def _content(message: Message) -> list[dict[str, Any]]:
    texts = [{"type": "input_text", "text": message.text}] if message.text else []
    images = [
        {"type": "input_image", "image_url": data_url(image), "detail": "auto"}
        for image in message.images
    ]
    return [*texts, *images]


def _tool(tool: ToolDefinition, names: ToolNames) -> dict[str, Any]:
    return {
        "type": "function",
        **function_json(tool, names),
        "strict": fits_strict(tool.parameters),
    }


class ResponseAssembly(Assembly):
    """Collects the events of a response."""

    cut_words = frozenset({"max_output_tokens"})
    filter_words = frozenset({"content_filter"})

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        """Create an empty assembly; `on_text` receives words as they come."""
        super().__init__(on_text)
        self._items: list[Item] = []

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add an event.

        Raises:
            ModelError: The event reports that the response failed.
        """
        kind, response = text_in(piece, "type"), piece.get("response")
        if kind == "response.output_text.delta":
            self._say(piece.get("delta"))
        elif kind == "response.refusal.delta":
            self._refusals.append(text_in(piece, "delta"))
        elif kind == "response.output_item.done":
            self._items.extend(_output_items([piece.get("item")]))
        elif piece.get("object") == "response":
            self._whole(piece)
        elif isinstance(response, Mapping):
            self.begun = True
            if kind in ("response.completed", "response.incomplete", "response.failed"):
                self._whole(response)

    def _whole(self, response: Mapping[str, Any]) -> None:
        """Add the whole response, which is the last event, or the answer if that is not a stream."""
        if response.get("status") == "failed":
            error = response.get("error")
            raise stream_error(error if isinstance(error, Mapping) else {})
        self.begun = self.over = True
        self._model = text_in(response, "model")
        reason = text_in(response.get("incomplete_details"), "reason")
        self.finish = reason or text_in(response, "status") or "completed"
        # Some servers leave the items out of the last event, since each had its own.
        self._items = _output_items(objects_in(response, "output")) or self._items
        parts = [part for item in self._items for part in objects_in(item, "content")]
        if not self._texts:
            for part in parts:
                self._say(part.get("text") if part.get("type") == "output_text" else None)
        if not self._refusals:
            self._refusals.extend(text_in(part, "refusal") for part in parts)
        usage = response.get("usage")
        prompt, completion = tokens_in(usage, "input_tokens"), tokens_in(usage, "output_tokens")
        if isinstance(usage, Mapping) and (prompt or completion):
            cached = tokens_in(usage.get("input_tokens_details"), "cached_tokens")
            self._usage = Usage(prompt, completion, min(cached, prompt))

    def _calls(self) -> Iterator[WrittenCall]:
        for item in self._items:
            if item["type"] == "function_call":
                number = text_in(item, "call_id")
                yield WrittenCall(number, text_in(item, "name"), item.get("arguments"))

    def _blocks(self) -> list[Item]:
        """Return the items, unless the server would not know one by its id alone."""
        reasoning = (item for item in self._items if item["type"] == "reasoning")
        known = all(item.get("encrypted_content") or item.get("content") for item in reasoning)
        return self._items if known else []


def _output_items(found: Iterable[Any]) -> list[Item]:
    """Return the items of an output; a call without a name is not one."""
    return [
        dict(item)
        for item in found
        if text_in(item, "type") and (item["type"] != "function_call" or text_in(item, "name"))
    ]
