"""A change that the accepted plan does not name asks as a surprise, whoever accepted the plan."""

from typing import Any

import pytest
from tests.core.agent.stage import NAMES_ALL, READS, Stage, answers, call, finish, tool

from webagent.agent import Answer, Driver, Plan, PlanStep, Policy
from webagent.agent.actions.talk import plan_of
from webagent.agent.permissions import Intent, is_planned
from webagent.llm.scripted import ScriptedModel
from webagent.page.snapshot import Element
from webagent.types import Manifest, Param, Tool

READING = call("make_plan", plan="I will look for it\n- `search` for it\n- say what I found")
ADDING = call("make_plan", plan="I will add it\n- `search` for it\n- `addToBasket`")
WRITE = tool("addToBasket", bookId="the-hobbit")


def driver(stage: Stage, *replies: Any, **options: Any) -> Driver:
    """Return a driver that works with a scripted model."""
    given: dict[str, Any] = {"clock": stage.clock, "on_event": stage.events.append}
    return Driver(stage.page, stage.registry, model=ScriptedModel(*replies), **(given | options))


@pytest.mark.parametrize("accept", ["ask", "caller"])
async def test_a_write_behind_a_plan_that_reads_is_a_surprise(stage: Stage, accept: str) -> None:
    """A model that plans to read and then writes is asked about, with the reason."""
    person = answers(Answer(True))
    agent = driver(
        stage, READING, tool("search", query="x"), WRITE, finish(), person=person, accept=accept
    )

    result = await agent.run("find the hobbit")

    (request,) = person.asked
    assert result.ok
    assert request.kind == "approval"
    assert request.details["surprise"] is True
    assert request.text == (
        "May I use `Add to basket`? This changes something. The accepted plan does not mention it."
    )


async def test_a_surprise_that_the_person_allows_is_not_asked_for_again(stage: Stage) -> None:
    """A grant that is given during a run counts for the rest of it, whatever its plan names."""
    person = answers(Answer(True, session=True))
    agent = driver(stage, READING, WRITE, WRITE, finish(), person=person, accept="caller")

    result = await agent.run("find the hobbit")

    assert [request.details["surprise"] for request in person.asked] == [True]
    assert result.run.granted == ["addToBasket"]


@pytest.mark.parametrize("accept", ["ask", "caller"])
async def test_a_write_of_the_plan_is_not_a_surprise(stage: Stage, accept: str) -> None:
    """A write that the plan names is asked for as ever, and may be allowed for the session."""
    person = answers(Answer(True))
    agent = driver(stage, ADDING, WRITE, finish(), person=person, accept=accept)

    await agent.run("add the hobbit")

    details = person.asked[-1].details
    assert "surprise" not in details
    assert details["session"] is True
    assert details["effect"] == "write"


async def test_a_tool_that_the_plan_was_made_from_is_no_surprise(stage: Stage) -> None:
    """What a tool does not declare asks, but not as if the plan without a model did not name it."""
    find = Tool(name="findBooks", description="Find books.", params=[Param(name="query")])
    stage.page.functions["findBooks"] = stage.search
    await stage.registry.bind(Manifest(name="Shop", description="", tools=[find]))
    person = answers(Answer(True))
    agent = Driver(
        stage.page, stage.registry, person=person, accept="ask", clock=stage.clock
    )  # fmt: skip

    await agent.run("find books about harbours")

    (request,) = person.asked
    assert stage.called == [("search", "harbours")]
    assert request.text == "May I use `findBooks`? The site does not say what this changes."


async def test_a_permission_for_the_session_does_not_cover_a_surprise(stage: Stage) -> None:
    """A permission was for plans that name the write; another plan asks again."""
    person = answers(Answer(True, session=True), Answer(True, session=True))
    agent = stage.driver(WRITE, finish(), WRITE, finish(), plans=(NAMES_ALL, READS), person=person)

    await agent.run("add it")
    result = await agent.run("look at it")

    assert ["surprise" in request.details for request in person.asked] == [False, True]
    assert result.run.allowed == ["addToBasket"]


@pytest.mark.parametrize("plan", [NAMES_ALL, READS])
@pytest.mark.parametrize("policy", [Policy(), Policy(allow_writes=True, allow=("placeOrder",))])
async def test_the_irreversible_asks_whatever_was_accepted(
    stage: Stage, plan: Plan, policy: Policy
) -> None:
    """A plan that names an order, and a caller that allows all writes, do not place it."""
    person = answers(Answer(False))
    agent = stage.driver(
        tool("placeOrder"), finish(), plans=(plan,), person=person, policy=policy, accept="caller"
    )

    await agent.run("order it")

    assert stage.called == []
    assert person.asked[0].details["session"] is False
    assert person.asked[0].details.get("surprise", False) is (plan is READS)


async def test_nobody_to_ask_means_no_surprise_is_done(stage: Stage) -> None:
    """Without a person, what the plan does not name is not done."""
    result = await stage.driver(WRITE, finish()).run("look around")

    assert stage.called == []
    assert not result.run.done()[0].ok


async def test_a_caller_that_allows_writes_needs_no_plan(stage: Stage) -> None:
    """A program that allows writes beforehand has decided, plan or no plan."""
    await stage.driver(WRITE, finish(), policy=Policy(allow=("addToBasket",))).run("look")

    assert stage.called == [("addToBasket", "the-hobbit", 1)]


async def test_a_program_is_held_to_the_plan_too(stage: Stage) -> None:
    """A call that a program makes is a surprise like any other."""

    async def program(code: str, call_tool: Any) -> Any:
        return await call_tool("addToBasket", ["a"])

    stage = await Stage(program=program).opened()
    person = answers(Answer(False))

    await stage.driver(call("execute_js", code="…"), finish(), person=person).run("look")

    assert person.asked[0].details["surprise"] is True
    assert stage.called == []


async def test_a_plan_names_a_control_by_its_words(stage: Stage) -> None:
    """A button is named by what is written on it; another button is a surprise."""
    save, drop = Element(4, "button", "Save all"), Element(5, "button", "Archive")
    stage.show("…", save, drop)
    stage.page.acts["click"] = lambda action: {"did": "clicked"}
    person = answers(Answer(True), Answer(False))
    plan = call("make_plan", plan="I will save\n- `click` on `Save all`")
    agent = driver(
        stage, plan, call("click", pp_id=4), call("click", pp_id=5), finish(), person=person
    )

    await agent.run("save it")

    assert ["surprise" in request.details for request in person.asked] == [False, True]


async def test_each_tool_of_a_line_is_a_step(stage: Stage) -> None:
    """A line that names two tools has two steps, so that no effect is lost behind another."""
    tools = stage.registry.list()

    steps = plan_of("I will do it\n- `search`, then `placeOrder()`\n- look", tools).steps

    assert steps == (
        PlanStep("`search`, then `placeOrder()`", "call_tool", "search", "read"),
        PlanStep("also `placeOrder`", "call_tool", "placeOrder", "irreversible"),
        PlanStep("look"),
    )


@pytest.mark.parametrize(
    ("plan", "label", "named"),
    [
        ("`click` on `Save all`", "Save all", True),
        ("`click` on `Save all`", "save ALL", True),
        ("`click` on `Save all`", "Save", False),
        ("`click` on `Save all`", "a", False),
        ("`click` on `Save all`", "click", True),
        ("press save all", "Save all", True),
        ("press save all", "all", True),
        ("press save all", "e", False),
        ("press save all", "", False),
    ],
)
def test_a_part_of_a_word_names_no_control(plan: str, label: str, named: bool) -> None:
    """A button with one letter on it is in no plan that happens to have that letter."""
    step = PlanStep(plan, "click", "", "unknown")
    intent = Intent("click", "unknown", label=label)

    assert is_planned(intent, Plan("I will save", (step,))) is named
