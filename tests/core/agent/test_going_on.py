"""A run whose model fails goes on without one, unless it has changed something."""

import asyncio
import json
from typing import Any

import pytest
from tests.core.agent.stage import MANIFEST, Stage, answers, call, finish, tool
from tests.core.agent.test_models import PLAN, driver, model

from webagent.agent import Answer, Driver, MemoryStore
from webagent.agent.broker import Outage
from webagent.llm.chat import Reply
from webagent.llm.errors import (
    BadRequest,
    ConnectionLost,
    ContentFiltered,
    ContextTooLong,
    CredentialsRefused,
    CutStream,
    ModelError,
    ModelUnavailable,
    Overloaded,
    QuotaExhausted,
    RateLimited,
    TimedOut,
)
from webagent.llm.scripted import ScriptedModel
from webagent.results import ExecutionResult
from webagent.speech import speech
from webagent.types import Behavior

LIMIT = "The assistant has reached its limit for now."
CHANGED = "I had already changed something, so I am stopping here to avoid doing anything twice."
SILENT = "The language model is not answering right now."
GOAL = "search for harbour"


def going_on(stage: Stage, *replies: Any, **options: Any) -> Driver:
    return driver(stage, *replies, goes_on=True, **options)


def searches(stage: Stage) -> list[str]:
    """Let the shop find a book, and return the list of what it is asked for."""
    asked: list[str] = []

    def search(query: str) -> str:
        asked.append(query)
        return "Harbour Lights"

    stage.page.functions["search"] = search
    return asked


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (QuotaExhausted("used up"), LIMIT),
        (RateLimited("slow down", retry_after_s=3600.0), LIMIT),
        (Overloaded("stopped", status=503, retry_after_s=600.0), SILENT),
        (CredentialsRefused("bad token", status=403), SILENT),
        (ModelUnavailable("none here"), SILENT),
    ],
)
async def test_a_failure_that_waiting_does_not_mend(
    stage: Stage, error: ModelError, words: str
) -> None:
    """The goal is reached without the model at once, and the person reads which of two it was."""
    asked = searches(stage)

    result = await going_on(stage, error).run(GOAL)

    assert (result.ok, asked, stage.clock.slept) == (True, ["harbour"], [])
    assert "Harbour Lights" in result.text
    (switched,) = stage.told("switched")
    assert switched["model"] is None
    assert switched["reason"] == str(error)
    assert switched["text"].startswith(f"{words} I will go on without a language model")
    assert "without_model" not in stage.told("finished")[0]


@pytest.mark.parametrize(
    "error",
    [Overloaded("busy", status=502), ConnectionLost("gone"), CutStream("cut"), TimedOut("slow")],
)
async def test_a_failure_that_does_not_pass(stage: Stage, error: ModelError) -> None:
    """It is tried five times, as ever."""
    searches(stage)

    result = await going_on(stage, *[error] * 5).run(GOAL)

    assert result.ok
    assert stage.clock.slept == [1.0, 2.0, 4.0, 8.0]
    assert stage.told("switched")[0]["text"].startswith(SILENT)


async def test_a_failure_that_takes_long_is_not_waited_for_twice(stage: Stage) -> None:
    """A provider that hangs is left after its first silence, not after five of them."""
    searches(stage)

    class Hanging(ScriptedModel):
        async def reply(self, *given: Any, **options: Any) -> Reply:
            await stage.clock.sleep(90.0)
            raise TimedOut("no byte within 90 s")

    agent = Driver(
        stage.page, stage.registry, model=Hanging(name="gpt-4o"), goes_on=True,
        clock=stage.clock, on_event=stage.events.append,
    )  # fmt: skip
    result = await agent.run(GOAL)

    assert (result.ok, stage.clock.slept) == (True, [90.0])


@pytest.mark.parametrize("error", [BadRequest("x"), ContextTooLong("x"), ContentFiltered("x")])
async def test_a_failure_that_the_request_is_to_blame_for(stage: Stage, error: ModelError) -> None:
    """It ends the run, as it does with a second model."""
    asked = searches(stage)

    result = await going_on(stage, error).run(GOAL)

    assert (result.ok, asked, stage.told("switched")) == (False, [], [])


async def test_only_where_it_is_wanted(stage: Stage) -> None:
    """A program that measures a model does not get the work of another."""
    result = await driver(stage, QuotaExhausted("used up")).run(GOAL)

    assert result.error is not None
    assert (result.ok, result.error.kind) == (False, "denied")


async def test_reads_of_the_model_are_no_reason_to_stop(stage: Stage) -> None:
    """The plan of the model is void, and reads may be made again as often as without it."""
    asked = searches(stage)
    read = tool("search", query="harbour")
    agent = going_on(stage, PLAN, read, read, QuotaExhausted("used up"))

    result = await agent.run(GOAL)

    assert result.ok, result
    assert asked == ["harbour"] * 3
    assert [planned["revised"] for planned in stage.told("planned")] == [False, True]
    assert len(model(stage).conversations) == 4


async def test_the_second_model_comes_first(stage: Stage) -> None:
    """Without a model the run goes on when both have failed."""
    searches(stage)
    other = ScriptedModel(CredentialsRefused("no key"), name="gpt-4o-mini")
    result = await going_on(stage, QuotaExhausted("used up"), fallback=other).run(GOAL)

    assert result.ok
    assert [switched["model"] for switched in stage.told("switched")] == ["gpt-4o-mini", None]


async def test_nothing_is_done_twice(stage: Stage) -> None:
    """After a change the run ends, says what was done, and offers to try without the model."""
    change = tool("addToBasket", bookId="b7")
    agent = going_on(stage, PLAN, change, QuotaExhausted("used up"), person=answers(Answer(True)))

    result = await agent.run("add b7 to the basket")

    assert [name for name, *_ in stage.called] == ["addToBasket"]
    assert not result.ok
    assert result.text == f"{LIMIT} {CHANGED} I used “Add to basket”."
    assert result.error is not None
    assert (result.error.kind, "used up" in result.error.message) == ("denied", True)
    assert stage.told("switched") == []
    assert stage.told("finished")[0]["without_model"] is True


async def test_a_program_is_not_repeated_either() -> None:
    """A program by itself changes nothing; its calls do."""

    async def program(code: str, call: Any) -> ExecutionResult:
        await call("search", ["x"])
        if "add" in code:
            await call("addToBasket", ["b7"])
            await call("placeOrder", [])
        return ExecutionResult(None)

    stage = await Stage(program=program).opened()
    read, change = (call("execute_js", code=code) for code in ("search", "add"))
    person = answers(Answer(True), Answer(False))
    agent = going_on(stage, read, change, QuotaExhausted("used up"), person=person)

    result = await agent.run("add b7 to the basket")

    assert [name for name, *_ in stage.called] == ["search", "search", "addToBasket"]
    assert result.text == f"{LIMIT} {CHANGED} I used “Add to basket”."


async def test_the_site_says_what_was_done(stage: Stage) -> None:
    """In the manifest's own sentence, with the values of the call."""
    manifest = MANIFEST.model_copy(deep=True)
    manifest.tools[1].behavior = Behavior(done="{bookId} is in your basket.")
    await stage.registry.bind(manifest)
    agent = going_on(
        stage, tool("addToBasket", bookId="b7"), QuotaExhausted("x"), person=answers(Answer(True))
    )

    result = await agent.run("add b7 to the basket")

    assert result.text.endswith("b7 is in your basket.")


async def test_a_refused_action_has_changed_nothing(stage: Stage) -> None:
    """The run goes on."""
    agent = going_on(
        stage, tool("addToBasket", bookId="b7"), QuotaExhausted("used up"),
        person=answers(Answer(False)),
    )  # fmt: skip
    searches(stage)

    result = await agent.run(GOAL)

    assert result.ok
    assert stage.told("switched")[0]["model"] is None


async def test_the_next_page_knows_of_the_change(stage: Stage) -> None:
    """A change is stored before it is made, so the page that follows does not make it again."""
    store = MemoryStore()
    agent = going_on(
        stage, tool("addToBasket", bookId="b7"), store=store, person=answers(Answer(True))
    )
    stage.page.functions["addToBasket"] = lambda bookId: agent.abandon()  # noqa: N803
    with pytest.raises(asyncio.CancelledError):
        await agent.run("add b7 to the basket")

    later = going_on(stage, QuotaExhausted("used up"), store=store)
    result = await later.resume()

    assert result is not None
    assert (result.ok, stage.told("finished")[-1]["without_model"]) == (False, True)


async def test_the_next_page_goes_on_without_the_model(stage: Stage) -> None:
    """The model is not asked again in this run."""
    store = MemoryStore()
    agent = going_on(stage, QuotaExhausted("used up"), store=store)
    stage.page.functions["search"] = lambda query: agent.abandon()
    with pytest.raises(asyncio.CancelledError):
        await agent.run(GOAL)
    assert json.loads(await store.load() or "")["modelless"] is True

    searches(stage)
    later = going_on(stage, finish("by the model"), store=store)
    result = await later.resume()

    assert result is not None
    assert stage.told("started")[-1]["model"] is None
    assert model(stage).conversations == []


async def test_the_next_run_begins_with_the_model(stage: Stage) -> None:
    """A limit is for a day, and a provider comes back."""
    searches(stage)
    agent = going_on(stage, QuotaExhausted("used up"), finish("by the model"))

    assert "Harbour Lights" in (await agent.run(GOAL)).text
    assert (await agent.run(GOAL)).text == "by the model"


async def test_an_outage_is_waited_for_once_a_minute(stage: Stage) -> None:
    """The runs after it go on without the model at once, and say so; a minute later it is asked again."""
    searches(stage)
    down = [ConnectionLost("nobody answers")] * 5
    agent = going_on(stage, *down, finish("by the model"), outage=Outage())

    for _ in range(3):
        assert (await agent.run(GOAL)).ok
    assert stage.clock.slept == [1.0, 2.0, 4.0, 8.0]
    assert [each["reason"] for each in stage.told("switched")] == ["nobody answers"] * 3
    assert all(each["text"].startswith(SILENT) for each in stage.told("switched"))
    await stage.clock.sleep(61.0)

    assert (await agent.run(GOAL)).text == "by the model"


async def test_a_failure_that_takes_no_time_is_no_outage(stage: Stage) -> None:
    """The visitor may have another budget by now, or the site another key."""
    searches(stage)
    agent = going_on(stage, QuotaExhausted("used up"), finish("by the model"), outage=Outage())

    assert (await agent.run(GOAL)).ok
    assert (await agent.run(GOAL)).text == "by the model"


async def test_the_words_are_in_the_language_of_the_page(stage: Stage) -> None:
    """German here."""
    searches(stage)
    await going_on(stage, QuotaExhausted("used up"), speech=speech("de")).run("suche harbour")

    assert stage.told("switched")[0]["text"].startswith("Der Assistent hat sein Kontingent")
