"""The model whose replies are known."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from webagent.llm.chat import Message, Reply, Role, ToolCall, ToolDefinition
from webagent.llm.errors import Overloaded
from webagent.llm.scripted import Held, ScriptedModel

ASKED = [Message(Role.USER, "hello")]
CALL = ToolCall("1", "search")


async def test_every_kind_of_reply() -> None:
    """Words, calls, replies, functions and coroutines are replies; what was asked is recorded."""

    async def later(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> str:
        return messages[-1].text

    model = ScriptedModel("hi", CALL, [CALL, CALL], Reply("r"), lambda m, t: "f", later, name="m")
    tool = ToolDefinition("t", "", {})

    found = [await model.reply(ASKED, [tool]) for _ in range(6)]

    assert [reply.text for reply in found] == ["hi", "", "", "r", "f", "hello"]
    assert [len(reply.calls) for reply in found] == [0, 1, 2, 0, 0, 0]
    assert model.conversations == [ASKED] * 6
    assert model.tools == [[tool]] * 6
    assert (model.name, model.left) == ("m", 0)


async def test_words_are_heard() -> None:
    """A listener hears the text in pieces."""
    heard: list[str] = []

    await ScriptedModel("one\ntwo").reply(ASKED, [], on_text=heard.append)

    assert heard == ["one\n", "two"]


async def test_errors_are_raised_and_too_many_questions() -> None:
    """An exception is raised; so is one when the script is over."""
    model = ScriptedModel(Overloaded("full"))

    with pytest.raises(Overloaded):
        await model.reply(ASKED, [])
    with pytest.raises(AssertionError, match="asked again"):
        await model.reply(ASKED, [])


async def test_a_reply_is_held_back_until_its_event() -> None:
    """A test decides when a slow model answers."""
    until = asyncio.Event()
    task = asyncio.create_task(ScriptedModel(Held(until, "late")).reply(ASKED, []))
    await asyncio.sleep(0)
    assert not task.done()

    until.set()

    assert (await task).text == "late"
