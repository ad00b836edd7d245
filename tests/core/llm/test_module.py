"""The reply of a site's own module, which may be anything."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webagent.llm import (
    Message,
    ModelFailed,
    ModelUnavailable,
    ModuleModel,
    Reply,
    Role,
    ToolCall,
    ToolDefinition,
    UnreadableAnswer,
    Usage,
)
from webagent.llm.client import MOST_CALLS

SEARCH = ToolDefinition("site.search", "finds", {"type": "object"})
OTHER = ToolDefinition("other", "does", {"type": "object"})


class Bridge:
    """The page's side, which sends these messages and records the request."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self._messages = [json.dumps(message) for message in messages]
        self.requests: list[dict[str, Any]] = []
        self.closed: list[int] = []

    async def model_availability(self, request: str) -> str:
        raise AssertionError("nobody asks that of a module")

    def model_start(self, number: int, request: str) -> None:
        self.requests.append(json.loads(request))

    async def model_read(self, number: int) -> str:
        return self._messages.pop(0)

    def model_close(self, number: int) -> None:
        self.closed.append(number)


def done(reply: Any) -> dict[str, Any]:
    return {"type": "done", "reply": reply if isinstance(reply, str) else json.dumps(reply)}


async def reply_of(*messages: dict[str, Any], heard: list[str] | None = None) -> Reply:
    on_text = None if heard is None else heard.append
    model = ModuleModel(Bridge(*messages), "/own.js", name="own-1")
    return await model.reply([Message(Role.USER, "hello")], [SEARCH], on_text=on_text)


async def test_words_calls_and_usage_are_read() -> None:
    """Words come while it replies; tools have their real names again."""
    heard: list[str] = []
    reply = await reply_of(
        {"type": "text", "text": "I "},
        {"type": "text", "text": "search"},
        done(
            {
                "text": "I search",
                "calls": [{"name": "site_search", "arguments": {"query": "harbour"}, "id": "c1"}],
                "usage": {"prompt": 12, "completion": 5, "cached": 20},
            }
        ),
        heard=heard,
    )

    assert heard == ["I ", "search"]
    assert reply == Reply(
        "I search",
        (ToolCall("c1", "site.search", {"query": "harbour"}),),
        Usage(12, 5, 12),
        "own-1",
    )


async def test_the_whole_conversation_is_sent() -> None:
    """Calls, results and images, as `docs/how-to/models.md` describes them; a chosen tool comes alone."""
    bridge = Bridge(done({"text": "ok"}))
    conversation = [
        Message(Role.SYSTEM, "be short"),
        Message(Role.ASSISTANT, "", calls=(ToolCall("1", "site.search", {"q": "x"}),)),
        Message(Role.TOOL, "3 books", call_id="1", images=(b"\xff\xd8\xffx",)),
    ]
    model = ModuleModel(bridge, "/own.js")
    await model.reply(conversation, [SEARCH, OTHER], tool_choice="other")

    (request,) = bridge.requests
    assert request["module"] == "/own.js"
    assert request["messages"] == [
        {"role": "system", "text": "be short"},
        {
            "role": "assistant",
            "text": "",
            "calls": [{"id": "1", "name": "site_search", "arguments": {"q": "x"}}],
        },
        {
            "role": "tool",
            "text": "3 books",
            "callId": "1",
            "images": ["data:image/jpeg;base64,/9j/eA=="],
        },
    ]
    assert request["tools"] == [
        {"name": "other", "description": "does", "parameters": {"type": "object"}}
    ]
    assert len(bridge.closed) == 1


async def test_streamed_words_are_the_reply_if_it_has_no_others() -> None:
    """A module need not repeat them."""
    assert (await reply_of({"type": "text", "text": "hi"}, done({}))).text == "hi"


@pytest.mark.parametrize(
    "reply",
    [
        "null",
        "[]",
        "5",
        "{",
        "[" * 5_000 + "]" * 5_000,
        {},
        {"text": 5},
        {"text": "", "calls": []},
        {"calls": "search"},
        {"calls": [5, None, [], {"name": 5}, {"arguments": {}}, {"name": ""}]},
    ],
    ids=lambda value: json.dumps(value)[:30],
)
async def test_a_reply_without_words_or_calls_is_unreadable(reply: Any) -> None:
    """The error says what to return."""
    with pytest.raises(UnreadableAnswer):
        await reply_of(done(reply))


async def test_odd_parts_of_a_reply_do_no_harm() -> None:
    """Wrong arguments are faults of a call, ids are unique, and there is an end of calls."""
    calls = [
        {"name": "site_search", "arguments": "{"},
        {"name": "site_search", "arguments": [1], "id": "x"},
        {"name": "__proto__", "arguments": '{"a": 1}', "id": "x"},
        {"name": "site_search", "id": "y" * 1_000},
        *[{"name": "n"}] * 500,
    ]
    reply = await reply_of(
        done({"text": "t", "calls": calls, "usage": {"prompt": -1, "completion": True}})
    )

    assert len(reply.calls) == MOST_CALLS
    assert len({call.id for call in reply.calls}) == MOST_CALLS
    assert max(len(call.id) for call in reply.calls) <= 200
    assert [bool(call.fault) for call in reply.calls[:4]] == [True, True, False, False]
    assert (reply.calls[2].name, reply.calls[2].arguments) == ("__proto__", {"a": 1})
    assert reply.usage is None


@pytest.mark.parametrize(
    ("name", "kind"), [("ModuleError", ModelUnavailable), ("RangeError", ModelFailed)]
)
async def test_a_module_that_fails_is_reported(name: str, kind: type[Exception]) -> None:
    """A module that cannot be loaded is not there; anything that it throws is a failed reply."""
    with pytest.raises(kind, match=r"out of memory"):
        await reply_of({"type": "error", "name": name, "message": "out of memory"})
