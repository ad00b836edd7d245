"""How much of a conversation a remote agent has heard already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webagent.llm.chat import Message, Reply, Role, ToolCall


@dataclass(frozen=True, slots=True)
class Heard:
    """Up to where an agent knows a conversation."""

    messages: int
    """How many messages, its own last words among them."""
    ids: Mapping[str, str]
    """The ids of the calls it asked for last, as it knows them, by those in the conversation."""


def heard_of(messages: Sequence[Message], reply: Reply | None) -> Heard | None:
    """Return how much an agent that replied last has heard; None if it knows nothing of it.

    Whoever wrote the conversation down may have given calls other ids, have put each into a
    message of its own before its result, or have called a tool through another that takes its name
    and arguments.
    """
    said = [i for i, message in enumerate(messages) if message.role is Role.ASSISTANT]
    if not said or reply is None:
        return None
    if not reply.calls:
        last = messages[said[-1]]
        same = not last.calls and last.text == reply.text
        return Heard(said[-1] + 1, {}) if same else None
    left, ids, first = [*reply.calls], dict[str, str](), None
    for i in reversed(said):
        found = _matched(messages[i].calls, left)
        if not found:
            break
        ids |= found
        first = i
    return None if first is None else Heard(first + 1, ids)


def _matched(calls: Sequence[ToolCall], left: list[ToolCall]) -> dict[str, str]:
    """Return the agent's ids of calls that it asked for, and take them out of those left.

    Nothing if one of them is none of its own.
    """
    ids: dict[str, str] = {}
    taken = [*left]
    for call in reversed(calls):
        same = next((one for one in reversed(taken) if _same(call, one)), None)
        if same is None:
            return {}
        taken.remove(same)
        ids[call.id] = same.id
    left[:] = taken
    return ids


def _same(call: ToolCall, asked: ToolCall) -> bool:
    arguments = dict(asked.arguments)
    if call.id == asked.id or (call.name == asked.name and dict(call.arguments) == arguments):
        return True
    values = list(call.arguments.values())
    return asked.name in values and arguments in values
