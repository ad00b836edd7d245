"""Answers in the panel: texts as Markdown, results as cards and tables, marks on the page, undo."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.e2e.conftest import Watch
from tests.e2e.panel.conftest import PAGE, Open, Talk
from tests.e2e.panel.story import APPROVAL, BOOKS, FINISHED, STARTED, step

PLANNED_ALONE = STARTED | {"model": None}
TEXT = """# Two books

I found **two** books by *Tolkien*, with `id`s:

1. [The Hobbit](/book?id=b-071), a __classic__
   - paperback
   - hardback
2. Unfinished *Tales

| Book | Price |
|:--|--:|
| The Hobbit | 8.99 |

> A quote of
> two lines

```html
<b>no markup</b>
```

See [another shop](https://other.example/x "title") or https://other.example/y, 5 * 3 * 2 and snake_case_name."""


def said(text: str, final: bool = True) -> dict[str, Any]:
    return {"type": "text", "text": text, "final": final}


async def shown(place: Locator) -> str:
    """Return the structure of an element as HTML, without attributes but addresses."""
    html = await place.evaluate("element => element.innerHTML")
    return re.sub(r'(<\w+)((?: (?!href|start)[\w-]+="[^"]*")*)', r"\1", html)


async def test_markdown_is_shown_as_what_it_is(talk: Talk) -> None:
    """Links lead to pages of the site alone; nothing becomes markup."""
    await talk.tell(STARTED, said(TEXT))
    words = talk.log.locator(".words")
    await expect(words.locator("strong").first).to_have_text("Two books")
    origin = talk.url.removesuffix("/panel")
    assert (await shown(words.locator("> div"))).split("\n") == (
        "<p><strong>Two books</strong></p>"
        "<p>I found <strong>two</strong> books by <em>Tolkien</em>, with <code>id</code>s:</p>"
        f'<ol><li><a href="{origin}/book?id=b-071">The Hobbit</a>, a <strong>classic</strong>'
        "<ul><li>paperback</li><li>hardback</li></ul></li><li>Unfinished *Tales</li></ol>"
        "<div><table><thead><tr><th>Book</th><th>Price</th></tr></thead>"
        "<tbody><tr><td>The Hobbit</td><td>8.99</td></tr></tbody></table></div>"
        "<blockquote><p>A quote of\ntwo lines</p></blockquote>"
        "<pre><code>&lt;b&gt;no markup&lt;/b&gt;</code></pre>"
        "<p>See another shop<span> (https://other.example/x)</span> or https://other.example/y, "
        "5 * 3 * 2 and snake_case_name.</p>"
    ).split("\n")


ADDRESSES = (
    "[run](javascript:alert(1))",
    "[run](data:text/html,<script>1</script>)",
    "[site](//other.example/panel)",
    "[name](https://user:word@other.example)",
    "![beacon](https://other.example/x.png)",
    "<a href=/panel>html</a>",
)


async def test_an_address_that_is_not_of_this_site_is_text(talk: Talk) -> None:
    """It is visible, and cannot be pressed or loaded."""
    for number, text in enumerate(ADDRESSES):
        run = {"run_id": f"r{number}"}
        await talk.tell(STARTED | run, FINISHED | run | {"text": f"see {text} **now**"})
        outcome = talk.log.locator(".outcome .text").nth(number)
        await expect(outcome.locator("strong")).to_have_text("now")
        await expect(outcome.locator("a, img, script")).to_have_count(0)
        address = re.search(r"\(([^<>]*?)\)+$|(/panel)", text)
        if address and "<" not in text:
            await expect(outcome).to_contain_text(address[1] or address[2])


async def test_hidden_characters_of_a_text_are_named(talk: Talk) -> None:
    """Also in code and in the address of a link."""
    await talk.tell(STARTED, said("a\u202eb `c\u200bd` [e](/x\u2066y)"))
    await expect(talk.log.locator(".words code")).to_have_text("c⟨200B⟩d")
    await expect(talk.log.locator(".words")).to_have_text("a⟨202E⟩b c⟨200B⟩d e")


NASTY = {
    "emphasis": "*a _b **c __d " * 4000,
    "brackets": "[" * 30_000 + "](" * 20_000,
    "backticks": "".join("`" * (1 + n % 40) + "x" for n in range(4000)),
    "quotes": "> " * 20_000 + "x",
    "lists": "\n".join(" " * (n % 50) + "- x" for n in range(4000)),
    "tables": "|".join("a" * 9000) + "\n" + "|".join("-" * 9000),
    "rules": ("- " * 300 + "x\n") * 100,
    "blank": "x\n" + "\n" * 50_000 + "y",
    "fence": "```\n" + "code | x\n" * 8000 + "```",
    "plain": "word " * 20_000,
}


@pytest.mark.conformance
@pytest.mark.parametrize("name", NASTY)
async def test_no_text_stops_the_page(talk: Talk, name: str) -> None:
    """A text of 100,000 characters is shown to its end, in parts that leave the page alive."""
    text = f"{NASTY[name]}\n\nThe **end**"
    pieces = [said(text[at : at + 2000], final=False) for at in range(0, len(text), 2000)]
    await talk.tell(STARTED, *pieces[:3])
    for at in range(3, len(pieces), 4):
        await talk.tell(*pieces[at : at + 4])
    await talk.tell(said(text))
    await expect(talk.log.locator(".words strong").last).to_have_text("end", timeout=20_000)


BASKET = {
    "items": [
        {
            "bookId": "b-071",
            "title": "The Hobbit",
            "quantity": 2,
            "price": 8.99,
            "url": "/next?b-071",
        },
        {
            "bookId": "b-072",
            "title": "Emma",
            "quantity": 1,
            "price": 1200,
            "url": "https://other.example/",
        },
    ],
    "count": 3,
    "subtotal": 1217.98,
    "currency": "GBP",
}


async def test_a_list_of_the_outcome_is_shown_as_cards(talk: Talk) -> None:
    """A planner's list is on the cards and not in the text; the currency is that of the whole."""
    text = "There are 2 items: The Hobbit (the price is £8.99) and Emma (the price is £1,200). It is yours."
    await talk.tell(PLANNED_ALONE, FINISHED | {"text": text, "data": BASKET})
    outcome = talk.log.locator(".outcome")
    cards = outcome.locator(".cards > li")
    await expect(cards).to_have_count(2)
    await expect(outcome.locator(".text")).to_have_text("There are 2 items. It is yours.")
    await expect(cards.first.locator(".price")).to_have_text("£8.99")
    await expect(cards.last.locator(".price")).to_have_text("£1,200.00")
    await expect(cards.first).to_contain_text("Quantity 2")
    await expect(outcome).to_contain_text("Count 3")
    await expect(outcome).not_to_contain_text("Show all")
    await expect(outcome).to_contain_text("Subtotal £1,217.98")
    await expect(cards.last.get_by_role("link")).to_have_count(0)
    await expect(cards.last).to_contain_text("Emma (https://other.example/)")
    await cards.first.get_by_role("link", name="The Hobbit").click()
    await talk.page.wait_for_url("**/next?b-071")
    await expect(talk.log.locator(".cards > li")).to_have_count(2)


DELIVERY = {"country": "Ireland", "price": 4.9, "currency": "GBP"}


async def test_money_is_written_in_one_way(talk: Talk) -> None:
    """A planner's amounts are as those of the cards, in a currency of the results."""
    text = "It is 4.90 GBP to Ireland, 7 GBP abroad, and 1.50 XYZ or 12.4.90 GBP stay."
    await talk.tell(
        PLANNED_ALONE, step("s1", tool="delivery", value=DELIVERY), FINISHED | {"text": text}
    )
    outcome = talk.log.locator(".outcome .text")
    await expect(outcome).to_have_text(
        "It is £4.90 to Ireland, £7.00 abroad, and 1.50 XYZ or 12.4.90 GBP stay."
    )
    await talk.tell(STARTED | {"run_id": "r2"}, FINISHED | {"run_id": "r2", "text": text})
    await expect(outcome.last).to_have_text(text)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The price is 4.90 GBP.", ["Country Ireland", "Price £4.90"]),
        ("It is 4.90 GBP to Ireland.", []),
        ("It is done.", []),
    ],
)
async def test_a_part_of_a_result_comes_with_the_rest(
    talk: Talk, text: str, facts: list[str]
) -> None:
    """A planner's `The price is £4.90` alone does not say of what."""
    await talk.tell(PLANNED_ALONE, FINISHED | {"text": text, "data": DELIVERY})
    await expect(talk.log.locator(".outcome .text")).not_to_contain_text("GBP")
    await expect(talk.log.locator(".outcome .facts > span")).to_have_text(facts)


async def test_an_order_goes_by_its_number(talk: Talk) -> None:
    """Things without a name have one that people use; ids of a database are left out."""
    orders = [{"id": f"CW-2051{n}", "status": "sent", "total": 5 * n} for n in range(2)]
    rows = [{"id": n, "status": "sent", "total": 5 * n} for n in range(2)]
    for number, data in enumerate((orders, rows)):
        run = {"run_id": f"r{number}"}
        await talk.tell(PLANNED_ALONE | run, FINISHED | run | {"text": "Look", "data": data})
    tables = talk.log.locator("table")
    await expect(tables.first.locator("th")).to_have_text(["Number", "Status", "Total"])
    number = tables.first.get_by_text("CW-20511")
    await expect(number).to_have_css("white-space", "nowrap")
    await expect(tables.first.get_by_text("sent").first).to_have_css("overflow-wrap", "break-word")
    await expect(tables.last.locator("th")).to_have_text(["Status", "Total"])


@pytest.mark.parametrize("width", [320, 900])
async def test_a_table_without_room_becomes_lists(talk_on: Open, width: int) -> None:
    """The label of its column stands before each cell then, and no cell is out of view."""
    talk = await talk_on(PAGE, viewport={"width": width, "height": 700})
    await talk.open()
    order = {"id": "CW-20512", "date": "2026-02-13", "status": "due " * 9, "total": 9.5}
    six = "| **A1** | B2 | C3 | D4 | E5 | F6 |\n|--|--|--|--|--|--|\n" + "| delivered " * 6 + "|"
    await talk.tell(PLANNED_ALONE, said(six), FINISHED | {"text": "Look", "data": [order] * 2})
    orders = talk.log.locator(".outcome table")
    await expect(orders.locator("thead")).to_be_visible(visible=width > 320)
    words = talk.log.locator(".words table")
    await expect(words.locator("thead")).to_be_hidden()
    await expect(words.locator("td").first).to_have_attribute("data-label", "A1")
    sideways = """log => [log, ...log.querySelectorAll(".fitted")]
      .map((one) => one.scrollWidth - one.clientWidth)"""
    assert await talk.log.evaluate(sideways) == [0, 0, 0]


@pytest.mark.parametrize(("kind", "looks"), [("denied", "outcome ended"), ("threw", "outcome bad")])
async def test_a_failure_has_no_cards(talk: Talk, kind: str, looks: str) -> None:
    """Things that were found on the way are no answer."""
    text = "I did not add **The Hobbit**, because you did not allow it."
    error = {"kind": kind, "message": "x"}
    refused = {"type": "answered", "id": "q", "yes": False, "text": ""}
    await talk.tell(PLANNED_ALONE, step("s1", tool="search", value=BOOKS))
    if kind == "denied":
        await talk.tell({"type": "asked", "id": "q", "request": APPROVAL}, refused)
    await talk.tell(FINISHED | {"ok": False, "text": text, "data": BOOKS, "error": error})
    await expect(talk.log.locator(".outcome")).to_have_class(looks)
    await expect(talk.log.locator(".outcome strong")).to_have_text("The Hobbit")
    await expect(talk.log.locator(".cards")).to_have_count(0)


async def test_a_models_words_choose_the_cards(talk: Talk) -> None:
    """Its text stays, with the things that it names."""
    text = "The **Unfinished Tales** are the longest."
    await talk.tell(STARTED, step("s1", tool="search", value=BOOKS), FINISHED | {"text": text})
    await expect(talk.log.locator(".cards > li")).to_have_count(1)
    await expect(talk.log.locator(".cards")).to_contain_text("Unfinished Tales")
    await expect(talk.log.locator(".outcome .text")).to_have_text(
        "The Unfinished Tales are the longest."
    )


async def test_a_long_list_shows_its_first_cards(talk: Talk) -> None:
    """The others follow when they are asked for; hostile data are text."""
    books = [
        {"name": f"<b>{n}</b>", "price": "£" + "9" * 5000, "image": "javascript:1", "x": {"y": n}}
        for n in range(40)
    ]
    await talk.tell(PLANNED_ALONE, FINISHED | {"text": "There are 40.", "data": books})
    cards = talk.log.locator(".cards > li")
    await expect(cards).to_have_count(3)
    await talk.log.get_by_role("button", name="Show all (40)").click()
    await expect(cards).to_have_count(40)
    await expect(cards.first).to_contain_text("<b>0</b>")
    await expect(talk.log.locator(".cards img, .cards b")).to_have_count(0)


async def test_records_are_a_table_with_labels(talk_on: Open) -> None:
    """Titles of the schema come first; numbers and dates are in the language of the page."""
    talk = await talk_on(
        PAGE.replace("<title>", "<script>document.documentElement.lang='de'</script><title>")
    )
    await talk.open()
    rows = [
        {"orderId": n, "placedOn": "2026-11-05", "total": 1234.5, "paid": n > 1}
        for n in range(1, 8)
    ]
    labels = {"total": "Summe"}
    await talk.tell(STARTED, step("s1", tool="orders", labels=labels, value={"orders": rows}))
    item = talk.log.locator(".step")
    await item.locator("summary").first.click()
    cells = item.locator("tbody tr").first.locator("td")
    await expect(item.locator("th")).to_have_text(["Placed on", "Summe", "Paid"])
    await expect(cells).to_have_text(["05.11.2026", "1.234,50", "Nein"])
    await expect(item.locator("tbody tr")).to_have_count(5)
    await item.get_by_role("button", name="Alles anzeigen (7)").click()
    await expect(item.locator("tbody tr")).to_have_count(7)
    await item.get_by_text("Details").click()
    await expect(item.locator("pre")).to_contain_text('"orderId": 1')


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (
            {
                "country": "Spain",
                "weightGrams": 12500,
                "price": 7.5,
                "currency": "GBP",
                "year": 1998,
            },
            "Country Spain Weight grams 12,500 Price £7.50 Year 1998",
        ),
        (42.25, "42.25"),
        (True, "Yes"),
    ],
)
async def test_a_single_value_is_a_line(talk: Talk, value: Any, line: str) -> None:
    """Its data stay one press away."""
    await talk.tell(STARTED, step("s1", tool="look", value=value))
    item = talk.log.locator(".step")
    await item.locator("summary").first.click()
    await expect(item.locator(".body > p")).to_have_text(
        re.compile(r"\s*".join(map(re.escape, line.split())))
    )
    await expect(item.locator("pre")).to_be_hidden()


LONG_PAGE = PAGE + (
    '<div style="height: 3000px"></div><p><a id="hobbit" href="/next?b-071">The book</a></p>'
    '<button id="buy">Buy</button><div style="height: 2000px"></div>'
    """<script type="module">
    import { createDom } from "/dom.js";
    const dom = window.dom = createDom(document);
    window.numberOf = (name) => dom.snapshot().elements.find((each) => each.name === name)?.id;
    </script>"""
)
IN_VIEW = "id => { const { top, bottom } = document.getElementById(id).getBoundingClientRect(); return top > 0 && bottom < innerHeight; }"


async def press_without(talk: Talk, button: Locator, element_id: str) -> None:
    """Remove an element, and press the button that shows it.

    By its key, since a pointer on its way to the button may hide it before the click.
    """
    await button.focus()
    await talk.page.evaluate("id => document.getElementById(id).remove()", element_id)
    await talk.page.keyboard.press("Enter")


MARKED = """id => {
  const { left, top, right } = document.getElementById(id).getBoundingClientRect();
  const mark = document.querySelector("webagent-panel").shadowRoot.querySelector(".page-mark").getBoundingClientRect();
  return mark.left < left && mark.right > right && Math.abs(mark.top - top) < 20 && document.elementFromPoint(left + 2, top + 5).id === id;
}"""


async def test_a_card_shows_its_place_on_the_page(talk_on: Open) -> None:
    """The page is scrolled there and marked for a while; the mark takes no clicks and is no part of the page."""
    talk = await talk_on(LONG_PAGE)
    await talk.open()
    await talk.tell(PLANNED_ALONE, FINISHED | {"text": "Look", "data": BASKET})
    buttons = talk.log.get_by_role("button", name="Show on the page")
    await expect(buttons).to_have_count(1)
    before = await talk.page.evaluate("[dom.snapshot().revision, dom.snapshot().text]")
    await buttons.click()
    await talk.page.wait_for_function(IN_VIEW, arg="hobbit")
    mark = talk.page.locator("webagent-panel .page-mark")
    await expect(mark).to_be_visible()
    await talk.page.wait_for_function(MARKED, arg="hobbit")
    assert await talk.page.evaluate("[dom.snapshot().revision, dom.snapshot().text]") == before
    await expect(mark).to_be_hidden()

    await press_without(talk, buttons, "hobbit")
    await expect(buttons).to_have_count(0)


async def test_the_element_that_the_agent_touches_is_marked(talk_on: Open) -> None:
    """As long as the step takes; afterwards the step shows it again, while the page has it."""
    talk = await talk_on(LONG_PAGE)
    await talk.open()
    number = await talk.page.evaluate("numberOf('Buy')")
    touch = step(
        "s1",
        action="click",
        arguments={"pp_id": number},
        element={"pp_id": number, "role": "button", "name": "Buy"},
    )
    await talk.page.evaluate("document.getElementById('buy').scrollIntoView()")
    await talk.tell(STARTED, touch | {"state": "started"})
    mark = talk.page.locator("webagent-panel .page-mark")
    await expect(mark).to_be_visible()
    await talk.tell(touch)
    await expect(mark).to_be_hidden()
    await talk.page.evaluate("scrollTo(0, 0)")
    show = talk.log.locator(".step").get_by_role("button", name="Show on the page")
    await show.click()
    await talk.page.wait_for_function(IN_VIEW, arg="buy")
    await press_without(talk, show, "buy")
    await expect(show).to_have_count(0)


async def test_a_panel_over_the_page_makes_room_for_what_it_shows(talk_on: Open) -> None:
    """On a phone it becomes small."""
    talk = await talk_on(LONG_PAGE, viewport={"width": 390, "height": 780})
    await talk.open()
    await talk.tell(PLANNED_ALONE, FINISHED | {"text": "Look", "data": BASKET})
    await talk.log.get_by_role("button", name="Show on the page").click()
    await expect(talk.pill).to_be_visible()
    await talk.page.wait_for_function(IN_VIEW, arg="hobbit")


UNDO = {"tool": "removeFromBasket", "arguments": {"bookId": "b-071"}}
PUT = step(
    "s1",
    tool="addToBasket",
    effect="write",
    arguments={"bookId": "b-071"},
    sentence="The Hobbit is in your basket.",
    undo=UNDO,
)


async def test_a_step_can_be_undone_once(talk: Talk) -> None:
    """A run of the one call is started, also on the next page, unless another one is under way."""
    undo = talk.log.get_by_role("button", name="Undo: The Hobbit is in your basket.")
    await talk.tell(STARTED, PUT)
    await expect(undo).to_be_hidden()
    await talk.tell(FINISHED)
    await expect(undo).to_be_visible()
    await talk.goal.fill("something else")
    await talk.load(talk.url.replace("/panel", "/next"))
    await undo.click()
    assert await talk.page.evaluate("[agent.goals, agent.options]") == [
        ["Undo: The Hobbit is in your basket."],
        [{"model": None, "call": UNDO}],
    ]
    await expect(undo).to_be_hidden()
    undone = step("s2", tool="removeFromBasket", effect="write", arguments=UNDO["arguments"])
    end = FINISHED | {"run_id": "r2", "text": "It is out."}
    begin = PLANNED_ALONE | {"run_id": "r2", "goal": "Undo"}
    await talk.tell(
        begin,
        undone | {"run_id": "r2", "state": "failed", "error": {"message": "x"}},
        end | {"ok": False, "error": {"kind": "threw", "message": "x"}},
    )
    await expect(undo).to_be_visible()
    # Its words alone would be another goal, so it is tried again as the call, also after a reload.
    ways = talk.log.locator(".outcome.bad").get_by_role("button")
    await expect(ways).to_have_text(["Try again", "I’ll do it myself"])
    await talk.load()
    await expect(ways).to_have_text(["Try again", "I’ll do it myself"])
    await ways.first.click()
    assert await talk.page.evaluate("agent.options") == [{"model": None, "call": UNDO}]
    await talk.tell(
        begin | {"run_id": "r3"}, undone | {"run_id": "r3", "id": "s3"}, end | {"run_id": "r3"}
    )
    await expect(undo).to_have_count(0)
    await expect(talk.goal).to_have_value("something else")
    await talk.load()
    await expect(talk.log).to_contain_text("It is out.")
    await expect(undo).to_have_count(0)

    await talk.tell(
        STARTED | {"run_id": "r4"}, PUT | {"run_id": "r4", "id": "s4"}, FINISHED | {"run_id": "r4"}
    )
    await expect(undo).to_have_count(1)


async def test_without_its_script_answers_stay_plain(talk_on: Open, watch: Watch) -> None:
    """Nothing is lost, and the next answer loads the script."""
    talk = await talk_on()
    await talk.page.route("**/answers.js", lambda route: route.abort())
    await talk.open()
    await talk.tell(
        STARTED, PUT, said("**one**"), FINISHED | {"text": "a `b` **c**", "data": BASKET}
    )
    await expect(talk.log.locator(".words")).to_have_text("**one**")
    await expect(talk.log.locator(".outcome .text")).to_have_text("a b **c**")
    await talk.log.locator(".step summary").click()
    await expect(talk.log.locator(".step .body")).to_contain_text("b-071")
    assert "answers stay plain" in " ".join(watch.errors)
    watch.errors.clear()

    await talk.page.unroute("**/answers.js")
    await talk.tell(STARTED | {"run_id": "r2"}, said("**two**") | {"run_id": "r2"})
    await expect(talk.log.locator(".words strong")).to_have_text("two")


AT_END = """() => {
  const log = document.querySelector("webagent-panel").shadowRoot.querySelector(".log");
  return log.scrollHeight - log.scrollTop - log.clientHeight < 2;
}"""


async def test_the_end_of_an_outcome_is_in_view(talk_on: Open) -> None:
    """Also on the next page of a phone, where the field takes room; a person who reads is not moved."""
    talk = await talk_on(viewport={"width": 390, "height": 700})
    await talk.open()
    await talk.tell(STARTED, PUT, PUT | {"id": "s2"}, PUT | {"id": "s3"})
    await talk.page.evaluate("sessionStorage.setItem('webagent.run', '{}')")
    await talk.load()
    await talk.tell(FINISHED | {"text": "Look", "data": BASKET})
    await expect(talk.log.locator(".cards > li")).to_have_count(2)
    await talk.page.wait_for_function(AT_END)

    await talk.log.locator(".step summary").first.click()
    await talk.tell(STARTED | {"run_id": "r2"}, PUT | {"run_id": "r2", "id": "s4"})
    await talk.page.wait_for_function(AT_END)
    await talk.log.locator(".step summary").first.click()
    await talk.log.evaluate("log => { log.scrollTop = 0; }")
    await talk.tell(PUT | {"run_id": "r2", "id": "s5"}, FINISHED | {"run_id": "r2", "data": BASKET})
    await expect(talk.log.locator(".outcome").last.locator(".answer, .text").last).to_be_attached()
    assert await talk.log.evaluate("log => log.scrollTop") == 0


async def test_an_outcome_that_is_too_high_begins_in_view(talk_on: Open) -> None:
    """On a phone its words are read first; its cards are below."""
    talk = await talk_on(viewport={"width": 390, "height": 420})
    await talk.open()
    await talk.tell(STARTED, PUT, PUT | {"id": "s2"}, PUT | {"id": "s3"})
    await talk.tell(FINISHED | {"text": "Look", "data": BASKET})
    await expect(talk.log.locator(".cards > li")).to_have_count(2)
    await talk.page.wait_for_function("""() => {
      const log = document.querySelector("webagent-panel").shadowRoot.querySelector(".log");
      const from = log.querySelector(".outcome").getBoundingClientRect().top - log.getBoundingClientRect().top;
      return log.scrollHeight - log.scrollTop - log.clientHeight > 20 && from >= 0 && from < 20;
    }""")


async def test_a_goal_is_legible_in_the_first_frame(talk_on: Open) -> None:
    """Python may hold up the page at once, and with it every fading."""
    talk = await talk_on(reduced_motion="no-preference")
    await talk.open()
    await talk.start("find a book")
    bubble = talk.log.locator(".bubble").last
    await expect(bubble).to_be_visible()
    animation = await bubble.evaluate("""one => {
      const name = getComputedStyle(one).animationName;
      const root = one.getRootNode();
      const rules = [...root.styleSheets, ...root.adoptedStyleSheets].flatMap(({ cssRules }) => [...cssRules]);
      return rules.find((rule) => rule instanceof CSSKeyframesRule && rule.name === name)?.cssText ?? "";
    }""")
    assert "translate" in animation
    assert "opacity" not in animation
