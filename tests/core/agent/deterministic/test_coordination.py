"""Wishes that share one verb, and what a goal tells somebody."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow


def _tool(name: str, description: str, *required: str, **more: Any) -> dict[str, Any]:
    kinds = {"quantity": "integer", "limit": "number", "celsius": "number", "minutes": "integer"}
    kinds |= {"number": "integer", "stars": "integer", "amount": "number"}
    optional = more.pop("optional", ())
    properties = {
        key: {"type": kinds.get(key, "string")} | more.get(key, {})
        for key in (*required, *optional)
    }
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


_FOOD = {"category": {"enum": ["groceries", "travel", "clothing"]}}
_SNACKS = {"snack": {"enum": ["pretzel", "bun"]}, "state": {"enum": ["warm", "cold"]}}
_ROOMS = {"room": {"enum": ["kitchen", "living_room", "office"]}}
_MONEY = {key: {"enum": ["EUR", "USD", "GBP", "CHF", "JPY"]} for key in ("from", "to")}
_TOOLS = bindings_from([
    _tool("addToCart", "Put a product into the cart.", "product", "quantity"),
    _tool("addToCrate", "Add things to the crate.", "thing", optional=("quantity",)),
    _tool("orderSnack", "Order a snack.", "snack", "quantity", optional=("state",), **_SNACKS),
    _tool("hideColumn", "Hide a column.", "column", column={"enum": ["planted_year", "height", "health"]}),
    _tool("setBudgetLimit", "Set the monthly limit of a category.", "category", "limit", **_FOOD),
    _tool("setHeating", "Set the temperature of a room.", "room", "celsius", **_ROOMS),
    _tool("inviteMember", "Invite somebody by email.", "email", optional=("message",)),
    _tool("sendMessage", "Send a message to a person or a channel.", "to", "text"),
    _tool("setSleepTimer", "Stop the music after some minutes.", "minutes"),
    _tool("rateBook", "Rate a book.", "title", "stars", optional=("review",)),
    _tool("downloadMap", "Download the map of a trail.", "trail"),
    _tool("saveTrail", "Save a trail to the favourites.", "trail"),
    _tool("logWatering", "Write down that a plant was watered.", "plant"),
    _tool("setReminder", "Set a reminder before the ticket ends.", "minutes"),
    {**_tool("convertMoney", "Convert an amount.", "amount", "from", "to", **_MONEY),
     "annotations": {"readOnlyHint": True}},
    {**_tool("listPasskeys", "List the passkeys."), "annotations": {"readOnlyHint": True}},
])  # fmt: skip


async def _calls(goal: str) -> list[tuple[str, dict[str, Any]]]:
    return (await follow(goal, _TOOLS, lambda *_: {"ok": True})).calls


@pytest.mark.parametrize(
    ("goal", "tool", "calls"),
    [
        ("add two baguettes and ten pretzels to the cart", "addToCart",
         [{"product": "baguettes", "quantity": 2}, {"product": "pretzels", "quantity": 10}]),
        ("add two baguettes and a pretzel to the cart", "addToCart",
         [{"product": "baguettes", "quantity": 2}, {"product": "pretzel", "quantity": 1}]),
        ("add two lanterns and a camping stove to the crate", "addToCrate",
         [{"thing": "lanterns", "quantity": 2}, {"thing": "camping stove"}]),
        ("add a lantern and a box of wooden pegs to the crate", "addToCrate",
         [{"thing": "lantern"}, {"thing": "wooden pegs"}]),
        ("order 3 pretzels and a bun", "orderSnack",
         [{"snack": "pretzel", "quantity": 3}, {"snack": "bun", "quantity": 1}]),
        ("order two pretzels and a bun, all warm", "orderSnack",
         [{"snack": "pretzel", "quantity": 2, "state": "warm"}, {"snack": "bun", "quantity": 1, "state": "warm"}]),
        ("hide the planted year and health columns", "hideColumn",
         [{"column": "planted_year"}, {"column": "health"}]),
        ("set the limit for groceries to 400 and for travel to 150", "setBudgetLimit",
         [{"category": "groceries", "limit": 400}, {"category": "travel", "limit": 150}]),
        ("turn the living room heating down to 18 and the office to 16", "setHeating",
         [{"room": "living_room", "celsius": 18}, {"room": "office", "celsius": 16}]),
        ("invite paul@mail.example and marie@mail.example", "inviteMember",
         [{"email": "paul@mail.example"}, {"email": "marie@mail.example"}]),
        ("convert 100 euros to dollars and to pounds", "convertMoney",
         [{"amount": 100, "from": "EUR", "to": "USD"}, {"amount": 100, "from": "EUR", "to": "GBP"}]),
    ],
)  # fmt: skip
async def test_wishes_that_share_a_verb_are_calls_of_their_own(
    goal: str, tool: str, calls: list[dict[str, Any]]
) -> None:
    """What only one of them says, all share."""
    assert await _calls(goal) == [(tool, arguments) for arguments in calls]


@pytest.mark.parametrize(
    ("goal", "counts"),
    [
        ("1x Winter Ferry + 2x Harbour Songs -> basket", [1, 2]),
        ("add ten copies of Winter Ferry and two of Harbour Songs to my basket", [10, 2]),
    ],
)
async def test_each_of_two_things_has_its_own_count(goal: str, counts: list[int]) -> None:
    posters = [{"posterId": "wf", "title": "Winter Ferry"}, {"posterId": "hs", "title": "Harbour Songs"}]  # fmt: skip
    tools = bindings_from([
        {**_tool("searchPosters", "Search the posters.", "query"), "annotations": {"readOnlyHint": True}},
        _tool("addToBasket", "Put copies of a poster into the basket.", "posterId", optional=("quantity",)),
        _tool("setBasketQuantity", "Change how many copies of a poster are in the basket.", "posterId", "quantity"),
    ])  # fmt: skip

    def call(name: str, given: dict[str, Any]) -> Any:
        found = [one for one in posters if given.get("query", "") in one["title"]]
        return found if name == "searchPosters" else {"ok": True}

    made = [c for c in (await follow(goal, tools, call)).calls if c[0] != "searchPosters"]
    assert made == [
        ("addToBasket", {"posterId": poster["posterId"], "quantity": count})
        for poster, count in zip(posters, counts, strict=True)
    ]


async def test_one_call_that_takes_it_all_is_one_wish() -> None:
    """`and` also joins what belongs to one call."""
    assert await _calls("message Tom: bring salt and pepper") == [
        ("sendMessage", {"to": "Tom", "text": "bring salt and pepper"})
    ]


@pytest.mark.parametrize(
    ("goal", "to", "text"),
    [
        ("tell Ana that I am late", "Ana", "I am late"),
        ("message Tom: the logo is ready", "Tom", "the logo is ready"),
        ("schreib Jonas, dass ich später komme", "Jonas", "ich später komme"),
        ("tell #design that the new logo is ready", "design", "the new logo is ready"),
    ],
)
async def test_what_somebody_is_told_is_a_message(goal: str, to: str, text: str) -> None:
    """The person stands behind the verb, and the message behind `that`."""
    assert await _calls(goal) == [("sendMessage", {"to": to, "text": text})]


@pytest.mark.parametrize(
    ("goal", "call"),
    [
        ("turn the music off in 20 minutes", ("setSleepTimer", {"minutes": 20})),
        ("remind me 10 mins before my ticket ends", ("setReminder", {"minutes": 10})),
        ("watered Fernie", ("logWatering", {"plant": "Fernie"})),
        ("give The Midnight Library 4 stars", ("rateBook", {"title": "The Midnight Library", "stars": 4})),
        ("how many francs do I get for 80 euros?", ("convertMoney", {"amount": 80, "from": "EUR", "to": "CHF"})),
    ],
)  # fmt: skip
async def test_what_people_ask_for_in_passing(goal: str, call: tuple[str, dict[str, Any]]) -> None:
    """A verb may say what the noun of a tool says, and a name is no review."""
    assert await _calls(goal) == [call]


async def test_a_wish_is_about_what_the_one_before_it_was_about() -> None:
    """Its own words do not say which trail."""
    assert await _calls("save Eagle Ridge to my favourites and download the map") == [
        ("saveTrail", {"trail": "Eagle Ridge"}),
        ("downloadMap", {"trail": "Eagle Ridge"}),
    ]


@pytest.mark.parametrize(
    "goal", ["what's a passkey?", "was ist ein Passkey?", "how are you doing?"]
)
async def test_what_a_thing_is_calls_nothing(goal: str) -> None:
    """A list of them does not say it."""
    assert await _calls(goal) == []


@pytest.mark.parametrize(
    "goal",
    [
        "cancel booking 812 and delete the alert",
        "cancel booking 812 and delete the alert of Whitby",
    ],
)
async def test_a_wish_about_another_thing_does_not_take_its_id(goal: str) -> None:
    """Both tools take an `id`, and the person is asked for the second."""
    ids = [
        _tool("cancelBooking", "Cancel a booking.", "id"),
        _tool("deleteAlert", "Delete an alert.", "id"),
    ]
    outcome = await follow(goal, bindings_from(ids), lambda *_: {"ok": True})
    assert outcome.calls == [("cancelBooking", {"id": "812"})]
