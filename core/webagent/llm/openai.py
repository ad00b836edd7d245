"""Models behind an API for chat completions, like that of OpenAI and many others.

Servers differ. Calls come in fragments or whole, with or without an index or an id. `content` is
null, a text or a list of parts. Usage comes with the last piece, after it, or never.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webagent.json_text import read_json
from webagent.llm.chat import Message, Role, ToolDefinition, Usage
from webagent.llm.client import (
    MOST_CALLS,
    Assembly,
    ModelClient,
    WrittenCall,
    cache_key,
    data_url,
    function_json,
    images_after_results,
    text_in,
    tokens_in,
)
from webagent.llm.errors import ModelFailed
from webagent.llm.http import Fetch
from webagent.llm.refusals import stream_error
from webagent.llm.strict import fits_strict
from webagent.llm.tool_names import ToolNames


class OpenAIModel(ModelClient):
    """A model behind an API for chat completions."""

    protocol = "chat"

    def __init__(
        self,
        base_url: str,
        model: str,
        fetch: Fetch,
        *,
        openai_fields: bool = False,
        **options: Any,
    ) -> None:
        """Create a client for a model.

        Args:
            base_url: Base address of the API, its version included: `https://api.openai.com/v1`; in
                a page it may be only a path.
            model: Name of the model on the server.
            fetch: Sends the requests.
            openai_fields: Whether the server knows fields that only OpenAI has: `strict` for tools
                whose schema fits, and `prompt_cache_key`. Others may refuse them.
            options: Those of `ModelClient`.

        Raises:
            ValueError: The address or the name is empty, or a header cannot be sent.
        """
        super().__init__(base_url, model, fetch, **options)
        self._openai_fields = openai_fields

    def _path(self) -> str:
        return "/chat/completions"

    def _body(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        tool_choice: str | None,
        names: ToolNames,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._name,
            "messages": messages_json(messages, names),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools:
            body["tools"] = [self._tool(tool, names) for tool in tools]
        if tool_choice is not None:
            function = {"name": names.safe(tool_choice)}
            body["tool_choice"] = {"type": "function", "function": function}
        key = cache_key(messages, tools) if self._openai_fields else ""
        return body | ({"prompt_cache_key": key} if key else {})

    def _assembly(self, on_text: Callable[[str], None] | None) -> ChatAssembly:
        return ChatAssembly(on_text)

    def _tool(self, tool: ToolDefinition, names: ToolNames) -> dict[str, Any]:
        function = function_json(tool, names)
        if self._openai_fields and fits_strict(tool.parameters):
            function["strict"] = True
        return {"type": "function", "function": function}


def messages_json(messages: Sequence[Message], names: ToolNames) -> list[dict[str, Any]]:
    """Return messages as the API takes them."""
    return [_message(message, names) for message in images_after_results(messages)]


def _message(message: Message, names: ToolNames) -> dict[str, Any]:
    if message.role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    if message.role is Role.ASSISTANT:
        return _assistant(message, names)
    if message.images:
        return _with_images(message.text, message.images)
    return {"role": message.role.value, "content": message.text}


def _assistant(message: Message, names: ToolNames) -> dict[str, Any]:
    if not message.calls:
        return {"role": "assistant", "content": message.text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {
                "name": names.safe(call.name),
                "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
            },
        }
        for call in message.calls
    ]
    return {"role": "assistant", "content": message.text or None, "tool_calls": calls}


def _with_images(text: str, images: Sequence[bytes]) -> dict[str, Any]:
    texts = [{"type": "text", "text": text}] if text else []
    files = [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in images]
    return {"role": "user", "content": [*texts, *files]}


_MOST_PARSES = 8
"""Times that the arguments of one call are parsed to see whether they are complete."""


@dataclass(slots=True)
class _Call:
    index: int | None
    id: str = ""
    name: str = ""
    written: list[str] = field(default_factory=list)
    whole: dict[str, Any] | None = None
    """Arguments that came as an object, not as text."""
    parses: int = 0
    """How often the text was parsed to see whether it is complete."""

    def is_followed_by(self, name: str, written: Any) -> bool:
        """Whether a piece with this name and arguments begins another call.

        Servers that send whole calls may give them all the first index, and no ids.
        """
        if not name:
            return False
        if self.whole is not None:
            return name != self.name
        if not self.written or not isinstance(written, str) or not written.startswith("{"):
            return False
        self.parses += 1
        if self.parses > _MOST_PARSES:
            return False
        try:
            read_json("".join(self.written))
        except ValueError:
            return False
        return True


class ChatAssembly(Assembly):
    """Collects the pieces of a reply of chat completions."""

    cut_words = frozenset({"length", "max_tokens"})
    filter_words = frozenset({"content_filter"})
    done_word = "stop"

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        """Create an empty assembly; `on_text` receives words as they come."""
        super().__init__(on_text)
        self._fragments: list[_Call] = []

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add a piece, or a whole answer.

        Raises:
            ModelError: The piece reports that the reply failed.
        """
        self._model = text_in(piece, "model") or self._model
        self._count(piece)
        choices = piece.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            self.begun = True
            if isinstance(choice, Mapping) and choice.get("index", 0) in (0, None):
                self._choice(choice)

    def _choice(self, choice: Mapping[str, Any]) -> None:
        error = choice.get("error")
        if isinstance(error, Mapping):
            raise stream_error(error)
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self.finish = finish
        if self.finish == "error":
            raise ModelFailed("the model's server says that the reply failed, and not why")
        if not self.finish and "message" in choice:
            # A whole answer, which is not a stream, may lack the reason.
            self.finish = "stop"
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, Mapping):
            # The older API for completions has `text` instead.
            self._add_text(choice.get("text"))
            return
        self._add_text(delta.get("content"))
        self._refusals.append(text_in(delta, "refusal"))
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else [calls]:
            if isinstance(call, Mapping):
                self._call(call)
        legacy = delta.get("function_call")
        if isinstance(legacy, Mapping):
            self._call({"index": 0, "function": legacy})

    def _add_text(self, content: Any) -> None:
        if isinstance(content, list):
            for part in content:
                if isinstance(part, Mapping) and part.get("type", "text") == "text":
                    self._add_text(part.get("text"))
        else:
            self._say(content)

    def _call(self, piece: Mapping[str, Any]) -> None:
        function = piece.get("function")
        if not isinstance(function, Mapping):
            return
        name, written = text_in(function, "name"), function.get("arguments")
        call = self._slot(piece, name, written)
        if call is None:
            return
        call.id = call.id or text_in(piece, "id")
        if name and name != call.name and not call.written and call.whole is None:
            call.name += name
        if isinstance(written, str):
            call.written.append(written)
        elif isinstance(written, dict):
            call.whole = {**(call.whole or {}), **written}

    def _slot(self, piece: Mapping[str, Any], name: str, written: Any) -> _Call | None:
        """Return the call that a fragment belongs to, or a new one."""
        index, number = piece.get("index"), text_in(piece, "id")
        if type(index) is not int:
            index = None
        for call in reversed(self._fragments):
            other = number and call.id and number != call.id
            if index is not None and call.index == index:
                if (other and name) or (not number and call.is_followed_by(name, written)):
                    break
                return call
            if index is None and (number == call.id if number else not name):
                return call
        if len(self._fragments) > MOST_CALLS or (index is None and not name and not number):
            return None
        self._fragments.append(_Call(index))
        return self._fragments[-1]

    def _calls(self) -> Iterator[WrittenCall]:
        for call in self._fragments:
            if call.name:
                written = "".join(call.written) if call.whole is None else call.whole
                yield WrittenCall(call.id, call.name, written)

    def _count(self, piece: Mapping[str, Any]) -> None:
        usage = piece.get("usage")
        if not isinstance(usage, Mapping):
            groq = piece.get("x_groq")
            usage = groq.get("usage") if isinstance(groq, Mapping) else None
        prompt, completion = (
            tokens_in(usage, "prompt_tokens"),
            tokens_in(usage, "completion_tokens"),
        )
        if not isinstance(usage, Mapping) or not (prompt or completion):
            return
        details = usage.get("prompt_tokens_details")
        cached = tokens_in(details, "cached_tokens") or tokens_in(usage, "prompt_cache_hit_tokens")
        # Some servers count reasoning in the total alone.
        completion = max(completion, tokens_in(usage, "total_tokens") - prompt)
        self._usage = Usage(prompt, completion, min(cached, prompt))
