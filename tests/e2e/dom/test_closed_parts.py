"""Parts that a site closes to agents: `data-agent="ignore"`, `mask` and `readonly`.

Every text of a part that agents do not see has the word `NEVER`, and every text and value of a masked
part the word `HIDE`. No reading and no reply may hold either.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.dom.conftest import Dom
from tests.e2e.dom.test_screenshot import colour

PAGE = """<title>Shop</title><meta name=description content="NEVER described" data-agent=ignore>
<script type="application/ld+json" data-agent=ignore>{"@type": "Product", "name": "NEVER sold"}</script>
<body><header><nav><a href=/books>Books</a> <a href=/never data-agent=ignore>NEVER link</a></nav></header>
<main><h1>Orders</h1>
<section data-agent=ignore aria-label="NEVER region"><h2>NEVER heading</h2><p>NEVER text</p>
  <button>NEVER button</button><input aria-label="NEVER field"><pre>NEVER code</pre><ul role=alert>NEVER alert</ul>
  <table><tr><th>NEVER</th><th>B</th></tr><tr><td>NEVER</td><td>c</td></tr></table></section>
<div data-agent=mask><p>HIDE text</p><h2>HIDE heading</h2><a href="/HIDE/1">HIDE link</a><button>HIDE button</button>
  <button aria-label="Show more">HIDE</button><img alt="HIDE picture" width=20 height=20 src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
  <label>Street <input id=street value="HIDE 1"></label><label>Note <textarea>HIDE 2</textarea></label>
  <label>Country <select><option>HIDE a<option selected>HIDE b</select></label><pre>HIDE code
  more</pre><label>Gift <input type=checkbox checked></label><div contenteditable aria-label=Editor>HIDE 3</div>
  <meter value=0.3 aria-valuenow="HIDE">HIDE</meter><input type=submit value="HIDE submit">
  <dl><dt>HIDE term<dd>HIDE said</dl></div>
<p id=hint data-agent=mask>HIDE hint</p><p id=gone data-agent=ignore>NEVER hint</p>
<form aria-label=Pay><label>Name <input name=name aria-describedby="hint gone"></label>
  <button aria-labelledby="hint">x</button><label>Password <input type=password value="HIDE pw"></label>
  <label>Card <input autocomplete="section-a cc-number" data-agent=open value="HIDE 4242"></label>
  <label>Code <input autocomplete=one-time-code data-agent="" value="HIDE 123456"></label>
  <label>Hidden <input data-agent=ignore value="NEVER field"></label></form>
<table><caption>Staff</caption><tr><th>Who</th><th data-agent=ignore>NEVER pay</th><th>City</th></tr>
  <tr><td>Ann</td><td data-agent=ignore>NEVER 1</td><td data-agent=mask>HIDE city</td></tr>
  <tr data-agent=ignore><td>NEVER</td><td>NEVER 2</td><td>x</td></tr>
  <tr><td data-agent=ignore>NEVER Bob</td><td data-agent=ignore>NEVER 3</td><td>Leeds</td></tr></table>
<ul><li><a href=/a>Salt</a> ships today</li><li><a href=/b>Sea</a> <span data-agent=ignore>NEVER stock</span></li>
  <li data-agent=ignore><a href=/c>NEVER item</a></li></ul>
<x-card><b>NEVER slotted</b><i slot=open>seen</i></x-card><x-shut data-agent=ignore></x-shut>
<iframe data-agent=ignore title="NEVER frame" srcdoc="<p>NEVER in a frame</p><button>NEVER</button>"></iframe>
<iframe data-agent=mask title=Masked srcdoc="<p>HIDE in a frame</p><label>Inner <input value='HIDE inner'></label>"></iframe>
<iframe title=Open srcdoc="<p>in a frame <b data-agent=ignore>NEVER</b></p>"></iframe>
<pre><code data-agent=ignore>NEVER
</code>open code
lines</pre><div role=status>Saved <b data-agent=ignore>NEVER saved</b></div>
<div itemscope itemtype="https://schema.org/Product"><b itemprop=name data-agent=mask content="HIDE name">x</b>
  <b itemprop=sku data-agent=ignore>NEVER sku</b></div>
<select aria-label=Size><option>S<option data-agent=ignore>NEVER size<option data-agent=mask>HIDE size<option>L</select>
<input list=places aria-label=Place><datalist id=places><option>Cork<option data-agent=ignore>NEVER place</datalist>
</main><script>
document.querySelector("x-card").attachShadow({mode: "open"}).innerHTML =
  "<div data-agent=ignore><slot></slot></div><slot name=open></slot><p data-agent=mask>HIDE shadow</p>";
document.querySelector("x-shut").attachShadow({mode: "open"}).innerHTML = "<p>NEVER shadow</p><button>NEVER</button>";
</script>"""

READINGS: list[dict[str, Any]] = [
    {"type": "find_code"},
    {"type": "find_code", "selector": "p, td, b, input, textarea"},
    {"type": "navigation_outline"},
    {"type": "section_outline", "max_text": 5000},
    {"type": "form_details"},
    {"type": "table_details"},
    {"type": "summary"},
    {"type": "content"},
    {"type": "results"},
]


async def shown(dom: Dom) -> str:
    """Return all that an agent can read of the page, as text."""
    found: list[Any] = [await dom.snapshot()]
    for reading in READINGS:
        given = {key: value for key, value in reading.items() if key != "type"}
        found.append(await dom.act(reading["type"], **given))
    return json.dumps(found, ensure_ascii=False)


async def open_page(dom: Dom, html: str = PAGE) -> None:
    """Show the page with its frames."""
    await dom.open(html)
    await dom.page.wait_for_load_state("load")


async def test_no_reading_holds_what_is_closed(dom: Dom) -> None:
    """No snapshot, text, table, list, form or fact has a word of what is ignored or masked."""
    await open_page(dom)
    text = await shown(dom)

    assert "NEVER" not in text, text[max(0, text.find("NEVER") - 300) :][:600]
    assert "HIDE" not in text, text[max(0, text.find("HIDE") - 300) :][:600]
    assert "•••" in text


async def test_the_same_page_without_the_attributes_is_read_as_a_whole(dom: Dom) -> None:
    """The words are found when nothing is closed, so the test above sees what it has to see."""
    await open_page(dom, PAGE.replace("data-agent=", "data-x="))
    text = await shown(dom)

    for word in (
        "NEVER heading",
        "NEVER slotted",
        "NEVER in a frame",
        "NEVER 2",
        "HIDE b",
        "HIDE 3",
        "HIDE sh",
    ):
        assert word in text, word
    assert "HIDE pw" not in text


async def test_ignored_parts_are_not_counted(dom: Dom) -> None:
    """A page with ignored parts reads like the page without them; numbers and counts are the same."""
    part = (
        "<div {}><h2>Offer</h2><button>Buy</button><a href=/x>More</a><input aria-label=Code></div>"
    )
    row = "<tr {}><td>a<td>b</tr>"
    page = f"<body><h1>Tea</h1>{{}}<p>text</p><table><tr><th>A<th>B</tr><tr><td>1<td>2</tr>{row}</table><button>Send</button>"
    await dom.open(page.format(part.format("data-agent=ignore"), "data-agent=ignore"))
    closed = json.loads(await shown(dom))
    await dom.open(page.replace(row, "").format(""))
    without = json.loads(await shown(dom))

    for snapshot in (closed[0], without[0]):
        del snapshot["revision"]
    assert closed == without
    assert "total_rows" not in json.dumps(closed)


async def test_masked_parts_keep_their_roles_and_labels(dom: Dom) -> None:
    """An agent sees what is there, with `•••` for its text and values."""
    await open_page(dom)
    snapshot = await dom.snapshot()
    elements = {(e["role"], e["name"]): e for e in snapshot["elements"]}

    assert elements["textbox", "Street"]["value"] == "•••"
    assert elements["textbox", "Note"]["value"] == "•••"
    country = elements["combobox", "Country"]
    assert (country["value"], "options" in country) == ("•••", False)
    assert "checked" not in elements["checkbox", "Gift"]["states"]
    assert elements["textbox", "Editor"]["value"] == "•••"
    assert ("button", "Show more") in elements
    assert "href" not in elements["link", "•••"]
    assert elements["heading", "•••"]
    assert elements["textbox", "Name"]["description"] == "•••"
    assert elements["textbox", "Password"]["value"] == "•••"
    assert elements["textbox", "Card"]["value"] == "•••"
    assert elements["textbox", "Code"]["value"] == "•••"
    assert elements["textbox", "Inner"]["value"] == "•••"
    assert elements["combobox", "Size"]["options"] == ["S", "•••", "L"]


async def test_a_table_keeps_its_columns(dom: Dom) -> None:
    """A cell that agents do not see is empty; a column of which they see nothing is not there."""
    await open_page(dom)
    (staff,) = [t for t in await dom.act("table_details") if t["caption"] == "Staff"]

    assert staff["headers"] == ["Who", "City"]
    assert staff["rows"] == [["Ann", "•••"], ["", "Leeds"]]


async def test_masked_fields_can_be_filled(dom: Dom) -> None:
    """Text, a choice and a tick get into masked fields, and no reply repeats the value."""
    await open_page(dom)
    reply = await dom.act(
        "enter_data",
        form_data=[
            {"label": "Street", "text": "HIDE new"},
            {"label": "Country", "select": ["HIDE a"]},
            {"label": "Gift", "check": False},
        ],
    )

    assert "HIDE" not in json.dumps(reply, ensure_ascii=False)
    assert await dom.evaluate("street.value") == "HIDE new"
    assert await dom.evaluate("document.querySelector('select').value") == "HIDE a"
    assert await dom.evaluate("document.querySelector('[type=checkbox]').checked") is False


async def test_a_masked_list_does_not_answer_guesses(dom: Dom) -> None:
    """Part of a choice finds nothing, and the error lists no choices."""
    await open_page(dom)
    error = await dom.fail("enter_data", form_data=[{"label": "Country", "select": ["HIDE"]}])

    assert "has no choice" in error["message"]
    assert "HIDE a" not in json.dumps(error)


@pytest.mark.parametrize(
    "selector", ["input[value^=H]", "main:has([value^=H]) p", "#street:placeholder-shown"]
)
async def test_selectors_find_nothing_out(dom: Dom, selector: str) -> None:
    """Where something is closed, selectors may not ask for attributes and states."""
    await open_page(dom)
    for kind in ("screenshot", "find_code"):
        error = await dom.fail(kind, selector=selector)
        assert "closed to agents" in error["message"]


async def test_ignored_elements_are_not_found(dom: Dom) -> None:
    """By no text, no label, no selector and no number, even one from before it was closed."""
    await dom.open(
        "<body><p>a</p><div id=part><button onclick='window.hit=1'>Buy</button><input aria-label=Code><a href=/x>Go</a></div>"
    )
    button, field, link = await dom.id("Buy"), await dom.id("Code"), await dom.id("Go")
    await dom.evaluate("part.dataset.agent = 'ignore'")

    for number in (button, field, link):
        for kind in ("click", "click_link", "screenshot", "form_details", "table_details"):
            assert "is gone" in (await dom.fail(kind, pp_id=number))["message"]
    assert "is gone" in (await dom.fail("scroll", direction="down", pp_id=button))["message"]
    assert (
        "is gone"
        in (await dom.fail("enter_data", form_data=[{"pp_id": field, "text": "x"}]))["message"]
    )
    error = await dom.fail("enter_data", form_data=[{"label": "Code", "text": "x"}])
    assert (error["message"], error["help"]) == (
        "there is no field with the label `Code`",
        "the page shows no fields",
    )
    assert (await dom.fail("click_link", text="Go"))["help"] == "the page shows no links"
    assert (
        "nothing in the page matches"
        in (await dom.fail("screenshot", selector="button"))["message"]
    )
    assert "no search" in (await dom.fail("search", query="x"))["message"]
    assert await dom.evaluate("window.hit") is None


async def test_an_ignored_cover_is_not_named(dom: Dom) -> None:
    """An ignored layer keeps clicks away from what is below it, and is not described."""
    await dom.open("""<body style="margin:0"><button style="width:200px;height:50px">Buy</button>
        <div data-agent=ignore role=dialog aria-label=NEVER style="position:fixed;inset:0">NEVER</div>""")
    error = await dom.fail("click", pp_id=await dom.id("Buy"))

    assert error["message"].endswith("is covered")
    assert "NEVER" not in json.dumps(error)


READONLY = """<body><form id=f onsubmit="window.sent = 1; return false"><div data-agent=readonly>
  <label>Price <input id=price value=5></label><label>Sale <input id=sale type=checkbox></label>
  <label>Kind <select id=kind><option>a<option>b</select></label><button type=button onclick="window.hit = 1">Raise</button>
  <label id=outer>Plan A <input type=radio name=plan checked></label></div>
  <a href="#x"><label for=sale>Reduced</label></a><label>Plan B <input type=radio name=plan></label>
  <label>Amount <input name=amount></label><button>Order</button><button type=reset>Clear</button></form>
  <form id=g data-agent=readonly onsubmit="window.sent = 2; return false"><input aria-label=Inside></form>
  <button form=g>Send all</button><label>Outside <input form=g></label>
  <div contenteditable aria-label=Letter>Dear <b data-agent=readonly>Sir</b></div>"""


@pytest.mark.parametrize(
    ("kind", "arguments", "named"),
    [
        ("click", "Raise", 'button "Raise"'),
        ("click", "Reduced", "checkbox"),
        ("click", "Clear", "textbox"),
        ("click", "Send all", "form"),
        ("enter_data", {"label": "Price", "text": "1"}, 'textbox "Price"'),
        ("enter_data", {"label": "Kind", "select": ["b"]}, 'combobox "Kind"'),
        ("enter_data", {"label": "Kind", "index": 1}, 'combobox "Kind"'),
        ("enter_data", {"name": "sale", "check": True}, "checkbox"),
        ("enter_data", {"label": "Plan B", "check": True}, 'radio "Plan A"'),
        ("enter_data", {"label": "Inside", "text": "1"}, 'textbox "Inside"'),
    ],
)
async def test_no_action_changes_what_is_readonly(
    dom: Dom, kind: str, arguments: Any, named: str
) -> None:
    """A click, an entry, a choice, a reset or a submission from outside is denied, and says why."""
    await dom.open(READONLY)
    before = await state(dom)
    if kind == "click":
        snapshot = await dom.snapshot()
        number = next(e["id"] for e in snapshot["elements"] if e["name"] == arguments)
        error = await dom.fail("click", pp_id=number)
    else:
        error = await dom.fail("enter_data", form_data=[arguments])

    assert error["kind"] == "denied"
    assert error["message"].startswith("the site closed `[")
    assert named in error["message"]
    assert error["message"].endswith('to agents (`data-agent="readonly"`)')
    assert await state(dom) == before


async def state(dom: Dom) -> Any:
    """Return what an action could have changed."""
    return await dom.evaluate(
        "[price.value, sale.checked, kind.value, window.hit, window.sent, ...document.querySelectorAll('[type=radio]')]"
        ".map((one) => one?.checked ?? one ?? null).concat(document.querySelector('[contenteditable]').textContent)"
    )


async def test_readonly_is_seen_as_usual(dom: Dom) -> None:
    """Names, values and choices stay; its fields have the state `readonly`."""
    await dom.open(READONLY)
    elements = {e["name"]: e for e in (await dom.snapshot())["elements"]}

    assert elements["Price"]["value"] == "5"
    assert "readonly" in elements["Price"]["states"]
    assert elements["Kind"]["options"] == ["a", "b"]
    assert elements["Raise"]["role"] == "button"


async def test_a_form_with_a_readonly_field_is_submitted_with_it(dom: Dom) -> None:
    """The field goes as it is; the rest of the form is filled in as usual."""
    await dom.open(READONLY)
    await dom.act("enter_data", form_data=[{"label": "Amount", "text": "2"}], submit=True)

    assert await dom.evaluate("[window.sent, price.value]") == [1, "5"]


async def test_a_readonly_form_is_not_submitted(dom: Dom) -> None:
    """Not even from a field outside of it."""
    await dom.open(READONLY)
    error = await dom.fail("enter_data", form_data=[{"label": "Outside", "text": "2"}], submit=True)

    assert error["kind"] == "denied"
    assert 'data-agent="readonly"' in error["message"]
    assert await dom.evaluate("window.sent") is None


async def test_a_form_whose_button_is_ignored_is_not_submitted(dom: Dom) -> None:
    """A site that closes the button closes the submission."""
    await dom.open("""<body><form onsubmit="window.sent = 1; return false"><input aria-label=Amount>
        <button data-agent=ignore>NEVER</button></form>""")
    error = await dom.fail("enter_data", form_data=[{"label": "Amount", "text": "2"}], submit=True)

    assert error["message"] == "the form has no button that an agent may press"
    assert await dom.evaluate("window.sent") is None


async def test_an_editor_is_not_written_over_what_is_closed_in_it(dom: Dom) -> None:
    """Writing into an editor replaces all of it, so it is denied when a part of it is closed."""
    await dom.open(READONLY)
    error = await dom.fail("enter_data", form_data=[{"label": "Letter", "text": "x"}])

    assert "holds what the site closed to agents" in error["message"]
    assert (
        await dom.evaluate("document.querySelector('[contenteditable]').textContent") == "Dear Sir"
    )


async def test_the_restrictions_of_all_ancestors_hold(dom: Dom) -> None:
    """A value inside cannot open what is closed around it, and `mask` inside `readonly` is both."""
    await dom.open("""<body><div data-agent=ignore><p data-agent=readonly>NEVER</p></div>
        <div data-agent=readonly><label>Pin <input data-agent=mask value=HIDE></label></div>
        <div data-agent=" Mask  READONLY "><label>Tan <input value=HIDE></label></div>
        <label>Free <input data-agent=hidden value=free></label>""")
    elements = {e["name"]: e for e in (await dom.snapshot())["elements"]}

    assert "NEVER" not in await shown(dom)
    for name in ("Pin", "Tan"):
        assert (elements[name]["value"], "readonly" in elements[name]["states"]) == ("•••", True)
    assert elements["Free"]["value"] == "free"


async def test_a_password_stays_masked_when_the_page_shows_it(dom: Dom) -> None:
    """A button that makes a password readable makes it readable for the person only."""
    await dom.open("""<body><label>Password <input id=pw type=password value=HIDE></label>
        <button onclick="pw.type = 'text'">Show password</button>""")
    await dom.act("click", pp_id=await dom.id("Show password"))

    assert await dom.evaluate("pw.type") == "text"
    assert "HIDE" not in await shown(dom)


@pytest.mark.parametrize(
    "name",
    ["cvv", "card_number", "cardNumber", "payment[cvc]", "otp", "loginPassword", "oneTimeCode"],
)
async def test_a_field_is_secret_by_its_name(dom: Dom, name: str) -> None:
    """Many sites leave `autocomplete` out."""
    await dom.open(f"""<body><label>One <input name="{name}" value=HIDE></label>
        <label>Two <input id="{name}" value=HIDE inputmode=numeric></label>
        <label>Three <input name=discard_number value=SHOWN></label>
        <label>Show it <input type=checkbox name="{name}"></label>""")
    text = await shown(dom)

    assert "HIDE" not in text
    assert "SHOWN" in text


async def test_a_change_in_an_ignored_part_is_not_reported(dom: Dom) -> None:
    """Neither new text, nor an alert, nor a dialog that opens there."""
    await dom.open("""<body><button onclick="part.innerHTML =
        '<p role=alert>NEVER</p><div role=dialog aria-modal=true aria-label=NEVER>NEVER</div>'">Go</button>
        <div id=part data-agent=ignore></div>""")
    reply = await dom.act("click", pp_id=await dom.id("Go"))

    assert reply["changed"] == {"appeared": [], "alerts": []}
    assert "NEVER" not in json.dumps(reply)


async def test_validation_messages_of_masked_fields(dom: Dom) -> None:
    """A browser's message repeats the value; an agent gets that it is not valid."""
    await dom.open(
        """<body><form><label>Mail <input type=email data-agent=mask></label><button>Send</button></form>"""
    )
    error = await dom.fail("enter_data", form_data=[{"label": "Mail", "text": "HIDE"}], submit=True)

    assert error["message"] == "the form was not submitted: `Mail`: it is not valid"


PICTURE = """<body style="margin:0;background:rgb(0,0,255);font:16px monospace">
  <div style="height:50px;background:rgb(255,0,0)">open</div>
  <div data-agent=ignore style="height:50px;background:rgb(0,255,0)">
    <b style="position:fixed;top:300px;left:0;width:50px;height:50px;background:rgb(0,255,0)">NEVER</b></div>
  <div data-agent=mask style="height:50px;color:rgb(255,255,0);overflow:hidden">
    <img width=50 height=50 style="display:block" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='50' height='50'><rect width='50' height='50' fill='rgb(9,99,9)'/></svg>"></div>
  <svg style="display:block" width=100 height=50><rect width=50 height=50 fill="rgb(9,99,9)" data-agent=ignore /><rect x=50 width=50 height=50 fill="rgb(1,2,3)" /></svg>
  <iframe data-agent=ignore style="display:block;border:0;width:100px;height:50px" srcdoc="<body style='background:rgb(9,99,9)'>"></iframe>
  <canvas data-agent=mask style="display:block" width=50 height=50></canvas>
  <div style="height:50px;margin-top:50px;background:rgb(255,0,0)"></div>
  <script>const pen = document.querySelector("canvas").getContext("2d"); pen.fillStyle = "rgb(9,99,9)"; pen.fillRect(0, 0, 50, 50)</script>"""


@pytest.mark.parametrize("marks", [False, True])
async def test_pictures_leave_closed_parts_blank(dom: Dom, marks: bool) -> None:
    """The page keeps its layout, and nothing of what is ignored or masked is drawn."""
    await open_page(dom, PICTURE)
    picture = await dom.act("screenshot", marks=marks)
    spots = {"open": (200, 25), "ignored": (200, 75), "masked": (25, 125), "drawn": (25, 175)}
    spots |= {
        "beside": (75, 175),
        "frame": (50, 225),
        "canvas": (25, 275),
        "fixed": (25, 325),
        "after": (200, 375),
    }
    seen = {name: await colour(dom, picture, *spot) for name, spot in spots.items()}

    assert seen == {
        "open": [255, 0, 0],
        "ignored": [0, 0, 255],
        "masked": [0, 0, 255],
        "drawn": [0, 0, 255],
        "beside": [1, 2, 3],
        "frame": [0, 0, 255],
        "canvas": [0, 0, 255],
        "fixed": [0, 0, 255],
        "after": [255, 0, 0],
    }
