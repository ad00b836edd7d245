"""Ollama's own API for chats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from webagent.llm.chat import (
    Message,
    Role,
    ToolDefinition,
    Usage,
    chosen_tools,
    unique_id,
)
from webagent.llm.client import (
    Assembly,
    ModelClient,
    WrittenCall,
    base64_text,
    function_json,
    images_after_results,
    objects_in,
    text_in,
    tokens_in,
)
from webagent.llm.tool_names import ToolNames


class OllamaModel(ModelClient):
    """A model behind Ollama's API.

    The server is asked for a context of `context_tokens`, for which it reserves memory. It cannot
    force a call, so a chosen tool is the only one that it is offered.
    """

    protocol = "ollama"
    base_ending = "/api"

    def _path(self) -> str:
        return "/chat"

    def _body(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        tool_choice: str | None,
        names: ToolNames,
    ) -> dict[str, Any]:
        called = {call.id: call.name for message in messages for call in message.calls}
        body: dict[str, Any] = {
            "model": self._name,
            "messages": [
                self._message(message, names, called) for message in images_after_results(messages)
            ],
            "stream": True,
            "options": {"num_ctx": self._context_tokens},
        }
        if tools:
            body["tools"] = [
                {"type": "function", "function": function_json(tool, names)}
                for tool in chosen_tools(tools, tool_choice)
            ]
        return body

    def _assembly(self, on_text: Callable[[str], None] | None) -> LineAssembly:
        return LineAssembly(on_text)

    def _message(
        self, message: Message, names: ToolNames, called: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return a message; `called` has the names of the tools by the ids of their calls."""
        for block in self._replayed(message):
            return dict(block)
        found: dict[str, Any] = {"role": message.role.value}
        if message.text:
            found["content"] = message.text
        if message.role is Role.TOOL and message.call_id in called:
            found["tool_name"] = names.safe(called[message.call_id])
        if message.images:
            found["images"] = [base64_text(image) for image in message.images]
        if message.calls:
            found["tool_calls"] = [
                {"function": {"name": names.safe(call.name), "arguments": dict(call.arguments)}}
                for call in message.calls
            ]
        return found


class LineAssembly(Assembly):
    """Collects the lines of a reply of Ollama."""

    cut_words = frozenset({"length"})

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        """Create an empty assembly; `on_text` receives words as they come."""
        super().__init__(on_text)
        self._thoughts: list[str] = []
        self._made: list[tuple[str, Mapping[str, Any]]] = []
        """Ids and calls; older servers give them no ids."""

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add a line, or a whole answer."""
        message = piece.get("message")
        if isinstance(message, Mapping) and "done" in piece:
            self.begun = True
            self._model = text_in(piece, "model")
            self._say(message.get("content"))
            self._thoughts.append(text_in(message, "thinking"))
            for call in objects_in(message, "tool_calls"):
                if text_in(call.get("function"), "name"):
                    self._made.append((text_in(call, "id") or unique_id(()), call))
        if piece.get("done") is True and self.begun:
            self.over = True
            self.finish = text_in(piece, "done_reason") or "stop"
            prompt = tokens_in(piece, "prompt_eval_count")
            completion = tokens_in(piece, "eval_count")
            if prompt or completion:
                self._usage = Usage(prompt, completion)

    def _calls(self) -> Iterator[WrittenCall]:
        for number, call in self._made:
            function = call["function"]
            yield WrittenCall(number, function["name"], function.get("arguments"))

    def _blocks(self) -> list[dict[str, Any]]:
        block: dict[str, Any] = {"role": "assistant", "content": "".join(self._texts)}
        thoughts = "".join(self._thoughts)
        if thoughts:
            block["thinking"] = thoughts
        if self._made:
            block["tool_calls"] = [dict(call) for _, call in self._made]
        return [block]
