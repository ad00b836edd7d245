import asyncio
import base64
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest
from tests.core.agent.actions.shop import take
from tests.core.agent.stage import Stage, answers, call, finish, tool

from webagent.agent import Answer, Driver, GivenFile, Policy
from webagent.errors import CodeSyntaxError, Denied, Navigated, ToolThrew
from webagent.llm.scripted import ScriptedModel
from webagent.page.offers import Offers, Target
from webagent.page.port import CallTool
from webagent.results import ExecutionResult, Log
from webagent.types import Manifest, Param, Tool


def coded(stage: Stage, program: Any) -> Stage:
    """Let a Python function stand in for what a model wrote."""
    stage.page._program = program
    return stage


async def test_a_tool_gives_its_value_as_the_registry_has_it(stage: Stage) -> None:
    """The value of a call is the encoded value of the tool."""
    result = await stage.driver(tool("search", query="x"), finish()).run("go")

    assert result.run.done()[0].value["books"][0]["price"] == 9


async def test_a_tool_that_throws_is_an_error_with_its_words(stage: Stage) -> None:
    """The agent reads what the tool said, and the run goes on."""
    stage.page.functions["search"] = lambda query: int("x")

    result = await stage.driver(tool("search", query="x"), finish("sorry")).run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert (error["kind"], error["tool"]) == ("threw", "search")
    assert result.ok


async def test_a_tool_that_leaves_the_page_may_have_happened(stage: Stage) -> None:
    """A call that the navigation swallowed is reported as such, with the help to look before calling again."""

    async def leave(*given: Any, **more: Any) -> Any:
        stage.show("Thanks", path="/thanks")
        raise Navigated("the page was left")

    stage.page.invoke = leave  # type: ignore[method-assign]
    driver = stage.driver(
        tool("addToBasket", bookId="x"), finish(), policy=Policy(allow_writes=True)
    )

    result = await driver.run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["kind"] == "navigated"
    assert "it may have happened" in error["message"]
    assert "look at the page" in error["help"]
    assert [event["type"] for event in stage.events if event["type"] == "navigating"]


async def test_a_program_gives_value_logs_and_calls(stage: Stage) -> None:
    """The result of a program has what it returned, what it logged, and what it called."""

    async def program(code: str, call_tool: CallTool) -> ExecutionResult:
        found = await call_tool("search", ["Tolkien"])
        return ExecutionResult(found.value["books"], logs=(Log("log", "one"),))

    coded(stage, program)
    result = await stage.driver(call("execute_js", code="…"), finish()).run("go")

    assert result.run.done()[0].value == {
        "value": [{"id": "the-hobbit", "title": "The Hobbit", "price": 9}],
        "logs": [{"level": "log", "text": "one"}],
        "calls": [{"name": "search", "arguments": {"query": "Tolkien"}, "ok": True}],
    }
    assert result.calls[0].name == "search"


async def test_each_call_of_a_program_is_a_step_of_its_own(stage: Stage) -> None:
    """The calls of a program are events with the program as their parent."""

    async def program(code: str, call_tool: CallTool) -> ExecutionResult:
        await call_tool("search", ["a"])
        await call_tool("search", [])
        return ExecutionResult("fine")

    code = call("execute_js", code="…")
    await coded(stage, program).driver(code, finish()).run("go")

    inner = [event for event in stage.told("step") if event.get("parent") == code.id]
    assert [(event["id"], event["state"]) for event in inner] == [
        (f"{code.id}.1", "started"), (f"{code.id}.1", "finished"),
        (f"{code.id}.2", "started"), (f"{code.id}.2", "failed"),
    ]  # fmt: skip
    assert inner[0]["arguments"] == {"query": "a"}
    assert inner[-1]["error"]["kind"] == "invalid_arguments"


async def test_each_call_of_a_program_is_judged(stage: Stage) -> None:
    """A write in a program is asked for; the program sees the denial and may go on."""

    async def program(code: str, call_tool: CallTool) -> ExecutionResult:
        read = await call_tool("search", ["x"])
        write = await call_tool("addToBasket", ["the-hobbit"])
        assert write.error is not None
        return ExecutionResult([read.ok, write.error.kind])

    person = answers(Answer(False, "no"))
    driver = coded(stage, program).driver(call("execute_js", code="…"), finish(), person=person)

    result = await driver.run("find x")

    assert result.run.done()[0].value["value"] == [True, "denied"]
    assert [request.details["tool"] for request in person.asked] == ["addToBasket"]
    assert stage.called == [("search", "x")]


async def test_a_failed_program_keeps_its_logs_and_calls(stage: Stage) -> None:
    """Logs and calls of a program that threw are not lost."""

    async def program(code: str, call_tool: CallTool) -> ExecutionResult:
        await call_tool("search", ["x"])
        return ExecutionResult(error=ToolThrew("x is not defined"), logs=(Log("log", "here"),))

    result = await coded(stage, program).driver(call("execute_js", code="…"), finish()).run("go")

    done = result.run.done()[0]
    assert done.error == {"kind": "threw", "message": "x is not defined"}
    assert done.value["logs"] == [{"level": "log", "text": "here"}]
    assert done.value["calls"][0]["ok"] is True


async def test_a_program_that_does_not_parse_keeps_the_plan(stage: Stage) -> None:
    """A syntax error is the model's own, and leaves the plan as it is."""

    async def program(code: str, call_tool: CallTool) -> ExecutionResult:
        return ExecutionResult(error=CodeSyntaxError("unexpected `}` in line 1, column 3"))

    await coded(stage, program).driver(call("execute_js", code="}"), finish()).run("go")

    assert stage.script.reasons == []


async def test_code_in_the_page_itself_asks(stage: Stage) -> None:
    """With `isolation="page"` a program may do anything, so it is asked for."""
    ran: list[str] = []

    async def program(code: str, call_tool: CallTool) -> ExecutionResult:
        ran.append(code)
        return ExecutionResult()

    coded(stage, program)
    person = answers(Answer(False))
    driver = stage.driver(call("execute_js", code="x"), finish(), isolation="page", person=person)
    await driver.run("go")

    assert (len(person.asked), ran) == (1, [])


@pytest.mark.parametrize(("policy", "seconds"), [(True, 30), (False, 600)])
async def test_a_program_that_may_ask_has_the_time_a_person_takes(
    stage: Stage, policy: bool, seconds: float
) -> None:
    """The page ends a program late when a person may be asked in the middle of it."""
    given: list[float] = []

    async def run_code(code: str, *, timeout_s: float, **more: Any) -> ExecutionResult:
        given.append(timeout_s)
        return ExecutionResult()

    stage.page.run_code = run_code  # type: ignore[assignment]
    if policy:
        from tests.core.agent.stage import MANIFEST

        reads = [t for t in MANIFEST.tools if t.behavior.effect == "read"]
        await stage.registry.bind(MANIFEST.model_copy(update={"tools": reads}))
    await stage.driver(call("execute_js", code="x"), finish()).run("go")

    assert given == [seconds]


async def test_a_program_is_ended_after_its_time(stage: Stage) -> None:
    """A program that has used up its time is ended, and its time is not that of a person."""
    ended = asyncio.Event()

    async def run_code(code: str, **more: Any) -> ExecutionResult:
        stage.clock.advance(31)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    stage.page.run_code = run_code  # type: ignore[assignment]
    task = asyncio.ensure_future(stage.driver(call("execute_js", code="x"), finish()).run("go"))
    result = await task

    error = result.run.done()[0].error
    assert error is not None
    assert (error["kind"], ended.is_set()) == ("timeout", True)


async def test_a_call_after_the_time_of_a_program_is_not_made(stage: Stage) -> None:
    """Each call looks at the clock, since a busy page is late with everything else."""
    searched: list[str] = []
    stage.page.functions["search"] = lambda query, **_: searched.append(query)

    async def program(code: str, call_tool: CallTool) -> ExecutionResult:
        await call_tool("search", ["in time"])
        stage.clock.advance(31)
        return await call_tool("search", ["too late"])

    coded(stage, program)
    result = await stage.driver(call("execute_js", code="x"), finish()).run("go")

    done = result.run.done()[0]
    assert done.error is not None
    assert (done.error["kind"], searched) == ("timeout", ["in time"])


async def test_long_arguments_are_cut_in_the_result_of_a_program(stage: Stage) -> None:
    """The tool gets them whole; the result keeps their beginning and length, of all calls together."""
    got: list[int] = []
    stage.page.functions["search"] = lambda query, **_: got.append(len(query))

    async def program(code: str, call_tool: CallTool) -> ExecutionResult:
        for _ in range(300):
            await call_tool("search", ["x" * 100_000])
        return ExecutionResult(1)

    coded(stage, program)
    result = await stage.driver(call("execute_js", code="x"), finish()).run("go")

    calls = result.run.done()[0].value["calls"]
    assert got == [100_000] * 300
    assert len(calls) == 300
    query = calls[0]["arguments"]["query"]
    assert (query["$type"], query["length"]) == ("cut", 100_000)
    assert query["value"] == "x" * len(query["value"])
    assert len(str(calls)) < 1_100_000
    shown = [event["arguments"] for event in stage.events if event.get("tool") == "search"]
    assert all(len(str(arguments)) < 11_000 for arguments in shown)


async def test_a_program_goes_on_while_a_person_thinks(stage: Stage) -> None:
    """The time of a program stands still while somebody is asked."""

    class Slow:
        async def ask(self, request: Any) -> Answer:
            stage.clock.advance(1000)
            await asyncio.sleep(0)
            return Answer(True)

    async def program(code: str, call_tool: CallTool) -> ExecutionResult:
        return await call_tool("mystery", [])

    coded(stage, program)
    result = await stage.driver(call("execute_js", code="x"), finish(), person=Slow()).run("go")

    assert result.run.done()[0].value["value"] == "mystery done"


async def test_a_tool_that_changes_while_a_person_thinks_is_not_called(stage: Stage) -> None:
    """Only the allowed tool is called: another tool of that name is not."""

    class Thinking:
        async def ask(self, request: Any) -> Answer:
            from tests.core.agent.stage import MANIFEST

            other = [t.model_copy(update={"description": "other"}) for t in MANIFEST.tools]
            await stage.registry.bind(MANIFEST.model_copy(update={"tools": other}))
            return Answer(True)

    driver = stage.driver(tool("mystery"), finish(), person=Thinking())

    result = await driver.run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["message"] == "`mystery` has changed since it was allowed"
    assert stage.called == []


async def test_a_page_that_forbids_programs_is_an_error(stage: Stage) -> None:
    """A page that runs no programs says so."""
    result = await stage.driver(call("execute_js", code="x"), finish()).run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["kind"] == Denied.kind


async def test_a_tool_says_why_it_cannot_be_called_now(stage: Stage) -> None:
    """The agent reads the reason; once it is gone, the tool is called."""
    reasons = {"mystery": "the basket is empty"}
    offers = stage.page.offers

    async def with_reasons(functions: Collection[str]) -> Offers:
        return replace(await offers(functions), unavailable=dict(reasons))

    stage.page.offers = with_reasons  # type: ignore[method-assign]
    await stage.registry.refresh()
    refused, none = await take(stage, tool("mystery"))
    reasons.clear()
    called, _ = await take(stage, tool("mystery"), Answer(True))

    assert refused.error is not None
    assert refused.error["kind"] == "denied"
    assert refused.error["message"] == "`mystery` cannot be called now - the basket is empty"
    assert none == []
    assert called.ok


PNG = b"\x89PNG\r\n\x1a\n" + bytes(10)


async def test_a_picture_in_a_result_is_shown_to_the_model(stage: Stage) -> None:
    """The value names it, the next message has it, and the result of the run too."""
    data = base64.b64encode(PNG).decode()
    invoke = stage.page.invoke

    async def with_picture(target: Target, *given: Any, **more: Any) -> Any:
        await invoke(target, *given, **more)
        return {"chart": {"$type": "file", "value": data, "name": "", "type": "image/gif"}, "n": 1}

    stage.page.invoke = with_picture  # type: ignore[method-assign]
    model = ScriptedModel(
        call("make_plan", plan="I will look."), tool("search", query="x"), finish()
    )
    driver = Driver(stage.page, stage.registry, model=model, accept="caller", clock=stage.clock)
    result = await driver.run("draw it")
    (searched,) = [done for done in result.run.done() if done.call.name == "call_tool"]
    images = [message.images for message in model.conversations[-1] if message.images]

    assert searched.value == {
        "chart": {"file": "file.png", "type": "image/png", "size": len(PNG)},
        "n": 1,
    }
    assert images == [(PNG,)]
    assert [(file.name, file.data) for file in result.files] == [("file.png", PNG)]


async def test_a_parameter_takes_a_file_of_the_person(stage: Stage) -> None:
    """A model writes its name, the page gets its bytes, and the approval shows the name."""
    upload = Tool(
        name="search",
        params=[
            Param(name="query", type="File"),
            Param(name="more", type="Blob[]", required=False),
        ],
    )
    await stage.registry.bind(Manifest(tools=[upload]))
    got: list[Any] = []
    stage.page.functions["search"] = lambda query, more=None: got.extend([query, more])
    person = answers(
        Answer(True, files=(GivenFile("cv.txt", "text/plain", b"mine"),)), Answer(True)
    )
    taken = tool("search", query="cv.txt", more=["cv.txt"])
    result = await stage.driver(taken, finish(success=False), person=person).run("send my cv")
    file = {"name": "cv.txt", "type": "text/plain", "data": b"mine"}

    assert result.run.done()[0].ok
    assert [request.kind for request in person.asked] == ["file", "approval"]
    assert person.asked[1].details["arguments"] == {"query": "cv.txt", "more": ["cv.txt"]}
    assert got == [file, [file]]


async def test_a_file_that_was_not_given_is_not_sent(stage: Stage) -> None:
    """The call is not made, and the model reads why."""
    upload = Tool(name="search", params=[Param(name="query", type="Blob | null")])
    await stage.registry.bind(Manifest(tools=[upload]))
    done, asked = await take(stage, tool("search", query="/etc/passwd"), Answer(False, "never"))

    assert [request.kind for request in asked] == ["file"]
    assert done.error is not None
    assert "did not give the file `/etc/passwd` and said: never" in done.error["message"]
    assert stage.called == []
