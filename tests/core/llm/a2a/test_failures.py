"""The errors of a remote agent that fails, refuses, or talks nonsense."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.model_server import LIMIT_S
from tests.remote_agent import (
    HELLO,
    SEARCH,
    Agent,
    artifact,
    task,
    text,
)

from webagent.llm import (
    A2AModel,
    BadRequest,
    CredentialsRefused,
    HttpxFetch,
    Limits,
    ModelError,
    ModelFailed,
    Overloaded,
    TimedOut,
    UnreadableAnswer,
)
from webagent.llm.a2a.turn import Turn


@pytest.mark.parametrize(
    ("result", "error", "why"),
    [
        (task("failed", text("no luck")), ModelFailed, "its task is failed: `no luck`"),
        (task("rejected"), ModelFailed, "its task is rejected"),
        (task("auth-required", text("who?")), CredentialsRefused, "wants a sign-in .*`who[?]`"),
        ((-32602, "no parts"), BadRequest, "no parts"),
        ((-32005, "no such content"), BadRequest, "no such content"),
        ((-32603, "it broke"), ModelFailed, "it broke"),
        ({"hello": 1}, UnreadableAnswer, "something else than A2A"),
        ("hello", UnreadableAnswer, "something else than A2A"),
    ],
)
async def test_failures(
    result: Any, error: type[ModelError], why: str, agent: Agent, model: A2AModel
) -> None:
    """The error has the agent's words about its failure."""
    agent.turns.append([result])

    with pytest.raises(error, match=why):
        await model.reply(HELLO, [])


async def test_a_server_that_refuses(agent: Agent, model: A2AModel) -> None:
    """A status other than 200 is read as of any model."""
    agent.status = 503

    with pytest.raises(Overloaded, match="busy"):
        await model.reply(HELLO, [])


async def test_an_abort_cancels_the_task(agent: Agent, model: A2AModel) -> None:
    """A task whose reply nobody waits for is cancelled at the agent."""
    agent.turns.append([task("working"), artifact("Hel"), None])
    heard = asyncio.Event()
    running = asyncio.create_task(model.reply(HELLO, [], on_text=lambda _: heard.set()))
    await heard.wait()

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert await asyncio.to_thread(agent.cancelled.wait, LIMIT_S)
    assert agent.asked[-1]["params"] == {"id": "task-1"}


async def test_too_slow(agent: Agent, fetch: HttpxFetch) -> None:
    """A turn that takes too long is given up."""
    agent.turns.append([task("working"), None])

    with pytest.raises(TimedOut):
        await A2AModel(agent.url, fetch, limits=Limits(whole_s=0.05)).reply(HELLO, [])


NONSENSE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["kind", "task", "message", "statusUpdate", "artifactUpdate", "status", "state", "parts", "data", "text", "metadata", "type", "id", "name", "args", "artifacts", "artifact", "tool_calls", "function", "response", "contextId"]), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(NONSENSE, max_size=4))
def test_nonsense_is_a_reply_or_a_model_error(results: list[Any]) -> None:
    """For any data from an agent, nothing else than a `ModelError` is raised."""
    turn = Turn()
    adding: Callable[[Any], None] = turn.add
    try:
        for result in results:
            adding(result)
        turn.reply([SEARCH], [], "a")
    except ModelError:
        pass
