"""Models over HTTP from a real page: Python's side, the page's side, a real server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import Watch
from tests.e2e.llm.conftest import Bridge
from tests.model_server import ModelServer, Turn, asks, cut, events, held, limited, says
from webagent.llm import (
    BadRequest,
    BridgeFetch,
    ConnectionLost,
    CutStream,
    Message,
    ModelError,
    OpenAIModel,
    RateLimited,
    Request,
    Role,
    ToolDefinition,
    UnreadableAnswer,
)

ASKED = [Message(Role.USER, "hello")]


@pytest.fixture(name="server")
def _server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(name="model")
def _model(server: ModelServer, bridge: Bridge) -> OpenAIModel:
    return OpenAIModel(server.url, "scripted-1", BridgeFetch(bridge), headers={"x-page": "1"})


async def test_a_stream_comes_through_the_page(server: ModelServer, model: OpenAIModel) -> None:
    """Words of all alphabets, calls and usage arrive, whatever the pieces are."""
    server.add(says("Grüße, 世界 🌍!"), asks(("search", {"q": "größe 🌍"})))
    heard: list[str] = []

    said = await model.reply(ASKED, [], on_text=heard.append)
    asked = await model.reply(ASKED, [ToolDefinition("search", "", {"type": "object"})])

    assert said.text == "".join(heard) == "Grüße, 世界 🌍!"
    assert said.usage is not None
    assert asked.calls[0].arguments == {"q": "größe 🌍"}
    assert server.requests[0].headers["x-page"] == "1"
    assert "cookie" not in server.requests[0].headers


async def test_words_are_heard_before_the_end(server: ModelServer, model: OpenAIModel) -> None:
    """The stream is read while it comes, not when it is over."""
    server.add(held("first"))
    heard = asyncio.Event()
    task = asyncio.create_task(model.reply(ASKED, [], on_text=lambda _: heard.set()))

    await heard.wait()
    assert not task.done()
    server.release()

    assert (await task).text == "first"


async def test_an_abort_reaches_the_server(
    server: ModelServer, model: OpenAIModel, bridge: Bridge
) -> None:
    """Cancelling in Python closes the connection of the page."""
    server.add(held("thinking"))
    heard = asyncio.Event()
    task = asyncio.create_task(model.reply(ASKED, [], on_text=lambda _: heard.set()))
    await heard.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await bridge.settle()
    await asyncio.to_thread(server.wait_for_abort)


async def test_failures(server: ModelServer, model: OpenAIModel, watch: Watch) -> None:
    """A limit with its time, a cut stream and a server that is not a model have different errors."""
    server.add(limited("3"), cut(), Turn(b"<!doctype html>"))

    with pytest.raises(RateLimited) as caught:
        await model.reply(ASKED, [])
    assert caught.value.retry_after_s == 3.0
    with pytest.raises(CutStream):
        await model.reply(ASKED, [])
    with pytest.raises(UnreadableAnswer):
        await model.reply(ASKED, [])
    # The browser writes down the status, and that a connection broke.
    watch.errors.clear()


async def test_nobody_listens(bridge: Bridge, watch: Watch) -> None:
    """A browser says little of what failed, so that it is said what it may be."""
    with ModelServer() as server:
        url = server.url

    with pytest.raises(ConnectionLost, match="`connect-src`"):
        await OpenAIModel(url, "m", BridgeFetch(bridge)).reply(ASKED, [])
    watch.errors.clear()


async def read(bridge: Bridge, url: str) -> str:
    async with BridgeFetch(bridge).open(Request(url)) as answer:
        return b"".join([chunk async for chunk in answer.chunks]).decode()


async def test_the_own_server_gets_its_cookies(bridge: Bridge) -> None:
    """A path leads to the page's own server, which may know the person by a cookie."""
    await bridge.page.evaluate("document.cookie = 'session=1'")

    assert await read(bridge, "/cookies") == "session=1"
    await bridge.page.context.clear_cookies()


async def test_another_origin_gets_no_cookies(
    bridge: Bridge, server: ModelServer, model: OpenAIModel
) -> None:
    """Cookies know no ports; a model's server on another port gets none all the same."""
    await bridge.page.evaluate("document.cookie = 'session=1'")
    server.add(says("ok"))

    await model.reply(ASKED, [])

    assert "cookie" not in server.requests[0].headers
    await bridge.page.context.clear_cookies()


@pytest.mark.parametrize(
    ("url", "error", "why"),
    [
        ("/away", ConnectionLost, "Failed to fetch"),
        ("file:///etc/hostname", BadRequest, "`file:` is not a protocol of servers"),
        ("data:text/plain,x", BadRequest, "`data:` is not a protocol of servers"),
        ("http://[", BadRequest, "this is not an address"),
    ],
)
async def test_requests_that_are_not_sent(
    url: str, error: type[ModelError], why: str, bridge: Bridge, watch: Watch
) -> None:
    """Redirects are not followed, and only servers are asked."""
    with pytest.raises(error, match=why):
        await read(bridge, url)
    watch.errors.clear()


async def test_an_endless_answer_is_given_up(server: ModelServer, bridge: Bridge) -> None:
    """After 16 MB of one answer the page reads no more."""
    await bridge.page.evaluate(
        """globalThis.requests = models.createFetchBridge(async () => new Response(
            new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1 << 20).fill(97)) })))"""
    )

    with pytest.raises(ConnectionLost, match="longer than 16777216 bytes"):
        await read(bridge, "/")


async def test_too_many_requests_at_a_time(bridge: Bridge) -> None:
    """A fault that opens requests without end is stopped at 32; one that is closed makes room."""
    await bridge.page.evaluate(
        "globalThis.requests = models.createFetchBridge(async () => new Response('a'))"
    )
    asked = json.dumps({"url": "/", "method": "POST", "headers": {}, "body": ""})
    for number in range(32):
        assert json.loads(await bridge.fetch_open(number, asked))["ok"]

    refused = json.loads(await bridge.fetch_open(32, asked))
    bridge.fetch_close(0)

    assert "32 requests are already running" in refused["message"]
    assert json.loads(await bridge.fetch_open(32, asked))["ok"]


async def test_split_characters_come_whole(server: ModelServer, bridge: Bridge) -> None:
    """A character whose bytes come apart is one character; a mark at the beginning stays."""
    server.add(Turn(b"\xef\xbb\xbf" + events("🌍🌍🌍")))

    async with BridgeFetch(bridge).open(
        Request(f"{server.url}/chat/completions", body=b"{}")
    ) as answer:
        body = b"".join([chunk async for chunk in answer.chunks])

    assert body == b"\xef\xbb\xbf" + events("🌍🌍🌍")
