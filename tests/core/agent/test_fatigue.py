"""A person who says no is not asked for ever, and equal questions are one."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from tests.core.agent.stage import (
    MANIFEST,
    NAMES_ALL,
    ORIGIN,
    READS,
    Stage,
    answers,
    call,
    finish,
    tool,
)

from webagent.agent import Answer, Decision, Intent, Nobody, Plan, PlanStep, Request, Ruling, Run
from webagent.agent.person import asker
from webagent.errors import ToolError
from webagent.page.snapshot import Element
from webagent.registry.limits import asker_of_program
from webagent.results import ExecutionResult


class Refuser:
    """Says no to everything, and counts."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.asked: list[Request] = []
        self._answer = answer or Answer(text="no")

    async def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        return self._answer


async def _staged(program: Any) -> Stage:
    return await Stage(program=program).opened()


async def test_three_refusals_end_a_program() -> None:
    """A program that goes on with other arguments is ended with its run; 300 calls ask thrice."""
    outcomes: list[ExecutionResult] = []

    async def program(code: str, use: Any) -> ExecutionResult:
        for number in range(300):
            outcomes.append(await use("addToBasket", [f"book-{number}"]))
        return ExecutionResult(len(outcomes))

    stage = await _staged(program)
    person = Refuser()

    result = await stage.driver(call("execute_js", code="…"), finish(), person=person).run("go")

    assert len(person.asked) == 3
    assert stage.called == []
    assert result.error is not None
    assert (result.error.kind, result.error.message) == (
        "cancelled",
        "the person said no to `addToBasket` three times",
    )
    assert stage.script.left == 1


async def test_a_program_is_not_waited_for_once_the_person_has_ended_the_run() -> None:
    """A program that catches every error and goes on is ended all the same."""

    async def program(code: str, use: Any) -> ExecutionResult:
        while True:
            await use("addToBasket", [f"book-{len(person.asked)}"])
            await asyncio.sleep(0)

    stage = await _staged(program)
    person = Refuser()

    result = await stage.driver(call("execute_js", code="…"), finish(), person=person).run("go")

    assert (len(person.asked), result.ok) == (3, False)


async def test_three_refusals_of_a_tool_end_a_run_of_single_calls(stage: Stage) -> None:
    """Reads between them do not start the count anew."""
    person = Refuser()
    script = [
        each
        for number in range(9)
        for each in (tool("addToBasket", bookId=str(number)), tool("search", query=str(number)))
    ]

    result = await stage.driver(*script, finish(), person=person).run("go")

    assert len(person.asked) == 3
    assert result.error is not None
    assert result.error.message == "the person said no to `addToBasket` three times"


async def test_the_count_goes_on_after_a_navigation(stage: Stage) -> None:
    """Refusals are kept with the run."""
    person = Refuser()
    run = Run("go", ORIGIN, started=stage.clock.now().timestamp(), plan=READS)
    run.refusals = {"addToBasket": 2}
    await stage.store.save(json.dumps(run.to_dict()))

    result = await stage.driver(tool("addToBasket", bookId="c"), finish(), person=person).resume()

    assert (len(person.asked), stage.script.left) == (1, 1)
    assert result is not None
    assert result.error is not None
    assert result.error.message == "the person said no to `addToBasket` three times"


async def test_refusals_of_addresses_count_together(stage: Stage) -> None:
    """Each address has a key of its own, and is not a question of its own."""
    person = Refuser()
    script = [call("goto_url", url=f"/api/{number}") for number in range(9)]

    result = await stage.driver(*script, person=person).run("go")

    assert len(person.asked) == 3
    assert result.error is not None
    assert "three times" in result.error.message


async def test_ten_refusals_end_a_run_whatever_they_were_of(stage: Stage) -> None:
    """A page cannot go on with another name each time."""
    person = Refuser()
    buttons = [Element(number, "button", f"B{number}") for number in range(1, 40)]
    stage.show("…", *buttons)
    script = [
        each
        for button in buttons
        for each in (call("click", pp_id=button.id), tool("search", query=button.name))
    ]

    result = await stage.driver(*script, person=person).run("go")

    assert len(person.asked) == 10
    assert result.error is not None
    assert result.error.message == "the person said no ten times"


@pytest.mark.parametrize(
    "taken",
    [
        tool("addToBasket", bookId="a"),
        call("communicate", summary="", question="Which one?"),
        call("make_plan", plan="I will look\n- use `addToBasket`\n- use `mystery`"),
    ],
)
async def test_no_and_stop_ends_the_run(stage: Stage, taken: Any) -> None:
    """Nothing comes after any kind of question; a yes with it does not count."""
    person = Refuser(Answer(True, "enough", stop=True))

    result = await stage.driver(taken, finish(), person=person, accept="ask").run("go")

    assert stage.called == []
    assert len(person.asked) == 1
    assert result.error is not None
    assert (result.error.kind, result.error.message) == (
        "cancelled",
        "the person stopped the run and said: enough",
    )
    assert [event["yes"] for event in stage.told("answered")] == [False]


async def test_no_and_stop_to_a_plan(stage: Stage) -> None:
    """The planner makes no other."""
    step = PlanStep("add", "call_tool", "addToBasket", "write")
    person = Refuser(Answer(stop=True))
    plan = Plan("I will add two", (step, step))

    result = await stage.driver(person=person, plans=(plan,), accept="ask").run("go")

    assert (len(person.asked), stage.script.reasons) == (1, [])
    assert result.error is not None
    assert result.error.message == "the person stopped the run"


async def test_nobody_is_not_asked_for_ever(stage: Stage) -> None:
    """Where nobody can be asked, three refusals of a tool end the run too."""
    script = [tool("addToBasket", bookId=str(number)) for number in range(9)]

    result = await stage.driver(*script, person=Nobody()).run("go")

    assert stage.called == []
    assert len(stage.told("asked")) == 3
    assert result.error is not None
    assert result.error.kind == "cancelled"


# Questions of tools


def asks(
    stage: Stage, most: int = 300, question: str = "Which colour?", *, kind: str = "question"
) -> list[Any]:
    """Let every tool of a page ask so often, whatever is said, and then never end.

    Returns:
        Receives the answers that the tools get.
    """
    given: list[Any] = []

    async def invoke(target: Any, arguments: Any, *, caller: Any, **_: Any) -> Any:
        for number in range(most):
            text = f"`sewPassword` asks: {question} {number}"
            with suppress(ToolError):
                given.append(
                    await caller.ask({"kind": kind, "text": text, "details": {"tool": "x"}})
                )
            await asyncio.sleep(0)
        if most == 1:
            return "done"
        await asyncio.Event().wait()
        return None

    stage.page.invoke = invoke  # type: ignore[method-assign]
    return given


@pytest.mark.parametrize("kind", ["question", "approval"])
async def test_three_refusals_of_the_questions_of_a_tool_end_a_run(stage: Stage, kind: str) -> None:
    """A tool that asks 300 times, and never ends, is asked for thrice and not waited for."""
    asks(stage, kind=kind)
    person = Refuser()

    result = await stage.driver(tool("search", query="a"), finish(), person=person).run("go")

    assert [request.kind for request in person.asked] == [kind] * 3
    assert result.error is not None
    assert result.error.message == "the person said no to `search` three times"
    assert stage.script.left == 1
    assert len(stage.told("asked")) == len(stage.told("answered")) == 3


async def test_three_refusals_of_the_questions_of_a_tool_end_a_program() -> None:
    """Each call of the program asks once."""

    async def program(code: str, use: Any) -> ExecutionResult:
        for number in range(300):
            await use("search", [f"{number}"])
        return ExecutionResult()

    stage = await _staged(program)
    asks(stage, 1)
    person = Refuser()

    result = await stage.driver(call("execute_js", code="…"), finish(), person=person).run("go")

    assert len(person.asked) == 3
    assert result.error is not None
    assert result.error.message == "the person said no to `search` three times"


async def test_refusals_of_a_tool_and_to_its_questions_count_together(stage: Stage) -> None:
    """Two refusals of its use, and one of what it asks."""
    asks(stage, 1)
    no, yes = Answer(text="no"), Answer(True)
    person = answers(no, no, yes, no)
    script = [tool("addToBasket", bookId=str(number)) for number in range(4)]

    result = await stage.driver(*script, finish(), person=person).run("go")

    assert [request.kind for request in person.asked] == ["approval"] * 3 + ["question"]
    assert result.error is not None
    assert result.error.message == "the person said no to `addToBasket` three times"


async def test_ten_refusals_of_questions_of_any_tools_end_a_run(stage: Stage) -> None:
    """The refusals before were of other tools."""
    asks(stage, 1)
    person = Refuser()
    names = [("search", "query"), ("login", "password"), ("search", "query"), ("login", "password")]
    script = [tool(name, **{key: str(n)}) for n, (name, key) in enumerate(names)]
    run = Run("go", ORIGIN, started=stage.clock.now().timestamp(), plan=READS)
    run.refusals = {f"tool{number}": 2 for number in range(3)}
    await stage.store.save(json.dumps(run.to_dict()))

    result = await stage.driver(*script, finish(), person=person).resume()

    assert len(person.asked) == 4
    assert result is not None
    assert result.error is not None
    assert result.error.message == "the person said no ten times"


async def test_no_and_stop_to_a_question_of_a_tool_ends_the_run(stage: Stage) -> None:
    """At once, also if the tool goes on."""
    asks(stage)
    person = Refuser(Answer(stop=True))

    result = await stage.driver(tool("search", query="a"), finish(), person=person).run("go")

    assert (len(person.asked), stage.script.left) == (1, 1)
    assert result.error is not None
    assert result.error.message == "the person stopped the run"


@pytest.mark.parametrize(
    ("question", "said", "kept"),
    [
        ("Which colour?", "my PIN is 47110815", "my PIN is •••"),
        ("What is your password?", "47110815", "•••"),
    ],
)
async def test_a_tool_gets_the_answer_as_it_was_given(
    stage: Stage, question: str, said: str, kept: str
) -> None:
    """A secret reaches the tool that asks for it, and nothing else."""
    given = asks(stage, 1, question)
    person = Refuser(Answer(True, said))

    result = await stage.driver(tool("search", query="a"), finish(), person=person).run("go")

    assert result.ok
    assert given == [{"yes": True, "text": said}]
    assert [event["text"] for event in stage.told("answered")] == [kept]
    assert person.asked[0].details.get("secret") is (True if said == "47110815" else None)
    assert "47110815" not in json.dumps([stage.events, result.run.to_dict()])


async def test_a_program_outside_of_runs_asks_no_more_after_three_refusals() -> None:
    """To a tool, or ten to any, also in parallel; a yes does not count."""
    person = Refuser()
    ask = asker_of_program(asker(person))

    async def question(tool: str) -> bool:
        asked = {"kind": "question", "text": "Which?", "details": {"tool": tool}}
        return (await ask(asked))["yes"] is True

    answers_given = await asyncio.gather(*(question("sew") for _ in range(64)))
    assert (len(person.asked), any(answers_given)) == (3, False)
    for number in range(30):
        await question(f"tool{number}")
    assert len(person.asked) == 10

    agreeing = Refuser(Answer(True, "red"))
    ask = asker_of_program(asker(agreeing))
    assert all([await question("sew") for _ in range(20)])
    assert len(agreeing.asked) == 20


def _parallel(name: str, *arguments: str) -> Any:
    async def program(code: str, use: Any) -> ExecutionResult:
        done = await asyncio.gather(*(use(name, [each] if each else []) for each in arguments))
        return ExecutionResult([each.error is None for each in done])

    return program


async def test_equal_calls_at_the_same_time_are_one_question() -> None:
    """The request lists the arguments of each, and the yes covers exactly these."""
    stage = await _staged(_parallel("addToBasket", "a", "b", "c"))
    person = answers(Answer(True))

    driver = stage.driver(call("execute_js", code="…"), finish(), plans=(NAMES_ALL,), person=person)
    result = await driver.run("go")

    (request,) = person.asked
    assert request.details["calls"] == [{"bookId": each} for each in "abc"]
    assert request.details["arguments"] == {"bookId": "a"}
    assert request.text == "May I use `Add to basket` 3 times? This changes something."
    assert sorted(stage.called) == [("addToBasket", each, 1) for each in "abc"]
    assert result.run.allowed == []


async def test_a_no_to_equal_calls_is_one_no() -> None:
    """None of them is made, and none is asked for again."""
    stage = await _staged(_parallel("addToBasket", "a", "b", "c"))
    person = answers(Answer(False, "too many"), Answer(True))
    driver = stage.driver(
        call("execute_js", code="…"),
        tool("addToBasket", bookId="b"),
        tool("addToBasket", bookId="d"),
        finish(),
        person=person,
    )

    result = await driver.run("go")

    assert stage.called == [("addToBasket", "d", 1)]
    assert [entry.ok for entry in result.run.done()] == [True, False, True, True]
    assert result.run.refusals == {"addToBasket": 1}


async def test_a_question_lists_fifty_calls_at_most() -> None:
    """Sixty calls are two questions."""
    stage = await _staged(_parallel("addToBasket", *map(str, range(60))))
    person = answers(Answer(True), Answer(True))

    await stage.driver(call("execute_js", code="…"), finish(), person=person).run("go")

    assert [len(request.details["calls"]) for request in person.asked] == [50, 10]
    assert len(stage.called) == 60


async def test_irreversible_calls_are_asked_for_one_by_one() -> None:
    """Each is a question of its own, whatever comes at the same time."""
    stage = await _staged(_parallel("placeOrder", "", ""))
    person = answers(Answer(True), Answer(False))

    await stage.driver(call("execute_js", code="…"), finish(), person=person).run("go")

    assert ["calls" in request.details for request in person.asked] == [False, False]
    assert stage.called == [("placeOrder",)]


async def test_a_program_that_ends_withdraws_its_question() -> None:
    """No call waits for an answer that nobody gives any more."""

    async def program(code: str, use: Any) -> ExecutionResult:
        tasks = [asyncio.ensure_future(use("addToBasket", [each])) for each in "ab"]
        await asyncio.sleep(0.2)
        tasks[0].cancel()
        outcome = await tasks[1]
        assert outcome.error is not None
        return ExecutionResult(outcome.error.kind)

    class Slow:
        async def ask(self, request: Request) -> Answer:
            await asyncio.sleep(60)
            return Answer(True)

    stage = await _staged(program)

    result = await stage.driver(call("execute_js", code="…"), finish(), person=Slow()).run("go")

    assert result.run.done()[0].value["value"] == "cancelled"
    assert stage.called == []


async def test_several_calls_of_one_reply_are_one_question(stage: Stage) -> None:
    """The later ones are made without another question; other tools are asked for on their own."""
    person = answers(Answer(True), Answer(False))
    reply = [
        tool("addToBasket", bookId="a"), tool("search", query="x"), tool("addToBasket", bookId="b"),
        tool("mystery"),
    ]  # fmt: skip

    await stage.driver(reply, finish(), person=person).run("go")

    assert [request.details.get("calls") for request in person.asked] == [
        [{"bookId": "a"}, {"bookId": "b"}],
        None,
    ]
    assert [called[0] for called in stage.called] == ["addToBasket", "search", "addToBasket"]


async def test_the_yes_to_a_reply_ends_with_it(stage: Stage) -> None:
    """A call that was listed but not made is asked for when it comes again."""
    person = answers(Answer(True), Answer(False))
    stage.page.functions["search"] = lambda query: 1 / 0
    reply = [
        tool("addToBasket", bookId="a"), tool("search", query="x"), tool("addToBasket", bookId="b"),
    ]  # fmt: skip

    await stage.driver(reply, tool("addToBasket", bookId="b"), finish(), person=person).run("go")

    assert stage.called == [("addToBasket", "a", 1)]
    assert len(person.asked) == 2


async def test_a_tool_that_has_changed_since_the_yes_is_not_called(stage: Stage) -> None:
    """A yes to a list covers the tool that it was about."""
    person = answers(Answer(True), Answer(False))

    def search(query: str) -> str:
        tools = [each for each in MANIFEST.tools if each.name != "addToBasket"]
        (add,) = [each for each in MANIFEST.tools if each.name == "addToBasket"]
        final = add.model_copy(update={"behavior": MANIFEST.tools[2].behavior})
        asyncio.ensure_future(  # noqa: RUF006
            stage.registry.bind(MANIFEST.model_copy(update={"tools": [*tools, final]}))
        )
        return query

    stage.page.functions["search"] = search
    reply = [
        tool("addToBasket", bookId="a"), tool("search", query="x"), tool("addToBasket", bookId="b"),
    ]  # fmt: skip

    await stage.driver(reply, finish(), person=person).run("go")

    assert stage.called == [("addToBasket", "a", 1)]
    assert [request.details["effect"] for request in person.asked] == ["write", "irreversible"]


async def test_a_policy_judges_each_call_of_a_list(stage: Stage) -> None:
    """A call that it refuses is not made, although the person said yes to the list."""

    class Small:
        async def judge(self, intent: Intent, run: Run) -> Decision:
            large = intent.arguments.get("count", 0) > 2
            return Decision(Ruling.REFUSE if large else Ruling.ASK, "too many" if large else "")

    person = answers(Answer(True))
    reply = [tool("addToBasket", bookId="a", count=1), tool("addToBasket", bookId="b", count=9)]

    await stage.driver(reply, finish(), person=person, policy=Small()).run("go")

    assert stage.called == [("addToBasket", "a", 1)]
