"""Things that a page lists, choices that it shows, and parts of a goal that lean on each other."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import NOW, ORIGIN, Outcome, bindings_from, follow

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.references import asked_of
from webagent.agent.deterministic.results import answer, read_result
from webagent.page.snapshot import Element, Snapshot

_PLANTS = [
    {"id": "p1", "title": "Blue Salvia", "price": 4.5, "stock": 9, "family": "Herbs", "heightCm": 60},
    {"id": "p2", "title": "The Old Quince", "price": 31, "stock": 1, "family": "Trees", "heightCm": 240},
    {"id": "p3", "title": "Night Stock, White", "price": 3, "stock": 0, "family": "Herbs", "heightCm": 40},
    {"id": "p4", "title": "Fern", "price": 8, "stock": 3, "family": "Shade", "heightCm": 55},
]  # fmt: skip
_FIELDS = {
    name: {"type": kind}
    for name, kind in (("id", "string"), ("title", "string"), ("price", "number"), ("stock", "number"))
}  # fmt: skip
_FOUND = {
    "type": "object",
    "properties": {"plants": {"type": "array", "items": {"type": "object", "properties": _FIELDS}}},
}
_TEXT = {"type": "string"}


def _tool(
    name: str, description: str, needed: dict[str, Any], *, reads: bool = True, output: Any = None, **more: Any
) -> dict[str, Any]:  # fmt: skip
    return {
        "name": name,
        "description": description,
        "annotations": {"readOnlyHint": reads},
        "inputSchema": {"type": "object", "required": [*needed], "properties": {**needed, **more}},
        **({"outputSchema": output} if output else {}),
    }


_FAMILY = {"type": "string", "description": "A name from listFamilies."}
_TOOLS = bindings_from(
    [
        _tool(
            "searchPlants", "Search the plants by words. The empty query lists the whole nursery.",
            {"query": _TEXT}, output=_FOUND, family=_FAMILY,
        ),
        _tool("filterByFamily", "Show one family of plants.", {"family": _FAMILY}, output=_FOUND),
        _tool("listFamilies", "List the families.", {}),
        _tool(
            "getPlantDetails", "Everything about one plant.", {"plantId": {**_TEXT, "description": "The id of the plant."}},
            output={"type": "object", "properties": {**_FIELDS, "heightCm": {"type": "number"}}},
        ),
        _tool(
            "addToTrolley", "Put a plant into the trolley.", {"plantId": {**_TEXT, "description": "The id of the plant."}},
            reads=False, quantity={"type": "integer"},
        ),
        _tool(
            "removeFromTrolley", "Take a plant out of the trolley.",
            {"plantId": {**_TEXT, "description": "The id of the plant."}}, reads=False,
        ),
    ]
)  # fmt: skip
_PAGE = Snapshot(
    url=ORIGIN + "/",
    elements=(
        Element(1, "radio", "All"),
        Element(2, "radio", "Herbs"),
        Element(3, "radio", "Trees"),
        Element(4, "radio", "Shade"),
        *(Element(n, "link", p["title"], href=f"/plant?id={p['id']}") for n, p in enumerate(_PLANTS, 10)),
    ),
    text="# Nursery\nHerbs, trees and ferns.\n\nMonday to Friday, 9 to 5.\nSaturday to 1.\n4 Mill Lane, Oxbow OX9 1AA",
)  # fmt: skip


def _nursery(name: str, arguments: dict[str, Any]) -> Any:
    match name:
        case "searchPlants":
            words = arguments["query"].lower().split()
            found = [p for p in _PLANTS if all(w in str(p["title"]).lower() for w in words)]
            return {"plants": found}
        case "filterByFamily":
            return {"plants": [p for p in _PLANTS if p["family"] == arguments["family"]]}
        case "getPlantDetails":
            return next(p for p in _PLANTS if p["id"] == arguments["plantId"])
    return {"count": 1}


async def _run(goal: str, page: Snapshot = _PAGE) -> Outcome:
    return await follow(goal, _TOOLS, _nursery, snapshot=page)


async def test_names_in_small_letters() -> None:
    """A name that the page lists is a name, however the goal writes it."""
    outcome = await _run("put two of the old quince into my trolley")
    assert outcome.calls == [
        ("searchPlants", {"query": "The Old Quince"}),
        ("addToTrolley", {"plantId": "p2", "quantity": 2}),
    ]


async def test_each_of_several_names() -> None:
    """Each of the things that a goal names is a call of its own, with its own number."""
    outcome = await _run("add 2x blue salvia and The Old Quince to my trolley")
    assert [call for call in outcome.calls if call[0] == "addToTrolley"] == [
        ("addToTrolley", {"plantId": "p1", "quantity": 2}),
        ("addToTrolley", {"plantId": "p2"}),
    ]


async def test_choices_of_the_page() -> None:
    """A text from a list of the site takes what the page shows as a row of choices."""
    outcome = await _run("show me the trees")
    assert outcome.calls == [("filterByFamily", {"family": "Trees"})]


async def test_a_field_is_no_name() -> None:
    """Of the things of a family the cheapest that is in stock is chosen; `stock` is looked for nowhere."""
    outcome = await _run("add the cheapest herb that is in stock to my trolley")
    assert outcome.calls[-1] == ("addToTrolley", {"plantId": "p1"})


async def test_verbless_goal_with_a_way() -> None:
    """Without a verb the preposition says which of two tools is meant."""
    outcome = await _run("2x Blue Salvia into the trolley please")
    assert outcome.calls[-1] == ("addToTrolley", {"plantId": "p1", "quantity": 2})


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        ("how much is the old quince pls", "31"),
        ("was kostet The Old Quince?", "31"),
        ("whats the most expensive plant youve got?", "The Old Quince"),
    ],
)
async def test_questions_about_things(goal: str, says: str) -> None:
    """A question for a field of things goes to the tool whose result has it."""
    outcome = await _run(goal)
    assert [name for name, _ in outcome.calls] == ["searchPlants"]
    assert says in outcome.text


def test_two_questions_about_a_thing() -> None:
    """Two fields are told where two are asked for, each by its own question."""
    said = Sentence.read(
        "how many pages has it and how much does it weigh?", datetime.fromisoformat(NOW)
    )
    book = {"title": "Wrong Maps", "price": 28, "stock": 2, "pages": 320, "weightGrams": 890}
    text = answer(asked_of(said, (0, len(said.tokens))), read_result(book))
    assert text == "For Wrong Maps, the pages are 320 and the weight is 890 grams."


@pytest.mark.parametrize(
    "goal",
    [
        "what is the difference between a herb and a shrub?",
        "what does it say about refunds?",
        "I am still thinking about The Old Quince",
    ],
)
async def test_no_call_for_want_of_better(goal: str) -> None:
    """What no tool answers is not searched for."""
    assert (await _run(goal)).calls == []


async def test_the_page_is_about_one_thing() -> None:
    """On the page of a thing `it` is that thing, by the id in the address."""
    page = replace(_PAGE, url=ORIGIN + "/plant?id=p4", elements=())
    assert (await _run("put two of it in my trolley", page)).calls == [
        ("addToTrolley", {"plantId": "p4", "quantity": 2})
    ]


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        ("are you open on saturday morning", "Saturday to 1"),
        ("habt ihr samstags auf?", "Saturday to 1"),
        ("what is your address?", "4 Mill Lane"),
    ],
)
async def test_hours_and_address(goal: str, says: str) -> None:
    """Hours and address are told without a word of the question in them."""
    outcome = await _run(goal)
    assert outcome.calls == []
    assert says in outcome.text


async def test_a_denied_order_before_a_request() -> None:
    """What a goal does not want yet says nothing of what it wants."""
    outcome = await _run("dont order anything yet, just show me whats in the trees family")
    assert outcome.calls == [("filterByFamily", {"family": "Trees"})]


_VISIT = bindings_from(
    [
        _tool(
            "arrangeVisit", "Arrange the hour of a visit.",
            {"time": {"type": "string", "enum": ["2026-11-24T10:00", "2026-11-24T11:00", "2026-11-25T11:00"]}}, reads=False,
        ),
        _tool(
            "writeToUs", "Fill in a message to us.",
            {
                "name": _TEXT,
                "topic": {"type": "string", "anyOf": [
                    {"const": "", "title": "Choose a topic"}, {"const": "find", "title": "Find a plant"},
                    {"const": "other", "title": "Something else"},
                ]},
                "message": _TEXT,
            },
            reads=False,
        ),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    "goal",
    [
        "arrange a visit on Tuesday at 11",
        "I'd like to come for a visit on Tuesday at 11 am, please arrange it",
    ],
)
async def test_moments_of_a_list(goal: str) -> None:
    """A day and an hour choose a moment of a list; the order behind a wish is its own."""
    outcome = await follow(goal, _VISIT, lambda *_: {"ok": True})
    assert outcome.calls == [("arrangeVisit", {"time": "2026-11-24T11:00"})]


async def test_empty_choice() -> None:
    """A quoted title names its choice, and the empty one is never taken."""
    goal = 'fill in the message for me: name "Lena Ort", topic "Find a plant", message "I look for a quince."'
    outcome = await follow(goal, _VISIT, lambda *_: {"ok": True})
    assert outcome.calls == [
        ("writeToUs", {"name": "Lena Ort", "topic": "find", "message": "I look for a quince."})
    ]


async def test_plan_says_what_is_done() -> None:
    """A plan has the values of the goal, and no text of a description."""
    outcome = await _run("put two of the old quince into my trolley")
    assert outcome.plan.text == "I will add “The Old Quince” to the trolley (quantity 2)."
