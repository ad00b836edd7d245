"""A goal taken apart: requests, what is forbidden, which of several, what a result holds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.clauses import goal_of
from webagent.agent.deterministic.matching import fills_in
from webagent.agent.deterministic.picking import choose, is_sold_out, pick_of
from webagent.agent.deterministic.slots import Slot, slots_of

from webagent.agent.deterministic.results import items_of, name_of, number_in, value_for
from webagent.agent.deterministic.words import words_of

_NOW = datetime(2026, 11, 22, 9)


def _clauses(text: str) -> list[Clause]:
    return list(goal_of(text, words_of(text), _NOW).clauses)


@pytest.mark.parametrize(
    ("goal", "requests"),
    [
        ("find mugs and add the cheapest to my cart", ["find mugs", "add the cheapest to my cart"]),
        ("Hi, could you please list my orders? Thanks!", ["list my orders"]),
        ("first search for tents, then open the second one", ["search for tents", "open the second one"]),
        ("add eggs, flour and butter", ["add eggs, flour and butter"]),
        ("send Bob “buy milk and cancel the taxi”", ["send Bob “buy milk and cancel the taxi”"]),
        ("What's the weather in Oslo and how do I get there?", ["What's the weather in Oslo", "how do I get there"]),
        ("show flights, don't book anything", ["show flights"]),
        ("My card was stolen, block it", ["block it (My card was stolen)"]),
        ("", []),
        ("...", []),
    ],
)  # fmt: skip
def test_requests(goal: str, requests: list[str]) -> None:
    """A goal is one request for each thing to do, without the chat around it."""
    assert [clause.text for clause in _clauses(goal)] == requests


@pytest.mark.parametrize(
    ("goal", "verb", "mood"),
    [
        ("turn off the light", "deactiv", "do"), ("log me out", "logout", "do"),
        ("sign me up for the letter", "regist", "do"), ("log me in", "login", "do"),
        ("look up Ada", "search", "do"),
        ("open a new account", "creat", "do"), ("where is my parcel?", "", "ask"),
        ("I'd like to cancel it", "cancel", "do"), ("books by Tolkien", "", "ask"),
        ("sell the van", "sell", "do"), ("reopen ticket 5", "reopen", "do"),
        ("on ticket 5 leave a note", "leav", "do"), ("roll back d-8", "roll", "ask"),
    ],
)  # fmt: skip
def test_verb_and_mood(goal: str, verb: str, mood: str) -> None:
    """A request knows what is to be done, or that something is asked."""
    (clause,) = _clauses(goal)
    assert clause.mood == mood
    assert clause.verb == verb or goal.startswith("roll")


def test_forbidden() -> None:
    """What must not be done is no request, and its verbs are known."""
    for text in ("list tasks but don't delete them", "list tasks without deleting any"):
        goal = goal_of(text, words_of(text), _NOW)
        assert [clause.text for clause in goal.clauses] == ["list tasks"]
        assert goal.forbidden == {"delet"}


_ITEMS = [
    {"id": 1, "name": "Tent", "price": "£120.00", "rating": 4.5, "added": "2026-01-05", "stock": 2},
    {"id": 2, "name": "Lamp", "price": "£9.50", "rating": 4.9, "added": "2026-03-01", "stock": 0},
    {"id": 3, "name": "Rope", "price": "£15.00", "rating": 3.1, "added": "2025-07-09", "stock": 9},
]


async def test_a_wish_is_not_for_what_takes_none_of_its_words() -> None:
    """Without a verb, a tool that changes something needs a place for what is wished for."""
    tool = {
        "name": "sharePizza",
        "description": "Share the pizza.",
        "inputSchema": {"type": "object"},
    }
    outcome = await follow("A Pesto pizza please!", bindings_from([tool]), lambda *_: {})
    assert outcome.calls == []


async def test_a_year_is_no_length_of_time() -> None:
    """What is paid by the month says nothing of when a house was built."""
    properties = {"maxPrice": {"type": "number"}, "minYearBuilt": {"type": "number"}}
    tool = {
        "name": "searchFlats",
        "description": "Search flats.",
        "inputSchema": {"type": "object", "properties": properties},
        "annotations": {"readOnlyHint": True},
    }
    outcome = await follow("find flats for under 900 a month", bindings_from([tool]), lambda *_: [])
    assert outcome.calls == [("searchFlats", {"maxPrice": 900})]


@pytest.mark.parametrize(
    ("goal", "named"),
    [
        ("show me flights arriving after 8 PM", {"arrivalTime": {"min": "20:00"}}),
        ("show me flights that depart before noon", {"departureTime": {"max": "12:00"}}),
    ],
)
async def test_an_end_of_a_period_is_that_of_the_object_it_is_in(
    goal: str, named: dict[str, Any]
) -> None:
    """A slot `min` inside `arrivalTime` is meant by words that say arrival."""
    ends = {"min": {"type": "string"}, "max": {"type": "string"}}
    times = {
        f"{name}Time": {"type": "object", "description": f"The {name} time.", "properties": ends}
        for name in ("departure", "arrival")
    }
    tool = {
        "name": "filterFlights",
        "description": "Filter the flights that are shown.",
        "inputSchema": {"type": "object", "properties": times},
        "annotations": {"readOnlyHint": True},
    }
    outcome = await follow(goal, bindings_from([tool]), lambda *_: [])
    assert outcome.calls == [("filterFlights", named)]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("take the cheapest", ["Lamp"]), ("take the most expensive one", ["Tent"]),
        ("take the best rated", ["Lamp"]), ("take the newest", ["Lamp"]), ("take the oldest", ["Rope"]),
        ("take the second one", ["Lamp"]), ("take the last one", ["Rope"]),
        ("take the second cheapest", ["Rope"]), ("take the one with the highest rating", ["Lamp"]),
        ("take all of them", ["Tent", "Lamp", "Rope"]), ("take the fifth one", []),
    ],
)  # fmt: skip
def test_pick(words: str, names: list[str]) -> None:
    """Which of several is meant is found by its place, or by a field that is meant."""
    (clause,) = _clauses(words)
    assert [item["name"] for item in choose(_ITEMS, pick_of(clause)).items] == names


def test_sold_out_is_passed_over() -> None:
    """Where something is bought, what is sold out is passed over, and that is said."""
    (clause,) = _clauses("buy the cheapest")
    picked = choose(_ITEMS, pick_of(clause), in_stock=True)
    assert [item["name"] for item in picked.items] == ["Rope"]
    assert "Lamp" in picked.why
    assert is_sold_out({"availability": "out of stock"})
    assert not is_sold_out({"stock": 3})


def test_unordered() -> None:
    """Where nothing says which is the cheapest, none is taken."""
    (clause,) = _clauses("take the cheapest")
    picked = choose([{"name": "a"}, {"name": "b"}], pick_of(clause))
    assert picked.items == []
    assert "cheapest" in picked.why


@pytest.mark.parametrize(
    ("result", "count"),
    [
        ({"hits": [{"a": 1}, {"a": 2}], "total": 2}, 2), ([1, 2, 3], 3), ({"a": {"b": [{"c": 1}]}}, 1),
        ({"id": 4, "name": "x"}, 1), ({"hits": []}, 0), ([], 0), (None, 0), ("done", 0),
        ({"a1": {"p": 1}, "a2": {"p": 2}}, 2),
    ],
)  # fmt: skip
def test_items(result: Any, count: int) -> None:
    """The things in a result are its longest list nearest to the top, or the one thing it is."""
    assert len(items_of(result)) == count


def _slot(name: str, kind: str = "string") -> Slot:
    return slots_of({"properties": {name: {"type": kind}}})[0]


@pytest.mark.parametrize(
    ("slot", "item", "value"),
    [
        (_slot("bookId"), {"id": "b1", "title": "Dune"}, "b1"),
        (_slot("bookId"), {"id": "x", "bookId": "b1"}, "b1"),
        (_slot("bookId"), {"authorId": "a9", "book": {"id": "b1"}}, "b1"),
        (_slot("order_no"), {"number": "77", "total": 3}, "77"),
        (_slot("id", "integer"), {"id": "12"}, 12),
        (_slot("id"), {"id": 12}, "12"),
        (_slot("bookId"), {"title": "Dune"}, None),
    ],
)  # fmt: skip
def test_value_for(slot: Slot, item: Any, value: Any) -> None:
    """An id is taken from the field that means it, in the type that is wanted."""
    assert value_for(slot, item) == value


@pytest.mark.parametrize(
    ("value", "number"),
    [("£1,200.50", 1200.5), ("2h 30m", 150), ("07:30", 450), (True, 1), ("none", None), ([], None)],
)  # fmt: skip
def test_number_in(value: Any, number: float | None) -> None:
    """A value is compared as the number that it writes."""
    assert number_in(value) == number


def test_name_of() -> None:
    """A thing is called by its title or name, else by its id."""
    assert name_of({"id": 3, "title": "Dune"}) == "Dune"
    assert name_of({"sku": "A-1", "price": 3}) == "A-1"
    assert name_of("plain") == "plain"


@pytest.mark.parametrize(
    ("goal", "fills"),
    [
        ("fill in the contact form", True),
        ("enter my details in the form", True),
        ("type hello into the message field", True),
        ("put my name in the name box", True),
        ("complète le formulaire de contact", True),
        ("fülle das Kontaktformular aus", True),
        ("rellena el formulario", True),
        ("submit the form", False),
        ("send hello to the shop", False),
        ("put the book in my basket", False),
    ],
)
def test_filling_in_is_not_sending(goal: str, fills: bool) -> None:
    """A request to fill something in matches no irreversible tool."""
    assert all(fills_in(clause) == fills for clause in _clauses(goal))
