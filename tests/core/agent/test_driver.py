import asyncio
from typing import Any

import pytest
from tests.core.agent.stage import ORIGIN, READS, Stage, answers, call, finish, tool

from webagent.agent import (
    EVENTS,
    Answer,
    Budget,
    Driver,
    MemoryStore,
    Plan,
    PlanStep,
    Policy,
    Run,
    RunResult,
)
from webagent.agent.events import OPTIONAL
from webagent.errors import InvalidArguments, Navigated, PageGone
from webagent.llm.chat import Reply, ToolCall, ToolDefinition
from webagent.llm.errors import CredentialsRefused

WRITES = Plan("I will buy it", (PlanStep("add it", "call_tool", "addToBasket", "write"),))


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


async def test_who_cancels_the_run_is_told_so(stage: Stage) -> None:
    """Cancelling the task that awaits a run ends it, and the end is told all the same."""
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

    await stage.driver(finish(success=success), on_plan_completed=hear).run("go")

    assert heard == [success]


async def test_a_mind_that_breaks_is_heard_and_raised(stage: Stage) -> None:
    """An exception that nobody meant reaches the caller, after the end was told to all."""
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
    """When `on_plan_completed` fails, the end is told, and the driver is free again."""

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
    """A goal without words is no goal."""
    with pytest.raises(InvalidArguments, match="the goal is empty"):
        await stage.driver().run(" \n")


async def test_a_plan_of_reads_needs_no_yes(stage: Stage) -> None:
    """The policy accepts a plan all of whose steps read."""
    person = answers()

    await stage.driver(finish(), accept="ask", person=person).run("look")

    assert stage.told("accepted")[0]["by"] == "policy"
    assert person.asked == []


async def test_a_plan_that_writes_is_shown_to_the_person(stage: Stage) -> None:
    """What a plan changes is for the person to accept."""
    person = answers(Answer(True))

    await stage.driver(finish(), plans=(WRITES,), accept="ask", person=person).run("buy it")

    assert [request.kind for request in person.asked] == ["plan"]
    assert person.asked[0].details["steps"][0]["tool"] == "addToBasket"
    assert stage.told("accepted")[0]["by"] == "person"


async def test_a_plan_is_no_licence_for_its_writes(stage: Stage) -> None:
    """A write of an accepted plan is asked for when it is taken."""
    person = answers(Answer(True), Answer(False, "not that one"))
    script = (tool("addToBasket", bookId="the-hobbit"), finish(success=False))

    await stage.driver(*script, plans=(WRITES,), accept="ask", person=person).run("buy it")

    assert [request.kind for request in person.asked] == ["plan", "approval"]
    assert stage.called == []


async def test_a_plan_whose_steps_are_allowed_is_accepted_by_the_policy(stage: Stage) -> None:
    """Tools that the caller has allowed need no yes in a plan either."""
    policy = Policy(allow=("addToBasket",))

    await stage.driver(finish(), plans=(WRITES,), accept="ask", policy=policy).run("buy it")

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
    """The planner is told why, and its next plan is shown as revised."""
    person = answers(Answer(False, "only look"), Answer(True))
    other = Plan("I will put it aside", (PlanStep("x", "call_tool", "mystery", "unknown"),))
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
    plans = tuple(
        Plan(f"I will try {n}", (PlanStep("x", "call_tool", "mystery", "unknown"),))
        for n in range(5)
    )
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
    """A tool whose frame went away is a surprise: the planner hears of it."""
    stage.page.functions["search"] = gone
    other = Plan("I will do without", READS.steps)
    driver = stage.driver(tool("search", query="x"), finish(), plans=(READS, other))

    result = await driver.run("go")

    assert stage.script.reasons == ["`search` failed - the frame went away"]
    assert result.run.plan == other


async def test_what_a_tool_throws_is_no_surprise(stage: Stage) -> None:
    """It is an answer, which the decider sees."""
    stage.page.functions["search"] = lambda query: 1 / 0

    await stage.driver(tool("search", query="x"), finish()).run("go")

    assert stage.script.reasons == []


async def test_what_the_agent_got_wrong_itself_is_no_surprise(stage: Stage) -> None:
    """Arguments that do not fit leave the plan as it is: the decider sees the error."""
    driver = stage.driver(tool("search"), finish())

    result = await driver.run("go")

    assert stage.script.reasons == []
    error = result.run.done()[0].error
    assert error is not None
    assert error["message"] == "`search` needs `query` (string)"


async def test_another_page_than_expected_has_the_plan_revised(stage: Stage) -> None:
    """Who asks for one page and is shown another is told so."""

    def go(action: Any) -> dict[str, Any]:
        stage.show("Please log in", path="/login")
        return {"did": "went", "navigates": True, "url": f"{ORIGIN}/login"}

    stage.page.acts["goto_url"] = go
    driver = stage.driver(call("goto_url", url="/account"), finish())

    await driver.run("go")

    assert stage.script.reasons == ["`/account` was asked for, and the page is `/login`"]


async def test_tools_that_are_gone_have_the_plan_revised(stage: Stage) -> None:
    """A tool of the plan that the page has no more is a surprise."""

    def leave(query: str) -> None:
        del stage.page.functions["addToBasket"]

    stage.page.functions["search"] = leave
    driver = stage.driver(tool("search", query="x"), finish(), plans=(WRITES,))

    await driver.run("go")

    assert stage.script.reasons == ["the page has no `addToBasket` any more"]


async def test_a_plan_is_revised_three_times_at_most_for_surprises(stage: Stage) -> None:
    """Surprises without end do not have plans made without end."""
    stage.page.functions["search"] = gone
    calls = [tool("search", query=str(n)) for n in range(4)]

    await stage.driver(*calls, finish(success=False)).run("go")

    assert len(stage.script.reasons) == 3


async def test_a_plan_made_on_the_way_is_accepted_like_the_first(stage: Stage) -> None:
    """`make_plan` replaces the plan when it is accepted, and fails with the reason when not."""
    person = answers(Answer(False, "no orders"))
    made = call("make_plan", plan="order it\n- call `placeOrder`")
    driver = stage.driver(made, finish(), accept="ask", person=person)

    result = await driver.run("go")

    assert person.asked[0].text == "I will order it"
    assert person.asked[0].details["steps"][0]["effect"] == "irreversible"
    error = result.run.done()[0].error
    assert error is not None
    assert error["message"] == "the plan was not accepted - no orders"
    assert result.run.plan == READS


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
    """Who calls the same on the same page thrice goes in circles."""
    calls = [tool("search", query="x") for _ in range(3)]

    result = await stage.driver(*calls).run("go")

    assert result.error is not None
    assert "with the same arguments for the third time" in result.error.message
    assert len(stage.called) == 2


async def test_the_same_call_on_a_page_that_changes_is_no_circle(stage: Stage) -> None:
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


async def test_a_run_never_acts_on_another_origin(stage: Stage) -> None:
    """When the page is on another origin the run ends before anything is done there."""

    def wander(query: str) -> None:
        stage.page.shown = type(stage.page.shown)(url="https://evil.example/", revision=1)

    stage.page.functions["search"] = wander
    result = await stage.driver(tool("search", query="x"), finish()).run("go")

    assert result.error is not None
    assert result.error.kind == "origin_mismatch"
    assert stage.script.left == 1


async def test_actions_are_registered_and_removed(stage: Stage) -> None:
    """An action of one's own joins the others under its name or a given one; it asks by default."""

    class Shout:
        definition = ToolDefinition("shout", "Shout.", {"type": "object"})

        async def perform(self, arguments: Any, context: Any) -> str:
            return f"{context.run.goal}!"

    driver = stage.driver(
        call("yell"), call("shout"), call("get_summary"), finish(), person=answers(Answer(True))
    )
    driver.register_action(Shout(), "yell")
    driver.register_action(Shout())
    driver.remove_action("shout")
    driver.remove_action("get_summary")

    result = await driver.run("hey")

    taken = result.run.done()
    assert taken[0].value == "hey!"
    assert [done.ok for done in taken] == [True, False, False, True]
    with pytest.raises(Exception, match="there is no action `shout`"):
        driver.remove_action("shout")


async def test_a_handler_of_ones_own_comes_first(stage: Stage) -> None:
    """A registered handler takes replies before the others; without any nothing is done."""

    class Poet:
        def takes(self, reply: Reply) -> bool:
            return reply.text.startswith("O ")

        async def handle(self, reply: Reply, session: Any, scene: Any) -> Any:
            from webagent.agent import Finish, StepResult

            return StepResult(reply, finish=Finish("a poem", data=reply.text))

    driver = stage.driver("O rose", finish())
    driver.runner.register_handler(Poet())
    assert (await driver.run("sing")).data == "O rose"

    bare = stage.driver(finish())
    bare.runner.clear_handlers()
    result = await bare.run("go")
    assert result.error is not None
    assert result.error.message == "no handler takes the reply"


async def test_words_without_a_call_are_told_and_said_again_they_are_the_answer(
    stage: Stage,
) -> None:
    """The first prose is answered with a note; the second in a row ends the run."""
    result = await stage.driver("Let me think.", "It costs 9 pounds.").run("what does it cost?")

    assert (result.ok, result.text) == (True, "It costs 9 pounds.")
    assert [event["text"] for event in stage.told("text")] == [
        "Let me think.",
        "It costs 9 pounds.",
    ]


async def test_empty_replies_end_in_failure(stage: Stage) -> None:
    """Replies without words and calls are failures."""
    result = await stage.driver(*[Reply()] * 5).run("go")

    assert result.error is not None
    assert "neither a call nor words" in result.error.message


async def test_calls_after_one_that_failed_are_left(stage: Stage) -> None:
    """Of several calls in one reply those after a failure are not made, and that is noted."""
    driver = stage.driver([tool("away"), tool("search", query="x")], finish(success=False))

    result = await driver.run("go")

    assert stage.called == []
    assert any("were not made" in getattr(entry, "text", "") for entry in result.run.entries)


async def test_a_tool_called_by_its_own_name_is_called(stage: Stage) -> None:
    """A model that names a tool of the site instead of an action means `call_tool`."""
    driver = stage.driver(call("login", password="secret9"), finish())

    await driver.run("go")

    assert stage.called == [("login", "secret9")]
    assert stage.told("step")[0]["tool"] == "login"


async def test_arguments_that_cannot_be_read_are_an_error_to_recover_from(stage: Stage) -> None:
    """Broken JSON of a model is answered with how to write it."""
    broken = ToolCall("c", "call_tool", {}, "a comma is missing")

    result = await stage.driver(broken, finish()).run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["message"] == "the arguments of `call_tool` cannot be read - a comma is missing"
    assert error["help"] == "write one JSON object: `call_tool {name, arguments?}`"


async def test_an_action_that_breaks_ends_no_run(stage: Stage) -> None:
    """An exception that nobody meant is told as an internal failure."""

    class Broken:
        definition = ToolDefinition("broken", "Breaks.", {"type": "object"})

        async def perform(self, arguments: Any, context: Any) -> None:
            raise KeyError("gone")

    driver = stage.driver(call("broken"), finish(), policy=Policy(allow_writes=True))
    driver.register_action(Broken())

    result = await driver.run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert (error["kind"], "KeyError" in error["message"]) == ("internal", True)


async def test_secrets_are_masked_in_events_and_transcripts(stage: Stage) -> None:
    """A password that was passed to a tool stands in no event and in no transcript."""
    driver = stage.driver(tool("login", password="ropewalk14"), finish("signed in with ropewalk14"))

    await driver.run("sign in")

    assert stage.called == [("login", "ropewalk14")]
    transcript = driver.transcript()
    assert transcript is not None
    for told in (stage.events[3:], transcript.to_dict(), transcript.to_markdown()):
        assert "ropewalk14" not in str(told)


async def test_what_is_allowed_for_the_session_holds_in_the_next_run(stage: Stage) -> None:
    """A yes for the session is remembered over runs of the same driver."""
    person = answers(Answer(True, session=True))
    one, two = tool("addToBasket", bookId="a"), tool("addToBasket", bookId="b")
    driver = stage.driver(one, finish(), two, finish(), plans=(READS, READS), person=person)

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


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x"])
async def test_what_an_action_gives_must_be_json(stage: Stage, value: Any) -> None:
    """A value that no event and no store can hold is told as a fault of the action."""

    class Odd:
        definition = ToolDefinition("odd", "Odd.", {"type": "object"})

        async def perform(self, arguments: Any, context: Any) -> Any:
            return value

    driver = stage.driver(call("odd"), finish(), policy=Policy(allow_writes=True))
    driver.register_action(Odd())

    result = await driver.run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert "is not JSON serializable" in error["message"]
