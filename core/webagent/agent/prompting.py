"""A run as a conversation: each call beside its result, what is old made shorter first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from webagent.agent.fence import Fence
from webagent.agent.run import Done, Entry, Said
from webagent.llm.chat import Message, Role, ToolCall

_LONGEST_RESULT = 20_000
"""Characters of a result that a model reads."""
_SHORTENED = 400
_MOST_ARGUMENTS = 100
"""Of a call whose arguments are too long to be sent again as they are."""
_KEPT_WHOLE = 2
"""Latest exchanges whose results are shortened last."""
_BYTES_PER_TOKEN = 3.2
"""Fewer than models need on average, so that what is counted is never too little."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What belongs together: a call and its result, or words."""

    messages: tuple[Message, ...]

    @property
    def tokens(self) -> int:
        """About how long it is."""
        return sum(tokens_of(message) for message in self.messages)

    def shortened(self, most: int) -> Exchange:
        """Return it with its result cut to so many characters."""
        return Exchange(tuple(_cut(message, most) for message in self.messages))


def tokens_of(message: Message) -> int:
    """Return about how many tokens a message takes, rather too many than too few."""
    text = message.text + "".join(json.dumps(call.to_dict()) for call in message.calls)
    return tokens_in(text) + 8 + 1500 * len(message.images)


def tokens_in(text: str) -> int:
    """Return about how many tokens a text takes."""
    return int(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN) + 1


def exchanges(entries: Sequence[Entry], fence: Fence) -> list[Exchange]:
    """Return the lines of a transcript as a model reads them."""
    return [*_exchanges(entries, fence)]


def fitted(found: Sequence[Exchange], most: int) -> list[Exchange]:
    """Return a conversation that takes at most so many tokens.

    Old results are shortened first, the oldest first; then old exchanges are left out, as wholes;
    then the latest results are shortened too.
    """
    kept = [*found]
    total = sum(exchange.tokens for exchange in kept)
    for index in range(len(kept) - _KEPT_WHOLE):
        if total <= most:
            return kept
        total -= kept[index].tokens
        kept[index] = kept[index].shortened(_SHORTENED)
        total += kept[index].tokens
    left_out = 0
    while total > most and len(kept) > _KEPT_WHOLE:
        total -= kept.pop(0).tokens
        left_out += 1
    if total > most:
        each = max(_SHORTENED, int(most * _BYTES_PER_TOKEN / (len(kept) or 1) / 2))
        kept = [exchange.shortened(each) for exchange in kept]
    if left_out:
        note = f"({left_out} earlier steps are left out here)"
        kept.insert(0, Exchange((Message(Role.USER, note),)))
    return kept


def _exchanges(entries: Sequence[Entry], fence: Fence) -> Iterator[Exchange]:
    words = ""
    for number, entry in enumerate(entries):
        if isinstance(entry, Done):
            # Models and planners may give the same id twice; here each must have its own.
            call = replace(entry.call, id=f"call_{number}", fault="")
            yield Exchange(
                (
                    Message(Role.ASSISTANT, words, (_sent(call),)),
                    Message(Role.TOOL, _result(entry, fence), call_id=call.id),
                )
            )
            words = ""
            continue
        if words:
            yield Exchange((Message(Role.ASSISTANT, words),))
            words = ""
        if entry.by == "agent":
            words = entry.text
        else:
            yield Exchange((Message(Role.USER, _said(entry)),))
    if words:
        yield Exchange((Message(Role.ASSISTANT, words),))


def _sent(call: ToolCall) -> ToolCall:
    """Return a call as it is sent again; of long arguments only the beginning."""
    arguments = dict(call.arguments)
    if len(_told(arguments)) > _LONGEST_RESULT:
        told = {key: v if isinstance(v, str) else _told(v) for key, v in arguments.items()}
        each = _LONGEST_RESULT // (2 * len(told))
        arguments = {
            key[:_SHORTENED]: _short(text, each) if len(text) > each else arguments[key]
            for key, text in islice(told.items(), _MOST_ARGUMENTS)
        }
    return replace(call, arguments=arguments)


def _said(entry: Said) -> str:
    return entry.text if entry.by == "person" else f"(note from the program) {entry.text}"


def _result(done: Done, fence: Fence) -> str:
    parts = []
    if done.error is not None:
        error = done.error
        parts.append(f"failed: {error.get('kind', 'internal')}")
        parts.append(fence.around(_told(error), "error"))
    if done.error is None or done.value is not None:
        text = done.value if isinstance(done.value, str) else _told(done.value)
        parts.append(fence.around(_short(text, _LONGEST_RESULT), "result"))
    return "\n".join(parts)


def _told(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)


def _cut(message: Message, most: int) -> Message:
    if message.role is not Role.TOOL or len(message.text) <= most:
        return message
    # The closing mark stays, so that what follows is not taken for data, nor data for what follows.
    end = message.text.rfind("\n</data-")
    closing = message.text[end:] if end >= 0 else ""
    return replace(message, text=_short(message.text[: max(end, 0) or None], most) + closing)


def _short(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[:most]}… (cut: {len(text) - most} more characters)"
