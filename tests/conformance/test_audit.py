"""The audit finds all that the category of Lighthouse for agents finds, and more."""

from __future__ import annotations

import asyncio

import pytest

from tests.audits import beside, names
from tests.lighthouse import AGENTIC, ROOT, agentic, lighthouse, medians, shop
from webagent_dev.audit.audit_rows import ROWS

pytestmark = [
    pytest.mark.chromium("Lighthouse drives Chromium"),
    pytest.mark.timeout(600),
]

ALL_FAULTS = {
    "element-without-name or wrong-aria",
    "form-without-tool",
    "form-half-described",
    "field-without-name",
    "parameter-not-described",
    "layout-shift",
    "llms-txt-invalid",
    "catalogue-invalid",
    "catalogue-incomplete",
}


@pytest.mark.parametrize("site", names())
async def test_each_finding_of_lighthouse_is_in_the_audit(site: str) -> None:
    """On every site of ours; and the seeded faults show that Lighthouse looks."""
    one = await asyncio.to_thread(beside, site)

    assert one.missing() == []
    if site == "faults":
        assert set(one.expected()) == ALL_FAULTS
        assert {"robots-blocks-agents", "no-manifest"} <= {*one.besides()}


async def test_each_audit_of_the_category_has_a_row() -> None:
    """A newer Lighthouse may have more."""
    with shop() as url:
        result = await asyncio.to_thread(lighthouse, url, AGENTIC)

    assert {*agentic(result)} == {name for row in ROWS for name in row.lighthouse}
    assert medians([result]) == {AGENTIC: 100}


def test_the_table_names_each_site() -> None:
    """`python -m tests.audits` writes it."""
    page = (ROOT / "docs" / "how-to" / "audit.md").read_text("utf-8")

    assert [line.split("|")[1].strip() for line in page.splitlines() if line.count("|") == 7][
        2:
    ] == names()
