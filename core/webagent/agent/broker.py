"""The model of an agent: the decider that asks it, and the broker between the two.

The broker masks secrets, retries, and counts tokens and cost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Protocol

from webagent.agent.clock import Clock
from webagent.agent.events import Events
from webagent.agent.prompting import Builder, tokens_of
from webagent.agent.redact import printable
from webagent.agent.run import Run, Scene
from webagent.agent.toolset import offered_tools, tokens_in
from webagent.llm.chat import ChatModel, Message, Offer, Reply, ToolDefinition, Usage
from webagent.llm.errors import BadRequest, ContentFiltered, ContextTooLong, CutStream, ModelError
from webagent.registry import ToolRegistry
from webagent.registry.secrets import Mask

_MOST_TRIES = 5
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
"""A failure that took longer is not retried. Neither is one that asks for a longer pause."""

_OUTAGE_S = 60.0

OF_THE_REQUEST = (BadRequest, ContentFiltered, ContextTooLong)
"""Failures for which the request is to blame; another model is not asked the same."""


class Cost(Protocol):
    """The prices of a model."""

    def cost(self, prompt: int, completion: int, cached: int) -> Decimal | None:
        """Return the price of these tokens in USD, or None if it is not known."""


class Broker(Protocol):
    """Gets replies from a model."""

    async def send(
        self, run: Run, messages: Sequence[Message], tools: Sequence[ToolDefinition]
    ) -> Reply:
        """Return the model's reply, and add its tokens to what the run has spent.

        Raises:
            ModelError: The model gave no reply.
        """


class Outage:
    """A failure for which a run has waited in vain. The next ones do not wait again for a minute."""

    def __init__(self) -> None:
        self._failure: ModelError | None = None
        self._ends_s = 0.0

    def begin(self, failure: ModelError, now_s: float) -> None:
        """Remember a failure that might have passed."""
        if failure.retryable:
            self._failure, self._ends_s = failure, now_s + _OUTAGE_S

    def check(self, now_s: float) -> None:
        """Raise the failure, unless it is over."""
        if self._failure is not None and now_s < self._ends_s:
            # The frames of the last time would keep its whole conversation.
            raise self._failure.with_traceback(None)


class MessageBroker:
    """Sends messages with secrets masked, and retries failures that may pass."""

    def __init__(
        self,
        model: ChatModel,
        fallback: ChatModel | None = None,
        *,
        mask: Mask,
        cost: Callable[[str], Cost],
        fallback_cost: Callable[[str], Cost] | None = None,
        clock: Clock,
        events: Events,
        outage: Outage | None = None,
    ) -> None:
        """Create a broker.

        Args:
            model: The model that replies.
            fallback: Replies in its place for the rest of a run in which it fails.
            mask: Hides secrets in messages.
            cost: Returns the prices of the model by its name.
            fallback_cost: Returns those of the fallback; None for the same table as `cost`.
            clock: Waits between tries.
            events: Receives the messages, and the pieces of the reply.
            outage: Remembers the failure of both models, for the next runs; None to ask them again.
        """
        self._outage = outage
        self._model = model
        self._fallback = fallback
        self._mask = mask
        self._cost = cost
        self._fallback_cost = fallback_cost or cost
        self._clock = clock
        self._events = events

    async def send(
        self, run: Run, messages: Sequence[Message], tools: Sequence[ToolDefinition]
    ) -> Reply:
        """Return the model's reply."""
        if self._outage is None:
            return await self._sent(run, messages, tools)
        self._outage.check(self._clock.seconds())
        try:
            return await self._sent(run, messages, tools)
        except ModelError as error:
            self._outage.begin(error, self._clock.seconds())
            raise

    async def _sent(
        self, run: Run, messages: Sequence[Message], tools: Sequence[ToolDefinition]
    ) -> Reply:
        sent = [self._masked(message) for message in messages]
        data = [_message_dict(message) for message in sent]
        names = [tool.name for tool in tools]
        self._events.emit("sent", masked=True, messages=data, tools=names)
        second = self._fallback
        model = second if second is not None and run.switched else self._model
        try:
            reply = await self._reply(model, sent, tools)
        except ModelError as error:
            if second is None or model is second or isinstance(error, OF_THE_REQUEST):
                raise
            model, run.switched = second, True
            self._events.emit("switched", model=model.name, reason=str(error), text="")
            reply = await self._reply(model, sent, tools)
        self._count(run, reply, sent, model)
        return reply

    async def _reply(
        self, model: ChatModel, sent: Sequence[Message], tools: Sequence[ToolDefinition]
    ) -> Reply:
        """Ask until there is a reply, or until another try would not help."""
        wait_s = _FIRST_WAIT_S
        for left in reversed(range(_MOST_TRIES)):
            began_s = self._clock.seconds()
            try:
                return await model.reply(sent, tools, on_text=self._emit_text)
            except ModelError as error:
                after_s = error.retry_after_s
                pause_s = wait_s if after_s is None else max(after_s, 0.0)
                # A reply that was cut had begun, however long it took.
                took_s = 0.0 if isinstance(error, CutStream) else self._clock.seconds() - began_s
                if not error.retryable or not left or max(pause_s, took_s) > _LONGEST_WAIT_S:
                    raise
                self._events.emit("retrying", reason=str(error), wait_s=pause_s)
                await self._clock.sleep(pause_s)
                wait_s *= 2
        raise AssertionError("the last try either gives a reply or raises")

    def _emit_text(self, text: str) -> None:
        self._events.emit("text", text=printable(text), final=False)

    def _masked(self, message: Message) -> Message:
        calls = tuple(
            replace(call, arguments=self._mask.data(dict(call.arguments))) for call in message.calls
        )
        text = self._mask.text(message.text)
        # The provider's form has the same words and calls, and cannot be masked.
        replay = message.replay if (text, calls) == (message.text, message.calls) else None
        return replace(message, text=text, calls=calls, replay=replay)

    def _count(self, run: Run, reply: Reply, sent: Sequence[Message], model: ChatModel) -> None:
        usage, spent = reply.usage, run.spent
        if usage is None:
            # A budget of tokens also holds for servers that do not report usage.
            written = reply.text + "".join(json.dumps(call.to_dict()) for call in reply.calls)
            usage = Usage(sum(map(tokens_of, sent)), tokens_in(written))
            price = None
        else:
            cost = self._fallback_cost if model is self._fallback else self._cost
            prices = cost(reply.model or model.name)
            price = prices.cost(usage.prompt, usage.completion, usage.cached)
        spent.usage += usage
        known = price is not None and spent.usd is not None
        spent.usd = str(Decimal(spent.usd or 0) + (price or 0)) if known else None


def _message_dict(message: Message) -> dict[str, Any]:
    """Return a message as an event has it, with the number of its images."""
    data: dict[str, Any] = {"role": message.role.value, "text": message.text}
    if message.calls:
        data["calls"] = [call.to_dict() for call in message.calls]
    if message.call_id:
        data["call_id"] = message.call_id
    if message.images:
        data["images"] = len(message.images)
    return data


class ModelDecider:
    """Asks a model what comes next. It plans with the action `make_plan`, if the goal needs a plan."""

    def __init__(
        self,
        builder: Builder,
        broker: Broker,
        registry: ToolRegistry,
        actions: Callable[[], Sequence[ToolDefinition]],
        *,
        offer: Offer,
        tool_tokens: int,
    ) -> None:
        """Create a decider.

        Args:
            builder: Writes the messages.
            broker: Sends them.
            registry: The page's tools.
            actions: Returns the definitions of all actions.
            offer: How the model uses the page's tools.
            tool_tokens: Tokens that these tools may take.
        """
        self._builder = builder
        self._broker = broker
        self._registry = registry
        self._actions = actions
        self._offer: Offer = offer
        self._tool_tokens = tool_tokens

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the model's next words and calls."""
        tools, toolset = offered_tools(
            self._actions(),
            self._registry.manifest,
            scene.tools,
            run.goal,
            offer=self._offer,
            most=self._tool_tokens,
        )
        messages = self._builder.build(run, scene, tools, toolset)
        return await self._broker.send(run, messages, tools)
