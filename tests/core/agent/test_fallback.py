"""A second model that takes over when the first one fails."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest
from tests.core.agent.stage import Stage, finish, tool
from tests.core.agent.test_models import PLAN, driver, model

from webagent.agent import Driver, MemoryStore
from webagent.agent.cost import Price, cost_at
from webagent.llm.chat import Reply, Usage
from webagent.llm.errors import (
    BadRequest,
    ContentFiltered,
    ContextTooLong,
    CredentialsRefused,
    DownloadNeeded,
    ModelError,
    ModelUnavailable,
    Overloaded,
    QuotaExhausted,
    RateLimited,
)
from webagent.llm.scripted import ScriptedModel


def second(
    *replies: Any, name: str = "gpt-4o-mini", context_tokens: int = 100_000
) -> ScriptedModel:
    return ScriptedModel(*replies, name=name, context_tokens=context_tokens)


async def test_a_second_model_takes_over_for_the_rest_of_the_run(stage: Stage) -> None:
    """It gets the whole conversation, and the first model is not asked again in this run."""
    other = second(tool("search", query="x"), finish("no books"))
    agent = driver(stage, PLAN, CredentialsRefused("the key is wrong"), PLAN, fallback=other)

    result = await agent.run("find x")

    assert result.ok
    assert len(model(stage).conversations) == 2
    assert [message.text for message in other.conversations[0]] == [
        message.text for message in model(stage).conversations[1]
    ]
    (switched,) = stage.told("switched")
    assert (switched["model"], switched["reason"]) == ("gpt-4o-mini", "the key is wrong")


async def test_the_next_run_begins_with_the_first_model(stage: Stage) -> None:
    """A model that failed yesterday may work today."""
    other = second(PLAN, finish("by the second"))
    agent = driver(stage, QuotaExhausted("no money"), PLAN, finish("by the first"), fallback=other)

    assert (await agent.run("go")).text == "by the second"
    assert (await agent.run("go")).text == "by the first"


async def test_the_first_model_is_tried_as_often_as_without_a_second(stage: Stage) -> None:
    """Failures that may pass are waited for, and then the second model is asked."""
    other = second(PLAN, finish("no books"))

    result = await driver(stage, *[Overloaded("busy")] * 5, fallback=other).run("go")

    assert result.ok
    assert stage.clock.slept == [1.0, 2.0, 4.0, 8.0]
    assert len(stage.told("switched")) == 1


@pytest.mark.parametrize(
    "error",
    [
        CredentialsRefused("x"),
        QuotaExhausted("x"),
        ModelUnavailable("x"),
        DownloadNeeded("x"),
        RateLimited("x", retry_after_s=3600.0),
    ],
)
async def test_failures_that_another_model_mends(stage: Stage, error: ModelError) -> None:
    """Without a second try, since none would help."""
    result = await driver(stage, error, fallback=second(PLAN, finish("fine"))).run("go")

    assert (result.ok, stage.clock.slept) == (True, [])


@pytest.mark.parametrize("error", [BadRequest("x"), ContextTooLong("x"), ContentFiltered("x")])
async def test_failures_that_the_request_is_to_blame_for(stage: Stage, error: ModelError) -> None:
    """Another model is not sent what a filter or a limit has refused."""
    other = second(PLAN, finish("fine"))

    result = await driver(stage, error, fallback=other).run("go")

    assert not result.ok
    assert other.conversations == []


async def test_each_model_has_its_own_prices(stage: Stage) -> None:
    """The tokens of both add up, each at its price."""
    used = Usage(1_000_000, 0)
    other = second(Reply(calls=(finish("fine"),), usage=used))
    agent = driver(stage, Reply(calls=(PLAN,), usage=used), QuotaExhausted("x"), fallback=other)

    result = await agent.run("go")

    # 2.50 of gpt-4o and 0.15 of gpt-4o-mini.
    assert Decimal(result.run.spent.usd or 0) == Decimal("2.65")
    assert result.run.spent.usage.prompt == 2_000_000


async def test_each_model_has_prices_of_the_site(stage: Stage) -> None:
    """They count whatever names the servers give, and even for two models of one name."""
    used = Usage(1_000_000, 0)
    reply = Reply(calls=(finish("fine"),), usage=used, model="gpt-4o-2024-08-06")
    agent = driver(
        stage, Reply(calls=(PLAN,), usage=used), QuotaExhausted("x"),
        fallback=second(reply, name="gpt-4o"),
        cost=cost_at(Price.of("3", "4")), fallback_cost=cost_at(Price.of("0.5", "1")),
    )  # fmt: skip

    result = await agent.run("go")

    assert Decimal(result.run.spent.usd or 0) == Decimal("3.5")


async def test_when_both_fail_the_run_ends(stage: Stage) -> None:
    """The error is that of the second model."""
    agent = driver(stage, QuotaExhausted("no money"), fallback=second(CredentialsRefused("no key")))

    result = await agent.run("go")

    assert result.error is not None
    assert (result.error.kind, "no key" in result.text) == ("denied", True)


async def test_the_second_model_goes_on_in_the_next_page(stage: Stage) -> None:
    """The failure of the first is not waited for on every page."""
    store = MemoryStore()
    stage.page.functions["search"] = lambda query: agent.abandon()
    agent = driver(
        stage, PLAN, QuotaExhausted("no money"), store=store,
        fallback=second(tool("search", query="x")),
    )  # fmt: skip
    with pytest.raises(asyncio.CancelledError):
        await agent.run("go")

    later = driver(stage, store=store, fallback=second(finish("`search` may be done")))
    result = await later.resume()

    assert result is not None
    assert result.ok
    assert stage.told("started")[-1]["model"] == "gpt-4o-mini"


async def test_a_conversation_fits_into_the_smaller_window(stage: Stage) -> None:
    """The second model is sent what the first was sent, so it has to fit there too."""
    stage.page.functions["search"] = lambda query: query * 20_000
    searches = [tool("search", query=query) for query in "abcdef"]
    other = second(finish("no"), context_tokens=6_000)

    await driver(stage, PLAN, *searches, QuotaExhausted("x"), fallback=other).run("go")

    assert sum(len(message.text) for message in other.conversations[0]) < 6_000 * 4


async def test_a_second_model_needs_a_first(stage: Stage) -> None:
    """It is an error of the program, and says so."""
    with pytest.raises(TypeError, match="there is no `model` - pass both"):
        Driver(stage.page, stage.registry, fallback=second())
