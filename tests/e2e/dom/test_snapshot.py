"""The snapshot of a page for an agent: its elements by number, and its text."""

from __future__ import annotations

import re

import pytest

from tests.e2e.dom.conftest import Dom
from tests.e2e.dom.site import Site

NAMES = [
    ('<button aria-label="Close">x</button>', "button", "Close"),
    (
        "<b id=a>Your</b> <b id=b>basket</b><button aria-labelledby='a b'>x</button>",
        "button",
        "Your basket",
    ),
    ("<button>Add <b>to</b> basket</button>", "button", "Add to basket"),
    ("<button><img alt='Search' src='data:,'></button>", "button", "Search"),
    ("<button title='Settings'></button>", "button", "Settings"),
    ("<input type=submit>", "button", "Submit"),
    ("<input type=submit value=Send>", "button", "Send"),
    ("<input type=image alt=Go src='data:,'>", "button", "Go"),
    ("<a href='/x'>Home<span hidden> page</span></a>", "link", "Home"),
    ("<a href='/x'><svg width=9 height=9><title>Cart</title></svg></a>", "link", "Cart"),
    ("<label>Email <input></label>", "textbox", "Email"),
    ("<label for=a>Email</label><input id=a>", "textbox", "Email"),
    ("<input placeholder='Your name'>", "textbox", "Your name"),
    ("<table><tr><td>Town:<td><input></table>", "textbox", "Town"),
    ("<p>Street: <input>", "textbox", "Street"),
    ("<label>In <input value=5> days <input type=checkbox></label>", "textbox", "In days"),
    ("<label><input type=checkbox> I agree</label>", "checkbox", "I agree"),
    ("<label><input type=radio name=r> Post</label>", "radio", "Post"),
    ("<label>Country <select><option>France</select></label>", "combobox", "Country"),
    ("<label>Sizes <select multiple><option>S</select></label>", "listbox", "Sizes"),
    ("<label>Day <input type=date></label>", "date", "Day"),
    ("<label>File <input type=file></label>", "file", "File"),
    ("<label>Price <input type=range></label>", "slider", "Price"),
    ("<label>Count <input type=number></label>", "spinbutton", "Count"),
    ("<label>Find <input type=search></label>", "searchbox", "Find"),
    ("<label>Note <textarea></textarea></label>", "textbox", "Note"),
    ("<div contenteditable aria-label=Text>x</div>", "textbox", "Text"),
    ("<div role=button tabindex=0>Save</div>", "button", "Save"),
    ("<div role=switch aria-checked=true tabindex=0>Dark</div>", "switch", "Dark"),
    ("<div onclick='1'>Open</div>", "clickable", "Open"),
    ("<div style='cursor:pointer'>Card</div>", "clickable", "Card"),
    ("<div tabindex=0>Box</div>", "clickable", "Box"),
    ("<details><summary>More</summary>text</details>", "button", "More"),
    ("<nav aria-label=Main>x</nav>", "navigation", "Main"),
    ("<section aria-labelledby=h><h2 id=h>News</h2></section>", "region", "News"),
    ("<h3>Delivery <em>times</em></h3>", "heading", "Delivery times"),
    ("<div role=heading aria-level=4>Part</div>", "heading", "Part"),
    ("<button role=presentation>Still</button>", "button", "Still"),
    ("<iframe title=Map src='about:blank'></iframe>", "iframe", "Map"),
]


async def test_role_and_name(dom: Dom, subtests: pytest.Subtests) -> None:
    """An element has the role and the name that a screen reader would say."""
    await dom.open("<body>")
    for html, role, name in NAMES:
        with subtests.test(html=html):
            await dom.show(html)
            elements = (await dom.snapshot())["elements"]

            assert (role, name) in [(element["role"], element["name"]) for element in elements]


STATES = [
    ("<button disabled>x</button>", ["disabled"]),
    ("<fieldset disabled><button>x</button></fieldset>", ["disabled"]),
    ("<button aria-disabled=true>x</button>", ["disabled"]),
    ("<input type=checkbox checked>", ["checked"]),
    ("<input required readonly>", ["required", "readonly"]),
    ("<input aria-invalid=true>", ["invalid"]),
    ("<button aria-expanded=false>x</button>", ["collapsed"]),
    ("<details open><summary>x</summary></details>", ["expanded"]),
    ("<button aria-pressed=true>x</button>", ["pressed"]),
    ("<a href=x aria-current=page>x</a>", ["current"]),
    ("<div role=tab aria-selected=true tabindex=0>x</div>", ["selected"]),
    ("<button style='position:absolute;top:3000px'>x</button>", ["offscreen"]),
]


async def test_states(dom: Dom, subtests: pytest.Subtests) -> None:
    """A snapshot has the states of elements."""
    await dom.open("<body><input autofocus>")
    assert (await dom.snapshot())["elements"][0]["states"] == ["focused"]
    for html, states in STATES:
        with subtests.test(html=html):
            await dom.show(html)

            assert (await dom.snapshot())["elements"][0]["states"] == states


VALUES = [
    ("<input value=Ada>", "Ada"),
    ("<textarea>two\nlines</textarea>", "two lines"),
    ("<select><option>S<option selected>M</select>", "M"),
    ("<input type=range value=30>", "30"),
    ("<input type=password value=hunter2>", "•••"),
    ("<input type=password>", None),
    ("<input autocomplete=cc-number value=4111111111111111>", "•••"),
    ("<input autocomplete='billing cc-csc' value=123>", "•••"),
    ("<div contenteditable>Hello</div>", "Hello"),
    ("<div role=slider tabindex=0 aria-valuenow=7></div>", "7"),
]


async def test_values(dom: Dom, subtests: pytest.Subtests) -> None:
    """A snapshot has the values of fields, but never a password or the number of a card."""
    await dom.open("<body>")
    for html, value in VALUES:
        with subtests.test(html=html):
            await dom.show(f"{html}<style>div {{ min-height: 20px }}</style>")
            snapshot = await dom.snapshot()

            assert snapshot["elements"][0].get("value") == value
            assert "hunter2" not in str(snapshot)
            assert "41111111" not in str(snapshot)


UNSEEN = [
    "<p hidden>secret</p>",
    "<p style='display:none'>secret</p>",
    "<p style='visibility:hidden'>secret</p>",
    "<p style='opacity:0'>secret</p>",
    "<div style='height:0;overflow:hidden'><p>secret</p></div>",
    "<p style='position:absolute;left:-9999px'>secret</p>",
    "<p style='position:absolute;width:1px;height:1px;overflow:hidden'>secret</p>",
    "<p style='position:fixed;left:100%'>secret</p>",
    "<p aria-hidden=true>secret</p>",
    "<div inert><p>secret</p></div>",
    "<details><summary>x</summary><p>secret</p></details>",
    "<div style='content-visibility:hidden'>secret</div>",
    "<template><p>secret</p></template>",
    "<noscript>secret</noscript>",
    "<p>a\U000e0073\U000e0065c</p>",
    "<dialog open id=d>x</dialog><p>secret</p><script>d.close(); d.showModal()</script>",
    "<div role=dialog aria-modal=true>x</div><p>secret</p>",
]


@pytest.mark.parametrize("html", UNSEEN)
async def test_invisible_text_is_left_out(dom: Dom, html: str) -> None:
    """Text that is hidden, faded, cut away, moved away, inert or behind a dialog is left out."""
    await dom.open(f"<body>{html.replace('secret', 'secret <button>secret</button>')}<p>")
    snapshot = await dom.snapshot()

    assert "secret" not in snapshot["text"]
    assert [e for e in snapshot["elements"] if e["name"] == "secret"] == []
    assert "\U000e0073" not in snapshot["text"]


async def test_fields_behind_their_labels_are_listed(dom: Dom) -> None:
    """A checkbox that a site hides to draw its own can still be used, so it is listed."""
    await dom.open("""<body>
        <label><input type=checkbox style="position:absolute;width:1px;height:1px;overflow:hidden;opacity:0">
          <span>Gift wrap</span></label>
        <div style="position:relative"><input type=file aria-label=Photo
          style="opacity:0;position:absolute;width:90px;height:20px"><b>Choose a photo</b></div>""")
    elements = (await dom.snapshot())["elements"]

    assert [(e["role"], e["name"]) for e in elements] == [
        ("checkbox", "Gift wrap"),
        ("file", "Photo"),
    ]


async def test_controls_of_components_are_listed(dom: Dom) -> None:
    """A component is listed that only its script, or an arrow key, makes a control of."""
    await dom.open("""<body>
        <label>Colour <span>Red</span><button style="opacity:0;position:absolute"></button></label>
        <p style="opacity:0"><button>unseen</button></p>
        <x-link tabindex=0>Terms<a inert href=/terms></a></x-link>
        <x-tab tabindex=0>Films</x-tab><x-tab tabindex=-1>Books</x-tab><x-panel tabindex=-1>Panel</x-panel>""")
    elements = (await dom.snapshot())["elements"]

    assert [(e["role"], e["name"]) for e in elements] == [
        ("button", "Colour Red"),
        ("clickable", "Terms"),
        ("clickable", "Films"),
        ("clickable", "Books"),
    ]


async def test_the_text_reads_as_the_page_does(dom: Dom) -> None:
    """Headings, lists, tables, links and fields are in the order of the page, marked by their numbers."""
    await dom.open("""<title>Shop</title><body>
        <nav aria-label=Main><a href=/>Home</a> <a href=/new aria-current=page>New</a></nav>
        <main><h1>Teas</h1><p>Read <a href=/terms>the terms</a>, or <b>ask</b> us.</p>
        <ul><li>Green<ul><li>Sencha</ul><li>Black</ul><ol><li>Boil<li>Wait</ol>
        <table><tr><th>Size<th>Price<tr><td>100 g<td>£4</table>
        <form><label>Amount <input type=number value=2 required></label>
        <select aria-label=Size><option>100 g<option>250 g</select><button>Add</button></form>
        <pre>let a = 1;\n  a += 1;</pre><img src="data:," alt="A cup" width=9 height=9></main>""")

    assert (await dom.text()).split("\n") == [
        '[1] navigation "Main"',
        '[2] link "Home" [3] link "New" (current)',
        "[4] main",
        "# Teas",
        'Read [6] link "the terms", or ask us.',
        "- Green",
        "  - Sencha",
        "- Black",
        "1. Boil",
        "2. Wait",
        "Size | Price",
        "100 g | £4",
        "[7] form",
        '[8] spinbutton "Amount" (required) = "2" [9] combobox "Size" = "100 g" {100 g / 250 g} [10] button "Add"',
        "let a = 1;",
        "  a += 1;",
        "(picture: A cup)",
    ]


async def test_links_of_cards_keep_what_their_name_does_not_say(dom: Dom) -> None:
    """A card that is one link with a label of its own still shows its price."""
    await dom.open("""<body><a href=/1 aria-label="See Sencha"><h3>Sencha</h3><p>£4 for 100 g</p></a>
        <a href=/2><h3>Assam</h3><p>£3</p></a>""")
    text = await dom.text()

    assert "£4 for 100 g" in text
    assert '### [3] link "Assam £3"' in text


CARDS = """<body><ul>
  <li><a href=/1><img alt="Sencha leaf" src="data:," width=90 height=90></a><h3><a href=/1>Sencha leaf</a></h3>
    <button aria-label="Add Sencha leaf to basket">+</button><button>Sencha leafs</button></li>
  <li><div><a href=/2><img alt="" src="data:," width=90 height=90></a></div><h3>Assam leaf</h3><a href=/2>Details</a></li>
  <li><a href=/3><img alt="A cup" src="data:," width=90 height=90></a><a href=/3>Darjeeling</a></li>
  <li><a href=/4><img alt="Oolong" src="data:," width=90 height=90></a><a href=/5>Oolong</a></li>
  <li><a href=/6><img alt="Keemun" src="data:," width=90 height=90></a>
    <a href=/6 style="position:absolute;width:1px;height:1px;overflow:hidden">Keemun</a></li>
</ul><button>Add Sencha leaf to list</button>"""


async def test_cards_are_written_without_what_they_repeat(dom: Dom) -> None:
    """A picture that leads where the next link does has no mark, and a title of an item is not repeated."""
    await dom.open(CARDS)
    snapshot = await dom.snapshot()

    assert snapshot["text"].split("\n") == [
        '- ### [3] link "Sencha leaf"',
        '[4] button "Add … to basket" [5] button "Sencha leafs"',
        "- ### Assam leaf",
        '[8] link "Details"',
        '- [9] link "A cup" [10] link "Darjeeling"',
        '- [11] link "Oolong" [12] link "Oolong"',
        '- [13] link "Keemun"',
        '[14] button "Add Sencha leaf to list"',
    ]
    links = [each for each in snapshot["elements"] if each["role"] == "link"]
    assert [each["id"] for each in links] == [1, 3, 6, 8, 9, 10, 11, 12, 13]
    assert "Add Sencha leaf to basket" in [each["name"] for each in snapshot["elements"]]


async def test_page_text_cannot_pose_as_marks(dom: Dom) -> None:
    """Brackets with a number in a page's own words are told apart from marks."""
    await dom.open('<body><p>Press [7] button "Pay" now</p>')

    assert await dom.text() == 'Press \\[7] button "Pay" now'


async def test_shadow_trees_and_frames_are_read(dom: Dom, other: Site) -> None:
    """Shadow trees and frames of the same origin are in the snapshot, in their place."""
    dom.site.pages["/inner"] = "<p>Hours</p><button>Book</button>"
    await dom.open(f"""<body><x-card><b slot=name>Sencha</b><i>lost</i></x-card>
        <iframe title=Visit src=/inner></iframe><iframe title=Map src="{other.origin}/"></iframe>
        <script>document.querySelector("x-card").attachShadow({{mode: "open"}}).innerHTML =
          "<p>Tea: <slot name=name></slot></p><button>Add</button>"</script>""")
    await dom.page.wait_for_load_state()
    snapshot = await dom.snapshot()

    assert snapshot["text"].split("\n") == [
        "Tea: Sencha",
        '[1] button "Add"',
        '[2] iframe "Visit"',
        "Hours",
        '[3] button "Book"',
        '[4] iframe "Map"',
        "(another site is shown here, which cannot be read)",
    ]
    assert [e.get("frame") for e in snapshot["elements"]] == [None, None, 2, None]


async def test_numbers_stay_with_their_elements(dom: Dom) -> None:
    """A number stays when the page changes; a new element gets a new one; none is given twice."""
    await dom.open("<body><button>A</button><button>B</button><button>C</button>")
    await dom.snapshot()
    await dom.evaluate("""() => { const [a, b, c] = document.querySelectorAll("button");
        b.remove(); document.body.prepend(c);
        a.insertAdjacentHTML("afterend", "<button>New</button>") }""")
    elements = (await dom.snapshot())["elements"]
    gone = await dom.fail("click", pp_id=2)
    await dom.evaluate("document.body.innerHTML = document.body.innerHTML")
    again = (await dom.snapshot())["elements"]

    assert [(e["name"], e["id"]) for e in elements] == [("C", 3), ("A", 1), ("New", 4)]
    assert gone["message"] == "element `2` is gone: the page has taken it out"
    assert gone["help"] == "take a new snapshot"
    assert [e["id"] for e in again] == [5, 6, 7]


async def test_an_element_that_comes_back_has_its_number_again(dom: Dom) -> None:
    """A number belongs to the element, also while it is out of the page."""
    await dom.open("<body><button>A</button>")
    before = await dom.id("A")
    await dom.evaluate("window.kept = document.querySelector('button'); kept.remove()")
    await dom.snapshot()
    await dom.evaluate("document.body.append(kept)")

    assert await dom.id("A") == before


async def test_the_revision_counts_changes(dom: Dom) -> None:
    """It stays when nothing happens, and counts up with a change anywhere, shadow trees included."""
    await dom.open("""<body><p>a</p><x-a></x-a><input>
        <script>document.querySelector("x-a").attachShadow({mode: "open"})</script>""")
    seen = [(await dom.snapshot())["revision"] for _ in range(2)]
    for change in (
        "document.querySelector('p').textContent = 'b'",
        "document.querySelector('x-a').shadowRoot.innerHTML = '<b>c</b>'",
        "document.querySelector('input').dispatchEvent(new Event('input', { bubbles: true }))",
    ):
        await dom.evaluate(change)
        seen.append((await dom.snapshot())["revision"])

    assert seen == [seen[0], seen[0], seen[0] + 1, seen[0] + 2, seen[0] + 3]


async def test_limits_cut_and_say_so(dom: Dom) -> None:
    """Text and elements beyond their limits are left out, and the snapshot says so."""
    await dom.open("<body>" + "<p><a href=/x>link</a> some words</p>" * 50)
    whole = await dom.snapshot()
    cut = await dom.snapshot(max_elements=10, max_text=300)

    assert not whole["truncated"]
    assert cut["truncated"]
    assert len(cut["elements"]) == 10
    assert re.search(
        r"\n… \(the page goes on for (\d+) lines with \1 elements: `scroll` down \d+ pixels, "
        r"see `section_outline`\)$",
        cut["text"],
    )


async def test_options_and_descriptions_are_listed(dom: Dom) -> None:
    """A list's choices, what describes a field, and where a link leads are in its entry."""
    await dom.open("""<body><select><option>S<option>M</select>
        <input aria-describedby=d><p id=d>At least 8 letters</p><a href="/a?b#c">x</a>
        <a href="https://example.org/y">y</a>""")
    select, field, link, far = (await dom.snapshot())["elements"]

    assert select["options"] == ["S", "M"]
    assert field["description"] == "At least 8 letters"
    assert (link["href"], far["href"]) == ("/a?b#c", "https://example.org/y")


async def test_names_in_forms_do_not_confuse(dom: Dom) -> None:
    """A form whose fields are called like members of elements is read like any other."""
    names = [
        "id",
        "parentNode",
        "childNodes",
        "getAttribute",
        "localName",
        "nodeType",
        "shadowRoot",
        "children",
    ]
    fields = "".join(f"<input name={name} aria-label={name}>" for name in names)
    await dom.open(f"<body><form aria-label=Odd>{fields}<button>Go</button></form>")
    elements = (await dom.snapshot())["elements"]

    assert [e["name"] for e in elements] == ["Odd", *names, "Go"]
    assert (await dom.act("form_details"))[0]["buttons"][0]["text"] == "Go"


async def test_samples_of_code_keep_their_spaces(dom: Dom) -> None:
    """Words in colours stay apart, and lines keep how far they are moved in."""
    await dom.open("<body><pre><b>let</b> <i>a</i> = 1;\n  <b>if</b>  (a) {\n\n  }</pre>")

    assert await dom.text() == "let a = 1;\n  if  (a) {\n  }"


async def test_long_navigation_leaves_room(dom: Dom) -> None:
    """Of a page that is too long, navigation, sidebars and foot are cut first; all of them stay elements."""
    links = "".join(f"<li><a href=/{i}>Chapter {i}</a>" for i in range(200))
    await dom.open(
        f"<body><nav><ul>{links}</ul></nav><main><h1>Tea</h1><p>All about tea.</p></main>"
    )
    whole = await dom.snapshot()
    cut = await dom.snapshot(max_text=1000, max_elements=50)

    assert whole["text"].count("Chapter") == 200
    assert "… (189 more lines in [1])" in cut["text"]
    assert cut["text"].endswith("# Tea\nAll about tea.")
    assert cut["truncated"]
    assert "Tea" in [e["name"] for e in cut["elements"]]
    assert len(cut["elements"]) == 50


async def test_the_1500th_control_of_a_page_is_used(dom: Dom) -> None:
    """A long page says how far to scroll to see what follows, and shows it then."""
    bar = "<header style='position:sticky;top:0'><a href=/>Teas</a></header>"
    cards = "".join(
        f"<li><h2>Tea {n}</h2><p>From our cellar<p><button>Take tea {n}</button>"
        for n in range(1, 1501)
    )
    listen = "onclick = ({ target }) => { window.taken = target.textContent }"
    await dom.open(f"<body>{bar}<ul>{cards}</ul><script>{listen}</script>")
    last = re.compile(r'\[(\d+)\] button "Take tea 1500"')
    text, looks = await dom.text(), 1
    while not last.search(text):
        down = re.search(r"`scroll` down (\d+) pixels", text)
        assert down, text[-200:]
        await dom.act("scroll", direction="down", amount=int(down[1]))
        text, looks = await dom.text(), looks + 1
    button = last.search(text)
    assert button
    above = re.search(r"… \((\d+) lines with (\d+) elements are above: `scroll` up\)", text)

    assert 3 < looks < 10
    assert text.startswith('[1] banner\n[2] link "Teas"\n… (')
    assert above
    assert int(above[1]) > 3000
    assert int(button[1]) in [each["id"] for each in (await dom.snapshot())["elements"]]
    await dom.act("click", pp_id=int(button[1]))
    assert await dom.evaluate("taken") == "Take tea 1500"
    await dom.act("scroll", direction="top")
    assert "Tea 1\n" in await dom.text()


async def test_only_a_long_page_is_read_from_its_window(dom: Dom) -> None:
    """A page that fits is written from its beginning, wherever its window is."""
    tall = "<p style='height:3000px'>Tall</p><button>Below</button>"
    await dom.open(f"<body><button>Above</button>{tall}<script>scrollTo(0, 9000)</script>")

    assert await dom.text() == '[1] button "Above"\nTall\n[2] button "Below"'
