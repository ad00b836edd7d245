"""A model with prepared replies, for tests."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from webagent.llm.chat import Message, Reply, ToolCall, ToolDefinition, chosen_tools


@dataclass(frozen=True, slots=True)
class Held:
    """A reply that is returned as soon as an event is set."""

    until: asyncio.Event
    reply: Any
    """Anything that can be a reply."""


Scripted = Reply | str | ToolCall | Sequence[ToolCall] | BaseException | Callable[..., Any] | Held
"""One reply: words, calls, or both; an exception, which is raised; a function of the messages and the
tools that returns any of these, or a coroutine function that does; or a reply that waits (`Held`)."""


class ScriptedModel:
    """A model that returns prepared replies, one after the other.

    Attributes:
        conversations: The messages of each request.
        tools: The tools of each request.
    """

    def __init__(
        self, *replies: Scripted, name: str = "scripted", context_tokens: int = 100_000
    ) -> None:
        """Create a model.

        Args:
            replies: Its replies; see `Scripted`.
            name: Its name, for prices and logs.
            context_tokens: The longest conversation.
        """
        self._replies: deque[Scripted] = deque(replies)
        self._name = name
        self._context_tokens = context_tokens
        self.conversations: list[list[Message]] = []
        self.tools: list[list[ToolDefinition]] = []
        self.tool_choices: list[str | None] = []

    @property
    def name(self) -> str:
        """Name of the model, for prices and logs."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """The longest conversation."""
        return self._context_tokens

    @property
    def left(self) -> int:
        """The number of replies that are left."""
        return len(self._replies)

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        *,
        on_text: Callable[[str], None] | None = None,
        tool_choice: str | None = None,
    ) -> Reply:
        """Return the next reply; `on_text` gets its words in pieces first.

        Raises:
            AssertionError: There are more requests than replies.
        """
        self.conversations.append(list(messages))
        self.tools.append(list(chosen_tools(tools, tool_choice)))
        self.tool_choices.append(tool_choice)
        if not self._replies:
            raise AssertionError("nobody expected the model to be asked again")
        found = await self._resolved(self._replies.popleft(), messages, tools)
        if on_text is not None:
            for word in found.text.splitlines(keepends=True):
                on_text(word)
        return found

    async def _resolved(
        self, given: Any, messages: Sequence[Message], tools: Sequence[ToolDefinition]
    ) -> Reply:
        while not isinstance(given, Reply):
            if isinstance(given, BaseException):
                raise given
            if isinstance(given, Held):
                await given.until.wait()
                given = given.reply
            elif isinstance(given, Awaitable):
                given = await given
            elif isinstance(given, str):
                given = Reply(given, model=self._name)
            elif isinstance(given, ToolCall):
                given = Reply(calls=(given,), model=self._name)
            elif isinstance(given, Sequence):
                given = Reply(calls=tuple(given), model=self._name)
            elif callable(given):
                given = given(messages, tools)
            else:
                raise TypeError(f"`{given!r}` is not a reply - write words, calls or a `Reply`")
        return given
