"""The owner's interface: every route, every refusal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.devserver.conftest import INDEX, MANIFEST
from tests.page_client import ClientPage, good, owner, owner_token, silent
from tests.server import Server, serving
from webagent_dev import __version__

PAGE_POSTS = ("call", "execute", "prompt", "run")
GIVEN: dict[str, dict[str, Any]] = {
    "call": {"name": "search", "arguments": {"query": "x"}},
    "execute": {"code": "1 + 1"},
    "prompt": {"goal": "buy"},
    "run": {"goal": "buy"},
}


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("api")
    (root / "index.html").write_bytes(INDEX)
    (root / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    with serving(root) as server:
        yield server


@pytest.fixture(name="client")
async def _client(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with owner(server) as client:
        yield client
        # Whatever was asked, no call is left behind.
        await nothing_left(client)


async def nothing_left(client: httpx.AsyncClient) -> None:
    """Wait until the server has let go of the pages of the test."""
    async with asyncio.timeout(20):
        while (await client.get("state")).json()["pages"]:
            pass


def refused(answer: httpx.Response, status: int, kind: str) -> str:
    """Return the sentence of an error, which says what, why and what to do."""
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error"}
    error = answer.json()["error"]
    assert error["kind"] == kind
    message: str = error["message"]
    assert "help" in error or message.count(" - ") == 2
    assert answer.headers["cache-control"] == "no-store"
    return f"{message} - {error['help']}" if "help" in error else message


@asynccontextmanager
async def streamed(
    client: httpx.AsyncClient, method: str, path: str, **given: Any
) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
    """Read a stream of events as name and data."""
    async with client.stream(method, path, **given) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")

        async def events() -> AsyncIterator[tuple[str, Any]]:
            name = ""
            async for line in answer.aiter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))

        yield events()


async def until(events: AsyncIterator[tuple[str, Any]], name: str) -> Any:
    """Return the data of the next event of a name."""
    async with asyncio.timeout(20):
        async for found, data in events:
            if found == name:
                return data
    raise AssertionError(f"the stream ended without `{name}`")


# What there is to read.


async def test_the_state_says_what_runs_here(server: Server, client: httpx.AsyncClient) -> None:
    """The server, the site, the open pages."""
    async with ClientPage(server, tools=("search", "buy"), title="Cart"):
        state = (await client.get("state")).json()

    (page,) = state.pop("pages")
    assert page.pop("connected")
    assert page == {
        "page_id": "tab",
        "document_id": "d",
        "url": server.url,
        "title": "Cart",
        "focused": False,
        "version": __version__,
        "state": "ready",
        "tools": 2,
    }
    assert state["version"] == __version__
    assert state["url"] == f"{server.url}/"
    assert state["root"] == str(server.root)
    assert state["manifest_path"] == "/webagents.md"
    assert (state["proxy"], state["llm"]) == (None, None)
    assert set(state) == {
        *("version", "build", "url", "root", "proxy", "manifest_path", "llm", "started", "seq")
    }


async def test_the_tools_of_a_page_are_those_that_it_told(
    server: Server, client: httpx.AsyncClient
) -> None:
    """By its id, or as the one that has the focus."""
    async with ClientPage(server, "one"), ClientPage(server, "two", tools=("buy",), focused=True):
        one, two = [(await client.get(f"pages/{page}/tools")).json() for page in ("one", "focused")]

    assert one == {"state": "ready", "tools": [{"name": "search", "source": "manifest"}]}
    assert [tool["name"] for tool in two["tools"]] == ["buy"]


async def test_the_manifest_is_shown_with_what_is_made_of_it(
    server: Server, client: httpx.AsyncClient
) -> None:
    """Text, findings, declarations, schemas, normal form."""
    shown = (await client.get("manifest")).json()

    assert shown["path"] == "webagents.md"
    assert shown["text"] == MANIFEST
    assert shown["served_stale"] is False
    assert shown["findings"] == []
    assert "searchBooks" in shown["typescript"]
    assert [schema["name"] for schema in shown["schemas"]] == ["searchBooks"]
    assert shown["markdown"].startswith("# Shop")


async def test_the_timeline_is_read_from_where_it_was_left(
    server: Server, client: httpx.AsyncClient
) -> None:
    """Calls have their states, runs their caller, and what was forgotten is said to be missing."""
    await client.delete("timeline")
    begin = (await client.get("timeline")).json()["seq"]
    async with ClientPage(server) as page, streamed(client, "GET", "events") as events:
        await page.event("call", id=4, name="search", state="started")
        await page.event("call", id=4, name="search", state="progress", value="2 of 3")
        await page.event("call", id=4, name="search", state="finished")
        await page.say("log", level="warn", text="slow", place="shop.js:1:2", count=1)
        for _ in range(4):
            await until(events, "entry")
    all_of_it = (await client.get("timeline", params={"after": begin})).json()
    rest = (await client.get("timeline", params={"after": begin + 2})).json()

    assert [entry["kind"] for entry in all_of_it["entries"]] == ["call", "call", "call", "log"]
    assert {entry.get("id") for entry in all_of_it["entries"]} == {"d:4", None}
    assert all_of_it["entries"][1]["detail"]["state"] == "progress"
    assert all_of_it["entries"][3]["detail"] == {
        "level": "warn",
        "text": "slow",
        "place": "shop.js:1:2",
        "count": 1,
    }
    assert rest["entries"] == all_of_it["entries"][2:]
    assert (all_of_it["dropped"], rest["seq"]) == (False, begin + 4)

    assert (await client.delete("timeline")).status_code == 204
    assert (await client.get("timeline", params={"after": begin})).json() == {
        "entries": [],
        "seq": begin + 4,
        "dropped": True,
    }


async def test_events_tell_what_changes(server: Server, client: httpx.AsyncClient) -> None:
    """First how things are, then what is new: pages, entries, the manifest."""
    async with streamed(client, "GET", "events") as events:
        assert await until(events, "pages") == []
        revision = (await until(events, "manifest"))["revision"]
        async with ClientPage(server) as page:
            assert [p["page_id"] for p in await until(events, "pages")] == ["tab"]
            await page.say("log", level="log", text="hello", place="", count=1)
            assert (await until(events, "entry"))["detail"]["text"] == "hello"
            await page.greet(title="Cart")
            while (await until(events, "pages"))[0]["title"] != "Cart":
                pass
        while await until(events, "pages"):
            pass
        (server.root / "webagents.md").write_text(MANIFEST + "\nMore.\n", encoding="utf-8")
        assert (await until(events, "manifest"))["revision"] == revision + 1
        (server.root / "webagents.md").write_text(MANIFEST, encoding="utf-8")
        assert (await until(events, "manifest"))["revision"] == revision + 2


async def test_who_was_away_gets_the_entries_that_were_missed(
    server: Server, client: httpx.AsyncClient
) -> None:
    """`after` is the number of the last one that was seen."""
    seq = (await client.get("timeline")).json()["seq"]
    async with ClientPage(server) as page, streamed(client, "GET", "events") as events:
        for word in "ab":
            await page.say("log", level="log", text=word, place="", count=1)
            await until(events, "entry")
    async with streamed(client, "GET", f"events?after={seq + 1}") as events:
        assert (await until(events, "entry"))["detail"]["text"] == "b"


async def test_asking_for_the_heads_alone_ends(client: httpx.AsyncClient) -> None:
    """Also of a stream, which itself has no end."""
    for path in ("state", "manifest", "timeline", "events"):
        answer = await client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")


# What pages do.


@pytest.mark.parametrize(
    ("path", "kind", "arguments"),
    [
        ("call", "tool", {"query": "x"}),
        ("execute", "code", {"code": "1 + 1"}),
        ("prompt", "prompt", {"goal": "buy"}),
    ],
)
async def test_what_is_asked_of_a_page_is_answered_by_it(
    server: Server, client: httpx.AsyncClient, path: str, kind: str, arguments: dict[str, Any]
) -> None:
    """The page hears what was given, how long it has and who asks."""
    asked: dict[str, Any] = {**GIVEN[path], "timeout_ms": 4000, "caller": "inspector"}
    async with ClientPage(server) as page:
        answer = await client.post(f"pages/tab/{path}", json=asked)
        call = await page.told("call")

    assert answer.json() == good(arguments)
    assert (call["kind"], call["arguments"]) == (kind, arguments)
    assert (call["deadline_ms"], call["caller"]) == (4000, "inspector")


async def test_a_failure_of_a_tool_is_an_answer(server: Server, client: httpx.AsyncClient) -> None:
    """With status 200: the request went well."""
    error = {"kind": "threw", "message": "no such book", "tool": "search"}
    failed = {"ok": False, "error": error, "logs": [], "calls": [], "duration_ms": 2.0}
    async with ClientPage(server, answer=lambda _: failed):
        answer = await client.post("pages/focused/call", json=GIVEN["call"])

    assert (answer.status_code, answer.json()) == (200, failed)


async def test_halves_of_characters_pass_in_both_directions(
    server: Server, client: httpx.AsyncClient
) -> None:
    """JavaScript's texts may hold them; they are no failure of ours."""
    async with ClientPage(server, title="\ud83d"):
        body = '{"name": "search\\ud800", "arguments": {"\\udfff": "\\ud83d"}}'
        headers = {"content-type": "application/json"}
        answer = await client.post("pages/tab/call", content=body, headers=headers)
        state = await client.get("state")

    assert answer.json()["value"] == {"\udfff": "\ud83d"}
    assert state.json()["pages"][0]["title"] == "\ud83d"


async def test_who_closes_the_request_cancels_the_call(
    server: Server, client: httpx.AsyncClient
) -> None:
    """The page is told at once; for calls, programs and runs."""
    async with ClientPage(server, answer=silent) as page:
        for count, path in enumerate(PAGE_POSTS, 1):
            asking = asyncio.ensure_future(client.post(f"pages/tab/{path}", json=GIVEN[path]))
            call = await page.told("call", count)
            asking.cancel()
            assert (await page.told("cancel", count))["id"] == call["id"]


async def test_a_page_that_goes_away_ends_what_was_asked_of_it(
    server: Server, client: httpx.AsyncClient
) -> None:
    """At once, not after the time that was allowed."""
    async with ClientPage(server, answer=silent) as page:
        asking = asyncio.ensure_future(client.post("pages/tab/call", json=GIVEN["call"]))
        await page.told("call")
    answer = await asyncio.wait_for(asking, 10)

    assert answer.json()["error"]["kind"] == "page_gone"


async def test_a_run_is_followed_asked_and_answered(
    server: Server, client: httpx.AsyncClient
) -> None:
    """Its events, its question with the answer, its result; the caller is in the timeline."""
    given = {"goal": "buy", "approve": True, "budget": {"steps": 3}, "caller": "terminal"}
    async with (
        ClientPage(server, answer=silent) as page,
        streamed(client, "POST", "pages/tab/run", json=given) as events,
    ):
        run = (await until(events, "run"))["run"]
        call = await page.told("call")
        await page.event("agent", run_id="r1", type="started", goal="buy")
        assert (await until(events, "agent"))["type"] == "started"
        request = {"kind": "question", "text": "Which colour?", "details": {}}
        await page.say("question", id=call["id"], question="q1", request=request)
        assert await until(events, "question") == {"question": "q1", "request": request}
        said = {"question": "q1", "yes": True, "text": "red"}
        answered = await client.post(f"runs/{run}/answer", json=said)
        heard = await page.told("answer")
        await page.say("result", id=call["id"], result=good({"text": "done"}))
        assert (await until(events, "result"))["value"] == {"text": "done"}
    timeline = (await client.get("timeline")).json()["entries"]

    assert call["arguments"] == {"goal": "buy", "approve": True, "budget": {"steps": 3}}
    assert answered.status_code == 204
    assert heard["answer"] == {"yes": True, "text": "red", "session": False, "files": []}
    assert (timeline[-1]["id"], timeline[-1]["caller"]) == ("r1", "terminal")
    refused(await client.post(f"runs/{run}/answer", json=said), 409, "cancelled")


async def test_a_page_that_asks_without_end_loses_only_its_own_run(
    server: Server, client: httpx.AsyncClient
) -> None:
    """What waits for a reader who does not read has a bound; others are answered meanwhile."""
    async with ClientPage(server, answer=silent) as page:
        text = "x" * 100_000
        async with client.stream("POST", "pages/tab/run", json={"goal": "buy"}) as answer:
            call = await page.told("call")
            for number in range(600):
                request = {"kind": "question", "text": text, "details": {}}
                await page.say("question", id=call["id"], question=str(number), request=request)
            assert (await client.get("state")).status_code == 200
            read = 0
            async for piece in answer.aiter_bytes():
                read += len(piece)
        cancelled = await page.told("cancel")

    assert read < 50 << 20
    assert cancelled["id"] == call["id"]


# Refusals.


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
    """In its own header and once; the sentence says where it is had, and not what it is."""
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


async def test_what_does_not_exist_is_said(client: httpx.AsyncClient) -> None:
    """With where to begin; also for a method that a path does not have."""
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
        assert sentence.startswith(f"nothing is at `{method} /__webagent__/api/")
        assert sentence.endswith("begin with `GET /__webagent__/api/state`")
        assert len(sentence) < 400


@pytest.mark.parametrize("path", PAGE_POSTS)
@pytest.mark.parametrize("page_id", ["focused", "nowhere", "__proto__", "..%2f..%2fetc", "%00"])
async def test_without_its_page_nothing_is_done(
    client: httpx.AsyncClient, path: str, page_id: str
) -> None:
    """As a result of a call, which is what was asked for; as a plain error of a run."""
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
        "no page with the id `nowhere` is open - look which are: "
        "`GET /__webagent__/api/state` lists them"
    )


@pytest.mark.parametrize("path", [*(f"pages/tab/{name}" for name in PAGE_POSTS), "runs/x/answer"])
async def test_a_request_that_is_no_json_is_refused(client: httpx.AsyncClient, path: str) -> None:
    """What a form of another site could send, above all."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = await client.post(path, content=b"{}", headers={"content-type": kind})
        assert "`content-type: application/json`" in refused(answer, 415, "invalid_arguments")
    for body in (b"", b"{", b"[" * 100_000, b"\xff", b"NaN", b'{"a": 1e999}', b"9" * 5_000):
        answer = await client.post(
            path, content=body, headers={"content-type": "application/json; charset=utf-8"}
        )
        assert refused(answer, 400, "invalid_arguments").startswith("the request is no JSON - ")
    for body in (b"[]", b'"x"', b"1", b"null", b"true"):
        answer = await client.post(path, content=body, headers={"content-type": "application/json"})
        assert "is no object" in refused(answer, 400, "invalid_arguments")


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
    """Before any page hears of it."""
    async with ClientPage(server) as page:
        answer = await client.post(path, json=given)

    assert refused(answer, 400, "invalid_arguments").startswith(f"`{field}` ")
    assert all(message["type"] != "call" for message in page.heard)


async def test_numbers_in_addresses_are_numbers(client: httpx.AsyncClient) -> None:
    """Of both readers of the timeline."""
    for path in ("timeline", "events"):
        for odd in ("x", "-1", "1.5", "", "1e3", "٣", "9" * 100):
            answer = await client.get(path, params={"after": odd})
            assert refused(answer, 400, "invalid_arguments").startswith("`after` is no number")


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


async def test_the_end_of_the_server_is_quiet_whatever_goes_on(server: Server) -> None:
    """Ctrl-C cuts calls, runs and streams that are open; there is no error in the terminal."""
    with serving(server.root) as ending:
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
