"""Requests of our clients, judged by the types of the official packages."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from tests.oracles.conversations import CONVERSATIONS, TOOLS, Conversation, conversations
from tests.oracles.packages import understood
from webagent import llm
from webagent.llm import Overloaded, ResponsesModel, ScriptedAnswer, ScriptedFetch

KINDS = ("OpenAIModel", "ResponsesModel", "AnthropicModel", "GeminiModel", "OllamaModel")
EACH = pytest.mark.parametrize("kind", KINDS)


async def sent(kind: str, conversation: Conversation) -> dict[str, Any]:
    """Return the request of a client for a conversation."""
    fetch = ScriptedFetch(ScriptedAnswer("", 500))
    options = {"openai_fields": True} if kind == "OpenAIModel" else {}
    model = getattr(llm, kind)("http://h/v1", "o-model", fetch, **options)
    with pytest.raises(Overloaded):
        await model.reply(
            conversation.messages, conversation.tools, tool_choice=conversation.tool_choice
        )
    body: dict[str, Any] = json.loads(fetch.requests[0].body)
    return body


@EACH
@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_a_request_is_what_the_package_knows(kind: str, name: str) -> None:
    """The package of the provider accepts each field, and knows each."""
    body = await sent(kind, CONVERSATIONS[name])

    assert understood(kind, body) == body


@EACH
@settings(deadline=None, max_examples=30)
@given(conversation=conversations())
async def test_requests_for_any_conversation(kind: str, conversation: Conversation) -> None:
    """So do those for conversations that nobody thought of."""
    body = await sent(kind, conversation)

    assert understood(kind, body) == body


@settings(deadline=None, max_examples=60)
@given(conversation=conversations())
async def test_turns_of_anthropic(conversation: Conversation) -> None:
    """Turns alternate, results come first in the turn after their calls, and marks are few."""
    body = await sent("AnthropicModel", conversation)

    turns = body["messages"]
    blocks = [block for turn in turns for block in turn["content"]]
    marked = [b for b in [*body.get("system", []), *blocks] if "cache_control" in b]
    assert all(one["role"] != other["role"] for one, other in pairwise(turns))
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")
    assert len(marked) <= 4
    for turn, following in pairwise([*turns, {"content": []}]):
        calls = [b["id"] for b in turn["content"] if b["type"] == "tool_use"]
        answered = [
            b.get("tool_use_id") for b in following["content"] if b["type"] == "tool_result"
        ]
        assert sorted(answered) == sorted(calls)
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", number) for number in calls)
        assert [b["type"] for b in following["content"][: len(calls)]] == ["tool_result"] * len(
            calls
        )


@settings(deadline=None, max_examples=60)
@given(conversation=conversations())
async def test_turns_of_gemini(conversation: Conversation) -> None:
    """The content after calls has a response for each, by its id and name, and in their order."""
    contents = (await sent("GeminiModel", conversation))["contents"]

    def parts(content: dict[str, Any], key: str) -> list[tuple[str, str]]:
        found = [part[key] for part in content["parts"] if key in part]
        return [(one["id"], one["name"]) for one in found]

    assert all(content["parts"] for content in contents)
    for content, following in pairwise([*contents, {"parts": []}]):
        assert parts(content, "functionCall") == parts(following, "functionResponse")


@EACH
async def test_a_chosen_tool(kind: str) -> None:
    """It is named next to all tools; Ollama, which cannot be forced, is offered it alone."""
    body = await sent(kind, CONVERSATIONS["a chosen tool"])

    if kind == "OllamaModel":
        assert [tool["function"]["name"] for tool in body["tools"]] == ["cart_add"]
        return
    assert all(name in str(body["tools"]) for name in ("shop_search", "cart_add", "refresh"))
    assert {
        "OpenAIModel": {"type": "function", "function": {"name": "cart_add"}},
        "ResponsesModel": {"type": "function", "name": "cart_add"},
        "AnthropicModel": {"type": "tool", "name": "cart_add"},
        "GeminiModel": {
            "functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["cart_add"]}
        },
    }[kind] == body["toolConfig" if kind == "GeminiModel" else "tool_choice"]


@EACH
async def test_parallel_calls_are_one_turn(kind: str) -> None:
    """Calls of one reply are together, and so are their results; those of the next are not."""
    body = await sent(kind, CONVERSATIONS["parallel calls"])

    if kind in ("AnthropicModel", "GeminiModel"):
        turns = body["contents" if kind == "GeminiModel" else "messages"]
        assert [
            (turn["role"], len(turn["parts" if kind == "GeminiModel" else "content"]))
            for turn in turns[1:]
        ] == [
            ("model" if kind == "GeminiModel" else "assistant", 2),
            ("user", 2),
            ("model" if kind == "GeminiModel" else "assistant", 1),
            ("user", 1),
        ]
    elif kind == "ResponsesModel":
        call, output = "function_call", "function_call_output"
        assert [item["type"] for item in body["input"][2:]] == [
            *(call, call, output, output),
            *(call, output),
        ]
    else:
        assert [
            (message["role"], len(message.get("tool_calls", ())))
            for message in body["messages"][2:]
        ] == [("assistant", 2), ("tool", 0), ("tool", 0), ("assistant", 1), ("tool", 0)]


async def test_marks_for_the_cache() -> None:
    """`AnthropicModel` marks the first stable prefix and the last three."""
    body = await sent("AnthropicModel", CONVERSATIONS["stable"])

    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    marked = [
        (number, block["type"])
        for number, turn in enumerate(body["messages"])
        for block in turn["content"]
        if "cache_control" in block
    ]
    assert marked == [(3, "tool_result"), (4, "tool_use"), (5, "tool_result")]


@pytest.mark.parametrize("kind", ["OpenAIModel", "ResponsesModel"])
async def test_keys_for_the_cache(kind: str) -> None:
    """All steps of a conversation have one key."""
    first = await sent(kind, CONVERSATIONS["tools"])
    later = await sent(kind, CONVERSATIONS["parallel calls"])
    without = await sent(kind, CONVERSATIONS["words"])

    assert first["prompt_cache_key"] == later["prompt_cache_key"]
    assert "prompt_cache_key" not in without


@pytest.mark.parametrize("kind", ["OpenAIModel", "ResponsesModel"])
async def test_strict_tools(kind: str) -> None:
    """A schema that fits is strict, and another is sent as it is."""
    tools = (await sent(kind, CONVERSATIONS["tools"]))["tools"]

    functions = [tool.get("function", tool) for tool in tools]
    assert [bool(function.get("strict")) for function in functions] == [True, False, False]
    assert [function["parameters"] for function in functions] == [t.parameters for t in TOOLS]


@EACH
async def test_images_in_results(kind: str) -> None:
    """They are in the results, or follow them in a message of the user."""
    body = await sent(kind, CONVERSATIONS["images in results"])

    assert json.dumps(body).count("iVBORw0KGgo") == 2


@pytest.mark.parametrize(
    ("name", "asked"), [("gpt-4.1-mini", False), ("openai/gpt-4o", False), ("gpt-5.5", True)]
)
async def test_reasoning_is_asked_for_where_there_is_some(name: str, asked: bool) -> None:
    """OpenAI refuses to encrypt the reasoning of a model that does not reason."""
    fetch = ScriptedFetch(ScriptedAnswer("", 500))
    with pytest.raises(Overloaded):
        await ResponsesModel("http://h/v1", name, fetch).reply(CONVERSATIONS["words"].messages, [])

    body = json.loads(fetch.requests[0].body)
    assert (body.get("include") == ["reasoning.encrypted_content"]) is asked
    assert body["store"] is False
