"""Every test of this folder runs with the agent in the page, and again with it outside."""

from __future__ import annotations

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.e2e.agent.hands import PLACES, Hands, hands_for


@pytest.fixture(name="place", params=PLACES)
def _place(request: pytest.FixtureRequest) -> str:
    """Where the agent is."""
    return str(request.param)


@pytest_asyncio.fixture(name="hands", loop_scope="session")
async def _hands(place: str, page: Page) -> Hands:
    """An agent for a page that shows nothing yet."""
    return await hands_for(place, page)
