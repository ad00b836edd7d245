import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.core.agent.stage import MANIFEST, NAMES_ALL, ORIGIN, Stage, answers, call, finish, tool

from webagent.agent import (
    Answer,
    Decision,
    Done,
    Driver,
    Intent,
    MemoryStore,
    Policy,
    Request,
    Ruling,
    Run,
    Scene,
    ScriptedPerson,
)
from webagent.agent.permissions import approval
from webagent.llm.chat import ToolCall
from webagent.page.offers import PageTool, Target
from webagent.page.snapshot import Element, Snapshot
from webagent.registry import Binding
from webagent.types import Behavior, Effect, Param, Tool

BUTTON = Element(4, "button", "Show details")
WORDED = Tool(
    name="addToBasket",
    params=[Param(name="bookId")],
    behavior=Behavior(effect="write", confirm="Add {title} for {price}?", done="{title} is in."),
)
OTHER = "https://ads.example"
RUN = Run("add the hobbit to my basket", ORIGIN)


@pytest.mark.parametrize(
    ("effect", "ruling", "session"),
    [
        ("read", Ruling.RUN, False),
        ("write", Ruling.ASK, True),
        ("unknown", Ruling.ASK, True),
        ("irreversible", Ruling.ASK, False),
    ],
)
async def test_the_effect_decides(effect: Effect, ruling: Ruling, session: bool) -> None:
    """Reads run; writes and the unknown ask, once if need be; the irreversible asks every time."""
    decision = await Policy().judge(Intent("call_tool", effect, tool="x"), RUN)

    assert (decision.ruling, decision.session) == (ruling, session)


@pytest.mark.parametrize("effect", ["read", "write", "irreversible", "unknown"])
async def test_sending_to_another_origin_always_asks(effect: Effect) -> None:
    """Neither what is allowed nor reading lets anything out to another origin without a yes."""
    policy = Policy(allow=("x",), allow_writes=True)
    run = Run("go", ORIGIN, allowed=["x"])
    intent = Intent("call_tool", effect, tool="x", to="https://other.example")

    decision = await policy.judge(intent, run)

    assert (decision.ruling, decision.session) == (Ruling.ASK, False)
    assert "`https://other.example`" in decision.reason


@pytest.mark.parametrize("policy", [Policy(allow=("x",)), Policy(allow_writes=True)])
async def test_a_caller_may_allow_writes(policy: Policy) -> None:
    """Writes that are allowed by name, or all of them, run; what cannot be undone asks still."""
    write = await policy.judge(Intent("call_tool", "write", tool="x"), RUN)
    unknown = await policy.judge(Intent("call_tool", "unknown", tool="x"), RUN)
    final = await policy.judge(Intent("call_tool", "irreversible", tool="x"), RUN)

    assert [d.ruling for d in (write, unknown, final)] == [Ruling.RUN, Ruling.RUN, Ruling.ASK]


async def test_the_goal_is_not_a_permission(stage: Stage) -> None:
    """A goal that says outright what to change has the change asked for all the same."""
    person = answers(Answer(False))
    driver = stage.driver(tool("addToBasket", bookId="x"), finish(), person=person)

    await driver.run("add x to my basket, you have my permission")

    assert (len(person.asked), stage.called) == (1, [])


async def test_the_request_shows_what_and_where_from(stage: Stage) -> None:
    """A person sees the tool, its arguments, and of each whether they said it themselves."""
    person = answers(Answer(True))
    stage.show("Only 42 left! Use voucher FREE-9", BUTTON)
    driver = stage.driver(
        tool("search", query="Tolkien"),
        tool("addToBasket", bookId="the-hobbit", count=2),
        finish(),
        plans=(NAMES_ALL,),
        person=person,
    )

    await driver.run("find Tolkien and add 2 of the first one")

    request = person.asked[0]
    assert request.kind == "approval"
    assert request.text == "May I use `Add to basket`? This changes something."
    assert request.details == {
        "action": "call_tool",
        "tool": "addToBasket",
        "title": "Add to basket",
        "effect": "write",
        "arguments": {"bookId": "the-hobbit", "count": 2},
        "origins": {"bookId": {"from": "result", "of": "search"}, "count": {"from": "goal"}},
        "labels": {"bookId": "Book", "count": "Count"},
        "names": {"bookId": "The Hobbit"},
        "session": True,
        "grants": [{"key": "addToBasket", "kind": "tool", "text": "use `addToBasket`"}],
        "key": "addToBasket",
        "reason": "this changes something",
    }
    assert stage.called[-1] == ("addToBasket", "the-hobbit", 2)


async def test_a_manifest_words_the_question_and_what_was_done(stage: Stage) -> None:
    """The rest of the request stays; without one of the values it is the general one."""
    worded = WORDED.model_copy(update={"title": "Add to basket"})
    await stage.registry.bind(MANIFEST.model_copy(update={"tools": [MANIFEST.tools[0], worded]}))
    person = answers(Answer(True), Answer(True))
    driver = stage.driver(
        tool("search", query="Tolkien"),
        tool("addToBasket", bookId="the-hobbit"),
        tool("addToBasket", bookId="another"),
        finish(),
        plans=(NAMES_ALL,),
        person=person,
    )

    await driver.run("add both")

    assert [request.text for request in person.asked] == [
        "Add The Hobbit for 9?",
        "May I use `Add to basket`? This changes something.",
    ]
    assert ["confirm" in request.details for request in person.asked] == [True, False]
    assert person.asked[0].details["arguments"] == {"bookId": "the-hobbit"}
    ended = [event for event in stage.told("step") if event["state"] == "finished"]
    assert [event.get("sentence") for event in ended if event.get("tool")] == [
        None,
        "The Hobbit is in.",
        None,
    ]
    assert {event["title"] for event in ended if event.get("tool") == "addToBasket"} == {
        "Add to basket"
    }
    begun = [event for event in stage.told("step") if event["state"] == "started"]
    assert [event.get("names") for event in begun if event.get("tool") == "addToBasket"] == [
        {"bookId": "The Hobbit"},
        None,
    ]


@pytest.mark.parametrize(
    ("inverse", "params", "undo"),
    [
        ("mystery", ["bookId"], {"bookId": "the-hobbit"}),
        ("mystery", ["number", "bookId"], {"number": 7, "bookId": "the-hobbit"}),
        ("mystery", [], {}),
        ("mystery", ["query"], None),
        ("gone", ["bookId"], None),
        ("", ["bookId"], None),
    ],
)
async def test_a_step_says_how_it_is_undone(
    stage: Stage, inverse: str, params: list[str], undo: dict[str, Any] | None
) -> None:
    """The inverse gets arguments and members of the result by their names; all that it needs, or none."""
    tools = [
        WORDED.model_copy(update={"behavior": Behavior(effect="write", inverse=inverse)}),
        Tool(name="mystery", params=[Param(name=name, type="any") for name in params]),
    ]
    stage.page.functions["addToBasket"] = lambda bookId: {"number": 7, "bookId": "another"}  # noqa: N803
    await stage.registry.bind(MANIFEST.model_copy(update={"tools": tools}))
    driver = stage.driver(
        tool("addToBasket", bookId="the-hobbit"),
        finish(),
        plans=(NAMES_ALL,),
        person=answers(Answer(True)),
    )

    await driver.run("add it")

    expected = None if undo is None else {"tool": "mystery", "arguments": undo}
    assert [event.get("undo") for event in stage.told("step") if event.get("tool")] == [
        None,
        expected,
    ]


async def test_a_secret_is_not_part_of_an_undo(stage: Stage) -> None:
    """Its placeholder means nothing in another run."""
    tools = [
        Tool(
            name="login",
            params=[Param(name="password")],
            behavior=Behavior(effect="read", inverse="mystery"),
        ),
        Tool(name="mystery", params=[Param(name="password")]),
    ]
    await stage.registry.bind(MANIFEST.model_copy(update={"tools": tools}))
    driver = stage.driver(tool("login", password="•••"), finish())

    await driver.run("log in with the password ropewalk14")

    assert stage.steps()[0] == ("login", "finished")
    assert [event.get("undo") for event in stage.told("step") if event.get("tool")] == [None, None]


def test_another_site_does_not_word_its_own_request() -> None:
    """Only the manifest of the page's own site speaks to the person."""
    binding = Binding(WORDED, Target("function", "addToBasket"), "addToBasket")
    scene = Scene(Snapshot(url=ORIGIN), [binding], datetime(2026, 1, 2, tzinfo=UTC))
    run = Run("add it", ORIGIN)
    run.entries.append(Done(tool("search"), ORIGIN, {"id": "x", "title": "Dune", "price": 3}))
    for to, question in (("", "Add Dune for 3?"), (OTHER, "May I use")):
        intent = Intent("call_tool", "write", {"bookId": "x"}, tool="addToBasket", to=to)
        request = approval(intent, Decision(Ruling.ASK, "it writes"), run, scene)
        assert request.text.startswith(question)


async def test_origins_tell_page_person_and_agent_apart(stage: Stage) -> None:
    """Text of the page, answers of the person and what was made up are told apart."""
    person = answers(Answer(True, "send it to Berlin"), Answer(False), Answer(False))
    stage.show("Use voucher FREE-9")
    driver = stage.driver(
        call("communicate", summary="", question="Where to?"),
        tool("login", password="FREE-9"),
        tool("addToBasket", bookId="Berlin", count=7),
        finish(),
        person=person,
        policy=_Ask(),
    )

    await driver.run("go")

    asked = [request.details["origins"] for request in person.asked[1:]]
    assert asked == [
        {"password": {"from": "page"}},
        {"bookId": {"from": "person"}, "count": {"from": "agent"}},
    ]


class _Ask:
    async def judge(self, intent: Intent, run: Run) -> Decision:
        asks = intent.action == "call_tool"
        return Decision(Ruling.ASK if asks else Ruling.RUN)


async def test_a_no_is_an_answer_that_the_agent_sees(stage: Stage) -> None:
    """Denial is the result of the action, with what the person said, and the run goes on."""
    person = answers(Answer(False, "too dear"))
    driver = stage.driver(tool("addToBasket", bookId="x"), finish("as you like"), person=person)

    result = await driver.run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["kind"] == "denied"
    assert error["message"] == ("the person did not allow to call `addToBasket` and said: too dear")
    assert "do not try the same again" in error["help"]
    assert result.ok


async def test_nobody_allows_nothing(stage: Stage) -> None:
    """Without a person writes are denied, and the message says that nobody is there."""
    result = await stage.driver(tool("addToBasket", bookId="x"), finish()).run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert "nobody is there to be asked" in error["message"]
    assert stage.called == []


async def test_allowed_for_the_session_is_not_asked_again(stage: Stage) -> None:
    """A yes for the session holds for the tool, and for no other."""
    person = answers(Answer(True, session=True), Answer(False))
    driver = stage.driver(
        tool("addToBasket", bookId="a"), tool("addToBasket", bookId="b"), tool("mystery"),
        finish(), plans=(NAMES_ALL,), person=person,
    )  # fmt: skip

    result = await driver.run("go")

    assert [request.details["tool"] for request in person.asked] == ["addToBasket", "mystery"]
    assert result.run.allowed == ["addToBasket"]


async def test_the_irreversible_asks_every_time(stage: Stage) -> None:
    """A yes for the session to what cannot be undone counts once."""
    person = answers(Answer(True, session=True), Answer(False))
    driver = stage.driver(tool("placeOrder"), tool("placeOrder"), finish(), person=person)

    result = await driver.run("go")

    assert stage.called == [("placeOrder",)]
    assert result.run.allowed == []
    assert "cannot be undone" in person.asked[0].text


async def test_a_policy_of_ones_own_may_refuse(stage: Stage) -> None:
    """A refusal of the policy is a denial with its reason; nobody is asked."""

    class Closed:
        async def judge(self, intent: Intent, run: Run) -> Decision:
            return Decision(Ruling.REFUSE, "the shop is closed")

    person = ScriptedPerson()
    driver = stage.driver(tool("search", query="x"), finish(), policy=Closed(), person=person)

    result = await driver.run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["message"] == ("the policy does not allow to call `search` - the shop is closed")
    assert person.asked == []


async def test_a_tool_of_another_origin_asks_even_to_read(stage: Stage) -> None:
    """A tool in a frame of another site gets nothing without a yes, whatever it says of itself."""
    target = Target("modelContext", "lookup", frame=1, origin="https://ads.example")
    stage.page.tools.append(
        (PageTool(target, annotations={"readOnlyHint": True}), lambda arguments: "sent")
    )
    person = answers(Answer(False))
    driver = stage.driver(tool("lookup"), finish(), person=person)

    await driver.run("go")

    assert person.asked[0].details["to"] == OTHER
    assert person.asked[0].details["session"] is False


async def test_a_form_that_the_person_submits_needs_no_yes_to_be_filled(stage: Stage) -> None:
    """A tool whose end is in the person's own hand only fills in."""
    target = Target("form", "contactForm")
    stage.page.tools.append((PageTool(target, attended=True), lambda arguments: "sent by hand"))
    driver = stage.driver(tool("contactForm"), finish())

    result = await driver.run("go")

    assert result.run.done()[0].value == "sent by hand"
    steps = [event for event in stage.told("step") if event.get("tool") == "contactForm"]
    assert [event.get("attended") for event in steps] == [True, True]


async def test_a_yes_to_a_form_that_the_person_submits_is_one_to_fill_it_in(stage: Stage) -> None:
    """Its question says nothing of what only the sending of the form changes."""
    del stage.page.functions["placeOrder"]
    target = Target("form", "placeOrder")
    stage.page.tools.append((PageTool(target, attended=True), lambda arguments: "sent by hand"))
    await stage.registry.refresh()
    person = answers(Answer(True))
    driver = stage.driver(tool("placeOrder"), finish(), person=person, plans=(NAMES_ALL,))

    await driver.run("go")

    (request,) = person.asked
    assert request.text == "May I fill in this form? You send it yourself."


async def test_the_time_of_an_answer_is_not_the_time_of_a_call(stage: Stage) -> None:
    """A step takes as long as the call itself, however long the person thinks."""

    class Slow(ScriptedPerson):
        async def ask(self, request: Request) -> Answer:
            stage.clock.advance(8)
            return await super().ask(request)

    driver = stage.driver(
        tool("placeOrder"), finish(), person=Slow(Answer(True)), plans=(NAMES_ALL,)
    )

    await driver.run("go")

    ended = [event for event in stage.told("step") if event["state"] == "finished"]
    assert [event["duration_ms"] for event in ended] == [0, 0]


async def test_nobody_is_asked_about_what_cannot_be_called(stage: Stage) -> None:
    """Arguments that do not fit, and tools of other pages, fail before a person is bothered."""
    person = answers()
    del stage.page.functions["mystery"]
    driver = stage.driver(
        tool("addToBasket"), tool("away"), tool("mystery"), tool("nothing"),
        finish(success=False), person=person,
    )  # fmt: skip

    result = await driver.run("go")

    kinds = [done.error["kind"] for done in result.run.done() if done.error]
    assert kinds == ["invalid_arguments", "denied", "missing_function", "unknown_tool"]
    assert person.asked == []


async def test_requests_come_one_at_a_time(stage: Stage) -> None:
    """Calls that a program makes at once are asked for one after the other."""
    open_requests: list[int] = []
    most = 0

    class Counting:
        async def ask(self, request: Request) -> Answer:
            nonlocal most
            open_requests.append(1)
            most = max(most, len(open_requests))
            await stage.clock.sleep(1)
            open_requests.pop()
            return Answer(True)

    async def program(code: str, call_tool: Any) -> Any:
        results = await asyncio.gather(*[call_tool("mystery", []) for _ in range(4)])
        return results[0]

    stage.page._program = program
    result = await stage.driver(call("execute_js", code="…"), finish(), person=Counting()).run("go")

    assert (most, len(stage.called)) == (1, 4)
    assert result.ok


async def test_the_default_driver_asks_a_person() -> None:
    """A driver that is given a person only asks before a write."""
    stage = await Stage().opened()
    person = answers(Answer(False))
    script = stage.driver(tool("addToBasket", bookId="x"), finish())
    driver = Driver(
        stage.page, stage.registry, planner=stage.script, decider=stage.script,
        person=person, store=MemoryStore(),
    )  # fmt: skip
    assert not script.running

    await driver.run("go")

    assert [request.kind for request in person.asked] == ["approval"]


async def test_a_refused_action_is_not_asked_for_again(stage: Stage) -> None:
    """The same call with the same arguments is denied without asking; another is asked for."""
    person = answers(Answer(False, "no"), Answer(False, "not that either"))
    driver = stage.driver(
        tool("addToBasket", bookId="a"), tool("addToBasket", bookId="a"),
        tool("addToBasket", bookId="b"), finish(), person=person,
    )  # fmt: skip

    result = await driver.run("go")

    errors = [done.error["message"] for done in result.run.done() if done.error]
    assert len(person.asked) == 2
    assert "and is not asked again" in errors[1]
    assert "not that either" in errors[2]


async def test_a_yes_for_the_session_answers_what_waits(stage: Stage) -> None:
    """Of calls that a program makes at once the first yes for the session answers all."""
    person = answers(Answer(True, session=True))

    async def program(code: str, call_tool: Any) -> Any:
        results = await asyncio.gather(*[call_tool("addToBasket", [str(n)]) for n in range(4)])
        return results[0]

    stage.page._program = program
    await stage.driver(call("execute_js", code="…"), finish(), person=person).run("go")

    assert (len(person.asked), len(stage.called)) == (1, 4)


async def test_allowed_words_on_one_page_are_not_allowed_on_another(stage: Stage) -> None:
    """A yes for the session to a button holds on the page where it was given."""
    person = answers(Answer(True, session=True), Answer(False))
    save = Element(4, "button", "Save")
    stage.page.acts["click"] = lambda action: stage.show("…", save, path="/other")
    stage.show("…", save)
    driver = stage.driver(call("click", pp_id=4), call("click", pp_id=4), finish(), person=person)

    await driver.run("go")

    assert len(person.asked) == 2


async def test_grants_are_listed_and_taken_back(stage: Stage) -> None:
    """A driver lists the grants in words; what is taken back is asked for again."""
    person = answers(Answer(True, session=True), Answer(False))

    def revoke(run: Run, scene: Scene) -> ToolCall:
        assert [grant.text for grant in driver.allowed()] == ["use `addToBasket`"]
        assert [driver.revoke("addToBasket") for _ in range(2)] == [True, False]
        assert driver.allowed() == []
        return tool("addToBasket", bookId="c")

    driver = stage.driver(
        tool("addToBasket", bookId="a"), tool("addToBasket", bookId="b"), revoke, finish(),
        plans=(NAMES_ALL,), person=person,
    )  # fmt: skip

    result = await driver.run("go")

    assert len(person.asked) == 2
    assert stage.called == [("addToBasket", "a", 1), ("addToBasket", "b", 1)]
    assert result.run.allowed == []
