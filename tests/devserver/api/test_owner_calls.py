"""The owner's interface: every route."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.devserver.api.owner_client import GIVEN, PAGE_POSTS, refused, streamed, until
from tests.devserver.conftest import INDEX, MANIFEST
from tests.page_client import ClientPage, good, owner, silent
from tests.server import Server, hosting
from webagent_dev import __version__

# Reading the state.


async def test_the_state_describes_the_server(server: Server, client: httpx.AsyncClient) -> None:
    """The server, the site, the open pages."""
    async with ClientPage(server, tools=("search", "buy"), title="Cart"):
        state = (await client.get("state")).json()

    (page,) = state.pop("pages")
    assert state.pop("focused") == page["page_id"]
    assert page["page_id"] not in state.pop("returning")
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
    assert (state["proxy"], state["llm"], state["doors"]) == (None, None, "token")
    assert set(state) == {
        *("version", "build", "url", "root", "proxy", "manifest_path", "llm", "doors"),
        *("started", "seq"),
    }


async def test_the_tools_of_a_page_are_those_of_its_registry(
    server: Server, client: httpx.AsyncClient
) -> None:
    """The page is named by its id, or is the one in focus."""
    async with ClientPage(server, "one"), ClientPage(server, "two", tools=("buy",), focused=True):
        one, two = [(await client.get(f"pages/{page}/tools")).json() for page in ("one", "focused")]

    assert one == {"state": "ready", "tools": [{"name": "search", "source": "manifest"}]}
    assert [tool["name"] for tool in two["tools"]] == ["buy"]


async def test_the_manifest_is_shown_with_its_declarations_and_schemas(
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


async def test_the_timeline_is_read_from_a_number(
    server: Server, client: httpx.AsyncClient
) -> None:
    """Calls have a state and runs a caller; removed entries are reported as missing."""
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


async def test_events_report_changes(server: Server, client: httpx.AsyncClient) -> None:
    """First the present state, then changes: pages, entries, the manifest."""
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


async def test_a_reader_gets_the_entries_that_it_has_missed(
    server: Server, client: httpx.AsyncClient
) -> None:
    """`after` is the number of the last entry that the reader has."""
    seq = (await client.get("timeline")).json()["seq"]
    async with ClientPage(server) as page, streamed(client, "GET", "events") as events:
        for word in "ab":
            await page.say("log", level="log", text=word, place="", count=1)
            await until(events, "entry")
    async with streamed(client, "GET", f"events?after={seq + 1}") as events:
        assert (await until(events, "entry"))["detail"]["text"] == "b"


async def test_head_requests_end(client: httpx.AsyncClient) -> None:
    """This also goes for a stream, which has no end."""
    for path in ("state", "manifest", "timeline", "events"):
        answer = await client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")


# Calls of pages.


@pytest.mark.parametrize(
    ("path", "kind", "arguments"),
    [
        ("call", "tool", {"query": "x"}),
        ("execute", "code", {"code": "1 + 1"}),
        ("prompt", "prompt", {"goal": "buy"}),
    ],
)
async def test_a_call_is_answered_by_its_page(
    server: Server, client: httpx.AsyncClient, path: str, kind: str, arguments: dict[str, Any]
) -> None:
    """The page receives the arguments, the limit and the caller."""
    asked: dict[str, Any] = {**GIVEN[path], "timeout_ms": 4000, "caller": "inspector"}
    async with ClientPage(server) as page:
        answer = await client.post(f"pages/tab/{path}", json=asked)
        call = await page.told("call")

    assert answer.json() == good(arguments)
    assert (call["kind"], call["arguments"]) == (kind, arguments)
    assert (call["deadline_ms"], call["caller"]) == (4000, "inspector")


async def test_a_failure_of_a_tool_is_an_answer(server: Server, client: httpx.AsyncClient) -> None:
    """The status is 200, since the request succeeded."""
    error = {"kind": "threw", "message": "no such book", "tool": "search"}
    failed = {"ok": False, "error": error, "logs": [], "calls": [], "duration_ms": 2.0}
    async with ClientPage(server, answer=lambda _: failed, focused=True):
        answer = await client.post("pages/focused/call", json=GIVEN["call"])

    assert (answer.status_code, answer.json()) == (200, failed)


async def test_lone_surrogates_pass_in_both_directions(
    server: Server, client: httpx.AsyncClient
) -> None:
    """JavaScript strings may hold them; they are not an error."""
    async with ClientPage(server, title="\ud83d"):
        body = '{"name": "search\\ud800", "arguments": {"\\udfff": "\\ud83d"}}'
        headers = {"content-type": "application/json"}
        answer = await client.post("pages/tab/call", content=body, headers=headers)
        state = await client.get("state")

    assert answer.json()["value"] == {"\udfff": "\ud83d"}
    assert state.json()["pages"][0]["title"] == "\ud83d"


async def test_closing_the_request_cancels_the_call(
    server: Server, client: httpx.AsyncClient
) -> None:
    """The page is notified at once, for calls, programs and runs."""
    async with ClientPage(server, answer=silent) as page:
        for count, path in enumerate(PAGE_POSTS, 1):
            asking = asyncio.ensure_future(client.post(f"pages/tab/{path}", json=GIVEN[path]))
            call = await page.told("call", count)
            asking.cancel()
            assert (await page.told("cancel", count))["id"] == call["id"]


@pytest.mark.parametrize("code", [1000, 1001, 1012])
async def test_a_page_that_goes_away_ends_its_calls(
    server: Server, client: httpx.AsyncClient, code: int
) -> None:
    """They end before the time limit, with any close code."""
    async with ClientPage(server, answer=silent) as page:
        asking = asyncio.ensure_future(client.post("pages/tab/call", json=GIVEN["call"]))
        await page.told("call")
        await page.socket.close(code)
    answer = await asyncio.wait_for(asking, 10)

    assert answer.json()["error"]["kind"] == "page_gone"


async def test_a_run_is_followed_and_its_question_answered(
    server: Server, client: httpx.AsyncClient
) -> None:
    """Its events, its question with the answer, its result; the caller is in the timeline."""
    asked = {"goal": "buy", "approve": True, "budget": {"steps": 3}, "schema": {"type": "object"}}
    given = {**asked, "caller": "terminal"}
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
        stop = {"question": "q0", "yes": False, "stop": True, "grant": "addToBasket"}
        await page.say("question", id=call["id"], question="q0", request=request)
        await client.post(f"runs/{run}/answer", json=stop)
        assert (await page.told("answer"))["answer"] == {
            "yes": False, "text": "", "session": False, "files": [], "stop": True,
            "grant": "addToBasket",
        }  # fmt: skip
        said = {"question": "q1", "yes": True, "text": "red", "grant": "buy"}
        answered = await client.post(f"runs/{run}/answer", json=said)
        heard = await page.told("answer", 2)
        await page.say("result", id=call["id"], result=good({"text": "done"}))
        assert (await until(events, "result"))["value"] == {"text": "done"}
    timeline = (await client.get("timeline")).json()["entries"]

    assert call["arguments"] == asked
    assert answered.status_code == 204
    rest = {"session": False, "files": [], "grant": "buy", "stop": False}
    assert heard["answer"] == {"yes": True, "text": "red"} | rest
    assert (timeline[-1]["id"], timeline[-1]["caller"]) == ("r1", "terminal")
    refused(await client.post(f"runs/{run}/answer", json=said), 409, "cancelled")


@pytest.mark.conformance
async def test_a_page_with_endless_questions_loses_only_its_own_run(
    server: Server, client: httpx.AsyncClient
) -> None:
    """The queue of a slow reader is bounded; other clients are answered meanwhile."""
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


async def test_a_save_before_any_program_asks_is_in_the_timeline(tmp_path: Path) -> None:
    """The services, which the first request loads, have heard of it."""
    (tmp_path / "index.html").write_bytes(INDEX)
    (tmp_path / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    with hosting(tmp_path) as server:
        (tmp_path / "webagents.md").write_text(MANIFEST + "\nMore.\n", encoding="utf-8")
        async with asyncio.timeout(10):
            # Served without the services, and once the server has seen the save.
            while "More." not in await served_manifest(server):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        async with owner(server) as client:
            entries = (await client.get("timeline")).json()["entries"]

    assert [entry["kind"] for entry in entries] == ["manifest"]


async def served_manifest(server: Server) -> str:
    async with httpx.AsyncClient(base_url=server.url) as client:
        return (await client.get("/webagents.md")).text
