"""Pictures without a driver: of the page, of an element, and under strict policies."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

from tests.e2e.dom.conftest import Dom
from webagent.errors import Denied
from webagent.page.playwright import PlaywrightPage

COLOURS = """<body style="margin:0;background:rgb(0,0,255)"><style>p::before { content: ""; display: block; height: 20px; background: rgb(9,9,9) }</style>
    <div id=red style="width:200px;height:100px;background:rgb(255,0,0)"></div>
    <x-box></x-box><p style="margin:0;height:40px"></p><div style="height:2000px"></div><div style="height:50px;background:rgb(0,255,0)"></div>
    <script>document.querySelector("x-box").attachShadow({mode: "open"}).innerHTML =
      "<b style='display:block;height:50px;background:rgb(255,255,0)'></b>"</script>"""


def size(picture: dict[str, Any]) -> tuple[int, int]:
    """Return the size in the PNG's own header."""
    data = base64.b64decode(picture["data"])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", data[16:24])


async def colour(dom: Dom, picture: dict[str, Any], x: int, y: int) -> list[int]:
    """Return red, green and blue of a pixel."""
    return await dom.page.evaluate(
        """async ({ data, x, y }) => {
            const image = new Image();
            image.src = `data:image/png;base64,${data}`;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const pen = canvas.getContext("2d");
            pen.drawImage(image, 0, 0);
            return [...pen.getImageData(x, y, 1, 1).data].slice(0, 3);
        }""",
        {"data": picture["data"], "x": x, "y": y},
    )


async def test_the_whole_page(dom: Dom) -> None:
    """A picture of the page is all of it, with shadow trees, what styles add, and its background."""
    await dom.open(COLOURS)
    picture = await dom.act("screenshot")

    assert size(picture) == (picture["width"], picture["height"])
    assert picture["height"] >= 2240
    assert await colour(dom, picture, 100, 50) == [255, 0, 0]
    assert await colour(dom, picture, 100, 125) == [255, 255, 0]
    assert await colour(dom, picture, 100, 160) == [9, 9, 9]
    assert await colour(dom, picture, 100, 1000) == [0, 0, 255]
    assert await colour(dom, picture, 100, 2220) == [0, 255, 0]


async def test_one_element(dom: Dom) -> None:
    """An element is taken by its number or by a selector, in its own size."""
    await dom.open(
        COLOURS
        + "<button style='width:120px;height:40px;background:rgb(1,2,3);border:0'>x</button>"
    )
    red = await dom.act("screenshot", selector="#red")
    button = await dom.act("screenshot", pp_id=await dom.id("x"))

    assert (size(red), size(button)) == ((200, 100), (120, 40))
    assert await colour(dom, red, 199, 99) == [255, 0, 0]
    assert await colour(dom, button, 5, 5) == [1, 2, 3]


async def test_the_page_stays_as_it_was(dom: Dom) -> None:
    """Taking a picture leaves nothing behind, and does not scroll."""
    sticky = "<style>i { position: sticky }</style><i>a</i><i style='top:0;;'>b</i>"
    await dom.open(COLOURS + sticky)
    await dom.evaluate("scrollTo(0, 300)")
    before = await dom.evaluate("document.documentElement.outerHTML + scrollY")
    await dom.act("screenshot", marks=True)

    assert await dom.evaluate("document.documentElement.outerHTML + scrollY") == before


async def test_scrolled_parts_are_drawn_where_they_are(dom: Dom) -> None:
    """Sticky elements, the content of a frame, and the browser's own dark background."""
    await dom.open("""<html style="color-scheme:dark"><body style="margin:0;font:15px sans-serif">
        <i style="position:sticky;top:0;display:block;height:20px;background:rgb(200,0,0)"></i>
        <iframe id=f style="border:0;width:100px;height:50px" srcdoc="<body style='margin:0'><p style='margin:0;height:150px'></p>
          <p style='margin:0;height:150px;background:rgb(0,150,0)'>"></iframe><div style="height:2000px"></div>""")
    await dom.page.frame_locator("iframe").locator("p").nth(1).wait_for()
    await dom.evaluate("f.contentWindow.scrollTo(0, 140), scrollTo(0, 300)")
    picture = await dom.act("screenshot")
    spots = {"flow": (200, 10), "stuck": (200, 310), "frame": (50, 65)}
    seen = {name: await colour(dom, picture, *spot) for name, spot in spots.items()}

    assert max(seen["flow"]) < 60
    assert (seen["stuck"], seen["frame"]) == ([200, 0, 0], [0, 150, 0])


async def test_a_driver_shows_covered_parts_again(dom: Dom) -> None:
    """A policy that forbids style attributes does not keep masked parts covered, or report them."""
    await dom.open(
        "<body><p id=p data-agent=mask>x</p><input type=password value=y>",
        content_security_policy="default-src 'none'",
    )
    await dom.evaluate(
        "void (p.style.color = 'red', window.reports = [], document.addEventListener("
        "'securitypolicyviolation', ({ effectiveDirective: rule }) => reports.push(rule)))"
    )
    before = await dom.evaluate("document.body.outerHTML + p.style.cssText")
    await PlaywrightPage(dom.page).act({"type": "screenshot"})

    assert await dom.evaluate("document.body.outerHTML + p.style.cssText") == before
    assert "style-src-attr" not in await dom.evaluate("reports")


async def test_under_a_strict_policy(dom: Dom) -> None:
    """A page whose policy allows no inline styles gets its picture, with what is entered in its fields."""
    policy = "default-src 'none'; style-src 'self'; img-src data:"
    dom.site.scripts["/a.css"] = ""
    await dom.open(
        "<body><h1 id=h>Tea</h1><input id=f><input type=checkbox checked>",
        content_security_policy=policy,
    )
    await dom.evaluate("h.style.cssText = 'margin:0;height:30px;background:rgb(5,6,7)'")
    picture = await dom.act("screenshot")

    assert await colour(dom, picture, 500, 20) == [5, 6, 7]


async def test_a_policy_that_forbids_it(dom: Dom) -> None:
    """Where pictures from `data:` are forbidden, the error says what to add."""
    await dom.open("<body><p>Tea", content_security_policy="img-src 'self'")
    error = await dom.fail("screenshot")

    assert error["kind"] == "denied"
    assert "forbids pictures from `data:`" in error["message"]
    assert error["help"] == "add `data:` to its `img-src`"


async def test_pictures_of_the_page_are_in_it(dom: Dom) -> None:
    """Images, canvases, drawings and backgrounds of the same origin are drawn."""
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='50' height='50'><rect width='50' height='50' fill='rgb(20,0,0)'/></svg>"
    source = "data:image/svg+xml," + svg.replace("#", "%23").replace('"', "'")
    await dom.open(f"""<body style="margin:0"><img style="display:block" src="{source}">
        <canvas style="display:block" width=50 height=50></canvas>
        <svg style="display:block" width=50 height=50><rect width=50 height=50 /></svg><style>rect {{ fill: rgb(0,0,40) }}</style>
        <div style="height:50px;background-image:url(&quot;{source}&quot;)"></div>
        <script>const pen = document.querySelector("canvas").getContext("2d"); pen.fillStyle = "rgb(0,30,0)"; pen.fillRect(0, 0, 50, 50)</script>""")
    await dom.page.wait_for_load_state("load")
    picture = await dom.act("screenshot")

    assert [await colour(dom, picture, 25, y) for y in (25, 75, 125, 175)] == [
        [20, 0, 0],
        [0, 30, 0],
        [0, 0, 40],
        [20, 0, 0],
    ]


async def test_elements_without_a_picture(dom: Dom) -> None:
    """Nothing that matches, no selector, and hidden elements are errors."""
    await dom.open("<body><p id=p hidden>x</p>")

    assert (await dom.fail("screenshot", selector="#q"))[
        "message"
    ] == "nothing in the page matches `#q`"
    assert (await dom.fail("screenshot", selector="p["))["message"] == "`p[` is not a selector"
    assert "is not visible" in (await dom.fail("screenshot", selector="#p"))["message"]


async def test_without_the_part_that_draws(dom: Dom) -> None:
    """Where `screenshot.js` is missing, the error says so."""
    await dom.open("<body><p>x")
    await dom.evaluate("void (window.dom = webagentDom.createDom())")

    assert "`screenshot.js` is missing" in (await dom.fail("screenshot"))["message"]


SPY = """void (window.drawn = [], CanvasRenderingContext2D.prototype.fillText = new Proxy(
    CanvasRenderingContext2D.prototype.fillText, { apply(draw, pen, [text, x, y]) {
      drawn.push({ id: Number(text), x, y, size: parseFloat(/[\\d.]+px/.exec(pen.font)) });
      return Reflect.apply(draw, pen, [text, x, y]);
    } }))"""
"""Keeps what is written on canvases, with the middle of each text."""

MARKED = """<body style="margin:0;font:16px sans-serif"><main><h1>Tea</h1><p>Plain <a href=/a>Link</a></p>
  <button onclick="this.dataset.done = 1">Buy</button> <button style="display:none">Hidden</button>
  <label>Name <input data-agent=mask value=HIDE></label> <button data-agent=ignore>NEVER</button>
  <label style="display:block"><input type=checkbox style="opacity:0;position:absolute">Terms</label>
  <div style="height:40px;overflow:auto"><div style="height:90px"><button>In view</button></div><button>Cut off</button></div>
  <div style="position:relative;height:40px"><button style="position:absolute;left:0;top:0">Covered</button>
    <div style="position:absolute;inset:0;background:red"></div></div>
  <iframe style="display:block;border:3px solid;height:60px" srcdoc="<button>Framed</button>"></iframe><x-box></x-box>
  <webagent-panel><button>Ours</button></webagent-panel><div style="height:900px"></div><button>Far below</button></main>
  <script>document.querySelector("x-box").attachShadow({mode: "open"}).innerHTML = "<button>Shadow</button>"</script>"""


async def test_marks_are_the_numbers_of_what_is_visible(dom: Dom) -> None:
    """Each visible element that can be used has its number beside it; others have none."""
    await dom.open(MARKED)
    await dom.page.frame_locator("iframe").get_by_role("button").wait_for()
    names = {e["id"]: e["name"] for e in (await dom.snapshot())["elements"]}
    await dom.evaluate(SPY)
    picture = await dom.act("screenshot", marks=True)
    drawn = {names[each["id"]]: each for each in await dom.evaluate("drawn")}

    assert [*drawn] == [
        "Link",
        "Buy",
        "Name",
        "Terms",
        "In view",
        "Framed",
        "Shadow",
        "Far below",
    ]
    assert (picture["marks"], picture["unmarked"]) == (8, 0)
    for name, locator in {
        "Buy": dom.page.get_by_text("Buy"),
        "Framed": dom.page.frame_locator("iframe").get_by_text("Framed"),
        "Far below": dom.page.get_by_text("Far below"),
    }.items():
        box = await locator.bounding_box()
        assert box is not None
        label = drawn[name]
        assert box["x"] - 20 < label["x"] < box["x"] + box["width"] + 20, name
        assert box["y"] - 10 < label["y"] < box["y"] + box["height"] + 10, name
    await dom.act("click", pp_id=drawn["Buy"]["id"])
    assert await dom.evaluate("document.querySelector('[data-done]').textContent") == "Buy"


async def test_marks_have_a_limit_and_do_not_hide_each_other(dom: Dom) -> None:
    """Of a crowd a hundred are marked, in boxes of their own; the reply counts the rest."""
    await dom.open(
        "<body style='font:12px sans-serif'>"
        + "".join(f"<button style='width:40px'>{n}</button> " for n in range(120))
    )
    await dom.evaluate(SPY)
    picture = await dom.act("screenshot", marks=True)
    drawn = await dom.evaluate("drawn")

    assert (picture["marks"], picture["unmarked"], len(drawn)) == (100, 20, 100)
    close = [
        (one["id"], other["id"])
        for one in drawn
        for other in drawn
        if one["id"] < other["id"]
        and abs(one["x"] - other["x"]) < 13
        and abs(one["y"] - other["y"]) < 15
    ]
    assert close == []


async def test_labels_grow_with_the_picture(dom: Dom) -> None:
    """Models get a long picture made smaller, so its labels are larger."""
    await dom.open("<body><button>Top</button><div style='height:6000px'></div>")
    await dom.evaluate(SPY)
    await dom.act("screenshot", marks=True)
    await dom.act("screenshot", marks=True, selector="button")

    assert [each["size"] for each in await dom.evaluate("drawn")] == [24, 12]


YELLOW = """async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data: all } = pen.getImageData(0, 0, image.width, image.height);
    const found = [];
    for (let i = 0; i < all.length; i += 4) if (all[i] === 255 && all[i + 1] === 225 && all[i + 2] === 77) found.push(i / 4);
    return [image.width, image.height, ...found];
}"""
"""The size of a picture, and its pixels in the colour of the marks; the digits are holes in them."""

SCROLLED = """<html style="color-scheme:SCHEME"><body style="margin:0;font:15px sans-serif">
  <header style="position:sticky;top:0;background:Canvas"><a href=/a>Stuck</a></header>
  <div style="height:300px"><a href=/b>First</a> <input type=password value=HIDE></div>
  <iframe id=f style="width:300px;height:100px" srcdoc="<p style='height:150px'>a</p><button>Inside</button><p style='height:300px'>"></iframe>
  <section style="height:400px"><button>One</button> <button>Two</button></section>
  <button style="position:fixed;right:10px;bottom:20px">Fixed</button><div style="height:900px"></div><a href=/c>End</a>"""


@pytest.mark.parametrize(("width", "scheme"), [(1000, "light"), (390, "dark")])
async def test_a_driver_draws_the_same_marks(dom: Dom, width: int, scheme: str) -> None:
    """To the pixel, of a page that is scrolled and of an element; the page gets no picture of it."""
    await dom.page.set_viewport_size({"width": width, "height": 700})
    await dom.open(SCROLLED.replace("SCHEME", scheme))
    await dom.page.frame_locator("iframe").get_by_role("button").wait_for()
    await dom.evaluate("f.contentWindow.scrollTo(0, 120), scrollTo(0, 200)")
    inside = [await dom.act("screenshot", marks=True, **part) for part in PARTS]
    before = await dom.evaluate("document.documentElement.outerHTML")
    await dom.evaluate(
        "void (window.seen = [], window.atob = window.createImageBitmap = () => seen.push(1),"
        " HTMLCanvasElement.prototype.getContext = () => seen.push(2))"
    )
    port = PlaywrightPage(dom.page)
    driven = [await port.act({"type": "screenshot", "marks": True, **part}) for part in PARTS]
    await port.close()

    assert await dom.evaluate("document.documentElement.outerHTML") == before
    assert await dom.evaluate("seen") == []
    for drawn, taken in zip(inside, driven, strict=True):
        assert (drawn["marks"], drawn["unmarked"]) == (taken["marks"], taken["unmarked"])
        yellow = [await dom.page.evaluate(YELLOW, each["data"]) for each in (drawn, taken)]
        assert len(yellow[0]) > 100
        assert yellow[0] == yellow[1]


PARTS: tuple[dict[str, str], ...] = ({}, {"selector": "section"})
"""The whole page, and an element."""


async def test_a_driver_marks_no_more_of_a_page_than_the_page_does(dom: Dom) -> None:
    """A page that is longer is cut off, and an element that is too long for marks is an error."""
    await dom.open("<body><button>Top</button><div id=long style='height:40000px'></div>")
    port = PlaywrightPage(dom.page)
    whole = await port.act({"type": "screenshot", "marks": True})
    with pytest.raises(Denied, match="by 40000 pixels is too large for marks"):
        await port.act({"type": "screenshot", "marks": True, "selector": "#long"})
    await port.close()

    assert size(whole)[1] == 10_000
    assert (whole["marks"], whole["unmarked"]) == (1, 0)
