"""Refusals of providers, read by the official packages and by our clients; and requests given up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from tests.oracles.readers import KEY, read
from tests.oracles.server import Answer, ByteServer
from tests.oracles.streams import STREAMS, Stream
from webagent import llm
from webagent.llm import HttpxFetch, Message, ModelError, Role

BASES = {"OllamaModel": "/api"}
HELLO = [Message(Role.USER, "hello")]

Json = dict[str, Any]


def _openai(message: str, code: str | None = None, type_: str = "invalid_request_error") -> Json:
    return {"error": {"message": message, "type": type_, "param": None, "code": code}}


def _anthropic(type_: str, message: str) -> Json:
    return {"type": "error", "error": {"type": type_, "message": message}, "request_id": "req_1"}


def _gemini(code: int, status: str, message: str, *details: Json) -> Json:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


_OPENAI = [
    (401, _openai(f"Incorrect API key provided: {KEY}.", "invalid_api_key"), "credentials_refused"),
    (403, _openai("Your project may not use this model.", "model_not_found"), "credentials_refused"),
    (404, _openai("The model `m` does not exist.", "model_not_found"), "bad_request"),
    (429, _openai("Rate limit reached on tokens per min. Please try again in 1.2s.",
                  "rate_limit_exceeded", "tokens"), "rate_limited"),
    (429, _openai("You exceeded your current quota.", "insufficient_quota", "insufficient_quota"),
     "quota_exhausted"),
    (400, _openai("Your input exceeds the context window of this model.",
                  "context_length_exceeded"), "context_too_long"),
    (400, _openai("Invalid prompt: it was flagged.", "invalid_prompt"), "content_filtered"),
    (400, _openai("Unknown parameter: 'x'."), "bad_request"),
    (500, _openai("The server had an error.", None, "server_error"), "overloaded"),
    (503, _openai("The engine is overloaded.", None, "server_error"), "overloaded"),
]  # fmt: skip

REFUSALS: dict[str, list[tuple[int, Json, str]]] = {
    "OpenAIModel": _OPENAI,
    "ResponsesModel": _OPENAI,
    "AnthropicModel": [
        (401, _anthropic("authentication_error", f"invalid x-api-key {KEY}"), "credentials_refused"),
        (402, _anthropic("billing_error", "There is a problem with the billing."),
         "quota_exhausted"),
        (400, _anthropic("invalid_request_error", "Your credit balance is too low."),
         "quota_exhausted"),
        (403, _anthropic("permission_error", "This key may not do that."), "credentials_refused"),
        (404, _anthropic("not_found_error", "model: m"), "bad_request"),
        (400, _anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000"),
         "context_too_long"),
        (400, _anthropic("invalid_request_error", "input length and `max_tokens` exceed context "
                         "limit: 190000 + 20000 > 200000"), "context_too_long"),
        (413, _anthropic("request_too_large", "Request exceeds the maximum size"),
         "context_too_long"),
        (429, _anthropic("rate_limit_error", "This request would exceed the rate limit for input "
                         "tokens"), "rate_limited"),
        (500, _anthropic("api_error", "Internal server error"), "overloaded"),
        (504, _anthropic("timeout_error", "The request timed out"), "timeout"),
        (529, _anthropic("overloaded_error", "Overloaded"), "overloaded"),
    ],
    "GeminiModel": [
        (400, _gemini(400, "INVALID_ARGUMENT", f"API key not valid: {KEY}.",
                      {"@type": "type.googleapis.com/google.rpc.ErrorInfo",
                       "reason": "API_KEY_INVALID"}), "credentials_refused"),
        (403, _gemini(403, "PERMISSION_DENIED", "The caller has no permission."),
         "credentials_refused"),
        (404, _gemini(404, "NOT_FOUND", "models/m is not found."), "bad_request"),
        (400, _gemini(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the "
                      "maximum number of tokens allowed (1048576)."), "context_too_long"),
        (429, _gemini(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.",
                      {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s"}),
         "rate_limited"),
        (429, _gemini(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota."),
         "quota_exhausted"),
        (500, _gemini(500, "INTERNAL", "An internal error has occurred."), "overloaded"),
        (503, _gemini(503, "UNAVAILABLE", "The model is overloaded."), "overloaded"),
        (504, _gemini(504, "DEADLINE_EXCEEDED", "The deadline expired."), "timeout"),
    ],
    "OllamaModel": [
        (400, {"error": "m does not support tools"}, "bad_request"),
        (401, {"error": f"unauthorized {KEY}"}, "credentials_refused"),
        (404, {"error": "model 'm' not found"}, "bad_request"),
        (429, {"error": "you have reached your hourly usage limit"}, "rate_limited"),
        (500, {"error": "llama runner process has terminated"}, "overloaded"),
        (503, {"error": "server busy, please try again. maximum pending requests exceeded"},
         "overloaded"),
    ],
}  # fmt: skip
"""Status, body and the kind of our error."""

EACH = pytest.mark.parametrize("kind", REFUSALS)


@pytest.fixture(name="server", scope="module")
def _server() -> Iterator[ByteServer]:
    with ByteServer() as server:
        yield server


@pytest_asyncio.fixture(name="fetch")
async def _fetch() -> AsyncIterator[HttpxFetch]:
    async with HttpxFetch() as fetch:
        yield fetch


def client(kind: str, origin: str, fetch: Any) -> Any:
    return getattr(llm, kind)(origin + BASES.get(kind, "/v1"), "m", fetch, api_key=KEY)


@pytest.mark.parametrize(
    ("kind", "number"),
    [(kind, number) for kind, refusals in REFUSALS.items() for number in range(len(refusals))],
)
async def test_a_refusal(kind: str, number: int, server: ByteServer, fetch: HttpxFetch) -> None:
    """The package raises an error of that status, and our client the kind that says what to do."""
    status, body, expected = REFUSALS[kind][number]
    server.answer = Answer(json.dumps(body).encode(), status=status)

    with pytest.raises(ModelError) as ours:
        await client(kind, server.origin, fetch).reply(HELLO, [])
    with pytest.raises(Exception) as theirs:
        await read(kind, server.origin + BASES.get(kind, "/v1"), server.requests[-1].body)

    assert (ours.value.kind, ours.value.status) == (expected, status)
    assert KEY not in str(ours.value)
    assert getattr(theirs.value, "status_code", getattr(theirs.value, "code", None)) == status


@EACH
@pytest.mark.parametrize("headers", [{"retry-after": "7"}, {"retry-after-ms": "7000"}])
async def test_when_to_ask_again(
    kind: str, headers: dict[str, str], server: ByteServer, fetch: HttpxFetch
) -> None:
    """The header of a rate limit says after how many seconds."""
    body = next(body for status, body, kind_ in REFUSALS[kind] if kind_ == "rate_limited")
    server.answer = Answer(json.dumps(body).encode(), status=429, headers=headers)

    with pytest.raises(llm.RateLimited) as caught:
        await client(kind, server.origin, fetch).reply(HELLO, [])

    assert (caught.value.retryable, caught.value.retry_after_s) == (True, 7.0)


@EACH
async def test_an_abort_ends_the_request(kind: str, server: ByteServer, fetch: HttpxFetch) -> None:
    """Cancelling the task that waits closes the connection while the stream goes on."""
    stream = STREAMS[kind]["words"]
    half = Stream(kind, stream.events[:-2] or stream.events).body.removesuffix(b"data: [DONE]\n\n")
    server.answer = Answer(half, stream.content_type, held=True)
    heard = asyncio.Event()
    asked = client(kind, server.origin, fetch).reply(HELLO, [], on_text=lambda _: heard.set())
    task = asyncio.create_task(asked)
    await heard.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(server.wait_for_abort)
