"""Requests that the owner's interface refuses, and its errors."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from tests.devserver.agents.test_owner_access import asking
from tests.devserver.api.owner_client import GIVEN, PAGE_POSTS, refused, streamed, until
from tests.page_client import ClientPage, owner, owner_token, silent
from tests.server import Server, hosting
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.open_pages import OpenPages


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer wrong"},
        {"authorization": "Basic TOKEN"},
        {"authorization": "TOKEN"},
        {"authorization": "bearer TOKEN"},
        {"authorization": "Bearer TOKEN, Bearer TOKEN"},
        {"x-webagent-token": "TOKEN"},
        {"cookie": "token=TOKEN"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["state", "nothing", "pages/tab/call"])
async def test_nothing_is_answered_without_the_token(
    server: Server, path: str, header: dict[str, str]
) -> None:
    """In its own header and once; the sentence says where the token is, but not the token."""
    token = owner_token(server)
    headers = {name: value.replace("TOKEN", token) for name, value in header.items()}
    method = "POST" if path.endswith("call") else "GET"
    async with owner(server) as client:
        del client.headers["authorization"]
        answer = await client.request(method, f"{path}?token={token}", headers=headers)
    sentence = refused(answer, 401, "denied")

    assert "`webagent-dev token`" in sentence
    assert token not in answer.text
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_unknown_paths_are_refused(client: httpx.AsyncClient) -> None:
    """With a path to begin with; also for a method that a path does not have."""
    for method, path in (
        ("GET", ""),
        ("GET", "nothing"),
        ("POST", "state"),
        ("DELETE", "state"),
        ("GET", "pages/tab/call"),
        ("GET", "pages/a/b/tools"),
        ("PUT", "timeline"),
        ("GET", "x" * 5_000),
    ):
        sentence = refused(await client.request(method, path), 404, "not_found")
        assert sentence.startswith(f"there is nothing at `{method} /__webagent__/api/")
        assert sentence.endswith("begin with `GET /__webagent__/api/state`")
        assert len(sentence) < 400


@pytest.mark.parametrize("path", PAGE_POSTS)
@pytest.mark.parametrize("page_id", ["focused", "nowhere", "__proto__", "..%2f..%2fetc", "%00"])
async def test_a_missing_page_is_an_error(
    client: httpx.AsyncClient, path: str, page_id: str
) -> None:
    """A call has it as its result; a run has a plain error."""
    answer = await client.post(f"pages/{page_id}/{path}", json=GIVEN[path])
    if answer.status_code in (400, 404):
        # Not a path that leads to a page.
        assert "%" in page_id
    elif path == "run":
        refused(answer, 409, "no_page")
    else:
        assert answer.json()["error"]["kind"] == "no_page"
        assert answer.json()["error"]["help"]


async def test_the_tools_of_no_page_are_refused(client: httpx.AsyncClient) -> None:
    """With the way to those that are open."""
    sentence = refused(await client.get("pages/nowhere/tools"), 409, "no_page")

    assert sentence == (
        "no page with the id `nowhere` is open - `GET /__webagent__/api/state` lists those that are open"
    )


async def test_a_page_that_is_not_opened_in_time_is_an_error(
    config: ServeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For its tools, and before the stream of a run."""

    async def find_or_open(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(OpenPages, "find_or_open", find_or_open)
    monkeypatch.setattr("webagent_dev.api.owner_api.TOOL_MS", 10)
    page = "/__webagent__/api/pages/focused"
    async with asking(config) as asked, asyncio.timeout(10):
        tools = refused(await asked.get(f"{page}/tools"), 409, "no_page")
        given = {"goal": "go", "timeout_ms": 10}
        run = refused(await asked.post(f"{page}/run", json=given), 409, "no_page")

    assert (
        tools
        == run
        == ("no page was open within 0.01 s - one is being opened; try again in a while")
    )


@pytest.mark.parametrize("path", [*(f"pages/tab/{name}" for name in PAGE_POSTS), "runs/x/answer"])
async def test_a_request_that_is_not_json_is_refused(client: httpx.AsyncClient, path: str) -> None:
    """Above all, a form of another site."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = await client.post(path, content=b"{}", headers={"content-type": kind})
        assert "`content-type: application/json`" in refused(answer, 415, "invalid_arguments")
    for body in (b"", b"{", b"[" * 100_000, b"\xff", b"NaN", b'{"a": 1e999}', b"9" * 5_000):
        answer = await client.post(
            path, content=body, headers={"content-type": "application/json; charset=utf-8"}
        )
        assert refused(answer, 400, "invalid_arguments").startswith("the request is not JSON - ")
    for body in (b"[]", b'"x"', b"1", b"null", b"true"):
        answer = await client.post(path, content=body, headers={"content-type": "application/json"})
        assert "is not an object" in refused(answer, 400, "invalid_arguments")


@pytest.mark.parametrize(
    ("path", "given", "field"),
    [
        ("pages/tab/call", {}, "name"),
        ("pages/tab/call", {"name": 1, "arguments": {}}, "name"),
        ("pages/tab/call", {"name": "x", "arguments": []}, "arguments"),
        ("pages/tab/call", {"name": "x", "arguments": {}, "caller": 1}, "caller"),
        ("pages/tab/call", {"name": "x", "arguments": {}, "timeout_ms": "1"}, "timeout_ms"),
        ("pages/tab/call", {"name": "x", "arguments": {}, "timeout_ms": 0}, "timeout_ms"),
        ("pages/tab/call", {"name": "x", "arguments": {}, "timeout_ms": -5}, "timeout_ms"),
        ("pages/tab/call", {"name": "x", "arguments": {}, "timeout_ms": True}, "timeout_ms"),
        ("pages/tab/call", {"name": "x", "arguments": {}, "timeout_ms": 10**9}, "timeout_ms"),
        ("pages/tab/execute", {"code": None}, "code"),
        ("pages/tab/prompt", {"goal": 1}, "goal"),
        ("pages/tab/run", {"goal": ["x"]}, "goal"),
        ("pages/tab/run", {"goal": "x", "budget": 3}, "budget"),
        ("pages/tab/run", {"goal": "x", "approve": "yes"}, "approve"),
        ("pages/tab/run", {"goal": "x", "schema": "{}"}, "schema"),
        ("runs/x/answer", {"question": "1"}, "yes"),
        ("runs/x/answer", {"question": 1, "yes": True}, "question"),
        ("runs/x/answer", {"question": "1", "yes": 1}, "yes"),
        ("runs/x/answer", {"question": "1", "yes": True, "text": 1}, "text"),
        ("runs/x/answer", {"question": "1", "yes": True, "files": "x"}, "files"),
        ("runs/x/answer", {"question": "1", "yes": True, "files": [{"name": "a"}]}, "files"),
    ],
)
async def test_a_field_that_is_wrong_is_named(
    server: Server, client: httpx.AsyncClient, path: str, given: dict[str, Any], field: str
) -> None:
    """Before any page receives it."""
    async with ClientPage(server) as page:
        answer = await client.post(path, json=given)

    assert refused(answer, 400, "invalid_arguments").startswith(f"`{field}` ")
    assert all(message["type"] != "call" for message in page.heard)


async def test_numbers_in_addresses_are_numbers(client: httpx.AsyncClient) -> None:
    """Of both readers of the timeline."""
    for path in ("timeline", "events"):
        for odd in ("x", "-1", "1.5", "", "1e3", "٣", "9" * 100):
            answer = await client.get(path, params={"after": odd})
            assert refused(answer, 400, "invalid_arguments").startswith("`after` is not a number")


async def test_a_request_that_is_too_long_is_refused(client: httpx.AsyncClient) -> None:
    """Before it is read as a whole."""
    body = b'{"name": "search", "arguments": {"x": "' + b"x" * (5 << 20) + b'"}}'
    try:
        answer = await client.post(
            "pages/tab/call", content=body, headers={"content-type": "application/json"}
        )
    except httpx.TransportError:
        # The rest of it was still on its way.
        return
    assert "4194304 bytes" in refused(answer, 413, "too_large")


async def test_the_end_of_the_server_is_quiet(server: Server) -> None:
    """Ctrl-C ends open calls, runs and streams; there is no error in the terminal."""
    with hosting(server.root) as ending:
        async with owner(ending) as client, ClientPage(ending, answer=silent) as page:
            asking = [
                asyncio.ensure_future(client.post(f"pages/tab/{path}", json=GIVEN[path]))
                for path in PAGE_POSTS
            ]
            await page.told("call", len(PAGE_POSTS))
            async with streamed(client, "GET", "events") as events:
                await until(events, "pages")
                await asyncio.to_thread(ending.stop)
            for ended in await asyncio.gather(*asking, return_exceptions=True):
                assert isinstance(ended, httpx.TransportError | httpx.Response)
