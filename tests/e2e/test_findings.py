"""Findings of a manifest in the page: those of the server, or of a check in the page."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve, Watch
from tests.e2e.offering import FUNCTION, HEAD, MANIFEST, write
from tests.e2e.static_host import StaticHost
from tests.e2e.test_build import built
from tests.e2e.test_snapshot import LATE
from webagent import check

TEXT = f"{MANIFEST}\n## pay\n\n### Params\n\n### Behavior\n- effect: dangerous\n"
CORRECTED = TEXT.replace("dangerous", "write")
RULES = "webagent.findings().then((all) => all.map(({ rule }) => rule))"
PAGE = f"{HEAD}<script>{FUNCTION}; global.pay = async () => 1</script>"
LISTEN = """
globalThis.events = [];
addEventListener("DOMContentLoaded", () => webagent.addEventListener("findings", ({ detail }) => {
  events.push(detail.findings);
}));
"""

HEARD = """new Promise((done) => {
  const look = () => (events.length > 0 ? done() : setTimeout(look, 50));
  look();
})"""


@pytest.mark.conformance
async def test_a_published_page_checks_its_manifest_when_asked(
    page: Page, tmp_path: Path, watch: Watch
) -> None:
    """Nobody else has checked it there; a listener hears the same, of each manifest."""
    site = write(tmp_path / "site", {"index.html": PAGE, "webagents.md": TEXT})
    with StaticHost(tmp_path / "host", built(site, tmp_path / "host", "/")) as host:
        await page.goto(host.url)
        found = await page.evaluate("webagent.findings()")
        other = await page.evaluate(
            "(async () => {"
            " webagent.replaceManifest({ text: '', path: 'webagents.md' });"
            " await webagent.compare();"
            f" return {RULES};"
            "})()"
        )
        await page.add_init_script(LISTEN)
        await page.reload()
        await page.evaluate("webagent.ready")
        await page.evaluate(HEARD)
        heard = await page.evaluate("events")

    expected = check(TEXT).to_dict()["findings"]
    assert {"missing-output", "unknown-behavior"} <= {each["rule"] for each in expected}
    assert found == expected
    assert other == ["empty-manifest"]
    assert heard == [expected]


async def test_a_page_in_development_does_not_check_what_the_server_has_checked(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """Its findings are there, and follow the file, while the checks do not come."""
    # Requests for the checks are never answered, so findings that need them never come.
    await page.route(LATE, lambda route: None)
    site = write(tmp_path / "site", {"index.html": PAGE, "webagents.md": TEXT})
    await page.add_init_script(LISTEN)
    await page.goto(serve(site).url)
    await page.evaluate(HEARD)
    found = await page.evaluate("webagent.findings()")
    (site / "webagents.md").write_text(CORRECTED, encoding="utf-8")
    for _ in range(100):
        if "unknown-behavior" not in await page.evaluate(RULES):
            break
        await asyncio.sleep(0.1)
    left = await page.evaluate("webagent.findings()")

    assert found == check(TEXT).to_dict()["findings"]
    assert left == check(CORRECTED).to_dict()["findings"]
