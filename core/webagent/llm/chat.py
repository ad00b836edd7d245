"""A conversation with a model: messages, the calls it asks for, what it used."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from webagent.json_text import is_shallow, read_json


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    """The answer to a call that the model asked for."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model, or a planner in its place, asks for."""

    id: str
    """By which its answer finds it."""
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""
    """Why the arguments cannot be read; empty when they can."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        data = {"id": self.id, "name": self.name, "arguments": dict(self.arguments)}
        return data | {"fault": self.fault} if self.fault else data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolCall:
        """Return what `to_dict` wrote down."""
        return cls(
            str(data["id"]), str(data["name"]), dict(data["arguments"]), str(data.get("fault", ""))
        )


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    """What the assistant asks for."""
    call_id: str = ""
    """Which call a message of `Role.TOOL` answers."""
    images: tuple[bytes, ...] = ()
    """PNG files."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that one reply took."""

    prompt: int = 0
    """Of the conversation, the cached ones among them."""
    completion: int = 0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.cached + other.cached,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model says: words, calls, or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    """None when the model does not tell."""
    model: str = ""
    """Which model it was, as it calls itself."""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of one object."""


class ChatModel(Protocol):
    """Answers conversations."""

    @property
    def name(self) -> str:
        """What prices and logs know it by."""

    @property
    def context_tokens(self) -> int:
        """How long a conversation may be, the reply included."""

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Return what the model says next. Cancelling the awaiting task ends the request.

        Args:
            messages: The conversation so far.
            tools: What the model may ask for.
            on_text: Hears the words as they come, piece by piece.

        Raises:
            ModelError: No reply could be had (`webagent.llm.errors`).
        """


def id_unlike(taken: Container[str], given: str = "") -> str:
    """Return the id of a call: the one that was given, or another if it is missing or taken."""
    while not given or given in taken:
        given = f"call_{secrets.token_hex(8)}"
    return given


def read_call(number: str, name: str, written: Any, *, cut: bool = False) -> ToolCall:
    """Return a call; arguments that cannot be read are its fault, told in a sentence.

    Args:
        number: Its id.
        name: Name of the tool.
        written: An object, or JSON of one, perhaps itself inside a JSON string; nothing is none.
        cut: Whether the reply was cut at its limit of tokens.
    """
    if isinstance(written, str):
        try:
            written = _read(written)
        except ValueError as error:
            why = f"the reply was cut at its limit of tokens ({error})" if cut else str(error)
            return ToolCall(number, name, fault=_fault(name, f"no JSON: {why}"))
    if written is None:
        written = {}
    if not isinstance(written, dict):
        return ToolCall(number, name, fault=_fault(name, f"a {type(written).__name__}"))
    if not is_shallow(written):
        return ToolCall(number, name, fault=_fault(name, "nested too deeply"))
    return ToolCall(number, name, written)


def _read(text: str) -> Any:
    if not text.strip():
        return {}
    data = read_json(text)
    # Some servers write the JSON of a JSON text.
    return read_json(data) if isinstance(data, str) and data.lstrip().startswith("{") else data


def _fault(name: str, what: str) -> str:
    return f"the arguments of `{name}` are {what} - write one JSON object"
