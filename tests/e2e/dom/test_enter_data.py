"""Entering data: every kind of field, how it is found, what the page hears, what is refused."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.e2e.dom.conftest import Dom

pytestmark = pytest.mark.conformance

FIELDS: list[tuple[str, dict[str, Any], Any]] = [
    ("<input id=f aria-label=F>", {"text": "Ada"}, "Ada"),
    ("<input id=f aria-label=F value=old>", {"text": ""}, ""),
    ("<textarea id=f aria-label=F></textarea>", {"text": "two\nlines"}, "two\nlines"),
    ("<input id=f aria-label=F type=email>", {"text": "a@b.example"}, "a@b.example"),
    ("<input id=f aria-label=F type=password>", {"text": "secret"}, "secret"),
    ("<input id=f aria-label=F type=search>", {"text": "tea"}, "tea"),
    ("<input id=f aria-label=F type=number step=any>", {"text": "12.5"}, "12.5"),
    ("<input id=f aria-label=F type=range max=50>", {"text": "20"}, "20"),
    ("<input id=f aria-label=F type=color>", {"text": "red"}, "#ff0000"),
    ("<input id=f aria-label=F type=color>", {"text": "#ABC"}, "#aabbcc"),
    ("<input id=f aria-label=F type=date>", {"text": "2027-03-05"}, "2027-03-05"),
    ("<input id=f aria-label=F type=date>", {"text": "5 March 2027"}, "2027-03-05"),
    ("<input id=f aria-label=F type=date>", {"text": "Friday, 5th of March 2027"}, "2027-03-05"),
    ("<input id=f aria-label=F type=date>", {"text": "Mar 5, 2027"}, "2027-03-05"),
    ("<input id=f aria-label=F type=date>", {"text": "5.3.2027"}, "2027-03-05"),
    ("<input id=f aria-label=F type=date>", {"text": "25/12/2027"}, "2027-12-25"),
    ("<input id=f aria-label=F type=time>", {"text": "2:30 pm"}, "14:30"),
    ("<input id=f aria-label=F type=time>", {"text": "14:30"}, "14:30"),
    ("<input id=f aria-label=F type=time>", {"text": "noon"}, "12:00"),
    ("<input id=f aria-label=F type=datetime-local>", {"text": "5 March 2027 at 2 pm"}, "2027-03-05T14:00"),
    ("<input id=f aria-label=F type=month>", {"text": "March 2027"}, "2027-03"),
    ("<input id=f aria-label=F type=week>", {"text": "2027-W7"}, "2027-W07"),
    ("<select id=f aria-label=F><option value=f>France<option value=g>Germany</select>", {"select": ["Germany"]}, "g"),
    ("<select id=f aria-label=F><option value=f>France<option value=g>Germany</select>", {"select": ["germ"]}, "g"),
    ("<select id=f aria-label=F><option value=f>France<option value=g>Germany</select>", {"select": ["g"]}, "g"),
    ("<select id=f aria-label=F><option value=f>France<option value=g>Germany</select>", {"text": "Germany"}, "g"),
    ("<select id=f aria-label=F><option value=f>France<option value=g>Germany</select>", {"index": 1}, "g"),
    ("<input id=f aria-label=F list=l><datalist id=l><option>Tea</datalist>", {"select": ["Tea"]}, "Tea"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "entry", "value"), FIELDS, ids=[f"{h} {e}" for h, e, _ in FIELDS])
async def test_values_reach_their_fields(
    dom: Dom, html: str, entry: dict[str, Any], value: str
) -> None:
    """A field holds what was entered, and the page has heard of it once."""
    await dom.open(f"""<body>{html}<script>window.heard = [];
        for (const type of ["input", "change"]) f.addEventListener(type, () => heard.push(type))</script>""")
    await dom.act("enter_data", form_data=[{"label": "F", **entry}])

    assert await dom.evaluate("f.value") == value
    assert await dom.evaluate("heard") == ["input", "change"]


UNFIT: list[tuple[str, dict[str, Any], str, str]] = [
    ("<input type=date aria-label=F>", {"text": "5/3/2027"}, "cannot be set to `5/3/2027`", "write it like `2027-03-05`"),
    ("<input type=date aria-label=F>", {"text": "31 April 2027"}, "cannot be set to `31 April 2027`", ""),
    ("<input type=time aria-label=F>", {"text": "half two"}, "cannot be set to `half two`", "write it like `14:30`"),
    ("<input type=number aria-label=F>", {"text": "a dozen"}, "cannot be set to `a dozen`", "write it like `12.5`"),
    ("<input type=number aria-label=F>", {"text": "1,000"}, "cannot be set to `1,000`", ""),
    ("<input type=range max=50 aria-label=F>", {"text": "70"}, "made `50` of `70`", "it takes any to 50"),
    ("<input type=color aria-label=F>", {"text": "blurple"}, "cannot be set to `blurple`", "write it like `#336699`"),
    ("<input maxlength=3 aria-label=F>", {"text": "long"}, "is too long: it takes 3 characters", "write less"),
    ("<select aria-label=F><option>S<option>M</select>", {"select": ["XL"]}, "has no choice `XL`", "the choices are `S`, `M`"),
    ("<select aria-label=F><option>Sea<option>Seal</select>", {"select": ["se"]}, "has 2 choices that fit `se`", "the choices are `Sea`, `Seal`"),
    ("<select aria-label=F><option>S<option>M</select>", {"select": ["S", "M"]}, "takes one choice, not 2", ""),
    ("<select aria-label=F><option>S<option disabled>M</select>", {"select": ["M"]}, "cannot be chosen now", ""),
    ("<select aria-label=F><option>S</select>", {"index": 4}, "has no choice `4`", "count from 0 to 0"),
    ("<select aria-label=F><option>S</select>", {"check": True}, "is chosen from", "give `select` or `index`"),
    ("<input type=checkbox aria-label=F>", {"text": "maybe"}, "is checked or not", "give `check` as true or false"),
    ("<input aria-label=F>", {"check": True}, "takes text", "give `text`"),
    ("<input aria-label=F>", {"files": [{"name": "a", "data": ""}]}, "takes no files", ""),
    ("<input aria-label=F readonly>", {"text": "x"}, "is read-only", ""),
    ("<input aria-label=F disabled>", {"text": "x"}, "is disabled", ""),
    ("<input aria-label=F><div style='position:fixed;inset:0'>Veil</div>", {"text": "x"}, "is covered by a `div`", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("html", "entry", "message", "advice"), UNFIT, ids=[f"{h} {e}" for h, e, _, _ in UNFIT]
)
async def test_an_entry_that_does_not_fit_is_refused(
    dom: Dom, html: str, entry: dict[str, Any], message: str, advice: str
) -> None:
    """A value that a field cannot hold, or that could mean two things, is an error that says what fits."""
    await dom.open(f"<body>{html}")
    error = await dom.fail("enter_data", form_data=[{"label": "F", **entry}])

    assert message in error["message"]
    assert advice in error.get("help", "")


MEAN = [
    ([], "`form_data` is not a list of entries"),
    ([{"label": "A"}], "entry 1 has no values"),
    ([{"label": "A", "text": "x", "check": True}], "entry 1 has 2 values"),
    ([{"text": "x"}], "entry 1 does not say which field it is for"),
    ([{"label": "A", "text": "x"}, {"label": "B"}], "entry 2 has no values"),
]


@pytest.mark.parametrize(("form_data", "message"), MEAN, ids=[message for _, message in MEAN])
async def test_entries_that_say_nothing(dom: Dom, form_data: list[Any], message: str) -> None:
    """All entries are looked at before the first is filled in."""
    await dom.open("<body><input aria-label=A id=a>")

    assert (await dom.fail("enter_data", form_data=form_data))["message"] == message
    assert await dom.evaluate("a.value") == ""


FORM = """<body><form><label>First name <input name=first></label><label>Last name <input name=last></label>
    <input name=mail placeholder="E-Mail address"><input aria-label="Phone (mobile)" name=phone>
    <fieldset><legend>Delivery</legend><label><input type=radio name=way value=p>Post</label>
    <label><input type=radio name=way value=s>In the shop</label></fieldset>
    <label><input type=checkbox name=gift>Gift wrap</label></form>"""

FOUND = [
    ({"label": "First name", "text": "x"}, "first"),
    ({"label": "last NAME:", "text": "x"}, "last"),
    ({"label": "e-mail", "text": "x"}, "mail"),
    ({"label": "phone", "text": "x"}, "phone"),
    ({"label": "mobile", "text": "x"}, "phone"),
    ({"name": "first", "text": "x"}, "first"),
]


@pytest.mark.parametrize(("entry", "name"), FOUND)
async def test_fields_by_their_words(dom: Dom, entry: dict[str, Any], name: str) -> None:
    """A field is found by its label, aria-label, placeholder or name; the closest fit wins."""
    await dom.open(FORM)
    await dom.act("enter_data", form_data=[entry])

    assert await dom.evaluate("Object.fromEntries(new FormData(document.forms[0]))") == {
        "first": "",
        "last": "",
        "mail": "",
        "phone": "",
        name: "x",
    }


async def test_words_that_do_not_say_which_field(dom: Dom) -> None:
    """Several fields, or none, are errors that list candidates with their numbers."""
    await dom.open(FORM)
    several = await dom.fail("enter_data", form_data=[{"label": "name", "text": "x"}])
    none = await dom.fail("enter_data", form_data=[{"label": "Postcode", "text": "x"}])
    unnamed = await dom.fail("enter_data", form_data=[{"name": "zip", "text": "x"}])
    heading = await dom.fail("enter_data", form_data=[{"pp_id": 1, "text": "x"}])

    assert several["message"] == "the label `name` fits 2 fields"
    assert (
        several["help"]
        == 'name one by its number: [2] textbox "First name", [3] textbox "Last name"'
    )
    assert none["message"] == "there is no field with the label `Postcode`"
    assert '[4] textbox "E-Mail address"' in none["help"]
    assert unnamed["message"] == "there is no field with the name `zip`"
    assert several["kind"] == none["kind"] == heading["kind"] == "invalid_arguments"


RADIOS = [
    {"label": "Delivery", "select": ["In the shop"]},
    {"label": "In the shop", "check": True},
    {"name": "way", "text": "shop"},
    {"name": "way", "select": ["s"]},
    {"name": "way", "index": 1},
]


@pytest.mark.parametrize("entry", RADIOS)
async def test_radio_buttons(dom: Dom, entry: dict[str, Any]) -> None:
    """One of a group is picked by itself, or by the group and its own label, value or place."""
    await dom.open(FORM)
    reply = await dom.act("enter_data", form_data=[entry])

    assert await dom.evaluate("document.forms[0].elements.way.value") == "s"
    assert reply["did"] == "picked `In the shop`"


async def test_radio_buttons_that_do_not_fit(dom: Dom) -> None:
    """A button that there is not, or taking one back, is refused."""
    await dom.open(FORM)
    unknown = await dom.fail("enter_data", form_data=[{"name": "way", "text": "Drone"}])
    back = await dom.fail("enter_data", form_data=[{"label": "Post", "check": False}])

    assert unknown["message"] == "no buttons of this group fit `Drone`"
    assert 'radio "Post"' in unknown["help"]
    assert "has to be picked" in back["message"]


async def test_checkboxes(dom: Dom) -> None:
    """A box is clicked only if it is not as wanted; a switch of the page's own is too."""
    await dom.open(
        FORM
        + """<div role=switch tabindex=0 aria-checked=false id=s
        onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">Dark</div>"""
    )
    entries = [{"label": "Gift wrap", "check": True}, {"label": "Dark", "check": True}]
    first = await dom.act("enter_data", form_data=entries)
    second = await dom.act("enter_data", form_data=entries)

    assert first["did"] == second["did"] == "checked `Gift wrap`, checked `Dark`"
    assert await dom.evaluate("document.forms[0].elements.gift.checked")
    assert await dom.evaluate("s.getAttribute('aria-checked')") == "true"


async def test_a_box_that_the_page_unchecks(dom: Dom) -> None:
    """When the page undoes a check, the reply says so."""
    await dom.open("<body><input type=checkbox aria-label=F onclick='event.preventDefault()'>")

    assert (
        "the page has undone it"
        in (await dom.fail("enter_data", form_data=[{"label": "F", "check": True}]))["message"]
    )


async def test_several_options(dom: Dom) -> None:
    """A list of several takes several, and loses those that are not named."""
    await dom.open(
        "<body><select multiple id=f aria-label=F><option selected>S<option>M<option>L</select>"
    )
    await dom.act("enter_data", form_data=[{"label": "F", "select": ["m", "L"]}])

    assert await dom.evaluate("[...f.selectedOptions].map((o) => o.text)") == ["M", "L"]


async def test_files(dom: Dom) -> None:
    """Files arrive with name, type and content."""
    await dom.open(
        "<body><input type=file multiple aria-label=Photos id=f onchange='window.heard = true'>"
    )
    data = base64.b64encode("grün".encode()).decode()
    files = [{"name": "a.txt", "type": "text/plain", "data": data}, {"name": "b", "data": ""}]
    reply = await dom.act("enter_data", form_data=[{"label": "Photos", "files": files}])
    broken = await dom.fail(
        "enter_data", form_data=[{"label": "Photos", "files": [{"name": "c", "data": "%"}]}]
    )

    assert reply["did"] == "put `a.txt`, `b` into `Photos`"
    assert await dom.evaluate(
        "Promise.all([...f.files].map(async (x) => [x.name, x.type, await x.text()]))"
    ) == [
        ["a.txt", "text/plain", "grün"],
        ["b", "", ""],
    ]
    assert await dom.evaluate("heard")
    assert broken["message"] == "the content of `c` is not base64"


async def test_one_file_only(dom: Dom) -> None:
    """A field for one file refuses two."""
    await dom.open("<body><input type=file aria-label=Photo>")
    files = [{"name": "a", "data": ""}, {"name": "b", "data": ""}]

    assert (
        "takes one file, not 2"
        in (await dom.fail("enter_data", form_data=[{"label": "Photo", "files": files}]))["message"]
    )


async def test_editors(dom: Dom) -> None:
    """Text that is written on the page itself is replaced, and the page hears of it as of a keyboard."""
    await dom.open("""<body><div id=f contenteditable aria-label=Note>old <b>words</b></div><script>
        window.heard = []; for (const type of ["beforeinput", "input"]) f.addEventListener(type, (e) => heard.push(type + e.isTrusted))</script>""")
    await dom.act("enter_data", form_data=[{"label": "Note", "text": "new words"}])

    assert await dom.evaluate("f.innerText") == "new words"
    assert await dom.evaluate("heard") == ["beforeinputfalse", "inputtrue"]


async def test_an_editor_that_takes_input_upon_itself(dom: Dom) -> None:
    """A field whose page prevents `beforeinput` is left to the page."""
    await dom.open("""<body><input id=f aria-label=F><script>
        f.addEventListener("beforeinput", (e) => { e.preventDefault(); f.value = `<${e.data}>` })</script>""")
    await dom.act("enter_data", form_data=[{"label": "F", "text": "x"}])

    assert await dom.evaluate("f.value") == "<x>"


async def test_fields_in_custom_elements(dom: Dom) -> None:
    """The field in the shadow tree of a custom element is found by label and by the element's number."""
    await dom.open("""<body><x-field tabindex=0></x-field><script>
        const root = document.querySelector("x-field").attachShadow({mode: "open", delegatesFocus: true});
        root.innerHTML = "<label>Town <input></label>";
        document.addEventListener("input", (event) => window.heard = event.composedPath()[0].value)</script>""")
    await dom.act("enter_data", form_data=[{"label": "Town", "text": "Wrenmouth"}])

    assert await dom.evaluate("heard") == "Wrenmouth"


COMBOBOX = """<body><div role=combobox tabindex=0 aria-expanded=false aria-controls=l aria-label=Fruit id=c>Choose</div>
    <div role=listbox id=l hidden><div role=option>Apple</div><div role=option>Pear</div></div><script>
    c.onclick = () => { l.hidden = false }; l.onclick = (e) => { c.textContent = e.target.textContent; l.hidden = true }</script>"""


async def test_lists_of_the_pages_own_making(dom: Dom) -> None:
    """A list that a page draws itself is opened, and the option pressed."""
    await dom.open(COMBOBOX)
    reply = await dom.act("enter_data", form_data=[{"label": "Fruit", "select": ["pear"]}])

    assert await dom.evaluate("c.textContent") == "Pear"
    assert reply["did"] == "chose `Pear` in `Fruit`"
    error = await dom.fail("enter_data", form_data=[{"label": "Fruit", "select": ["Plum"]}])
    assert "has no choice `Plum`" in error["message"]
    assert error["help"] == "the choices are `Apple`, `Pear`"


async def test_suggestions_under_a_field(dom: Dom) -> None:
    """In a field with suggestions, the text brings them up, and the one that is meant is pressed."""
    await dom.open("""<body><input role=combobox aria-label=Town aria-controls=l id=c><ul role=listbox id=l></ul><script>
        c.oninput = async () => { await new Promise((done) => setTimeout(done, 50));
          l.innerHTML = ["Wren", "Wrenmouth"].filter((t) => t.startsWith(c.value)).map((t) => `<li role=option>${t}</li>`).join("") };
        l.onclick = (e) => { window.picked = e.target.textContent; l.innerHTML = "" }</script>""")
    await dom.act("enter_data", form_data=[{"label": "Town", "select": ["Wrenmouth"]}])

    assert await dom.evaluate("picked") == "Wrenmouth"


async def test_fields_that_come_up_with_others(dom: Dom) -> None:
    """An entry may be for a field that appears only when the one before is filled in."""
    await dom.open("""<body><select aria-label=Country><option>-<option>US</select><p></p><script>
        document.querySelector("select").onchange = () => setTimeout(() =>
          { document.querySelector("p").innerHTML = "<input aria-label=State id=state>" }, 60)</script>""")
    await dom.act(
        "enter_data",
        form_data=[{"label": "Country", "select": ["US"]}, {"label": "State", "text": "Ohio"}],
    )

    assert await dom.evaluate("state.value") == "Ohio"


async def test_an_error_says_what_was_filled_in_before(dom: Dom) -> None:
    """When a later entry fails, the error reports what the earlier ones did."""
    await dom.open(FORM)
    entries = [{"label": "First name", "text": "Ada"}, {"label": "Postcode", "text": "x"}]
    error = await dom.fail("enter_data", form_data=entries)

    assert error["help"].endswith("before that: entered `Ada` into `First name`")


async def test_passwords_are_not_repeated(dom: Dom) -> None:
    """The reply does not repeat what went into a secret field."""
    await dom.open("<body><input type=password aria-label=Password>")
    reply = await dom.act("enter_data", form_data=[{"label": "Password", "text": "hunter2"}])

    assert reply["did"] == "entered `•••` into `Password`"
    assert "hunter2" not in str(reply)


async def test_fields_behind_their_labels(dom: Dom) -> None:
    """A box that a site hides to draw its own is checked by its label, and a hidden file field takes files."""
    await dom.open("""<body><label><input type=checkbox id=c style="position:absolute;width:1px;height:1px;overflow:hidden;opacity:0">
        <span>Gift wrap</span></label><label id=l>Photo<input type=file id=f style="position:absolute;opacity:0;width:1px;height:1px;overflow:hidden"></label>""")
    entries = [
        {"label": "Gift wrap", "check": True},
        {"label": "Photo", "files": [{"name": "a", "data": ""}]},
    ]
    await dom.act("enter_data", form_data=entries)

    assert await dom.evaluate("c.checked && f.files.length") == 1


async def test_fields_in_frames(dom: Dom) -> None:
    """Fields in frames of the same origin are filled in, and their form is reported with its own address."""
    dom.site.pages["/inner"] = "<form aria-label=Hours><label>Day <input name=day></label></form>"
    await dom.open("<body><iframe title=Visit src=/inner></iframe>")
    await dom.act("enter_data", form_data=[{"label": "Day", "text": "Monday"}])
    (form,) = await dom.act("form_details")

    assert form["action"] == dom.site.origin + "/inner"
    assert form["fields"][0]["value"] == "Monday"
