"""A conversation with a model: messages, tool calls, and usage."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

from webagent.json_text import is_shallow, read_json

Offer = Literal["native", "code", "both"]
"""How a model uses the tools of a page: as native tools, in programs, or as it likes."""


class Role(StrEnum):
    """The speaker of a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    """The result of a call that the model made."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call by a model, or by a planner in its place."""

    id: str
    """The id that its result refers to."""
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""
    """Why the arguments cannot be read; empty if they can."""

    def to_dict(self) -> dict[str, Any]:
        """Return the call as plain data."""
        data = {"id": self.id, "name": self.name, "arguments": dict(self.arguments)}
        return data | {"fault": self.fault} if self.fault else data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ToolCall:
        """Return a call from the data of `to_dict`."""
        return cls(
            str(data["id"]), str(data["name"]), dict(data["arguments"]), str(data.get("fault", ""))
        )


@dataclass(frozen=True, slots=True)
class Replay:
    """A reply in its provider's own form, to be sent again unchanged.

    Reasoning, signatures and ids are valid only for that provider.
    """

    provider: str
    """The protocol and the model: `anthropic:claude-sonnet-4-5`. Other providers ignore it."""
    blocks: tuple[Mapping[str, Any], ...]
    """The parts of the reply in their order, as plain JSON; words and calls are among them."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    """The calls of the assistant."""
    call_id: str = ""
    """The call whose result a message of `Role.TOOL` has."""
    images: tuple[bytes, ...] = ()
    """Files of a type that `image_type` knows."""
    replay: Replay | None = None
    """The provider's own form of a message of the assistant; None if the message has been changed."""
    stable: bool = False
    """Whether this message and all before it will be sent again unchanged, so that a provider may cache
    them."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one reply."""

    prompt: int = 0
    """Tokens of the conversation, including the cached ones."""
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
    """The reply of a model: words, calls, or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    """None if the model does not report it."""
    model: str = ""
    """Name of the model, as it reports it."""
    replay: Replay | None = None
    """The provider's own form of the reply, if later requests have to repeat it."""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """The definition of a tool for a model."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of one object."""


class ChatModel(Protocol):
    """Replies to conversations."""

    @property
    def name(self) -> str:
        """Name of the model, for prices and logs."""

    @property
    def context_tokens(self) -> int:
        """The longest conversation in tokens, the reply included."""

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        *,
        on_text: Callable[[str], None] | None = None,
        tool_choice: str | None = None,
    ) -> Reply:
        """Return the model's reply. Cancelling the awaiting task ends the request.

        Args:
            messages: The conversation so far.
            tools: The tools that the model may call.
            on_text: Receives the words piece by piece, as they come.
            tool_choice: Name of the tool that the model has to call; None to leave it the choice. It
                is passed only where it is set.

        Raises:
            ModelError: The model gave no reply (`webagent.llm.errors`).
        """


def chosen_tools(
    tools: Sequence[ToolDefinition], tool_choice: str | None
) -> Sequence[ToolDefinition]:
    """Return the tools to offer to a model that cannot be forced: the chosen one alone.

    Raises:
        ValueError: It is not one of the tools.
    """
    if tool_choice is None:
        return tools
    chosen = [tool for tool in tools if tool.name == tool_choice]
    if not chosen:
        raise ValueError(f"`{tool_choice}` is not one of the tools, so it cannot be chosen")
    return chosen


def image_type(data: bytes) -> str:
    """Return the media type of an image by its first bytes; unknown ones count as PNG."""
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"GIF8"):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return "image/png"


def unique_id(taken: Container[str], given: str = "") -> str:
    """Return the given id of a call, or another one if it is missing or taken."""
    while not given or given in taken:
        given = f"call_{secrets.token_hex(8)}"
    return given


def read_call(number: str, name: str, written: Any, *, cut: bool = False) -> ToolCall:
    """Return a call; arguments that cannot be read are its `fault`, a sentence.

    Args:
        number: Id of the call.
        name: Name of the tool.
        written: An object or its JSON, perhaps itself inside a JSON string; empty for no arguments.
        cut: Whether the reply was cut at its limit of tokens.
    """
    if isinstance(written, str):
        try:
            written = _read(written)
        except ValueError as error:
            why = f"the reply was cut at its limit of tokens ({error})" if cut else str(error)
            return ToolCall(number, name, fault=_fault(name, f"not JSON: {why}"))
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
    # Some servers encode the JSON twice.
    return read_json(data) if isinstance(data, str) and data.lstrip().startswith("{") else data


def _fault(name: str, what: str) -> str:
    return f"the arguments of `{name}` are {what} - write one JSON object"
