"""What visitors type next, in the shop of the template: of what was found, and of what was done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import Outcome, follow

from webagent.agent.run import PastRun
from webagent.codegen.types_section import shared_types
from webagent.page.offers import Target
from webagent.parser import parse
from webagent.registry.binding import Binding

_MANIFEST = Path(__file__).parents[4] / "site_template" / "webagents.md"
_BOOKS = [
    {"id": "the-hobbit", "title": "The Hobbit", "author": "J. R. R. Tolkien", "year": 1937, "price": 8.99, "stock": 5},
    {"id": "farmer-giles", "title": "Farmer Giles of Ham", "author": "J. R. R. Tolkien", "year": 1949, "price": 7.5, "stock": 4},
    {"id": "the-salt-ledger", "title": "The Salt Ledger", "author": "Maren Oakeshott", "year": 2019, "price": 9.99, "stock": 6},
    {"id": "nine-ferries-north", "title": "Nine Ferries North", "author": "Solveig Aunevik", "year": 2022, "price": 11, "stock": 6},
]  # fmt: skip
_TITLES = {book["id"]: book["title"] for book in _BOOKS}


class _Visitor:
    """Has goals one after another in a shop with a basket."""

    def __init__(self) -> None:
        manifest = parse(_MANIFEST.read_text("utf-8"))
        types = shared_types(manifest)
        self.tools = [
            Binding(t, Target("function", t.name), t.name, types=types) for t in manifest.tools
        ]
        self.basket: dict[str, int] = {}
        self.earlier: tuple[PastRun, ...] = ()

    async def has(self, *goals: str) -> Outcome:
        """Return the outcome of the last goal."""
        for goal in goals:
            outcome = await follow(goal, self.tools, self._call, earlier=self.earlier)
            self.earlier += (outcome.past,)
        return outcome

    def _call(self, name: str, given: dict[str, Any]) -> Any:
        book = given.get("bookId", "")
        match name:
            case "searchBooks":
                words = given["query"].lower().split()
                found = [
                    one for one in _BOOKS
                    if all(word in f"{one['title']} {one['author']}".lower() for word in words)
                ]  # fmt: skip
                return {"books": found, "total": len(found)}
            case "getBookDetails":
                own = next(one for one in _BOOKS if one["id"] == book)
                return {**own, "pages": 300, "weightGrams": 260, "blurb": "A householder."}
            case "addToBasket":
                self.basket[book] = self.basket.get(book, 0) + given.get("quantity", 1)
            case "setBasketQuantity":
                self.basket[book] = given["quantity"]
            case "removeFromBasket":
                del self.basket[book]
        items = [
            {"bookId": one, "title": _TITLES[one], "quantity": n} for one, n in self.basket.items()
        ]
        return {"items": items, "count": sum(self.basket.values()), "subtotal": 10}


@pytest.mark.parametrize(
    ("goals", "answer"),
    [
        (("find books by Tolkien", "the cheaper of those"), "Farmer Giles of Ham"),
        (("find books by Tolkien", "the second one please"), "This is Farmer Giles of Ham."),
        (("find books by Tolkien", "show me the first one"), "This is The Hobbit."),
        (("find books by Tolkien", "how much do they cost together?"), "16.49"),
        (("what does The Hobbit cost", "who wrote it?"), "J. R. R. Tolkien"),
        (("what does The Hobbit cost", "who is the author?"), "J. R. R. Tolkien"),
        (("what does The Hobbit cost", "is it in stock?"), "Yes, the stock is 5."),
        (("what does The Hobbit cost", "is it in stock?", "who wrote it?"), "J. R. R. Tolkien"),
        (("find books by Tolkien", "the first one, who wrote it?"), "For The Hobbit, the author"),
        (("was kostet The Hobbit?", "wer hat es geschrieben?"), "J. R. R. Tolkien"),
        (("zeig mir die Tolkien-Bücher", "das günstigere davon"), "Farmer Giles of Ham"),
    ],
)
async def test_results_answer(goals: tuple[str, ...], answer: str) -> None:
    """What was found before answers, without another call."""
    outcome = await _Visitor().has(*goals)
    assert answer in outcome.text
    assert (outcome.success, outcome.calls) == (True, [])


@pytest.mark.parametrize(
    ("goals", "book", "answer"),
    [
        (("what does The Hobbit cost", "how many pages does it have?"), "the-hobbit", "300"),
        (("what does The Hobbit cost", "how many pages?"), "the-hobbit", "300"),
        (("what does The Hobbit cost", "how heavy is it?"), "the-hobbit", "260"),
        (("what does The Hobbit cost", "what is it about?"), "the-hobbit", "This is The Hobbit."),
        (("find books by Tolkien", "tell me about the last one"), "farmer-giles", "Farmer Giles"),
        (("was kostet The Hobbit?", "erzähl mir mehr darüber"), "the-hobbit", "The Hobbit"),
        (("combien coûte The Hobbit ?", "combien de pages a-t-il ?"), "the-hobbit", "300"),
        (("cuánto cuesta The Hobbit?", "¿cuántas páginas tiene?"), "the-hobbit", "300"),
    ],
)
async def test_a_tool_tells_more_of_it(goals: tuple[str, ...], book: str, answer: str) -> None:
    """What a result lacks is asked of the tool that has it, for the thing that was told of."""
    outcome = await _Visitor().has(*goals)
    assert outcome.calls == [("getBookDetails", {"bookId": book})]
    assert answer in outcome.text


@pytest.mark.parametrize(
    "goal",
    [
        "what is your address?",
        "do you have gift wrapping?",
        "no, the other one",
        "anything cheaper?",
    ],
)
async def test_other_questions_are_not_about_it(goal: str) -> None:
    """A question about the shop is not about the book that was told of."""
    outcome = await _Visitor().has("what does The Hobbit cost", goal)
    assert (outcome.success, outcome.calls) == (False, [])


@pytest.mark.parametrize(
    ("goals", "basket"),
    [
        (("what does The Hobbit cost", "put two in my basket"), {"the-hobbit": 2}),
        (("what does The Hobbit cost", "add one"), {"the-hobbit": 1}),
        (("find books by Tolkien", "I'll take the second one"), {"farmer-giles": 1}),
        (("find books by Tolkien", "take the first"), {"the-hobbit": 1}),
        (("find books by Tolkien", "add the first one", "make that 3"), {"the-hobbit": 3}),
        (("find books by Tolkien", "i'll take the hobbit"), {"the-hobbit": 1}),
        (("find books by Tolkien", "i'll take The Hobbit"), {"the-hobbit": 1}),
        (("find books by Tolkien", "i'll take “The Hobbit”"), {"the-hobbit": 1}),
        (("find books by Tolkien", "two of the cheapest one please"), {"farmer-giles": 2}),
        (("find books by Tolkien", "add the first two"), {"the-hobbit": 1, "farmer-giles": 1}),
        (
            ("find books by Tolkien", "add the first one", "put the last one in my basket"),
            {"the-hobbit": 1, "farmer-giles": 1},
        ),
        (("add two copies of The Hobbit to my basket", "actually only one"), {"the-hobbit": 1}),
        (
            ("add The Hobbit to my basket", "actually two", "and The Salt Ledger too"),
            {"the-hobbit": 2, "the-salt-ledger": 1},
        ),
        (("add The Hobbit to my basket", "hm, make it three"), {"the-hobbit": 3}),
        (("add The Hobbit to my basket", "oops, too few, make it three"), {"the-hobbit": 3}),
        (("add The Hobbit to my basket", "undo that"), {}),
        (("add The Hobbit to my basket", "mach das rückgängig"), {}),
        (("add The Hobbit to my basket", "ach nee, nimm es wieder raus"), {}),
        (("add The Hobbit to my basket", "take it out again", "put it back in"), {"the-hobbit": 1}),
        (
            ("add The Hobbit to my basket", "add The Salt Ledger to my basket", "take it out again"),
            {"the-hobbit": 1},
        ),
        (
            ("add The Hobbit to my basket", "add The Salt Ledger to my basket", "remove everything"),
            {},
        ),
    ],
)  # fmt: skip
async def test_the_basket_is_as_meant(goals: tuple[str, ...], basket: dict[str, int]) -> None:
    """Changes are made to what was found, told of, or changed before."""
    visitor = _Visitor()
    outcome = await visitor.has(*goals)
    assert (visitor.basket, outcome.questions) == (basket, [])


async def test_it_is_one_of_those_that_were_told_of() -> None:
    """Where several are equal, the question offers only these."""
    visitor = _Visitor()
    outcome = await visitor.has("find books by Tolkien", "add it to my basket")
    assert outcome.calls == []
    assert outcome.questions == ["Which one do you mean: The Hobbit or Farmer Giles of Ham?"]


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("thanks, bye", "You are welcome."),
        ("perfect", "You are welcome."),
        ("great, see you there!", "You are welcome."),
        ("no thanks", "You are welcome."),
        ("ok leave it as it is, thank you", "You are welcome."),
        ("vielen Dank, bis dann", "Gern geschehen."),
        ("merci, à bientôt", "Avec plaisir."),
    ],
)
async def test_who_only_thanks_is_answered(goal: str, said: str) -> None:
    """Thanks, agreement and goodbye call nothing, and get a reply of their own."""
    outcome = await _Visitor().has("find books by Tolkien", goal)
    assert outcome.calls == []
    assert outcome.text.startswith(said)
    assert outcome.run.plan is not None
    assert "what I can do" not in outcome.run.plan.text


@pytest.mark.parametrize("goal", ["thanks, add The Hobbit to my basket", "ok, put The Hobbit in my basket please"])  # fmt: skip
async def test_a_wish_behind_thanks_is_served(goal: str) -> None:
    """A wish that begins with thanks is still a wish."""
    visitor = _Visitor()
    await visitor.has("find books by Tolkien", goal)
    assert visitor.basket == {"the-hobbit": 1}


@pytest.mark.parametrize(
    ("goal", "found"),
    [
        ("how much is The Salt Leger?", "For The Salt Ledger, the price is 9.99."),
        ("find the hobit", "The Hobbit"),
        ("what does The Lord of the Dance cost?", "Nothing was found."),
    ],
)
async def test_a_name_with_a_slip_is_found(goal: str, found: str) -> None:
    """Where a search finds nothing, all names are looked through for one that is nearly the same."""
    outcome = await _Visitor().has(goal)
    assert found in outcome.text
    assert outcome.calls[-1] == ("searchBooks", {"query": ""})


async def test_a_common_word_has_no_slip() -> None:
    """Where nothing is found for a word of the language, nothing else is looked through."""
    outcome = await _Visitor().has("find books about horses")
    assert outcome.calls == [("searchBooks", {"query": "horses"})]
    assert outcome.text == "Nothing was found."


async def test_a_thing_with_a_slip_in_its_name_is_added() -> None:
    """The id of the thing that is nearly named so is taken."""
    visitor = _Visitor()
    await visitor.has("add Nine Feries North to my basket")
    assert visitor.basket == {"nine-ferries-north": 1}


async def test_what_is_no_thing_is_not_taken_out() -> None:
    """A search that finds the word in other things offers none of them for removal."""
    visitor = _Visitor()
    outcome = await visitor.has("add The Hobbit to my basket", "delete my account")
    assert visitor.basket == {"the-hobbit": 1}
    assert not outcome.success


@pytest.mark.parametrize(
    ("goal", "plan"),
    [
        ("who wrote it?", "I will answer from what I found before."),
        ("how many pages?", "I will look at “The Hobbit”."),
        ("actually only one", "I will change a quantity (The Hobbit, quantity 1)."),
    ],
)
async def test_the_plan_names_the_thing(goal: str, plan: str) -> None:
    """The person reads the name of the thing that is meant, and not its id."""
    visitor = _Visitor()
    outcome = await visitor.has("add two copies of The Hobbit to my basket", goal)
    assert outcome.plan.text == plan
