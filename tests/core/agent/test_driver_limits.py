from typing import Any

import pytest
from tests.core.agent.stage import ORIGIN, Stage, call, finish, tool

from webagent.agent import Answer, Budget
from webagent.llm.errors import CredentialsRefused


@pytest.mark.parametrize(
    ("budget", "kind", "words"),
    [
        (Budget(steps=2), "cancelled", "budget of 2 steps is used up"),
        (Budget(seconds=0.0), "timeout", "the 0 s that the run may take are over"),
    ],
)
async def test_a_budget_ends_a_run(stage: Stage, budget: Budget, kind: str, words: str) -> None:
    """When the budget is used up no further step is taken."""
    calls = [tool("search", query=str(n)) for n in range(5)]

    result = await stage.driver(*calls, budget=budget).run("go")

    assert result.error is not None
    assert result.error.kind == kind
    assert words in result.error.message


async def test_the_time_of_a_person_is_not_counted(stage: Stage) -> None:
    """A run does not run out of time while somebody thinks."""

    class Slow:
        async def ask(self, request: Any) -> Answer:
            stage.clock.advance(10_000)
            return Answer(True)

    stage.page.functions["search"] = lambda query: stage.clock.advance(7)
    driver = stage.driver(tool("search", query="x"), tool("mystery"), finish("fine"), person=Slow())

    result = await driver.run("go")

    assert result.ok
    assert result.run.spent.seconds == 7


async def test_the_same_call_for_the_third_time_ends_the_run(stage: Stage) -> None:
    """An agent that makes the same call on the same page thrice goes in circles."""
    calls = [tool("search", query="x") for _ in range(3)]

    result = await stage.driver(*calls).run("go")

    assert result.error is not None
    assert "with the same arguments for the third time" in result.error.message
    assert len(stage.called) == 2


async def test_the_same_call_may_repeat_on_a_page_that_changes(stage: Stage) -> None:
    """On another revision of the page the same call is another one."""

    def search(query: str) -> None:
        stage.show("more and more")

    stage.page.functions["search"] = search
    calls = [tool("search", query="x") for _ in range(4)]

    assert (await stage.driver(*calls, finish()).run("go")).ok


async def test_five_failures_in_a_row_end_the_run(stage: Stage) -> None:
    """An agent to which nothing succeeds is stopped."""
    calls = [call(f"nonsense{n}") for n in range(9)]

    result = await stage.driver(*calls).run("go")

    assert result.error is not None
    assert result.error.message.startswith("5 actions in a row have failed")
    assert stage.script.left == 4


async def test_a_model_that_refuses_ends_the_run(stage: Stage) -> None:
    """A failure of the model is the failure of the run, in one of the kinds of every door."""
    result = await stage.driver(CredentialsRefused("the key is wrong")).run("go")

    assert result.error is not None
    assert (result.error.kind, result.error.message) == (
        "denied",
        "the model gave no reply - the key is wrong",
    )


async def test_a_page_that_cannot_be_opened_is_named(stage: Stage) -> None:
    """Not the page of the browser that is shown in its place, which has no origin."""
    address = f"{ORIGIN}/nowhere"

    def go(action: Any) -> dict[str, Any]:
        url = "chrome-error://chromewebdata/"
        stage.page.shown = type(stage.page.shown)(url=url, revision=1)
        stage.page._origin = "null"
        return {"navigates": True, "url": address}

    stage.page.acts["goto_url"] = go
    result = await stage.driver(call("goto_url", url="/nowhere"), finish()).run("go to /nowhere")

    assert result.error is not None
    assert result.error.kind == "page_gone"
    assert f"`{address}` cannot be opened" in result.error.message
    assert stage.script.left == 1


async def test_a_run_never_acts_on_another_origin(stage: Stage) -> None:
    """When the page is on another origin the run ends before anything is done there."""

    def wander(query: str) -> None:
        stage.page.shown = type(stage.page.shown)(url="https://evil.example/", revision=1)

    stage.page.functions["search"] = wander
    result = await stage.driver(tool("search", query="x"), finish()).run("go")

    assert result.error is not None
    assert result.error.kind == "origin_mismatch"
    assert stage.script.left == 1
