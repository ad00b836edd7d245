"""Calls that are only meant if the thing that they name is there: it is looked up before anybody is asked."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import Outcome, bindings_from, follow

_GARAGE = {
    "vehicles": [
        {"vehicleId": 311, "model": "Skoda Octavia", "km": 96200},
        {"vehicleId": 312, "model": "Fiat Panda", "km": 41050},
    ],
    "appointments": [
        {"appointmentId": "A70231", "vehicleId": 312, "service": "tyre_change", "start": "2026-12-01T08:00"}
    ],
}  # fmt: skip
_TOOLS = bindings_from(
    [
        {
            "name": "myGarage", "description": "The customer's vehicles and appointments.",
            "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object", "properties": {}},
        },
        {
            "name": "reportMileage", "description": "Set the odometer reading of a vehicle.",
            "inputSchema": {"type": "object", "required": ["vehicleId", "km"], "properties": {
                "vehicleId": {"type": "integer"}, "km": {"type": "integer", "description": "Kilometres, whole"},
            }},
        },
        {
            "name": "cancelAppointment", "description": "Cancel an appointment.",
            "inputSchema": {"type": "object", "required": ["appointmentId"], "properties": {
                "appointmentId": {"type": "string", "pattern": "^A[0-9]{5}$"},
            }},
        },
        {
            "name": "changePlate", "description": "Put another plate on a vehicle.",
            "inputSchema": {"type": "object", "required": ["vehicleId", "newPlate"], "properties": {
                "vehicleId": {"type": "integer"}, "newPlate": {"type": "string", "pattern": "^[A-Z0-9]{4,8}$"},
            }},
        },
    ]
)  # fmt: skip


async def _follow(goal: str) -> Outcome:
    def call(name: str, _: dict[str, Any]) -> Any:
        return _GARAGE if name == "myGarage" else {"ok": True}

    return await follow(goal, _TOOLS, call)


@pytest.mark.parametrize(
    ("goal", "calls"),
    [
        (
            "please set the octavia's mileage to 61,000 miles",
            [("myGarage", {}), ("reportMileage", {"vehicleId": 311, "km": 98170})],
        ),
        (
            "the new plate of the panda is MA23 TTO",
            [("myGarage", {}), ("changePlate", {"vehicleId": 312, "newPlate": "MA23TTO"})],
        ),
        (
            "cancel the tyre change appointment",
            [("myGarage", {}), ("cancelAppointment", {"appointmentId": "A70231"})],
        ),
        (
            "please cancel my appointment",
            [("myGarage", {}), ("cancelAppointment", {"appointmentId": "A70231"})],
        ),
        (
            "Bitte stornieren Sie meinen Termin",
            [("myGarage", {}), ("cancelAppointment", {"appointmentId": "A70231"})],
        ),
        (
            "cancel my appointment on 1 December",
            [("myGarage", {}), ("cancelAppointment", {"appointmentId": "A70231"})],
        ),
    ],
)
async def test_a_thing_that_is_there_needs_no_question(goal: str, calls: list[Any]) -> None:
    outcome = await _follow(goal)
    assert outcome.calls == calls
    assert not outcome.questions


async def test_who_wishes_something_names_nothing_of_theirs() -> None:
    """`I` is no `my`: nothing is looked up for a wish that no tool serves."""
    outcome = await _follow("I would like to come by on Thursday at 4 pm, could you arrange that")
    assert outcome.calls == []


async def test_nothing_is_changed_if_the_thing_is_not_there() -> None:
    outcome = await _follow("set the mileage of the cargo bike to 61,000 miles")
    assert {name for name, _ in outcome.calls} <= {"myGarage"}
    assert not outcome.success


@pytest.mark.parametrize(
    "goal",
    ["I reported the mileage of the octavia yesterday", "don't cancel the panda's appointment"],
)
async def test_a_statement_and_a_denial_look_nothing_up(goal: str) -> None:
    assert (await _follow(goal)).calls == []


_LAMPS = [{"id": f"l{price}", "name": f"Lamp {price}", "price": price} for price in (30, 20, 90)]
_LAMP_SHOP = bindings_from(
    [
        {
            "name": "listLamps", "description": "List the lamps.", "annotations": {"readOnlyHint": True},
            "inputSchema": {"type": "object", "properties": {"limit": {"type": "integer"}}},
        },
        {
            "name": "addToCart", "description": "Put a lamp into the cart.",
            "inputSchema": {"type": "object", "required": ["lampId"], "properties": {"lampId": {"type": "string"}}},
        },
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "last"),
    [
        ("list the lamps, which is the most expensive?", ("listLamps", {"limit": 3})),
        ("put the most expensive lamp into my cart", ("addToCart", {"lampId": "l90"})),
    ],
)
async def test_the_most_expensive_is_that_of_all_not_of_the_first_few(goal: str, last: Any) -> None:
    def call(name: str, given: dict[str, Any]) -> Any:
        return {"lamps": _LAMPS[: given.get("limit", 2)], "total": 3}

    outcome = await follow(goal, _LAMP_SHOP, call)
    assert outcome.calls[0][0] == "listLamps"
    assert ("listLamps", {"limit": 3}) in outcome.calls
    assert outcome.calls[-1] == last


_HOUR = {"type": "string", "enum": ["massage", "haircut", "facial"]}
_SALON = bindings_from(
    [
        {
            "name": "free_slots", "description": "Free times.", "annotations": {"readOnlyHint": True},
            "inputSchema": {"type": "object", "required": ["treatment", "date"], "properties": {
                "treatment": _HOUR, "date": {"type": "string", "format": "date"},
            }},
        },
        {
            "name": "book_slot", "description": "Books a free time.",
            "inputSchema": {"type": "object", "required": ["slot_id", "treatment"], "properties": {
                "slot_id": {"type": "string", "description": "From free_slots"}, "treatment": _HOUR,
            }},
        },
        {
            "name": "my_visits", "description": "Your coming visits.", "annotations": {"readOnlyHint": True},
            "inputSchema": {"type": "object", "properties": {}},
        },
        {
            "name": "cancel_visit", "description": "Cancels a visit.",
            "inputSchema": {"type": "object", "required": ["visit_id"], "properties": {"visit_id": {"type": "integer"}}},
        },
    ]
)  # fmt: skip


def _salon(name: str, _: dict[str, Any]) -> Any:
    return {
        "free_slots": [{"slot_id": "b", "time": "15:00"}, {"slot_id": "a", "time": "09:30"}],
        "my_visits": [
            {"visit_id": 7, "treatment": "haircut", "date": "2026-10-20"},
            {"visit_id": 8, "treatment": "facial", "date": "2026-11-27"},
        ],
    }.get(name, {"ok": True})


@pytest.mark.parametrize(
    ("goal", "last"),
    [
        ("book the earliest massage tomorrow", ("book_slot", {"slot_id": "a", "treatment": "massage"})),
        ("book the first free massage tomorrow", ("book_slot", {"slot_id": "a", "treatment": "massage"})),
        ("I have to cancel friday's visit", ("cancel_visit", {"visit_id": 8})),
        ("please cancel my visit in October", ("cancel_visit", {"visit_id": 7})),
        ("the facial on Friday was a mistake, cancel it", ("cancel_visit", {"visit_id": 8})),
    ],
)  # fmt: skip
async def test_a_time_or_a_word_says_which_one_is_meant(goal: str, last: Any) -> None:
    """It is found with what the call itself takes, and taken if it is the only one."""
    outcome = await follow(goal, _SALON, _salon)
    assert outcome.asked == []
    assert len(outcome.calls) == 2
    assert outcome.calls[-1] == last


_TOURS = [
    {
        "name": "listTours", "description": "Guided tours of a day.", "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "required": ["date"], "properties": {
            "date": {"type": "string", "format": "date"}, "language": {"type": "string", "enum": ["en", "fr"]},
        }},
    },
    {
        "name": "bookTour", "description": "Book places on a guided tour.",
        "inputSchema": {"type": "object", "required": ["tourId", "people"], "properties": {
            "tourId": {"type": "string"}, "people": {"type": "integer"},
        }},
    },
]  # fmt: skip


async def test_what_a_look_up_chose_by_is_named() -> None:
    """All that a look-up of French tours finds are French tours, whatever they are called."""
    outcome = await follow(
        "book the French tour on 2 December for four people",
        bindings_from(_TOURS),
        lambda name, _: [{"tourId": "T-3", "theme": "Masterpieces"}] if name == "listTours" else {},
    )
    assert outcome.calls == [
        ("listTours", {"date": "2026-12-02", "language": "fr"}),
        ("bookTour", {"tourId": "T-3", "people": 4}),
    ]


_CARS = [
    {
        "name": "searchCars", "description": "Search cars that are for sale.", "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"make": {"type": "string"}, "model": {"type": "string"}}},
    },
    {
        "name": "listFavorites", "description": "Cars that were saved as favorites.", "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {}},
    },
    {
        "name": "makeOffer", "description": "Offer a price for a car.",
        "inputSchema": {"type": "object", "required": ["carId", "amount"], "properties": {
            "carId": {"type": "string"}, "amount": {"type": "number"},
        }},
    },
]  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "finder"),
    [
        ("offer 9800 euros for the Fiat Panda in my favorites", "listFavorites"),
        ("offer 9800 euros for the Fiat Panda", "searchCars"),
    ],
)
async def test_a_thing_is_looked_for_where_it_is(goal: str, finder: str) -> None:
    cars = [{"carId": "L-1", "title": "Opel Corsa"}, {"carId": "L-2", "title": "Fiat Panda"}]
    outcome = await follow(
        goal, bindings_from(_CARS), lambda name, _: cars if name != "makeOffer" else {}
    )
    assert [name for name, _ in outcome.calls] == [finder, "makeOffer"]
    assert outcome.calls[-1][1] == {"carId": "L-2", "amount": 9800}


_CHOIR = [
    {
        "name": "list_members", "description": "Members of the choir.", "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"section": {"type": "string", "enum": ["soprano", "alto"]}}},
    },
    {
        "name": "update_member", "description": "Changes the data of a member.",
        "inputSchema": {"type": "object", "required": ["member_no", "changes"], "properties": {
            "member_no": {"type": "integer"}, "changes": {"type": "object", "properties": {
                "section": {"type": "string", "enum": ["soprano", "alto"]}, "email": {"type": "string", "format": "email"},
            }},
        }},
    },
    {
        "name": "send_circular", "description": "Sends a mail to the sections.",
        "inputSchema": {"type": "object", "required": ["subject", "body"], "properties": {
            "subject": {"type": "string"}, "body": {"type": "string"},
        }},
    },
]  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "changed"), [("move hanna berg to the sopranos", [14]), ("move tom smith to the sopranos", [])]
)  # fmt: skip
async def test_an_unsure_order_is_given_if_its_thing_is_found(
    goal: str, changed: list[int]
) -> None:
    members = [{"member_no": 14, "name": "Hanna Berg"}, {"member_no": 22, "name": "Tobias Krüger"}]
    outcome = await follow(
        goal, bindings_from(_CHOIR), lambda name, _: members if name == "list_members" else {}
    )
    assert [one["member_no"] for name, one in outcome.calls if name == "update_member"] == changed
