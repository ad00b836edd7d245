"""What a visitor takes of a list: free times, trains and rooms, in goals of several clauses."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import Outcome, bindings_from, follow

from webagent.agent.run import PastCall, PastRun

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 1, "maximum": 9}
_DATE = {"type": "string", "format": "date"}
_START = {"type": "string", "format": "date-time"}
_HOUR = {"type": "string", "description": "HH:MM", "pattern": r"^\d\d:\d\d$"}


def _tool(name: str, about: str, needed: dict[str, Any], more: dict[str, Any], *, reads: bool = False) -> dict[str, Any]:  # fmt: skip
    return {
        "name": name,
        "description": about,
        "annotations": {"readOnlyHint": reads},
        "inputSchema": {
            "type": "object",
            "required": [*needed],
            "properties": needed | more,
        },
    }


_SPA = [
    _tool("freeTimes", "Free times for a treatment.", {"treatmentId": _TEXT, "date": _DATE}, {}, reads=True),
    _tool(
        "bookTreatment", "Book a treatment.", {"treatmentId": _TEXT, "start": _START},
        {"therapist": {"type": "string", "enum": ["female", "male"]}, "guests": _COUNT},
    ),
    _tool("cancelTreatment", "Cancel a treatment.", {"treatmentId": _TEXT}, {}),
]  # fmt: skip
_TIMES = PastCall(
    "freeTimes",
    {"treatmentId": "TR-12", "date": "2026-12-04"},
    {"treatmentId": "TR-12", "times": ["11:40", "13:30", "15:15", "16:45"]},
)
_STATION = [
    _tool("findTrains", "Find trains.", {"from": _TEXT, "to": _TEXT, "date": _DATE}, {"adults": _COUNT}, reads=True),
    _tool("bookSeats", "Book seats on a train.", {"trainId": _TEXT, "name": _TEXT}, {"adults": _COUNT}),
]  # fmt: skip
_TRAINS = PastCall(
    "findTrains",
    {"from": "Leeds", "to": "York", "date": "2026-12-04", "adults": 2},
    [
        {"trainId": "L118", "departs": "2026-12-04T10:05", "price": 12.5},
        {"trainId": "L231", "departs": "2026-12-04T16:20", "price": 18},
    ],
)
_HOUSE = [
    _tool("findRooms", "Find rooms that are free.", {"date": _DATE}, {}, reads=True),
    _tool("reserveRoom", "Reserve a room.", {"roomCode": _TEXT, "date": _DATE}, {"people": _COUNT}),
]
_ROOMS = PastCall(
    "findRooms",
    {"date": "2026-12-04"},
    {
        "total": 3,
        "rooms": [
            {"code": "RV-2", "name": "Willow", "fee": 20},
            {"code": "MA-4", "name": "Newton", "fee": 45},
            {"code": "OT-1", "name": "Attic", "fee": 30},
        ],
    },
)


async def _after(tools: list[dict[str, Any]], call: PastCall, goal: str) -> Outcome:
    past = PastRun("the goal before", "", True, calls=(call,))
    return await follow(goal, bindings_from(tools), lambda *_: {"ok": True}, earlier=(past,))


@pytest.mark.parametrize(
    ("goal", "start", "more"),
    [
        ("quarter past three please, with a female therapist", "15:15", {"therapist": "female"}),
        ("20 to 12 is good, for two guests", "11:40", {"guests": 2}),
        ("the 1.30 one please", "13:30", {}),
        ("I'll take 4:45 pm", "16:45", {}),
        ("den letzten bitte, für zwei Gäste", "16:45", {"guests": 2}),
        ("the earliest one, please", "11:40", {}),
        ("halb zwei passt, für zwei Gäste", "13:30", {"guests": 2}),
    ],
)
async def test_a_free_time_is_taken(goal: str, start: str, more: dict[str, Any]) -> None:
    """A time that was listed is booked for what times were asked for, on the day of the list."""
    outcome = await _after(_SPA, _TIMES, goal)
    given = {"treatmentId": "TR-12", "start": f"2026-12-04T{start}", **more}
    assert (outcome.calls, outcome.asked) == ([("bookTreatment", given)], [])


@pytest.mark.parametrize(
    "goal",
    [
        "15:15 doesn't work for me, sorry",
        "is 15:15 good for two?",
        "cancel the 15:15 one, please",
        "at 14:00 please, with a female therapist",
        "we're 3, by the way",
    ],
)
async def test_no_time_is_taken(goal: str) -> None:
    """A denial, a question, a cancellation and a time that is not free book nothing."""
    outcome = await _after(_SPA, _TIMES, goal)
    assert "bookTreatment" not in [name for name, _ in outcome.calls]


@pytest.mark.parametrize("goal", ["book the 4.20 one, name is Ruth Abel", "the one for 18 please, on the name Ruth Abel"])  # fmt: skip
async def test_a_train_is_taken_by_its_time_or_price(goal: str) -> None:
    """What is at a time is booked by its id, for as many as it was looked for."""
    outcome = await _after(_STATION, _TRAINS, goal)
    given = {"trainId": "L231", "name": "Ruth Abel", "adults": 2}
    assert (outcome.calls, outcome.asked) == ([("bookSeats", given)], [])


async def test_a_thing_is_taken_by_a_word_of_its_name() -> None:
    """A room is named in a clause of its own, and what is to be done with it follows."""
    outcome = await _after(_HOUSE, _ROOMS, "newton is fine, book it for six people")
    given = {"roomCode": "MA-4", "date": "2026-12-04", "people": 6}
    assert (outcome.calls, outcome.asked) == ([("reserveRoom", given)], [])


@pytest.mark.parametrize("goal", ["the lovely one is fine, book it", "for 2 people please, and quickly"])  # fmt: skip
async def test_what_no_thing_of_the_list_has_takes_none(goal: str) -> None:
    """No room is booked where the words fit none of them."""
    outcome = await _after(_HOUSE, _ROOMS, goal)
    assert outcome.calls == []


async def test_a_time_that_two_things_have_is_not_chosen() -> None:
    """Two trains at the same time leave open which is meant."""
    both = [{"trainId": one, "departs": "2026-12-04T16:20"} for one in ("L1", "L2")]
    call = PastCall("findTrains", {"from": "Leeds", "to": "York", "date": "2026-12-04"}, both)
    outcome = await _after(_STATION, call, "the 4.20 one, name is Ruth Abel")
    assert outcome.calls == []


async def test_results_of_any_shape_are_read() -> None:
    """A result that is deep, long or odd breaks nothing."""
    deep: Any = "15:15"
    for _ in range(400):
        deep = [deep]
    odd = {"deep": deep, "wide": {f"k{i}": "09:00" for i in range(5_000)}, "no": [None, True, {}]}
    call = PastCall("freeTimes", {"treatmentId": "TR-12", "date": "x" * 10_000}, [odd] * 300)
    outcome = await _after(_SPA, call, "quarter past three please, with a female therapist")
    assert "bookTreatment" not in [name for name, _ in outcome.calls]


_LAB = [
    _tool("findSlots", "Find free slots for a blood test.", {"date": _DATE}, {}, reads=True),
    _tool("bookTest", "Book a blood test.", {"slotId": {"type": "integer"}, "name": _TEXT}, {"birthDate": _DATE}),
    _tool("moveAppointment", "Move an appointment to another slot.", {"appointment": _TEXT, "slotId": {"type": "integer"}}, {}),
]  # fmt: skip
_SLOTS = PastCall(
    "findSlots",
    {"date": "2026-12-04"},
    [
        {"slotId": 3101, "day": "2026-12-04", "time": "07:45"},
        {"slotId": 3102, "day": "2026-12-04", "time": "10:30"},
    ],
)


async def test_what_was_booked_is_moved_to_another_offer() -> None:
    """An hour of the list before the booking is the slot that it is moved to."""
    made = PastCall("bookTest", {"slotId": 3101, "name": "Ruth Abel"}, {"appointment": "BT-7719"})
    past = (
        PastRun("when is it free on Friday?", "", True, calls=(_SLOTS,)),
        PastRun("the first one, Ruth Abel", "", True, calls=(made,)),
    )
    outcome = await follow("hm, make it the 10:30 instead", bindings_from(_LAB), lambda *_: {}, earlier=past)  # fmt: skip
    assert outcome.calls == [("moveAppointment", {"appointment": "BT-7719", "slotId": 3102})]


async def test_a_day_of_birth_is_no_time_of_the_list() -> None:
    """What is said of a person leaves open which slot is meant no longer."""
    outcome = await _after(_LAB, _SLOTS, "the 10:30 one for Ruth Abel, born 2 May 1984")
    given = {"slotId": 3102, "name": "Ruth Abel", "birthDate": "1984-05-02"}
    assert outcome.calls == [("bookTest", given)]


async def test_what_the_person_has_is_no_offer() -> None:
    """A class of one's own bookings is not booked once more by its hour."""
    tools = [
        _tool("my_classes", "The classes that are booked.", {}, {}, reads=True),
        _tool("book_class", "Book a class.", {"classId": _TEXT, "seats": _COUNT}, {}),
    ]
    rows = [{"classId": "C1", "start": "2026-12-04T16:20"}, {"classId": "C2", "start": "2026-12-04T19:00"}]  # fmt: skip
    outcome = await _after(tools, PastCall("my_classes", {}, rows), "the 4.20 one, for two seats")
    assert outcome.calls == []


async def test_the_event_is_meant_before_the_hour() -> None:
    """Of a tool that takes the event and one for any hour the first is called."""
    tools = [
        _tool("findEvents", "Find events.", {"date": _DATE}, {}, reads=True),
        _tool("buyTickets", "Buy tickets for the house.", {"date": _DATE, "entry": _HOUR}, {"adults": _COUNT}),
        _tool("bookEvent", "Book an event.", {"eventId": {"type": "integer"}, "name": _TEXT}, {"places": _COUNT}),
    ]  # fmt: skip
    events = [
        {"eventId": 815, "title": "Bauhaus tour", "date": "2026-12-04", "start": "18:30"},
        {"eventId": 816, "title": "Print workshop", "date": "2026-12-04", "start": "11:00"},
    ]
    call = PastCall("findEvents", {"date": "2026-12-04"}, events)
    outcome = await _after(tools, call, "the bauhaus one, 4 places, name's Felix Tran")
    assert outcome.calls == [("bookEvent", {"eventId": 815, "places": 4, "name": "Felix Tran"})]
