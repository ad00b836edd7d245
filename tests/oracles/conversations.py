"""Conversations as an agent has them, written down and made by Hypothesis."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from webagent.llm import Message, Role, ToolCall, ToolDefinition

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
JPEG = b"\xff\xd8\xff\xe0 not a whole picture, but a file of that type"

SEARCH = ToolDefinition(
    "shop.search",
    "Finds books.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "words of the title"}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
ADD = ToolDefinition(
    "cart.add",
    "Adds a book to the cart.",
    {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 1},
            "count": {"type": "integer", "default": 1},
            "gift": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        },
        "required": ["id"],
    },
)
REFRESH = ToolDefinition("refresh", "", {"type": "object"})
TOOLS = (SEARCH, ADD, REFRESH)


@dataclass(frozen=True)
class Conversation:
    """The arguments of one request to a model."""

    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: str | None = None


SYSTEM = Message(Role.SYSTEM, "You help in a shop.", stable=True)
HELLO = Message(Role.USER, "find two books")


def exchange(*calls: ToolCall, text: str = "", images: tuple[bytes, ...] = ()) -> list[Message]:
    """Return a reply with calls, and their results."""
    results = [
        Message(Role.TOOL, f"result {number}", call_id=call.id, images=images)
        for number, call in enumerate(calls)
    ]
    return [Message(Role.ASSISTANT, text, calls), *results]


ONE = ToolCall("call_1", "shop.search", {"query": "Wellen ☕"})
TWO = ToolCall("call_2", "cart.add", {"id": 7, "gift": None})

CONVERSATIONS: dict[str, Conversation] = {
    "words": Conversation((HELLO,)),
    "system": Conversation((SYSTEM, HELLO)),
    "tools": Conversation((SYSTEM, HELLO), TOOLS),
    "a chosen tool": Conversation((SYSTEM, HELLO), TOOLS, "cart.add"),
    "a call": Conversation((SYSTEM, HELLO, *exchange(ONE, text="I look.")), TOOLS),
    "parallel calls": Conversation(
        (SYSTEM, HELLO, *exchange(ONE, TWO), *exchange(ToolCall("call_3", "refresh"))), TOOLS
    ),
    "words after results": Conversation(
        (SYSTEM, HELLO, *exchange(ONE, TWO), Message(Role.USER, "The page changed.")), TOOLS
    ),
    "an image": Conversation((SYSTEM, Message(Role.USER, "what is it?", images=(PNG, JPEG)))),
    "an image alone": Conversation((Message(Role.USER, images=(PNG,)),)),
    "images in results": Conversation(
        (SYSTEM, HELLO, *exchange(ONE, TWO, images=(PNG,)), Message(Role.USER, "Go on.")), TOOLS
    ),
    "stable": Conversation(
        (
            SYSTEM,
            *(
                Message(message.role, message.text, message.calls, message.call_id, stable=True)
                for number in range(3)
                for message in exchange(ToolCall(f"call_{number}", "refresh"), text="Again.")
            ),
            HELLO,
        ),
        TOOLS,
    ),
    "a system that speaks later": Conversation(
        (SYSTEM, HELLO, Message(Role.ASSISTANT, "Yes?"), Message(Role.SYSTEM, "Be short."), HELLO)
    ),
    "silence": Conversation(
        (HELLO, Message(Role.ASSISTANT), Message(Role.USER, " "), Message(Role.USER, "and?"))
    ),
    "ids and names of others": Conversation(
        (
            HELLO,
            *exchange(
                ToolCall("functions.search:0|ä", "a tool with spaces and a name " * 4, {"ä": [{}]})
            ),
        )
    ),
    "a call with a fault": Conversation(
        (HELLO, *exchange(ToolCall("call_1", "shop.search", fault="the arguments are not JSON"))),
        TOOLS,
    ),
    "half a character": Conversation((Message(Role.USER, "a \ud83d b"),)),
}

_words = st.text(max_size=12)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | _words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_words, inner, max_size=2),
    max_leaves=4,
)
_images = st.lists(st.sampled_from([PNG, JPEG, b"GIF89a"]), max_size=2).map(tuple)
_names = st.sampled_from([tool.name for tool in TOOLS]) | st.text(min_size=1, max_size=80)
_arguments = st.dictionaries(_words, _json, max_size=2)


@st.composite
def _turns(draw: Any) -> list[Message]:
    """Draw the person's words, or a reply with calls and all their results."""
    stable = draw(st.booleans())
    if draw(st.booleans()):
        role = draw(st.sampled_from([Role.USER, Role.USER, Role.ASSISTANT, Role.SYSTEM]))
        images = draw(_images) if role is Role.USER else ()
        return [Message(role, draw(_words), images=images, stable=stable)]
    ids = draw(st.lists(st.text(min_size=1, max_size=70), max_size=3, unique=True))
    calls = tuple(ToolCall(number, draw(_names), draw(_arguments)) for number in ids)
    results = [
        Message(Role.TOOL, draw(_words), call_id=call.id, images=draw(_images), stable=stable)
        for call in calls
    ]
    return [Message(Role.ASSISTANT, draw(_words), calls, stable=stable), *results]


@st.composite
def conversations(draw: Any) -> Conversation:
    """Draw a conversation in which each call has an id of its own, and a result."""
    messages: list[Message] = [HELLO]
    taken: set[str] = set()
    for turn in draw(st.lists(_turns(), max_size=5)):
        ids = {call.id for message in turn for call in message.calls}
        if not ids & taken:
            taken |= ids
            messages.extend(turn)
    if draw(st.booleans()):
        messages.insert(0, SYSTEM)
    tools = tuple(draw(st.lists(st.sampled_from(TOOLS), unique_by=lambda tool: tool.name)))
    choice = draw(st.sampled_from([None, *(tool.name for tool in tools)]))
    return Conversation(tuple(messages), tools, choice)
