"""Calls from outside: sent to a page, followed, ended, and forgotten."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.devserver.live.test_open_pages import hello
from webagent_dev.live import open_pages as pages_module
from webagent_dev.live.open_pages import OpenPages
from webagent_site.pages import relay as module
from webagent_site.pages.connection import Connection
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import MOST_CALLS, MOST_CHARACTERS, Relay
from webagent_site.pages.wire import PageEvent, PageProgress, PageQuestion, PageRegistry, PageResult

GOOD = {"ok": True, "value": 1, "logs": [], "calls": [], "duration_ms": 2.5}


class Desk:
    """A relay, its pages, and the events of each call."""

    def __init__(self) -> None:
        self.pages = OpenPages(lambda: None)
        self.relay = Relay(self.pages)
        self.heard: list[tuple[str, dict[str, Any]]] = []

    def open(self, page_id: str = "tab") -> OpenPage:
        """Open a page, as the live channel does."""
        page = self.pages.register(hello(page_id), Connection())
        self.relay.page_arrived(page)
        return page

    def close(self, page: OpenPage) -> None:
        """Close it, as the live channel does."""
        self.pages.leave(page.connection)
        self.relay.page_gone(page)

    def call(
        self, page_id: str = "tab", kind: Any = "tool", **changed: Any
    ) -> asyncio.Task[dict[str, Any]]:
        """Begin a call."""
        arguments = changed.pop("arguments", {})
        given = {"timeout_s": 20.0, "caller": "api", **changed}
        hear = lambda name, told: self.heard.append((name, told))  # noqa: E731
        name = "search" if kind == "tool" else ""
        return asyncio.ensure_future(
            self.relay.call(page_id, kind, name, arguments, on_event=hear, **given)
        )


async def next_message(page: OpenPage) -> dict[str, Any]:
    """Return the next message to a page."""
    message: dict[str, Any] = json.loads(await asyncio.wait_for(page.connection.next(), 5))
    return message


def agent(run_id: str, kind: str, **fields: Any) -> PageEvent:
    return PageEvent("agent", {"run_id": run_id, "type": kind, **fields})


@pytest.fixture(name="desk")
async def _desk() -> Desk:
    return Desk()


async def test_a_page_that_replaces_the_one_that_starts_is_waited_for(desk: Desk) -> None:
    """A call never looks for its tool in a page that has not listed its tools yet."""
    first = desk.open()
    starting = asyncio.ensure_future(desk.relay.started_page("tab", "MCP"))
    assert (await next_message(first))["kind"] == "snapshot"
    desk.close(first)
    second = desk.open()
    message = await next_message(second)
    assert not starting.done()
    desk.relay.receive(PageResult(message["id"], GOOD), second)
    desk.pages.set_registry(PageRegistry("ready", [{"name": "search"}]), second.connection)

    assert await starting is second
    assert await desk.relay.started_page("tab", "MCP") is second
    assert len(desk.relay) == 0


async def test_a_call_goes_to_the_page_and_its_result_comes_back(desk: Desk) -> None:
    """With its arguments, its caller and its limit; nothing remains afterwards."""
    page = desk.open()
    call = desk.call(arguments={"query": "Käse"}, timeout_s=1.5, caller="inspector")
    message = await next_message(page)
    desk.relay.receive(PageResult(message["id"], GOOD), page)

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
        "asks": "caller",
        "visitor": "",
    }
    assert len(desk.relay) == 0


@pytest.mark.parametrize("turns", range(6))
async def test_a_page_that_leaves_while_it_is_found_gets_no_call(desk: Desk, turns: int) -> None:
    """Nobody would answer it; whenever the page leaves, the next one of the tab gets a call or its end."""
    first = desk.open()
    call = desk.call(kind="act", timeout_s=5.0)
    for _ in range(turns):
        await asyncio.sleep(0)
    desk.close(first)
    second = desk.open()
    reaching = asyncio.ensure_future(next_message(second))
    await asyncio.wait((call, reaching), return_when=asyncio.FIRST_COMPLETED, timeout=2)

    assert call.done() or reaching.done()
    if reaching.done():
        desk.relay.receive(PageResult(reaching.result()["id"], GOOD), second)
    reaching.cancel()
    result = await call
    assert result == GOOD or result["error"]["kind"] == "navigated"


async def test_calls_end_in_any_order(desk: Desk) -> None:
    """Each has its own id, which cannot be guessed."""
    page = desk.open()
    calls = [desk.call() for _ in range(20)]
    ids = [(await next_message(page))["id"] for _ in calls]
    for number, call_id in reversed(list(enumerate(ids))):
        desk.relay.receive(PageResult(call_id, {**GOOD, "value": number}), page)

    assert [(await call)["value"] for call in calls] == list(range(20))
    assert len(set(ids)) == 20
    assert all(len(call_id) >= 16 for call_id in ids)
    assert len(desk.relay) == 0


async def test_a_page_cannot_answer_the_calls_of_another(desk: Desk) -> None:
    """Not even with the right id."""
    page, other = desk.open("one"), desk.open("two")
    call = desk.call("one", "goal")
    call_id = (await next_message(page))["id"]
    desk.relay.receive(PageResult(call_id, {**GOOD, "value": "stolen"}), other)
    desk.relay.receive(PageQuestion(call_id, "1", {}), other)
    desk.relay.receive(PageProgress(call_id, "x"), other)
    desk.relay.receive(agent("r", "finished"), other)
    desk.relay.receive(PageResult("no such call", GOOD), page)
    desk.relay.receive(PageResult(call_id, GOOD), page)
    desk.relay.receive(PageResult(call_id, {**GOOD, "value": "late"}), page)

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
async def test_a_malformed_result_is_an_error_of_the_page(
    desk: Desk, result: dict[str, Any]
) -> None:
    """The caller gets a result all the same."""
    page = desk.open()
    call = desk.call()
    desk.relay.receive(PageResult((await next_message(page))["id"], result), page)

    answer = await call
    assert answer["ok"] is False
    assert answer["error"]["kind"] == "internal"


async def test_only_known_fields_of_a_result_are_passed_on(desk: Desk) -> None:
    """Missing and odd ones are replaced."""
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
    desk.relay.receive(PageResult((await next_message(page))["id"], odd), page)

    answer = await call
    assert isinstance(answer.pop("duration_ms"), float)
    assert answer == {"ok": True, "value": None, "logs": [], "calls": []}


async def test_without_a_page_a_call_fails_at_once(desk: Desk) -> None:
    """As a result like any other."""
    answer = await desk.call("nowhere")

    assert answer["error"]["kind"] == "no_page"
    assert answer["error"]["help"]


async def test_a_call_that_takes_too_long_is_cancelled(desk: Desk) -> None:
    """The page is notified, and its late result is ignored."""
    page = desk.open()
    call = desk.call(timeout_s=0.01)
    answer = await call
    call_message, cancelled = await next_message(page), await next_message(page)
    desk.relay.receive(PageResult(call_message["id"], GOOD), page)

    assert answer["error"]["kind"] == "timeout"
    assert answer["error"]["message"] == "`search` gave no answer within 0.01 s"
    assert answer["error"]["tool"] == "search"
    assert cancelled == {"v": 1, "type": "cancel", "id": call_message["id"]}
    assert len(desk.relay) == 0


async def test_opening_a_page_counts_towards_the_limit(desk: Desk) -> None:
    """The error says so; the page may come later."""
    desk.pages.open_page = asyncio.Event().wait  # type: ignore[assignment]
    answer = await asyncio.wait_for(desk.call("focused", timeout_s=0.01), 5)

    assert answer["error"]["kind"] == "timeout"
    assert answer["error"]["message"] == "no page was open within 0.01 s"
    assert answer["error"]["help"] == "one is being opened; try again in a while"
    assert len(desk.relay) == 0


async def test_cancelling_the_caller_cancels_the_call(desk: Desk) -> None:
    """The page is notified."""
    page = desk.open()
    call = desk.call()
    sent = await next_message(page)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert await next_message(page) == {"v": 1, "type": "cancel", "id": sent["id"]}
    assert len(desk.relay) == 0


@pytest.mark.parametrize("kind", ["tool", "code", "prompt", "goal"])
async def test_a_page_that_goes_away_ends_its_calls(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Once its tab has had no other page for a while; a run that has not begun ends as well."""
    monkeypatch.setattr(module, "FOLLOWS_S", 0.02)
    page, other = desk.open("tab"), desk.open("other")
    call, unhurt = desk.call(kind=kind), desk.call("other")
    await next_message(page)
    desk.close(page)

    answer = await asyncio.wait_for(call, 5)
    assert answer["error"]["kind"] == "page_gone"
    assert answer["error"]["help"]
    desk.relay.receive(PageResult((await next_message(other))["id"], GOOD), other)
    assert (await unhurt)["ok"]


NAVIGATED = {
    "ok": False,
    "error": {"kind": "navigated", "message": "the page was left before the answer came"},
    "logs": [],
    "calls": [],
    "duration_ms": 1.0,
}


@pytest.mark.parametrize("order", ["left first", "next first"])
async def test_a_page_that_is_left_for_another_says_so(desk: Desk, order: str) -> None:
    """Once the next page of the tab is there."""
    page = desk.open()
    call = desk.call()
    sent = await next_message(page)
    if order == "next first":
        desk.open()
    desk.relay.receive(PageResult(sent["id"], NAVIGATED), page)
    desk.close(page)
    if order == "left first":
        await asyncio.sleep(0)
        assert not call.done()
        desk.open()

    assert await asyncio.wait_for(call, 1) == NAVIGATED


@pytest.mark.parametrize("order", ["left first", "next first"])
async def test_a_call_that_crosses_the_leaving_of_its_page_says_so(desk: Desk, order: str) -> None:
    """The page could not answer it; its tab has another page."""
    page = desk.open()
    call = desk.call()
    await next_message(page)
    if order == "next first":
        desk.open()
    desk.close(page)
    if order == "left first":
        await asyncio.sleep(0)
        assert not call.done()
        desk.open()

    answer = await asyncio.wait_for(call, 1)
    assert answer["error"]["kind"] == "navigated"
    assert "may have happened" in answer["error"]["help"]


@pytest.mark.parametrize("limit_s", [20.0, 0.1])
async def test_a_tab_that_is_closed_is_gone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, limit_s: float
) -> None:
    """Its page cannot know, when it is left, that no other follows."""
    monkeypatch.setattr(module, "FOLLOWS_S", 0.02 if limit_s > 1 else 10)
    page = desk.open()
    call = desk.call(timeout_s=limit_s)
    desk.relay.receive(PageResult((await next_message(page))["id"], NAVIGATED), page)
    desk.close(page)

    assert (await asyncio.wait_for(call, 5))["error"]["kind"] == "page_gone"
    assert len(desk.relay) == 0


async def test_a_write_without_an_id_is_refused_when_its_page_is_gone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the page that would have been changed; a read goes on."""
    monkeypatch.setattr(pages_module, "FOLLOWS_S", 0.01)
    other, front = desk.open("headless"), desk.open()
    tools = [{"name": "search", "effect": "write"}]
    desk.pages.set_registry(PageRegistry(state="ready", tools=tools), other.connection)
    desk.close(front)
    refused = await asyncio.wait_for(desk.call("focused"), 5)
    reading = desk.call("focused", kind="snapshot")
    assert (await next_message(other))["kind"] == "snapshot"
    again = desk.call("focused")

    assert refused["error"]["kind"] == "no_page"
    assert "`headless`" in refused["error"]["message"]
    assert (await next_message(other))["kind"] == "tool"
    for call in (reading, again):
        call.cancel()


async def test_a_run_continues_in_the_next_page_of_its_tab(desk: Desk) -> None:
    """Its events, its questions and its end come from there; the caller sees no difference."""
    page = desk.open()
    call = desk.call(kind="goal", arguments={"goal": "buy it"}, call_id="run")
    await next_message(page)
    desk.relay.receive(agent("r1", "started"), page)
    assert desk.relay.caller_of(page, "r1") == "api"
    desk.close(page)
    assert not desk.relay.answer("run", "q", {"yes": True})
    desk.open("another tab")
    following = desk.open()
    again = await next_message(following)
    desk.relay.receive(agent("r1", "step"), following)
    desk.relay.receive(PageQuestion("run", "q", {"kind": "plan"}), following)
    assert desk.relay.answer("run", "q", {"yes": True})
    answer = await next_message(following)
    desk.relay.receive(agent("r1", "finished", ok=True, text="done"), following)

    assert (again["id"], again["arguments"]) == ("run", {"run_id": "r1"})
    assert answer["answer"] == {"yes": True}
    result = await call
    assert result["value"] == {"run_id": "r1", "ok": True, "text": "done"}
    assert [name for name, _ in desk.heard] == ["agent", "agent", "question", "agent"]
    assert len(desk.relay) == 0


async def test_a_run_that_is_cancelled_between_two_pages_is_stopped_on_the_next(desk: Desk) -> None:
    """The next page would continue it by itself, for no caller."""
    first = desk.open()
    call = desk.call(kind="goal", arguments={"goal": "buy it"}, call_id="run")
    await next_message(first)
    desk.relay.receive(agent("r1", "started"), first)
    desk.close(first)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    other, second = desk.open("other"), desk.open()
    again, cancel = await next_message(second), await next_message(second)
    desk.close(second)
    third = desk.open()
    calls = [desk.call(page.page_id) for page in (other, third)]
    only = [(await next_message(page))["kind"] for page in (other, third)]
    for one in calls:
        one.cancel()

    assert (again["kind"], again["arguments"]) == ("goal", {"run_id": "r1"})
    assert cancel == {"v": 1, "type": "cancel", "id": "run"}
    assert only == ["tool", "tool"]


async def test_a_next_page_that_connects_early_is_found(desk: Desk) -> None:
    """A browser reports both at once."""
    page = desk.open()
    call = desk.call(kind="goal", call_id="run")
    await next_message(page)
    desk.relay.receive(agent("r1", "started"), page)
    following = desk.open()
    desk.close(page)

    assert (await next_message(following))["arguments"] == {"run_id": "r1"}
    desk.relay.receive(PageResult("run", {**GOOD, "value": {"ok": True}}), following)
    assert (await call)["value"] == {"ok": True}


async def test_a_run_whose_tab_does_not_come_back_ends(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some time, and for the reason that it is."""
    monkeypatch.setattr(module, "RETURN_S", 0.01)
    page = desk.open()
    call = desk.call(kind="goal")
    await next_message(page)
    desk.relay.receive(agent("r1", "started"), page)
    desk.close(page)

    assert (await asyncio.wait_for(call, 5))["error"]["kind"] == "page_gone"


@pytest.mark.parametrize("url", ["/two.html", "", None, "http://127.0.0.1:8000/two"])
async def test_a_run_that_goes_on_here_waits_for_the_next_page(desk: Desk, url: object) -> None:
    """Wherever on the site the agent has said that it goes."""
    page = desk.open()
    call = desk.call(kind="goal")
    await next_message(page)
    desk.relay.receive(agent("r1", "navigating", url=url), page)
    desk.close(page)
    await asyncio.sleep(0)
    assert not call.done()
    desk.relay.receive(agent("r1", "finished", ok=True), desk.open())

    assert (await asyncio.wait_for(call, 5))["value"] == {"run_id": "r1", "ok": True}


@pytest.mark.parametrize(
    "event",
    [
        {"kind": "navigating", "url": "https://else.test/a"},
        {"kind": "asked", "request": {"details": {"to": "https://else.test"}}},
    ],
)
async def test_a_run_that_has_gone_to_another_origin_ends_at_once(
    desk: Desk, event: dict[str, Any]
) -> None:
    """With both origins: the page is not gone, but the run cannot go on there."""
    page = desk.open()
    call = desk.call(kind="goal")
    await next_message(page)
    desk.relay.receive(agent("r1", **event), page)
    desk.close(page)

    error = (await asyncio.wait_for(call, 1))["error"]
    assert error["kind"] == "origin_mismatch"
    assert "`https://else.test`" in error["message"]
    assert error["help"] == "start a run of its own there"


@pytest.mark.parametrize(
    "event",
    [{"kind": "answered", "yes": False}, {"kind": "step", "state": "finished"}],
)
async def test_a_run_that_did_not_go_there_waits_for_the_next_page(
    desk: Desk, event: dict[str, Any]
) -> None:
    """The person said no, or the action ended on the page."""
    page = desk.open()
    call = desk.call(kind="goal")
    await next_message(page)
    asked = {"details": {"to": "https://else.test"}}
    desk.relay.receive(agent("r1", "asked", request=asked), page)
    desk.relay.receive(agent("r1", **event), page)
    desk.close(page)
    await asyncio.sleep(0)

    assert not call.done()
    desk.relay.receive(agent("r1", "finished", ok=True), desk.open())
    assert (await asyncio.wait_for(call, 5))["ok"]


async def test_a_run_of_the_page_itself_is_another_run(desk: Desk) -> None:
    """The end of another run ends nothing."""
    page = desk.open()
    call = desk.call(kind="goal", call_id="run")
    await next_message(page)
    desk.relay.receive(agent("r1", "started"), page)
    desk.relay.receive(agent("r2", "finished"), page)
    assert desk.relay.caller_of(page, "r2") == ""
    desk.close(page)
    following = desk.open()
    desk.relay.receive(agent("r2", "finished"), following)
    desk.relay.receive(agent("r1", "finished", ok=False), following)

    assert (await call)["value"] == {"run_id": "r1", "ok": False}
    assert [told["run_id"] for _, told in desk.heard] == ["r1", "r1"]


async def test_a_page_has_a_limit_of_calls(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused with a remedy; other pages accept theirs."""
    monkeypatch.setattr(module, "FOLLOWS_S", 0.02)
    page, other = desk.open("tab"), desk.open("other")
    calls = [desk.call() for _ in range(MOST_CALLS)]
    await next_message(page)
    refused = await desk.call()
    elsewhere = desk.call("other")
    await next_message(other)

    assert refused["error"]["kind"] == "rate_limited"
    assert refused["error"]["help"] == "wait until some of them end"
    desk.close(page)
    desk.close(other)
    for call in (*calls, elsewhere):
        assert (await call)["error"]["kind"] == "page_gone"
    assert len(desk.relay) == 0


async def test_huge_arguments_are_not_sent(desk: Desk) -> None:
    """The page receives nothing."""
    page = desk.open()
    answer = await desk.call(arguments={"text": "x" * MOST_CHARACTERS})
    following = desk.call()

    assert answer["error"]["kind"] == "too_large"
    assert (await next_message(page))["arguments"] == {}
    following.cancel()


async def test_events_without_a_run_are_ignored(desk: Desk) -> None:
    """Without the id of a run, or with an odd one."""
    page = desk.open()
    call = desk.call(kind="goal", call_id="run")
    await next_message(page)
    odds: list[dict[str, Any]] = [{}, {"run_id": 3}, {"run_id": []}, {"type": "finished"}]
    for odd in odds:
        desk.relay.receive(PageEvent("agent", odd), page)
    desk.relay.receive(PageEvent("other", {"run_id": "r1"}), page)
    desk.relay.receive(PageResult("run", GOOD), page)

    assert (await call)["ok"]
    assert desk.relay.caller_of(page, "r1") == ""
