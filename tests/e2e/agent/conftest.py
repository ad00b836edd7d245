"""Every test of this folder runs with the agent in the page, and again with it outside."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Page

from tests.e2e.agent.hands import PLACES, Hands, hands_for

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark those in the page, which starts Python for each; `make test` has one goal there.

    That goal, and all actions that leave the page where it is, are done outside for the big suites.
    """
    for item in items:
        call = getattr(item, "callspec", None)
        if call is None or not item.path.is_relative_to(HERE):
            continue
        given = {**call.params}
        shown = getattr(item, "originalname", "") == "test_the_cheapest_book_by_tolkien"
        if "stay" in given or shown:
            left_out = "outside" in (given.get("stay"), given.get("place"))
        else:
            left_out = given.get("place") == "in the page"
        if left_out:
            item.add_marker(pytest.mark.conformance)


@pytest.fixture(name="context", scope="session")
def _context(resting_context: BrowserContext) -> BrowserContext:
    """An agent outside of the page needs no Python in it, and one in the page starts it."""
    return resting_context


@pytest.fixture(name="place", params=PLACES)
def _place(request: pytest.FixtureRequest) -> str:
    """Where the agent is."""
    return str(request.param)


@pytest_asyncio.fixture(name="hands", loop_scope="session")
async def _hands(place: str, page: Page) -> Hands:
    """An agent for a page that shows nothing yet."""
    return await hands_for(place, page)
