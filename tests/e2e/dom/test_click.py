"""Clicks: what the page hears, what comes back, and what a person could not click."""

from __future__ import annotations

import pytest

from tests.e2e.dom.conftest import Dom

LOG = """<script>window.seen = [];
  for (const type of ["pointerover", "mouseenter", "pointerdown", "mousedown", "focus", "pointerup", "mouseup", "click"])
    document.querySelector("#t").addEventListener(type, (event) => seen.push(event.type)); </script>"""


async def test_a_click_is_a_whole_one(dom: Dom) -> None:
    """The page hears the pointer come, press, the focus, and the click, as of a mouse."""
    await dom.open(f"<body><button id=t>Add</button>{LOG}")
    reply = await dom.act("click", pp_id=await dom.id("Add"))

    assert await dom.evaluate("seen") == [
        "pointerover",
        "mouseenter",
        "pointerdown",
        "mousedown",
        "focus",
        "pointerup",
        "mouseup",
        "click",
    ]
    assert reply == {
        "did": 'clicked `[1] button "Add"`',
        "navigates": False,
        "url": dom.site.origin + "/",
        "changed": {"appeared": [], "alerts": []},
    }


async def test_the_reply_reports_what_appears(dom: Dom) -> None:
    """New lines, alerts and a dialog come with the reply, also when they take a moment."""
    await dom.open("""<body><p role=status></p><button>Add</button><dialog aria-label=Done><p>Thanks</p></dialog>
        <script>document.querySelector("button").onclick = async () => {
          await new Promise((done) => setTimeout(done, 60));
          document.querySelector("[role=status]").textContent = "1 in the basket";
          await new Promise((done) => setTimeout(done, 60));
          document.body.insertAdjacentHTML("beforeend", "<p>Sencha, £4 <button>Remove</button></p>");
          document.querySelector("dialog").show(); }</script>""")
    changed = (await dom.act("click", pp_id=await dom.id("Add")))["changed"]
    elements = {e["name"]: e["id"] for e in (await dom.snapshot())["elements"]}

    assert changed["alerts"] == ["1 in the basket"]
    assert f'Sencha, £4 [{elements["Remove"]}] button "Remove"' in changed["appeared"]
    assert "Thanks" in changed["appeared"]
    assert changed["dialog"] == {"pp_id": elements["Done"], "name": "Done"}


REFUSED = [
    ("<button disabled>x</button>", "is disabled"),
    ("<button aria-disabled=true>x</button>", "is disabled"),
    ("<button>x</button><div style='position:fixed;inset:0' role=alert aria-label=Wait>y</div>", 'is covered by [2] alert "Wait"'),
    ("<button>x</button><div style='position:fixed;inset:0'>Cookies?</div>", "is covered by a `div` with the text `Cookies?`"),
    ("<button style='pointer-events:none'>x</button>", "takes no clicks"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "why"), REFUSED, ids=[why for _, why in REFUSED])
async def test_clicks_a_person_could_not_make_are_refused(dom: Dom, html: str, why: str) -> None:
    """Disabled, covered and untouchable elements are refused with the reason."""
    await dom.open(f"<body>{html}<script>onclick = () => window.hit = true</script>")
    error = await dom.fail("click", pp_id=await dom.id("x"))

    assert error["kind"] == "denied"
    assert error["message"].startswith('[1] button "x" ')
    assert why in error["message"]
    assert not await dom.evaluate("window.hit")


async def test_hidden_elements_are_refused(dom: Dom) -> None:
    """An element that was seen and is hidden now, or is behind a dialog, is refused."""
    await dom.open("<body><button>a</button><button>b</button><dialog aria-label=Sure>?</dialog>")
    a, b = await dom.id("a"), await dom.id("b")
    await dom.evaluate("document.querySelector('button').hidden = true")
    hidden = await dom.fail("click", pp_id=a)
    await dom.evaluate("document.querySelector('dialog').showModal()")
    behind = await dom.fail("click", pp_id=b)

    assert "is not visible" in hidden["message"]
    assert 'is behind [3] dialog "Sure"' in behind["message"]


async def test_unknown_numbers_are_refused(dom: Dom) -> None:
    """A number that was never given to an element is refused."""
    await dom.open("<body><button>a</button>")
    await dom.snapshot()

    assert (await dom.fail("click", pp_id=99))["message"] == "there is no element `99`"
    assert (await dom.fail("click", pp_id="a"))["message"] == "there is no element `a`"
    assert (await dom.fail("click"))["message"] == "there is no element `undefined`"


async def test_far_elements_are_scrolled_to(dom: Dom) -> None:
    """An element out of view is brought there before it is clicked, also in boxes that scroll."""
    await dom.open("""<body><div style="height:200px;overflow:auto"><div style="height:3000px"></div>
        <button onclick="window.hit = true">Deep</button></div><div style="height:5000px"></div>
        <button onclick="window.far = true">Far</button>""")
    await dom.act("click", pp_id=await dom.id("Deep"))
    await dom.act("click", pp_id=await dom.id("Far"))

    assert await dom.evaluate("hit && far")


async def test_clicks_in_frames_and_shadow_trees(dom: Dom) -> None:
    """Buttons in shadow trees and same-origin frames are clicked; a covered frame is refused."""
    dom.site.pages["/inner"] = "<button onclick='parent.inner = true'>Inner</button>"
    await dom.open("""<body><x-a></x-a><iframe src=/inner></iframe><script>
        const root = document.querySelector("x-a").attachShadow({mode: "open"});
        root.innerHTML = "<button>Shadow</button>"; root.querySelector("button").onclick = () => window.shadow = true;
        </script>""")
    await dom.act("click", pp_id=await dom.id("Shadow"))
    inner = await dom.id("Inner")
    await dom.act("click", pp_id=inner)
    assert await dom.evaluate("inner && shadow")

    await dom.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<div style=position:fixed;inset:0>Veil</div>')"
    )
    assert (
        "is covered by a `div` with the text `Veil`"
        in (await dom.fail("click", pp_id=inner))["message"]
    )


async def test_an_element_that_is_replaced_while_it_is_pressed(dom: Dom) -> None:
    """An element that replaces the pressed one gets the click."""
    await dom.open(
        """<body><button onmousedown="this.outerHTML = '<button onclick=window.hit=1>New</button>'">Old</button>"""
    )
    await dom.act("click", pp_id=await dom.id("Old"))

    assert await dom.evaluate("hit") == 1


async def test_a_click_that_leaves_the_page(dom: Dom) -> None:
    """As soon as another document is on its way, the reply says where to."""
    await dom.open("<body><a href=/held/next>Next</a>")
    reply = await dom.act("click", pp_id=await dom.id("Next"))

    assert reply["navigates"]
    assert reply["url"] == dom.site.origin + "/held/next"
    await dom.page.wait_for_url(reply["url"])


async def test_same_document_navigations_stay(dom: Dom) -> None:
    """Fragments, `pushState` and intercepted navigations give the new address, and the page stays."""
    await dom.open("""<body><a href="#a">Fragment</a><button onclick="history.pushState(0, '', '/pushed')">Push</button>
        <a href="/taken">Taken</a><script>
        navigation.addEventListener("navigate", (event) => {
          if (event.destination.url.endsWith("/taken")) event.intercept({ async handler() {
            document.body.append("Shown") } }) })</script>""")
    replies = [
        await dom.act("click", pp_id=await dom.id(name)) for name in ("Fragment", "Push", "Taken")
    ]

    assert [reply["navigates"] for reply in replies] == [False, False, False]
    assert [reply["url"].removeprefix(dom.site.origin) for reply in replies] == [
        "/#a",
        "/pushed",
        "/taken",
    ]
    assert any("Shown" in line for line in replies[2]["changed"]["appeared"])


async def test_a_link_to_a_new_tab_says_so(dom: Dom) -> None:
    """The page stays, and the reply reports the tab."""
    await dom.open("<body><a href=/x target=_blank>Help</a><a href=/y target=_self>Stay</a>")
    reply = await dom.act("click_link", text="Help")

    assert reply["new_tab"]
    assert "opens a new tab" in reply["did"]
    assert not reply["navigates"]


async def test_lists_and_file_fields_are_not_clicked(dom: Dom) -> None:
    """Lists and file fields are filled in instead of clicked, and the error says how."""
    await dom.open(
        "<body><select aria-label=Size><option>S</select><input type=file aria-label=Photo>"
    )
    size = await dom.fail("click", pp_id=await dom.id("Size"))
    photo = await dom.fail("click", pp_id=await dom.id("Photo"))

    assert size["help"] == "use `enter_data` with `select`"
    assert photo["help"] == "use `enter_data` with `files`"


LINKS = """<body><a href="#news">News</a> <a href="#about">About us</a> <a href="#about">About us</a>
    <a href="#news-old">News archive</a> <button>Basket</button>"""


@pytest.mark.parametrize(
    ("text", "fragment"), [("News", "#news"), ("news ARCHIVE!", "#news-old"), ("about", "#about")]
)
async def test_links_by_their_text(dom: Dom, text: str, fragment: str) -> None:
    """The very text wins, then the same without case and signs, then how one link alone begins."""
    await dom.open(LINKS)

    assert (await dom.act("click_link", text=text))["url"].endswith(fragment)


async def test_links_that_are_not_clear(dom: Dom) -> None:
    """Several links, none, a button of that name, or nothing to go by are errors with candidates."""
    await dom.open(LINKS.replace('<a href="#news">News</a>', "<a href='#n'>Newsletter</a>"))
    several = await dom.fail("click_link", text="new")
    missing = await dom.fail("click_link", text="Contact")
    button = await dom.fail("click_link", text="basket")
    nothing = await dom.fail("click_link")
    number = await dom.fail("click_link", pp_id=await dom.id("Basket"))

    assert several["message"] == "2 links fit `new`"
    assert (
        several["help"] == 'name one by its number: [1] link "Newsletter", [4] link "News archive"'
    )
    assert missing["message"] == "there is no link `Contact`"
    assert missing["help"].startswith("the links here are ")
    assert button["help"] == 'use `click` for [5] button "Basket"'
    assert nothing["message"] == "it is not said which link"
    assert number["message"] == '[5] button "Basket" is not a link'


async def test_native_dialogs_are_left_to_the_person(dom: Dom) -> None:
    """The page's `confirm` is asked as ever."""
    await dom.open("<body><button onclick=\"window.said = confirm('Sure?')\">Delete</button>")
    asked = []

    async def answer(dialog) -> None:  # type: ignore[no-untyped-def]
        asked.append(dialog.message)
        await dialog.accept()

    dom.page.on("dialog", answer)
    await dom.act("click", pp_id=await dom.id("Delete"))

    assert asked == ["Sure?"]
    assert await dom.evaluate("said")


async def test_unknown_actions(dom: Dom) -> None:
    """An action that there is not lists those that there are."""
    await dom.open("<body>")
    error = await dom.fail("jump")

    assert error["message"] == "there is no action `jump`"
    assert "`click`, `click_link`, `enter_data`" in error["help"]
    assert (await dom.fail("constructor"))["message"] == "there is no action `constructor`"


async def test_icons_are_clicked(dom: Dom) -> None:
    """A button or a link that is nothing but a drawing is clicked; a link without words says where to."""
    icon = "<svg width=20 height=20><path d='M0 0h20v20H0z'/></svg>"
    await dom.open(
        f"<body><button aria-label=Cart onclick='window.hit = true'>{icon}</button><a href='#cart'>{icon}</a>"
    )
    await dom.act("click", pp_id=await dom.id("Cart"))
    reply = await dom.act("click", pp_id=await dom.id(""))

    assert await dom.evaluate("hit")
    assert reply["url"].endswith("#cart")
    assert "[2] link to /#cart" in await dom.text()


async def test_a_page_that_says_it_is_busy(dom: Dom) -> None:
    """The click waits for content that loads while the page calls itself busy."""
    await dom.open("""<body><main id=m><button>More</button></main><script>
        document.querySelector("button").onclick = () => { m.ariaBusy = "true";
          setTimeout(() => { m.append("Loaded"); m.ariaBusy = "false" }, 600) }</script>""")
    reply = await dom.act("click", pp_id=await dom.id("More"))

    assert any("Loaded" in line for line in reply["changed"]["appeared"])
