import asyncio
import re
from typing import Any

import pytest
from tests.core.agent.stage import NAMES_ALL, READS, Script, Stage, answers, finish, tool

from webagent.agent import EVENTS, AgentConfig, Answer, Driver, MemoryStore, Policy, Run, RunResult
from webagent.agent.events import OPTIONAL
from webagent.errors import InvalidArguments, Navigated
from webagent.llm.chat import Reply


async def test_a_run_goes_from_goal_to_answer(stage: Stage) -> None:
    """The actions are taken in order, and what `finish` says is the result."""
    driver = stage.driver(tool("search", query="Tolkien"), finish("one book", data={"n": 1}))

    result = await driver.run("find books by Tolkien")

    assert (result.ok, result.text, result.data) == (True, "one book", {"n": 1})
    assert stage.called == [("search", "Tolkien")]
    assert result.run.done()[0].value["books"][0]["id"] == "the-hobbit"
    assert result.run.spent.steps == 2


async def test_a_result_crosses_borders_in_the_shape_of_every_result(stage: Stage) -> None:
    """`to_dict` has `ok`, `value`, `logs`, `calls` and `duration_ms`, and more of the run."""
    driver = stage.driver(tool("search", query="Tolkien"), finish("one book", data=1))

    told = (await driver.run("find books")).to_dict()

    assert told["ok"] is True
    assert told["value"] == 1
    assert told["calls"] == [
        {"id": 1, "name": "search", "source": "manifest", "arguments": {"query": "Tolkien"}}
    ]
    assert told["logs"] == []
    assert told["spent"]["steps"] == told["steps"] == 2


async def test_an_agent_that_gives_up_says_why(stage: Stage) -> None:
    """`success: false` makes the result a failure, of the kind of what failed last."""
    result = await stage.driver(tool("away"), finish("it is not here", False)).run("go")

    assert not result.ok
    assert result.text == "it is not here"
    assert result.error is not None
    assert result.error.kind == "denied"


async def test_events_have_the_fields_of_the_table(stage: Stage) -> None:
    """Every event has exactly the fields that the table names, the optional ones aside."""
    person = answers(Answer(False, "too dear"))
    driver = stage.driver(
        Reply("I look", (tool("search", query="x"),)), tool("addToBasket", bookId="b"), finish(),
        person=person,
    )  # fmt: skip

    await driver.run("go")

    for event in stage.events:
        fields = set(event) - {"run_id", "type"}
        wanted = set(EVENTS[event["type"]])
        assert fields <= wanted, event
        assert wanted - fields <= OPTIONAL, event
    kinds = [event["type"] for event in stage.events]
    assert kinds[:3] == ["started", "planned", "accepted"]
    assert kinds[-1] == "finished"
    assert kinds.count("spent") == 3
    assert len({event["run_id"] for event in stage.events}) == 1


async def test_a_second_run_is_refused(stage: Stage) -> None:
    """While a goal is worked on, another is refused with words that say what to do."""
    started = asyncio.Event()
    stage.page.functions["mystery"] = lambda: (started.set(), asyncio.Event().wait())[1]
    driver = stage.driver(tool("mystery"), policy=Policy(allow_writes=True))
    first = asyncio.ensure_future(driver.run("the first goal"))
    await started.wait()

    with pytest.raises(
        RuntimeError, match=r"under way, for `the first goal` - wait .* or `stop\(\)`"
    ):
        await driver.run("another")
    driver.stop()
    assert not (await first).ok
    assert not driver.running


async def test_stop_cancels_the_running_action(stage: Stage) -> None:
    """`stop` ends the tool that is being called, and the result says by whom it was ended."""
    started, ended = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    stage.page.functions["search"] = lambda query: wait()
    driver = stage.driver(tool("search", query="x"))
    run = asyncio.ensure_future(driver.run("go"))
    await started.wait()
    driver.stop("the person closed the panel")
    result = await run

    assert ended.is_set()
    assert result.error is not None
    assert result.error.kind == "cancelled"
    assert "the person closed the panel" in result.error.message
    assert result.text == ""
    assert stage.steps() == [("search", "cancelled")]
    assert stage.events[-1]["type"] == "finished"


async def test_cancelling_the_awaiting_task_ends_the_run(stage: Stage) -> None:
    """Cancelling the task that awaits a run ends it, and the last event is sent all the same."""
    started = asyncio.Event()
    stage.page.functions["search"] = lambda query: (started.set(), asyncio.Event().wait())[1]
    ends: list[RunResult] = []
    driver = stage.driver(
        tool("search", query="x"), on_plan_completed=lambda run, result: ends.append(result)
    )
    run = asyncio.ensure_future(driver.run("go"))
    await started.wait()
    run.cancel()

    with pytest.raises(asyncio.CancelledError):
        await run
    assert [end.ok for end in ends] == [False]
    assert stage.events[-1]["type"] == "finished"
    assert not driver.running


@pytest.mark.parametrize("success", [True, False])
async def test_the_end_is_always_heard(stage: Stage, success: bool) -> None:
    """`on_plan_completed` runs whether the goal was reached or given up."""
    heard: list[bool] = []

    async def hear(run: Run, result: RunResult) -> None:
        heard.append(result.ok)

    result = await stage.driver(finish(success=success), on_plan_completed=hear).run("go")

    assert (result.error and result.error.kind) == (None if success else "not_reached")
    assert heard == [success]


async def test_a_mind_that_breaks_is_heard_and_raised(stage: Stage) -> None:
    """An exception that nobody meant reaches the caller, after the last event was sent to all."""
    heard: list[RunResult] = []
    driver = stage.driver(
        ValueError("a bug"), on_plan_completed=lambda run, result: heard.append(result)
    )

    with pytest.raises(ValueError, match="a bug"):
        await driver.run("go")
    assert [result.error.kind for result in heard if result.error] == ["internal"]
    assert stage.events[-1]["type"] == "finished"
    assert not driver.running


async def test_a_failing_listener_at_the_end_hides_nothing(stage: Stage) -> None:
    """When `on_plan_completed` fails, the last event is sent, and the driver is free again."""

    def fail(run: Run, result: RunResult) -> None:
        raise ValueError("a listener broke")

    driver = stage.driver(finish(), finish(), on_plan_completed=fail)

    with pytest.raises(ValueError, match="a listener broke"):
        await driver.run("go")
    assert stage.events[-1]["type"] == "finished"
    assert not driver.running


async def test_a_listener_that_fails_stops_nothing(stage: Stage) -> None:
    """An exception in a listener to events ends neither the run nor the other listeners."""
    driver = stage.driver(finish("fine"))
    unsubscribe = driver.subscribe(lambda event: 1 / 0)

    assert (await driver.run("go")).ok
    unsubscribe()
    assert stage.told("finished")


async def test_an_empty_goal_is_refused(stage: Stage) -> None:
    """A goal must have words."""
    with pytest.raises(InvalidArguments, match="the goal is empty"):
        await stage.driver().run(" \n")


async def test_secrets_are_masked_in_events_and_transcripts(stage: Stage) -> None:
    """A password that was passed to a tool is in no event and in no transcript."""
    driver = stage.driver(tool("login", password="ropewalk14"), finish("signed in with ropewalk14"))

    await driver.run("sign in")

    assert stage.called == [("login", "ropewalk14")]
    transcript = driver.transcript()
    assert transcript is not None
    for told in (stage.events[3:], transcript.to_dict(), transcript.to_markdown()):
        assert "ropewalk14" not in str(told)


async def test_a_permission_for_the_session_holds_in_the_next_run(stage: Stage) -> None:
    """A yes for the session is remembered over runs of the same driver."""
    person = answers(Answer(True, session=True))
    one, two = tool("addToBasket", bookId="a"), tool("addToBasket", bookId="b")
    driver = stage.driver(one, finish(), two, finish(), plans=(NAMES_ALL, NAMES_ALL), person=person)

    await driver.run("add a")
    await driver.run("add b")

    assert stage.called == [("addToBasket", "a", 1), ("addToBasket", "b", 1)]
    assert len(person.asked) == 1


async def test_nothing_is_left_in_the_store_after_the_end(stage: Stage) -> None:
    """A run that has ended is not taken up again."""
    await stage.driver(tool("search", query="x"), finish()).run("go")

    assert stage.store.text is None


async def test_stop_without_a_run_does_nothing(stage: Stage) -> None:
    """Stopping beforehand does not stop the next run."""
    driver = stage.driver(finish())
    driver.stop()

    assert (await driver.run("go")).ok


def test_a_driver_needs_only_a_page_and_its_tools() -> None:
    """Every collaborator has a default."""
    stage = Stage()

    assert not Driver(stage.page, stage.registry, store=MemoryStore()).running


async def test_a_page_that_is_just_being_left_is_waited_for(stage: Stage) -> None:
    """Looking at a page in the middle of a navigation is tried again, not given up."""
    looks = iter([Navigated("left"), Navigated("left"), stage.page.shown, stage.page.shown])

    async def snapshot() -> Any:
        look = next(looks)
        if isinstance(look, Navigated):
            raise look
        return look

    stage.page.snapshot = snapshot  # type: ignore[method-assign]

    assert (await stage.driver(finish()).run("go")).ok
    assert stage.clock.slept == [0.25, 0.25]


async def test_a_config_and_keywords_make_the_same_driver(stage: Stage) -> None:
    """`AgentConfig` holds the parts of a driver; a keyword replaces one of them."""
    script = Script(finish("from the config"), finish("again"), plans=(READS, READS))
    config = AgentConfig(planner=script, decider=script, accept="caller", clock=stage.clock)
    heard: list[str] = []

    first = await Driver(stage.page, stage.registry, config).run("go")
    driver = Driver(
        stage.page, stage.registry, config, on_event=lambda event: heard.append(event["type"])
    )
    second = await driver.run("go")

    assert (first.text, second.text) == ("from the config", "again")
    assert heard[-1] == "finished"
    assert config.on_event is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("polcy", "`polcy` is not an option of a driver - did you mean `policy`?"),
        ("zzz", "`zzz` is not an option of a driver - there are model, fallback, "),
    ],
)
async def test_an_unknown_option_is_refused(stage: Stage, name: str, message: str) -> None:
    """The error names the nearest option, or all of them."""
    with pytest.raises(TypeError, match=re.escape(message)):
        Driver(stage.page, stage.registry, **{name: None})
