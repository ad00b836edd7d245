"""Findings of a manifest in the page: those of the server, or of a check in the page."""

from __future__ import annotations

from pathlib import Path

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


async def test_a_published_page_checks_its_manifest_when_asked(
    page: Page, tmp_path: Path, watch: Watch
) -> None:
    """Nobody else has checked it there; a listener hears the same, of each manifest."""
    site = write(tmp_path / "site", {"index.html": PAGE, "webagents.md": TEXT})
    with StaticHost(tmp_path / "host", built(site, tmp_path / "host", "/")) as host:
        await page.goto(host.url)
        found = await page.evaluate("webagent.findings()")
        other = await page.evaluate(
            "webagent.replaceManifest({ text: '', path: 'webagents.md' }), webagent.compare(),"
            f"{RULES}"
        )
        await page.add_init_script(LISTEN)
        await page.reload()
        await page.evaluate("webagent.ready")
        await page.wait_for_function("events.length > 0")
        heard = await page.evaluate("events")

    expected = check(TEXT).to_dict()["findings"]
    assert {"missing-output", "unknown-behavior"} <= {each["rule"] for each in expected}
    assert found == expected
    assert other == ["empty-manifest"]
    assert heard == [expected]


async def test_a_page_in_development_does_not_check_what_the_server_has_checked(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """Its findings are there, and follow the file, where the checks cannot be loaded."""
    await page.route(LATE, lambda route: route.abort())
    site = write(tmp_path / "site", {"index.html": PAGE, "webagents.md": TEXT})
    await page.add_init_script(LISTEN)
    await page.goto(serve(site).url)
    await page.wait_for_function("globalThis.events?.length > 0")
    found = await page.evaluate("webagent.findings()")
    (site / "webagents.md").write_text(CORRECTED, encoding="utf-8")
    await page.wait_for_function(f"{RULES}.then((rules) => !rules.includes('unknown-behavior'))")
    left = await page.evaluate("webagent.findings()")
    watch.errors.clear()  # what the browser writes about files that were refused

    assert found == check(TEXT).to_dict()["findings"]
    assert left == check(CORRECTED).to_dict()["findings"]
