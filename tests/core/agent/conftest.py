import pytest_asyncio
from tests.core.agent.stage import Stage


@pytest_asyncio.fixture(name="stage")
async def _stage() -> Stage:
    return await Stage().opened()
