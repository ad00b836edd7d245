"""The effects of a save on the open page."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.server import Server

NEW_TOOL = """
## giftWrap
Wrap the basket as a gift.

### Params
- `colour` (string, required): Colour of the paper.
"""

HEARD = """
window.WebSocket = class extends window.WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", () => (window.heardOfServer = true), { once: true });
  }
};
"""


async def start(page: Page, server: Server) -> None:
    """Open the shop, wait for the agent and for the socket, and mark the document."""
    await page.add_init_script(HEARD)
    await page.goto(server.url)
    await page.wait_for_function("window.heardOfServer")
    await page.evaluate("webagent.ready")
    await page.evaluate("window.mark = 'same document'")


async def is_same_document(page: Page) -> bool:
    return bool(await page.evaluate("window.mark === 'same document'"))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


async def test_a_saved_manifest_reaches_the_page_without_a_reload(
    page: Page, server: Server
) -> None:
    """A new tool is there at once, `manifestchange` and `toolschange` fire, the page stays."""
    await start(page, server)
    await page.evaluate(
        "window.heard = [];"
        "for (const type of ['manifestchange', 'toolschange'])"
        "  webagent.addEventListener(type, () => heard.push(type));"
    )
    manifest = server.root / "webagents.md"
    manifest.write_text(manifest.read_text(encoding="utf-8") + NEW_TOOL, encoding="utf-8")
    await page.wait_for_function("heard.length === 2")
    tools = await page.evaluate("webagent.tools()")

    assert await page.evaluate("heard") == ["manifestchange", "toolschange"]
    assert tools[-1]["name"] == "giftWrap"
    assert tools[-1]["problem"] == "the page has no function `giftWrap`"
    assert await is_same_document(page)


async def test_a_broken_manifest_shows_the_overlay_and_a_mended_one_takes_it_away(
    page: Page, server: Server
) -> None:
    """The overlay names the line; meanwhile the last good tools stay callable."""
    await start(page, server)
    manifest = server.root / "webagents.md"
    good = manifest.read_text(encoding="utf-8")
    broken = good.replace("(string, required): Words", "(Array<string, required): Words")
    line = 1 + next(i for i, text in enumerate(broken.splitlines()) if "Array<string, req" in text)
    manifest.write_text(broken, encoding="utf-8")
    overlay = page.locator("webagent-overlay")
    await expect(overlay).to_be_visible()

    await expect(overlay.locator(".place").first).to_contain_text(f"webagents.md:{line}:")
    await expect(overlay.locator(".help").first).not_to_be_empty()
    found = await page.evaluate("webagent.call('searchBooks', 'harbour')")
    assert found["books"]
    assert f"webagents.md:{line}:" in server.output

    manifest.write_text(good, encoding="utf-8")
    await expect(overlay).to_have_count(0)
    assert await is_same_document(page)


@pytest.mark.conformance
async def test_a_page_that_opens_while_the_manifest_is_broken_has_the_last_good_tools(
    page: Page, server: Server
) -> None:
    """The last good manifest survives a reload; the overlay is there too."""
    await start(page, server)
    edit(
        server.root / "webagents.md", "(string, required): Words", "(Array<string, required): Words"
    )
    await expect(page.locator("webagent-overlay")).to_be_visible()
    await page.reload()
    await page.evaluate("webagent.ready")

    await expect(page.locator("webagent-overlay")).to_be_visible()
    assert (await page.evaluate("webagent.call('searchBooks', 'harbour')"))["books"]


async def test_the_overlay_fits_a_phone_and_closes_with_escape(page: Page, server: Server) -> None:
    """Long lines of the manifest scroll in their own box; Escape shows the page."""
    await page.set_viewport_size({"width": 360, "height": 640})
    await start(page, server)
    edit(
        server.root / "webagents.md", "(string, required): Words", "(Array<string, required): Words"
    )
    await expect(page.locator("webagent-overlay")).to_be_visible()
    card = await page.locator("webagent-overlay .card").bounding_box()
    assert card is not None
    assert card["x"] >= 0
    assert card["x"] + card["width"] <= 360
    await page.keyboard.press("Escape")

    await expect(page.locator("webagent-overlay")).to_have_count(0)


async def test_a_changed_stylesheet_keeps_the_state_of_the_page(page: Page, server: Server) -> None:
    """The new style applies, what was typed stays, and no stylesheet is left over."""
    await start(page, server)
    search = page.get_by_role("searchbox")
    await search.fill("half a word")
    before = await page.locator("link[rel=stylesheet]").count()
    sheet = server.root / "css" / "base.css"
    sheet.write_text(
        sheet.read_text(encoding="utf-8") + "\nbody { outline: 3px solid rgb(1, 2, 3) !important }",
        encoding="utf-8",
    )
    await page.wait_for_function("getComputedStyle(document.body).outlineColor === 'rgb(1, 2, 3)'")

    await expect(search).to_have_value("half a word")
    await expect(page.locator("link[rel=stylesheet]")).to_have_count(before)
    assert await is_same_document(page)


@pytest.mark.conformance
async def test_frames_share_the_overlay_and_the_styles_of_their_page(
    page: Page, server: Server
) -> None:
    """A page with a frame shows one overlay, and a changed stylesheet reaches the frame too."""
    (server.root / "framed.css").write_text("body { outline: 1px solid rgb(1, 1, 1) }")
    (server.root / "inner.html").write_text(
        "<!doctype html><title>inner</title><link rel=stylesheet href=framed.css><p>inner"
    )
    (server.root / "outer.html").write_text(
        "<!doctype html><title>outer</title><link rel=icon href=data:,><iframe src=inner.html></iframe>"
    )
    server.wait_for_output("reload")
    await page.goto(f"{server.url}/outer.html")
    await page.evaluate("webagent.ready")
    edit(server.root / "webagents.md", "(string, required): Words", "(Array<string): Words")
    await expect(page.locator("webagent-overlay")).to_be_visible()
    (server.root / "framed.css").write_text("body { outline: 1px solid rgb(2, 2, 2) }")
    inner = page.frame_locator("iframe")

    await expect(inner.locator("body")).to_have_css("outline-color", "rgb(2, 2, 2)")
    await expect(inner.locator("webagent-overlay")).to_have_count(0)


async def test_files_that_are_saved_one_after_another_reload_the_page_once(
    browser: Browser, server: Server
) -> None:
    """The message of the first arrives at once; the page waits for the others."""
    # A clock is that of all pages of a context.
    context = await browser.new_context()
    page = await context.new_page()
    await page.clock.install()
    heard: asyncio.Queue[str] = asyncio.Queue()
    await page.expose_function("note", heard.put_nowait)
    await page.add_init_script(
        "window.WebSocket = class extends window.WebSocket {"
        "  constructor(...given) {"
        "    super(...given);"
        "    this.addEventListener('message', ({ data }) => note(JSON.parse(data).path ?? ''));"
        "  }"
        "};"
    )
    await page.goto(server.url)
    await heard.get()
    await page.clock.pause_at(datetime.now() + timedelta(hours=1))
    await page.evaluate("window.mark = 'same document'")
    for name in ("first.js", "second.js"):
        (server.root / name).write_text("1", encoding="utf-8")
        while await heard.get() != f"/{name}":
            pass
        await page.clock.run_for(3)
        assert await is_same_document(page)

    async with page.expect_event("load"):
        await page.clock.run_for(2)
    await context.close()


@pytest.mark.conformance
async def test_any_other_file_reloads_the_page(page: Page, server: Server) -> None:
    """A change of a page's HTML or script shows a new document."""
    await start(page, server)
    edit(server.root / "index.html", "</body>", "<p id=added>added</p></body>")

    await expect(page.locator("#added")).to_have_text("added")


@pytest.mark.conformance
async def test_the_basket_survives_a_reload(page: Page, server: Server) -> None:
    """A save does not lose the site's data for its visitor."""
    await start(page, server)
    found = await page.evaluate("webagent.call('searchBooks', 'harbour')")
    await page.evaluate("(id) => webagent.call('addToBasket', id)", found["books"][0]["id"])
    edit(server.root / "index.html", "</body>", "<p id=added>added</p></body>")
    await expect(page.locator("#added")).to_have_text("added")
    await page.wait_for_function("!!window.webagent")

    basket = await page.evaluate("webagent.call('getBasket')")
    assert [item["quantity"] for item in basket["items"]] == [1]


async def test_a_manifest_that_is_made_later_gives_the_page_its_tools(
    page: Page, server: Server
) -> None:
    """A site may start without a manifest."""
    manifest = server.root / "webagents.md"
    text = manifest.read_text(encoding="utf-8")
    manifest.unlink()
    server.wait_for_output("webagents.md.* (deleted|gone|removed)")
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    manifest.write_text(text, encoding="utf-8")

    await page.wait_for_function("webagent.tools().then((tools) => tools.length > 9)")


@pytest.mark.conformance
async def test_a_page_with_a_long_address_is_not_loaded_again_and_again(
    page: Page, server: Server
) -> None:
    """A page that keeps its state in the hash hears of saves like any other."""
    await page.goto(f"{server.url}/#{'a' * 70_000}")
    await page.evaluate("webagent.ready.then(() => { window.mark = 'same document' })")
    manifest = server.root / "webagents.md"
    manifest.write_text(manifest.read_text(encoding="utf-8") + NEW_TOOL, encoding="utf-8")
    await page.wait_for_function(
        "webagent.tools().then((tools) => tools.some((tool) => tool.name === 'giftWrap'))"
    )

    assert await is_same_document(page)


@pytest.mark.conformance
async def test_a_page_with_a_manifest_of_its_own_keeps_it(page: Page, server: Server) -> None:
    """Changes of the site's manifest do not matter to a page that names another."""
    own = server.root / "own"
    own.mkdir()
    (own / "webagents.md").write_text("# Own\n\n## ownTool\nMine.\n\n### Params\n")
    (own / "index.html").write_text(
        '<!doctype html><meta name="webagents-md" content="/own/webagents.md">'
        "<link rel=icon href=data:,><link rel=stylesheet href=/css/base.css><p>own"
    )
    server.wait_for_output("reload")
    await start(page, server)
    await page.goto(f"{server.url}/own/")
    await page.evaluate("webagent.ready.then(() => { window.mark = 'same document' })")
    edit(server.root / "webagents.md", "(string, required): Words", "(Array<string): Words")
    server.wait_for_output("invalid-type")
    # Messages keep their order: once the stylesheet is there, the findings have been heard.
    sheet = server.root / "css" / "base.css"
    sheet.write_text(
        sheet.read_text(encoding="utf-8") + "\nbody { outline: 1px solid rgb(3, 3, 3) }"
    )
    await expect(page.locator("body")).to_have_css("outline-color", "rgb(3, 3, 3)")

    assert [tool["name"] for tool in await page.evaluate("webagent.tools()")] == ["ownTool"]
    await expect(page.locator("webagent-overlay")).to_have_count(0)
    assert await is_same_document(page)


@pytest.mark.chromium("Firefox keeps what an inline style imports, over reloads too")
@pytest.mark.conformance
async def test_stylesheets_in_shadow_roots_are_swapped_and_imported_ones_reload(
    page: Page, server: Server
) -> None:
    """A style reaches the page however the page came by its stylesheet."""
    (server.root / "shadow.css").write_text("p { color: rgb(1, 1, 1) }")
    (server.root / "imported.css").write_text("body { color: rgb(1, 1, 1) }")
    (server.root / "styles.html").write_text(
        "<!doctype html><title>styles</title><link rel=icon href=data:,>"
        "<style>@import url(imported.css)</style><body><div id=host></div><script>"
        "host.attachShadow({mode: 'open'}).innerHTML ="
        " '<link rel=stylesheet href=shadow.css><p>inside</p>'</script>"
    )
    server.wait_for_output("reload")
    await page.goto(f"{server.url}/styles.html")
    await page.evaluate("webagent.ready.then(() => { window.mark = 'same document' })")
    (server.root / "shadow.css").write_text("p { color: rgb(2, 2, 2) }")
    await expect(page.locator("#host p")).to_have_css("color", "rgb(2, 2, 2)")
    assert await is_same_document(page)

    (server.root / "imported.css").write_text("body { color: rgb(2, 2, 2) }")
    await expect(page.locator("body")).to_have_css("color", "rgb(2, 2, 2)")
