"""Calls from outside: sent to a page, followed, ended, and forgotten."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.devserver.live.test_open_pages import hello
from webagent_dev.live import relay as module
from webagent_dev.live.hub import Connection
from webagent_dev.live.messages import PageEvent, PageProgress, PageQuestion, PageResult
from webagent_dev.live.open_pages import OpenPage, OpenPages
from webagent_dev.live.relay import MOST_AT_ONCE, MOST_CHARACTERS, Relay

GOOD = {"ok": True, "value": 1, "logs": [], "calls": [], "duration_ms": 2.5}


class Desk:
    """A relay, its pages, and what each call has heard."""

    def __init__(self) -> None:
        self.pages = OpenPages(lambda: None)
        self.relay = Relay(self.pages)
        self.heard: list[tuple[str, dict[str, Any]]] = []

    def open(self, page_id: str = "tab") -> OpenPage:
        """Open a page, as the live channel does."""
        page = self.pages.greet(hello(page_id), Connection())
        self.relay.arrived(page)
        return page

    def close(self, page: OpenPage) -> None:
        """Close it, as the live channel does."""
        self.pages.leave(page.connection)
        self.relay.gone(page)

    def call(
        self, page_id: str = "tab", kind: Any = "tool", **changed: Any
    ) -> asyncio.Task[dict[str, Any]]:
        """Begin a call."""
        arguments = changed.pop("arguments", {})
        given = {"timeout_s": 20.0, "caller": "api", **changed}
        hear = lambda name, told: self.heard.append((name, told))  # noqa: E731
        name = "search" if kind == "tool" else ""
        return asyncio.ensure_future(
            self.relay.call(page_id, kind, name, arguments, hear=hear, **given)
        )


async def told(page: OpenPage) -> dict[str, Any]:
    """Return what a page is told next."""
    message: dict[str, Any] = json.loads(await asyncio.wait_for(page.connection.next(), 5))
    return message


def agent(run_id: str, kind: str, **fields: Any) -> PageEvent:
    return PageEvent("agent", {"run_id": run_id, "type": kind, **fields})


@pytest.fixture(name="desk")
async def _desk() -> Desk:
    return Desk()


async def test_a_call_goes_to_the_page_and_its_result_comes_back(desk: Desk) -> None:
    """With what was given, who asks and how long there is; nothing is left over."""
    page = desk.open()
    call = desk.call(arguments={"query": "Käse"}, timeout_s=1.5, caller="inspector")
    message = await told(page)
    desk.relay.take(PageResult(message["id"], GOOD), page)

    assert await call == GOOD
    assert message == {
        "v": 1,
        "type": "call",
        "id": message["id"],
        "kind": "tool",
        "name": "search",
        "arguments": {"query": "Käse"},
        "deadline_ms": 1500,
        "caller": "inspector",
    }
    assert len(desk.relay) == 0


async def test_calls_end_in_any_order(desk: Desk) -> None:
    """Each has its own id, which nobody can guess."""
    page = desk.open()
    calls = [desk.call() for _ in range(20)]
    ids = [(await told(page))["id"] for _ in calls]
    for number, call_id in reversed(list(enumerate(ids))):
        desk.relay.take(PageResult(call_id, {**GOOD, "value": number}), page)

    assert [(await call)["value"] for call in calls] == list(range(20))
    assert len(set(ids)) == 20
    assert all(len(call_id) >= 16 for call_id in ids)
    assert len(desk.relay) == 0


async def test_a_page_has_no_say_in_the_calls_of_another(desk: Desk) -> None:
    """Not even with the right id."""
    page, other = desk.open("one"), desk.open("two")
    call = desk.call("one", "goal")
    call_id = (await told(page))["id"]
    desk.relay.take(PageResult(call_id, {**GOOD, "value": "stolen"}), other)
    desk.relay.take(PageQuestion(call_id, "1", {}), other)
    desk.relay.take(PageProgress(call_id, "x"), other)
    desk.relay.take(agent("r", "finished"), other)
    desk.relay.take(PageResult("no such call", GOOD), page)
    desk.relay.take(PageResult(call_id, GOOD), page)
    desk.relay.take(PageResult(call_id, {**GOOD, "value": "late"}), page)

    assert (await call)["value"] == 1
    assert desk.heard == []


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"ok": True},
        {"ok": 1, "value": 1},
        {"ok": "true", "value": 1},
        {"ok": False},
        {"ok": False, "error": "it broke"},
        {"ok": False, "error": {"kind": "threw"}},
        {"ok": False, "error": {"kind": 1, "message": "x"}},
        {"value": 1},
    ],
)
async def test_what_is_no_result_is_a_fault_of_the_page(desk: Desk, result: dict[str, Any]) -> None:
    """Who waits gets a result all the same."""
    page = desk.open()
    call = desk.call()
    desk.relay.take(PageResult((await told(page))["id"], result), page)

    answer = await call
    assert answer["ok"] is False
    assert answer["error"]["kind"] == "internal"


async def test_of_a_result_only_its_own_fields_are_passed_on(desk: Desk) -> None:
    """What is missing or odd in it is made right."""
    page = desk.open()
    call = desk.call()
    odd: dict[str, Any] = {
        "ok": True,
        "value": None,
        "logs": "x",
        "duration_ms": True,
        "more": 1,
        "error": {},
    }
    desk.relay.take(PageResult((await told(page))["id"], odd), page)

    answer = await call
    assert isinstance(answer.pop("duration_ms"), float)
    assert answer == {"ok": True, "value": None, "logs": [], "calls": []}


async def test_without_a_page_a_call_fails_at_once(desk: Desk) -> None:
    """As a result like any other."""
    answer = await desk.call("nowhere")

    assert answer["error"]["kind"] == "no_page"
    assert answer["error"]["help"]


async def test_a_call_that_takes_too_long_is_given_up(desk: Desk) -> None:
    """The page is told, and its late result goes nowhere."""
    page = desk.open()
    call = desk.call(timeout_s=0.01)
    answer = await call
    sent, cancelled = await told(page), await told(page)
    desk.relay.take(PageResult(sent["id"], GOOD), page)

    assert answer["error"]["kind"] == "timeout"
    assert answer["error"]["message"] == "`search` gave no answer within 0.01 s"
    assert answer["error"]["tool"] == "search"
    assert cancelled == {"v": 1, "type": "cancel", "id": sent["id"]}
    assert len(desk.relay) == 0


async def test_the_opening_of_a_page_is_part_of_the_time_of_a_call(desk: Desk) -> None:
    """Who calls is told what it waits for; the page may come later."""
    desk.pages.open_one = asyncio.Event().wait  # type: ignore[assignment]
    answer = await asyncio.wait_for(desk.call("focused", timeout_s=0.01), 5)

    assert answer["error"]["kind"] == "timeout"
    assert answer["error"]["message"] == "no page was open within 0.01 s"
    assert answer["error"]["help"] == "one is being opened; ask again in a while"
    assert len(desk.relay) == 0


async def test_who_stops_waiting_cancels(desk: Desk) -> None:
    """The page is told."""
    page = desk.open()
    call = desk.call()
    sent = await told(page)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert await told(page) == {"v": 1, "type": "cancel", "id": sent["id"]}
    assert len(desk.relay) == 0


@pytest.mark.parametrize("kind", ["tool", "code", "prompt", "goal"])
async def test_a_page_that_goes_away_ends_its_calls_at_once(desk: Desk, kind: str) -> None:
    """A run that has not begun as well: no other page could take it up."""
    page, other = desk.open("tab"), desk.open("other")
    call, unhurt = desk.call(kind=kind), desk.call("other")
    await told(page)
    desk.close(page)

    answer = await asyncio.wait_for(call, 1)
    assert answer["error"]["kind"] == "page_gone"
    assert answer["error"]["help"]
    desk.relay.take(PageResult((await told(other))["id"], GOOD), other)
    assert (await unhurt)["ok"]


async def test_a_run_goes_on_in_the_next_page_of_its_tab(desk: Desk) -> None:
    """Its events, its questions and its end come from there; whoever asked hears no difference."""
    page = desk.open()
    call = desk.call(kind="goal", arguments={"goal": "buy it"}, call_id="run")
    await told(page)
    desk.relay.take(agent("r1", "started"), page)
    assert desk.relay.caller_of(page, "r1") == "api"
    desk.close(page)
    assert not desk.relay.answer("run", "q", {"yes": True})
    desk.open("another tab")
    following = desk.open()
    again = await told(following)
    desk.relay.take(agent("r1", "step"), following)
    desk.relay.take(PageQuestion("run", "q", {"kind": "plan"}), following)
    assert desk.relay.answer("run", "q", {"yes": True})
    answer = await told(following)
    desk.relay.take(agent("r1", "finished", ok=True, text="done"), following)

    assert (again["id"], again["arguments"]) == ("run", {"run_id": "r1"})
    assert answer["answer"] == {"yes": True}
    result = await call
    assert result["value"] == {"run_id": "r1", "ok": True, "text": "done"}
    assert [name for name, _ in desk.heard] == ["agent", "agent", "question", "agent"]
    assert len(desk.relay) == 0


async def test_a_run_that_is_given_up_between_two_pages_is_stopped_on_the_next(desk: Desk) -> None:
    """Which takes it up by itself, and would go on for nobody."""
    first = desk.open()
    call = desk.call(kind="goal", arguments={"goal": "buy it"}, call_id="run")
    await told(first)
    desk.relay.take(agent("r1", "started"), first)
    desk.close(first)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    other, second = desk.open("other"), desk.open()
    again, cancel = await told(second), await told(second)
    desk.close(second)
    third = desk.open()
    calls = [desk.call(page.page_id) for page in (other, third)]
    only = [(await told(page))["kind"] for page in (other, third)]
    for one in calls:
        one.cancel()

    assert (again["kind"], again["arguments"]) == ("goal", {"run_id": "r1"})
    assert cancel == {"v": 1, "type": "cancel", "id": "run"}
    assert only == ["tool", "tool"]


async def test_a_next_page_that_comes_before_the_last_has_gone_is_found(desk: Desk) -> None:
    """A browser says both at once."""
    page = desk.open()
    call = desk.call(kind="goal", call_id="run")
    await told(page)
    desk.relay.take(agent("r1", "started"), page)
    following = desk.open()
    desk.close(page)

    assert (await told(following))["arguments"] == {"run_id": "r1"}
    desk.relay.take(PageResult("run", {**GOOD, "value": {"ok": True}}), following)
    assert (await call)["value"] == {"ok": True}


async def test_a_run_whose_tab_does_not_come_back_ends(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some time, and for the reason that it is."""
    monkeypatch.setattr(module, "RETURN_S", 0.01)
    page = desk.open()
    call = desk.call(kind="goal")
    await told(page)
    desk.relay.take(agent("r1", "started"), page)
    desk.close(page)

    assert (await asyncio.wait_for(call, 5))["error"]["kind"] == "page_gone"


async def test_a_run_of_the_page_itself_is_not_taken_for_the_one_asked_for(desk: Desk) -> None:
    """The end of another run ends nothing."""
    page = desk.open()
    call = desk.call(kind="goal", call_id="run")
    await told(page)
    desk.relay.take(agent("r1", "started"), page)
    desk.relay.take(agent("r2", "finished"), page)
    assert desk.relay.caller_of(page, "r2") == ""
    desk.close(page)
    following = desk.open()
    desk.relay.take(agent("r2", "finished"), following)
    desk.relay.take(agent("r1", "finished", ok=False), following)

    assert (await call)["value"] == {"run_id": "r1", "ok": False}
    assert [told["run_id"] for _, told in desk.heard] == ["r1", "r1"]


async def test_a_page_works_on_so_many_calls_and_no_more(desk: Desk) -> None:
    """One more is refused with a remedy; other pages take theirs."""
    page, other = desk.open("tab"), desk.open("other")
    calls = [desk.call() for _ in range(MOST_AT_ONCE)]
    await told(page)
    refused = await desk.call()
    elsewhere = desk.call("other")
    await told(other)

    assert refused["error"]["kind"] == "rate_limited"
    assert refused["error"]["help"] == "wait until some of them end"
    desk.close(page)
    desk.close(other)
    for call in (*calls, elsewhere):
        assert (await call)["error"]["kind"] == "page_gone"
    assert len(desk.relay) == 0


async def test_arguments_without_end_are_not_sent(desk: Desk) -> None:
    """The page hears nothing of them."""
    page = desk.open()
    answer = await desk.call(arguments={"text": "x" * MOST_CHARACTERS})
    following = desk.call()

    assert answer["error"]["kind"] == "too_large"
    assert (await told(page))["arguments"] == {}
    following.cancel()


async def test_an_event_that_is_no_event_of_a_run_is_passed_over(desk: Desk) -> None:
    """Without an id of its run, or with an odd one."""
    page = desk.open()
    call = desk.call(kind="goal", call_id="run")
    await told(page)
    odds: list[dict[str, Any]] = [{}, {"run_id": 3}, {"run_id": []}, {"type": "finished"}]
    for odd in odds:
        desk.relay.take(PageEvent("agent", odd), page)
    desk.relay.take(PageEvent("other", {"run_id": "r1"}), page)
    desk.relay.take(PageResult("run", GOOD), page)

    assert (await call)["ok"]
    assert desk.relay.caller_of(page, "r1") == ""
