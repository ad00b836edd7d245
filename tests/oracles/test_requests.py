"""Requests of our clients, judged by the types of the official packages."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from tests.oracles.conversations import CONVERSATIONS, Conversation, conversations
from tests.oracles.packages import understood
from webagent import llm
from webagent.llm import Overloaded, ScriptedAnswer, ScriptedFetch

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


async def test_marks_for_the_cache() -> None:
    """Anthropic gets a mark at the first stable prefix and at the last three; no other has marks."""
    body = await sent("AnthropicModel", CONVERSATIONS["stable"])

    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    marked = [
        (number, block["type"])
        for number, turn in enumerate(body["messages"])
        for block in turn["content"]
        if "cache_control" in block
    ]
    assert marked == [(3, "tool_result"), (4, "tool_use"), (5, "tool_result")]


async def test_keys_for_the_cache() -> None:
    """OpenAI gets one key for all steps of a conversation, with both protocols."""
    for kind in ("OpenAIModel", "ResponsesModel"):
        first = await sent(kind, CONVERSATIONS["tools"])
        later = await sent(kind, CONVERSATIONS["parallel calls"])
        without = await sent(kind, CONVERSATIONS["words"])

        assert first["prompt_cache_key"] == later["prompt_cache_key"]
        assert "prompt_cache_key" not in without


async def test_strict_tools() -> None:
    """A schema that fits is strict, and another is sent as it is."""
    chat = (await sent("OpenAIModel", CONVERSATIONS["tools"]))["tools"]
    responses = (await sent("ResponsesModel", CONVERSATIONS["tools"]))["tools"]

    assert [tool["function"].get("strict") for tool in chat] == [True, None, None]
    assert [tool["strict"] for tool in responses] == [True, False, False]


async def test_images_in_results() -> None:
    """Where a result cannot have images, they follow the results in a message of the user."""
    found = {
        kind: str(await sent(kind, CONVERSATIONS["images in results"])).count("iVBORw0KGgo")
        for kind in KINDS
    }

    assert found == dict.fromkeys(KINDS, 2)
