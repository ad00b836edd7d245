"""What visitors do next with what was listed or made, on sites of several kinds."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import Outcome, bindings_from, follow

from webagent.agent.run import PastCall, PastRun

_KINDS: dict[str, Any] = {
    "amount": {"type": "integer"},
    "count": {"type": "integer"},
    "date": {"type": "string", "format": "date"},
    "day": {"type": "string", "enum": ["monday", "saturday", "sunday"]},
    "email": {"type": "string", "format": "email"},
    "hours": {"type": "number"},
    "hour": {"type": "string", "description": "HH:MM"},
    "minutes": {"type": "integer"},
    "price": {"type": "integer"},
    "room": {"type": "string", "enum": ["kitchen", "hallway", "bathroom"]},
    "size": {"type": "string", "enum": ["A2", "A3"]},
    "frame": {"type": "string", "enum": ["black", "oak"]},
    "start": {"type": "string", "format": "date-time"},
    "weight": {"type": "number"},
}


def _tools(*rows: str) -> list[Any]:
    """Return tools of rows such as `bookTour: Book a tour. | tourId count? | reads`, `?` for what may be left out."""
    found = []
    for row in rows:
        about, given, *reads = (part.strip() for part in row.split("|"))
        name, description = about.split(":", 1)
        names = given.split()
        found.append(
            {
                "name": name,
                "description": description.strip(),
                "annotations": {"readOnlyHint": bool(reads)},
                "inputSchema": {
                    "type": "object",
                    "required": [one for one in names if not one.endswith("?")],
                    "properties": {
                        key: _KINDS.get(key, {"type": "string"})
                        for key in (one.rstrip("?") for one in names)
                    },
                },
            }
        )
    return bindings_from(found)


async def _after(tools: list[Any], made: list[PastCall], goal: str, result: Any = None) -> Outcome:
    past = PastRun("the goal before", "", True, calls=tuple(made))
    return await follow(goal, tools, lambda _name, _given: result, earlier=(past,))


_TOURS = PastCall(
    "findTours",
    {"date": "2026-11-28", "guide": "Nadia"},
    [
        {"tourId": "T1", "title": "Old harbour by boat", "day": "saturday", "price": 30},
        {"tourId": "T2", "title": "Etna and its craters", "day": "sunday", "price": 45},
        {"tourId": "T3", "title": "Night walk", "day": "saturday", "price": 12},
    ],
)
_TOUR_TOOLS = (
    "findTours: Find tours. | date? guide? | reads",
    "getTour: All about a tour: meeting point, length. | tourId | reads",
    "bookTour: Book places on a tour. | tourId count? guide?",
    "cancelTour: Cancel a tour that was booked. | tourId",
    "rateTour: Rate a tour. | tourId stars",
)


@pytest.mark.parametrize(
    ("goal", "called"),
    [
        ("i'll take the etna one", {"tourId": "T2", "guide": "Nadia"}),
        ("two of the cheapest one please", {"tourId": "T3", "count": 2, "guide": "Nadia"}),
        ("book me the night walk for three people", {"tourId": "T3", "count": 3}),
        ("the sunday one, 2 people", {"tourId": "T2", "count": 2}),
        ("the harbour please, for 2 people", {"tourId": "T1", "count": 2, "guide": "Nadia"}),
    ],
)
async def test_what_was_listed_is_taken(goal: str, called: dict[str, Any]) -> None:
    """A thing of the last list is taken by its name, its day or its price, in lower case, and without a verb."""
    outcome = await _after(_tools(*_TOUR_TOOLS), [_TOURS], goal)
    assert (outcome.calls, outcome.asked) == ([("bookTour", called)], [])


@pytest.mark.parametrize(
    ("goal", "tour"),
    [
        ("how long is the night walk?", "T3"),
        ("how long is the etna one?", "T2"),
        ("what is the meeting point of the second one?", "T2"),
    ],
)
async def test_a_question_asks_for_more_of_a_thing(goal: str, tour: str) -> None:
    """What a list does not say of a thing is asked of the tool that takes it."""
    outcome = await _after(_tools(*_TOUR_TOOLS), [_TOURS], goal, {"minutes": 90})
    assert outcome.calls == [("getTour", {"tourId": tour})]


@pytest.mark.parametrize(
    ("tools", "made", "goal", "called"),
    [
        (
            ("bookTable: Book a table. | count hour", "changeBooking: Change a booking of a table. | bookingId hour? count?"),
            [PastCall("bookTable", {"count": 4, "hour": "20:00"}, {"bookingId": "B1"})],
            "half an hour later please",
            ("changeBooking", {"bookingId": "B1", "hour": "20:30"}),
        ),
        (
            ("bookTable: Book a table. | count hour", "changeBooking: Change a booking of a table. | bookingId hour? count?"),
            [PastCall("bookTable", {"count": 4, "hour": "20:00"}, {"bookingId": "B1"})],
            "make it five of us and an hour earlier",
            ("changeBooking", {"bookingId": "B1", "hour": "19:00", "count": 5}),
        ),
        (
            ("setPickup: Set when the order is picked up. | date hour",),
            [PastCall("setPickup", {"date": "2026-11-24", "hour": "19:30"}, {})],
            "make that 8",
            ("setPickup", {"date": "2026-11-24", "hour": "20:00"}),
        ),
        (
            ("setPickup: Set when the order is picked up. | date hour",),
            [PastCall("setPickup", {"date": "2026-11-24", "hour": "09:00"}, {})],
            "euh non, plutôt 10h30",
            ("setPickup", {"date": "2026-11-24", "hour": "10:30"}),
        ),
        (
            ("extendStay: Extend a stay. | stayId date",),
            [PastCall("extendStay", {"stayId": "S7", "date": "2027-03-06"}, {})],
            "actually make it the 8th",
            ("extendStay", {"stayId": "S7", "date": "2027-03-08"}),
        ),
        (
            ("createEvent: Create an event in the calendar. | title start end", "moveEvent: Move an event. | eventId start"),
            [PastCall("createEvent", {"title": "Lunch", "start": "2026-11-24T12:00", "end": "2026-11-24T13:00"}, {"eventId": "e6"})],
            "make it 1pm instead",
            ("moveEvent", {"eventId": "e6", "start": "2026-11-24T13:00"}),
        ),
        (
            ("logTime: Log time. | project hours", "editEntry: Change an entry. | id hours?"),
            [PastCall("logTime", {"project": "web", "hours": 3.5}, {"id": "E9160"})],
            "sorry, i meant 4.5",
            ("editEntry", {"id": "E9160", "hours": 4.5}),
        ),
        (
            ("updateWeight: Update the weight of a pet. | pet weight",),
            [PastCall("updateWeight", {"pet": "rex", "weight": 30.5}, {}), PastCall("updateWeight", {"pet": "bella", "weight": 23}, {})],
            "sorry, rex is 31.5",
            ("updateWeight", {"pet": "rex", "weight": 31.5}),
        ),
        (
            ("sendGiftCard: Send a gift card. | amount email",),
            [PastCall("sendGiftCard", {"amount": 50, "email": "mum@mail.example"}, {})],
            "same for dad@mail.example",
            ("sendGiftCard", {"amount": 50, "email": "dad@mail.example"}),
        ),
        (
            ("setTimer: Set a timer that turns the light of a room off. | room minutes",),
            [PastCall("setTimer", {"room": "kitchen", "minutes": 30}, {})],
            "und im Flur auch",
            ("setTimer", {"room": "hallway", "minutes": 30}),
        ),
        (
            ("orderPrint: Order a print of a picture. | picture size frame? count?",),
            [PastCall("orderPrint", {"picture": "The Starry Night", "size": "A2", "frame": "black", "count": 2}, {})],
            "and Sunflowers, same size and frame",
            ("orderPrint", {"picture": "Sunflowers", "size": "A2", "frame": "black"}),
        ),
        (
            ("createInvoice: Create an invoice. | client amount", "sendInvoice: Send an invoice. | invoiceNumber", "sendReminder: Send a reminder. | invoiceNumber"),
            [PastCall("createInvoice", {"client": "Paloma", "amount": 900}, {"invoiceNumber": "2027-016"})],
            "great, send it",
            ("sendInvoice", {"invoiceNumber": "2027-016"}),
        ),
        (
            ("listPrescriptions: List the prescriptions. | | reads", "refill: Refill a prescription. | prescriptionId minutes"),
            [PastCall("listPrescriptions", {}, [{"prescriptionId": "R1", "name": "Ramipril"}, {"prescriptionId": "R2", "name": "L-Thyroxin"}]),
             PastCall("refill", {"prescriptionId": "R1", "minutes": 60}, {})],
            "the other one too, please",
            ("refill", {"prescriptionId": "R2", "minutes": 60}),
        ),
    ],
)  # fmt: skip
async def test_the_last_call_is_changed(
    tools: tuple[str, ...], made: list[PastCall], goal: str, called: tuple[str, Any]
) -> None:
    """A goal says what is another day, hour, number or thing; the rest is as it was."""
    outcome = await _after(_tools(*tools), made, goal)
    assert (outcome.calls, outcome.asked) == ([called], [])


@pytest.mark.parametrize(
    ("tools", "made", "goal"),
    [
        (
            ("orderPizza: Order pizzas. | pizza count",),
            PastCall("orderPizza", {"pizza": "margherita", "count": 2}, {}),
            "and three colas",
        ),
        (
            ("addClient: Add a client. | name email",),
            PastCall("addClient", {"name": "Harbor & Finch", "email": "billing@harbor.example"}, {}),
            "and another one, Kleinwerk GmbH",
        ),
        (
            ("setPrice: Set the price of an offer. | offerId price", "deleteOffer: Delete an offer. | offerId"),
            PastCall("listOffers", {}, [{"offerId": 51002, "title": "Bike", "price": 75}, {"offerId": 51005, "title": "Game", "price": 110}]),
            "drop it to 65 then",
        ),
        (
            ("setWorkingHours: Set the working hours. | hour", "bookCourt: Book a court. | court hour"),
            PastCall("bookCourt", {"court": "4", "hour": "14:00"}, {"bookingId": "C4"}),
            "make it 3pm instead",
        ),
    ],
)  # fmt: skip
async def test_what_is_unsure_is_asked(tools: tuple[str, ...], made: PastCall, goal: str) -> None:
    """A word or a value for something else is no change of the last call, and nothing is called unasked."""
    outcome = await _after(_tools(*tools), [made], goal)
    assert outcome.calls == []


async def test_dates_that_do_not_exist_are_no_error() -> None:
    """What a page was called with need be no date that there is."""
    tools = _tools("setPickup: Set when the order is picked up. | date hour")
    made = PastCall("setPickup", {"date": "2026-99-99", "hour": "29:75"}, {})
    outcome = await _after(tools, [made], "a day later")
    assert outcome.calls == []


_GARAGE = (
    "myAppointments: The appointments that are booked. | | reads",
    "bookFitting: Book a fitting. | date hour",
    "changeAppointment: Change an appointment. | appointmentId hour? date?",
    "cancelAppointment: Cancel an appointment. | appointmentId",
)
_APPOINTMENTS = PastCall(
    "myAppointments",
    {},
    [
        {"appointmentId": "A7", "date": "2027-04-02", "hour": "09:30", "job": "wheel change"},
        {"appointmentId": "A33", "date": "2027-04-09", "hour": "15:00", "job": "alignment"},
    ],
)
_CHANGED = PastCall("changeAppointment", {"appointmentId": "A7", "hour": "10:00"}, {"ok": True})
_BOOKED = PastCall("bookFitting", {"date": "2027-04-02", "hour": "13:00"}, {"appointmentId": "A9"})


@pytest.mark.parametrize(
    ("made", "goal", "called"),
    [
        # Not the one that was changed last.
        ([_APPOINTMENTS, _CHANGED], "den am 9. April kannst du stornieren", ("cancelAppointment", {"appointmentId": "A33"})),
        ([_APPOINTMENTS, _CHANGED], "cancel the one on april 9", ("cancelAppointment", {"appointmentId": "A33"})),
        # Not all that are booked.
        ([_APPOINTMENTS, _BOOKED], "no, cancel the whole thing", ("cancelAppointment", {"appointmentId": "A9"})),
        # In the afternoon, as it was.
        ([_BOOKED], "make it 4:15", ("changeAppointment", {"appointmentId": "A9", "hour": "16:15"})),
    ],
)  # fmt: skip
async def test_the_appointment_that_is_meant_is_changed(made: list[PastCall], goal: str, called: tuple[str, Any]) -> None:  # fmt: skip
    """A day, `the whole thing` and an hour say which appointment of several is meant, and when."""
    outcome = await _after(_tools(*_GARAGE), made, goal)
    assert outcome.calls == [called]


async def test_which_of_two_moments_is_moved_has_to_be_said() -> None:
    """A new day and hour replace neither the arrival nor the departure without a word for it."""
    tools = _tools("changeParking: Change a booking of a place to park. | ref arrive? leave?")
    made = PastCall("changeParking", {"ref": "P5", "arrive": "2026-12-04T05:00", "leave": "2026-12-09T23:00"}, {})  # fmt: skip
    outcome = await _after(tools, [made], "actually the 10th at noon")
    assert outcome.calls == []
