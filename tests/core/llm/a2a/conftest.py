"""A remote agent, and the model that it is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from tests.remote_agent import (
    Agent,
)

from webagent.llm import A2AModel, HttpxFetch
from webagent.llm.a2a import model as a2a_model


@pytest.fixture(name="agent")
def _agent() -> Iterator[Agent]:
    agent = Agent()
    yield agent
    agent.stop()


@pytest_asyncio.fixture(name="fetch")
async def _fetch() -> AsyncIterator[HttpxFetch]:
    async with HttpxFetch() as fetch:
        yield fetch


@pytest.fixture(name="model")
def _model(agent: Agent, fetch: HttpxFetch, monkeypatch: pytest.MonkeyPatch) -> A2AModel:
    monkeypatch.setattr(a2a_model, "POLL_S", 0.0)
    return A2AModel(agent.url, fetch, headers={"Authorization": "Bearer b"})
