from typing import Any

import pytest
from tests.core.agent.stage import Stage, answers, call, finish, tool

from webagent.agent import Answer, Policy
from webagent.llm.chat import Reply, ToolCall, ToolDefinition


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


async def test_words_without_a_call_are_the_answer_the_second_time(
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
    """An unexpected exception is an internal error."""

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


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x"])
async def test_the_result_of_an_action_must_be_json(stage: Stage, value: Any) -> None:
    """A value that no event and no store can hold is an error of the action."""

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
