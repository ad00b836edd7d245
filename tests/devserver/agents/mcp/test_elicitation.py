"""MCP: questions to the user of a client, for tools and for the agent of the page."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp_types import ElicitResult

from tests.devserver.agents.client import AGES, CANCEL, connected, text
from tests.page_client import ClientPage, echo, good, silent
from tests.server import Server

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize("age", AGES)
async def test_irreversible_calls_need_approval(server: Server, age: str) -> None:
    """If the client can show a form; a no is reported as such, and nothing is called."""
    asked: list[str] = []
    answers = [
        ElicitResult(action="decline"),
        ElicitResult(action="accept", content={"yes": False}),
        ElicitResult(action="accept", content={"yes": True}),
    ]

    async def ask(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return answers[len(asked) - 1]

    page = ClientPage(server, tools=(CANCEL,), answer=echo)
    async with page, connected(server, age, elicitation_callback=ask) as client:
        results = [await client.call_tool("cancelOrder", {"id": 7}) for _ in answers]
        assert len([message for message in page.heard if message["type"] == "call"]) == 1

    assert [result.is_error for result in results] == [True, True, False]
    assert "denied: the user does not want `cancelOrder`" in text(results[0])
    assert "`cancelOrder` of http://shop.test cannot be undone" in asked[0]
    assert '"id": 7' in asked[0]


@pytest.mark.parametrize("age", AGES)
async def test_a_client_without_forms_asks_in_its_own_way(server: Server, age: str) -> None:
    """Hosts let the user approve every tool that does not only read."""
    page = ClientPage(server, tools=(CANCEL,), answer=echo)
    async with page, connected(server, age) as client:
        result = await client.call_tool("cancelOrder", {"id": 7})

    assert not result.is_error


QUESTION = {"kind": "question", "text": "Which one?", "details": {}}
APPROVAL = {
    "kind": "approval",
    "text": "May I add it?",
    "details": {"tool": "addToBasket", "session": True, "arguments": {"n": "\u202e0001"}},
}
CLICK = {
    "kind": "approval",
    "text": "May I press it?",
    "details": {
        "session": True,
        "grants": [{"key": "click Add on /"}, {"key": "kind:button on /"}],
    },
}
OUTCOME = {"ok": True, "text": "Done.", "value": [1], "goal": "buy", "steps": 2, "calls": []}


@pytest.mark.parametrize("age", AGES)
async def test_the_agent_works_and_asks_through_the_client(server: Server, age: str) -> None:
    """Its steps are progress, its questions forms, its outcome the result."""
    page = ClientPage(server, answer=silent)
    forms: list[Any] = []
    heard: list[str | None] = []

    async def ask(_: Any, params: Any) -> ElicitResult:
        forms.append(params)
        content: dict[str, Any] = (
            {"text": "the red one"},
            {"yes": True, "session": True},
            {"yes": True, "grant": "kind:button on /"},
            {"yes": True, "stop": True},
        )[len(forms) - 1]
        return ElicitResult(action="accept", content=content)

    async def hear(_: float, __: float | None, message: str | None) -> None:
        heard.append(message)

    async with page, connected(server, age, elicitation_callback=ask) as client:
        given = {"goal": "buy", "steps": 5}
        calling = asyncio.ensure_future(client.call_tool("run_goal", given, progress_callback=hear))
        call = await page.told("call")
        step = {"number": 1, "tool": "searchBooks", "state": "started", "why": "to look"}
        await page.event("agent", run_id="r", type="step", **step)
        await page.say("question", id=call["id"], question="q1", request=QUESTION)
        first = await page.told("answer")
        await page.say("question", id=call["id"], question="q2", request=APPROVAL)
        second = await page.told("answer", 2)
        await page.say("question", id=call["id"], question="q3", request=CLICK)
        third = await page.told("answer", 3)
        await page.say("question", id=call["id"], question="q4", request=CLICK)
        fourth = await page.told("answer", 4)
        await page.say("result", id=call["id"], result=good(OUTCOME))
        result = await calling

    assert third["answer"]["grant"] == "kind:button on /"
    assert fourth["answer"]["stop"] is True
    assert call["arguments"] == {"goal": "buy", "budget": {"steps": 5}}
    assert (first["question"], first["answer"]["yes"]) == ("q1", True)
    assert first["answer"]["text"] == "the red one"
    rest = {"session": True, "files": [], "stop": False}
    assert second["answer"] == {"yes": True, "text": ""} | rest
    assert "addToBasket" in forms[1].message
    assert "⟨202E⟩0001" in forms[1].message
    assert heard == ["step 1: searchBooks – to look"]
    assert text(result) == "Done."
    assert result.structured_content["value"] == [1]
    assert "calls" not in result.structured_content


@pytest.mark.parametrize("age", AGES)
async def test_without_a_user_the_agent_gets_a_no(server: Server, age: str) -> None:
    """Only a plan is approved; the reason of the failure is reported."""
    page = ClientPage(server, answer=silent)
    async with page, connected(server, age) as client:
        calling = asyncio.ensure_future(client.call_tool("run_goal", {"goal": "buy"}))
        call = await page.told("call")
        for number, kind in enumerate(("plan", "approval", "file"), 1):
            request = {"kind": kind, "text": "?", "details": {}}
            await page.say("question", id=call["id"], question=kind, request=request)
            assert (await page.told("answer", number))["answer"]["yes"] == (kind == "plan")
        error = {"kind": "denied", "message": "nobody agreed"}
        failed = {**OUTCOME, "ok": False, "error": error, "text": "I may not."}
        await page.say("result", id=call["id"], result=good(failed))
        result = await calling

    assert result.is_error
    assert "denied: nobody agreed" in text(result)
    assert "I may not." in text(result)


async def test_an_agent_that_repeats_its_error_is_quoted_once(server: Server) -> None:
    """Its last words are often the error itself."""
    page = ClientPage(server, answer=silent)
    async with page, connected(server) as client:
        calling = asyncio.ensure_future(client.call_tool("run_goal", {"goal": "fly"}))
        call = await page.told("call")
        error = {"kind": "not_reached", "message": "nothing here flies"}
        failed = {**OUTCOME, "ok": False, "error": error, "text": "nothing here flies"}
        await page.say("result", id=call["id"], result=good(failed))
        result = await calling

    assert result.is_error
    assert text(result) == "not_reached: nothing here flies"


async def test_an_approval_is_for_one_page(server: Server) -> None:
    """The same step in the page that has the focus meanwhile is asked about again."""
    shown = {"elements": [{"id": 3, "role": "button", "name": "Delete"}], "text": "Delete"}
    step = {"do": "click", "on": "3", "accept": "Sure?"}
    asked: list[str] = []

    def answer(call: dict[str, Any]) -> dict[str, Any]:
        is_look = call["arguments"]["action"]["type"] == "snapshot"
        return good(shown if is_look else {"did": "clicked"})

    async def ask(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        if len(asked) == 1:
            await one.greet(focused=False)
            await other.greet(focused=True)
        return ElicitResult(action="accept", content={"yes": True})

    one = ClientPage(server, "one", answer=answer, focused=True)
    other = ClientPage(server, "other", answer=answer, url=f"{server.url}/account")
    async with one, other, connected(server, elicitation_callback=ask) as client:
        result = await client.call_tool("page_act", {"steps": [step]})

    assert not result.is_error, text(result)
    assert len(asked) == 2
    assert asked[1].startswith(f"`click Delete` of {server.url}/account cannot be undone")
