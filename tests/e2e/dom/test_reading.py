"""Reading a page in parts: code, navigation, sections, forms, tables, and a summary."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.dom.conftest import Dom

CODE = """<body><h1>Guide</h1><h2>Install</h2><pre><code class="language-sh">npm install tea
npm test</code></pre><p>Then use <code>brew()</code>.</p>
<h2>Use it</h2><div class="highlight-source-js"><pre><button>Copy</button>brew(&quot;green&quot;);</pre></div>
<figure><figcaption>config.toml</figcaption><pre data-lang=toml>[tea]
cups = 2</pre></figure><pre hidden>secret</pre>"""


async def test_code_samples(dom: Dom) -> None:
    """Each sample comes with its language and the heading or caption over it; inline code is not a sample."""
    await dom.open(CODE)

    assert await dom.act("find_code") == [
        {"title": "Install", "language": "sh", "code": "npm install tea\nnpm test"},
        {"title": "Use it", "language": "js", "code": 'brew("green");'},
        {"title": "config.toml", "language": "toml", "code": "[tea]\ncups = 2"},
    ]


async def test_code_in_lines_of_its_own(dom: Dom) -> None:
    """Samples whose lines are boxes keep them; hidden lines and numbers are left out."""
    await dom.open(
        """<body><pre><div>let a = 1;</div><div style="display:none">secret</div><div><span class=lineno>2</span>a++;</div></pre>"""
    )

    assert (await dom.act("find_code"))[0]["code"] == "let a = 1;\na++;"


async def test_code_samples_that_are_asked_for(dom: Dom) -> None:
    """Samples are found by the words of their title, or by a selector."""
    await dom.open(CODE)
    titled = await dom.act("find_code", title="use")
    selected = await dom.act("find_code", selector="p code")
    none = await dom.act("find_code", title="uninstall")
    error = await dom.fail("find_code", selector="p[")

    assert [code["code"] for code in titled] == ['brew("green");']
    assert [code["code"] for code in selected] == ["brew()"]
    assert none == []
    assert error["message"] == "`p[` is not a selector"


def tree(item: dict[str, Any]) -> Any:
    """Return a navigation item in short: its text, a star when it is current, what is below it."""
    text = (
        item["text"]
        + (f" {item['url']}" if item["url"] else "")
        + (" *" if item["current"] else "")
    )
    return {text: [tree(child) for child in item["children"]]} if item["children"] else text


async def test_the_navigation_as_a_tree(dom: Dom) -> None:
    """Menus in menus keep their order, and the page that is shown is marked."""
    await dom.open(
        """<title>Shop</title><body><nav aria-label=Main><ul><li><a href=/>Home</a>
        <li><a href=/tea>Tea</a><ul><li><a href=/tea/green>Green</a><li><a href=/tea/black>Black</a></ul>
        <li><button aria-expanded=false>More</button><ul hidden><li><a href=/about>About</a></ul></ul></nav>
        <nav aria-label=Foot><a href=/terms aria-current=page>Terms</a> <a href=/imprint>Imprint</a></nav>""",
        "/tea",
    )
    outline = await dom.act("navigation_outline")

    assert (outline["text"], outline["url"]) == ("Shop", dom.site.origin + "/tea")
    assert [tree(menu) for menu in outline["children"]] == [
        {
            "Main": [
                "Home /",
                {"Tea /tea *": ["Green /tea/green", "Black /tea/black"]},
                {"More": ["About /about"]},
            ]
        },
        {"Foot": ["Terms /terms *", "Imprint /imprint"]},
    ]


async def test_navigation_without_nav(dom: Dom) -> None:
    """Where nothing calls itself navigation, the head's links are, else the longest list of links."""
    await dom.open("<body><header><a href=/a>A</a><a href=/b>B</a></header><p><a href=/c>C</a>")
    head = await dom.act("navigation_outline")
    await dom.open("<body><ul><li><a href=/a>A</a><li><a href=/b>B</a><li><a href=/c>C</a></ul>")
    listed = await dom.act("navigation_outline")
    await dom.open("<body><p>Nothing")
    nothing = await dom.act("navigation_outline")

    assert [tree(item) for item in head["children"][0]["children"]] == ["A /a", "B /b"]
    assert [tree(item) for item in listed["children"][0]["children"]] == ["A /a", "B /b", "C /c"]
    assert nothing["children"] == []


async def test_sections_as_a_tree(dom: Dom) -> None:
    """Headings make a tree; each section has the beginning of its text, and its elements."""
    await dom.open("""<title>Guide</title><body><p>Before</p><h1>Tea</h1><p>All about tea.</p>
        <h2>Green</h2><p>Light. <a href=/green>More</a></p><h3>Sencha</h3><p>Grassy.</p><h2>Black</h2><p>Strong.</p>""")
    outline = await dom.act("section_outline")
    more = await dom.id("More")
    (tea,) = outline["children"]
    green, black = tea["children"]

    assert (outline["level"], outline["heading"], outline["text"]) == (0, "Guide", "Before")
    assert (tea["level"], tea["heading"], tea["text"]) == (1, "Tea", "All about tea.")
    assert more in green["pp_ids"]
    assert green["children"][0]["heading"] == "Sencha"
    assert (black["text"], black["children"]) == ("Strong.", [])
    assert (await dom.act("section_outline", max_text=5))["children"][0]["text"] == "All…"


FORM = """<body><form action=/order method=post aria-label=Order>
    <label>Email <input name=mail type=email required placeholder="you@example.org" autocomplete=email aria-describedby=h></label>
    <p id=h>For the bill</p><label>Cups <input name=cups type=number min=1 max=9 value=20></label>
    <label>Code <input name=code pattern="[A-Z]{3}" maxlength=3></label>
    <select name=size aria-label=Size><option value=s>Small<option value=m selected>Medium<option value=l disabled>Large</select>
    <fieldset><legend>Way</legend><label><input type=radio name=way value=p checked>Post</label>
    <label><input type=radio name=way value=s>Shop</label></fieldset>
    <label><input type=checkbox name=gift checked>Gift</label><label>Secret <input type=password name=pw value=x></label>
    <button>Order now</button><button type=button disabled>Save</button></form><input aria-label=Loose>"""


async def test_details_of_forms(dom: Dom) -> None:
    """The reply has all that is known of each field, radio buttons as one group, and the buttons."""
    await dom.open(FORM)
    order, loose = await dom.act("form_details")
    fields = {field["name"]: field for field in order["fields"]}

    assert (order["name"], order["action"], order["method"]) == (
        "Order",
        dom.site.origin + "/order",
        "post",
    )
    assert fields["mail"] == {
        "pp_id": fields["mail"]["pp_id"],
        "name": "mail",
        "label": "Email",
        "type": "email",
        "required": True,
        "value": "",
        "placeholder": "you@example.org",
        "autocomplete": "email",
        "description": "For the bill",
    }
    assert (fields["cups"]["min"], fields["cups"]["max"]) == ("1", "9")
    assert "less than or equal to 9" in fields["cups"]["problem"]
    assert (fields["code"]["pattern"], fields["code"]["maxlength"]) == ("[A-Z]{3}", "3")
    assert fields["size"]["value"] == "Medium"
    assert fields["size"]["options"] == [
        {"text": "Small", "value": "s", "selected": False},
        {"text": "Medium", "value": "m", "selected": True},
        {"text": "Large", "value": "l", "selected": False, "disabled": True},
    ]
    assert (fields["way"]["label"], fields["way"]["type"], fields["way"]["value"]) == (
        "Way",
        "radio",
        "Post",
    )
    assert [option["text"] for option in fields["way"]["options"]] == ["Post", "Shop"]
    assert fields["gift"]["value"] is True
    assert fields["pw"]["value"] == "•••"
    assert [(b["text"], b["type"], b["disabled"]) for b in order["buttons"]] == [
        ("Order now", "submit", False),
        ("Save", "button", True),
    ]
    assert loose["pp_id"] is None
    assert [field["label"] for field in loose["fields"]] == ["Loose"]


async def test_where_buttons_send_their_form(dom: Dom) -> None:
    """A button reports what it sends elsewhere, wherever it is and whatever role it claims."""
    await dom.open(
        """<form id=f action=/own><input name=x aria-label=X><button>Go</button>
        <button formaction=https://partner.example/p formmethod=POST role=link>Away</button></form>
        <input type=submit form=f value=Outside formaction=//other.example/>"""
    )
    (form,) = await dom.act("form_details")

    assert [(b["text"], b.get("action"), b.get("method")) for b in form["buttons"]] == [
        ("Go", None, None),
        ("Away", "https://partner.example/p", "post"),
        ("Outside", "http://other.example/", None),
    ]


async def test_details_of_one_form(dom: Dom) -> None:
    """A number of the form, or of anything in it, gives that form alone; elsewhere it is an error."""
    await dom.open(FORM)
    form, field = await dom.id("Order"), await dom.id("Cups")
    loose = await dom.fail("form_details", pp_id=await dom.id("Loose"))

    assert await dom.act("form_details", pp_id=form) == await dom.act("form_details", pp_id=field)
    assert len(await dom.act("form_details", pp_id=form)) == 1
    assert "is not in a form" in loose["message"]


TABLES: list[tuple[str, dict[str, Any]]] = [
    (
        "<table><caption>Prices</caption><tr><th>Size<th>Price<tr><td>S<td>£1<tr><td>M<td>£2</table>",
        {"caption": "Prices", "headers": ["Size", "Price"], "rows": [["S", "£1"], ["M", "£2"]]},
    ),
    (
        "<table><thead><tr><th rowspan=2>Tea<th colspan=2>Price<tr><th>Small<th>Large</thead><tr><th scope=row>Green<td>1<td>2</table>",
        {"caption": "", "headers": ["Tea", "Price / Small", "Price / Large"], "rows": [["Green", "1", "2"]]},
    ),
    (
        "<table><tr><td rowspan=2>A<td>1<td rowspan=0>x<tr><td>2</table>",
        {"caption": "", "headers": [], "rows": [["A", "1", "x"], ["A", "2", "x"]]},
    ),
    (
        "<table><tr><th>Name<td>Ada<tr><th>Born<td>1815</table>",
        {"caption": "", "headers": [], "rows": [["Name", "Ada"], ["Born", "1815"]]},
    ),
    (
        "<div role=grid aria-label=Stock><div role=row><b role=columnheader>Tea</b><b role=columnheader>Left</b></div><div role=row><i role=gridcell>Green</i><i role=gridcell>3</i></div></div>",
        {"caption": "Stock", "headers": ["Tea", "Left"], "rows": [["Green", "3"]]},
    ),
    (
        "<dl><dt>Opens<dd>10:00<dt>Closes<dt>Ends<dd>18:00<dd>later</dl>",
        {"caption": "", "headers": [], "rows": [["Opens", "10:00"], ["Closes, Ends", "18:00"], ["Closes, Ends", "later"]]},
    ),
    (
        "<table><tr><th>A<th>B<tr><td hidden>x<td>1<td>2<tr hidden><td>3<td>4</table>",
        {"caption": "", "headers": ["A", "B"], "rows": [["x", "1", "2"]]},
    ),
    ("<table><tr><th>On<th>N<tr><td><input type=checkbox checked><td><input value=7></table>", {"caption": "", "headers": ["On", "N"], "rows": [["yes", "7"]]}),
]  # fmt: skip


@pytest.mark.parametrize(("html", "table"), TABLES, ids=[html for html, _ in TABLES])
async def test_tables_as_data(dom: Dom, html: str, table: dict[str, Any]) -> None:
    """A table is its caption, its headers and its rows, with spans written out."""
    await dom.open(f"<body>{html}")
    (found,) = await dom.act("table_details")

    del found["pp_id"]
    assert found == table


async def test_tables_in_tables(dom: Dom) -> None:
    """A table for layout is not listed; a table in a cell is listed by itself."""
    await dom.open("""<body><table><tr><td><h1>Shop</h1><table><tr><th>Day<th>Times
        <tr><td>Mon<td>from <table><tr><th>a<th>b<tr><td>1<td>2</table> on</table><td>side</table>""")
    days, times = await dom.act("table_details")

    assert days["rows"] == [["Mon", "from on"]]
    assert times["headers"] == ["a", "b"]


async def test_one_table(dom: Dom) -> None:
    """A number of something in a table gives that table; elsewhere it is an error."""
    await dom.open(
        """<body><table><tr><th>A<th>B<tr><td><button>x</button><td>1</table><button>y</button>"""
    )
    (table,) = await dom.act("table_details", pp_id=await dom.id("x"))
    error = await dom.fail("table_details", pp_id=await dom.id("y"))

    assert table["rows"] == [["x", "1"]]
    assert "is not a table and not in one" in error["message"]


async def test_long_tables_say_how_long_they_are(dom: Dom) -> None:
    """Of a long table the reply has the first rows and the number of all."""
    await dom.open(
        "<body><table><tr><th>A<th>B"
        + "<tr><td>1<td colspan=65534 rowspan=65534>2" * 1000
        + "</table>"
    )
    (table,) = await dom.act("table_details")

    assert len(table["rows"]) == 200
    assert table["total_rows"] == 1000
    assert max(map(len, table["rows"])) == 60


PARAGRAPHS = "<p>" + "Words about tea and how it is grown, picked, dried and brewed. " * 4
KINDS: list[tuple[str, str, str]] = [
    ("login", "/login", "<h1>Log in</h1><form><input type=email><input type=password><button>Log in</button></form>"),
    ("signup", "/join", "<h1>Create an account</h1><form><input type=email><input type=password><button>Join</button></form>"),
    ("error", "/x", "<title>404</title><h1>Page not found</h1><p>Sorry."),
    ("blocked", "/x", "<h1>Access denied</h1><p>Your address was blocked."),
    ("two_factor", "/x", "<h1>Check it is you</h1><p>Enter the 6-digit code</p><form><input name=code><button>Go on</button></form>"),
    ("two_factor", "/y", "<h1>Hello</h1><form><input autocomplete=one-time-code><button>Go on</button></form>"),
    ("consent", "/x", "<h1>Teapot wants access to your account</h1><button>Allow</button><button>Deny</button>"),
    ("search", "/x", "<h1>Find a tea</h1><form role=search><input type=search><button>Search</button></form>"),
    ("inbox", "/x", "<h1>Inbox (3)</h1><ul><li><a href=/1>Tea is ready</a></ul>"),
    ("email", "/x", "<h1>Tea is ready</h1><p>From: Ada</p><p>To: Bob</p><p>Come.</p><button>Reply</button>"),
    ("dashboard", "/x", "<h1>Dashboard</h1><p>12 teas sold"),
    ("dashboard", "/y", "<h1>Your account</h1><button>Log out</button>"),
    ("captcha", "/x", "<h1>Just a moment…</h1><p>Verify you are human</p>"),
    ("checkout", "/pay", "<form><input autocomplete=cc-number><input autocomplete=cc-csc><button>Pay</button></form>"),
    ("cart", "/basket", "<h1>Your basket</h1><p>Nothing yet"),
    ("search_results", "/find?q=tea", "<h1>Found</h1><ul><li>Tea</ul>"),
    ("product", "/tea", "<h1>Sencha</h1><p>£4.00</p><button>Add to basket</button>"),
    ("product", "/p", '<script type="application/ld+json">{"@type": "Product", "name": "Sencha"}</script><h1>Sencha</h1>'),
    ("article", "/news/1", f"<article><h1>How tea is made</h1>{PARAGRAPHS * 4}</article>"),
    ("listing", "/teas", "".join(f"<h2><a href=/{i}>Tea {i}</a></h2><p>£{i}.00</p>" for i in range(2, 9))),
    ("form", "/contact", "<h1>Contact</h1><form><label>Name <input></label><label>Text <textarea></textarea></label><button>Send</button></form>"),
    ("home", "/", "<h1>Tea shop</h1><p>Welcome"),
    ("page", "/about", "<h1>About</h1><p>We sell tea"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "path", "html"), KINDS, ids=[f"{k} {p}" for k, p, _ in KINDS])
async def test_the_kind_of_a_page(dom: Dom, kind: str, path: str, html: str) -> None:
    """The kind of a page follows from the evidence."""
    await dom.open(f"<body>{html}", path)

    assert (await dom.act("summary"))["page_type"] == kind


async def test_the_longest_list_of_a_page(dom: Dom) -> None:
    """The longest list of things that lead somewhere, each with its words; no navigation."""
    teas = "".join(
        f"<li><a href=/tea/{i}><img alt=Leaf><h3>Tea {i}</h3></a><p>Picked in May, £{i}.00</p></li>"
        for i in range(1, 4)
    )
    await dom.open(f"""<nav><ul><li><a href=/>Home of all the teas that there are</a><li><a href=/b>Basket</a></ul></nav>
        <main><ul><li><a href=/g>Green</a><li><a href=/w>White</a></ul><ul>{teas}</ul></main>""")
    found = await dom.act("results")

    assert [(f["title"], f["text"]) for f in found] == [
        (f"Tea {i}", f"Picked in May, £{i}.00") for i in range(1, 4)
    ]
    assert found[0]["url"] == f"{dom.site.origin}/tea/1"
    await dom.open("""<main><div><div><a href=/1>One</a><p>The first</p></div>
        <div><a href=/2>Two</a><p>The second</p></div></div></main>""")
    assert [(f["title"], f["text"]) for f in await dom.act("results")] == [
        ("One", "The first"),
        ("Two", "The second"),
    ]


async def test_the_text_of_a_page(dom: Dom) -> None:
    """Its words without numbers of elements, and without what is around them."""
    long = "word " * 150
    await dom.open(f"""<a href=/>Tea shop</a><nav><a href=/>Home</a></nav><main><h1>Tea</h1><p>Grown in <a href=/j>Japan</a>, see [1].</p>
        <p>{long}<a href=/k>Kyoto</a> and more</p><ul><li>Green</ul></main><footer>Since 1901</footer>""")
    said = await dom.act("content")

    assert said["text"].splitlines() == [
        "# Tea",
        "Grown in Japan, see [1].",
        f"{long}Kyoto and more",
        "Green",
    ]
    assert said["truncated"] is False


async def test_a_summary(dom: Dom) -> None:
    """Title, headings, what the page says of itself for machines, prices, and what can be done."""
    await dom.open("""<title>Sencha</title><meta property="og:site_name" content="Tea shop"><body>
        <script type="application/ld+json">{"@graph": [{"@type": "Product", "name": "Sencha", "brand": {"name": "Uji"},
          "offers": {"@type": "Offer", "price": 4, "priceCurrency": "GBP", "availability": "https://schema.org/InStock"},
          "aggregateRating": {"ratingValue": "4.5"}, "<b>": "x"}]}</script>
        <script type="application/ld+json">{broken</script>
        <div itemscope itemtype="https://schema.org/Recipe"><span itemprop=totalTime content=PT3M>3 minutes</span></div>
        <h1>Sencha</h1><p>Now £4.00, was £5.50</p><button>Add to basket</button><button>Add to basket</button><input aria-label=Cups>""")
    summary = await dom.act("summary")
    facts = [(fact["name"], fact["value"]) for fact in summary["facts"]]

    assert summary["title"] == "Sencha"
    assert summary["page_type"] == "product"
    assert [(h["level"], h["text"]) for h in summary["headings"]] == [(1, "Sencha")]
    assert {
        ("og:site_name", "Tea shop"),
        ("Product.name", "Sencha"),
        ("Product.brand.name", "Uji"),
        ("Product.offers.price", "4"),
        ("Product.offers.availability", "InStock"),
        ("Product.aggregateRating.ratingValue", "4.5"),
        ("Recipe.totalTime", "PT3M"),
        ("prices", "£4.00, £5.50"),
    } <= set(facts)
    assert [action["text"] for action in summary["actions"]] == [
        'button "Add to basket"',
        'textbox "Cups"',
    ]
