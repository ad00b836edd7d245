"""Where the panel is and how it looks: in the colours of its site, out of the agent's way, or a part of a page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.e2e.panel.conftest import OPENED, PAGE, Open, Talk
from tests.e2e.panel.site import Site
from tests.e2e.panel.story import APPROVAL, FINISHED, GOAL, PLANNED, QUESTION, SEARCH, STARTED

THEMES = {
    "light": "body { background: #fff; color: #222 } button { background: #0b6; color: #fff; border: 0 }",
    "dark": "body { background: #101418; color: #dde } button { background: #8cf; color: #012; border: 0 }",
    "yellow on black": "body { background: #000; color: #ff0 } a, button { color: #ff0; background: #000; border: 1px solid }",
    "low contrast": "body { background: #888; color: #999 } button { background: #7a7a7a; color: #999; border: 0 }",
    "transparent": "html, body { background: transparent; color: #333 } a { color: #b40 }",
    "picture": "body { background: linear-gradient(red, blue); color: #fff }",
    "huge": "body { font: 34px/1.2 Impact, sans-serif; background: #fee; color: #400 } button { font-size: 40px; background: #c00; border: 0 }",
    "serif": "body { font-family: Georgia, serif; background: oklch(96% .02 80); color: oklch(30% .05 60) } a { color: oklch(80% .15 60) }",
    "rounded": "main { background: rgb(250 240 255); color: #324 } button { border: 0; border-radius: 99px; background: #a3f; color: #fff }",
    "tiny": "body { font-size: 9px; background: #222; color: #555 } button { border: 0; border-radius: 0; background: #ffd800; color: #333 }",
}
SHOP = """<title>A shop</title><meta name="viewport" content="width=device-width"><main><h1>A shop</h1>
<p>Some text with <a href="#more">a link</a>.</p><button class="primary">Add to the basket</button></main>"""

CONTRASTS = """(() => {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  const over = (colour, below) => {
    pen.fillStyle = `rgb(${below})`; pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((v) => (v / 255 <= .03928 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const found = {};
  for (const element of document.querySelector("webagent-panel").shadowRoot.querySelectorAll(".panel *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.matches(".unseen, .unseen *") || element.matches("[aria-disabled=true], [aria-disabled=true] *")) continue;
    const around = [];
    for (let at = element; at instanceof Element; at = at.parentElement) around.unshift(getComputedStyle(at).backgroundColor);
    const below = around.reduce((under, colour) => over(colour, under), [255, 255, 255]);
    const [a, b] = [light(over(getComputedStyle(element).color, below)), light(below)].sort((x, y) => x - y);
    const ratio = (b + .05) / (a + .05);
    if (ratio < 4.5) found[`${element.tagName}.${element.className} ${element.textContent.slice(0, 30)}`] = ratio;
  }
  return found;
})()"""
"""All texts of the panel whose contrast is too low."""


@pytest.mark.parametrize("theme", THEMES)
async def test_it_takes_the_colours_of_its_site(talk_on: Open, theme: str) -> None:
    """Every text keeps a contrast of 4.5, whatever the site has."""
    talk: Talk = await talk_on(f"<style>{THEMES[theme]}</style>{SHOP}")
    await talk.open()
    assert await talk.page.evaluate(CONTRASTS) == {}
    await talk.tell(STARTED, PLANNED, SEARCH)
    await talk.request(APPROVAL)
    assert await talk.page.evaluate(CONTRASTS) == {}
    await talk.tell(FINISHED)
    await talk.panel.get_by_role("button", name="Details").click()
    assert await talk.page.evaluate(CONTRASTS) == {}


async def test_texts_grow_with_the_font_size_of_the_browser(talk_on: Open) -> None:
    """Those of the site do not count, and nothing is cut off."""
    talk: Talk = await talk_on(
        f"<style>html {{ font-size: 5px }}</style>{SHOP}", viewport={"width": 900, "height": 760}
    )
    await talk.open()
    await talk.tell(STARTED, PLANNED, SEARCH, FINISHED)
    sizes = """() => ["h2", ".bubble", ".plan h3", ".call"].map((name) => {
      const one = document.querySelector("webagent-panel").shadowRoot.querySelector(name);
      return parseFloat(getComputedStyle(one).fontSize);
    })"""
    await expect(talk.log.locator(".outcome .text > *")).to_be_attached()
    assert await talk.page.evaluate(sizes) == [14.5, 14.5, 12.5, 12.5]
    browser = await talk.page.context.new_cdp_session(talk.page)
    await browser.send("Page.setFontSizes", {"fontSizes": {"standard": 24}})
    await talk.load()
    await expect(talk.log.locator(".outcome .text > *")).to_be_visible()
    assert await talk.page.evaluate(sizes) == [21.75, 21.75, 18.75, 18.75]
    wide = await talk.log.evaluate("log => log.scrollWidth - log.clientWidth")
    assert wide == 0


async def test_it_has_the_font_the_corners_and_the_accent_of_its_site(talk_on: Open) -> None:
    """Of its body and its most visible button; a site that names its own has those."""
    css = """<style>body { font-family: Georgia, serif; background: #fdf6e3; color: #333 }
      button { background: #8a2f3b; color: #fff; border: 0; border-radius: 2px }</style>"""
    talk: Talk = await talk_on(css + SHOP)
    await talk.open()
    send = talk.panel.get_by_role("button", name="Start")
    await expect(send).to_have_css("background-color", "rgb(138, 47, 59)")
    await expect(send).to_have_css("color", "rgb(255, 255, 255)")
    await expect(talk.panel).to_have_css("background-color", "rgb(253, 246, 227)")
    await expect(talk.panel).to_have_css("font-family", "Georgia, serif")
    await expect(talk.goal).to_have_css("border-radius", "2.4px")
    await talk.page.evaluate("document.body.style.background = '#101010'")
    await expect(talk.panel).to_have_css("background-color", "rgb(16, 16, 16)")


async def box(talk: Talk) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the panel."""
    found = await talk.panel.bounding_box()
    assert found is not None
    return found["x"], found["y"], found["width"], found["height"]


async def drag(talk: Talk, start: tuple[float, float], way: tuple[float, float]) -> None:
    """Drag with the mouse, from a spot of the window."""
    mouse = talk.page.mouse
    await mouse.move(*start)
    await mouse.down()
    await mouse.move(start[0] + way[0], start[1] + way[1], steps=3)
    await mouse.up()


async def test_it_is_moved_and_resized(talk_on: Open) -> None:
    """By its head and its edges, within the window; the next page has it where it was."""
    talk: Talk = await talk_on(
        PAGE, reduced_motion="reduce", viewport={"width": 1280, "height": 800}
    )
    await talk.open()
    await talk.tell(STARTED, SEARCH, FINISHED)
    left, top, width, height = await box(talk)
    await drag(talk, (left + 150, top + 20), (-300, -50))
    assert await box(talk) == (left - 300, top - 50, width, height)
    await drag(talk, (left - 304, top + 200), (-60, 0))
    assert await box(talk) == (left - 360, top - 50, width + 60, height)
    await drag(talk, (left - 366, top - 44 + height), (50, -100))
    assert await box(talk) == (left - 310, top - 50, width + 10, height - 100)
    await drag(talk, (left - 200, top - 30), (-2000, -2000))
    assert (await box(talk))[:2] == (8, 8)

    moved = await box(talk)
    await talk.load()
    await talk.page.locator("webagent-panel .dressed").wait_for(state="attached")
    assert await box(talk) == moved
    await talk.page.set_viewport_size({"width": 700, "height": 400})
    await talk.page.evaluate("new Promise(requestAnimationFrame)")
    left, top, width, height = await box(talk)
    assert min(left, top) >= 0
    assert (left + width <= 700, top + height <= 400) == (True, True)


async def test_it_is_moved_and_resized_by_keys(talk_on: Open) -> None:
    """With the arrow keys on its handle."""
    talk: Talk = await talk_on(reduced_motion="reduce")
    await talk.open()
    left, top, width, height = await box(talk)
    handle = talk.panel.get_by_role("button", name="Move with the arrow keys")
    await handle.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp"):
        await talk.page.keyboard.press(key)
    assert await box(talk) == (left - 48, top - 24, width, height)
    await talk.page.keyboard.press("Shift+ArrowLeft")
    assert await box(talk) == (left - 72, top - 24, width + 24, height)
    await handle.evaluate(
        """handle => handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }))"""
    )
    assert (await box(talk))[0] == left - 72


async def test_it_is_docked_or_as_high_as_the_window(talk_on: Open) -> None:
    """Docked, it takes its room from the page; what the visitor chose is there on the next page."""
    talk: Talk = await talk_on(
        PAGE, reduced_motion="reduce", viewport={"width": 1280, "height": 800}
    )
    room = "innerWidth - document.documentElement.getBoundingClientRect().right"
    await talk.open()
    await talk.panel.get_by_role("button", name="Full height").click()
    assert await box(talk) == (880, 0, 400, 800)
    assert await talk.page.evaluate(room) == 0
    await talk.panel.get_by_role("button", name="Dock at the side").click()
    assert await box(talk) == (880, 0, 400, 800)
    assert await talk.page.evaluate(room) == 400
    await talk.page.evaluate("panel.minimise()")
    assert await talk.page.evaluate(room) == 0
    await talk.load()
    await talk.open()
    await drag(talk, (876, 300), (-100, 0))
    assert await box(talk) == (780, 0, 500, 800)
    assert await talk.page.evaluate(room) == 500
    await talk.page.set_viewport_size({"width": 390, "height": 800})
    await talk.page.wait_for_function(f"({room}) === 0")
    assert (await box(talk))[2] == 390
    await talk.page.set_viewport_size({"width": 1280, "height": 800})
    await talk.panel.get_by_role("button", name="Float above the page").click()
    assert (await box(talk))[0] > 700
    assert await talk.page.evaluate("document.adoptedStyleSheets.length") == 0


async def test_a_place_the_panel_did_not_keep_is_ignored(talk: Talk) -> None:
    """The storage may contain anything."""
    before = await box(talk)
    for kept in ("x", "[]", "null", '{"placement": "inline", "end": "0", "width": -1e9}'):
        keep = "kept => sessionStorage.setItem('webagent.panel.place', kept)"
        await talk.page.evaluate(keep, kept)
        await talk.load()
        await talk.page.locator("webagent-panel .dressed").wait_for(state="attached")
        left, top, width, height = await box(talk)
        assert (left + width, top + height) == (before[0] + before[2], before[1] + before[3])
        assert width >= 300


BELOW = """<button id="below" style="position:fixed;right:60px;bottom:60px">Order</button>
<p style="block-size:3000px"></p>"""
ACT = """(async () => {
  below.onclick = () => { window.clicked = true; };
  const { createDom } = await import("/dom.js");
  const dom = createDom();
  const { id } = dom.snapshot().elements.find(({ name }) => name === "Order");
  await dom.act({ type: "click", pp_id: id });
})()"""
COVERED = """(() => {
  const a = document.querySelector("webagent-panel").shadowRoot.querySelector(".panel").getBoundingClientRect();
  const b = below.getBoundingClientRect();
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
})()"""


@pytest.mark.parametrize("width", [390, 1280])
async def test_it_leaves_in_view_what_the_agent_touches(talk_on: Open, width: int) -> None:
    """It steps aside while the agent acts, and returns afterwards; a request stays where it is."""
    size = {"width": width, "height": 800}
    talk: Talk = await talk_on(PAGE + BELOW, viewport=size, reduced_motion="reduce")
    await talk.open()
    await talk.tell(STARTED)
    assert await talk.page.evaluate(COVERED)
    await talk.page.evaluate(ACT)
    assert await talk.page.evaluate("clicked")
    assert not await talk.page.evaluate(COVERED)
    await talk.tell(FINISHED)
    assert await talk.page.evaluate(COVERED)

    await talk.tell(STARTED)
    await talk.request(QUESTION)
    before = await box(talk)
    await talk.page.evaluate(ACT)
    assert await box(talk) == before


async def test_on_a_phone_it_is_low_while_the_agent_acts(talk_on: Open) -> None:
    """The outcome is whole in view, also after a navigation."""
    talk: Talk = await talk_on(
        PAGE, viewport={"width": 390, "height": 780}, has_touch=True, reduced_motion="reduce"
    )
    await talk.open()
    await talk.tell(STARTED, PLANNED, SEARCH)
    assert (await box(talk))[3] < 400
    await talk.page.evaluate('sessionStorage.setItem("webagent.run", "a run")')
    await talk.load()
    await talk.tell(STARTED | {"resumed": True})
    long = FINISHED | {"text": "It is in your basket. " * 20}
    await talk.tell(long)
    assert (await box(talk))[3] > 500
    hidden = """(() => {
      const root = document.querySelector("webagent-panel").shadowRoot;
      const [log, outcome] = [".log", ".outcome"].map((one) => root.querySelector(one).getBoundingClientRect());
      return [outcome.top - log.top, log.bottom - outcome.bottom];
    })()"""
    await talk.page.wait_for_function(f"{hidden}.every((distance) => distance >= 0)")


PART = """<title>A shop</title><style>webagent-panel { block-size: 600px; inline-size: 360px }
webagent-panel::part(panel) { border: 3px solid rgb(1, 2, 3) }</style>
<main><h1>A shop</h1><webagent-panel id="part"><b slot="title">Ada</b>
<p slot="greeting">Ask <i>Ada</i> for anything.</p></webagent-panel></main>
<script>window.seen = []; for (const type of ["open", "close", "run", "finished"])
part.addEventListener(type, ({ detail }) => seen.push([type, detail]));</script>"""


async def test_a_site_puts_it_into_its_own_layout(talk_on: Open) -> None:
    """Its element has slots, parts and events, and a closed root as before."""
    talk: Talk = await talk_on(PART, reduced_motion="reduce")
    await expect(talk.goal).to_be_visible()
    await expect(talk.panel).to_have_accessible_name("Ada")
    await expect(talk.page.get_by_text("Ask Ada for anything.")).to_be_visible()
    await expect(talk.panel).to_have_css("border", "3px solid rgb(1, 2, 3)")
    for name in ("Close", "Minimise", "Full height"):
        await expect(talk.panel.get_by_role("button", name=name, exact=True)).to_be_hidden()
    left, top, width, height = await box(talk)
    assert (width, height) == (360, 600)
    await talk.start(GOAL)
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    await talk.panel.get_by_role("button", name="Allow once").click()
    assert await talk.answers() == [{"yes": True}]
    await talk.tell(FINISHED)
    assert await box(talk) == (left, top, width, height)
    assert await talk.page.evaluate("seen.map(([type]) => type)") == ["open", "run", "finished"]
    assert await talk.page.evaluate("seen[2][1].ok")
    assert await talk.page.locator("webagent-panel").count() == 1


async def test_a_part_is_usable_while_a_dialog_is_open(talk_on: Open) -> None:
    """It floats in the dialog, and returns to its place."""
    talk: Talk = await talk_on(f"{PART}<dialog id='modal'>A dialog <button>OK</button></dialog>")
    await talk.tell(STARTED)
    await talk.page.evaluate("modal.showModal()")
    await talk.request(APPROVAL)
    await talk.page.wait_for_function("modal.querySelector('webagent-panel')")
    await talk.panel.get_by_role("button", name="Allow once").click()
    assert await talk.answers() == [{"yes": True}]
    await talk.page.evaluate("modal.close()")
    await talk.page.wait_for_function("part.shadowRoot.querySelector('.panel')")
    await expect(talk.panel).to_have_css("width", "360px")


async def test_a_covered_part_allows_nothing(talk_on: Open) -> None:
    """It is not in the top layer; what is painted over it is noticed all the same."""
    cover = "<div style='position:fixed;inset:0;pointer-events:none;background:#8888'></div>"
    talk: Talk = await talk_on(PART + cover)
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    yes = talk.panel.get_by_role("button", name="Allow once")
    await expect(yes).to_be_disabled()
    await expect(talk.panel).to_contain_text("Part of the page is covering this request.")


async def test_a_site_places_it_and_the_button_opens_it(browser: Browser, site: Site) -> None:
    """The page's script finds the element, whenever it comes; without it the button is there again."""
    site.headers.clear()
    script = '<script type="module" src="/webagent.js" data-panel="on"></script>'
    url = site.page("/part", f"{PAGE}<webagent-panel></webagent-panel>{script}")
    context = await browser.new_context()
    await context.add_init_script(OPENED)
    page: Page = await context.new_page()
    await page.goto(url)
    button = page.get_by_role("button", name="Open the assistant")
    goal = page.get_by_label("What should be done")
    await expect(goal).to_be_visible()
    await expect(button).to_be_hidden()
    assert await page.evaluate("webagent.state") == "idle"
    await page.evaluate("window.part = document.querySelector('webagent-panel'), part.remove()")
    await expect(button).to_be_visible()
    await expect(goal).to_be_hidden()
    await page.evaluate("document.querySelector('main').append(part)")
    await expect(goal).to_be_visible()

    await page.evaluate("part.setAttribute('placement', 'tall'), part.remove()")
    await page.evaluate("document.querySelector('main').append(part)")
    await expect(goal).to_be_hidden()
    await button.click()
    await expect(page.locator("webagent-panel .panel")).to_have_css("height", "720px")
    await page.get_by_role("button", name="Close").click()
    await expect(button).to_be_visible()
    await context.close()


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
@pytest.mark.parametrize("width", [320, 640])
async def test_nothing_is_wider_than_a_narrow_window(
    talk_on: Open, width: int, direction: str
) -> None:
    """Long words break, at 320 pixels and in a large window at 200 %."""
    word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    texts: dict[str, Any] = dict.fromkeys(
        (
            "title",
            "greeting",
            "allow_once",
            "refuse",
            "refuse_stop",
            "allow_session",
            "details",
            "plan",
        ),
        word,
    )
    script = (
        f"<script>document.documentElement.dir = '{direction}'; webagentTexts = {texts}</script>"
    )
    size = {"width": width, "height": 480}
    talk: Talk = await talk_on(
        PAGE + script, viewport=size, device_scale_factor=2, reduced_motion="reduce"
    )
    await talk.open()
    sideways = """[...document.querySelector("webagent-panel").shadowRoot.querySelectorAll(".panel, .log, .asking, .answers, .details, .tail")]
      .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)
      .concat(document.documentElement.scrollWidth > innerWidth ? ["page"] : [])
      .concat([document.querySelector("webagent-panel").getBoundingClientRect()].some(
        ({ left, right }) => left < 0 || right > innerWidth) ? ["host"] : [])"""
    assert await talk.page.evaluate(sideways) == []
    await talk.tell(STARTED | {"goal": word}, PLANNED, SEARCH | {"why": word})
    await talk.request(APPROVAL | {"text": word})
    assert await talk.page.evaluate(sideways) == []
    await talk.tell(FINISHED | {"text": word})
    await talk.panel.get_by_role("button", name=word, exact=True).last.click()
    assert await talk.page.evaluate(sideways) == []


async def test_a_page_at_its_largest_zoom_hides_nothing(talk_on: Open) -> None:
    """1280 × 1024 pixels at 400 %: the parts of a request do not overlap, and a line of the talk is in view."""
    talk: Talk = await talk_on(
        PAGE, viewport={"width": 320, "height": 256}, device_scale_factor=4, reduced_motion="reduce"
    )
    await talk.open()
    await talk.tell(STARTED, SEARCH)
    await talk.request(APPROVAL)
    stacked = """root => [...root.querySelectorAll(".head, .asking, .answers, .tail")]
      .map((one) => one.getBoundingClientRect())
      .every(({ top, bottom }, place, all) => bottom <= innerHeight && top >= (all[place - 1]?.bottom ?? 0) - 1)"""
    root = talk.panel
    await expect(root.locator(".answers")).to_be_visible()
    assert await root.evaluate(stacked)
    await root.get_by_role("button", name="No, and stop").scroll_into_view_if_needed()
    await expect(root.get_by_role("button", name="No, and stop")).to_be_in_viewport(ratio=0.9)
    await root.get_by_role("button", name="No", exact=True).click()
    await talk.tell(FINISHED)
    await expect(root.locator(".composer textarea")).to_be_visible()
    assert await talk.log.evaluate("log => log.clientHeight") > 60
