"""The protocols of providers at the gateway: paths, refusals, usage, errors."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webagent.llm import Usage
from webagent.llm.providers import ApiProtocol
from webagent.llm.refusals import refusal
from webagent_site.llm.allowed import Picture, RequestRefused
from webagent_site.llm.protocols import PROTOCOLS, texts_in
from webagent_site.llm.usage import BodyUsage, EventUsage, LineUsage, UsageCount, tokens_of

NAMES = get_args(ApiProtocol)
CONVERSATIONS: dict[str, dict[str, Any]] = {
    "chat": {"messages": [{"role": "user", "content": "hello"}]},
    "responses": {"input": [{"role": "user", "content": "hello"}]},
    "messages": {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 9},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]},
    "ollama": {"messages": [{"role": "user", "content": "hello"}]},
}


def counted(name: ApiProtocol) -> UsageCount:
    return UsageCount(PROTOCOLS[name], Usage(10, 500))


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
        ("gemini", "models/mine:generateContent", "/models/mine:generateContent"),
        (
            "gemini",
            "models/mine:streamGenerateContent",
            "/models/mine:streamGenerateContent?alt=sse",
        ),
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
    """A page may name it, or none; the rest of its request stays as it is."""
    given = CONVERSATIONS[name]
    protocol = PROTOCOLS[name]
    for named in ({}, {"model": "default"}, {"model": "mine"}):
        sent = protocol.body(protocol.read({**given, **named}, "mine"), "mine", count=False)

        assert sent == {**given, **({} if name == "gemini" else {"model": "mine"})}


@pytest.mark.parametrize("name", NAMES)
def test_another_model_is_refused(name: ApiProtocol) -> None:
    """By its name, and in Gemini's address, too."""
    protocol = PROTOCOLS[name]
    with pytest.raises(RequestRefused, match="`dearer` is not a model of this site") as refused:
        protocol.read({**CONVERSATIONS[name], "model": "dearer"}, "mine")
    assert refused.value.code == "model_not_found"
    with pytest.raises(RequestRefused, match="`dearer` is not a model of this site"):
        PROTOCOLS["gemini"].upstream_path("models/dearer:generateContent", "mine")


IMAGE = "https://e.vil/image.png"
USER = {"role": "user"}


@pytest.mark.parametrize(
    ("name", "extra", "code"),
    [
        ("chat", {"models": ["dearer"]}, "invalid_parameter"),
        ("chat", {"n": 2}, "invalid_parameter"),
        ("chat", {"n": 1, "temperature": 0, "stop": ["x"]}, None),
        ("chat", {"store": True}, "invalid_parameter"),
        ("chat", {"web_search_options": {}}, "invalid_parameter"),
        ("chat", {"tools": [{"type": "function", "function": {"name": "search"}}]}, None),
        ("chat", {"tools": [{"type": "web_search"}]}, "invalid_tool"),
        (
            "chat",
            {"messages": [USER | {"content": [{"type": "file", "file": {"file_id": "1"}}]}]},
            "invalid_parameter",
        ),
        (
            "chat",
            {
                "messages": [
                    USER | {"content": [{"type": "image_url", "image_url": {"url": IMAGE}}]}
                ]
            },
            "remote_image",
        ),
        ("responses", {"tools": [{"type": "web_search"}]}, "invalid_tool"),
        ("responses", {"tools": [{"type": "mcp", "server_url": "https://e.vil"}]}, "invalid_tool"),
        ("responses", {"tools": [{"type": "function", "name": "search"}]}, None),
        ("responses", {"previous_response_id": "resp_1"}, "invalid_parameter"),
        ("responses", {"store": True}, "invalid_parameter"),
        ("responses", {"store": False}, None),
        ("responses", {"background": True}, "invalid_parameter"),
        ("responses", {"include": ["file_search_call.results"]}, "invalid_parameter"),
        ("responses", {"input": [{"type": "item_reference", "id": "x"}]}, "invalid_parameter"),
        (
            "responses",
            {"input": [USER | {"content": [{"type": "input_file", "file_url": IMAGE}]}]},
            "invalid_parameter",
        ),
        (
            "responses",
            {"input": [USER | {"content": [{"type": "input_image", "image_url": IMAGE}]}]},
            "remote_image",
        ),
        (
            "responses",
            {"input": [USER | {"content": [{"type": "input_image", "file_id": "f"}]}]},
            "invalid_parameter",
        ),
        ("messages", {"tools": [{"type": "web_search_20250305"}]}, "invalid_tool"),
        ("messages", {"tools": [{"name": "search"}]}, None),
        ("messages", {"mcp_servers": [{"url": "https://e.vil"}]}, "invalid_parameter"),
        ("messages", {"service_tier": None}, None),
        (
            "messages",
            {
                "messages": [
                    USER | {"content": [{"type": "image", "source": {"type": "url", "url": IMAGE}}]}
                ]
            },
            "invalid_parameter",
        ),
        (
            "messages",
            {"messages": [USER | {"content": [{"type": "document", "source": {}}]}]},
            "invalid_parameter",
        ),
        ("gemini", {"tools": [{"googleSearch": {}}]}, "invalid_tool"),
        ("gemini", {"tools": [{"code_execution": {}}]}, "invalid_tool"),
        ("gemini", {"tools": [{"functionDeclarations": []}]}, None),
        ("gemini", {"cached_content": "cachedContents/1"}, "invalid_parameter"),
        ("gemini", {"generationConfig": {"candidateCount": 8}}, "invalid_parameter"),
        ("gemini", {"generation_config": {"response_modalities": ["IMAGE"]}}, "invalid_parameter"),
        ("gemini", {"generationConfig": {"routingConfig": {}}}, "invalid_parameter"),
        ("gemini", {"generationConfig": {"temperature": 0}}, None),
        (
            "gemini",
            {"contents": [USER | {"parts": [{"fileData": {"fileUri": IMAGE}}]}]},
            "invalid_parameter",
        ),
        ("ollama", {"keep_alive": -1}, "invalid_parameter"),
        ("ollama", {"options": {"num_gpu": 9}}, "invalid_parameter"),
        ("ollama", {"options": {"num_ctx": 9_000}}, None),
    ],
    ids=str,
)
def test_a_request_that_costs_more_or_reaches_further_is_refused(
    name: ApiProtocol, extra: dict[str, Any], code: str | None
) -> None:
    """Tools of the provider, stored things, files, addresses, other models, more than one reply."""
    request = CONVERSATIONS[name] | extra
    if code is None:
        read = PROTOCOLS[name].read(request, "mine")
        assert read == {key: value for key, value in request.items() if value is not None}
        return
    with pytest.raises(RequestRefused) as refused:
        PROTOCOLS[name].read(request, "mine")
    assert refused.value.code == code


@pytest.mark.parametrize("name", NAMES)
def test_a_field_that_nobody_knows_is_refused_by_its_name(name: ApiProtocol) -> None:
    """A list of what is allowed also holds for what a provider adds tomorrow."""
    with pytest.raises(RequestRefused, match="`new_toy` is not forwarded"):
        PROTOCOLS[name].read({**CONVERSATIONS[name], "new_toy": {"x": 1}}, "mine")


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("chat", {"model": None, "Model": "dearer"}),
        ("chat", {"maxTokens": 1}),
        ("chat", {"MAX_TOKENS": 1}),
        ("responses", {"maxOutputTokens": 1}),
        ("messages", {"maxTokens": 1}),
        ("ollama", {"Model": "dearer"}),
        ("ollama", {"options": {"numPredict": 1}}),
    ],
    ids=str,
)
def test_another_spelling_of_a_field_is_another_field(
    name: ApiProtocol, extra: dict[str, Any]
) -> None:
    """Servers that take it would read another model, and no limit that we have set."""
    with pytest.raises(RequestRefused, match="is not forwarded"):
        PROTOCOLS[name].read(CONVERSATIONS[name] | extra, "mine")


def test_either_spelling_of_google_is_sent_as_one() -> None:
    """So every limit is where it is looked for; the JSON of others stays as it is."""
    call = {"function_call": {"name": "f", "args": {"max_output_tokens": 1}}}
    given = {
        "contents": [{"role": "model", "parts": [call]}],
        "generation_config": {"max_output_tokens": 9},
        "tools": [{"function_declarations": [{"name": "f"}]}],
    }

    assert PROTOCOLS["gemini"].read(given, "mine") == {
        "contents": [{"role": "model", "parts": [{"functionCall": call["function_call"]}]}],
        "generationConfig": {"maxOutputTokens": 9},
        "tools": [{"functionDeclarations": [{"name": "f"}]}],
    }
    limits: list[dict[str, Any]] = [
        {"generationConfig": {}, "generation_config": {}},
        {"generationConfig": {"maxOutputTokens": 1, "max_output_tokens": 9}},
    ]
    for twice in limits:
        with pytest.raises(RequestRefused, match="is there twice"):
            PROTOCOLS["gemini"].read({**CONVERSATIONS["gemini"], **twice}, "mine")


def test_what_a_provider_adds_to_its_replies_is_left_out() -> None:
    """The conversation goes on, and only the allowed fields are repeated."""
    block = {"type": "thinking", "thinking": "…", "signature": "s", "new_toy": 1}
    request = {"messages": [{"role": "assistant", "content": [block]}]}
    read = PROTOCOLS["messages"].read(request, "mine")

    assert read["messages"][0]["content"] == [
        {"type": "thinking", "thinking": "…", "signature": "s"}
    ]


@pytest.mark.parametrize(
    ("name", "given", "capped", "limit"),
    [
        ("chat", {}, {"max_tokens": 100}, 100),
        ("chat", {"max_tokens": 9_999}, {"max_tokens": 100}, 100),
        ("chat", {"max_completion_tokens": 7}, {"max_tokens": 7}, 7),
        ("chat", {"max_tokens": None, "max_completion_tokens": 9_999}, {"max_tokens": 100}, 100),
        ("responses", {}, {"max_output_tokens": 100}, 100),
        ("messages", {"max_tokens": 9_999}, {"max_tokens": 100}, 100),
        ("gemini", {}, {"generationConfig": {"maxOutputTokens": 100}}, 100),
        (
            "gemini",
            {"generationConfig": {"maxOutputTokens": 9_999}},
            {"generationConfig": {"maxOutputTokens": 100}},
            100,
        ),
        ("ollama", {"options": {"num_predict": -1}}, {"options": {"num_predict": 100}}, 100),
        (
            "ollama",
            {"options": {"num_ctx": 10_000_000}},
            {"options": {"num_ctx": 4_000, "num_predict": 100}},
            100,
        ),
    ],
)
def test_a_reply_is_capped(
    name: ApiProtocol, given: dict[str, Any], capped: dict[str, Any], limit: int
) -> None:
    """In the field that the server reads, whatever the page asks for; and so is Ollama's memory."""
    assert PROTOCOLS[name].capped(given, 100, 4_000) == (capped, limit)


def test_the_owner_of_a_server_in_development_asks_for_any_reply() -> None:
    """In either of the fields, and the limit of the page is still what is reserved."""
    asked = {"max_completion_tokens": 7}

    assert PROTOCOLS["chat"].capped({}, None, 4_000) == ({}, None)
    assert PROTOCOLS["chat"].capped(asked, None, 4_000) == (asked, 7)


@pytest.mark.parametrize("given", [-1, 0, "9", True, 1.5, [], 1 << 50])
def test_a_cap_that_is_no_number_is_refused(given: Any) -> None:
    """Nobody gets a longer reply by a value that only the provider reads as one."""
    with pytest.raises(RequestRefused, match="`max_tokens` is not a number"):
        PROTOCOLS["messages"].capped({"max_tokens": given}, 100, 4_000)
    with pytest.raises(RequestRefused, match="`num_ctx` is not a number"):
        PROTOCOLS["ollama"].capped({"options": {"num_ctx": given}}, 100, 4_000)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("given", [{}, {"messages": "hello", "contents": {}, "input": 5}])
def test_a_request_without_a_conversation_is_refused(
    name: ApiProtocol, given: dict[str, Any]
) -> None:
    """The error names the field."""
    with pytest.raises(RequestRefused, match=f"`{PROTOCOLS[name].needed}`"):
        PROTOCOLS[name].read(given, "mine")


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
        count = counted(name)
        kind = LineUsage if name == "ollama" else EventUsage
        counter = kind(count)
        for chunk in (body[:cut], body[cut:].rstrip(b"\n")):
            counter.feed(chunk)
        counter.end()

        assert count.counted == usage


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_without_a_count_is_estimated(name: ApiProtocol) -> None:
    """By what came; one that was cut by the longest reply, since its rest may be paid for, too."""
    first = {
        "chat": {"choices": [{"delta": {"content": "word " * 60}}]},
        "responses": {"type": "response.output_text.delta", "delta": "word " * 60},
        "messages": {"type": "content_block_delta", "delta": {"text": "word " * 60}},
        "gemini": {"candidates": [{"content": {"parts": [{"text": "word " * 60}]}}]},
        "ollama": {"message": {"content": "word " * 60}, "done": False},
    }
    count = counted(name)
    kind = LineUsage if name == "ollama" else EventUsage
    counter = kind(count)
    counter.feed(json.dumps(first[name]).encode() + b"\n" if name == "ollama" else sse(first[name]))
    counter.end()

    assert count.usage(whole=True).prompt == 10
    assert 100 <= count.usage(whole=True).completion < 200
    assert count.usage(whole=False) == Usage(10, 500)
    count.estimate("word " * 1_000)
    assert count.usage(whole=False).completion > 1_000


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
    count = counted(name)
    counter = BodyUsage(count)
    counter.feed(json.dumps(data).encode())
    counter.end()

    assert count.usage(whole=True).completion >= 0


DATA = "A" * 1_000_000
PICTURES: dict[str, dict[str, Any]] = {
    "chat": {
        "messages": [
            USER
            | {
                "content": [
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}
                ]
            }
        ]
    },
    "responses": {
        "input": [
            USER
            | {"content": [{"type": "input_image", "image_url": f"data:image/png;base64,{DATA}"}]}
        ]
    },
    "messages": {
        "messages": [
            USER
            | {
                "content": [
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": DATA},
                    }
                ]
            }
        ]
    },
    "gemini": {
        "contents": [USER | {"parts": [{"inline_data": {"mime_type": "image/png", "data": DATA}}]}]
    },
    "ollama": {"messages": [USER | {"content": "see", "images": [DATA]}]},
}


def estimated(name: ApiProtocol, request: dict[str, Any]) -> int:
    read = PROTOCOLS[name].read(request, "mine")
    pictures = [text for text in texts_in(read) if isinstance(text, Picture)]
    return tokens_of(json.dumps(read, ensure_ascii=False), pictures)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_count_as_pictures(name: ApiProtocol) -> None:
    """A screenshot of a megabyte is not a million characters of text."""
    assert 1_500 <= estimated(name, PICTURES[name]) < 2_000


@pytest.mark.parametrize("text", [DATA, f"data:image/png;base64,{DATA}"])
@pytest.mark.parametrize("name", NAMES)
def test_a_text_that_looks_like_a_picture_counts_as_text(name: ApiProtocol, text: str) -> None:
    """The model reads every token of it."""
    request = json.loads(json.dumps(CONVERSATIONS[name]).replace("hello", text))

    assert estimated(name, request) > 300_000
    assert tokens_of("本" * 300, []) == 300


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("messages", '"image/png"', '"application/pdf"'),
        ("gemini", '"image/png"', '"text/plain"'),
        ("gemini", '"AAAA', '"many words, '),
        ("ollama", '"AAAA', '"many words, '),
    ],
)
def test_a_file_is_not_a_picture(name: ApiProtocol, old: str, new: str) -> None:
    """A provider reads a whole book in one."""
    request = json.loads(json.dumps(PICTURES[name]).replace(old, new))
    with pytest.raises(RequestRefused, match="image"):
        PROTOCOLS[name].read(request, "mine")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "gemini"])
@pytest.mark.parametrize("value", [1, "true", [True]])
def test_a_stream_is_asked_for_by_true_alone(name: ApiProtocol, value: Any) -> None:
    """A server that reads more as true would stream, and report no tokens."""
    with pytest.raises(RequestRefused, match="`stream` is not forwarded - it is neither true"):
        PROTOCOLS[name].read({**CONVERSATIONS[name], "stream": value}, "mine")
    if name == "chat":
        options = {"stream_options": {"include_usage": value}}
        with pytest.raises(RequestRefused, match="`include_usage` is not forwarded"):
            PROTOCOLS[name].read({**CONVERSATIONS[name], **options}, "mine")


def test_a_count_of_the_conversation_alone_is_completed_by_an_estimate() -> None:
    """Some providers count the conversation first, and the reply at its end."""
    count = counted("chat")
    count.counted = Usage(100)
    count.estimate("r" * 30)

    assert count.usage(whole=True) == Usage(100, 10)
    assert count.usage(whole=False) == Usage(100, 500)


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
