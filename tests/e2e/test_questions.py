"""How many questions a person is asked on the sites of our tests, as `docs/reference/policy.md` says."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser

from tests.e2e.questions import DOCUMENT, TABLE, Use, count, table

_ROW = re.compile(r"^\| (?P<site>[\w ]+) \| .* \| (?P<which>.*) \|$", re.MULTILINE)


@pytest.mark.conformance
async def test_the_documentation_counts_the_questions(browser: Browser) -> None:
    """The table of sites is what `python -m tests.e2e.questions` writes; what the table of goals names asks."""
    text = DOCUMENT.read_text("utf-8")
    found = await count(browser)

    shown = TABLE.search(text)
    assert shown is not None
    assert shown[0] == table(found)
    goals = text.partition("| site | goal |")[2].partition("\n\n")[0]
    named = [(row["site"], re.findall(r"`(.+?)`", row["which"])) for row in _ROW.finditer(goals)]
    for site, controls in named:
        for control in controls:
            assert any(_is_asked(use, control) for use in found[site]), (site, control)
    assert sum(len(controls) for _, controls in named) > 4


def _is_asked(use: Use, control: str) -> bool:
    return use.asks and use.action == "press" and use.name == f"button {control}"
