"""A model that says what a test has written down."""

from __future__ import annotations

from webagent.llm.chat import ToolCall
from webagent_dev.testing.goals import ModelScript


async def test_replies_come_one_after_the_other() -> None:
    """Without any there is no model; each action has an id of its own."""
    script = ModelScript()
    assert script.model is None

    call, end = script.tool("find", query="x"), script.finish("found")
    model = script("I will find x", call, end)
    assert model is script.model
    replies = [await model.reply([], []) for _ in range(3)]

    assert replies[0].text == "I will find x"
    assert replies[1].calls == (
        ToolCall("call-1", "call_tool", {"name": "find", "arguments": {"query": "x"}}),
    )
    assert replies[2].calls == (ToolCall("call-2", "finish", {"text": "found", "success": True}),)
    assert script.code("1").arguments == {"code": "1"}
