"""Pictures without a driver: of the page, of an element, and under strict policies."""

from __future__ import annotations

import base64
import struct
from typing import Any

from tests.e2e.dom.conftest import Dom
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
    await dom.act("screenshot")

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
    """A policy that forbids style attributes does not keep masked parts covered."""
    await dom.open(
        "<body><p id=p data-agent=mask>x</p><input type=password value=y>",
        content_security_policy="default-src 'none'",
    )
    await dom.evaluate("void (p.style.color = 'red')")
    before = await dom.evaluate("document.body.outerHTML + p.style.cssText")
    await PlaywrightPage(dom.page).act({"type": "screenshot"})

    assert await dom.evaluate("document.body.outerHTML + p.style.cssText") == before


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
