"""Cases are run by the agent, with tools alone or in a page made of functions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from webagent.agent import FakeClock
from webagent.llm import CredentialsRefused, Reply, ScriptedModel, ToolCall
from webagent.llm.chat import Usage
from webagent.page.fakes import FakePage
from webagent.types import Behavior, Manifest, Param, Tool
from webagent_dev.evals.case import Case
from webagent_dev.evals.case_file import read_cases
from webagent_dev.evals.case_runner import Settings, run_cases
from webagent_dev.evals.environments import Environment, Setup, ToolsEnvironment
from webagent_dev.evals.outcome import Evaluation, Outcome
from webagent_dev.evals.recording import RecordingRegistry
from webagent_dev.evals.report import eval_report, outcome_item
from webagent_dev.evals.toolbox import of_manifest
from webagent_site.errors import UsageError

MANIFEST = Manifest(
    name="Books",
    tools=[
        Tool(
            name="findBooks",
            description="Find books by words of their title or author.",
            params=[Param(name="query"), Param(name="limit", type="number", required=False)],
            returns="{ books: Array<{ id: string; title: string; price: number }> }",
            behavior=Behavior(effect="read", paths=["/books"], rate="1/hour"),
        ),
        Tool(
            name="addToBasket",
            description="Put a book into the basket.",
            params=[Param(name="bookId")],
            behavior=Behavior(effect="write"),
        ),
        Tool(
            name="clearAll",
            description="Clear everything.",
            behavior=Behavior(effect="irreversible"),
        ),
    ],
)
NO_SEARCH = MANIFEST.model_copy(update={"tools": MANIFEST.tools[1:]})
BOOKS = {
    "books": [{"id": "b1", "title": "Ships", "price": 9}, {"id": "b2", "title": "Sea", "price": 4}]
}


def cases(*entries: dict[str, Any]) -> list[Case]:
    return read_cases(json.dumps(list(entries)).encode(), "evals.json")


def case(goal: str, *expected: Any, none: bool = False) -> dict[str, Any]:
    messages = [{"role": "user", "type": "message", "content": goal}]
    return {"messages": messages, "expectedCall": None if none else list(expected)}


def call(name: str, arguments: Any = None, **more: Any) -> dict[str, Any]:
    return {"functionName": name, "arguments": arguments} | more


async def evaluated(
    given: list[Case], environment: Environment | None = None, *, runs: int = 1, **settings: Any
) -> Evaluation:
    environment = environment or ToolsEnvironment(of_manifest(MANIFEST, "books"))
    evaluation = Evaluation(
        "evals.json", environment.name, environment.has_page, None, len(given) * runs
    )
    heard: list[Outcome] = []
    settings = {"clock": FakeClock()} | settings
    await run_cases(
        given, environment, evaluation, Settings(**settings), runs=runs, on_outcome=heard.append
    )
    assert heard == evaluation.outcomes
    return evaluation


def rows(outcome: Outcome) -> list[tuple[str, str]]:
    return [
        (row.verdict, row.actual.name if row.actual else row.expected.name if row.expected else "")
        for row in outcome.rows
    ]


def scripted(*calls: ToolCall | Reply | BaseException, name: str = "scripted") -> ScriptedModel:
    plan = ToolCall("p", "make_plan", {"plan": "I will do it."})
    end = ToolCall("f", "finish", {"text": "done", "success": True})
    return ScriptedModel(plan, *calls, end, name=name)


def tool(number: int, name: str, **arguments: Any) -> ToolCall:
    return ToolCall(str(number), "call_tool", {"name": name, "arguments": arguments})


class Shop:
    """A page of functions, as a environment."""

    name = "shop"
    has_page = True

    def __init__(self) -> None:
        self.done: list[str] = []

    @asynccontextmanager
    async def opened(self, case: Case) -> AsyncIterator[Setup]:
        page = FakePage(
            {
                "findBooks": lambda query, limit=9: BOOKS,
                "addToBasket": lambda bookId: self.done.append(bookId),  # noqa: N803
                "clearAll": lambda: self.done.append("cleared"),
            },
            path="/books",
        )
        registry = RecordingRegistry(page)
        await registry.bind(MANIFEST)
        yield Setup(page, registry, case.tools)


async def test_the_planner_with_tools_alone() -> None:
    """A goal is planned, its calls are answered by mocks, and chains go on with those."""
    given = cases(
        case(
            "find books about ships and add the cheapest one to the basket",
            call("findBooks", {"query": "ships"}, mockOutput=BOOKS),
            call("addToBasket", {"bookId": "b2"}),
        )
    )
    (outcome,) = (await evaluated(given)).outcomes

    assert rows(outcome) == [("agrees", "findBooks"), ("agrees", "addToBasket")]
    assert outcome.passed
    assert outcome.steps == 3
    assert outcome.usd == 0


async def test_results_are_made_up_from_the_declared_output() -> None:
    """Without a mock a tool gives what it declares, so that a chain has something to go on with."""
    given = cases(
        case(
            "find books about ships and add the first one to the basket",
            call("findBooks", {"query": "ships"}),
            call("addToBasket", {"bookId": "id"}),
        )
    )
    assert (await evaluated(given)).passed


async def test_a_wrong_argument_fails_the_case() -> None:
    """The outcome says which, and what the agent said."""
    given = cases(case("find books about ships", call("findBooks", {"query": "boats"})))
    (outcome,) = (await evaluated(given)).outcomes

    assert outcome.verdict == "failed"
    assert [str(one) for one in outcome.rows[0].differences] == [
        '`query` is "ships", expected "boats"'
    ]
    assert outcome.said


async def test_questions_are_recorded() -> None:
    """An agent that asks instead of calling has called nothing, and what it asked is known."""
    given = cases(case("put a book into the basket", call("addToBasket", {"bookId": "b1"})))
    (outcome,) = (
        await evaluated(given, ToolsEnvironment(of_manifest(NO_SEARCH, "books")))
    ).outcomes

    assert rows(outcome) == [("missing", "addToBasket")]
    assert len(outcome.asked) == 1
    assert "Which book" in outcome.asked[0]


async def test_a_model_is_asked_for_each_case() -> None:
    """The model plans and calls as in `run`; without a page it is offered nothing that needs one."""
    model = scripted(tool(1, "findBooks", query="ships"))
    given = cases(
        case("anything about ships?", call("findBooks", {"query": {"$contains": "ship"}}))
    )
    evaluation = await evaluated(given, model=model)

    assert evaluation.passed
    names = {definition.name for definition in model.tools[1]}
    actions = {"make_plan", "communicate", "take_note", "finish"}
    assert names == actions | {"findBooks", "addToBasket", "clearAll"}
    assert model.conversations[1][2].text.startswith("The goal: anything about ships?")


async def test_wrong_calls_of_a_model_count() -> None:
    """A call that does not fit its schema is refused, recorded, and fails the case."""
    model = scripted(
        tool(1, "findBooks", query=3), tool(2, "findBook"), tool(3, "findBooks", query="ships")
    )
    given = cases(case("ships", call("findBooks", {"query": "ships"})))
    (outcome,) = (await evaluated(given, model=model)).outcomes

    assert outcome.verdict == "failed"
    assert rows(outcome) == [
        ("not expected", "findBooks"),
        ("not expected", "findBook"),
        ("agrees", "findBooks"),
    ]
    refused = outcome.rows[0].actual
    assert refused is not None
    assert refused.refused
    assert refused.error is not None
    assert "query: expected string" in refused.error["message"]


async def test_tokens_and_money_are_counted() -> None:
    """Of all runs together; the evaluation stops when what it may spend is spent."""
    usage = Usage(100_000, 1_000)

    def model(times: int) -> ScriptedModel:
        plan = Reply(calls=(ToolCall("p", "make_plan", {"plan": "I will."}),), usage=usage)
        end = Reply(calls=(ToolCall("f", "finish", {"text": "x", "success": True}),), usage=usage)
        return ScriptedModel(*[plan, end] * times, name="gpt-4.1-mini")

    given = cases(*[case("hello", none=True)] * 3)
    evaluation = await evaluated(given, model=model(3))
    assert evaluation.passed
    assert evaluation.usage.prompt == 600_000
    assert evaluation.usd is not None
    each = evaluation.usd / 3
    assert each > 0

    stopped = await evaluated(given, model=model(3), usd=each * Decimal("1.5"))
    assert len(stopped.outcomes) == 2
    assert "USD" in stopped.stopped
    assert not stopped.passed


async def test_a_model_that_refuses_ends_it() -> None:
    """A key that is refused is an error of one case, and the others are not tried."""
    model = ScriptedModel(CredentialsRefused("wrong key"))
    evaluation = await evaluated(cases(*[case("hello", none=True)] * 3), model=model)

    assert [outcome.verdict for outcome in evaluation.outcomes] == ["error"]
    assert "wrong key" in evaluation.outcomes[0].problem
    assert "refuses" in evaluation.stopped
    assert not evaluation.passed


async def test_a_fallback_takes_over_and_the_next_case_is_run() -> None:
    """The outcome says so; only a failure of both ends the evaluation."""
    end = ToolCall("f", "finish", {"text": "x", "success": True})
    model = ScriptedModel(CredentialsRefused("wrong key"), CredentialsRefused("wrong key"))
    fallback = ScriptedModel(end, CredentialsRefused("wrong key, too"))
    given = cases(*[case("hello", none=True)] * 3)
    evaluation = await evaluated(given, model=model, fallback=fallback)

    first, second = evaluation.outcomes
    assert (first.verdict, first.switched) == ("passed", True)
    assert first.to_dict()["switched"] is True
    assert "fallback took over" in str(outcome_item(first, evaluation).after)
    assert second.verdict == "error"
    assert "refuses" in evaluation.stopped


async def test_a_run_that_breaks_is_one_case() -> None:
    """A run that breaks is reported with its reason, and the next case is run."""
    model = ScriptedModel(RuntimeError("boom"), RuntimeError("boom"))
    evaluation = await evaluated(cases(*[case("hello", none=True)] * 2), model=model)

    assert [outcome.verdict for outcome in evaluation.outcomes] == ["error", "error"]
    assert "boom" in evaluation.outcomes[0].problem


async def test_in_a_page_tools_are_called() -> None:
    """Expected calls may change something; their results are the page's own."""
    shop = Shop()
    given = cases(
        case(
            "find books about ships and add the cheapest one to the basket",
            call("findBooks", {"query": "ships"}, result={"books": [{"id": "b1"}, {"id": "b2"}]}),
            call("addToBasket", {"bookId": "b2"}),
        )
    )
    evaluation = await evaluated(given, shop)

    assert evaluation.passed
    assert shop.done == ["b2"]


async def test_in_a_page_nothing_else_is_changed() -> None:
    """A writing call that no case expects is recorded, and not made."""
    shop = Shop()
    evaluation = await evaluated(cases(case("clear everything", none=True)), shop)

    assert rows(evaluation.outcomes[0]) == [("not expected", "clearAll")]
    assert shop.done == []


async def test_several_runs() -> None:
    """Each case is run as often as asked for, one case after the other."""
    given = cases(
        case("order a pizza", none=True), case("find books about ships", call("findBooks"))
    )
    evaluation = await evaluated(given, runs=2)

    assert [(o.case.goal[:5], o.run) for o in evaluation.outcomes] == [
        ("order", 1),
        ("order", 2),
        ("find ", 1),
        ("find ", 2),
    ]
    assert evaluation.passed


class Unreachable:
    """A site that is there for the first cases only."""

    name = "https://gone.example/"
    has_page = True

    def __init__(self, times: int) -> None:
        self._shop = Shop()
        self._times = times

    @asynccontextmanager
    async def opened(self, case: Case) -> AsyncIterator[Setup]:
        self._times -= 1
        if self._times < 0:
            raise UsageError("it cannot be opened")
        async with self._shop.opened(case) as given:
            yield given


async def test_a_site_that_goes_away() -> None:
    """A site that cannot be opened ends the command; later, it fails the case."""
    given = cases(*[case("order a pizza", none=True)] * 2)
    with pytest.raises(UsageError):
        await evaluated(given, Unreachable(0))
    evaluation = await evaluated(given, Unreachable(1))

    assert [(o.verdict, o.problem) for o in evaluation.outcomes] == [
        ("passed", ""),
        ("error", "it cannot be opened"),
    ]


async def test_passwords_reach_the_comparison() -> None:
    """Values that the log of an agent masks are compared as they were passed."""
    login = Tool(
        name="login",
        description="Log the visitor in.",
        params=[Param(name="email"), Param(name="password")],
        behavior=Behavior(effect="write"),
    )
    environment = ToolsEnvironment(of_manifest(Manifest(tools=[login]), "books"))
    model = scripted(tool(1, "login", email="a@b.example", password="ropewalk14"))
    given = cases(
        case("log me in", call("login", {"email": "a@b.example", "password": "ropewalk14"}))
    )
    assert (await evaluated(given, environment, model=model)).passed


async def test_a_report_has_no_secret() -> None:
    """The password of a goal is compared, and is in no form of the report."""
    login = Tool(
        name="login",
        description="Log the visitor in.",
        params=[Param(name="email"), Param(name="password")],
        behavior=Behavior(effect="write"),
    )
    environment = ToolsEnvironment(of_manifest(Manifest(tools=[login]), "books"))
    goal = "log in as a@b.example with the password dragonfly"
    model = scripted(tool(1, "login", email="a@b.example", password="•••"))
    wrong = tool(1, "login", email="c@d.example", password="•••")
    expected = call("login", {"email": "a@b.example", "password": "dragonfly"})
    good = await evaluated(cases(case(goal, expected)), environment, model=model)
    bad = await evaluated(cases(case(goal, expected)), environment, model=scripted(wrong))

    assert good.passed
    assert not bad.passed
    for evaluation in (good, bad):
        report = eval_report(evaluation, datetime.fromtimestamp(0, UTC))
        assert "dragonfly" not in str(report)
        assert "dragonfly" not in str(evaluation.to_dict())
