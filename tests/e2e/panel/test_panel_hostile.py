"""Neither the page nor the panel reaches into the other."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.e2e.panel.conftest import PAGE, Open, Talk
from tests.e2e.panel.site import Site
from tests.e2e.panel.story import APPROVAL, FINISHED, GOAL, SEARCH, SENT, SPENT, STARTED

STRICT = (
    "default-src 'none'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

RUDE = """<style>
  * { color: red !important; font: 40px cursive !important; padding: 30px !important;
      display: block !important; position: static !important; transform: rotate(9deg) !important;
      opacity: .1 !important; visibility: hidden !important; pointer-events: none !important;
      animation: none !important; filter: blur(4px) !important; z-index: 1 !important; }
  div, button, p, section, webagent-panel, :not(#x):not(#y) { background: lime !important;
      width: 10px !important; height: 10px !important; margin: 99px !important; clip-path: inset(50%) !important;
      direction: ltr; letter-spacing: 1em !important; text-transform: uppercase !important; }
  body { overflow: hidden } ::slotted(*) { display: none !important }
</style>"""


async def looks(talk: Talk) -> object:
    """Where each part of the panel is, and what it looks like."""
    return await talk.page.evaluate(
        """(() => {
          const host = document.querySelector("webagent-panel");
          const rules = ["color", "backgroundColor", "fontSize", "fontFamily", "padding", "opacity",
            "visibility", "transform", "letterSpacing", "textTransform", "filter", "clipPath", "zIndex",
            "pointerEvents"];
          return [host, ...host.shadowRoot.querySelectorAll("*")].map((element) => {
            const { x, y, width, height } = element.getBoundingClientRect();
            const style = getComputedStyle(element);
            return [element.tagName, x, y, width, height, ...rules.map((rule) => style[rule])].join();
          });
        })()"""
    )


OWN = "".join(
    f"--webagent-{name}: {value};"
    for name, value in (
        *((name, "#fff") for name in ("background", "surface", "on-accent")),
        *((name, "#123") for name in ("text", "muted", "border", "accent", "good", "bad")),
        ("font", "serif"),
        ("radius", "12px"),
    )
)
"""All that a panel otherwise takes from its page; corners within it are as round as those of the page's buttons."""


async def test_no_style_of_the_page_reaches_the_panel(talk_on: Open) -> None:
    """It is the same to the pixel on a page that styles everything, and names its colours."""
    shown = []
    for css in ("", RUDE):
        css += f"<style>:root {{ {OWN} }}</style>"
        talk: Talk = await talk_on(css + PAGE, reduced_motion="reduce")
        await talk.open()
        await talk.tell(STARTED, SEARCH, SPENT)
        await talk.request(APPROVAL)
        await talk.page.locator("webagent-panel .page-mark").wait_for(state="attached")
        shown.append(await looks(talk))
    assert shown[1] == shown[0]


async def test_no_style_of_the_panel_reaches_the_page(talk_on: Open) -> None:
    """The page is the same to the pixel with the panel open."""
    talk: Talk = await talk_on()
    area = {"x": 0, "y": 0, "width": 600, "height": 300}
    before = await talk.page.screenshot(clip=area)  # type: ignore[arg-type]
    await talk.open()
    await talk.page.evaluate("document.activeElement.blur()")
    assert await talk.page.screenshot(clip=area) == before  # type: ignore[arg-type]
    assert (
        await talk.page.evaluate("document.styleSheets.length + document.adoptedStyleSheets.length")
        == 0
    )


async def test_it_works_under_the_strictest_policy(talk_on: Open, site: Site) -> None:
    """No inline style, no markup from text, no policy of Trusted Types is needed."""
    site.headers["content-security-policy"] = STRICT
    talk: Talk = await talk_on()
    await talk.page.evaluate(
        "window.broken = []; document.addEventListener('securitypolicyviolation', "
        "(event) => broken.push(event.violatedDirective))"
    )
    await talk.open()
    await talk.start(GOAL)
    await talk.tell(STARTED, SEARCH, SENT, SPENT)
    await talk.request(APPROVAL)
    await talk.panel.get_by_role("button", name="Allow once").click()
    await talk.tell(FINISHED)
    await talk.panel.get_by_role("button", name="Details").click()
    async with talk.page.expect_download():
        await talk.panel.get_by_role("button", name="as data (JSON)").click()
    assert await talk.page.evaluate("broken") == []
    assert (
        await talk.page.evaluate(
            "document.querySelector('webagent-panel').shadowRoot.querySelectorAll('[style]').length"
        )
        == 0
    )
    width = await talk.page.evaluate(
        "document.querySelector('webagent-panel').getBoundingClientRect().width"
    )
    assert width == 400


async def test_its_shadow_root_is_closed(browser: Browser, site: Site, talk: Talk) -> None:
    """A script of the page sees an empty element."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(talk.url)
    await page.wait_for_function("window.loaded")
    await page.evaluate("void openPanel()")
    assert await page.evaluate(
        "(({shadowRoot, childNodes}) => [shadowRoot, childNodes.length])(document.querySelector('webagent-panel'))"
    ) == [None, 0]
    await context.close()


async def test_the_page_hears_no_key_and_no_click(talk: Talk) -> None:
    """A letter triggers no shortcut of the site, and a click closes no menu of it."""
    await talk.page.evaluate(
        """window.heard = [];
           for (const type of ["keydown", "keyup", "click", "pointerdown", "focusin", "input", "paste"])
             document.addEventListener(type, () => heard.push(type));"""
    )
    await talk.goal.click()
    await talk.page.keyboard.type("/ k")
    assert await talk.page.evaluate("heard.filter((type) => type !== 'focusin')") == []
    await talk.page.keyboard.press("Escape")
    # It closes the panel; where the key is let go, the panel may be gone.
    assert not await talk.page.evaluate("heard.includes('keydown')")


async def test_it_is_above_everything_and_in_modal_dialogs_too(talk_on: Open) -> None:
    """Where the page makes all else lifeless, the person can still answer and stop."""
    dialog = (
        '<div id="cover" style="position:fixed;inset:0;z-index:2147483647;background:#888"></div>'
        '<dialog id="modal">A dialog <button>OK</button></dialog>'
    )
    talk: Talk = await talk_on(PAGE + dialog)
    await talk.open()
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    await talk.page.evaluate("modal.showModal()")
    await talk.page.wait_for_function("modal.querySelector('webagent-panel')")
    await talk.panel.get_by_role("button", name="Allow once").click()
    assert await talk.answers() == [{"yes": True}]
    await talk.page.evaluate("modal.close()")
    await talk.page.wait_for_function("!modal.querySelector('webagent-panel')")
    await talk.panel.get_by_role("button", name="Stop", exact=True).click()
    assert await talk.page.evaluate("agent.stops") == 1


async def test_a_site_chooses_colours_and_fonts(talk_on: Open) -> None:
    """By custom properties, which reach into the shadow root."""
    css = """<style>:root { --webagent-accent: rgb(1, 2, 3); --webagent-font: Georgia;
      --webagent-radius: 3px; --webagent-width: 500px }</style>"""
    talk: Talk = await talk_on(css + PAGE)
    await talk.open()
    send = talk.panel.get_by_role("button", name="Start")
    await expect(send).to_have_css("background-color", "rgb(1, 2, 3)")
    await expect(talk.panel).to_have_css("font-family", "Georgia")
    await expect(talk.panel).to_have_css("border-radius", "3px")
    await expect(talk.panel).to_have_css("width", "500px")


async def test_a_page_that_takes_it_away_gets_it_back(talk: Talk) -> None:
    """With the next thing that happens."""
    await talk.page.evaluate("document.querySelector('webagent-panel').remove()")
    await talk.tell(STARTED)
    await expect(talk.log).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
async def test_overlay_badge_and_panel_do_not_cover_each_other(talk_on: Open, width: int) -> None:
    """In development all may be there; each leaves the others their room, whichever came first."""
    script = """<script type="module">import { Overlay } from "/overlay.js";
      import { StatusPill } from "/status_pill.js";
      window.fail = () => new StatusPill(location.href).failed("It did not start", "no `image`");
      window.overlay = new Overlay(undefined, location.href);
      const span = { start: { line: 3, column: 1 }, end: { line: 3, column: 5 } };
      window.find = () => overlay.show([{ rule: "a-rule", severity: "error", message: "wrong",
        path: "webagents.md", span, help: "" }], { 3: "text" });</script>"""
    talk: Talk = await talk_on(
        PAGE + script, viewport={"width": width, "height": 800}, reduced_motion="reduce"
    )
    apart = """(() => {
      const shown = document.querySelectorAll("webagent-panel, webagent-overlay, webagent-status");
      const boxes = [...shown].map((one) => one.getBoundingClientRect());
      return boxes.length > 1 && boxes.every((a, place) => boxes.slice(place + 1).every((b) =>
        a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom));
    })()"""
    await talk.page.evaluate("find()")
    await talk.open()
    await talk.page.wait_for_function(apart)
    await talk.tell(STARTED, SEARCH)
    await talk.page.wait_for_function(apart)
    await talk.page.evaluate("panel.minimise()")
    await talk.page.wait_for_function(apart)
    await talk.page.evaluate("overlay.close(), panel.open(), find()")
    await talk.page.wait_for_function(apart)
    await talk.page.evaluate("fail()")
    await talk.page.wait_for_function(apart)
    await talk.page.evaluate("panel.minimise()")
    await talk.page.wait_for_function(apart)
    await talk.page.locator("webagent-status button").click()
    await talk.page.evaluate("panel.close()")
    await talk.page.wait_for_function(
        "document.querySelector('webagent-overlay').getBoundingClientRect().bottom === innerHeight"
    )


async def test_the_agent_reaches_what_lies_below_the_panel(talk_on: Open) -> None:
    """On a phone it covers most of the page, and does not obstruct what it shows."""
    below = '<button id="below" style="position:fixed;right:20px;bottom:60px">Order</button>'
    talk: Talk = await talk_on(PAGE + below, viewport={"width": 390, "height": 780})
    await talk.open()
    await talk.tell(STARTED)
    seen = await talk.page.evaluate(
        """(async () => {
          below.onclick = () => { window.clicked = true; };
          const { createDom } = await import("/dom.js");
          const dom = createDom();
          const { elements, text } = dom.snapshot();
          const { id } = elements.find(({ name }) => name === "Order");
          await dom.act({ type: "click", pp_id: id });
          return { clicked, text, names: elements.map(({ name }) => name) };
        })()"""
    )
    assert seen["clicked"]
    assert "Stop" not in seen["names"]
    assert "Find books" not in seen["text"]
