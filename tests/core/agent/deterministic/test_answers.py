"""What the planner makes of a person's answers, names and greetings."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import ORIGIN, bindings_from, follow

from webagent.page.snapshot import Element, Snapshot


def _booking(**more: Any) -> dict[str, Any]:
    properties = {
        "arrival": {"type": "string", "format": "date", "description": "Day of arrival."},
        **more,
    }
    return {
        "name": "bookFlat",
        "description": "Book the flat for a stay.",
        "inputSchema": {"type": "object", "required": [*properties], "properties": properties},
    }


_NAME = {"type": "string", "description": "Full name of the guest."}
_EMAIL = {"type": "string", "description": "Email address of the guest."}
_GOAL = "book the flat from 1 May 2027"


async def test_a_name_is_taken_whole() -> None:
    """Asked for a name and an email address, `Ada Quill` is the name, all of it."""
    tools = bindings_from([_booking(name=_NAME, email=_EMAIL)])
    outcome = await follow(_GOAL, tools, lambda *_: "ok", answers=["Ada Quill", "ada@example.org"])
    assert outcome.calls == [
        ("bookFlat", {"arrival": "2027-05-01", "name": "Ada Quill", "email": "ada@example.org"})
    ]


async def test_both_in_one_answer() -> None:
    """An answer with the name and the address gives both."""
    tools = bindings_from([_booking(name=_NAME, email=_EMAIL)])
    outcome = await follow(_GOAL, tools, lambda *_: "ok", answers=["Ada Quill, ada@example.org"])
    assert outcome.calls[0][1]["email"] == "ada@example.org"
    assert outcome.calls[0][1]["name"] == "Ada Quill"


async def test_a_choice_is_no_name() -> None:
    """What an argument allows goes to that argument, though a name was asked for first."""
    room = {"type": "string", "enum": ["attic", "garden"]}
    tools = bindings_from([_booking(name=_NAME, room=room)])
    outcome = await follow(_GOAL, tools, lambda *_: "ok", answers=["attic", "Ada Quill"])
    assert outcome.calls[0][1]["room"] == "attic"
    assert outcome.calls[0][1]["name"] == "Ada Quill"


async def test_several_values_are_one_form() -> None:
    """A name, a day, a room and a yes are asked for at once, each by its kind and label."""
    tools = bindings_from([
        _booking(
            fullName=_NAME,
            room={"type": "string", "enum": ["attic", "garden"]},
            guests={"type": "integer", "minimum": 1, "maximum": 4},
            breakfast={"type": "boolean"},
        )
    ])  # fmt: skip
    data = {
        "arrival": "2027-05-01",
        "fullName": "Ada Quill",
        "room": "garden",
        "guests": 2,
        "breakfast": False,
    }

    outcome = await follow("book the flat", tools, lambda *_: "ok", answers=[data])

    (form,) = outcome.forms
    assert form["required"] == ["arrival", "fullName", "room", "guests", "breakfast"]
    assert form["properties"]["arrival"]["format"] == "date"
    assert form["properties"]["fullName"]["title"] == "Full name"
    assert form["properties"]["room"]["oneOf"] == [{"const": "attic"}, {"const": "garden"}]
    assert form["properties"]["guests"] == {
        "type": "integer", "title": "Guests", "minimum": 1, "maximum": 4,
    }  # fmt: skip
    assert form["properties"]["breakfast"]["type"] == "boolean"
    assert "attic" not in form["title"]
    assert outcome.calls == [("bookFlat", data)]


async def test_choices_of_a_form_have_their_titles() -> None:
    """The first option of a list, which chooses nothing, is no choice."""
    options = [("", "Choose a room"), ("a", "In the attic"), ("g", "On the garden")]
    room = {
        "type": "string",
        "anyOf": [{"const": value, "title": title} for value, title in options],
        "enum": [value for value, _ in options],
    }
    tools = bindings_from([_booking(room=room)])
    data = {"arrival": "2027-05-01", "room": "a"}
    outcome = await follow("book the flat", tools, lambda *_: "ok", answers=[data])
    assert outcome.forms[0]["properties"]["room"]["oneOf"] == [
        {"const": "a", "title": "In the attic"},
        {"const": "g", "title": "On the garden"},
    ]
    assert outcome.calls == [("bookFlat", data)]


async def test_a_secret_is_in_no_form() -> None:
    """All other values are asked for first, at once; the secret alone, in words."""
    secret = {"type": "string", "description": "The password of the account."}
    tools = bindings_from([_booking(fullName=_NAME, email=_EMAIL, password=secret)])
    known = {"fullName": "Ada Quill", "email": "ada@example.org"}

    outcome = await follow(_GOAL, tools, lambda *_: "ok", answers=[known, "•••"])

    assert [*outcome.forms[0]["properties"]] == ["fullName", "email"]
    assert outcome.forms[1:] == [None]
    assert outcome.calls[0][1]["password"] == "•••"


async def test_candidates_of_an_error_are_choices() -> None:
    """Values that a tool names as allowed are offered, and the one that is chosen is sent exactly."""

    def call(name: str, given: dict[str, Any]) -> str:
        if given["arrival"] not in ("2026-11-24T10:00", "2026-11-24T11:30"):
            raise ValueError(
                "no hour of this kind is free: use one of `2026-11-24T10:00`, `2026-11-24T11:30`"
            )
        return "booked"

    tool = _booking()
    tool["inputSchema"]["properties"]["arrival"] = {"type": "string", "format": "date-time"}
    answers = [{"arrival": "2026-11-24T11:30"}]

    outcome = await follow(
        "book the flat on 23 November 2026 at 9:15", bindings_from([tool]), call, answers=answers
    )

    assert [each["const"] for each in outcome.forms[0]["properties"]["arrival"]["oneOf"]] == [
        "2026-11-24T10:00", "2026-11-24T11:30",
    ]  # fmt: skip
    assert outcome.calls[-1] == ("bookFlat", {"arrival": "2026-11-24T11:30"})


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"ok": False, "error": "the flat is taken"}, "the flat is taken"),
        ({"success": False}, "the site says that it was not done"),
        ({"error": {"code": 409, "message": "the flat is taken"}}, "the flat is taken"),
        ({"ok": True, "error": None}, None),
        ({"id": 7, "error": "none of the beds is free"}, None),
    ],
)
async def test_a_result_may_say_that_nothing_was_done(result: Any, reason: str | None) -> None:
    """Many tools return `ok: false` in place of an error; then the goal was not reached."""
    outcome = await follow(
        "book the flat on 24 November 2026", bindings_from([_booking()]), lambda *_: result
    )

    assert outcome.success is (reason is None)
    assert reason is None or reason in outcome.text


_RECIPES = [
    {
        "name": "search_recipes",
        "description": "Search the recipes of this page.",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {
            "type": "object",
            "required": ["query"],
            "properties": {"query": {"type": "string"}},
        },
    },
    {
        "name": "delete_recipe",
        "description": "Delete a recipe for good.",
        "inputSchema": {
            "type": "object",
            "required": ["recipeId"],
            "properties": {"recipeId": {"type": "string"}},
        },
    },
]


async def test_the_verb_and_a_name_are_enough() -> None:
    """`delete the apple pie` needs no `recipe`: the tool's own verb and what can be found do."""
    found = {"recipes": [{"id": "r7", "title": "Apple pie"}]}
    outcome = await follow("delete the apple pie", bindings_from(_RECIPES), lambda *_: found)
    assert outcome.calls == [
        ("search_recipes", {"query": "apple pie"}),
        ("delete_recipe", {"recipeId": "r7"}),
    ]


async def test_things_that_were_found_are_choices() -> None:
    """Two of a name are offered with their differences; the answer is the id of one."""
    found = {"recipes": [
        {"id": "r7", "title": "Apple pie", "author": "Ada"},
        {"id": "r8", "title": "Apple pie", "author": "Ben"},
    ]}  # fmt: skip
    outcome = await follow(
        "delete the apple pie",
        bindings_from(_RECIPES),
        lambda *_: found,
        answers=[{"recipeId": "r8"}],
    )
    options = outcome.forms[0]["properties"]["recipeId"]["oneOf"]
    assert [each["const"] for each in options] == ["r7", "r8"]
    assert "Ben" in options[1]["title"]
    assert outcome.calls[-1] == ("delete_recipe", {"recipeId": "r8"})


async def test_something_else_is_not_deleted() -> None:
    """What a search gives that has no word of what was said is asked about, not deleted."""
    found = {"recipes": [{"id": "r7", "title": "Apple pie"}]}
    outcome = await follow("delete the fish soup", bindings_from(_RECIPES), lambda *_: found)
    assert [name for name, _ in outcome.calls] == ["search_recipes"]
    assert outcome.questions


@pytest.mark.parametrize(
    "goal", ["hello", "Hi there!", "what can you do?", "hello, what can you do here?", "help"]
)
async def test_says_what_there_is(goal: str) -> None:
    """Who greets or asks what there is reads what the tools do, and nothing is called."""
    outcome = await follow(goal, bindings_from(_RECIPES), lambda *_: "ok")
    assert (outcome.calls, outcome.acts, outcome.success) == ([], [], True)
    assert "search the recipes of this page; delete a recipe for good" in outcome.text


async def test_a_page_is_opened() -> None:
    """A request for a page by the name of a link opens the link, and calls no tool of that name."""
    price = {
        "name": "getPrice",
        "description": "What a stay costs.",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {
            "type": "object",
            "required": ["day"],
            "properties": {"day": {"type": "string"}},
        },
    }
    page = Snapshot(url=ORIGIN + "/", elements=(Element(5, "link", "Prices", href="/prices"),))
    outcome = await follow(
        "open the prices page", bindings_from([price]), lambda *_: 1, snapshot=page
    )
    assert [(act.name, act.arguments) for act in outcome.acts] == [("click_link", {"pp_id": 5})]
    assert (outcome.calls, outcome.questions) == ([], [])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"free": True, "nights": 4}, "It is free and the duration is 4 nights."),
        ({"nights": 1, "total": 420, "currency": "EUR"}, "The total is 420 EUR."),
        (False, "No."),
    ],
)
async def test_values_in_words(value: Any, said: str) -> None:
    """Yes, no, counts and amounts are said in a sentence; of several fields the one that is asked for."""
    tool = {
        "name": "getPrice",
        "description": "What a stay costs.",
        "annotations": {"readOnlyHint": True},
    }
    outcome = await follow("get the price", bindings_from([tool]), lambda *_: value)
    assert outcome.text == said
