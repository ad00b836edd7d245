"""The errors of a manifest over the page: opened in the editor, closed, switched off."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import Serve, Watch

HEAD = "<!doctype html><html lang=en><head><title>Shop</title><link rel=icon href=data:,>"
GOOD = "# Shop\n\nBooks.\n\n## getCart\nThe basket.\n\n### Params\n\n### Output\n```typescript\nvoid\n```\n"
BROKEN = GOOD.replace("### Params\n", "### Params\n- `query` (Array<string, required): Words.\n")


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    """A page whose manifest has an error, with no agent that starts by itself."""
    root = tmp_path.resolve() / "site"
    root.mkdir()
    (root / "index.html").write_text(f"{HEAD}</head><p>Shop")
    (root / "webagents.md").write_text(BROKEN)
    (root / "webagent.toml").write_text('[page]\nstart = "use"\npanel = "off"\n')
    return root


def editor(folder: Path) -> dict[str, Any]:
    """Return the environment of a server whose editor writes down what it is given."""
    script = folder / "editor.py"
    script.write_text(
        "import os, sys\nnew = sys.argv[0] + '.new'\nopen(new, 'w').write(' '.join(sys.argv[1:]))\n"
        "os.replace(new, sys.argv[0] + '.opened')\nsys.exit(3)\n"
    )
    return {
        "environment": {
            "WEBAGENT_EDITOR": f'"{sys.executable}" "{script}" {{line}}:{{column}} {{file}}'
        }
    }


async def test_a_place_opens_the_editor_there(
    page: Page, serve: Serve, site: Path, tmp_path: Path
) -> None:
    """By mouse and by keyboard, at line and column."""
    server = serve(site, **editor(tmp_path))
    await page.goto(server.url)
    place = page.locator("webagent-overlay button.place").first
    text = await place.inner_text()
    async with page.expect_response("**/__webagent__/editor") as answer:
        await place.focus()
        await page.keyboard.press("Enter")

    assert (await answer.value).status == 204
    server.wait_for_output("ended with 3")
    where = text.removeprefix("webagents.md:")
    opened = (tmp_path / "editor.py.opened").read_text()
    assert opened == f"{where} {site / 'webagents.md'}"
    assert where.startswith("9:")


async def test_the_overlay_says_why_no_editor_opens(
    page: Page, serve: Serve, site: Path, watch: Watch
) -> None:
    """With what to write, where somebody who looks at the page sees it."""
    server = serve(site, "--editor", "vim")
    await page.goto(server.url)
    await page.locator("webagent-overlay button.place").first.click()

    said = page.locator("webagent-overlay .said")
    await expect(said).to_contain_text("`editor` is `vim`, which needs a terminal")
    # The browser itself notes the answer's status.
    watch.errors.clear()


async def test_a_manifest_that_a_command_prints_has_no_link(
    page: Page, serve: Serve, site: Path
) -> None:
    """There is no file in which the line could be changed."""
    source = site / "source.txt"
    (site / "webagents.md").rename(source)
    read = f"\"{sys.executable}\" -c \"print(open('source.txt').read(), end='')\""
    (site / "webagent.toml").write_text(f"[site]\nmanifest_command = '''{read}'''\n")
    server = serve(site)
    await page.goto(server.url)

    await expect(page.locator("webagent-overlay span.place").first).to_contain_text(":9:")
    await expect(page.locator("webagent-overlay button.place")).to_have_count(0)


async def test_it_closes_by_key_button_and_a_click_beside_it(
    page: Page, serve: Serve, site: Path
) -> None:
    """A click on the card leaves it; a click on the page below is not heard by the page."""
    server = serve(site)
    overlay = page.locator("webagent-overlay")
    for close in ("Escape", "button", "beside"):
        await page.goto(server.url)
        await overlay.locator(".message").first.click()
        await expect(overlay).to_be_visible()
        if close == "Escape":
            await page.keyboard.press("Escape")
        elif close == "button":
            await overlay.get_by_role("button", name="Close").click()
        else:
            await page.mouse.click(5, 5)
        await expect(overlay).to_have_count(0)


@pytest.mark.chromium("what drives Firefox hears nothing of WebSockets")
@pytest.mark.parametrize("where", [pytest.param("file", marks=pytest.mark.conformance), "tag"])
async def test_it_can_be_switched_off_as_it_says(
    page: Page, serve: Serve, site: Path, where: str
) -> None:
    """In the file for every page, or on the tag of one; findings are known all the same."""
    server = serve(site)
    await page.goto(server.url)
    footer = page.locator("webagent-overlay footer")
    await expect(footer).to_contain_text('overlay = "off"')
    await expect(footer).to_contain_text('data-overlay="off"')

    # The first server would reload its page when the tag is saved.
    await page.goto("about:blank")
    if where == "file":
        (site / "webagent.toml").write_text('[page]\noverlay = "off"\nstart = "use"\n')
    else:
        tag = '<script type=module src="/__webagent__/webagent.js" data-overlay=off></script>'
        (site / "index.html").write_text(f"{HEAD}{tag}</head><p>Shop")
    quiet = serve(site)
    heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def take(frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "findings":
            heard.put_nowait(message)

    page.once("websocket", lambda socket: socket.on("framereceived", take))
    await page.goto(quiet.url)
    await asyncio.wait_for(heard.get(), 20)
    await page.evaluate("webagent.ready")
    found = await page.evaluate("webagent.findings()")

    assert any(finding["severity"] == "error" for finding in found)
    await expect(page.locator("webagent-overlay")).to_have_count(0)
