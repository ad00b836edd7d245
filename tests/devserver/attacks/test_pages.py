"""Malicious pages: other scripts of the developed site have the token of pages, too."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.devserver.api.owner_client import nothing_left, streamed, until
from tests.devserver.conftest import INDEX
from tests.page_client import ClientPage, good, owner, silent
from tests.server import Server, ServerProcess, hosting, serving

CALL = {"name": "search", "arguments": {}}
ODD_IDS = ("focused", "../", "__proto__", "constructor", "", "a/b", "%2e%2e", "\ud800", "x" * 9_000)


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("hostile")
    (root / "index.html").write_bytes(INDEX)
    with hosting(root) as server:
        yield server


@pytest.fixture(name="client")
async def _client(site: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with owner(site) as client:
        yield client
        await nothing_left(client)
    assert "Traceback" not in site.output


@pytest.fixture(name="process")
async def _process(tmp_path: Path) -> AsyncIterator[tuple[ServerProcess, httpx.AsyncClient]]:
    """For what is about memory, which a process has for itself."""
    (tmp_path / "index.html").write_bytes(INDEX)
    with serving(tmp_path) as server:
        async with owner(server) as client:
            yield server, client
            await nothing_left(client)


async def answered(client: httpx.AsyncClient, **given: Any) -> dict[str, Any]:
    answer = await client.post("pages/victim/call", json={**CALL, **given})
    assert answer.status_code == 200
    result: dict[str, Any] = answer.json()
    return result


async def test_a_page_answers_for_no_other(site: Server, client: httpx.AsyncClient) -> None:
    """Not even when it knows the id of the call, and the id of the other's tab."""
    async with (
        ClientPage(site, "victim", answer=silent) as victim,
        ClientPage(site, "victim") as thief,
    ):
        asking = asyncio.ensure_future(answered(client))
        call = await victim.told("call")
        for stolen in ("result", "progress", "question"):
            await thief.say(
                stolen, id=call["id"], result=good("stolen"), message="x", question="1", request={}
            )
        await thief.say("event", name="agent", detail={"run_id": "r", "type": "finished"})
        assert await thief.socket.ping()
        await victim.say("result", id=call["id"], result=good("mine"))

        assert (await asking)["value"] == "mine"
    assert all(message["type"] != "call" for message in thief.heard)


@pytest.mark.parametrize(
    "text",
    [
        '{"ok": true, "value": NaN}',
        '{"ok": true, "value": -1e999}',
        '{"ok": true, "value": ' + "9" * 5_000 + "}",
        '{"ok": true, "value": ' + "[" * 300 + "]" * 300 + "}",
        '{"ok": true, "value": ' + "[" * 100_000,
        '["ok"]',
        '"ok"',
    ],
    ids=lambda text: text[:24],
)
async def test_a_malformed_answer_is_ignored(
    site: Server, client: httpx.AsyncClient, text: str
) -> None:
    """The call times out; later messages of the page count."""
    async with ClientPage(site, "victim", answer=silent) as page:
        asking = asyncio.ensure_future(answered(client, timeout_ms=700))
        call = await page.told("call")
        await page.socket.send(
            f'{{"v": 1, "type": "result", "id": {json.dumps(call["id"])}, "result": {text}}}'
        )
        assert (await asking)["error"]["kind"] == "timeout"
        page.answer = lambda _: good([[[1.5]]])
        assert (await answered(client))["value"] == [[[1.5]]]


async def test_a_page_that_never_greets_is_ignored(site: Server, client: httpx.AsyncClient) -> None:
    """Its messages are not kept, shown or passed on."""
    before = (await client.get("state")).json()["seq"]
    async with ClientPage(site, "known") as known, ClientPage(site, greets=False) as stranger:
        await stranger.say("registry", state="ready", tools=[{"name": "x"}])
        await stranger.say("log", level="error", text="x", place="", count=1)
        await stranger.event("call", id=1, name="x", state="started")
        await stranger.say("error", phase="start", message="never-greeted")
        await (await stranger.socket.ping())
        await known.event("call", id=1, name="x", state="started")
        while (state := (await client.get("state")).json())["seq"] == before:
            pass

    assert [page["page_id"] for page in state["pages"]] == ["known"]
    assert state["seq"] == before + 1
    assert "never-greeted" not in site.output


async def test_every_page_has_a_name_of_its_own(site: Server, client: httpx.AsyncClient) -> None:
    """By which it is reached, whatever it calls itself."""
    async with AsyncExitStack() as pages:
        for odd in (*ODD_IDS, *ODD_IDS):
            page = await pages.enter_async_context(ClientPage(site, greets=False))
            await page.say(
                "hello",
                page_id=odd,
                document_id="\0" * 9,
                url="javascript:alert(1)",
                title="</script><script>alert(1)</script>",
                focused=False,
                version="x",
            )
        async with asyncio.timeout(20):
            while len(listed := (await client.get("state")).json()["pages"]) < 2 * len(ODD_IDS):
                pass
        ids = [page["page_id"] for page in listed]
        for page_id in ids:
            found = await client.get(f"pages/{quote(page_id, safe='')}/tools")
            assert found.status_code == 200

    assert len(set(ids)) == 2 * len(ODD_IDS)
    assert "focused" not in ids
    assert max(map(len, ids)) <= 68


async def test_a_flood_is_outlived(process: tuple[ServerProcess, httpx.AsyncClient]) -> None:
    """Logs, events, greetings and registries in masses: bounded, and others are served meanwhile."""
    site, client = process
    tools = [{"name": f"tool{number}", "description": "x" * 100} for number in range(2_000)]
    registries = [
        json.dumps({"v": 1, "type": "registry", "state": "ready", "tools": tools[: 2_000 - i]})
        for i in range(20)
    ]
    log = json.dumps(
        {"v": 1, "type": "log", "level": "log", "text": "x" * 1_500, "place": "", "count": 1}
    )
    event = {"id": "k" * 300_000, "name": "n" * 300_000, "state": "started"}
    async with (
        ClientPage(site, "victim"),
        ClientPage(site, "flood") as flood,
        streamed(client, "GET", "events") as events,
    ):
        await until(events, "pages")
        before = site.peak_bytes()
        for text in registries:
            await flood.socket.send(text)
        for _ in range(10):
            await flood.event("call", **event)
        for _ in range(3_000):
            await flood.socket.send(log)
        assert (await answered(client))["ok"]
        told = 0
        async with asyncio.timeout(60):
            async for name, data in events:
                told += name == "pages"
                if name == "entry" and data["seq"] >= 3_010:
                    break
        timeline = await client.get("timeline")

    assert told <= len(registries)
    assert len(timeline.content) < 9_000_000
    assert site.peak_bytes() - before < 100 << 20


async def test_a_huge_list_of_tools_is_taken_whole(site: Server, client: httpx.AsyncClient) -> None:
    """Up to the limit of a message; malformed tools are left out."""
    tools = [{"name": f"tool{n}", "description": "é" * 500} for n in range(3_000)] + [None, 3]
    async with ClientPage(site, "victim") as page:
        text = json.dumps(
            {"v": 1, "type": "registry", "state": "ready", "tools": tools}, ensure_ascii=False
        )
        await page.socket.send(text)
        async with asyncio.timeout(20):
            while (await client.get("state")).json()["pages"][0]["tools"] != 3_000:
                pass
        assert (await answered(client))["ok"]
