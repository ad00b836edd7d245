"""Models, pages and people that do what nobody should: the run stays in hand."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.core.agent.stage import ORIGIN, Stage, answers, call, finish, shown, tool

from webagent.agent import Answer, Done, Policy, Run, Said
from webagent.agent.prompting import Fence, exchanges, fitted
from webagent.agent.step import LONGEST_ARGUMENTS, LONGEST_WORDS
from webagent.errors import ToolError
from webagent.llm.chat import Reply, ToolCall
from webagent.page.snapshot import Element
from webagent.results import ExecutionResult

ESCAPES = "\x1b]0;owned\x07\x1b[2Jfine\u202e\r\n"


def said(stage: Stage) -> str:
    """Return all events, as one text."""
    return json.dumps(stage.events, ensure_ascii=False)


async def test_ten_thousand_calls_in_one_reply(stage: Stage) -> None:
    """Twenty are taken, the rest is named in a note that stays short."""
    many = [tool("search", query=str(n)) for n in range(10_000)]
    result = await stage.driver(many, finish()).run("go")

    notes = [e.text for e in result.run.entries if isinstance(e, Said) and e.by == "driver"]
    assert len(stage.called) == 20
    assert len(notes) == 1
    assert len(notes[0]) < 500


async def test_arguments_of_megabytes_are_refused(stage: Stage) -> None:
    """They reach neither the tool nor the events, and the model learns what is taken."""
    long = tool("search", query="x" * (LONGEST_ARGUMENTS + 1))
    result = await stage.driver(long, finish(success=False)).run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["kind"] == "invalid_arguments"
    assert f"{LONGEST_ARGUMENTS} at most" in error["message"]
    assert stage.called == []
    assert len(said(stage)) < 10_000


async def test_a_name_of_megabytes_is_cut(stage: Stage) -> None:
    """The name in events is short."""
    await stage.driver(call("x" * 5_000_000), finish(success=False)).run("go")

    assert len(said(stage)) < 10_000


async def test_words_of_megabytes_are_cut(stage: Stage) -> None:
    """Also next to many calls."""
    calls = tuple(tool("search", query=str(n)) for n in range(20))
    await stage.driver(Reply("x" * 5_000_000, calls), finish()).run("go")

    (text,) = stage.told("text")
    assert len(text["text"]) < LONGEST_WORDS + 100
    assert len(said(stage)) < 3 * LONGEST_WORDS


@pytest.mark.parametrize(
    "reply",
    [
        Reply(ESCAPES, (finish(),)),
        call("communicate", summary=ESCAPES),
        call("communicate", summary="", question=ESCAPES),
        call("make_plan", plan=f"I will\n- {ESCAPES}"),
        finish(ESCAPES),
    ],
)
async def test_no_words_reach_a_terminal_as_orders(stage: Stage, reply: Any) -> None:
    """Control characters, and those that turn the order of others round, are taken out."""
    person = answers(Answer(True, "yes"))
    result = await stage.driver(reply, finish(), person=person).run("go")

    told = [e["text"] for e in stage.told("text")]
    told += [e["request"]["text"] for e in stage.told("asked")] + [result.text]
    told += [step["text"] for e in stage.told("planned") for step in e["plan"]["steps"]]
    assert any("fine" in text for text in told)
    assert not {"\x1b", "\x07", "\u202e", "\r"} & set("".join(told))


async def test_ids_that_a_model_gives_twice_are_told_apart(stage: Stage) -> None:
    """Each action has its own, also over replies."""
    first, second = (ToolCall("same", "call_tool", tool("search", query=q).arguments) for q in "ab")
    result = await stage.driver([first, second], first, finish()).run("go")

    ids = [done.call.id for done in result.run.done()]
    assert len(set(ids)) == len(ids) == 4
    started = [e["id"] for e in stage.told("step") if e["state"] == "started"]
    assert started == ids


@pytest.mark.parametrize(
    "taken",
    [
        call("click", pp_id="12"),
        call("click", pp_id=True),
        call("click", pp_id=1.5),
        call("click", pp_id=None),
        call("goto_url", url=["/x"]),
        call("enter_data", form_data={"pp_id": 1}, submit=True),
        call("enter_data", form_data=[], submit=True),
        call("call_tool", name=5),
        call("call_tool", name="search", arguments=[1]),
        call("wait", seconds=1e9),
        call("wait", seconds=float("nan")),
        call("finish", text="ok", success="yes"),
        call("make_plan", plan=""),
    ],
)
async def test_wrong_types_are_the_calls_fault(stage: Stage, taken: ToolCall) -> None:
    """Nothing is done to the page, and the error names what fits."""
    result = await stage.driver(taken, finish(success=False)).run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["kind"] == "invalid_arguments", error
    assert stage.page.acted == []
    json.dumps(stage.events)


async def test_a_removed_action_is_unknown(stage: Stage) -> None:
    """A model that calls it all the same reads which there are."""
    driver = stage.driver(call("execute_js", code="1"), finish(success=False))
    driver.remove_action("execute_js")
    result = await driver.run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["kind"] == "unknown_tool"


async def test_calls_after_finish_are_not_made(stage: Stage) -> None:
    """`finish` ends the run, wherever it is in the reply."""
    result = await stage.driver([finish("over"), tool("search", query="x")]).run("go")

    assert (result.ok, result.text, stage.called) == (True, "over", [])


async def test_finish_after_a_failure_is_not_taken(stage: Stage) -> None:
    """A model that says it was done before it knows is asked again."""
    calls = [tool("away"), finish("done!")]
    result = await stage.driver(calls, finish("it failed", success=False)).run("go")

    assert (result.ok, result.text) == (False, "it failed")


async def test_calls_after_one_that_left_the_page_are_not_made(stage: Stage) -> None:
    """They were meant for the page before."""

    def leave(action: Any) -> dict[str, Any]:
        stage.show("…", path="/two")
        return {"did": "clicked", "navigates": True, "url": f"{ORIGIN}/two"}

    stage.show("…", Element(1, "link", "Two", href="/two"))
    stage.page.acts["click"] = leave
    await stage.driver([call("click", pp_id=1), tool("search", query="x")], finish()).run("go")

    assert stage.called == []


async def test_a_program_calls_no_tool_ten_thousand_times(stage: Stage) -> None:
    """After a thousand the tool is not called any more, and the program gets the error."""
    failures: list[ToolError] = []

    async def program(code: str, call_tool: Any) -> ExecutionResult:
        for number in range(10_000):
            result = await call_tool("search", [str(number)])
            if result.error is not None:
                failures.append(result.error)
        return ExecutionResult(len(failures))

    stage.page._program = program
    result = await stage.driver(call("execute_js", code="…"), finish()).run("go")

    assert len(stage.called) == 1000
    assert {error.kind for error in failures} == {"rate_limited"}
    assert len(result.run.done()[0].value["calls"]) == 1000


async def test_a_button_that_changes_while_it_is_asked_for_is_not_pressed(stage: Stage) -> None:
    """A yes to `Save` is not one to `Delete account` under the same number."""

    class Slow:
        async def ask(self, request: Any) -> Answer:
            stage.show("…", Element(4, "button", "Delete account"))
            return Answer(True)

    stage.show("…", Element(4, "button", "Save"))
    stage.page.acts["click"] = lambda action: {"did": "clicked"}
    driver = stage.driver(call("click", pp_id=4), finish(success=False), person=Slow())
    result = await driver.run("go")

    error = result.run.done()[0].error
    assert error is not None
    assert error["kind"] == "denied"
    assert "has changed since it was allowed" in error["message"]
    assert {"type": "click", "pp_id": 4} not in stage.page.acted


async def test_a_form_that_changes_while_it_is_asked_for_is_not_sent(stage: Stage) -> None:
    """Neither to another site."""
    form: dict[str, Any] = {"pp_id": 1, "name": "f", "action": f"{ORIGIN}/", "method": "post"}
    form |= {"fields": [{"pp_id": 2, "name": "email", "type": "email"}], "buttons": []}

    class Slow:
        async def ask(self, request: Any) -> Answer:
            form["action"] = "https://evil.example/"
            return Answer(True)

    stage.page.acts = {"form_details": lambda a: [form], "enter_data": lambda a: {"did": "sent"}}
    sent = call("enter_data", form_data=[{"name": "email", "text": "x"}], submit=True)
    await stage.driver(sent, finish(success=False), person=Slow()).run("go")

    assert [action["type"] for action in stage.page.acted].count("enter_data") == 0


async def test_a_run_is_stopped_during_an_approval(stage: Stage) -> None:
    """The action is not taken, whatever is answered later."""
    asked, answer = asyncio.Event(), asyncio.Event()

    class Slow:
        async def ask(self, request: Any) -> Answer:
            asked.set()
            await answer.wait()
            return Answer(True, session=True)

    driver = stage.driver(tool("addToBasket", bookId="x"), finish(), person=Slow())
    running = asyncio.ensure_future(driver.run("go"))
    await asked.wait()
    driver.stop()
    answer.set()
    result = await running

    assert result.error is not None
    assert (result.error.kind, stage.called, result.run.allowed) == ("cancelled", [], [])


async def test_long_arguments_do_not_fill_the_window(stage: Stage) -> None:
    """Long arguments are sent again only in their beginning."""
    code = "x" * 500_000
    done = Done(call("execute_js", code=code, more={"a": "y" * 500_000}), ORIGIN, value=1)
    run = Run("go", ORIGIN, entries=[done])
    ((call_again, _),) = [e.messages for e in fitted(exchanges(run, Fence()), 20_000)]

    assert len(json.dumps(call_again.calls[0].to_dict())) < 25_000
    assert done.call.arguments["code"] == code


async def test_an_empty_name_allows_nothing(stage: Stage) -> None:
    """`allow=[""]` does not permit everything without a tool."""
    stage.page.shown = shown("…", Element(4, "button", "Save"))
    stage.page.acts["click"] = lambda action: {"did": "clicked"}
    person = answers(Answer(False))
    driver = stage.driver(
        call("click", pp_id=4), finish(success=False), policy=Policy(allow=[""]), person=person
    )
    await driver.run("go")

    assert len(person.asked) == 1


async def test_a_password_is_not_kept_while_it_is_on_its_way(stage: Stage) -> None:
    """The action under way is kept without secrets, too."""
    kept: list[str] = []

    def look(password: str) -> str:
        kept.append(stage.store.text or "")
        return "in"

    stage.page.functions["login"] = look
    await stage.driver(tool("login", password="ropewalk14"), finish()).run("sign in")

    assert '"pending":{' in kept[0]
    assert "ropewalk14" not in kept[0]
