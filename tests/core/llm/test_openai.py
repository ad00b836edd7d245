"""Chat completions over a real connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from tests.model_server import (
    ModelServer,
    Turn,
    asks,
    breaks,
    cut,
    events,
    held,
    limited,
    piece,
    refuses,
    results_of,
    says,
)

from webagent.llm import (
    BadRequest,
    ConnectionLost,
    CredentialsRefused,
    CutStream,
    HttpxFetch,
    Limits,
    Message,
    OpenAIModel,
    Overloaded,
    RateLimited,
    Role,
    ScriptedFetch,
    ScriptedModel,
    TimedOut,
    ToolCall,
    ToolDefinition,
    UnreadableAnswer,
    Usage,
)

ASKED = [Message(Role.SYSTEM, "be short"), Message(Role.USER, "hello")]
SEARCH = ToolDefinition("shop.search", "finds books", {"type": "object", "properties": {}})


@pytest.fixture(name="server")
def _server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest_asyncio.fixture(name="fetch")
async def _fetch() -> AsyncIterator[HttpxFetch]:
    async with HttpxFetch() as fetch:
        yield fetch


def model_of(server: ModelServer, fetch: HttpxFetch, **options: Any) -> OpenAIModel:
    return OpenAIModel(server.url, "scripted-1", fetch, **options)


async def test_words_come_in_pieces_and_as_a_whole(server: ModelServer, fetch: HttpxFetch) -> None:
    """A streamed text is heard as it comes, and returned with usage and the model's name."""
    server.add(says("Grüße, 世界 🌍!", prompt=50, completion=7, cached=40))
    heard: list[str] = []

    reply = await model_of(server, fetch).reply(ASKED, [], on_text=heard.append)

    assert reply.text == "".join(heard) == "Grüße, 世界 🌍!"
    assert len(heard) > 1
    assert (reply.usage, reply.model) == (Usage(50, 7, 40), "scripted-1")


async def test_the_request(server: ModelServer, fetch: HttpxFetch) -> None:
    """The request has the model, the messages, the tools under safe names, and what was given."""
    server.add(says("ok"))
    model = model_of(
        server,
        fetch,
        api_key="key-1",
        headers={"X-Page-Token": "page-1"},
        params={"temperature": 0, "stream_options": None},
    )

    await model.reply(ASKED, [SEARCH])

    asked = server.requests[0]
    assert asked.headers["authorization"] == "Bearer key-1"
    assert asked.headers["x-page-token"] == "page-1"
    assert asked.body == {
        "model": "scripted-1",
        "messages": [
            {"role": "system", "content": "be short"},
            {"role": "user", "content": "hello"},
        ],
        "stream": True,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "shop_search",
                    "description": "finds books",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "temperature": 0,
    }


async def test_a_lone_surrogate_reaches_the_model_by_its_name(
    server: ModelServer, fetch: HttpxFetch
) -> None:
    """A text of the page that UTF-8 cannot encode is neither refused nor replaced."""
    server.add(says("ok"))

    await model_of(server, fetch).reply([Message(Role.USER, "a \ud83d b 🌍")], [])

    assert server.requests[0].body["messages"][0]["content"] == "a \\ud83d b 🌍"


async def test_a_tool_choice_is_sent_under_its_safe_name(
    server: ModelServer, fetch: HttpxFetch
) -> None:
    """Next to all tools; a tool that is not offered cannot be chosen."""
    server.add(says("ok"))
    model = model_of(server, fetch)
    other = ToolDefinition("other", "does more", {"type": "object"})

    await model.reply(ASKED, [SEARCH, other], tool_choice=SEARCH.name)
    with pytest.raises(ValueError, match="`third` is not one of the tools"):
        await model.reply(ASKED, [SEARCH, other], tool_choice="third")

    (asked,) = server.requests
    assert asked.body["tool_choice"] == {"type": "function", "function": {"name": "shop_search"}}
    assert len(asked.body["tools"]) == 2


async def test_a_model_that_cannot_be_forced_gets_the_one_tool() -> None:
    """Then it has no other choice; the scripted model keeps what was asked of it."""
    model = ScriptedModel("ok", "ok")
    other = ToolDefinition("other", "does more", {"type": "object"})

    await model.reply(ASKED, [SEARCH, other], tool_choice="other")
    await model.reply(ASKED, [SEARCH, other])

    assert model.tools == [[other], [SEARCH, other]]
    assert model.tool_choices == ["other", None]


async def test_without_a_key_none_is_sent(server: ModelServer, fetch: HttpxFetch) -> None:
    """In a page the server holds the key: no header stands for it."""
    server.add(says("ok"))

    await model_of(server, fetch).reply(ASKED, [])

    assert "authorization" not in server.requests[0].headers


async def test_calls_under_their_own_names(server: ModelServer, fetch: HttpxFetch) -> None:
    """Calls come in fragments and have the names that the tools have here."""
    server.add(asks(("shop_search", {"query": "Tolkien ☕"}), ("made_up", {}), text="I look"))

    reply = await model_of(server, fetch).reply(ASKED, [SEARCH])

    assert reply.text == "I look"
    assert reply.calls == (
        ToolCall("call_0_shop_search", "shop.search", {"query": "Tolkien ☕"}),
        ToolCall("call_1_made_up", "made_up"),
    )


async def test_a_tool_error_and_the_recovery(server: ModelServer, fetch: HttpxFetch) -> None:
    """The model sees the answers to its calls, and may ask otherwise."""

    def recover(body: dict[str, Any]) -> Turn:
        assert results_of(body) == ["error: no such parameter"]
        return asks(("shop_search", {"query": "b"}))

    server.add(asks(("shop_search", {"q": "b"})), recover)
    model = model_of(server, fetch)
    first = await model.reply(ASKED, [SEARCH])
    answer = Message(Role.TOOL, "error: no such parameter", call_id=first.calls[0].id)
    said = Message(Role.ASSISTANT, first.text, first.calls)

    second = await model.reply([*ASKED, said, answer], [SEARCH])

    assert second.calls[0].arguments == {"query": "b"}
    assert server.requests[1].body["messages"][2] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_0_shop_search",
                "type": "function",
                "function": {"name": "shop_search", "arguments": '{"q": "b"}'},
            }
        ],
    }


async def test_a_limit_says_when_to_ask_again(server: ModelServer, fetch: HttpxFetch) -> None:
    """429 is retryable, and says after how many seconds."""
    server.add(limited("7"))

    with pytest.raises(RateLimited, match="slow down") as caught:
        await model_of(server, fetch).reply(ASKED, [])

    assert (caught.value.retryable, caught.value.retry_after_s) == (True, 7.0)


@pytest.mark.parametrize(
    ("turn", "error"),
    [
        (refuses(500), Overloaded),
        (refuses(401, "no key"), CredentialsRefused),
        (refuses(404, "no such model"), BadRequest),
        (Turn(b"<!doctype html><p>hello", 200), UnreadableAnswer),
        (Turn(b'{"hello": 1}', 200), UnreadableAnswer),
        (Turn(b"data: {nonsense\n\n", 200), UnreadableAnswer),
        (Turn(b"", 200), CutStream),
        (Turn(b"", 307, {"location": "http://127.0.0.1:9/"}), BadRequest),
        (breaks("I was", {"message": "no capacity", "code": 503}), Overloaded),
        (cut(), CutStream),
        (Turn(events(piece({"content": "half"}))), CutStream),
    ],
)
async def test_failures(
    turn: Turn, error: type[Exception], server: ModelServer, fetch: HttpxFetch
) -> None:
    """Each way to fail is an error of its own."""
    server.add(turn)

    with pytest.raises(error):
        await model_of(server, fetch).reply(ASKED, [])


async def test_a_cut_after_the_end_does_not_count(server: ModelServer, fetch: HttpxFetch) -> None:
    """A reply that said that it is finished is whole, whatever comes of the connection."""
    server.add(Turn(events(piece({"content": "all"}), piece({}, "stop")) + b"data", ending="cut"))

    assert (await model_of(server, fetch).reply(ASKED, [])).text == "all"


async def test_the_key_is_not_repeated(server: ModelServer, fetch: HttpxFetch) -> None:
    """A server that says which key is wrong does not bring it into logs."""
    server.add(refuses(401, "Incorrect API key provided: key-12345, page-6789"))
    model = model_of(server, fetch, api_key="key-12345", headers={"x-page": "page-6789"})

    with pytest.raises(CredentialsRefused, match="provided: •••, •••`") as caught:
        await model.reply(ASKED, [])

    assert caught.value.status == 401


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://h/v1", "http://h/v1/chat/completions"),
        (" http://h/v1/ ", "http://h/v1/chat/completions"),
        ("/llm/v1/chat/completions", "/llm/v1/chat/completions"),
        ("http://h/d/m?api-version=2", "http://h/d/m/chat/completions?api-version=2"),
    ],
)
async def test_addresses(base_url: str, url: str) -> None:
    """An address may be whole, a path, or have a query; the way to completions is added once."""
    fetch = ScriptedFetch('{"choices": [{"message": {"content": "hi"}}]}')

    assert (await OpenAIModel(base_url, "m", fetch).reply(ASKED, [])).text == "hi"
    assert fetch.requests[0].url == url


async def test_an_abort_ends_the_request(server: ModelServer, fetch: HttpxFetch) -> None:
    """Cancelling the task that waits closes the connection."""
    server.add(held("thinking"))
    heard = asyncio.Event()
    model = model_of(server, fetch)
    task = asyncio.create_task(model.reply(ASKED, [], on_text=lambda _: heard.set()))
    await heard.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(server.wait_for_abort)


async def test_silence_is_given_up(server: ModelServer, fetch: HttpxFetch) -> None:
    """A server that falls silent is given up after the idle time."""
    server.add(held())

    with pytest.raises(TimedOut, match=r"said nothing for 0\.05 s"):
        await model_of(server, fetch, limits=Limits(idle_s=0.05)).reply(ASKED, [])


async def test_the_whole_has_a_limit(server: ModelServer, fetch: HttpxFetch) -> None:
    """A reply that takes too long as a whole is given up."""
    server.add(held())

    with pytest.raises(TimedOut, match=r"did not finish within 0\.05 s"):
        await model_of(server, fetch, limits=Limits(whole_s=0.05)).reply(ASKED, [])


async def test_nobody_listens(fetch: HttpxFetch) -> None:
    """Without a server there is no connection, which may come back."""
    with ModelServer() as server:
        url = server.url

    with pytest.raises(ConnectionLost, match="cannot be reached") as caught:
        await OpenAIModel(url, "m", fetch).reply(ASKED, [])

    assert caught.value.retryable


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"api_key": "a\nb"}, "`authorization` has a line break"),
        ({"headers": {"x y": "1"}}, "`x y` is not a header name"),
        ({"base_url": " "}, "an address and a model's name are needed"),
    ],
)
def test_options_that_cannot_be_sent_are_refused_at_once(options: dict[str, Any], why: str) -> None:
    """A wrong key or address is an error where it is given, not at the first request."""
    given = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "fetch": HttpxFetch(), **options}

    with pytest.raises(ValueError, match=why):
        OpenAIModel(**given)
