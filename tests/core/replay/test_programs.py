"""Replay: a finished run is kept as a program, which runs again without whoever decided it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.agent.stage import NAMES_ALL, ORIGIN, Stage, answers, call, finish, shown, tool
from webagent.agent import Answer, MemoryStore, PageAction, Plan, PlanStep, ScriptedPerson
from webagent.agent.actions.base import define
from webagent.llm.scripted import ScriptedModel
from webagent.page.snapshot import Element
from webagent.replay import Program, Programs
from webagent.replay.programs import MOST_PROGRAMS
from webagent.replay.recording import NotRepeatable, program_of
from webagent.results import ExecutionResult
from webagent.types import Behavior

HOBBIT = {"id": "the-hobbit", "title": "The Hobbit", "price": 9}
DUNE = {"id": "dune", "title": "Dune", "price": 12}
YES, NO = Answer(True), Answer(False)
GOAL = 'put "The Hobbit" into the basket'


async def kept(stage: Stage, goal: str, *script: Any, **options: Any) -> MemoryStore:
    """Let a scripted agent reach a goal, and return the store with its program."""
    programs = MemoryStore()
    options = {"person": answers(*[YES] * 5), **options}
    result = await stage.driver(*script, programs=Programs(programs), **options).run(goal)
    assert result.ok, result.error
    assert programs.text is not None, program_of(result, stage.registry.secrets.mask_record)
    stage.called.clear()
    stage.events.clear()
    return programs


def program_in(store: MemoryStore) -> Program:
    return Program.of(json.loads(store.text or "")["programs"][0]["program"])


def buys(title: str = "The Hobbit", book: str = "the-hobbit") -> tuple[Any, ...]:
    return (
        tool("search", query=title),
        tool("addToBasket", bookId=book),
        finish("It is in the basket."),
    )


def finds(stage: Stage, *books: Any) -> None:
    """Let the search of the shop find these."""

    def search(query: str) -> Any:
        stage.called.append(("search", query))
        return {"books": [*books]}

    stage.page.functions["search"] = search


async def test_the_same_goal_again_asks_nobody_what_to_do() -> None:
    """The same calls are made in order, the answer is the same, and no step was decided."""
    stage = await Stage().opened()
    programs = await kept(stage, GOAL, *buys())

    person = answers(YES, YES)
    result = await stage.driver(programs=Programs(programs), person=person).run(GOAL)

    assert result.ok
    assert result.text == "It is in the basket."
    assert stage.called == [("search", "The Hobbit"), ("addToBasket", "the-hobbit", 1)]
    assert stage.script.scenes == []


async def test_a_program_says_where_its_values_came_from() -> None:
    """Words of the goal are parameters, and values of earlier results are references to them."""
    stage = await Stage().opened()
    program = program_in(await kept(stage, GOAL, *buys())).to_dict()

    assert program["goal"] == ['put "', {"$parameter": "query"}, '" into the basket']
    assert program["parameters"] == {"query": {"type": "string", "value": "The Hobbit"}}
    search, add = program["steps"]
    assert search["arguments"] == {
        "name": "search",
        "arguments": {"query": {"$parameter": "query"}},
    }
    assert search["returns"] == "{ books: { id: string; title: string; price: number }[] }"
    assert add["arguments"]["arguments"] == {"bookId": {"$result": 0, "path": ["books", 0, "id"]}}
    assert "given" not in search
    assert "given" not in add


async def test_the_same_goal_with_another_value() -> None:
    """The calls get the new value and what it leads to; the words are new, as the results are."""
    stage = await Stage().opened()
    programs = await kept(stage, GOAL, *buys())
    finds(stage, DUNE)

    driver = stage.driver(
        finish("Dune is in."), programs=Programs(programs), person=answers(YES, YES)
    )
    result = await driver.run('put "Dune" into the basket')

    assert stage.called == [("search", "Dune"), ("addToBasket", "dune", 1)]
    assert result.text == "Dune is in."
    assert len(stage.script.scenes) == 1


@pytest.mark.parametrize(
    "goal",
    ['put "The Hobbit" into the cart', "put The Hobbit into the basket", 'put "" into the basket'],
)
async def test_another_goal_is_not_for_the_program(goal: str) -> None:
    """A goal in other words goes to the planner."""
    stage = await Stage().opened()
    programs = await kept(stage, GOAL, *buys())

    result = await stage.driver(finish("new"), programs=Programs(programs)).run(goal)

    assert result.text == "new"
    assert stage.called == []


async def test_writes_are_asked_for_as_those_of_a_plan() -> None:
    """A plan of one write is not asked for, the write is; a no is not repeated."""
    stage = await Stage().opened()
    programs = await kept(stage, GOAL, *buys())

    person = answers(Answer(False, "not today"))
    driver = stage.driver(
        finish("given up", success=False), programs=Programs(programs), person=person, accept="ask"
    )
    result = await driver.run(GOAL)

    assert [request.kind for request in person.asked] == ["approval"]
    plans = [event["plan"]["steps"] for event in stage.told("planned")]
    assert ["read", "write"] in [[step["effect"] for step in steps] for steps in plans]
    assert person.asked[0].details["arguments"] == {"bookId": "the-hobbit"}
    assert "surprise" not in person.asked[0].details
    assert stage.called == [("search", "The Hobbit")]
    assert "not today" in stage.script.reasons[0]
    assert not result.ok


async def test_effects_are_those_of_the_page_and_not_of_the_file() -> None:
    """A tool that has come to write since is asked for."""
    stage = await Stage().opened()
    programs = await kept(stage, "find it", tool("search", query="harbour"), finish("found"))
    tools = [t.model_copy(deep=True) for t in stage.registry.manifest.tools]
    tools[0].behavior = Behavior(effect="write")
    await stage.registry.bind(stage.registry.manifest.model_copy(update={"tools": tools}))

    person = answers(NO)
    driver = stage.driver(finish("no", success=False), programs=Programs(programs), person=person)
    await driver.run("find it")

    assert [request.details["tool"] for request in person.asked] == ["search"]
    assert stage.called == []


async def test_a_choice_among_several_is_repeated_only_for_the_same_results() -> None:
    """The agent chose one of a list; with another list it has to choose again."""
    stage = await Stage().opened()
    finds(stage, HOBBIT, DUNE)
    programs = await kept(stage, "order the cheapest", *buys("fantasy"))
    again = stage.driver(programs=Programs(programs), person=answers(YES))
    assert (await again.run("order the cheapest")).ok
    assert stage.called[-1] == ("addToBasket", "the-hobbit", 1)

    stage.called.clear()
    finds(stage, HOBBIT, {**DUNE, "price": 3})
    driver = stage.driver(
        tool("addToBasket", bookId="dune"),
        finish(),
        programs=Programs(programs),
        person=answers(YES),
    )
    assert (await driver.run("order the cheapest")).ok

    assert stage.called == [("search", "fantasy"), ("addToBasket", "dune", 1)]
    assert "step 2 does not fit" in stage.script.reasons[0]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"books": "none"}, "the result of step 1 has another shape: "),
        ({"books": []}, "step 2 does not fit - the result of step 1 lacks `books[0].id`"),
        (ValueError("the shop is closed"), "step 1 failed - "),
    ],
)
async def test_a_result_that_does_not_fit_goes_back_to_the_planner(given: Any, reason: str) -> None:
    """From that point on, with what was done in the transcript."""
    stage = await Stage().opened()
    programs = await kept(stage, GOAL, *buys())

    def search(query: str) -> Any:
        if isinstance(given, Exception):
            raise given
        return given

    stage.page.functions["search"] = search
    driver = stage.driver(
        finish("There is none.", success=False), programs=Programs(programs), person=answers()
    )
    result = await driver.run(GOAL)

    assert stage.script.reasons[0].startswith(reason)
    assert [done.call.name for done in result.run.done()] == ["call_tool", "finish"]
    assert stage.called == []
    assert result.text == "There is none."


async def test_a_decision_of_the_agent_is_bound_to_its_ground() -> None:
    """A value that is neither in the goal nor in a result may be another one for other words."""
    stage = await Stage().opened()
    goal = "order 3 of dune"
    script = (
        tool("search", query="Dune Messiah"),
        tool("addToBasket", bookId="the-hobbit", count=3),
        finish(),
    )
    programs = await kept(stage, goal, *script)

    assert (await stage.driver(programs=Programs(programs), person=answers(YES)).run(goal)).ok
    stage.called.clear()
    driver = stage.driver(finish("new"), programs=Programs(programs))
    assert (await driver.run("order 4 of dune")).text == "new"
    assert stage.called == []


async def test_an_agent_without_a_model_takes_no_program_that_would_end_on_the_way() -> None:
    """With other values a decided step does not fit, and nobody could go on after the write."""
    stage = await Stage().opened()
    goal = 'put "The Hobbit" into the basket'
    script = (*buys()[:2], tool("search", query="similar books"), finish())
    programs = await kept(stage, goal, *script)

    driver = stage.driver(programs=Programs(programs), planner=None, decider=None, person=answers())
    await driver.run('put "Dune" into the basket')
    plans = [event["plan"]["text"] for event in stage.told("planned")]
    assert not any("take the steps again" in text for text in plans)


async def test_a_run_that_leans_on_an_earlier_one_is_not_kept() -> None:
    """`It` is another thing after another run."""
    stage = await Stage().opened()
    programs = MemoryStore()
    recent = MemoryStore()
    options: dict[str, Any] = {"programs": Programs(programs), "recent": recent}
    await stage.driver(tool("search", query="harbour"), finish("One."), **options).run(
        "look around"
    )
    kept_before = programs.text

    person = answers(YES)
    driver = stage.driver(
        tool("addToBasket", bookId="the-hobbit"), finish(), person=person, **options
    )
    result = await driver.run("put it into the basket")
    assert programs.text == kept_before
    with pytest.raises(NotRepeatable, match="leans on one before it"):
        program_of(result, stage.registry.secrets.mask_record)

    result = await stage.driver(finish("9 pounds."), **options).run("how much was it?")
    with pytest.raises(NotRepeatable, match="from what an earlier one has found"):
        program_of(result, stage.registry.secrets.mask_record)
    later = stage.driver(tool("search", query="rooks"), finish(), **options)
    assert program_of(await later.run("find the rooks"), stage.registry.secrets.mask_record)


async def test_a_run_that_the_person_has_corrected_is_not_kept() -> None:
    """Their words decided what came after, and are not in the goal."""
    stage = await Stage().opened()
    programs = MemoryStore()
    person = answers(Answer(False, "only look"), YES)
    driver = stage.driver(
        tool("search", query="harbour"), finish(), plans=(NAMES_ALL, PLAN),
        programs=Programs(programs), person=person, accept="ask",
    )  # fmt: skip
    assert (await driver.run("find harbour")).ok
    assert programs.text is None


async def test_an_action_of_ones_own_is_not_left_out() -> None:
    """A program does not have it, so that the run is not kept."""
    stage = await Stage().opened()
    programs = MemoryStore()
    driver = stage.driver(call("peek"), finish(), programs=Programs(programs), person=answers(YES))
    driver.register_action(PageAction(define("peek", "Look."), "get_summary"))
    stage.page.acts["get_summary"] = lambda action: {}
    result = await driver.run("peek")
    assert result.ok
    with pytest.raises(NotRepeatable, match="has taken the action `peek`"):
        program_of(result, stage.registry.secrets.mask_record)


async def test_a_date_is_bound_to_its_day() -> None:
    """`tomorrow` is another day on another day, so the same goal is decided anew."""
    stage = await Stage().opened()
    goal = "what comes out tomorrow?"
    programs = await kept(stage, goal, tool("search", query="2027-01-05"), finish("nothing"))
    day = program_in(programs).steps[0].given
    assert day is not None
    assert day.day == stage.clock.now().date().isoformat()

    await stage.clock.sleep(86_400)
    result = await stage.driver(finish("new"), programs=Programs(programs)).run(goal)
    assert result.text == "new"
    assert stage.called == []


async def test_secrets_are_asked_for_again() -> None:
    """A program has placeholders; the secret is in the new goal, or the person gives it again."""
    stage = await Stage().opened()
    goal = "log in with the password hunter2!x"
    script = (tool("login", password="•••"), finish("You are logged in."))
    programs = await kept(stage, goal, *script)
    assert "hunter2" not in (programs.text or "")
    assert program_in(programs).secrets == {"•••": "password"}

    person = answers()
    await stage.driver(programs=Programs(programs), person=person).run(
        "log in with the password s3cret?y"
    )
    assert stage.called == [("login", "s3cret?y")]

    stage.called.clear()
    person = ScriptedPerson(Answer(True, "an0ther!z"))
    result = await stage.driver(programs=Programs(programs), person=person).run(
        program_in(programs).goal_text
    )
    assert result.ok
    assert stage.called == [("login", "an0ther!z")]
    assert person.asked[0].details["secret"] is True


BUTTON = Element(7, "button", "Show more", traits=("controls",))


async def test_elements_are_found_by_role_and_name() -> None:
    """Their numbers are others on the next page; one that appears late is waited for."""
    acted: list[Any] = []
    stage = await Stage(acts={"click": lambda action: acted.append(action["pp_id"])}).opened()
    stage.show("Welcome", BUTTON)
    programs = await kept(stage, "show more", call("click", pp_id=7), finish("shown"))
    assert program_in(programs).steps[0].arguments == {
        "pp_id": {"$element": {"role": "button", "name": "Show more"}}
    }

    stage.show("Welcome", Element(3, "link", "Contact"), Element(21, "button", "Show more"))
    await stage.driver(finish(), programs=Programs(programs), person=answers(YES)).run("show more")
    assert acted == [7, 21]


async def test_an_element_that_is_not_there_is_waited_for_and_then_missed() -> None:
    """After three seconds the planner gets the run, with the reason."""
    stage = await Stage(acts={"click": lambda action: None}).opened()
    stage.show("Welcome", BUTTON)
    script = (tool("search", query="harbour"), call("click", pp_id=7), finish("shown"))
    programs = await kept(stage, "show more about the harbour", *script)

    stage.show("Welcome")
    waits: list[float] = []
    stage.page.acts["wait"] = lambda action: waits.append(action["seconds"])
    driver = stage.driver(finish("gone"), programs=Programs(programs))
    result = await driver.run("show more about the harbour")

    assert waits == [1, 1, 1]
    assert stage.script.reasons == [
        "step 2 does not fit - the page has no button named `Show more`"
    ]
    assert result.text == "gone"


@pytest.mark.parametrize("name", ["", "Show more"])
async def test_an_element_without_a_name_of_its_own_is_not_kept(name: str) -> None:
    """Nothing would say which it is on the next page."""
    stage = await Stage(acts={"click": lambda action: None}).opened()
    stage.show("Welcome", Element(7, "button", name), Element(8, "button", name))
    programs = MemoryStore()
    driver = stage.driver(
        call("click", pp_id=7), finish(), programs=Programs(programs), person=answers(YES)
    )
    result = await driver.run("show more")

    assert programs.text is None
    with pytest.raises(NotRepeatable, match="without a name of its own"):
        program_of(result, stage.registry.secrets.mask_record)


async def test_looks_are_kept_only_where_a_step_refers_to_them() -> None:
    """A program does not read the page for nobody."""
    table = {"rows": [{"sku": "SKU-4711"}]}
    stage = await Stage(acts={"table_details": lambda action: table}).opened()
    script = (
        call("table_details"),
        call("get_summary"),
        tool("addToBasket", bookId="SKU-4711"),
        finish(),
    )
    stage.page.acts["get_summary"] = lambda action: {"title": "Shop"}
    program = program_in(await kept(stage, "order what the table shows", *script))

    assert [step.action for step in program.steps] == ["table_details", "call_tool"]
    reference = program.steps[1].arguments["arguments"]
    assert reference == {"bookId": {"$result": 0, "path": ["rows", 0, "sku"]}}


async def test_code_is_kept_as_it_was_written() -> None:
    """It belongs to the goal and the results that it was written for; its writes are asked for."""
    code = 'await global.addToBasket("the-hobbit")'

    async def program(written: str, call_tool: Any) -> ExecutionResult:
        assert written == code
        return await call_tool("addToBasket", ["the-hobbit"])

    stage = await Stage(program=program).opened()
    programs = await kept(stage, GOAL, call("execute_js", code=code), finish("Done."))
    step = program_in(programs).steps[0]
    assert (step.tools, step.returns) == (("addToBasket",), "string")

    person = answers(YES)
    driver = stage.driver(programs=Programs(programs), person=person, accept="ask")
    assert (await driver.run(GOAL)).text == "Done."
    assert stage.called == [("addToBasket", "the-hobbit", 1)]
    assert [request.kind for request in person.asked] == ["approval"]
    assert (
        await stage.driver(finish("new"), programs=Programs(programs)).run(
            GOAL.replace("Hobbit", "X")
        )
    ).text == "new"


async def test_failed_calls_are_left_out() -> None:
    """The agent corrected them, so that the program makes only the calls that were right."""
    stage = await Stage().opened()
    program = program_in(
        await kept(stage, GOAL, tool("searchh", query="x"), *buys(), plans=(PLAN, PLAN))
    )

    assert [step.arguments["name"] for step in program.steps] == ["search", "addToBasket"]


async def test_a_write_that_may_have_happened_is_not_left_out() -> None:
    """A program without it would say that all was done."""
    stage = await Stage().opened()

    def add(bookId: str, count: int = 1) -> str:  # noqa: N803
        raise ValueError("the connection was lost")

    stage.page.functions["addToBasket"] = add
    programs = MemoryStore()
    result = await stage.driver(*buys(), programs=Programs(programs), person=answers(YES)).run(GOAL)

    assert result.ok
    assert programs.text is None
    with pytest.raises(NotRepeatable, match="`addToBasket` failed in the run"):
        program_of(result, stage.registry.secrets.mask_record)


async def test_a_model_is_not_asked_by_a_program() -> None:
    """The second run has no request, no token and no price."""
    stage = await Stage().opened()
    plan = call("make_plan", plan="I will call `search`.")
    model = ScriptedModel(plan, tool("search", query="harbour"), finish("One book."))
    programs = MemoryStore()
    options: dict[str, Any] = {"planner": None, "decider": None, "programs": Programs(programs)}
    await stage.driver(model=model, **options).run("books about the harbour")
    assert len(model.conversations) == 3

    result = await stage.driver(model=model, **options).run("books about the harbour")
    assert result.text == "One book."
    assert len(model.conversations) == 3
    assert (result.run.spent.usage.prompt, result.run.spent.usd) == (0, "0")


async def test_a_model_gets_a_replay_whose_plan_is_rejected() -> None:
    """There is no planner next to a model: it reads why, and goes on by itself."""
    stage = await Stage().opened()
    *steps, end = buys()
    again = tool("addToBasket", bookId="the-hobbit", count=2)
    programs = await kept(stage, GOAL, *steps, again, end)
    model = ScriptedModel(finish("Nothing was bought."))

    person = answers(Answer(False, "not today"))
    options: dict[str, Any] = {"planner": None, "decider": None, "accept": "ask", "person": person}
    driver = stage.driver(model=model, programs=Programs(programs), **options)
    result = await driver.run(GOAL)

    assert result.text == "Nothing was bought."
    assert stage.called == []
    assert "not this plan: not today" in str(model.conversations[0])


PLAN = Plan("I will look", (PlanStep("look", "get_summary", "", "read"),))


async def test_an_agent_without_a_model_does_not_begin_anew_after_a_write() -> None:
    """It would do what is done already; so the run ends and says how far it is."""
    stage = await Stage().opened()
    goal = 'put "The Hobbit" into the basket and look for it'
    script = (*buys()[:2], tool("search", query="The Hobbit"), finish())
    programs = await kept(stage, goal, *script)
    finds(stage)
    text = json.loads(programs.text or "")
    steps = text["programs"][0]["program"]["steps"]
    steps[0], steps[1]["arguments"]["arguments"]["bookId"] = steps[1], "the-hobbit"
    steps[1] = steps[2]
    steps[1]["returns"] = "string"
    del steps[2], steps[0]["returns"]
    programs = MemoryStore(json.dumps(text))

    driver = stage.driver(
        programs=Programs(programs), person=answers(YES), planner=None, decider=None
    )
    result = await driver.run(goal)

    assert stage.called == [("addToBasket", "the-hobbit", 1), ("search", "The Hobbit")]
    assert result.error is not None
    assert result.error.kind == "not_reached"
    assert (
        "the program does not fit any more: the result of step 2 has another shape" in result.text
    )


def stored(programs: list[tuple[str, Program]]) -> MemoryStore:
    """Return a store with these programs."""
    entries = [{"origin": origin, "program": one.to_dict()} for origin, one in programs]
    return MemoryStore(json.dumps({"version": 1, "programs": entries}))


async def test_a_store_keeps_the_latest_programs_of_each_site() -> None:
    """The same goal again replaces its program, and a store has a limit."""
    stage = await Stage().opened()
    programs = await kept(stage, "find it", tool("search", query="harbour"), finish("found"))
    program = program_in(programs)
    elsewhere = [("https://other.example", program)] * MOST_PROGRAMS
    full = stored(elsewhere)
    driver = stage.driver(tool("search", query="harbour"), finish("again"), programs=Programs(full))
    assert (await driver.run("find it")).text == "again"

    origins = [entry["origin"] for entry in json.loads(full.text or "")["programs"]]
    assert origins == [ORIGIN, *["https://other.example"] * (MOST_PROGRAMS - 1)]

    small = MemoryStore(stored([(ORIGIN, program)]).text, most=10)
    driver = stage.driver(finish("new"), programs=Programs(small))
    assert (await driver.run("something else")).ok


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"version": 1}', '{"version": 1, "programs": 3}',
             '{"version": 1, "programs": [3, {}, {"origin": 1, "program": {"goal": []}}]}',
             '{"version": 2, "programs": []}', "[" * 100]
)  # fmt: skip
async def test_a_store_that_holds_something_else_is_empty(text: str) -> None:
    """Others may write to it."""
    stage = await Stage().opened()
    result = await stage.driver(finish("new"), programs=Programs(MemoryStore(text))).run("find it")

    assert result.text == "new"


async def test_a_run_without_the_option_keeps_nothing() -> None:
    """Programs are off by default: no notes are made of the page either."""
    stage = await Stage().opened()
    result = await stage.driver(*buys(), person=answers(YES)).run(GOAL)

    assert result.run.notes == {}


async def test_the_data_of_a_run_are_those_of_its_new_result() -> None:
    """A program refers to the result that they are, and does not hold them."""
    stage = await Stage().opened()
    found = {"books": [HOBBIT]}
    programs = await kept(
        stage, "find it", tool("search", query="harbour"), finish("found", data=found)
    )
    assert program_in(programs).end.data == {"$result": 0}
    assert (await stage.driver(programs=Programs(programs)).run("find it")).data == found

    finds(stage, DUNE)
    alone = stage.driver(programs=Programs(programs), planner=None, decider=None)
    result = await alone.run("find it")
    assert result.text == "All steps of the program were taken, with other results than before."
    assert result.data == {"books": [DUNE]}


async def test_a_page_that_was_read_is_part_of_an_answer() -> None:
    """A run that called nothing has answered from the page, so another page needs another answer."""
    stage = await Stage().opened()
    stage.page.shown = shown("Open until six")
    programs = await kept(stage, "until when are you open?", finish("Until six."))

    person = answers()
    same = stage.driver(programs=Programs(programs), person=person, accept="ask")
    assert (await same.run("until when are you open?")).text == "Until six."
    assert person.asked == []
    stage.page.shown = shown("Open until eight")
    other = stage.driver(finish("Until eight."), programs=Programs(programs))
    assert (await other.run("until when are you open?")).text == "Until eight."
