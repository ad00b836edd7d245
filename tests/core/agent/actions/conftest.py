"""The shop whose page is acted on."""

from __future__ import annotations

import pytest
from tests.core.agent.actions.shop import ELEMENTS, MESSAGE, SEARCH, TERMS, reply
from tests.core.agent.stage import Stage


@pytest.fixture(name="shop")
def _shop(stage: Stage) -> Stage:
    kinds = ("click", "click_link", "enter_data", "scroll", "wait", "search", "goto_url")
    reads = ("find_code", "navigation_outline", "section_outline", "table_details", "summary")
    stage.page.acts = dict.fromkeys((*kinds, *reads), reply)
    stage.page.acts["form_details"] = lambda action: [MESSAGE, SEARCH, TERMS]
    stage.show("Buy books", *ELEMENTS)
    return stage
