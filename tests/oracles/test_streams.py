"""Streams of providers, read by the official packages and by our clients."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.conversations import CONVERSATIONS
from tests.oracles.packages import comparable, understood
from tests.oracles.readers import KEY, event_type, read
from tests.oracles.server import Answer, Asked, ByteServer
from tests.oracles.streams import ERRORS, STREAMS, Stream
from webagent import llm
from webagent.llm import (
    ContentFiltered,
    CutStream,
    HttpxFetch,
    Message,
    ModelError,
    Overloaded,
    Reply,
    Role,
    ScriptedAnswer,
    ScriptedFetch,
)

ASKED = CONVERSATIONS["parallel calls"]
SHORT = CONVERSATIONS["tools"]
"""For tests with thousands of requests."""
CUT = {kind: streams.get("a call", streams["words and calls"]) for kind, streams in STREAMS.items()}
"""The streams that are cut at every byte."""
BASES = {"OllamaModel": "/api"}

EACH = pytest.mark.parametrize("kind", STREAMS)
EACH_STREAM = pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, streams in STREAMS.items() for name in streams]
)


@pytest.fixture(name="server", scope="module")
def _server() -> Iterator[ByteServer]:
    with ByteServer() as server:
        yield server


@pytest_asyncio.fixture(name="fetch")
async def _fetch() -> AsyncIterator[HttpxFetch]:
    async with HttpxFetch() as fetch:
        yield fetch


def client(kind: str, origin: str, fetch: Any) -> Any:
    base = origin + BASES.get(kind, "/v1")
    options = {"openai_fields": True} if kind == "OpenAIModel" else {}
    return getattr(llm, kind)(base, "m", fetch, api_key=KEY, **options)


async def ask(kind: str, origin: str, fetch: Any, **options: Any) -> Reply:
    model = client(kind, origin, fetch)
    reply: Reply = await model.reply(ASKED.messages, ASKED.tools, **options)
    return reply


async def reply_in(kind: str, *pieces: bytes | Exception) -> Reply:
    """Return the reply that a client reads from these bytes."""
    model = client(kind, "http://h", ScriptedFetch(ScriptedAnswer(pieces)))
    reply: Reply = await model.reply(SHORT.messages, SHORT.tools)
    return reply


def key_header(asked: Asked) -> tuple[str, str]:
    """Return the only header that has the key, and its value."""
    (found,) = ((name, value) for name, value in asked.headers.items() if KEY in value)
    return found


def answer_of(stream: Stream) -> Answer:
    return Answer(stream.body, stream.content_type)


@EACH_STREAM
def test_events_have_the_shape_of_the_package(kind: str, name: str) -> None:
    """Each event is valid for the type that the package has for it."""
    for event in STREAMS[kind][name].events:
        if event.get("type") != "ping":
            event_type(kind).validate_python(event)


@EACH_STREAM
async def test_both_read_the_same(
    kind: str, name: str, server: ByteServer, fetch: HttpxFetch
) -> None:
    """The package and our client send the same request, and read the same from the same bytes."""
    stream = STREAMS[kind][name]
    server.answer = answer_of(stream)
    heard: list[str] = []
    reply = None

    if stream.error is None:
        reply = await ask(kind, server.origin, fetch, on_text=heard.append)
    else:
        with pytest.raises(stream.error) as caught:
            await ask(kind, server.origin, fetch, on_text=heard.append)
        assert stream.refusal in str(caught.value)
    ours = server.requests[-1]
    found = await read(kind, server.origin + BASES.get(kind, "/v1"), ours.body)
    theirs = server.requests[-1]

    assert theirs is not ours
    assert theirs.target == ours.target
    assert comparable(kind, theirs.body) == comparable(kind, ours.body)
    assert key_header(theirs) == (
        # The API takes both; its documentation names `x-api-key` alone.
        ("authorization", f"Bearer {KEY}") if kind == "AnthropicModel" else key_header(ours)
    )
    assert theirs.headers.get("anthropic-version") == ours.headers.get("anthropic-version")
    assert (found.text, found.usage, found.finish, found.refusal) == (
        (stream.text, stream.usage, stream.finish, stream.refusal)
    )
    calls = [(f"call_{called}", called, arguments) for called, arguments in stream.calls]
    if kind == "AnthropicModel":
        calls = [(number.replace("call_", "toolu_"), *rest) for number, *rest in calls]
    assert found.calls == calls
    assert "".join(heard) == stream.text
    if reply is not None:
        own = {"shop_search": "shop.search", "cart_add": "cart.add", "refresh": "refresh"}
        assert [(call.id, call.name, call.arguments) for call in reply.calls] == [
            (number, own[called], arguments) for number, called, arguments in calls
        ]
        assert (reply.text, reply.usage) == (stream.text, stream.usage)


@EACH
async def test_bytes_may_be_split_anywhere(kind: str) -> None:
    """In two pieces, split at any byte, the reply is that of the whole."""
    body = CUT[kind].body
    whole = await reply_in(kind, body)

    for cut in range(len(body)):
        assert await reply_in(kind, body[:cut], body[cut:]) == whole


@EACH
async def test_a_stream_that_ends_anywhere(kind: str) -> None:
    """It is cut until its protocol says that the reply is finished, and whole from then on."""
    body = CUT[kind].body
    whole = await reply_in(kind, body)
    ends = []

    for cut in range(len(body) + 1):
        try:
            reply = await reply_in(kind, body[:cut])
        except CutStream:
            assert not ends
        else:
            ends.append(cut)
            assert (reply.text, reply.calls, reply.replay) == (
                whole.text,
                whole.calls,
                whole.replay,
            )

    assert ends[-1] == len(body)


ODD = (None, True, 7, -1.5, "x", [], [[]], {}, {"type": []}, [{"text": 1}])
"""Values that a provider would not send there."""


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each object or list with each of its keys."""
    if isinstance(data, dict | list):
        for key in list(data) if isinstance(data, dict) else range(len(data)):
            yield data, key
            yield from places(data[key])


@EACH
@settings(deadline=None, max_examples=100)
@given(data=st.data())
async def test_odd_values_are_a_reply_or_a_model_error(kind: str, data: st.DataObject) -> None:
    """Whatever is in the place of one value or two, nothing else is raised."""
    stream = STREAMS[kind]["words and calls"]
    events = copy.deepcopy(list(stream.events))
    for _ in range(data.draw(st.integers(1, 2))):
        found = list(places(events))
        inside, key = found[data.draw(st.integers(0, len(found) - 1))]
        inside[key] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
    texts = [json.dumps(event) for event in events]
    body = "".join(f"{text}\n" if kind == "OllamaModel" else f"data: {text}\n\n" for text in texts)

    try:
        reply = await reply_in(kind, body.encode())
    except ModelError:
        return
    said = Message(Role.ASSISTANT, reply.text, reply.calls, replay=reply.replay)
    results = [Message(Role.TOOL, "ok", call_id=call.id) for call in reply.calls]
    fetch = ScriptedFetch(ScriptedAnswer("", 500))
    with pytest.raises(Overloaded):
        await client(kind, "http://h", fetch).reply([*SHORT.messages, said, *results], SHORT.tools)


@EACH
async def test_a_connection_that_breaks_anywhere(kind: str) -> None:
    """A lost connection is the same as an early end."""
    body = STREAMS[kind]["words"].body
    lost = llm.ConnectionLost("reset")

    for cut in range(0, len(body), 7):
        try:
            reply = await reply_in(kind, body[:cut], lost)
        except CutStream as error:
            assert error.retryable  # noqa: PT017
        else:
            assert reply.text == STREAMS[kind]["words"].text


@EACH
async def test_an_error_in_the_middle(kind: str, server: ByteServer, fetch: HttpxFetch) -> None:
    """An error instead of the next event is raised by the package and by our client."""
    event, error = ERRORS[kind]
    stream = STREAMS[kind]["words"]
    begun = Stream(kind, [*stream.events[:3], event])
    if kind == "OllamaModel":
        begun = Stream(kind, [stream.events[0], event])
    server.answer = answer_of(begun)

    with pytest.raises(error):
        await ask(kind, server.origin, fetch)
    with pytest.raises(Exception, match=r"again|verloaded|error"):
        await read(kind, server.origin + BASES.get(kind, "/v1"), server.requests[-1].body)


@pytest.mark.parametrize("kind", [kind for kind in STREAMS if kind != "OllamaModel"])
async def test_a_refusal_of_the_model(kind: str) -> None:
    """It is an error that asking again does not help, and not a reply; so is a filter."""
    for name in ("a refusal", "a filter"):
        with pytest.raises(ContentFiltered) as caught:
            await reply_in(kind, STREAMS[kind][name].body)
        assert not caught.value.retryable


@EACH
async def test_a_reply_is_repeated_as_it_came(
    kind: str, server: ByteServer, fetch: HttpxFetch
) -> None:
    """Reasoning, signatures and ids are sent again unchanged, before the results of the calls."""
    stream = STREAMS[kind]["words and calls"]
    server.answer = answer_of(stream)
    reply = await ask(kind, server.origin, fetch)
    said = Message(Role.ASSISTANT, reply.text, reply.calls, replay=reply.replay)
    results = [Message(Role.TOOL, "found", call_id=call.id) for call in reply.calls]

    await client(kind, server.origin, fetch).reply([*ASKED.messages, said, *results], ASKED.tools)
    body = server.requests[-1].body

    assert understood(kind, body) == body
    if kind == "OpenAIModel":
        assert reply.replay is None
        return
    assert reply.replay is not None
    listed = body[{"ResponsesModel": "input", "GeminiModel": "contents"}.get(kind, "messages")]
    key = {"AnthropicModel": "content", "GeminiModel": "parts"}.get(kind)
    repeated = listed[-2][key] if key else listed[-2 - len(reply.replay.blocks) : -2]
    assert repeated == list(reply.replay.blocks)
    secrets = {
        "ResponsesModel": ["gAAAAABo-encrypted=="],
        "AnthropicModel": ["EqQBCgIYAhIM+signature/==", "EmwKAhgBEgy+redacted/=="],
        "GeminiModel": ["c2lnbmF0dXJlMg=="],
        "OllamaModel": ["They want books."],
    }
    assert all(str(repeated).count(secret) == 1 for secret in secrets[kind])


@EACH
async def test_the_reply_of_another_model_is_not_repeated(kind: str) -> None:
    """Its words and calls are sent instead, with what else the API needs."""
    stream = STREAMS[kind]["words and calls"]
    reply = await reply_in(kind, stream.body)
    said = Message(Role.ASSISTANT, reply.text, reply.calls, replay=reply.replay)
    asked = ScriptedFetch(ScriptedAnswer("", 500))
    other = getattr(llm, kind)("http://h", "other", asked)

    with pytest.raises(ModelError):
        await other.reply([*ASKED.messages, said], ASKED.tools)

    sent = asked.requests[0].body.decode()
    assert "I look." in sent
    for secret in ("encrypted==", "signature/==", "c2lnbmF0dXJlMg==", "They want"):
        assert secret not in sent
