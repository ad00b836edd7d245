"""A conversation with a model: messages, the calls it asks for, what it used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


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
