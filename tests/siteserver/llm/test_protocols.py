"""The protocols of providers at the gateway: paths, refusals, usage, errors."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webagent.llm import Usage
from webagent.llm.providers import ApiProtocol
from webagent.llm.refusals import refusal
from webagent_site.llm.forwarder import BodyUsage, EventUsage, LineUsage, UsageCount
from webagent_site.llm.meter import Meter, Ticket
from webagent_site.llm.protocols import PROTOCOLS, RequestRefused

NAMES = get_args(ApiProtocol)
CONVERSATIONS: dict[str, dict[str, Any]] = {
    "chat": {"messages": [{"role": "user", "content": "hello"}]},
    "responses": {"input": [{"role": "user", "content": "hello"}]},
    "messages": {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 9},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]},
    "ollama": {"messages": [{"role": "user", "content": "hello"}]},
}


class PerToken:
    """A dollar for each token of the conversation, a thousand for each of the reply."""

    def cost(self, prompt: int, completion: int, cached: int = 0) -> Decimal | None:
        return Decimal(prompt + 1_000 * completion)


def admitted() -> tuple[Meter, Ticket]:
    meter = Meter(Decimal(10**9))
    ticket = meter.admit("{}", PerToken())
    assert isinstance(ticket, Ticket)
    return meter, ticket


@pytest.mark.parametrize(
    ("name", "path", "upstream"),
    [
        ("chat", "chat/completions", "/chat/completions"),
        ("chat", "responses", None),
        ("chat", "models", None),
        ("chat", "chat/completions/../models", None),
        ("responses", "responses", "/responses"),
        ("responses", "responses/resp_1", None),
        ("messages", "messages", "/messages"),
        ("messages", "messages/batches", None),
        ("gemini", "models/x:generateContent", "/models/mine:generateContent"),
        ("gemini", "models/x:streamGenerateContent", "/models/mine:streamGenerateContent?alt=sse"),
        ("gemini", "models/x:countTokens", None),
        ("gemini", "cachedContents", None),
        ("ollama", "chat", "/chat"),
        ("ollama", "pull", None),
    ],
)
def test_only_the_path_of_the_protocol_is_forwarded(
    name: ApiProtocol, path: str, upstream: str | None
) -> None:
    """Anything else at the provider, such as its files or its list of models, is out of reach."""
    assert PROTOCOLS[name].upstream_path(path, "mine") == upstream


@pytest.mark.parametrize("name", NAMES)
def test_the_model_is_the_configured_one(name: ApiProtocol) -> None:
    """The page cannot name another; the rest of its request stays as it is."""
    given = CONVERSATIONS[name]
    protocol = PROTOCOLS[name]
    protocol.check(given)
    sent = protocol.body({**given, "model": "dearer"}, "mine", count=False)

    assert {**given, **({} if name == "gemini" else {"model": "mine"})} == {
        key: value for key, value in sent.items() if name != "gemini" or key != "model"
    }


@pytest.mark.parametrize(
    ("name", "extra", "code"),
    [
        ("chat", {"models": ["dearer"]}, "invalid_parameter"),
        ("chat", {"n": 2}, "invalid_n"),
        ("responses", {"tools": [{"type": "web_search"}]}, "invalid_tool"),
        ("responses", {"tools": [{"type": "mcp", "server_url": "https://e.vil"}]}, "invalid_tool"),
        ("responses", {"tools": [{"type": "function", "name": "search"}]}, None),
        ("responses", {"previous_response_id": "resp_1"}, "invalid_parameter"),
        ("responses", {"background": True}, "invalid_parameter"),
        ("messages", {"tools": [{"type": "web_search_20250305"}]}, "invalid_tool"),
        ("messages", {"tools": [{"name": "search"}]}, None),
        ("messages", {"mcp_servers": [{"url": "https://e.vil"}]}, "invalid_parameter"),
        ("messages", {"service_tier": None}, None),
        ("gemini", {"tools": [{"googleSearch": {}}]}, "invalid_tool"),
        ("gemini", {"tools": [{"code_execution": {}}]}, "invalid_tool"),
        ("gemini", {"tools": [{"functionDeclarations": []}]}, None),
        ("gemini", {"model": "dearer"}, "invalid_parameter"),
        ("gemini", {"cached_content": "cachedContents/1"}, "invalid_parameter"),
        ("gemini", {"generationConfig": {"candidateCount": 8}}, "invalid_candidateCount"),
        ("gemini", {"generation_config": {"response_modalities": ["IMAGE"]}}, "invalid_parameter"),
        ("gemini", {"generationConfig": {"routingConfig": {}}}, "invalid_parameter"),
        ("gemini", {"generationConfig": {"temperature": 0}}, None),
    ],
    ids=str,
)
def test_a_request_that_costs_more_or_reaches_further_is_refused(
    name: ApiProtocol, extra: dict[str, Any], code: str | None
) -> None:
    """Tools of the provider, other models, and more than one reply."""
    request = CONVERSATIONS[name] | extra
    if code is None:
        PROTOCOLS[name].check(request)
        return
    with pytest.raises(RequestRefused) as refused:
        PROTOCOLS[name].check(request)
    assert refused.value.code == code


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("given", [{}, {"messages": "hello", "contents": {}, "input": 5}])
def test_a_request_without_a_conversation_is_refused(
    name: ApiProtocol, given: dict[str, Any]
) -> None:
    """The error names the field."""
    with pytest.raises(RequestRefused, match=f"`{PROTOCOLS[name].needed}`"):
        PROTOCOLS[name].check(given)


def sse(*events: Any) -> bytes:
    return b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events)


STREAMS: dict[str, tuple[bytes, Usage]] = {
    "chat": (
        sse(
            {"choices": [{"delta": {"content": "hi"}}]},
            {
                "choices": [],
                "usage": {
                    "prompt_tokens": 100,
                    "completion_tokens": 7,
                    "prompt_tokens_details": {"cached_tokens": 40},
                },
            },
        ),
        Usage(100, 7, 40),
    ),
    "responses": (
        sse(
            {"type": "response.output_text.delta", "delta": "hi"},
            {
                "type": "response.completed",
                "response": {
                    "usage": {
                        "input_tokens": 100,
                        "output_tokens": 7,
                        "input_tokens_details": {"cached_tokens": 40},
                    }
                },
            },
        ),
        Usage(100, 7, 40),
    ),
    "messages": (
        sse(
            {
                "type": "message_start",
                "message": {
                    "usage": {
                        "input_tokens": 10,
                        "cache_read_input_tokens": 40,
                        "cache_creation_input_tokens": 40,
                        "cache_creation": {"ephemeral_1h_input_tokens": 4},
                        "output_tokens": 3,
                    }
                },
            },
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "hi"}},
            {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 7}},
        ),
        # 40 stored tokens cost as 50, and the 4 that are stored for an hour as 3 more.
        Usage(103, 7, 40),
    ),
    "gemini": (
        sse(
            {"candidates": [{"content": {"parts": [{"text": "hi"}]}}]},
            {
                "usageMetadata": {
                    "promptTokenCount": 100,
                    "cachedContentTokenCount": 40,
                    "candidatesTokenCount": 5,
                    "thoughtsTokenCount": 2,
                }
            },
        ),
        Usage(100, 7, 40),
    ),
    "ollama": (
        b'{"message":{"role":"assistant","content":"hi"},"done":false}\n'
        b'{"message":{"content":""},"done":true,"prompt_eval_count":100,"eval_count":7}\n',
        Usage(100, 7),
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_tokens_of_a_stream_are_counted_wherever_it_is_cut(name: ApiProtocol) -> None:
    """Pieces of the network end anywhere, and the last line may lack its end."""
    body, usage = STREAMS[name]
    for cut in range(len(body)):
        _, ticket = admitted()
        kind = LineUsage if name == "ollama" else EventUsage
        counter = kind(UsageCount(ticket, PROTOCOLS[name]))
        for chunk in (body[:cut], body[cut:].rstrip(b"\n")):
            counter.feed(chunk)
        counter.end()

        assert ticket.counted == usage


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_that_ends_early_costs_what_came(name: ApiProtocol) -> None:
    """Without the last event there is an estimate of the reply, never 0."""
    first = {
        "chat": {"choices": [{"delta": {"content": "word " * 60}}]},
        "responses": {"type": "response.output_text.delta", "delta": "word " * 60},
        "messages": {"type": "content_block_delta", "delta": {"text": "word " * 60}},
        "gemini": {"candidates": [{"content": {"parts": [{"text": "word " * 60}]}}]},
        "ollama": {"message": {"content": "word " * 60}, "done": False},
    }
    meter, ticket = admitted()
    kind = LineUsage if name == "ollama" else EventUsage
    counter = kind(UsageCount(ticket, PROTOCOLS[name]))
    counter.feed(json.dumps(first[name]).encode() + b"\n" if name == "ollama" else sse(first[name]))
    counter.end()
    ticket.settle(was_sent=True)

    assert meter.spent_usd >= 1_000 * 100


@pytest.mark.parametrize("name", NAMES)
@given(
    data=st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["usage", "message", "choices", "delta", "response", "usageMetadata", "tools"]
                )
                | st.text(max_size=5),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_response_breaks_the_count(name: ApiProtocol, data: Any) -> None:
    """A server may answer with anything; the count ignores it."""
    _, ticket = admitted()
    counter = BodyUsage(UsageCount(ticket, PROTOCOLS[name]))
    counter.feed(json.dumps(data).encode())
    counter.end()
    ticket.settle(was_sent=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "invalid_api_key", "credentials_refused"),
        (429, "rate_limit_exceeded", "rate_limited"),
        (429, "insufficient_quota", "quota_exhausted"),
        (502, "connection_lost", "overloaded"),
        (400, "invalid_parameter", "bad_request"),
    ],
)
def test_errors_of_ours_are_read_as_those_of_the_provider(
    name: ApiProtocol, status: int, code: str, kind: str
) -> None:
    """The client of each protocol understands them: what to wait for, and what not."""
    sent, body = PROTOCOLS[name].error(status, "why - what to do", code)
    wait = {"retry-after": "7"} if code == "rate_limit_exceeded" else {}
    error = refusal(sent, wait, json.dumps(body))

    assert error.kind == kind
    assert "why - what to do" in error.message
