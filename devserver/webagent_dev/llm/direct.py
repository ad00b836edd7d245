"""A model that this program asks itself, not for a page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from webagent.llm import ChatModel, HttpxFetch, OpenAIModel
from webagent_dev.config.llm import LlmConfig


@asynccontextmanager
async def model_of(llm: LlmConfig | None) -> AsyncIterator[ChatModel | None]:
    """Connect to the model of a configuration; None without one."""
    if llm is None:
        yield None
        return
    async with HttpxFetch() as fetch:
        yield OpenAIModel(llm.base_url, llm.model, fetch, api_key=llm.api_key or None)
