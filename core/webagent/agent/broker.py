"""Sends a conversation to a model: without secrets, again if need be, and keeps count."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Protocol

from webagent.agent.clock import Clock
from webagent.agent.events import Events
from webagent.agent.prompting import tokens_in, tokens_of
from webagent.agent.redact import printable
from webagent.agent.run import Run
from webagent.llm.chat import ChatModel, Message, Reply, ToolDefinition, Usage
from webagent.llm.errors import ModelError
from webagent.registry.secrets import Mask

_MOST_TRIES = 5
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0


class Cost(Protocol):
    """Says what a model's replies cost."""

    def cost(self, prompt: int, completion: int, cached: int) -> Decimal | None:
        """Return USD of so many tokens, or None if the price is not known."""


class Broker(Protocol):
    """Gets replies from a model."""

    async def send(
        self, run: Run, messages: Sequence[Message], tools: Sequence[ToolDefinition]
    ) -> Reply:
        """Return what the model says next, and write down what it took.

        Raises:
            ModelError: No reply could be had.
        """


class MessageBroker:
    """Sends what can be sent, and asks again when that may help."""

    def __init__(
        self,
        model: ChatModel,
        *,
        mask: Mask,
        cost: Callable[[str], Cost],
        clock: Clock,
        events: Events,
    ) -> None:
        """Create a broker.

        Args:
            model: Who replies.
            mask: Hides secrets in what is sent.
            cost: Gives the prices of a model by its name.
            clock: Waits between tries.
            events: Hears what is sent, and the words as they come.
        """
        self._model = model
        self._mask = mask
        self._cost = cost
        self._clock = clock
        self._events = events

    async def send(
        self, run: Run, messages: Sequence[Message], tools: Sequence[ToolDefinition]
    ) -> Reply:
        """Return what the model says next."""
        sent = [self._masked(message) for message in messages]
        told = [_told(message) for message in sent]
        names = [tool.name for tool in tools]
        self._events.emit("sent", masked=True, messages=told, tools=names)
        reply = await self._tried(sent, tools)
        self._count(run, reply, sent)
        return reply

    async def _tried(self, sent: Sequence[Message], tools: Sequence[ToolDefinition]) -> Reply:
        """Ask until there is a reply, or asking again is of no use."""
        wait_s = _FIRST_WAIT_S
        for left in reversed(range(_MOST_TRIES)):
            try:
                return await self._model.reply(sent, tools, on_text=self._hear)
            except ModelError as error:
                asked_for = error.retry_after_s
                pause_s = wait_s if asked_for is None else max(asked_for, 0.0)
                if not error.retryable or not left or pause_s > _LONGEST_WAIT_S:
                    raise
                self._events.emit("retrying", reason=str(error), wait_s=pause_s)
                await self._clock.sleep(pause_s)
                wait_s *= 2
        raise AssertionError("the last try either gives a reply or raises")

    def _hear(self, text: str) -> None:
        self._events.emit("text", text=printable(text), final=False)

    def _masked(self, message: Message) -> Message:
        calls = tuple(
            replace(call, arguments=self._mask.data(dict(call.arguments))) for call in message.calls
        )
        return replace(message, text=self._mask.text(message.text), calls=calls)

    def _count(self, run: Run, reply: Reply, sent: Sequence[Message]) -> None:
        usage, spent = reply.usage, run.spent
        if usage is None:
            # A budget of tokens holds for servers that do not count, too.
            written = reply.text + "".join(json.dumps(call.to_dict()) for call in reply.calls)
            usage = Usage(sum(map(tokens_of, sent)), tokens_in(written))
            price = None
        else:
            prices = self._cost(reply.model or self._model.name)
            price = prices.cost(usage.prompt, usage.completion, usage.cached)
        spent.usage += usage
        known = price is not None and spent.usd is not None
        spent.usd = str(Decimal(spent.usd or 0) + (price or 0)) if known else None


def _told(message: Message) -> dict[str, Any]:
    told: dict[str, Any] = {"role": message.role.value, "text": message.text}
    if message.calls:
        told["calls"] = [call.to_dict() for call in message.calls]
    if message.call_id:
        told["call_id"] = message.call_id
    if message.images:
        told["images"] = len(message.images)
    return told
