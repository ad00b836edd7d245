"""The mouse beyond clicks: what the page gets of pointing, dragging and dropping files."""

from __future__ import annotations

import base64

import pytest

from tests.e2e.dom.conftest import Dom

RECORDER = """window.seen = [];
  window.record = (selector, ...types) => { for (const one of document.querySelectorAll(selector))
    for (const type of types) one.addEventListener(type, (event) => {
      if (event.target === one) seen.push(`${type} ${one.id}`); }); };"""


async def test_pointing_at_an_element(dom: Dom) -> None:
    """The page gets the events of a mouse that comes, and of one that leaves what it was on."""
    types = '"pointerover", "pointerenter", "mouseover", "mouseenter", "pointermove", "mousemove", "pointerout", "pointerleave", "mouseout", "mouseleave"'
    await dom.open(
        f"<body><button id=a>A</button><button id=b>B</button><script>{RECORDER} record('button', {types})</script>"
    )
    a, b = await dom.id("A"), await dom.id("B")
    reply = await dom.act("hover", pp_id=a)
    await dom.act("hover", pp_id=b)

    assert await dom.evaluate("seen") == [
        *(f"{type_} a" for type_ in ("pointerover", "pointerenter", "mouseover", "mouseenter")),
        *("pointermove a", "mousemove a"),
        *("pointerout a", "pointerleave a", "mouseout a", "mouseleave a"),
        *(f"{type_} b" for type_ in ("pointerover", "pointerenter", "mouseover", "mouseenter")),
        *("pointermove b", "mousemove b"),
    ]
    assert reply["did"] == 'pointed at `[1] button "A"`'
    assert "styles of `:hover` do not apply" in reply["left_out"]


async def test_a_menu_that_opens_under_the_mouse(dom: Dom) -> None:
    """The reply has what a script shows then."""
    await dom.open("""<body><button>Tools</button><ul hidden><li>Export</ul><script>
        document.querySelector("button").onmouseenter = () => document.querySelector("ul").hidden = false</script>""")

    assert (await dom.act("hover", pp_id=await dom.id("Tools")))["changed"]["appeared"] == [
        "- Export"
    ]


BOARD = """<body><ul><li id=card role=option aria-label=Card tabindex=0 draggable=true>Card</li></ul>
  <div id=done role=region aria-label=Done style="height:60px;background:#eee">Done</div>
  <div id=shut role=region aria-label=Shut style="height:60px">Shut</div><script>%s
  record("#card", "pointerdown", "mousedown", "dragstart", "pointercancel", "drag", "dragend", "mouseup", "click");
  record("#done", "dragenter", "dragover", "drop");
  card.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", "42"));
  done.addEventListener("dragover", (event) => event.preventDefault());
  done.addEventListener("drop", (event) => { event.preventDefault();
    done.append(card, ` got ${event.dataTransfer.getData("text/plain")}`); });</script>"""


async def test_an_element_is_dragged_with_its_data(dom: Dom) -> None:
    """A `draggable` is dropped where the page allows it, in the order of a browser."""
    await dom.open(BOARD % RECORDER)
    reply = await dom.act("drag", pp_id=await dom.id("Card"), to=await dom.id("Done"))
    seen = list(dict.fromkeys(await dom.evaluate("seen")))

    assert [one for one in seen if one.endswith("card")] == [
        *("pointerdown card", "mousedown card", "dragstart card", "pointercancel card"),
        *("drag card", "dragend card"),
    ]
    assert [one for one in seen if one.endswith("done")] == [
        *("dragenter done", "dragover done", "drop done"),
    ]
    assert seen.index("drop done") < seen.index("dragend card")
    assert "got 42" in await dom.text()
    assert reply["did"] == 'dragged `[1] option "Card"` onto `[2] region "Done"`'


async def test_a_drop_that_nothing_takes_is_an_error(dom: Dom) -> None:
    """Only a target that allows the drop gets one."""
    await dom.open(BOARD % RECORDER)
    error = await dom.fail("drag", pp_id=await dom.id("Card"), to=await dom.id("Shut"))

    assert "nothing there takes it" in error["message"]
    assert "drop done" not in await dom.evaluate("seen")


async def test_a_page_that_follows_the_mouse_itself(dom: Dom) -> None:
    """A handle without `draggable` gets a mouse that moves with its button pressed."""
    await dom.open("""<body style="height:400px"><div id=thumb role=slider tabindex=0 aria-label=Volume
        style="position:absolute;left:50px;top:50px;width:20px;height:20px;background:red"></div><script>
        thumb.onpointerdown = (event) => { thumb.setPointerCapture(event.pointerId); window.from = event.clientX; };
        thumb.onpointermove = (event) => { if (event.buttons === 1 && thumb.hasPointerCapture(event.pointerId))
          thumb.style.left = `${50 + event.clientX - from}px`; };
        thumb.onpointerup = () => window.released = thumb.style.left;</script>""")
    await dom.act("drag", pp_id=await dom.id("Volume"), by_x=120)

    assert await dom.evaluate("released") == "170px"
    assert not await dom.evaluate(
        "thumb.hasPointerCapture(1) || Object.hasOwn(thumb, 'hasPointerCapture')"
    )


async def test_drags_that_a_person_could_not_make(dom: Dom) -> None:
    """Disabled and covered elements, distances out of view, and places that are not said, are refused."""
    await dom.open("""<body><button disabled>Off</button><button>On</button><button>Under</button><input type=range aria-label=Level>
        <script>const rect = [...document.querySelectorAll("button")].at(-1).getBoundingClientRect();
        document.body.insertAdjacentHTML("beforeend", `<div style="position:fixed;left:${rect.left}px;top:${rect.top}px;width:${rect.width}px;height:${rect.height}px">x</div>`)</script>""")
    on = await dom.id("On")
    disabled = await dom.fail("drag", pp_id=await dom.id("Off"), to=on)
    covered = await dom.fail("drag", pp_id=on, to=await dom.id("Under"))
    away = await dom.fail("drag", pp_id=on, by_x=5000)
    nowhere = await dom.fail("drag", pp_id=on)
    level = await dom.fail("drag", pp_id=await dom.id("Level"), by_x=10)

    assert "is disabled" in disabled["message"]
    assert "is covered by" in covered["message"]
    assert "outside of what is in view" in away["message"]
    assert nowhere["help"] == "give `to`, or `by_x` and `by_y` in pixels"
    assert "`enter_data`" in level["help"]


async def test_elements_that_move_when_the_mouse_comes(dom: Dom) -> None:
    """A menu that closes as the mouse leaves it moves both elements, and the drag still meets them."""
    await dom.open(f"""<body><button>Tools</button><div id=menu hidden style="height: 200px">Menu</div>
        {(BOARD % RECORDER).removeprefix("<body>")}<script>
        const tools = document.querySelector("button"), menu = document.querySelector("#menu");
        tools.onmouseenter = () => menu.hidden = false;
        tools.onmouseleave = () => menu.hidden = true;</script>""")
    await dom.act("hover", pp_id=await dom.id("Tools"))
    await dom.act("drag", pp_id=await dom.id("Card"), to=await dom.id("Done"))

    assert "got 42" in await dom.text()


async def test_dragging_in_frames(dom: Dom) -> None:
    """A drag works within a frame, and not from one to another."""
    dom.site.pages["/inner"] = BOARD % RECORDER
    await dom.open("<body><iframe src=/inner width=400 height=300></iframe><button>Out</button>")
    card = await dom.id("Card")
    error = await dom.fail("drag", pp_id=card, to=await dom.id("Out"))
    await dom.act("drag", pp_id=card, to=await dom.id("Done"))

    assert "are in different frames" in error["message"]
    assert "got 42" in await dom.text()


async def test_a_page_that_turns_on_the_mouse(dom: Dom) -> None:
    """Elements that go away under the mouse end a drag, and nothing is thrown."""
    await dom.open("""<body><button id=a>A</button><button id=b>B</button><script>
        a.onpointerdown = () => { a.remove(); document.body.prepend("gone"); }</script>""")
    a, b = await dom.id("A"), await dom.id("B")
    await dom.act("drag", pp_id=a, to=b)

    assert "gone" in await dom.text()
    assert "is gone" in (await dom.fail("drag", pp_id=a, to=b))["message"]


FILES = [{"name": "cv.pdf", "type": "application/pdf", "data": base64.b64encode(b"%PDF").decode()}]


@pytest.mark.parametrize(
    "html",
    [
        "<label>CV <input type=file accept='.pdf'></label>",
        "<div><button>CV</button><input type=file accept='application/*' style='display:none'></div>",
    ],
)
async def test_files_go_into_the_field_that_is_meant(dom: Dom, html: str) -> None:
    """A file field is named by itself, by its label, or by the button that opens it."""
    await dom.open(
        f"<body>{html}<script>onchange = (event) => window.got = event.target.files[0].name</script>"
    )
    target = (await dom.snapshot())["elements"][0]
    await dom.act("upload", pp_id=target["id"], files=FILES)

    assert await dom.evaluate("got") == "cv.pdf"


async def test_files_are_dropped_where_the_page_takes_them(dom: Dom) -> None:
    """A place without a file field gets the events of a drop."""
    await dom.open("""<body><div id=zone role=region aria-label=Drop style="height:80px">Drop files</div><script>
        zone.ondragover = (event) => event.preventDefault();
        zone.ondrop = async (event) => { event.preventDefault(); const [file] = event.dataTransfer.files;
          zone.append(` ${file.name} ${await file.text()}`); }</script><button>Other</button>""")
    reply = await dom.act("upload", pp_id=await dom.id("Drop", "region"), files=FILES)
    error = await dom.fail("upload", pp_id=await dom.id("Other"), files=FILES)

    assert "cv.pdf %PDF" in await dom.text()
    assert reply["did"] == 'dropped `cv.pdf` onto `[1] region "Drop"`'
    assert "takes no files" in error["message"]


@pytest.mark.parametrize(
    ("field", "files", "why"),
    [
        ("<input type=file aria-label=f accept='image/*,.zip'>", FILES, "does not take `cv.pdf`"),
        ("<input type=file aria-label=f>", FILES * 2, "takes one file, not 2"),
        ("<input type=file aria-label=f multiple>", FILES * 51, "too many or too large"),
        ("<input type=file aria-label=f disabled>", FILES, "is disabled"),
        ("<input type=file aria-label=f>", [], "there are no files"),
        ("<input type=file aria-label=f>", [{"name": "x", "data": "%"}], "is not base64"),
    ],
)
async def test_files_that_a_field_does_not_take(
    dom: Dom, field: str, files: list[dict[str, str]], why: str
) -> None:
    """Kind, number and size are as the field says, and a refused file is not in it."""
    await dom.open(f"<body>{field}")
    error = await dom.fail("upload", pp_id=await dom.id("f"), files=files)

    assert why in error["message"]
    assert await dom.evaluate("document.querySelector('input').files.length") == 0
