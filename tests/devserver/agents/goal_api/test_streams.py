"""Simple tasks as a client follows them: refused, lost, cancelled, one after the other, over a restart."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.devserver.agents.goal_api.client import (
    asked_for,
    client_of,
    described,
    done,
    events_of,
    kept_by,
    showing,
)
from tests.devserver.agents.test_owner_access import asking
from tests.devserver.api.owner_client import refused
from tests.devserver.conftest import INDEX
from tests.server import Server, ServerProcess, serving
from webagent.errors import PageGone
from webagent_dev.agents.goal_api.tab import Tabs
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.hub import Hub
from webagent_dev.live.open_pages import OpenPages
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.wire import PageHello

pytestmark = pytest.mark.usefixtures("nothing_left")


REFUSED: list[tuple[Any, int, str]] = [
    ({}, 422, "goal"),
    ({"goal": " "}, 422, "goal"),
    ({"goal": 1}, 422, "goal"),
    ({"goal": "x" * 10_001}, 422, "goal"),
    ({"goal": "x", "params": []}, 422, "params"),
    ({"goal": "x", "params": {"url": 1}}, 422, "params.url"),
    ({"goal": "x", "params": {"search_query": {}}}, 422, "params.search_query"),
    ({"goal": "x", "params": {"credentials": "ada"}}, 422, "params.credentials"),
    (
        {"goal": "x", "params": {"credentials": {"username": "ada"}}},
        422,
        "params.credentials.password",
    ),
    (
        {"goal": "x", "params": {"credentials": {"username": 1, "password": "x"}}},
        422,
        "params.credentials.username",
    ),
    ({"goal": "x", "params": {"extract": 1}}, 422, "params.extract"),
    ({"goal": "x", "params": {"extract": ["a", 1]}}, 422, "params.extract[1]"),
    ({"goal": "x", "params": {"extract": ["a"] * 21}}, 422, "params.extract"),
    ([], 400, ""),
]


async def test_a_malformed_request_is_refused_before_the_stream(server: Server) -> None:
    """With the name of the wrong field; nothing of the request is repeated."""
    async with client_of(server) as client:
        for task, status, path in REFUSED:
            answer = await client.post("/a2a/tasks", json=task)
            assert refused(answer, status, "invalid_arguments")
            assert answer.json()["error"].get("path", "") == path
        post = {"url": "/a2a/tasks", "content": b"{"}
        json_type = {"content-type": "application/json"}
        assert refused(await client.post(**post, headers=json_type), 400, "invalid_arguments")  # type: ignore[arg-type]
        plain = {"content-type": "text/plain"}
        assert refused(await client.post(**post, headers=plain), 415, "invalid_arguments")  # type: ignore[arg-type]
        assert refused(await client.get("/a2a/tasks"), 405, "invalid_arguments")
        assert refused(await client.put("/a2a/tasks/x"), 405, "invalid_arguments")
        assert refused(await client.get("/a2a/tasks/x"), 404, "not_found")
        assert refused(await client.post("/a2a/tasks/x/cancel"), 404, "not_found")
        # A client that reconnects to an unknown task does not begin a new one.
        back = {"last-event-id": "task_gone:3"}
        answer = await client.post("/a2a/tasks", json={"goal": "go"}, headers=back)
        assert refused(answer, 404, "not_found").startswith("there is no task `task_gone`")
    async with httpx.AsyncClient(base_url=server.url) as stranger:
        for method, path in (("POST", ""), ("GET", "/x"), ("POST", "/x/cancel")):
            answer = await stranger.request(method, f"/a2a/tasks{path}", json={"goal": "go"})
            assert refused(answer, 401, "denied")


async def test_a_client_that_lost_its_stream_goes_on_with_it(server: Server) -> None:
    """From the event after the last it had, also by sending the task again; the work went on."""
    page, shown = showing(server, content=None)
    async with page, client_of(server) as client:
        task = {"goal": "go", "params": {"url": "/x"}}
        async with events_of(client, "POST", "/a2a/tasks", json=task) as events:
            first, event = await anext(events)
        path = f"/a2a/tasks/{event['id']}"
        await asked_for(page, "content")
        polled = (await client.get(path)).json()
        stream = {"accept": "text/event-stream", "last-event-id": first}
        async with events_of(client, "GET", path, headers=stream) as events:
            numbers = [(await anext(events))[0] for _ in range(2)]
        again = {"last-event-id": numbers[0]}
        async with events_of(client, "POST", "/a2a/tasks", json=task, headers=again) as events:
            assert (await anext(events))[0] == numbers[1]
            call = (await page.told("call", len(shown.acts)))["id"]
            await page.say("result", id=call, result={"ok": True, "value": {"text": "late"}})
            ended = [event async for event in events]
        stream["last-event-id"] = ended[0][0]
        async with events_of(client, "GET", path, headers=stream) as events:
            nothing = [event async for event in events]
        last = (await client.get(path)).json()

    assert numbers == [f"{event['id']}:2", f"{event['id']}:3"]
    assert (polled["status"], len(polled["steps"])) == ("working", 2)
    assert [data["status"] for _, data in ended] == ["completed"]
    assert last == ended[0][1]
    assert last["result"]["content"] == "late"
    assert nothing == []
    assert shown.kinds().count("goto_url") == 1


async def test_a_task_is_cancelled_once(server: Server) -> None:
    """Its stream ends, its page is notified, and the next task has the tab at once."""
    page, shown = showing(server, content=None)
    async with page, client_of(server) as client:
        task = {"goal": "go", "params": {"url": "/x"}}
        async with events_of(client, "POST", "/a2a/tasks", json=task) as events:
            _, event = await anext(events)
            path = f"/a2a/tasks/{event['id']}"
            await asked_for(page, "content")
            other = asyncio.ensure_future(done(server, "go", url="/y"))
            cancelled = (await client.post(f"{path}/cancel")).json()
            shown.replies["content"] = {"text": "late"}
            ended = [data async for _, data in events][-1]
        assert refused(await client.post(f"{path}/cancel"), 409, "cancelled")
        assert (await other)["status"] == "completed"
        await page.told("cancel")

    assert (cancelled["status"], cancelled["error"]) == ("failed", "the task was cancelled")
    assert ended == cancelled


async def test_tasks_in_one_tab_follow_each_other(server: Server) -> None:
    """The second reports that it waits."""
    page, shown = showing(server, content=None)
    async with page, client_of(server) as client:
        task = {"goal": "go", "params": {"url": "/x"}}
        async with events_of(client, "POST", "/a2a/tasks", json=task) as events:
            await anext(events)
            await asked_for(page, "content")
            async with events_of(client, "POST", "/a2a/tasks", json=task) as second:
                await anext(second)
                waits = (await anext(second))[1]
                shown.replies["content"] = {"text": "second"}
                call = (await page.told("call", len(shown.acts)))["id"]
                await page.say("result", id=call, result={"ok": True, "value": {"text": "first"}})
                first = [data async for _, data in events][-1]
                after = [data async for _, data in second][-1]

    assert described(waits) == ["Waiting for another task in this tab"]
    assert first["result"]["content"] == "first"
    assert after["result"]["content"] == "second"


async def test_a_task_continues_in_the_next_page_of_its_tab(server: Server) -> None:
    """Reads that the page before did not answer are repeated there."""
    page, _ = showing(server, content=None)
    async with client_of(server) as client:
        async with page:
            task = {"goal": "go", "params": {"url": "/x"}}
            stream = events_of(client, "POST", "/a2a/tasks", json=task)
            events = await stream.__aenter__()
            await asked_for(page, "content")
        again, _ = showing(server)
        async with again:
            event = [data async for _, data in events][-1]
        await stream.__aexit__(None, None, None)

    assert event["status"] == "completed"


async def test_a_restart_keeps_finished_tasks_and_ends_others(tmp_path: Path) -> None:
    """The client gets the reason, also when it reconnects to the stream."""
    (tmp_path / "index.html").write_bytes(INDEX)
    server = ServerProcess(tmp_path)
    page, shown = showing(server, content=None)
    async with page, client_of(server) as client:
        shown.replies["summary"] = {"page_type": "captcha"}
        finished = await done(server, "go", url="/x")
        shown.replies["summary"] = {"page_type": "page"}
        task = {"goal": "go", "params": {"url": "/x"}}
        async with events_of(client, "POST", "/a2a/tasks", json=task) as events:
            for _ in range(3):
                number, event = await anext(events)
            server.kill()
            with pytest.raises(httpx.TransportError):
                await anext(events)
    with serving(tmp_path) as again:
        async with client_of(again) as client:
            kept = (await client.get(f"/a2a/tasks/{finished['id']}")).json()
            left = (await client.get(f"/a2a/tasks/{event['id']}")).json()
            back = {"last-event-id": number}
            async with events_of(client, "POST", "/a2a/tasks", json=task, headers=back) as events:
                told = [data async for _, data in events]
    with closing(sqlite3.connect(kept_by(again))) as file:
        (count,) = file.execute("SELECT count(*) FROM tasks").fetchone()

    assert kept == finished
    assert (left["status"], left["steps"]) == ("failed", event["steps"])
    assert "restarted" in left["error"]
    assert told == [left]
    assert count == 2


async def test_a_server_that_ends_closes_its_streams(tmp_path: Path) -> None:
    """Ctrl-C during a task is as fast as ever."""
    (tmp_path / "index.html").write_bytes(INDEX)
    server = ServerProcess(tmp_path)
    page, _ = showing(server, content=None)
    async with page, client_of(server) as client:
        task = {"goal": "go", "params": {"url": "/x"}}
        async with events_of(client, "POST", "/a2a/tasks", json=task):
            await asked_for(page, "content")
            await asyncio.to_thread(server.stop)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"host": "evil.example"},
        {"sec-fetch-site": "cross-site"},
    ],
)
async def test_no_task_is_begun_from_another_site(server: Server, headers: dict[str, str]) -> None:
    """Not even with the token; no page is called, and nothing is kept."""
    page, shown = showing(server)
    async with page, client_of(server, **headers) as client:
        answer = await client.post("/a2a/tasks", json={"goal": "go", "params": {"url": "/x"}})

    assert answer.status_code in (400, 403, 421)
    assert "access-control-allow-origin" not in answer.headers
    assert shown.acts == []


async def test_too_many_unfinished_tasks_are_refused(
    config: ServeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the stream, with a remedy; with the endpoint off the path does not exist."""
    monkeypatch.setattr("webagent_dev.agents.tasks.tasks.MOST_TASKS", 0)
    task = {"goal": "go", "params": {"url": "/x"}}
    async with asking(config) as client:
        assert "cancel them" in refused(
            await client.post("/a2a/tasks", json=task), 429, "rate_limited"
        )
    async with asking(replace(config, doors="off")) as client:
        assert (await client.get("/a2a/tasks/x")).status_code == 404
        assert (await client.post("/a2a/tasks", json=task)).status_code == 405
    async with asking(replace(config, doors="open"), authorization="") as client:
        assert (await client.get("/a2a/tasks/x")).status_code == 404


@pytest.mark.process
def test_a_server_without_tasks_loads_no_worker(tmp_path: Path) -> None:
    """It starts as fast and small as without the endpoint."""
    program = (
        "import io, sys, webagent_dev.app.services\n"
        "from pathlib import Path\n"
        "from webagent_dev import app\n"
        "from webagent_dev.config.model import ServeConfig\n"
        "from webagent_site.http.assets import Assets\n"
        "from webagent_dev.site.state import Site\n"
        "from webagent_dev.terminal import Console\n"
        "root = Path(sys.argv[1]).resolve()\n"
        "app.create_app(ServeConfig(root=root), Site(root), Assets(),\n"
        "               Console(io.StringIO()))\n"
        "print(sorted({'sqlite3', 'webagent.agent', 'webagent_dev.agents.goal_api.worker'}\n"
        "             & sys.modules.keys()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]", done.stderr


async def test_a_tab_without_a_next_page_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """With possible reasons; a tab with one is worked on, whatever else comes."""
    monkeypatch.setattr("webagent_dev.agents.goal_api.tab.NEXT_PAGE_S", 0.05)
    pages = OpenPages(lambda: tabs.pages_changed())
    tabs = Tabs(pages)
    hub = Hub()

    def opened(tab: str) -> OpenPage:
        hello = PageHello(tab, "d", "http://shop.test/", "Shop", False, "1")
        return pages.register(hello, hub.join())

    page = opened("tab")
    with pytest.raises(PageGone, match="the tab no longer shows a page of this site"):
        await tabs.next_page(page)
    monkeypatch.setattr("webagent_dev.agents.goal_api.tab.NEXT_PAGE_S", 20)
    waiting = asyncio.ensure_future(tabs.next_page(page))
    await asyncio.sleep(0)
    opened("other")
    await asyncio.sleep(0)
    assert not waiting.done()
    again = opened("tab")

    assert await waiting is again
