"""Behavior that all clients of providers' APIs share."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from webagent import llm
from webagent.llm import (
    ContentFiltered,
    CredentialsRefused,
    CutStream,
    Message,
    ModelFailed,
    OpenAIModel,
    Replay,
    Role,
    ScriptedAnswer,
    ScriptedFetch,
    ToolCall,
    ToolDefinition,
    UnreadableAnswer,
)
from webagent.llm.client import ModelClient, cache_key

ASKED = [Message(Role.USER, "hello")]
SEARCH = ToolDefinition("search", "finds books", {"type": "object"})

HELLO: dict[str, tuple[str, dict[str, str], list[Any]]] = {
    "OpenAIModel": (
        "/v1/chat/completions",
        {"authorization": "Bearer key-123"},
        [{"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]}],
    ),
    "ResponsesModel": (
        "/v1/responses",
        {"authorization": "Bearer key-123"},
        [
            {"type": "response.created", "response": {"model": "m"}},
            {"type": "response.output_text.delta", "delta": "hi"},
            {"type": "response.completed", "response": {"status": "completed", "output": []}},
        ],
    ),
    "AnthropicModel": (
        "/v1/messages",
        {"x-api-key": "key-123", "anthropic-version": "2026-10-21"},
        [
            {"type": "message_start", "message": {"content": []}},
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": "hi"},
            },
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            {"type": "message_stop"},
        ],
    ),
    "GeminiModel": (
        "/v1/models/m:streamGenerateContent?alt=sse",
        {"x-goog-api-key": "key-123"},
        [{"candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}]}],
    ),
    "OllamaModel": (
        "/v1/chat",
        {"authorization": "Bearer key-123"},
        [{"message": {"role": "assistant", "content": "hi"}, "done": True}],
    ),
}
"""For each client: the address of its requests, the headers that it adds, and a short answer."""

EACH = pytest.mark.parametrize("kind", HELLO)


def answer(kind: str) -> str:
    events = map(json.dumps, HELLO[kind][2])
    if kind == "OllamaModel":
        return "".join(f"{event}\n" for event in events)
    return "".join(f"data: {event}\n\n" for event in events)


def client(kind: str, fetch: ScriptedFetch, **options: Any) -> ModelClient:
    made: ModelClient = getattr(llm, kind)("http://h/v1/", "m", fetch, **options)
    return made


@EACH
async def test_a_short_answer(kind: str) -> None:
    """Each sends its request to its address, with the key in its header, and reads the words."""
    path, headers, _ = HELLO[kind]
    fetch = ScriptedFetch(answer(kind))
    heard: list[str] = []

    model = client(kind, fetch, api_key=" key-123\n", headers={"x-page": "1"})
    reply = await model.reply(ASKED, [], on_text=heard.append)

    (request,) = fetch.requests
    assert (reply.text, reply.model, heard) == ("hi", "m", ["hi"])
    assert request.url == f"http://h{path}"
    assert request.headers.items() >= {**headers, "x-page": "1"}.items()
    assert b"key-123" not in request.body
    assert "anthropic-dangerous-direct-browser-access" not in request.headers


@EACH
async def test_a_page_has_no_key(kind: str) -> None:
    """Without a key no header has one; in a page the server adds it."""
    fetch = ScriptedFetch(answer(kind))

    await client(kind, fetch).reply(ASKED, [])

    assert not {"authorization", "x-api-key", "x-goog-api-key"} & fetch.requests[0].headers.keys()


@EACH
async def test_params_are_a_merge_patch(kind: str) -> None:
    """They add, replace and remove fields at any depth."""
    fetch = ScriptedFetch(answer(kind))
    params = {"options": {"seed": 7, "num_ctx": None}, "stream": None, "top": 1}

    await client(kind, fetch, params=params).reply(ASKED, [])

    body = json.loads(fetch.requests[0].body)
    assert (body["options"], body["top"], "stream" in body) == ({"seed": 7}, 1, False)


@EACH
async def test_a_tool_that_is_not_offered_cannot_be_chosen(kind: str) -> None:
    """Nothing is sent then."""
    fetch = ScriptedFetch()

    with pytest.raises(ValueError, match="`other` is not one of the tools"):
        await client(kind, fetch).reply(ASKED, [SEARCH], tool_choice="other")

    assert not fetch.requests


@EACH
async def test_another_protocol_is_unreadable(kind: str) -> None:
    """The error names the client that was chosen and the end of its address."""
    for other in HELLO.keys() - {kind}:
        # The two that are alike in their first byte differ in their names of fields.
        with pytest.raises(UnreadableAnswer, match=rf"`{kind}` reads - check the provider"):
            await client(kind, ScriptedFetch(answer(other))).reply(ASKED, [])


@EACH
async def test_the_key_is_not_repeated(kind: str) -> None:
    """A server that says which key is wrong does not bring it into logs."""
    refused = ScriptedAnswer('{"error": {"message": "wrong key: key-123"}}', 401)

    with pytest.raises(CredentialsRefused, match="wrong key: •••`") as caught:
        await client(kind, ScriptedFetch(refused), api_key="key-123").reply(ASKED, [])

    assert "key-123" not in str(caught.value)


@EACH
async def test_an_answer_that_ends_anywhere_is_cut(kind: str) -> None:
    """It is a whole reply only once its protocol says so; the rest does not matter then."""
    whole = answer(kind).encode()
    replies = 0
    for end in range(len(whole) + 1):
        try:
            reply = await client(kind, ScriptedFetch(ScriptedAnswer(whole[:end]))).reply(ASKED, [])
        except CutStream:
            assert not replies
        else:
            replies += 1
            assert reply.text == "hi"

    assert replies >= 1


@pytest.mark.parametrize("name", ["AnthropicModel", "GeminiModel", "OllamaModel"])
def test_the_ending_of_an_address(name: str) -> None:
    """An empty address is refused with an example for that provider."""
    ending = {"AnthropicModel": "/v1", "GeminiModel": "/v1beta", "OllamaModel": "/api"}[name]

    with pytest.raises(ValueError, match=rf'write `{name}\("https://…{ending}"'):
        getattr(llm, name)(" ", "m", ScriptedFetch())


async def test_many_calls_are_not_replayed() -> None:
    """A reply whose calls are not all kept has no form to be repeated in."""
    parts = [{"functionCall": {"name": "search", "args": {}}}] * 200
    body = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}

    reply = await client("GeminiModel", ScriptedFetch(json.dumps(body))).reply(ASKED, [SEARCH])

    assert (len(reply.calls), reply.replay) == (128, None)


def test_the_cache_key() -> None:
    """It is that of the tools and the first stable prefix, and does not follow the conversation."""
    system = Message(Role.SYSTEM, "be short \ud800", stable=True)
    later = [*ASKED, Message(Role.ASSISTANT, "hi", stable=True)]
    key = cache_key([system], [SEARCH])

    assert cache_key([system, *later], [SEARCH]) == key
    assert cache_key([system, *later], []) != key
    assert cache_key([Message(Role.SYSTEM, "be long", stable=True)], [SEARCH]) != key
    assert (cache_key(ASKED, [SEARCH]), len(key)) == ("", 32)


async def test_ids_of_a_repeated_reply_stay() -> None:
    """Servers with the protocol of Anthropic may have ids that Anthropic would not take."""
    number = "functions.search:0"
    block = {"type": "tool_use", "id": number, "name": "search", "input": {}}
    said = Message(
        Role.ASSISTANT,
        calls=(ToolCall(number, "search"),),
        replay=Replay("anthropic:m", (block,)),
    )
    fetch = ScriptedFetch(answer("AnthropicModel"), answer("AnthropicModel"))
    model = client("AnthropicModel", fetch)
    found = Message(Role.TOOL, "found", call_id=number)

    await model.reply([*ASKED, said, found], [SEARCH])
    await model.reply([*ASKED, replace(said, replay=None), found], [SEARCH])

    kept, changed = (json.loads(request.body)["messages"] for request in fetch.requests)
    assert kept[1]["content"][0]["id"] == kept[2]["content"][0]["tool_use_id"] == number
    assert changed[1]["content"][0]["id"] == changed[2]["content"][0]["tool_use_id"]
    assert changed[1]["content"][0]["id"] == "functions_search_0"


async def test_reasoning_that_is_not_there_is_not_repeated() -> None:
    """OpenAI stores nothing, so an item without its content could not be found again."""
    for reasoning, kept in (
        ({"encrypted_content": "secret"}, True),
        ({"content": [{"type": "reasoning_text", "text": "hm"}]}, True),
        ({}, False),
    ):
        output = [{"type": "reasoning", "id": "rs_1", "summary": [], **reasoning}]
        body = {"object": "response", "status": "completed", "output": output}
        model = client("ResponsesModel", ScriptedFetch(json.dumps(body)))

        assert bool((await model.reply(ASKED, [])).replay) is kept


async def test_a_name_that_gemini_would_refuse() -> None:
    """It begins with `_` there, and is called by its own name here."""
    body = {
        "candidates": [
            {"content": {"parts": [{"functionCall": {"name": "_2fa"}}]}, "finishReason": "STOP"}
        ]
    }
    fetch = ScriptedFetch(json.dumps(body))
    tool = ToolDefinition("2fa", "asks for a code", {"type": "object"})

    reply = await client("GeminiModel", fetch).reply(ASKED, [tool], tool_choice="2fa")

    sent = json.loads(fetch.requests[0].body)
    assert sent["tools"][0]["functionDeclarations"][0]["name"] == "_2fa"
    assert sent["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"] == ["_2fa"]
    assert [call.name for call in reply.calls] == ["2fa"]


async def test_a_call_without_a_name_is_left_out() -> None:
    """Such a part of Gemini is neither a call nor repeated."""
    parts = [{"functionCall": None}, {"functionCall": {"name": "search"}}, {"functionCall": {}}]
    body = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}

    reply = await client("GeminiModel", ScriptedFetch(json.dumps(body))).reply(ASKED, [SEARCH])

    assert [call.name for call in reply.calls] == ["search"]
    assert reply.replay is not None
    assert reply.replay.blocks == (parts[1],)


async def test_a_response_that_failed() -> None:
    """It is an error also where it is the whole answer, and where no reason is given."""
    body = {"object": "response", "status": "failed", "error": None, "output": []}

    with pytest.raises(ModelFailed):
        await client("ResponsesModel", ScriptedFetch(json.dumps(body))).reply(ASKED, [])


async def test_a_call_is_not_forced_while_the_model_thinks() -> None:
    """Anthropic refuses that, so the chosen tool is then the only one that is offered."""
    other = ToolDefinition("other", "does more", {"type": "object"})
    for thinking, tools, choice in (
        ({"type": "adaptive"}, 1, None),
        ({"type": "disabled"}, 2, {"type": "tool", "name": "search"}),
        (None, 2, {"type": "tool", "name": "search"}),
    ):
        fetch = ScriptedFetch(answer("AnthropicModel"))
        model = client("AnthropicModel", fetch, params={"thinking": thinking})

        await model.reply(ASKED, [SEARCH, other], tool_choice="search")

        body = json.loads(fetch.requests[0].body)
        assert (len(body["tools"]), body.get("tool_choice")) == (tools, choice)


async def test_done_is_an_end() -> None:
    """A stream of chat completions that ends in `[DONE]` is whole without a reason for its end."""
    stream = 'data: {"choices": [{"delta": {"content": "hi"}}]}\n\ndata: [DONE]\n\n'

    reply = await client("OpenAIModel", ScriptedFetch(stream)).reply(ASKED, [])

    assert reply.text == "hi"


async def test_a_refusal_does_not_show_the_key() -> None:
    """The words of a model that refuses are in the error, without the values of our headers."""
    body = {"choices": [{"message": {"refusal": "not with key-123"}, "finish_reason": "stop"}]}
    model = OpenAIModel("/v1", "m", ScriptedFetch(json.dumps(body)), api_key="key-123")

    with pytest.raises(ContentFiltered, match="refuses and says `not with •••`"):
        await model.reply(ASKED, [])
