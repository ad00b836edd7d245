"""The planner on the shop of the template, by its manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import NOW, Refused, bindings_from, follow

from webagent.codegen.types_section import shared_types
from webagent.page.offers import Target
from webagent.page.snapshot import Element, Snapshot
from webagent.parser import parse
from webagent.registry.binding import Binding

_MANIFEST = Path(__file__).parents[4] / "site_template" / "webagents.md"
_BOOKS = [
    {
        "id": "the-hobbit",
        "title": "The Hobbit",
        "author": "J. R. R. Tolkien",
        "price": 12.5,
        "stock": 3,
    },
    {
        "id": "farmer-giles",
        "title": "Farmer Giles",
        "author": "J. R. R. Tolkien",
        "price": 4,
        "stock": 0,
    },
    {
        "id": "roverandom",
        "title": "Roverandom",
        "author": "J. R. R. Tolkien",
        "price": 7.95,
        "stock": 1,
    },
]
_BASKET_LINK = Snapshot(
    url="https://site.example/index.html",
    elements=(
        Element(3, "link", "Books", href="/index.html"),
        Element(4, "link", "Basket 0 books", href="/basket.html"),
    ),
)


@pytest.fixture(scope="module")
def tools() -> list[Binding]:
    manifest = parse(_MANIFEST.read_text("utf-8"))
    types = shared_types(manifest)
    return [Binding(t, Target("function", t.name), t.name, types=types) for t in manifest.tools]


def _shop(name: str, arguments: dict[str, Any]) -> Any:
    match name:
        case "searchBooks":
            named = [one for one in _BOOKS if arguments["query"] == one["title"]]
            return {"books": named, "total": 1} if named else {"books": _BOOKS, "total": 3}
        case "getBookDetails":
            return next(b for b in _BOOKS if b["id"] == arguments["bookId"])
        case "addToBasket":
            book = next(b for b in _BOOKS if b["id"] == arguments["bookId"])
            return {
                "items": [{"bookId": book["id"], "title": book["title"], "quantity": 1}],
                "count": 1,
            }
        case "getBasket":
            return {"items": [], "count": 0, "subtotal": 0}
    raise LookupError(name)


GOAL = "find books by Tolkien and add the cheapest one to my basket"


async def test_cheapest_in_stock(tools: list[Binding]) -> None:
    """Of what was found the cheapest goes into the basket, and what is sold out is passed over."""
    outcome = await follow(GOAL, tools, _shop)
    assert outcome.calls == [
        ("searchBooks", {"query": "Tolkien"}),
        ("addToBasket", {"bookId": "roverandom"}),
    ]
    assert outcome.success
    assert "Roverandom" in outcome.text


async def test_plan(tools: list[Binding]) -> None:
    """The plan says in order which tools are used, and with what effect."""
    outcome = await follow(GOAL, tools, _shop)
    assert outcome.plan.text.startswith("I will ")
    assert [(s.tool, s.effect) for s in outcome.plan.steps] == [
        ("searchBooks", "read"),
        ("addToBasket", "write"),
    ]


async def test_opens_the_basket(tools: list[Binding]) -> None:
    """In the end the page is opened that shows what was changed."""
    outcome = await follow(GOAL, tools, _shop, snapshot=_BASKET_LINK)
    assert [(act.name, act.arguments) for act in outcome.acts] == [("click_link", {"pp_id": 4})]


@pytest.mark.parametrize(
    ("href", "url", "text"),
    [
        ("/index.html", "https://site.example/prices.html", ""),
        ("/", "https://site.example/prices.html", ""),
        ("https://site.example/flat.html#top", "https://site.example/flat.html", ""),
        ("/stays.html", "https://site.example/prices.html", "Booked as SG-1042."),
    ],
)
async def test_stays_where_the_change_is_told(href: str, url: str, text: str) -> None:
    """A link home, to the page itself, or from a page that tells of the change is not opened."""
    links = (Element(4, "link", "Flat by the sea", href=href),)
    tool = {"name": "bookFlat", "description": "Book the flat.", "inputSchema": {"type": "object"}}
    page = Snapshot(url=url, elements=links, text=text)
    outcome = await follow(
        "book the flat", bindings_from([tool]), lambda *_: {"reference": "SG-1042"}, snapshot=page
    )
    assert [name for name, _ in outcome.calls] == ["bookFlat"]
    assert outcome.acts == []


async def test_reading_opens_nothing(tools: list[Binding]) -> None:
    """After a goal that only reads the page stays where it is."""
    outcome = await follow("find books by Tolkien", tools, _shop, snapshot=_BASKET_LINK)
    assert outcome.acts == []
    assert "The Hobbit" in outcome.text


async def test_described_thing(tools: list[Binding]) -> None:
    """A thing that only has a name is searched for first."""
    outcome = await follow("put The Hobbit in my basket", tools, _shop)
    assert outcome.calls == [
        ("searchBooks", {"query": "The Hobbit"}),
        ("addToBasket", {"bookId": "the-hobbit"}),
    ]


async def test_asks_which(tools: list[Binding]) -> None:
    """Where several are equally good the person is asked, and the answer may be a place or a name."""
    for answer in ("the first one", "The Hobbit please"):
        outcome = await follow("add a book by Tolkien to my basket", tools, _shop, answers=[answer])
        assert outcome.calls[-1] == ("addToBasket", {"bookId": "the-hobbit"})
        assert outcome.questions[0].startswith("Which one do you mean: The Hobbit")


async def test_compares_what_is_looked_up_one_by_one(tools: list[Binding]) -> None:
    """In one sentence and with both books, not in the facts of one after those of the other."""
    outcome = await follow("compare The Hobbit and Farmer Giles", tools, _shop)
    assert [name for name, _ in outcome.calls].count("getBookDetails") == 2
    assert outcome.text == (
        "The price is 12.50 for The Hobbit and 4 for Farmer Giles. "
        "The stock is 3 for The Hobbit and 0 for Farmer Giles."
    )
    assert [book["title"] for book in outcome.data] == ["The Hobbit", "Farmer Giles"]


async def test_a_question_without_an_answer_ends_it(tools: list[Binding]) -> None:
    """What would have come after it is not said to be impossible."""
    outcome = await follow("log me in and tell me the status of my latest order", tools, _shop)
    assert outcome.text == "I stopped because I got no answer to my question."


async def test_refused(tools: list[Binding]) -> None:
    """A call that the person refuses is not tried again, and the run ends without success."""

    def call(name: str, arguments: dict[str, Any]) -> Any:
        if name == "addToBasket":
            raise Refused("not today")
        return _shop(name, arguments)

    outcome = await follow(GOAL, tools, call)
    assert [name for name, _ in outcome.calls] == ["searchBooks", "addToBasket"]
    assert not outcome.success
    assert "not today" in outcome.text


async def test_tool_fails(tools: list[Binding]) -> None:
    """What a tool says of its failure is what the person reads."""

    def call(name: str, arguments: dict[str, Any]) -> Any:
        if name == "addToBasket":
            raise ValueError("only 2 of “Roverandom” in stock")
        return _shop(name, arguments)

    outcome = await follow(GOAL, tools, call)
    assert not outcome.success
    assert "only 2 of “Roverandom” in stock" in outcome.text


async def test_nothing_found(tools: list[Binding]) -> None:
    """When neither the search nor the whole list has the name, nothing is added."""
    outcome = await follow(GOAL, tools, lambda name, _: {"books": [], "total": 0})
    assert outcome.calls == [("searchBooks", {"query": "Tolkien"}), ("searchBooks", {"query": ""})]
    assert not outcome.success


async def test_forbidden(tools: list[Binding]) -> None:
    """What a goal rules out is not done."""
    outcome = await follow(
        "find books by Tolkien but don't add anything to the basket", tools, _shop
    )
    assert [name for name, _ in outcome.calls] == ["searchBooks"]


async def test_nothing_fits(tools: list[Binding]) -> None:
    """A goal that no tool and no page fits calls nothing, and says so."""
    outcome = await follow("book a flight to Oslo", tools, _shop)
    assert outcome.calls == []
    assert not outcome.success
    assert "I cannot do that on this page" in outcome.text


async def test_revised_argument(tools: list[Binding]) -> None:
    """Words with which a plan is rejected change the arguments that they name."""
    outcome = await follow(
        "search books by Tolkien in Poetry", tools, _shop, rejections=["with a limit of 5 please"]
    )
    assert outcome.calls[0][1]["limit"] == 5


async def test_revised_goal(tools: list[Binding]) -> None:
    """A rejection that asks for something else is the new goal."""
    outcome = await follow(GOAL, tools, _shop, rejections=["no, just show me my basket"])
    assert [name for name, _ in outcome.calls] == ["getBasket"]


async def test_rejected_for_good(tools: list[Binding]) -> None:
    """A rejection that asks for nothing ends the run without a call."""
    outcome = await follow(GOAL, tools, _shop, rejections=["no"])
    assert outcome.calls == []
    assert not outcome.success


async def test_surprise_goes_on(tools: list[Binding]) -> None:
    """A revision because of the page leaves the plan as it is."""
    reason = "`searchBooks` failed - the page was left"
    outcome = await follow(GOAL, tools, _shop, rejections=[reason])
    assert [name for name, _ in outcome.calls] == ["searchBooks", "addToBasket"]


@pytest.mark.parametrize("goal", ["What categories do you have?", "which categories are there?"])
async def test_words_of_a_question_are_no_value(tools: list[Binding], goal: str) -> None:
    """Asked which there are, the tool that lists them is called, with nothing made of the question."""
    outcome = await follow(goal, tools, lambda *_: [{"name": "Nature", "count": 4}])
    assert outcome.calls == [("listCategories", {})]


async def test_secret_alone(tools: list[Binding]) -> None:
    """A password is asked for alone, and only its mask is kept."""
    outcome = await follow(
        "log me in", tools, lambda *_: {}, answers=["ada@x.example", "ropewalk14"]
    )
    assert outcome.asked == ["email", "password"]
    name, arguments = outcome.calls[0]
    assert name == "login"
    assert arguments["email"] == "ada@x.example"
    assert arguments["password"] != "ropewalk14"
    assert "ropewalk14" not in str(outcome.run.notes)


def test_now_is_a_sunday() -> None:
    """The tests' day is the Sunday they say."""
    from datetime import datetime

    assert datetime.fromisoformat(NOW).strftime("%A") == "Sunday"


def _with_one_book(name: str, arguments: dict[str, Any]) -> Any:
    if name == "getBasket":
        book = {"bookId": "lotr", "title": "The Lord of the Rings", "quantity": 1}
        return {"items": [book], "count": 1, "subtotal": 38}
    if name == "removeFromBasket":
        return {"items": [], "count": 0, "subtotal": 0}
    return _shop(name, arguments)


@pytest.mark.parametrize(
    "goal", ["entferne The Hobbit aus dem Warenkorb", "remove The Hobbit from my basket"]
)
async def test_an_article_chooses_no_book(tools: list[Binding], goal: str) -> None:
    """`The` of an English title says nothing in another language either."""
    outcome = await follow(goal, tools, _with_one_book)
    assert ("removeFromBasket", {"bookId": "lotr"}) not in outcome.calls


async def test_the_plan_has_names_in_their_quotes(tools: list[Binding]) -> None:
    """Also where a part of the goal begins with one."""
    outcome = await follow('add "The Hobbit" and "Roverandom" to my basket', tools, _shop)
    texts = " ".join([outcome.plan.text, *(step.text for step in outcome.plan.steps)])
    assert texts.count('"') % 2 == 0


async def test_a_thing_that_is_not_there_is_said_to_be_missing(tools: list[Binding]) -> None:
    """Before the person is asked which of the others is meant."""
    outcome = await follow("remove The Hobbit from my basket", tools, _with_one_book)
    assert outcome.questions == [
        "I found nothing for “The Hobbit”. Which one do you mean: The Lord of the Rings?"
    ]


async def test_a_verb_at_the_beginning_is_no_name(tools: list[Binding]) -> None:
    """Though it begins with a capital, as nouns do in German."""
    goal = "Suche Bücher von Tolkien. Leg das billigste davon in den Warenkorb"
    outcome = await follow(goal, tools, _shop)
    assert outcome.calls == [
        ("searchBooks", {"query": "Tolkien"}),
        ("addToBasket", {"bookId": "roverandom"}),
    ]
