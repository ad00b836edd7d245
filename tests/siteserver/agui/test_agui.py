"""Goals and answers of front ends: one process, and two on a Redis."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from tests.front_end import events_of, interrupt_in, types
from tests.redis_server import NONE, RedisServer, find_redis
from tests.siteserver.agui.run_page import RunPage, front_end
from tests.siteserver.live_site import Site, free_port, serving
from webagent_site import WebAgent
from webagent_site.broker.redis_broker import RedisBroker
from webagent_site.errors import ConfigError

TOOL_CALL = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]
TEXT = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]
APPROVED = {"approved": True}


async def look(page: RunPage, goal: str) -> dict[str, Any]:
    """Call a tool that reads."""
    await page.step("s1", "look", "started")
    await page.step("s1", "look", "finished", value={"word": "sea"}, duration_ms=1)
    return {"ok": True, "text": "Found the sea.", "data": {"found": 1}}


async def buy(page: RunPage, goal: str) -> dict[str, Any]:
    """Call a tool that writes, after a yes."""
    await page.step("s1", "buy", "started")
    answer = await page.ask("approval", "Buy the sea?", tool="buy", effect="write")
    if not answer["yes"]:
        stopped = {"kind": "cancelled" if answer.get("stop") else "denied", "message": "no"}
        await page.step("s1", "buy", "failed", error=stopped)
        return {"ok": False, "text": "", "error": stopped}
    await page.step("s1", "buy", "finished", value="bought", duration_ms=1)
    return {"ok": True, "text": "Bought the sea."}


@pytest.fixture(name="brokers", params=["memory", "redis"])
def _brokers(request: pytest.FixtureRequest) -> list[RedisBroker | None]:
    if request.param == "memory":
        return [None]
    redis: RedisServer = request.getfixturevalue("redis")
    prefix = secrets.token_hex(4)
    return [RedisBroker(redis.url, prefix=prefix), RedisBroker(redis.url, prefix=prefix)]


@pytest_asyncio.fixture(name="sites")
async def _sites(
    brokers: list[RedisBroker | None], root: Path, bundle: Path
) -> AsyncIterator[tuple[Site, Site]]:
    """The process that has the page and takes goals, and the one that takes answers."""
    sites = [
        Site(root / "webagents.md", bundle, broker, free_port(), agui="caller")
        for broker in brokers
    ]
    async with serving(*sites):
        yield sites[0], sites[-1]


async def test_a_goal_is_reached_in_the_page_of_the_visitor(sites: tuple[Site, Site]) -> None:
    """Its steps, the call of a tool and the words at the end are events."""
    async with RunPage(sites[0].url, look) as page:
        events = await front_end(page).run()

    assert types(events) == [
        *("RUN_STARTED", "STEP_STARTED", *TOOL_CALL, "TOOL_CALL_RESULT", "STEP_FINISHED"),
        *(*TEXT, "RUN_FINISHED"),
    ]
    assert events[0]["metadata"] == {"webagent": {"page_id": page.page_id}}
    assert (events[2]["toolCallName"], events[3]["delta"]) == ("look", '{"word": "sea"}')
    assert events[5]["content"] == '{"value": {"word": "sea"}}'
    assert events[-1] == {
        "type": "RUN_FINISHED",
        "threadId": "thread-1",
        "runId": "run-1",
        "result": {"found": 1},
        "outcome": {"type": "success"},
    }
    assert page.calls[0]["arguments"] == {"goal": "Find the sea"}
    assert page.calls[0]["visitor"] == page.visitor


async def test_a_yes_lets_an_interrupted_run_go_on(sites: tuple[Site, Site]) -> None:
    """At another process; the call of the tool has its result there."""
    async with RunPage(sites[0].url, buy) as page:
        before = await front_end(page).run()
        interrupt = interrupt_in(before)
        after = await front_end(page, address=sites[1].url).resume(interrupt["id"], APPROVED)

    assert types(before) == [
        *("RUN_STARTED", "STEP_STARTED", *TOOL_CALL, "CUSTOM", "STEP_FINISHED", "RUN_FINISHED"),
    ]
    assert interrupt["reason"] == "tool_call"
    assert interrupt["message"] == "Buy the sea?"
    assert interrupt["toolCallId"] == before[2]["toolCallId"] == after[1]["toolCallId"]
    assert interrupt["responseSchema"]["required"] == ["approved"]
    assert types(after) == ["RUN_STARTED", "TOOL_CALL_RESULT", *TEXT, "RUN_FINISHED"]
    assert after[-1]["outcome"] == {"type": "success"}
    assert page.cancelled == set()


async def test_a_no_and_a_cancelled_interrupt_do_nothing(sites: tuple[Site, Site]) -> None:
    """The run ends with each."""
    async with RunPage(sites[0].url, buy) as page:
        interrupt = interrupt_in(await front_end(page).run())
        denied = await front_end(page).resume(interrupt["id"], {"approved": False})
        interrupt = interrupt_in(await front_end(page).run())
        cancelled = await front_end(page).resume(interrupt["id"], None, "cancelled")

    assert "TOOL_CALL_RESULT" in types(denied)
    assert denied[-1]["outcome"] == cancelled[-1]["outcome"] == {"type": "cancelled"}


async def test_an_answer_counts_once(sites: tuple[Site, Site]) -> None:
    """Of ten at a time at two processes one is taken, and later ones are errors."""
    async with RunPage(sites[0].url, buy) as page:
        interrupt = interrupt_in(await front_end(page).run())
        fronts = [front_end(page, address=sites[at % 2].url) for at in range(10)]
        runs = await asyncio.gather(*(each.resume(interrupt["id"], APPROVED) for each in fronts))
        late = await fronts[0].resume(interrupt["id"], APPROVED)

    assert sorted(run[-1]["type"] for run in runs) == [*["RUN_ERROR"] * 9, "RUN_FINISHED"]
    assert (late[-1]["type"], late[-1]["code"]) == ("RUN_ERROR", "denied")
    # The same call may come twice; the page knows it by its id and its question.
    assert len({str(call) for call in page.calls}) == 2


async def test_answers_that_do_not_fit_leave_the_question_open(sites: tuple[Site, Site]) -> None:
    """Nor do those of another thread, another id, or a goal in place of an answer."""
    async with RunPage(sites[0].url, buy) as page:
        front = front_end(page)
        interrupt = interrupt_in(await front.run())
        unfit: list[Any] = [None, {}, "yes", [True], {"approved": "true"}]
        both = [{"interruptId": interrupt["id"], "status": "resolved", "payload": APPROVED}] * 2
        wrong = [
            *[await front.resume(interrupt["id"], each) for each in unfit],
            await front.resume("another", APPROVED),
            await front_end(page, thread="thread-2").resume(interrupt["id"], APPROVED),
            await front.run(resume=both),
            await front.run("Another goal"),
        ]
        assert len(page.calls) == 1
        right = await front.resume(interrupt["id"], APPROVED)

    assert [run[-1].get("code") for run in wrong] == [*["invalid_arguments"] * 5, *["denied"] * 4]
    assert right[-1]["outcome"] == {"type": "success"}


async def test_a_question_nobody_answers_is_closed_in_time(
    sites: tuple[Site, Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A late answer is an error; to cancel it lets the thread go on."""
    monkeypatch.setattr("webagent_site.agui.endpoint.RUN_S", 1.0)
    async with RunPage(sites[0].url, buy) as page:
        front = front_end(page)
        interrupt = interrupt_in(await front.run())
        assert page.calls[0]["deadline_ms"] == 1000
        await asyncio.sleep(1.1)
        late = await front.resume(interrupt["id"], APPROVED)
        cancelled = await front.resume(interrupt["id"], None, "cancelled")

    assert late[-1]["code"] == "denied"
    assert cancelled[-1]["outcome"] == {"type": "cancelled"}


@pytest.mark.parametrize(
    ("details", "payload", "answer"),
    [
        ({}, {"text": "blue"}, {"yes": True, "text": "blue"}),
        (
            {"schema": {"type": "object", "properties": {"day": {"type": "string"}}}},
            {"day": "2026-11-29"},
            {"yes": True, "data": {"day": "2026-11-29"}},
        ),
    ],
)
async def test_a_question_gets_words_or_values(
    sites: tuple[Site, Site], details: dict[str, Any], payload: Any, answer: dict[str, Any]
) -> None:
    """As its schema has it."""
    given: list[dict[str, Any]] = []

    async def ask(page: RunPage, goal: str) -> dict[str, Any]:
        given.append(await page.ask("question", "Which?", **details))
        return {"ok": True, "text": "Thanks."}

    async with RunPage(sites[0].url, ask) as page:
        interrupt = interrupt_in(await front_end(page).run())
        await front_end(page, address=sites[1].url).resume(interrupt["id"], payload)

    assert interrupt["reason"] == "input_required"
    assert given[0].items() >= answer.items()
    assert given[0]["session"] is False


async def test_a_front_end_that_goes_away_ends_its_run(sites: tuple[Site, Site]) -> None:
    """Unless the run waits for an answer."""

    async def endless(page: RunPage, goal: str) -> dict[str, Any]:
        await page.step("s1", "look", "started")
        await asyncio.sleep(60)
        return {}

    async with RunPage(sites[0].url, endless) as page:
        async with front_end(page).sent(front_end(page).body()) as answer:
            async for event in events_of(answer):
                if event["type"] == "STEP_STARTED":
                    break
        async with asyncio.timeout(5):
            while not page.cancelled:  # noqa: ASYNC110 - the page tells nobody
                await asyncio.sleep(0.05)

    assert page.cancelled == {page.calls[0]["id"]}


async def test_the_page_that_is_named_gets_the_goal(sites: tuple[Site, Site]) -> None:
    """Or else the one last used; a page of another visitor is not used."""
    async with (
        RunPage(sites[0].url, look) as other,
        RunPage(sites[0].url, look) as first,
        RunPage(sites[1].url, look, session=first.session) as second,
    ):
        front = front_end(second)
        named = await front.run(forwardedProps={"page_id": first.page_id})
        await asyncio.sleep(0.1)
        await second.greet(title="In front")
        await asyncio.sleep(0.3)
        usual = await front.run()
        strangers = front.body(forwardedProps={"page_id": other.page_id})
        assert await front.refused(strangers) == (404, "no_page")

    assert named[0]["metadata"]["webagent"]["page_id"] == first.page_id
    assert usual[0]["metadata"]["webagent"]["page_id"] == second.page_id
    assert (len(first.calls), len(second.calls), other.calls) == (1, 1, [])


async def test_a_front_end_goes_on_with_its_conversation(sites: tuple[Site, Site]) -> None:
    """It sends the calls that it was told of, and their results; only its last words count."""
    async with RunPage(sites[0].url, look) as page:
        front = front_end(page)
        call = next(each for each in await front.run() if each["type"] == "TOOL_CALL_RESULT")
        await front.run(
            messages=[
                {"id": "1", "role": "user", "content": "Find the sea"},
                {"id": "2", "role": "assistant", "content": "I look."},
                {"id": "3", "role": "tool", "toolCallId": call["toolCallId"], "content": "any"},
                {"id": "4", "role": "user", "content": [{"type": "text", "text": "Again"}]},
            ]
        )

    assert page.calls[1]["arguments"] == {"goal": "Again"}


async def test_where_the_page_approves_a_front_end_is_asked_nothing(
    root: Path, bundle: Path
) -> None:
    """The page is told to ask its person; a question that comes all the same gets a no."""
    site = Site(root / "webagents.md", bundle, None, free_port(), agui="page")
    async with serving(site), RunPage(site.url, buy) as page:
        events = await front_end(page).run()
        forged = await front_end(page).resume("any", APPROVED)

    assert page.calls[0]["asks"] == "page"
    assert events[-1]["outcome"] == {"type": "cancelled"}
    assert forged[-1]["code"] == "denied"
    assert len(page.calls) == 1


async def test_a_question_that_cannot_be_kept_ends_its_run(
    root: Path, bundle: Path, redis: RedisServer
) -> None:
    """The broker refuses to write it, so nobody could answer; the page learns that nobody will."""
    prefix = secrets.token_hex(4)
    async with Redis.from_url(redis.url) as owner:
        keys = [f"~{{{prefix}:pages}}*", f"~{{{prefix}:agui}}:ledger*", f"%R~{{{prefix}:agui}}*"]
        await owner.execute_command(  # type: ignore[no-untyped-call]
            "ACL", "SETUSER", "shop", "on", ">secret", "+@all", *keys
        )
    broker = RedisBroker(redis.url.replace("//", "//shop:secret@"), prefix=prefix)
    site = Site(root / "webagents.md", bundle, broker, free_port(), agui="caller")
    async with serving(site), RunPage(site.url, buy) as page:
        events = await front_end(page).run()
        async with asyncio.timeout(5):
            while not page.cancelled:  # noqa: ASYNC110 - the page tells nobody
                await asyncio.sleep(0.05)

    assert (events[-1]["type"], events[-1]["code"]) == ("RUN_ERROR", "broker_unavailable")


async def test_without_redis_nothing_begins(tmp_path: Path, root: Path, bundle: Path) -> None:
    """A request gets 503."""
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    own = RedisServer(path, tmp_path)
    site = Site(root / "webagents.md", bundle, RedisBroker(own.url), free_port(), agui="caller")
    async with serving(site), RunPage(site.url, look) as page:
        front = front_end(page)
        own.kill()
        answers = [front.body(), front.body(resume=[{"interruptId": "a", "status": "cancelled"}])]
        refused = [await front.refused(body) for body in answers]

    assert refused == [(503, "broker_unavailable")] * 2
    assert page.calls == []


def test_the_owner_has_to_say_who_approves(root: Path, bundle: Path) -> None:
    """The start fails otherwise."""
    agent = WebAgent(root / "webagents.md", bundle=bundle, agui=True)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="has to say who approves changes"):
        agent.check()
