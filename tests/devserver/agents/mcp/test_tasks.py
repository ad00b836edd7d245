"""Calls that take long, as tasks of the protocol's extension, through its official client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, ElicitResult, Request

from tests.devserver.agents.client import connected, text
from tests.devserver.agents.task_client import (
    Anything,
    TaskExtension,
    begin,
    send,
    until,
)
from tests.devserver.conftest import INDEX, MANIFEST
from tests.page_client import ClientPage, good, silent
from tests.server import Server, hosting
from webagent_dev.agents.mcp import tasks
from webagent_dev.agents.mcp.tasks import EXTENSION
from webagent_site.config.folders import state_path

pytestmark = pytest.mark.usefixtures("nothing_left")

OUTCOME = {"ok": True, "text": "Done.", "value": [1], "goal": "buy", "steps": 2}
QUESTION = {"kind": "question", "text": "Which one?", "details": {}}


class Misnamed(Request[dict[str, Any], str]):
    """With another id in the header `Mcp-Name`."""

    name_param = "other"


class Unnamed(Request[dict[str, Any], str]):
    """Without this header."""


async def _never_asked(_: Any, __: Any) -> ElicitResult:
    raise AssertionError


@asynccontextmanager
async def taking_tasks(server: Server, *, asks: bool = True) -> AsyncIterator[Client]:
    """Connect a client that takes tasks, and that can ask its user."""
    able: dict[str, Any] = {"elicitation_callback": _never_asked} if asks else {}
    async with connected(server, extensions=[TaskExtension()], **able) as client:
        yield client


async def test_a_long_run_becomes_a_task(server: Server) -> None:
    """Its steps are its message, its question an input request, its outcome the inlined result."""
    async with ClientPage(server, answer=silent) as page, taking_tasks(server) as client:
        calling = asyncio.ensure_future(begin(client, "run_goal", {"goal": "buy"}))
        call = await page.told("call")
        handle = await calling
        name = handle["taskId"]
        step = {"number": 1, "tool": "searchBooks", "state": "started"}
        await page.event("agent", run_id="r", type="step", **step)
        working = await until(client, name, "working", statusMessage="step 1: searchBooks")
        await page.say("question", id=call["id"], question="q1", request=QUESTION)
        asked = await until(client, name, "input_required")
        again = await send(client, "get", name)
        answer = {"action": "accept", "content": {"text": "the red one"}}
        acknowledged = await send(
            client, "update", name, inputResponses={"q1": answer, "q9": {"odd": True}}
        )
        answered = await page.told("answer")
        await until(client, name, "working")
        await page.say("result", id=call["id"], result=good(OUTCOME))
        done = await until(client, name, "completed")

    assert {"taskId", "status", "createdAt", "ttlMs"} < handle.keys()
    assert not {"result", "inputRequests", "error", "requestState"} & handle.keys()
    assert datetime.fromisoformat(handle["createdAt"]).utcoffset() is not None
    assert working.keys() == {*handle, "statusMessage"}
    assert asked["inputRequests"] == again["inputRequests"]
    assert asked["inputRequests"]["q1"]["method"] == "elicitation/create"
    assert asked["inputRequests"]["q1"]["params"]["message"] == "Which one?"
    assert acknowledged.keys() - {"_meta"} == {"resultType"}
    assert answered["answer"]["text"] == "the red one"
    result = CallToolResult.model_validate(done["result"])
    assert text(result) == "Done."
    assert result.structured_content["steps"] == 2
    assert "inputRequests" not in done


async def test_a_short_call_has_its_result_at_once(server: Server) -> None:
    """Also for a client that takes tasks."""
    async with ClientPage(server), taking_tasks(server) as client:
        result = await client.session.call_tool("search", {"query": "tea"}, allow_claimed=True)

    assert isinstance(result, CallToolResult)
    assert text(result) == '{"query": "tea"}'


@pytest.mark.parametrize("kind", ["tool", "named", "program"])
async def test_each_kind_of_call_may_take_long(server: Server, kind: str) -> None:
    """Its result is the same as without a task; an error of the tool is a result, too."""
    name, arguments = {
        "tool": ("search", {}),
        "named": ("call_page_tool", {"name": "search"}),
        "program": ("execute_js", {"code": "1"}),
    }[kind]
    async with ClientPage(server, answer=silent) as page, taking_tasks(server) as client:
        tasks_of = [await begin(client, name, arguments) for _ in range(2)]
        calls = [await page.told("call", 1), await page.told("call", 2)]
        await page.say("result", id=calls[0]["id"], result=good([7]))
        error = {"kind": "failed", "message": "no tea"}
        failed = {**good(None), "ok": False, "error": error}
        await page.say("result", id=calls[1]["id"], result=failed)
        done, wrong = [await until(client, one["taskId"], "completed") for one in tasks_of]

    value = {"tool": [7], "named": {"value": [7]}, "program": {"value": [7], "logs": []}}[kind]
    assert done["result"]["structuredContent"] == value
    assert wrong["result"]["isError"] is True
    assert "no tea" in wrong["result"]["content"][0]["text"]


async def test_a_client_that_declares_nothing_gets_no_task(server: Server) -> None:
    """It waits for its result, and is told which capability the methods of tasks need."""
    async with ClientPage(server, answer=silent) as page, connected(server) as client:
        calling = asyncio.ensure_future(client.call_tool("search", {}))
        call = await page.told("call")
        await asyncio.sleep(1.5)
        assert not calling.done()
        await page.say("result", id=call["id"], result=good("late"))
        assert text(await calling) == "late"
        for method, more in (("get", {}), ("update", {"inputResponses": {}}), ("cancel", {})):
            with pytest.raises(MCPError, match=EXTENSION) as raised:
                await send(client, method, "x", **more)
            assert raised.value.error.code == -32021
            assert raised.value.error.data == {
                "requiredCapabilities": {"extensions": {EXTENSION: {}}}
            }


async def test_a_task_is_cancelled_in_the_page(server: Server) -> None:
    """Twice does no harm; afterwards it stays cancelled."""
    async with ClientPage(server, answer=silent) as page, taking_tasks(server) as client:
        name = (await begin(client, "search", {}))["taskId"]
        await send(client, "cancel", name)
        await page.told("cancel")
        task = await until(client, name, "cancelled")
        await send(client, "cancel", name)
        await send(client, "update", name, inputResponses={"q": {}})
        assert await send(client, "get", name) == task

    assert not {"result", "error"} & task.keys()


async def test_only_a_task_of_this_protocol_is_found(server: Server) -> None:
    """By its id, which the header may not contradict."""
    async with ClientPage(server, answer=silent), taking_tasks(server) as client:
        name = (await begin(client, "search", {}))["taskId"]
        with pytest.raises(MCPError, match="there is no task of that id") as unknown:
            await send(client, "get", "nothing")
        wrong = Misnamed(method="tasks/get", params={"taskId": name, "other": "x"})
        bare = Unnamed(method="tasks/get", params={"taskId": name})
        for request in (wrong, bare):
            with pytest.raises(MCPError, match="`Mcp-Name` is not the id of the") as misnamed:
                await client.session.send_request(request, Anything)
        await send(client, "cancel", name)

    assert unknown.value.error.code == -32602
    assert misnamed.value.error.code == -32020


async def test_an_answer_has_to_be_one(server: Server) -> None:
    """The question stays open until it is."""
    async with ClientPage(server, answer=silent) as page, taking_tasks(server) as client:
        name = (await begin(client, "search", {}))["taskId"]
        call = await page.told("call")
        await page.say("question", id=call["id"], question="q1", request=QUESTION)
        await until(client, name, "input_required")
        with pytest.raises(MCPError, match="is not the result of an `elicitation/create`"):
            await send(client, "update", name, inputResponses={"q1": {"action": "maybe"}})
        assert (await send(client, "get", name))["status"] == "input_required"
        await send(client, "update", name, inputResponses={"q1": {"action": "decline"}})
        assert (await page.told("answer"))["answer"]["yes"] is False
        await send(client, "cancel", name)


async def test_two_questions_are_answered_one_by_one(server: Server) -> None:
    """The task waits for the rest."""
    async with ClientPage(server, answer=silent) as page, taking_tasks(server) as client:
        name = (await begin(client, "search", {}))["taskId"]
        call = await page.told("call")
        for question in ("q1", "q2"):
            await page.say("question", id=call["id"], question=question, request=QUESTION)
        async with asyncio.timeout(20):
            while len((await until(client, name, "input_required"))["inputRequests"]) < 2:
                pass
        answer = {"action": "accept", "content": {"text": "yes"}}
        await send(client, "update", name, inputResponses={"q1": answer})
        left = await send(client, "get", name)
        await send(client, "update", name, inputResponses={"q2": answer})
        assert (await send(client, "get", name))["status"] == "working"
        await page.say("result", id=call["id"], result=good("ok"))
        await until(client, name, "completed")

    assert (left["status"], [*left["inputRequests"]]) == ("input_required", ["q2"])


async def test_without_a_user_a_task_gets_a_no(server: Server) -> None:
    """As a call does."""
    async with (
        ClientPage(server, answer=silent) as page,
        taking_tasks(server, asks=False) as client,
    ):
        name = (await begin(client, "run_goal", {"goal": "buy"}))["taskId"]
        call = await page.told("call")
        request = {"kind": "approval", "text": "?", "details": {}}
        await page.say("question", id=call["id"], question="q1", request=request)
        assert (await page.told("answer"))["answer"]["yes"] is False
        assert (await send(client, "get", name))["status"] == "working"
        await send(client, "cancel", name)


async def test_nobody_answers(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The task ends with an error that says so."""
    monkeypatch.setattr(tasks, "ANSWER_S", 0.2)
    async with ClientPage(server, answer=silent) as page, taking_tasks(server) as client:
        name = (await begin(client, "search", {}))["taskId"]
        call = await page.told("call")
        await page.say("question", id=call["id"], question="q1", request=QUESTION)
        task = await until(client, name, "completed")

    assert "nobody has answered within 0.2 s" in task["result"]["content"][0]["text"]


async def test_secrets_of_the_client_are_not_kept(server: Server) -> None:
    """Neither those of the goal nor those of an answer; all else is as the page gave it."""
    asked = {**QUESTION, "text": "Is it hunter-2-22?", "details": {"secret": True}}
    async with ClientPage(server, answer=silent) as page, taking_tasks(server) as client:
        goal = {"goal": "log in with the password hunter-2-22"}
        name = (await begin(client, "run_goal", goal))["taskId"]
        call = await page.told("call")
        await page.say("question", id=call["id"], question="q1", request=asked)
        shown = await until(client, name, "input_required")
        answer = {"action": "accept", "content": {"text": "code-90210"}}
        await send(client, "update", name, inputResponses={"q1": answer})
        await page.told("answer")
        said = {**OUTCOME, "text": "I typed hunter-2-22 and code-90210.", "value": {"tea": 12}}
        await page.say("result", id=call["id"], result=good(said))
        task = await until(client, name, "completed")

    assert shown["inputRequests"]["q1"]["params"]["message"] == "Is it •••?"
    assert task["result"]["content"][0]["text"] == "I typed ••• and •••."
    assert task["result"]["structuredContent"]["value"] == {"tea": 12}
    file = state_path(server.root, ".tasks.sqlite")
    kept = b"".join(part.read_bytes() for part in file.parent.glob(f"{file.name}*"))
    assert name.encode() in kept
    assert b"hunter-2-22" not in kept
    assert b"code-90210" not in kept


async def test_a_restart_ends_a_task(tmp_path: Any) -> None:
    """Its client is told that it has failed, and why."""
    (tmp_path / "index.html").write_bytes(INDEX)
    (tmp_path / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    with hosting(tmp_path) as server:
        async with ClientPage(server, answer=silent), taking_tasks(server) as client:
            running = (await begin(client, "search", {}))["taskId"]
    with hosting(tmp_path) as server:
        async with taking_tasks(server) as client:
            task = await send(client, "get", running)

    assert task["status"] == "completed"
    assert task["result"]["isError"]
    assert "the server was stopped before `search` answered" in task["result"]["content"][0]["text"]
