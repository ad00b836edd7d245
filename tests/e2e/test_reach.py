"""Over HTTPS, and from beyond this machine, in a real browser."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Browser

from tests.e2e.conftest import Serve


async def test_the_agent_works_over_https(
    browser: Browser, serve: Serve, shop: Path, tmp_path: Path
) -> None:
    """Its live channel too: a save reaches the page."""
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    server = serve(shop, "--https", environment=state)
    context = await browser.new_context(ignore_https_errors=True)
    page = await context.new_page()
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    assert (await page.evaluate("webagent.call('searchBooks', 'harbour')"))["total"] > 0

    manifest = shop / "webagents.md"
    manifest.write_text(manifest.read_text() + "\n## newTool\n### Params\n")
    await page.wait_for_function(
        "webagent.tools().then((all) => all.some(({ name }) => name === 'newTool'))"
    )
    await context.close()


async def test_a_visitor_with_the_token_gets_in_and_stays_in(
    browser: Browser, serve: Serve, shop: Path
) -> None:
    """The token leaves the address at once; scripts, styles and the live channel follow."""
    server = serve(shop, "--host", "0.0.0.0")
    address = server.wait_for_output(r"url\s+(http://127\.0\.0\.1:\d+/)(\?webagent-token=\S+)")
    server.wait_for_output("anyone with such a URL and its token can read this site")
    context = await browser.new_context()
    page = await context.new_page()
    refused = await page.goto(address[1])
    assert refused
    assert refused.status == 401
    assert "The terminal in which it runs shows a URL" in await page.inner_text("body")

    await page.goto(address[1] + address[2])
    assert page.url == address[1]
    assert "webagent-visit" not in await page.evaluate("document.cookie")
    await page.evaluate("webagent.ready")
    manifest = shop / "webagents.md"
    manifest.write_text(manifest.read_text() + "\n## newTool\n### Params\n")
    await page.wait_for_function(
        "webagent.tools().then((all) => all.some(({ name }) => name === 'newTool'))"
    )
    await context.close()
