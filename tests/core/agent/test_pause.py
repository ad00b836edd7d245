"""A person takes over during a run, and lets it go on."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.core.agent.stage import READS, Stage, answers, finish, tool

from webagent.agent import Answer, Budget, Driver, Request, Said
from webagent.agent.clock import FakeClock
from webagent.agent.events import Events
from webagent.agent.person import PersonChannel
from webagent.agent.redact import Redactor, Vault
from webagent.llm.scripted import ScriptedModel
from webagent.registry.secrets import Mask, Secrets


def notes(run: Any) -> list[str]:
    return [e.text for e in run.entries if isinstance(e, Said) and e.by == "driver"]


async def until(stage: Stage, kind: str, count: int = 1) -> None:
    """Wait for events of a type."""
    for _ in range(1_000):
        if len(stage.told(kind)) >= count:
            return
        await asyncio.sleep(0)
    raise AssertionError(f"no `{kind}`")


async def test_nothing_begins_while_the_person_has_taken_over(stage: Stage) -> None:
    """The call under way ends; the next step waits, and knows the changes of the person."""
    driver = stage.driver(tool("search", query="a"), tool("search", query="b"), finish())

    def search(query: str) -> str:
        stage.called.append(("search", query))
        if query == "a":
            driver.pause()
        return "found"

    stage.page.functions["search"] = search
    run = asyncio.ensure_future(driver.run("look"))
    await until(stage, "paused")
    for _ in range(100):
        await asyncio.sleep(0)
    assert stage.called == [("search", "a")]

    stage.show("Your basket", path="/basket")
    driver.go_on()
    result = await run

    assert stage.called == [("search", "a"), ("search", "b")]
    assert len(stage.told("continued")) == 1
    (note,) = [each for each in notes(result.run) if "meanwhile" in each]
    assert "its address" in note
    # The decider sees the page as the person left it.
    assert stage.script.scenes[1].snapshot.url.endswith("/basket")
    assert any("its address" in each for each in stage.script.scenes[1].remarks)


async def test_a_pause_is_no_time_of_the_run(stage: Stage) -> None:
    """The limit of a run does not count it."""

    def search(query: str) -> str:
        driver.pause()
        return "found"

    stage.page.functions["search"] = search
    driver = stage.driver(tool("search", query="a"), finish(), budget=Budget(seconds=60))
    run = asyncio.ensure_future(driver.run("look"))
    await until(stage, "paused")
    for _ in range(50):
        await asyncio.sleep(0)
    stage.clock.advance(3_600)
    driver.go_on()

    result = await run

    assert result.ok
    assert result.run.spent.seconds < 60


async def test_a_pause_during_a_question_counts_once() -> None:
    """The same hour is not taken off the run's time for both."""
    clock, secrets = FakeClock(), Secrets()

    class Person:
        async def ask(self, request: Request) -> Answer:
            channel.pause()
            clock.advance(3_600)
            assert channel.waited_s == 3_600
            channel.go_on()
            clock.advance(60)
            return Answer(yes=True)

    events = Events(Mask(secrets, Redactor()))
    channel = PersonChannel(Person(), events, clock, Vault(secrets, {}))
    await channel.ask(Request("question", "Which one?"))

    assert channel.waited_s == 3_660


async def test_a_run_can_be_stopped_while_it_is_paused(stage: Stage) -> None:
    """The end does not wait for `go_on`."""
    stage.page.functions["search"] = lambda query: driver.pause()
    driver = stage.driver(tool("search", query="a"), finish())
    run = asyncio.ensure_future(driver.run("look"))
    await until(stage, "paused")

    driver.stop("it was stopped")
    result = await asyncio.wait_for(run, 5)

    assert result.error is not None
    assert result.error.kind == "cancelled"
    driver.pause()
    assert len(stage.told("paused")) == 1


async def test_a_person_takes_over_at_a_request(stage: Stage) -> None:
    """It is no refusal: the same is asked again, once the run goes on."""

    class Person:
        async def ask(self, request: Any) -> Answer:
            asked.append(request.text)
            if len(asked) > 1:
                return Answer(True)
            asyncio.get_running_loop().call_later(0.01, driver.go_on)
            return Answer(pause=True)

    asked: list[str] = []
    driver = stage.driver(tool("addToBasket", bookId="dune"), finish(), person=Person())

    result = await driver.run("add it")

    assert result.ok
    assert len(asked) == 2
    assert asked[0] == asked[1]
    assert result.run.refusals == {}
    assert [event["type"] for event in stage.events if event["type"] in _ASKING] == [
        "asked", "paused", "continued", "asked", "answered",
    ]  # fmt: skip


_ASKING = ("asked", "answered", "paused", "continued")


async def test_a_pause_outlives_the_page(stage: Stage) -> None:
    """On the page that the person goes to, the run waits for them to let it go on."""
    stage.page.functions["search"] = lambda query: driver.pause()
    driver = stage.driver(tool("search", query="a"), finish())
    run = asyncio.ensure_future(driver.run("look"))
    await until(stage, "paused")
    for _ in range(50):
        await asyncio.sleep(0)
    driver.abandon()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert json.loads(stage.store.text or "")["paused"] is True

    stage.show("Elsewhere", path="/elsewhere")
    again = stage.driver(finish("here"))
    run = asyncio.ensure_future(again.resume())
    await until(stage, "paused", 2)
    for _ in range(50):
        await asyncio.sleep(0)
    assert not run.done()
    again.go_on()
    result = await asyncio.wait_for(run, 5)

    assert result is not None
    assert result.text == "here"
    assert result.run.paused is False


async def test_a_decision_from_before_is_not_carried_out(stage: Stage) -> None:
    """A reply that comes while the person has the page was decided for another page."""

    class Slow(ScriptedModel):
        async def reply(self, *given: Any, **more: Any) -> Any:
            reply = await super().reply(*given, **more)
            if not stage.told("paused"):
                agent.pause()
                asyncio.get_running_loop().call_later(0.01, agent.go_on)
            return reply

    replies = (tool("search", query="a"), tool("search", query="b"), finish())
    agent = Driver(
        stage.page, stage.registry, model=Slow(*replies), clock=stage.clock,
        on_event=stage.events.append, accept="caller",
    )  # fmt: skip

    result = await agent.run("look")

    assert stage.called == [("search", "b")]
    assert any("the person has taken over" in each for each in notes(result.run))


async def test_a_page_that_pauses_is_left_when_the_run_ends(stage: Stage) -> None:
    """A pause belongs to its run; the next one is not paused."""
    person = answers()
    driver = stage.driver(finish(), finish(), person=person, plans=(READS, READS))
    await driver.run("one")
    driver.pause()

    result = await asyncio.wait_for(driver.run("two"), 5)

    assert result.ok
    assert stage.told("paused") == []
