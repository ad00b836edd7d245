"""The assembly of a reply from the pieces of a stream of chat completions.

Servers differ. Calls come in fragments or whole, with or without an index or an id. `content` is
null, a text or a list of parts. Usage comes with the last piece, after it, or never.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from webagent.json_text import read_json
from webagent.llm.chat import Reply, ToolCall, Usage, read_call, unique_id
from webagent.llm.errors import ContentFiltered, ModelFailed, UnreadableAnswer
from webagent.llm.refusals import stream_error
from webagent.llm.tool_names import ToolNames

MOST_CALLS = 128
"""Calls of one reply; further ones are dropped."""

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


class Assembly:
    """Collects pieces and returns the reply.

    Attributes:
        begun: Whether any piece of a reply has come.
        whole: Whether it came as one object, and not as a stream.
        finish: Why the model stopped, in the server's word; empty while it goes on.
    """

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        """Create an empty assembly; `on_text` receives words as they come."""
        self._on_text = on_text
        self._texts: list[str] = []
        self._calls: list[_Call] = []
        self._usage: Usage | None = None
        self._model = ""
        self.begun = False
        self.whole = False
        self.finish = ""

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add a piece, or a whole answer.

        Raises:
            ModelError: The piece reports that the reply failed.
        """
        model = piece.get("model")
        if isinstance(model, str) and model:
            self._model = model
        self._count(piece)
        choices = piece.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            self.begun = True
            if isinstance(choice, Mapping) and choice.get("index", 0) in (0, None):
                self._choice(choice)

    def reply(self, names: ToolNames, taken: Iterable[str] = ()) -> Reply:
        """Return the reply.

        Args:
            names: The names of the tools.
            taken: Ids of earlier calls of the conversation.

        Raises:
            ContentFiltered: A filter blocked it.
            UnreadableAnswer: It is empty.
        """
        if self.finish == "content_filter":
            raise ContentFiltered("a filter held the model's reply back - ask for something else")
        calls = self._read_calls(names, set(taken))
        text = "".join(self._texts)
        if not text and not calls and self.finish in ("length", "max_tokens"):
            raise UnreadableAnswer(
                "the model reached its limit of tokens before it said anything - "
                "raise the limit in `params`"
            )
        return Reply(text, calls, self._usage, self._model)

    def _choice(self, choice: Mapping[str, Any]) -> None:
        error = choice.get("error")
        if isinstance(error, Mapping):
            raise stream_error(error)
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self.finish = finish
        if self.finish == "error":
            raise ModelFailed("the model's server says that the reply failed, and not why")
        self.whole = "message" in choice
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, Mapping):
            # The older API for completions has `text` instead.
            self._add_text(choice.get("text"))
            return
        self._add_text(delta.get("content"))
        self._add_text(delta.get("refusal"))
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
        elif isinstance(content, str) and content:
            self._texts.append(content)
            if self._on_text is not None:
                self._on_text(content)

    def _call(self, piece: Mapping[str, Any]) -> None:
        function = piece.get("function")
        if not isinstance(function, Mapping):
            return
        name, written = _text(function.get("name")), function.get("arguments")
        call = self._slot(piece, name, written)
        if call is None:
            return
        call.id = call.id or _text(piece.get("id"))
        if name and name != call.name and not call.written and call.whole is None:
            call.name += name
        if isinstance(written, str):
            call.written.append(written)
        elif isinstance(written, dict):
            call.whole = {**(call.whole or {}), **written}

    def _slot(self, piece: Mapping[str, Any], name: str, written: Any) -> _Call | None:
        """Return the call that a fragment belongs to, or a new one."""
        index, number = piece.get("index"), _text(piece.get("id"))
        if type(index) is not int:
            index = None
        for call in reversed(self._calls):
            other = number and call.id and number != call.id
            if index is not None and call.index == index:
                if (other and name) or (not number and call.is_followed_by(name, written)):
                    break
                return call
            if index is None and (number == call.id if number else not name):
                return call
        if len(self._calls) >= MOST_CALLS or (index is None and not name and not number):
            return None
        self._calls.append(_Call(index))
        return self._calls[-1]

    def _read_calls(self, names: ToolNames, taken: set[str]) -> tuple[ToolCall, ...]:
        found: list[ToolCall] = []
        for call in self._calls:
            if not call.name:
                continue
            number = unique_id(taken, call.id)
            taken.add(number)
            written = "".join(call.written) if call.whole is None else call.whole
            cut = self.finish in ("length", "max_tokens")
            found.append(read_call(number, names.own(call.name), written, cut=cut))
        return tuple(found)

    def _count(self, piece: Mapping[str, Any]) -> None:
        usage = piece.get("usage")
        if not isinstance(usage, Mapping):
            usage = _inside(piece.get("x_groq"), "usage")
        if not isinstance(usage, Mapping):
            return
        prompt, completion = _tokens(usage, "prompt_tokens"), _tokens(usage, "completion_tokens")
        details = usage.get("prompt_tokens_details")
        cached = _tokens(details, "cached_tokens") or _tokens(usage, "prompt_cache_hit_tokens")
        if prompt or completion:
            self._usage = Usage(prompt, completion, min(cached, prompt))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _inside(data: Any, key: str) -> Any:
    return data.get(key) if isinstance(data, Mapping) else None


def _tokens(data: Any, key: str) -> int:
    value = _inside(data, key)
    return max(int(value), 0) if type(value) in (int, float) and math.isfinite(value) else 0
