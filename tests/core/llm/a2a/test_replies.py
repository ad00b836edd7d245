"""A remote agent in the place of a model, over a real connection."""

from __future__ import annotations

import pytest
from tests.remote_agent import (
    CART,
    HELLO,
    SEARCH,
    Agent,
    Json,
    artifact,
    asks,
    did,
    message,
    task,
    text,
    update,
)

from webagent.llm import A2AModel, HttpxFetch, Message, Role, ToolCall


async def test_a_message_with_the_tools(agent: Agent, model: A2AModel) -> None:
    """The first message has the whole conversation, and the tools as metadata."""
    agent.turns.append([message(text("hi"))])

    reply = await model.reply(HELLO, [SEARCH])

    assert (reply.text, reply.calls) == ("hi", ())
    assert reply.model == model.name
    sent = agent.messages[0]
    assert agent.asked[0]["method"] == "message/stream"
    assert sent["parts"] == [text("be short"), text("hello")]
    assert sent["metadata"] == {
        "tools": [
            {
                "name": "search",
                "description": "finds",
                "inputSchema": {"type": "object", "properties": {"q": {}}},
            }
        ]
    }
    assert "contextId" not in sent
    assert agent.headers[0]["authorization"] == "Bearer b"


async def test_calls_and_their_results(agent: Agent, model: A2AModel) -> None:
    """A call is answered in the same task and context, and the tools are sent again."""
    agent.turns += [
        [task("submitted"), update("input-required", text("I look"), asks("search", {"q": "x"}))],
        [update("completed", text("done"))],
    ]

    first = await model.reply(HELLO, [SEARCH])
    assert (first.text, first.calls) == ("I look", (ToolCall("c1", "search", {"q": "x"}),))
    said = Message(Role.ASSISTANT, first.text, first.calls)
    result = Message(Role.TOOL, "three", call_id="c1", images=(b"PNG",))
    second = await model.reply([*HELLO, said, result], [SEARCH, CART])

    assert second.text == "done"
    sent = agent.messages[1]
    assert (sent["contextId"], sent["taskId"]) == ("ctx", "task-1")
    assert sent["parts"][0]["data"] == {
        "id": "c1", "name": "search", "response": {"result": "three"}
    }  # fmt: skip
    assert sent["parts"][0]["metadata"]["adk_type"] == "function_response"
    assert sent["parts"][1]["file"] == {"bytes": "UE5H", "mimeType": "image/png"}
    assert [tool["name"] for tool in sent["metadata"]["tools"]] == ["search", "cart.add"]


async def test_calls_of_one_reply_in_several_messages(agent: Agent, model: A2AModel) -> None:
    """Results go back under the agent's own ids, however the calls were written down.

    A loop may give them other ids, a message each, or call a tool through an action of its own;
    a call that was not made is reported.
    """
    calls = [asks("search", {"q": number}, number) for number in ("c1", "c2", "c3")]
    agent.turns += [[update("input-required", *calls)], [update("completed", text("done"))]]

    await model.reply(HELLO, [SEARCH])
    one = ToolCall("call_0", "search", {"q": "c1"})
    two = ToolCall("call_1", "call_tool", {"name": "search", "arguments": {"q": "c2"}})
    told = [
        Message(Role.ASSISTANT, "", (ToolCall("call_9", "search", {"q": "before"}),)),
        Message(Role.TOOL, "0", call_id="call_9"),
        Message(Role.ASSISTANT, "", (one,)), Message(Role.TOOL, "1", call_id="call_0"),
        Message(Role.ASSISTANT, "", (two,)), Message(Role.TOOL, "2", call_id="call_1"),
        Message(Role.USER, "the page now"),
    ]  # fmt: skip
    await model.reply([*HELLO, *told], [SEARCH])

    sent = agent.messages[1]
    assert sent["taskId"] == "task-1"
    assert [part.get("text") or (part["data"]["id"], part["data"]["response"]["result"])
            for part in sent["parts"]] == [
        ("c1", "1"), ("c2", "2"), "the page now", ("c3", "this call was not made")
    ]  # fmt: skip


async def test_a_task_that_ended_is_referred_to(agent: Agent, model: A2AModel) -> None:
    """After a task has ended the conversation goes on in its context with another."""
    agent.turns += [[task("completed", text("hi"))], [message(text("again"))]]

    first = await model.reply(HELLO, [])
    await model.reply([*HELLO, Message(Role.ASSISTANT, first.text), Message(Role.USER, "so?")], [])

    sent = agent.messages[1]
    assert sent["parts"] == [text("so?")]
    assert (sent["contextId"], sent["referenceTaskIds"]) == ("ctx", ["task-1"])
    assert "taskId" not in sent


async def test_a_conversation_it_has_not_heard(agent: Agent, model: A2AModel) -> None:
    """After the page was left, or for another run, all of it is sent in a new context."""
    agent.turns += [[message(text("hi"))], [message(text("ok"))], [message(text("ok"))]]
    call = ToolCall("9", "search", {"q": "x"})
    heard = [*HELLO, Message(Role.ASSISTANT, "hm", (call,)), Message(Role.TOOL, "3", call_id="9")]

    await model.reply(HELLO, [])
    await model.reply(heard, [])
    await model.reply(HELLO, [])

    assert "contextId" not in agent.messages[1]
    assert [part.get("text") for part in agent.messages[1]["parts"]] == [
        "be short", "hello",
        'Earlier you said: hm (you asked for [{"name": "search", "args": {"q": "x"}}])',
        "The result of `search`:\n3",
    ]  # fmt: skip
    assert "contextId" not in agent.messages[2]


async def test_a_task_that_was_forgotten(agent: Agent, model: A2AModel) -> None:
    """An agent that has lost the task gets everything again."""
    agent.turns += [
        [update("input-required", asks("search", {}))], [(-32001, "Task not found")],
        [message(text("ok"))],
    ]  # fmt: skip
    first = await model.reply(HELLO, [SEARCH])
    said = Message(Role.ASSISTANT, "", first.calls)

    reply = await model.reply([*HELLO, said, Message(Role.TOOL, "3", call_id="c1")], [SEARCH])

    assert reply.text == "ok"
    assert agent.messages[1]["taskId"] == "task-1"
    assert "taskId" not in agent.messages[2]


async def test_words_are_heard_as_they_come(agent: Agent, model: A2AModel) -> None:
    """Pieces of artifacts are heard; earlier words of the agent are not the reply."""
    agent.turns.append([
        task("working"), update("working", text("searching")), artifact("Hel"),
        artifact("lo", append=True), artifact("there", number="b"),
        artifact("there", number="b"), update("completed", text("bye")),
    ])  # fmt: skip
    heard: list[str] = []

    reply = await model.reply(HELLO, [], on_text=heard.append)

    assert reply.text == "".join(heard) == "Hello\n\nthere\n\nbye"
    assert heard[:2] == ["Hel", "lo"]


async def test_the_agents_own_calls_are_its_own(agent: Agent, model: A2AModel) -> None:
    """Calls that have a result, or that no tool here is meant by, are not asked for."""
    agent.turns.append([
        update("working", asks("search", {"q": "own"}, "a")),
        update("working", did("search", "a"), asks("lookup", {}, "b")),
        update("input-required", asks("search", '{"q": "ours"}', "c")),
    ])  # fmt: skip

    reply = await model.reply(HELLO, [SEARCH])

    assert reply.calls == (ToolCall("c", "search", {"q": "ours"}),)


async def test_a_tool_that_is_not_there(agent: Agent, model: A2AModel) -> None:
    """An agent that waits for a tool nobody has hears that from the loop."""
    agent.turns.append([update("input-required", asks("made_up", {}))])

    assert [call.name for call in (await model.reply(HELLO, [SEARCH])).calls] == ["made_up"]


@pytest.mark.parametrize(
    "part",
    [
        asks("search", {"q": 1}, type="function_call"),
        asks("search", {"q": 1}, kagent_type="function_call"),
        {"data": {"id": "c1", "name": "search", "arguments": '{"q": 1}'}},
        {"kind": "data", "data": {"id": "c1", "type": "tool_use", "name": "search",
                                  "input": {"q": 1}}},
        {"kind": "data", "data": {"functionCall": {"id": "c1", "name": "search",
                                                   "args": {"q": 1}}}},
        {"kind": "data", "data": {"tool_calls": [{"id": "c1", "type": "function", "function": {
            "name": "search", "arguments": '{"q": 1}'}}]}},
    ],
)  # fmt: skip
async def test_shapes_of_calls(part: Json, agent: Agent, model: A2AModel) -> None:
    """A call is understood in the shapes that agents and models use."""
    agent.turns.append([message(part)])

    assert (await model.reply(HELLO, [SEARCH])).calls == (ToolCall("c1", "search", {"q": 1}),)


async def test_broken_arguments(agent: Agent, model: A2AModel) -> None:
    """Arguments that are not an object are the call's fault."""
    agent.turns.append([message(asks("search", "{"))])

    assert "not JSON" in (await model.reply(HELLO, [SEARCH])).calls[0].fault


async def test_an_agent_without_streams(agent: Agent, model: A2AModel) -> None:
    """It is asked without, from then on; a task that goes on is asked after."""
    agent.streams = False
    agent.turns += [[task("working")], [task("working")], [task("completed", text("done"))],
                    [message(text("hi"))]]  # fmt: skip

    assert (await model.reply(HELLO, [])).text == "done"
    assert (await model.reply(HELLO, [])).text == "hi"

    assert [asked["method"] for asked in agent.asked] == [
        "message/stream", "message/send", "tasks/get", "tasks/get", "message/send"
    ]  # fmt: skip


async def test_a_stream_that_ends_early(agent: Agent, model: A2AModel) -> None:
    """The task goes on without the stream; its end is asked for, and nothing is said twice."""
    agent.turns += [
        [task("working"), artifact("Hello")],
        [task("completed", artifacts=[{"artifactId": "a", "parts": [text("Hello")]}])],
    ]
    heard: list[str] = []

    reply = await model.reply(HELLO, [], on_text=heard.append)

    assert (reply.text, heard) == ("Hello", ["Hello"])


async def test_version_1_0(agent: Agent, fetch: HttpxFetch) -> None:
    """The newer version has other names, a header, and no `kind`."""
    model = A2AModel(agent.url, fetch, version="1.0")
    call = {
        "data": {"id": "c1", "name": "search", "args": {}},
        "metadata": {"type": "function_call"},
    }
    status = {"state": "TASK_STATE_INPUT_REQUIRED", "message": {"role": "ROLE_AGENT",
              "parts": [{"text": "I look"}, call]}}  # fmt: skip
    event = {"taskId": "task-1", "contextId": "ctx", "status": status}
    agent.turns += [
        [{"task": {"id": "task-1", "contextId": "ctx", "status": {"state": "TASK_STATE_WORKING"}}},
         {"statusUpdate": event}],
        [{"message": {"role": "ROLE_AGENT", "parts": [{"text": "done"}]}}],
    ]  # fmt: skip

    first = await model.reply(HELLO, [SEARCH])
    said = Message(Role.ASSISTANT, first.text, first.calls)
    second = await model.reply([*HELLO, said, Message(Role.TOOL, "3", call_id="c1")], [SEARCH])

    assert (first.text, first.calls[0].name, second.text) == ("I look", "search", "done")
    assert agent.asked[0]["method"] == "SendStreamingMessage"
    assert agent.headers[0]["a2a-version"] == "1.0"
    assert agent.messages[0]["role"] == "ROLE_USER"
    assert agent.messages[0]["parts"] == [{"text": "be short"}, {"text": "hello"}]
    assert agent.messages[1]["taskId"] == "task-1"
    assert "kind" not in agent.messages[1]["parts"][0]
