"""Differences between a page and its manifest, reported while the page is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve, Watch
from tests.e2e.offering import FUNCTION, HEAD, MANIFEST, opened, write
from webagent.rules import RULES, Rule


@pytest.mark.conformance
async def test_drift_is_reported_in_the_page_and_in_the_terminal(
    page: Page, tmp_path: Path, serve: Serve
) -> None:
    """A function that never comes is missing; one that comes later ends the finding."""
    text = MANIFEST + "\n## pay\nPay.\n\n### Params\n"
    files = {"index.html": f"{HEAD}<script>{FUNCTION}</script>", "webagents.md": text}
    server = serve(write(tmp_path / "site", files))
    await opened(page, server.url)

    server.wait_for_output(r"warning\[missing-function\].*`pay`")
    rules = await page.evaluate("webagent.findings().then((all) => all.map((f) => f.rule))")
    await page.evaluate("global.pay = async () => 1")
    server.wait_for_output("agrees with the manifest again")

    assert "missing-function" in rules


@pytest.mark.conformance
async def test_drift_follows_navigation_without_a_load(
    page: Page, tmp_path: Path, serve: Serve
) -> None:
    """A tool of other pages is missed only where it should be."""
    text = MANIFEST + "\n## pay\nPay.\n\n### Params\n\n### Behavior\n- paths: /cart\n"
    files = {"index.html": f"{HEAD}<script>{FUNCTION}</script>", "webagents.md": text}
    server = serve(write(tmp_path / "site", files))
    await opened(page, server.url)
    kind = await page.evaluate("webagent.call('pay').catch((error) => error.kind)")
    assert "missing-function" not in server.output

    await page.evaluate("history.pushState(null, '', '/cart')")

    server.wait_for_output(r"page +/cart  .*`pay`")
    assert kind == "denied"


@pytest.mark.conformance
@pytest.mark.parametrize("rule", [r for r in RULES.values() if r.script], ids=str)
async def test_each_rule_about_pages_finds_what_its_page_says(
    page: Page, tmp_path: Path, serve: Serve, rule: Rule
) -> None:
    """In the example's page the rule finds something, with the mended manifest nothing."""
    page_of = f"{HEAD}<script>{rule.script}</script>"
    site = write(tmp_path / "site", {"index.html": page_of, "webagents.md": rule.bad})
    server = serve(site)
    await opened(page, server.url)
    if rule.name == "result-mismatch":
        await page.evaluate("webagent.call('searchProducts', 'mug')")
    server.wait_for_output(rf"{rule.severity.value}\[{rule.name}\]")

    (site / "webagents.md").write_text(rule.good, encoding="utf-8")
    if rule.good_script:
        mended = page_of.replace(rule.script, rule.good_script)
        (site / "index.html").write_text(mended, encoding="utf-8")
    server.wait_for_output("agrees with the manifest again")


@pytest.mark.conformance
async def test_a_page_that_is_not_there_lacks_nothing(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """No function is missed of the answer to a mistyped address, open before a page that lacks it."""
    files = {"index.html": HEAD, "webagents.md": MANIFEST}
    server = serve(write(tmp_path / "site", files))
    await opened(page, f"{server.url}/nothing-here")
    await opened(await page.context.new_page(), server.url)

    server.wait_for_output(r"warning\[missing-function\]")
    assert "/nothing-here" not in server.output
    watch.errors.clear()  # the browser's own line about the 404
