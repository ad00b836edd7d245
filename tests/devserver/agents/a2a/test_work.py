"""An open page works on the tasks of A2A clients, by either binding."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from tests.devserver.agents.a2a.client import A2a, Failed, message, states, words
from tests.page_client import ClientPage, echo, good, silent
from tests.server import Server, hosting

WRITE = {
    "name": "search",
    "source": "manifest",
    "effect": "read",
    "description": "Finds books.",
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}},
}
CANCEL = {"name": "cancelOrder", "source": "form", "effect": "irreversible"}
OUTCOME = {"ok": True, "text": "there are two", "value": {"found": 2}, "steps": 1}


def done(call: dict[str, Any]) -> dict[str, Any] | None:
    """Reach every goal, and answer every call with its arguments."""
    return good(OUTCOME) if call["kind"] == "goal" else echo(call)


async def test_a_goal_is_reached_in_the_page(server: Server, a2a: A2a) -> None:
    """The client waits for it, and receives the outcome as text and data."""
    async with ClientPage(server, answer=done) as page:
        task = await a2a.send("how many books are there?")
        call = await page.told("call")

    assert (call["kind"], call["arguments"]) == ("goal", {"goal": "how many books are there?"})
    assert call["caller"] == "A2A"
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    (artifact,) = task["artifacts"]
    assert artifact["parts"][0] == {"text": "there are two"}
    assert artifact["parts"][1]["data"] == {"found": 2}
    assert task["history"][0]["parts"] == [{"text": "how many books are there?"}]
    assert task["history"][0]["taskId"] == task["id"]


async def test_a_stream_reports_the_work_of_the_agent(server: Server, a2a: A2a) -> None:
    """The task first, then its steps, its artifacts and its end."""
    events = []
    async with ClientPage(server, answer=silent) as page:
        async for event in a2a.stream("SendStreamingMessage", **message("find books")):
            events.append(event)
            if "task" in event:
                call = await page.told("call")
                await page.event("agent", run_id="r", type="started", goal="find books")
                step = {"number": 1, "tool": "search", "why": "to see", "state": "started"}
                await page.event("agent", run_id="r", type="step", **step)
                await page.event("agent", run_id="r", type="spent", steps=1)
                await page.say("result", id=call["id"], result=good(OUTCOME))

    assert states(events) == ["WORKING", "WORKING", "artifact", "COMPLETED"]
    step_told = events[1]["statusUpdate"]
    assert words(step_told) == "step 1: search – to see"
    assert step_told["status"]["message"]["metadata"] == {"step": 1}
    assert step_told["taskId"] == events[0]["task"]["id"]
    assert words(events[3]["statusUpdate"]) == "there are two"


async def test_a_client_calls_a_tool_by_its_name(server: Server, a2a: A2a) -> None:
    """The agent takes no part, and the result is data."""
    async with ClientPage(server, answer=done, tools=(WRITE,)) as page:
        part = {"data": {"tool": "search", "arguments": {"query": "sea"}}}
        task = await a2a.send(part)
        call = await page.told("call")

    assert (call["kind"], call["name"], call["arguments"]) == ("tool", "search", {"query": "sea"})
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert task["artifacts"][0]["name"] == "search"
    assert task["artifacts"][0]["parts"][0]["data"] == {"query": "sea"}


async def test_a_client_sees_the_tools_of_the_page(server: Server, a2a: A2a) -> None:
    """They are JSON like all messages, and hold no functions."""
    async with ClientPage(server, answer=done, tools=(WRITE,)):
        task = await a2a.send("hello")
    assert task["metadata"]["tools"] == [
        {
            "name": "search",
            "description": "Finds books.",
            "inputSchema": WRITE["input_schema"],
        }
    ]


async def test_a_tool_that_fails_fails_the_task(server: Server, a2a: A2a) -> None:
    """The error is in the task as text and as data."""
    error = {"kind": "threw", "message": "out of stock", "help": "try another"}
    failed = {**good(None), "ok": False, "error": error}
    async with ClientPage(server, answer=lambda _: failed):
        task = await a2a.send({"data": {"tool": "search", "arguments": {}}})
    assert task["status"]["state"] == "TASK_STATE_FAILED"
    assert words(task) == "out of stock - try another"
    assert task["status"]["message"]["parts"][1]["data"]["error"] == error


async def test_tables_and_pictures_are_artifacts(server: Server, a2a: A2a) -> None:
    """Each table is data of its own, and each picture a file."""
    tables = [
        {"caption": "Prices", "headers": ["a"], "rows": [["1"]]},
        {"caption": "", "headers": ["b"], "rows": []},
    ]
    files = [{"name": "page.png", "type": "image/png", "data": "aGk="}]
    outcome = {**OUTCOME, "value": {"tables": tables}, "files": files}
    async with ClientPage(server, answer=lambda _: good(outcome)):
        task = await a2a.send("read the prices")
    picture, result = task["artifacts"]
    assert picture["parts"] == [{"raw": "aGk=", "filename": "page.png", "mediaType": "image/png"}]
    assert [part.get("data") for part in result["parts"]] == [None, *tables]
    assert result["parts"][1]["metadata"] == {"kind": "table", "caption": "Prices"}


async def test_files_of_a_tool_are_parts(server: Server, a2a: A2a) -> None:
    """The data name each file, whose bytes are a part of their own."""
    chart = {"$type": "file", "value": "iVBORw0KGgo=", "name": "chart.png", "type": ""}
    async with ClientPage(server, answer=lambda _: good({"n": 1, "chart": chart}), tools=(WRITE,)):
        task = await a2a.send({"data": {"tool": "search", "arguments": {"query": "sea"}}})
    data, file = task["artifacts"][0]["parts"]
    named = {"file": "chart.png", "type": "image/png", "size": 8}
    assert data["data"] == {"n": 1, "chart": named}
    assert file == {"raw": "iVBORw0KGgo=", "filename": "chart.png", "mediaType": "image/png"}


async def test_a_client_can_get_the_task_later(server: Server, a2a: A2a) -> None:
    """The result is the same."""
    async with ClientPage(server, answer=silent) as page:
        task = (await a2a.ask("SendMessage", **message("go", at_once=True)))["task"]
        assert task["status"]["state"] == "TASK_STATE_WORKING"
        call = await page.told("call")
        await page.say("result", id=call["id"], result=good(OUTCOME))
        done_task = await a2a.until(task["id"], "COMPLETED")
    assert done_task["artifacts"]


async def test_a_task_is_cancelled_in_the_page_too(server: Server, a2a: A2a) -> None:
    """A second cancellation is refused, since the task has ended."""
    async with ClientPage(server, answer=silent) as page:
        task = (await a2a.ask("SendMessage", **message("go", at_once=True)))["task"]
        call = await page.told("call")
        ended = await a2a.ask("CancelTask", id=task["id"])
        assert (await page.told("cancel"))["id"] == call["id"]
    assert ended["status"]["state"] == "TASK_STATE_CANCELED"
    with pytest.raises(Failed) as failed:
        await a2a.ask("CancelTask", id=task["id"])
    assert failed.value.code in (-32002, 409)
    assert failed.value.reason == "TASK_NOT_CANCELABLE"


async def test_all_subscribers_get_the_same_events(server: Server, a2a: A2a) -> None:
    """A client that has lost its stream gets the task as it is, and the later events."""
    async with ClientPage(server, answer=silent) as page:
        first = a2a.stream("SendStreamingMessage", **message("go"))
        task = (await anext(first))["task"]
        await first.aclose()  # type: ignore[attr-defined]
        call = await page.told("call")

        async def follow(begun: asyncio.Event) -> list[dict[str, Any]]:
            seen = []
            async for event in a2a.stream("SubscribeToTask", id=task["id"]):
                seen.append(event)
                begun.set()
            return seen

        begun = [asyncio.Event(), asyncio.Event()]
        following = [asyncio.ensure_future(follow(one)) for one in begun]
        for one in begun:
            await one.wait()
        await page.say("progress", id=call["id"], message="half way")
        await page.say("result", id=call["id"], result=good(OUTCOME))
        seen, same = await asyncio.gather(*following)

    assert states(seen) == ["WORKING", "WORKING", "artifact", "COMPLETED"]
    assert seen == same
    assert words(seen[1]["statusUpdate"]) == "half way"
    with pytest.raises(Failed) as failed:
        await anext(a2a.stream("SubscribeToTask", id=task["id"]))
    assert failed.value.reason == "UNSUPPORTED_OPERATION"


async def test_a_page_that_goes_away_fails_its_task(server: Server, a2a: A2a) -> None:
    """It fails with that reason, also while a question is open."""
    async with ClientPage(server, answer=silent) as page:
        sending = asyncio.ensure_future(a2a.send("go"))
        call = await page.told("call")
        request = {"kind": "question", "text": "Which?", "details": {}}
        await page.say("question", id=call["id"], question="q", request=request)
        asked = await sending
    task = await a2a.until(asked["id"], "FAILED")
    assert "the page went away" in words(task)


async def test_without_a_page_the_error_says_how_to_open_one(a2a: A2a) -> None:
    """The error is that of a failed task."""
    task = await a2a.send("go")
    assert task["status"]["state"] == "TASK_STATE_FAILED"
    assert "no page of this site is open - open one in a browser" in words(task)


@pytest.mark.parametrize(
    "goal",
    [
        "read https://other.example/a and tell me",
        "go to http://127.0.0.1:1/",
        "look at https://localhost.evil.example:8000/",
        "HTTP://169.254.169.254/latest",
    ],
)
async def test_a_task_on_another_origin_is_rejected(server: Server, a2a: A2a, goal: str) -> None:
    """The error names the origin that this agent works on; the page receives nothing."""
    async with ClientPage(server, answer=done) as page:
        task = await a2a.send(goal)
        assert [heard["type"] for heard in page.heard].count("call") == 0
    assert task["status"]["state"] == "TASK_STATE_REJECTED"
    assert f"this agent works on the pages of {server.url}" in words(task)


async def test_a_goal_may_name_one_allowed_origin(tmp_path: Path) -> None:
    """The error names the option for another; two at a time are too many."""
    allowed = ("https://shop.example", "https://two.example")
    options = [option for origin in allowed for option in ("--allow-origin", origin)]
    with hosting(tmp_path, "--headless", *options) as server:
        async with A2a(server) as client:
            other = words(await client.send("read https://shop.example.evil.test/a"))
            two = words(await client.send("compare https://shop.example/ and https://two.example/"))
    assert "`--headless --allow-origin https://shop.example.evil.test`" in other
    assert "the goal names two other origins" in two


async def test_an_address_of_the_site_is_part_of_a_goal(server: Server, a2a: A2a) -> None:
    """The address may have any name of this machine."""
    port = server.url.rsplit(":", 1)[1]
    async with ClientPage(server, answer=done):
        task = await a2a.send(f"read {server.url}/a.html, and http://localhost:{port}/b.html.")
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"


async def test_a_message_that_asks_for_nothing_is_answered_with_text(a2a: A2a) -> None:
    """It starts no task, not even as a stream."""
    answer = await a2a.ask("SendMessage", **message("  "))
    assert answer["message"]["role"] == "ROLE_AGENT"
    assert "write a goal in words" in answer["message"]["parts"][0]["text"]
    events = [each async for each in a2a.stream("SendStreamingMessage", **message(" "))]
    assert [list(event) for event in events] == [["message"]]


async def test_a_page_is_named_by_its_id(server: Server, a2a: A2a) -> None:
    """If several are open and none has the focus, the error lists them."""
    async with (
        ClientPage(server, "one", answer=done),
        ClientPage(server, "two", answer=done) as two,
    ):
        task = await a2a.send("go", metadata={"page_id": "two"})
        assert (await two.told("call"))["kind"] == "goal"
        unclear = await a2a.send("go")
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert "2 pages are open, and none has the focus: `one`" in words(unclear)


async def test_tasks_are_listed_the_latest_first(server: Server, a2a: A2a) -> None:
    """The list comes in pages, can be of one conversation, and has artifacts on request."""
    async with ClientPage(server, answer=done):
        first = await a2a.send("a")
        context = {"contextId": first["contextId"]}
        ids = [first["id"], *[(await a2a.send(text, **context))["id"] for text in "bc"]]
    page = await a2a.ask("ListTasks", **context, pageSize=2)
    assert [task["id"] for task in page["tasks"]] == ids[:0:-1]
    assert (page["totalSize"], page["pageSize"]) == (3, 2)
    assert "artifacts" not in page["tasks"][0]
    rest = await a2a.ask(
        "ListTasks", **context, pageSize=2, pageToken=page["nextPageToken"], includeArtifacts=True
    )
    assert [task["id"] for task in rest["tasks"]] == ids[:1]
    assert rest["tasks"][0]["artifacts"]
    assert rest["nextPageToken"] == ""
    failed = await a2a.ask("ListTasks", **context, status="TASK_STATE_FAILED")
    assert failed["tasks"] == []
    after = page["tasks"][0]["status"]["timestamp"]
    late = await a2a.ask("ListTasks", **context, statusTimestampAfter=after, historyLength=0)
    assert "history" not in late["tasks"][0]


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ([{"data": {"tool": 5}}], "parts[0].data.tool"),
        ([{"data": {"tool": "search", "arguments": [1]}}], "parts[0].data.arguments"),
        ([{"data": {"tool": "search", "args": {}}}], "parts[0].data.args"),
        ([{"data": {"goal": "find"}}], "parts[0].data"),
        ([{"data": {"tool": "a"}}, {"data": {"tool": "b"}}], "parts[1].data"),
    ],
)
async def test_malformed_calls_are_refused(
    a2a: A2a, parts: list[dict[str, Any]], path: str
) -> None:
    """The error names the fault, and nothing is called."""
    with pytest.raises(Failed, match=re.escape(f"`params.message.{path}` is missing or wrong")):
        await a2a.send(*parts)


async def test_goals_in_one_tab_wait_for_each_other(server: Server, a2a: A2a) -> None:
    """The page gets the second once the first is done."""
    async with ClientPage(server, answer=lambda _: None) as page:
        sending = [asyncio.ensure_future(a2a.send(goal)) for goal in ("first", "second")]
        first = await page.told("call")
        await page.say("result", id=first["id"], result=good(OUTCOME))
        second = await page.told("call", 2)
        waiting = [heard["type"] for heard in page.heard].count("call")
        await page.say("result", id=second["id"], result=good(OUTCOME))
        ended = await asyncio.gather(*sending)

    assert waiting == 2
    assert [task["status"]["state"] for task in ended] == ["TASK_STATE_COMPLETED"] * 2


async def test_a_goal_that_is_not_reached_has_failed(server: Server, a2a: A2a) -> None:
    """The client did not end it; a repeated text is shown once."""
    outcome = {
        "ok": False,
        "text": "nothing fits",
        "error": {"kind": "cancelled", "message": "nothing fits"},
    }
    async with ClientPage(server, answer=lambda _: good(outcome)):
        task = await a2a.send("bake bread")

    assert task["status"]["state"] == "TASK_STATE_FAILED"
    assert words(task) == "nothing fits"
