from typing import Any

import pytest
from tests.core.agent.stage import ORIGIN, READS, Stage, answers, call, finish, tool

from webagent.agent import Answer, Plan, PlanStep, Policy
from webagent.agent.actions.talk import plan_of
from webagent.errors import PageGone
from webagent.types import Behavior

WRITES = Plan(
    "I will buy it",
    (
        PlanStep("add it", "call_tool", "addToBasket", "write"),
        PlanStep("order it", "call_tool", "placeOrder", "irreversible"),
    ),
)
BOTH = Plan(
    "I will add both",
    tuple(
        PlanStep(f"add {book}", "call_tool", "addToBasket", "write", {"bookId": book})
        for book in ("the-hobbit", "dune")
    ),
)


async def test_a_plan_of_reads_needs_no_yes(stage: Stage) -> None:
    """The policy accepts a plan all of whose steps read."""
    person = answers()

    await stage.driver(finish(), accept="ask", person=person).run("look")

    assert stage.told("accepted")[0]["by"] == "policy"
    assert person.asked == []


async def test_a_plan_that_writes_is_shown_to_the_person(stage: Stage) -> None:
    """The person accepts a plan that changes something."""
    person = answers(Answer(True))

    await stage.driver(finish(), plans=(WRITES,), accept="ask", person=person).run("buy it")

    assert [request.kind for request in person.asked] == ["plan"]
    assert person.asked[0].details["steps"][0]["tool"] == "addToBasket"
    assert stage.told("accepted")[0]["by"] == "person"


async def test_an_accepted_plan_does_not_permit_its_writes(stage: Stage) -> None:
    """A write of an accepted plan is asked for when it is taken."""
    person = answers(Answer(True), Answer(False, "not that one"))
    script = (tool("addToBasket", bookId="the-hobbit"), finish(success=False))

    await stage.driver(*script, plans=(WRITES,), accept="ask", person=person).run("buy it")

    assert [request.kind for request in person.asked] == ["plan", "approval"]
    assert stage.called == []


async def test_a_plan_of_one_change_is_one_question(stage: Stage) -> None:
    """The change asks for itself, with what it is about to do; the plan does not."""
    person = answers(Answer(True))
    plan = Plan("I will add it", (PlanStep("look"), WRITES.steps[0]))
    script = (tool("addToBasket", bookId="the-hobbit"), finish())

    await stage.driver(*script, plans=(plan,), accept="ask", person=person).run("buy it")

    assert [request.kind for request in person.asked] == ["approval"]
    assert stage.called == [("addToBasket", "the-hobbit", 1)]


async def test_named_changes_are_allowed_with_the_plan(stage: Stage) -> None:
    """The person sees each in full, allows them with the plan, and is not asked again."""
    person = answers(Answer(True, approvals=True))
    books = ("the-hobbit", "dune")
    script = (*(tool("addToBasket", bookId=book) for book in books), finish())

    await stage.driver(*script, plans=(BOTH,), accept="ask", person=person).run("buy both")

    (request,) = person.asked
    shown = request.details["approvals"]
    assert [each["details"]["arguments"] for each in shown] == [{"bookId": b} for b in books]
    assert all(each["text"].startswith("May I use `Add to basket`?") for each in shown)
    assert all(each["details"]["grants"] == [] for each in shown)
    assert stage.called == [("addToBasket", book, 1) for book in books]


@pytest.mark.parametrize(
    ("calls", "asked"),
    [
        ([tool("addToBasket", bookId="emma")], "addToBasket"),
        ([tool("addToBasket", bookId="dune", count=2)], "addToBasket"),
        ([tool("addToBasket", bookId="dune"), tool("addToBasket", bookId="dune")], "addToBasket"),
        ([tool("mystery")], "mystery"),
        ([tool("placeOrder")], "placeOrder"),
    ],
)
async def test_anything_else_asks(stage: Stage, calls: list[Any], asked: str) -> None:
    """Other arguments, one more of them, the same again, and other tools are not allowed."""
    person = answers(Answer(True, approvals=True), Answer(False))
    script = (*calls, finish(success=False))

    await stage.driver(*script, plans=(BOTH,), accept="ask", person=person).run("buy both")

    assert [request.kind for request in person.asked] == ["plan", "approval"]
    assert person.asked[1].details["tool"] == asked
    assert len(stage.called) == len(calls) - 1


@pytest.mark.parametrize("answer", [Answer(True), Answer(False, approvals=True)])
async def test_a_bare_yes_allows_no_change(stage: Stage, answer: Answer) -> None:
    """A program that accepts every plan has not seen the changes; and a no is a no."""
    person = answers(answer, Answer(False), Answer(False))
    script = (tool("addToBasket", bookId="dune"), finish(success=False))

    await stage.driver(*script, plans=(BOTH, BOTH), accept="ask", person=person).run("buy")

    assert stage.called == []


async def test_nobody_allows_named_changes(stage: Stage) -> None:
    """Without a person, a plan is accepted, and what it names is refused."""
    script = (tool("addToBasket", bookId="dune"), finish(success=False))

    await stage.driver(*script, plans=(BOTH,), accept="ask").run("buy both")

    assert stage.called == []


async def test_a_tool_that_changes_more_than_the_plan_showed_asks(stage: Stage) -> None:
    """The yes was to a write; an irreversible call was not allowed."""

    async def redefine(query: str) -> None:
        manifest = stage.registry.manifest
        tools = [
            each.model_copy(update={"behavior": Behavior(effect="irreversible")})
            if each.name == "addToBasket"
            else each
            for each in manifest.tools
        ]
        await stage.registry.bind(manifest.model_copy(update={"tools": tools}))

    stage.page.functions["search"] = redefine
    person = answers(Answer(True, approvals=True), Answer(False))
    script = (
        tool("search", query="x"), tool("addToBasket", bookId="dune"), finish(success=False),
    )  # fmt: skip

    await stage.driver(*script, plans=(BOTH,), accept="ask", person=person).run("buy both")

    assert person.asked[1].details["effect"] == "irreversible"
    assert stage.called == []


async def test_another_plan_takes_back_what_was_allowed_with_the_first(stage: Stage) -> None:
    """A yes belongs to the plan that showed it."""
    person = answers(Answer(True, approvals=True), Answer(False))
    made = call("make_plan", plan="look around\n- `search` for it")
    add = tool("addToBasket", bookId="dune")
    driver = stage.driver(
        made, add, finish(success=False), plans=(BOTH,), accept="ask", person=person
    )

    await driver.run("buy both")

    assert [request.kind for request in person.asked] == ["plan", "approval"]
    assert stage.called == []


async def test_a_model_names_final_arguments_as_json(stage: Stage) -> None:
    """A line may name two calls of one tool."""
    text = (
        'I will\n- `addToBasket({"bookId": "a"})`, `addToBasket({"bookId": "b"})`\n- `search("x")`'
    )

    steps = plan_of(text, stage.registry.list()).steps

    assert [step.arguments for step in steps] == [{"bookId": "a"}, {"bookId": "b"}, None]


async def test_a_plan_whose_steps_are_allowed_is_accepted_by_the_policy(stage: Stage) -> None:
    """Tools that the caller has allowed need no yes in a plan either."""
    policy = Policy(allow=("addToBasket",))

    await stage.driver(finish(), plans=(BOTH,), accept="ask", policy=policy).run("buy it")

    assert stage.told("accepted")[0]["by"] == "policy"


async def test_a_plan_that_says_nothing_of_effects_is_shown(stage: Stage) -> None:
    """Of a plan whose effects are not known the person decides."""
    person = answers(Answer(True))
    plan = Plan("I will see", (PlanStep("see"),))

    await stage.driver(finish(), plans=(plan,), accept="ask", person=person).run("see")

    assert len(person.asked) == 1


async def test_a_caller_may_accept_plans(stage: Stage) -> None:
    """With `accept="caller"` nobody is asked about a plan."""
    person = answers()

    await stage.driver(finish(), plans=(WRITES,), accept="caller", person=person).run("buy")

    assert stage.told("accepted")[0]["by"] == "caller"


async def test_a_rejected_plan_goes_back_with_the_reason(stage: Stage) -> None:
    """The planner gets the reason, and its next plan is shown as revised."""
    person = answers(Answer(False, "only look"), Answer(True))
    step = PlanStep("x", "call_tool", "mystery", "unknown")
    other = Plan("I will put it aside", (step, step))
    driver = stage.driver(finish(), plans=(WRITES, other), accept="ask", person=person)

    result = await driver.run("buy it")

    assert stage.script.reasons == ["only look"]
    assert [event["revised"] for event in stage.told("planned")] == [False, True]
    assert stage.told("rejected")[0] == {
        "run_id": result.run.id, "type": "rejected", "by": "person", "reason": "only look",
    }  # fmt: skip
    assert result.run.plan == other


async def test_a_plan_goes_back_three_times_at_most(stage: Stage) -> None:
    """After the fourth no the run ends as denied, and nothing was done."""
    step = PlanStep("x", "call_tool", "mystery", "unknown")
    plans = tuple(Plan(f"I will try {n}", (step, step)) for n in range(5))
    person = answers(*[Answer(False, f"no {n}") for n in range(4)])

    result = await stage.driver(plans=plans, accept="ask", person=person).run("go")

    assert result.error is not None
    assert (result.error.kind, len(stage.script.reasons)) == ("denied", 3)


async def test_the_same_plan_again_is_not_shown_again(stage: Stage) -> None:
    """A planner that has no other plan after a no ends the run."""
    person = answers(Answer(False))

    result = await stage.driver(plans=(WRITES,), accept="ask", person=person).run("go")

    assert result.error is not None
    assert result.error.kind == "denied"


def gone(query: str) -> None:
    """Fail as a tool does whose frame goes away."""
    raise PageGone("the frame went away")


async def test_a_page_that_is_not_as_planned_for_has_the_plan_revised(stage: Stage) -> None:
    """A tool whose frame went away makes the planner revise the plan."""
    stage.page.functions["search"] = gone
    other = Plan("I will do without", READS.steps)
    driver = stage.driver(tool("search", query="x"), finish(), plans=(READS, other))

    result = await driver.run("go")

    assert stage.script.reasons == ["`search` failed - the frame went away"]
    assert result.run.plan == other


async def test_an_error_thrown_by_a_tool_keeps_the_plan(stage: Stage) -> None:
    """It is an answer, which the decider sees."""
    stage.page.functions["search"] = lambda query: 1 / 0

    await stage.driver(tool("search", query="x"), finish()).run("go")

    assert stage.script.reasons == []


async def test_a_mistake_of_the_agent_keeps_the_plan(stage: Stage) -> None:
    """Arguments that do not fit leave the plan as it is: the decider sees the error."""
    driver = stage.driver(tool("search"), finish())

    result = await driver.run("go")

    assert stage.script.reasons == []
    error = result.run.done()[0].error
    assert error is not None
    assert error["message"] == "`search` needs `query` (string)"


async def test_another_page_than_expected_has_the_plan_revised(stage: Stage) -> None:
    """If another page comes than asked for, the planner gets the reason."""

    def go(action: Any) -> dict[str, Any]:
        stage.show("Please log in", path="/login")
        return {"did": "went", "navigates": True, "url": f"{ORIGIN}/login"}

    stage.page.acts["goto_url"] = go
    driver = stage.driver(call("goto_url", url="/account"), finish())

    await driver.run("open /account")

    assert stage.script.reasons == ["`/account` was asked for, and the page is `/login`"]


async def test_tools_that_are_gone_have_the_plan_revised(stage: Stage) -> None:
    """A tool of the plan that the page has no more makes the planner revise it."""

    def leave(query: str) -> None:
        del stage.page.functions["addToBasket"]

    stage.page.functions["search"] = leave
    driver = stage.driver(tool("search", query="x"), finish(), plans=(WRITES,))

    await driver.run("go")

    assert stage.script.reasons == ["the page has no `addToBasket` any more"]


async def test_a_plan_is_revised_three_times_at_most(stage: Stage) -> None:
    """Surprises without end do not have plans made without end."""
    stage.page.functions["search"] = gone
    calls = [tool("search", query=str(n)) for n in range(4)]

    await stage.driver(*calls, finish(success=False)).run("go")

    assert len(stage.script.reasons) == 3


async def test_a_plan_made_on_the_way_is_accepted_like_the_first(stage: Stage) -> None:
    """`make_plan` replaces the plan when it is accepted, and fails with the reason when not."""
    person = answers(Answer(False, "no orders"))
    made = call("make_plan", plan="order it\n- call `placeOrder`\n- call `mystery`")
    driver = stage.driver(made, finish(), accept="ask", person=person)

    result = await driver.run("go")

    assert person.asked[0].text == "I will order it"
    assert person.asked[0].details["steps"][0]["effect"] == "irreversible"
    error = result.run.done()[0].error
    assert error is not None
    assert error["message"] == "the plan was not accepted - no orders"
    assert result.run.plan == READS
