"""Anthropic's own API: Messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from webagent.llm.chat import (
    Message,
    Role,
    ToolDefinition,
    Usage,
    chosen_tools,
    image_type,
    read_call,
)
from webagent.llm.client import (
    Assembly,
    ModelClient,
    WrittenCall,
    base64_text,
    text_in,
    tokens_in,
)
from webagent.llm.tool_names import ToolNames, safe_names

VERSION = "2026-10-21"
"""The version of the API, sent with each request."""

REPLY_TOKENS = 16_384
"""The longest reply, which the API has to be given; `params={"max_tokens": …}` changes it."""

MOST_MARKS = 4
"""Places of a request that the API caches up to."""

_MARK = {"type": "ephemeral"}
_NO_MARK = frozenset({"thinking", "redacted_thinking"})
"""Blocks that cannot have a mark."""

_COUNTS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
"""Numbers of tokens; all but the last are of the prompt."""

Block = dict[str, Any]


class AnthropicModel(ModelClient):
    """A model behind Anthropic's API for messages."""

    protocol = "anthropic"

    def _path(self) -> str:
        return "/messages"

    def _own_headers(self, key: str) -> dict[str, str]:
        return {"anthropic-version": VERSION} | ({"x-api-key": key} if key else {})

    def _body(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        tool_choice: str | None,
        names: ToolNames,
    ) -> dict[str, Any]:
        system, turns = self._conversation(messages, names)
        body: dict[str, Any] = {
            "model": self._name,
            "max_tokens": min(REPLY_TOKENS, max(self._context_tokens // 2, 1)),
            "messages": turns,
            "stream": True,
        }
        if system:
            body["system"] = system
        if self._thinks():
            # The API refuses to force a call while a model thinks, so it gets the one tool alone.
            tools, tool_choice = chosen_tools(tools, tool_choice), None
        if tools:
            body["tools"] = [_tool(tool, names) for tool in tools]
        if tool_choice is not None:
            body["tool_choice"] = {"type": "tool", "name": names.safe(tool_choice)}
        return body

    def _thinks(self) -> bool:
        thinking = self._params.get("thinking")
        return isinstance(thinking, Mapping) and thinking.get("type") != "disabled"

    def _assembly(self, on_text: Callable[[str], None] | None) -> MessageAssembly:
        return MessageAssembly(on_text)

    def _conversation(
        self, messages: Sequence[Message], names: ToolNames
    ) -> tuple[list[Block], list[dict[str, Any]]]:
        """Return the system's blocks, and turns of user and assistant that take turns.

        The results of calls are the first blocks of the user's turn after them, as the API demands.
        """
        ids = safe_names(call.id for message in messages for call in message.calls)
        # A reply that is repeated as it came keeps its ids.
        ids |= {call.id: call.id for m in messages if self._replayed(m) for call in m.calls}
        marked = _marked(messages)
        system: list[Block] = []
        turns: list[tuple[str, list[Block]]] = []
        for number, message in enumerate(messages):
            blocks = self._blocks(message, names, ids)
            if number in marked and blocks and blocks[-1].get("type") not in _NO_MARK:
                blocks[-1] = {**blocks[-1], "cache_control": _MARK}
            role = "assistant" if message.role is Role.ASSISTANT else "user"
            if message.role is Role.SYSTEM and not turns:
                system.extend(blocks)
            elif blocks and turns and turns[-1][0] == role:
                turns[-1][1].extend(blocks)
            elif blocks:
                turns.append((role, blocks))
        return system, [
            {"role": role, "content": sorted(blocks, key=lambda b: b.get("type") != "tool_result")}
            for role, blocks in turns
        ]

    def _blocks(self, message: Message, names: ToolNames, ids: Mapping[str, str]) -> list[Block]:
        if message.role is Role.ASSISTANT:
            return self._assistant(message, names, ids)
        if message.role is Role.TOOL:
            content = [*_texts(message.text), *map(_image, message.images)]
            number = ids.get(message.call_id, message.call_id)
            return [{"type": "tool_result", "tool_use_id": number, "content": content}]
        return [*map(_image, message.images), *_texts(message.text)]

    def _assistant(self, message: Message, names: ToolNames, ids: Mapping[str, str]) -> list[Block]:
        replayed = self._replayed(message)
        if replayed:
            return [dict(block) for block in replayed]
        calls = [
            {
                "type": "tool_use",
                "id": ids[call.id],
                "name": names.safe(call.name),
                "input": dict(call.arguments),
            }
            for call in message.calls
        ]
        return [*_texts(message.text), *calls]


def _marked(messages: Sequence[Message]) -> set[int]:
    """Return the numbers of the messages that the API should cache up to.

    The first prefix is shared by many conversations, and the last ones by the next requests.
    """
    stable = [number for number, message in enumerate(messages) if message.stable]
    return {*stable[:1], *stable[1:][1 - MOST_MARKS :]}


def _texts(text: str) -> list[Block]:
    """Return a text as blocks; the API refuses blank ones."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _image(image: bytes) -> Block:
    source = {"type": "base64", "media_type": image_type(image), "data": base64_text(image)}
    return {"type": "image", "source": source}


def _tool(tool: ToolDefinition, names: ToolNames) -> dict[str, Any]:
    return {
        "name": names.safe(tool.name),
        "description": tool.description,
        "input_schema": {"type": "object", **tool.parameters},
    }


def _is_block(data: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether data is a block; a call without a name is not one."""
    kind = text_in(data, "type")
    return bool(kind) and (kind != "tool_use" or bool(text_in(data, "name")))


class MessageAssembly(Assembly):
    """Collects the events of a message."""

    cut_words = frozenset({"max_tokens", "model_context_window_exceeded"})
    filter_words = frozenset({"refusal"})

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        """Create an empty assembly; `on_text` receives words as they come."""
        super().__init__(on_text)
        self._content: dict[int, Block] = {}
        """Blocks by index, as they began."""
        self._fragments: dict[int, dict[str, list[str]]] = {}
        """Additions to the texts of a block, by index and field."""
        self._counts: dict[str, int] = {}

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add an event."""
        kind, index = text_in(piece, "type"), piece.get("index")
        if kind == "message_start" and isinstance(piece.get("message"), Mapping):
            self.begun = True
            self._model = text_in(piece["message"], "model")
            self._count(piece["message"])
        elif kind == "content_block_start":
            block = piece.get("content_block")
            if type(index) is int and index not in self._content and _is_block(block):
                self._content[index] = dict(block)
                if block["type"] == "text":
                    self._say(block.get("text"))
        elif kind == "content_block_delta" and isinstance(piece.get("delta"), Mapping):
            if type(index) is int and index in self._content:
                self._delta(index, piece["delta"])
        elif kind == "message_delta":
            self.finish = text_in(piece.get("delta"), "stop_reason") or self.finish
            if isinstance(piece.get("delta"), Mapping):
                details = piece["delta"].get("stop_details")
                self._refusals.append(text_in(details, "explanation"))
            self._count(piece)
        elif kind == "message_stop":
            self.over = True

    def _delta(self, index: int, delta: Mapping[str, Any]) -> None:
        for key in ("text", "thinking", "signature", "partial_json"):
            added = text_in(delta, key)
            if added:
                self._fragments.setdefault(index, {}).setdefault(key, []).append(added)
        if self._content[index]["type"] == "text":
            self._say(delta.get("text"))

    def _count(self, piece: Mapping[str, Any]) -> None:
        usage = piece.get("usage")
        for key in _COUNTS:
            # Later counts include the earlier ones, and may leave out those that have not changed.
            self._counts[key] = tokens_in(usage, key) or self._counts.get(key, 0)
        *prompt, completion = (self._counts[key] for key in _COUNTS)
        if any(prompt) or completion:
            self._usage = Usage(sum(prompt), completion, self._counts["cache_read_input_tokens"])

    def _joined(self, index: int, key: str) -> str:
        return "".join(self._fragments.get(index, {}).get(key, []))

    def _calls(self) -> Iterator[WrittenCall]:
        for index in sorted(self._content):
            block = self._content[index]
            if block["type"] == "tool_use":
                written = self._joined(index, "partial_json") or block.get("input")
                yield WrittenCall(text_in(block, "id"), text_in(block, "name"), written)

    def _blocks(self) -> list[Block]:
        blocks: list[Block] = []
        for index in sorted(self._content):
            block = dict(self._content[index])
            for key in ("text", "thinking", "signature"):
                added = self._joined(index, key)
                if added:
                    block[key] = text_in(block, key) + added
            written = self._joined(index, "partial_json")
            if written:
                call = read_call("", "", written)
                if call.fault:
                    return []
                block["input"] = dict(call.arguments)
            if block["type"] != "text" or text_in(block, "text").strip():
                blocks.append(block)
        return blocks
