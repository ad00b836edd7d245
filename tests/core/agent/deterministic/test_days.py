"""Days, times and amounts of goals in the calls of small tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

_DAY: Mapping[str, Any] = {"type": "string", "format": "date"}
_TIME: Mapping[str, Any] = {"type": "string", "format": "time"}
_TEXT: Mapping[str, Any] = {"type": "string"}
_COUNT: Mapping[str, Any] = {"type": "integer"}
_DAYS: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "string", "enum": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]},
}


def _tool(
    name: str, description: str, /, *, reads: bool = False, **parameters: Any
) -> dict[str, Any]:
    """Return a tool; parameters whose names end in `_` are optional."""
    schema = {
        "type": "object",
        "properties": {key.rstrip("_"): value for key, value in parameters.items()},
        "required": [key for key in parameters if not key.endswith("_")],
    }
    hints = {"readOnlyHint": reads}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": hints}


_ALARM = _tool("setAlarm", "Set an alarm.", time=_TIME, days_=_DAYS)
_HOURS = _tool(
    "setOpening",
    "Set the opening times of the shop.",
    slots={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"day": _DAYS["items"], "opens": _TIME, "closes": _TIME},
            "required": ["day", "opens", "closes"],
        },
    },
)
_PILLS = _tool(
    "remindOfPills",
    "Remind of pills.",
    pill=_TEXT,
    times={"type": "array", "items": {"type": "string", "pattern": "^[0-9]{2}:[0-9]{2}$"}},
)
_PAYSLIP = _tool("getPayslip", "The payslip of a month.", reads=True, year=_COUNT, month=_COUNT)
_LEAVE = _tool(
    "requestLeave", "Ask for days off.", firstDay=_DAY, lastDay=_DAY, halfDay_={"type": "boolean"}
)
_CLEANING = _tool(
    "orderCleaning",
    "Order a cleaning of the office.",
    day={"type": "string", "enum": ["mon", "tue", "wed", "thu", "fri"]},
)


@pytest.mark.parametrize(
    ("goal", "tool", "call"),
    [
        (
            "remind me of the pill Ferrol at 8 am and at 7:30 pm",
            _PILLS,
            {"pill": "Ferrol", "times": ["08:00", "19:30"]},
        ),
        ("show my payslip of March 2025", _PAYSLIP, {"year": 2025, "month": 3}),
        (
            "ich möchte am 5. Mai 2027 einen halben Tag frei",
            _LEAVE,
            {"firstDay": "2027-05-05", "lastDay": "2027-05-05", "halfDay": True},
        ),
        (
            "set an alarm at 6:30 am on weekdays",
            _ALARM,
            {"time": "06:30", "days": ["mon", "tue", "wed", "thu", "fri"]},
        ),
        (
            "set an alarm on tuesdays and sundays at 7 am",
            _ALARM,
            {"time": "07:00", "days": ["tue", "sun"]},
        ),
        (
            "stell den Wecker dienstags und freitags auf 7 Uhr",
            _ALARM,
            {"time": "07:00", "days": ["tue", "fri"]},
        ),
        (
            "set an alarm from Wednesday to Saturday at 7 am",
            _ALARM,
            {"time": "07:00", "days": ["wed", "thu", "fri", "sat"]},
        ),
        (
            "set an alarm on tuesdays and thurdays at 7 am",
            _ALARM,
            {"time": "07:00", "days": ["tue", "thu"]},
        ),
        (
            "set the opening times of the shop: tuesdays and fridays from 9 to 11 am, sundays from 1 to 3 pm",
            _HOURS,
            {
                "slots": [
                    {"day": "tue", "opens": "09:00", "closes": "11:00"},
                    {"day": "fri", "opens": "09:00", "closes": "11:00"},
                    {"day": "sun", "opens": "13:00", "closes": "15:00"},
                ]
            },
        ),
        ("order a cleaning of the office on thursdays", _CLEANING, {"day": "thu"}),
        ("set an alarm at half past three every night", _ALARM, {"time": "03:30"}),
    ],
)
async def test_weekdays_are_put_into_lists(
    goal: str, tool: Mapping[str, Any], call: Mapping[str, Any]
) -> None:
    """One, several, all of a span, and the working days."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], call)]


_EXPENSE = _tool(
    "submitExpense",
    "Hand in an expense for a refund.",
    amount={"type": "number"},
    date=_DAY,
)
_EXPORT = _tool("exportData", "Export the data as a file.", **{"from": _DAY, "to": _DAY})
_PAUSE = _tool("pauseDelivery", "Stop the deliveries for a while.", **{"from": _DAY, "until": _DAY})
_MEETINGS = _tool("listMeetings", "List the meetings of a day.", reads=True, day=_DAY)
_TASTINGS = _tool("listTastings", "List the tastings of wine.", reads=True, month={"type": "string", "pattern": r"^\d{4}-\d\d$", "description": "YYYY-MM"})  # fmt: skip
_RUN = _tool("logRun", "Log a run.", kilometers={"type": "number"}, day_=_DAY)
_THEFT = _tool("reportTheft", "Report a theft.", thing=_TEXT, day={**_DAY, "description": "Day of the loss"})  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "tool", "call"),
    [
        (
            "submit an expense of 48 euros for december 3",
            _EXPENSE,
            {"amount": 48, "date": "2025-12-03"},
        ),
        (
            "export my data from 1 to 31 December",
            _EXPORT,
            {"from": "2025-12-01", "to": "2025-12-31"},
        ),
        (
            "pause the already booked delivery from 3 to 9 February",
            _PAUSE,
            {"from": "2027-02-03", "until": "2027-02-09"},
        ),
        ("list the meetings on Friday", _MEETINGS, {"day": "2026-11-27"}),
        ("log a run of 8 km on the 25th", _RUN, {"kilometers": 8, "day": "2026-10-25"}),
        ("report a theft of a ladder on december 3", _THEFT, {"thing": "ladder", "day": "2025-12-03"}),
        ("list the meetings on december 3, paid ones only", _MEETINGS, {"day": "2026-12-03"}),
        ("zeig die Treffen am 3. Dezember, wir haben einen Hund", _MEETINGS, {"day": "2026-12-03"}),
        ("list the tastings in december", _TASTINGS, {"month": "2026-12"}),
    ],
)  # fmt: skip
async def test_a_day_without_a_year_is_over_or_to_come(
    goal: str, tool: Mapping[str, Any], call: Mapping[str, Any]
) -> None:
    """What has happened is the nearest past day, and what is planned the next one."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], call)]


_PRICE = _tool("getPrice", "The price of an hour.", reads=True, date=_DAY, hour_={"type": "integer", "minimum": 0, "maximum": 23})  # fmt: skip
_PHOTOS = _tool("searchPhotos", "Search photos.", reads=True, taken_from_=_DAY, taken_to_=_DAY)
_WARNING = _tool("setAlert", "Warn somebody about a temperature.", above_={"type": "number"}, below_={"type": "number"})  # fmt: skip
_HOUSES = _tool(
    "searchHouses",
    "Search houses.",
    reads=True,
    maxPrice_={"type": "number", "description": "In thousands of euros"},
)
_SEEK = _tool(
    "seek",
    "Jump forward in the recording, negative goes back.",
    seconds={"type": "integer"},
)
_GIFT = _tool(
    "sendGift",
    "Send a gift of money.",
    amount={"type": "number"},
    currency_={"type": "string", "enum": ["EUR", "USD", "GBP"]},
)
_BILL = _tool(
    "writeBill",
    "Write a bill.",
    items={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "what": _TEXT,
                "quantity": {"type": "number"},
                "price": {"type": "number"},
            },
            "required": ["what", "quantity", "price"],
        },
    },
)


_ALERT = _tool(
    "setAlert",
    "Get an alert when the water used goes over a limit.",
    limitLiters={"type": "number"},
    period_={"type": "string", "enum": ["day", "week"]},
)
_REPORT = _tool("getTaxReport", "Tax report of a year.", reads=True, year=_COUNT)
_PAPERS = _tool(
    "searchPapers", "Search the papers.", reads=True, query=_TEXT, yearFrom_=_COUNT, yearTo_=_COUNT
)
_RENT = _tool("payRent", "Pay the rent of every month.", amount={"type": "number"}, dayOfMonth=_COUNT)  # fmt: skip
_VALVE = _tool(
    "setValve",
    "Set the valve of a tank.",
    percent={"type": "integer", "minimum": 0, "maximum": 100, "description": "0 = shut, 100 = open"},
)  # fmt: skip
_CANVAS = _tool(
    "orderCanvas", "Order a canvas.", widthCm={"type": "number"}, heightCm={"type": "number"}
)
_HUT = _tool("bookHut", "Book a hut.", arrival=_DAY, nights=_COUNT)
_INVOICE = _tool(
    "getInvoice", "Get the invoice of a month.", reads=True, month={**_TEXT, "description": "YYYY-MM"}
)  # fmt: skip
_MEALS = _tool(
    "getMeals", "Get the meals of a week.", reads=True, week_from={**_DAY, "description": "Monday of the week"}
)  # fmt: skip
_COPY = _tool(
    "scheduleCopy",
    "Copy the database regularly.",
    every={"type": "string", "enum": ["day", "week", "month"]},
    at_=_TIME,
)


_NUMBER: Mapping[str, Any] = {"type": "number"}
_BOATS = _tool(
    "searchBoats", "Search the boats for sale.", reads=True, radiusKm_=_NUMBER, maxEngineKm_=_NUMBER,
    yearRange_={"type": "object", "properties": {"from": _COUNT, "to": _COUNT}},
    price_={"type": "object", "properties": {"from": _NUMBER, "to": _NUMBER}},
)  # fmt: skip
_LOAN = _tool(
    "calculateLoan", "Calculate a loan.", reads=True, price=_NUMBER, termMonths=_COUNT, ratePercent=_NUMBER, lastPayment_=_NUMBER
)  # fmt: skip
_COURSE = _tool(
    "planCourse", "Plan a course.",
    rhythm={"type": "object", "properties": {
        "gap": {**_COUNT, "description": "Number of days between two lessons"},
        "count": {**_COUNT, "description": "Number of lessons"},
    }},
)  # fmt: skip
_CALL = _tool("planCall", "Plan a call.", remindMinutes_={"type": "array", "items": _COUNT})


@pytest.mark.parametrize(
    ("goal", "tool", "call"),
    [
        (
            "set an alert when I use more than 200 liters a day",
            _ALERT,
            {"limitLiters": 200, "period": "day"},
        ),
        ("get the tax report of last year", _REPORT, {"year": 2025}),
        (
            "search the papers for bridges in 1998",
            _PAPERS,
            {"query": "bridges", "yearFrom": 1998, "yearTo": 1998},
        ),
        (
            "pay the rent of 820 on the 3rd of every month",
            _RENT,
            {"amount": 820, "dayOfMonth": 3},
        ),
        (
            "order a canvas 20 inches wide by 10 high",
            _CANVAS,
            {"widthCm": 50.8, "heightCm": 25.4},
        ),
        (
            "book a hut: we arrive on 5 February and leave on the 8th",
            _HUT,
            {"arrival": "2027-02-05", "nights": 3},
        ),
        ("get the invoice for October", _INVOICE, {"month": "2026-10"}),
        ("get august's invoice", _INVOICE, {"month": "2026-08"}),
        ("get the meals of Wednesday", _MEALS, {"week_from": "2026-11-23"}),
        ("set the valve half open", _VALVE, {"percent": 50}),
        ("set the valve to open", _VALVE, {"percent": 100}),
        ("set the valve to 30", _VALVE, {"percent": 30}),
        (
            "schedule a copy of the database every night at half past two",
            _COPY,
            {"every": "day", "at": "02:30"},
        ),
        ("get the price tomorrow at 6 pm", _PRICE, {"date": "2026-11-23", "hour": 18}),
        ("get the price tomorrow at 6.30 pm", _PRICE, {"date": "2026-11-23"}),
        ("get the price on Friday at 18:00", _PRICE, {"date": "2026-11-27", "hour": 18}),
        (
            "search the photos taken on 2 August",
            _PHOTOS,
            {"taken_from": "2026-08-02", "taken_to": "2026-08-02"},
        ),
        ("warn me when it is hotter than 35 degrees", _WARNING, {"above": 35}),
        ("warn me when it is colder than 5 degrees", _WARNING, {"below": 5}),
        ("préviens-moi s'il fait plus chaud que 35 degrés", _WARNING, {"above": 35}),
        ("search houses under 450,000 euros", _HOUSES, {"maxPrice": 450}),
        ("search houses under 450", _HOUSES, {"maxPrice": 450}),
        (
            "search the boats within 30 km of the harbour",
            _BOATS,
            {"radiusKm": 30},
        ),
        (
            "search the boats built in 2016 or later for at most 9,000 euros",
            _BOATS,
            {"yearRange": {"from": 2016}, "price": {"to": 9000}},
        ),
        (
            "calculate the loan of 8,000 euros over 36 months at 4 percent a year",
            _LOAN,
            {"price": 8000, "termMonths": 36, "ratePercent": 4},
        ),
        ("plan a course with eight lessons", _COURSE, {"rhythm": {"count": 8}}),
        ("plan a call with reminders 90 and 15 minutes before", _CALL, {"remindMinutes": [90, 15]}),
        ("jump back 20 seconds", _SEEK, {"seconds": -20}),
        ("jump forward 20 seconds", _SEEK, {"seconds": 20}),
        ("send a gift of $75", _GIFT, {"amount": 75, "currency": "USD"}),
        (
            "write a bill: 3 hours of gardening at 40 euros",
            _BILL,
            {"items": [{"what": "gardening", "quantity": 3, "price": 40}]},
        ),
    ],
)
async def test_an_amount_is_given_as_the_tool_counts_it(
    goal: str, tool: Mapping[str, Any], call: Mapping[str, Any]
) -> None:
    """In thousands, below zero, with its currency, and a count apart from its price."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], call)]


@pytest.mark.parametrize("goal", ["get the price tomorrow at 6", "get the price at half past six"])
async def test_an_hour_with_two_readings_is_not_chosen(goal: str) -> None:
    """`at 6` may be in the morning or in the evening, and `half past six` is not a full hour."""
    outcome = await follow(goal, bindings_from([_PRICE]), lambda *_: {})
    assert all("hour" not in given for _, given in outcome.calls)


_WASHES = [
    {"code": "AB12", "program": "foam", "start": "2026-11-27T09:00"},
    {"code": "CD34", "program": "wax", "start": "2026-12-04T09:00"},
    {"code": "EF56", "program": "wax", "start": "2026-11-23T09:00"},
    {"code": "GH78", "program": "wax", "start": "2026-11-23T15:00"},
]
_SAVES = {
    "saves": [
        {"saveId": "s-3", "made": "2026-11-21T03:00"},
        {"saveId": "s-2", "made": "2026-10-30T03:00"},
    ]
}


@pytest.mark.parametrize(
    ("goal", "last"),
    [
        ("cancel my booking on friday", ("cancelBooking", {"code": "AB12"})),
        ("cancel my booking on the 4th", ("cancelBooking", {"code": "CD34"})),
        ("cancel my booking tomorrow at 3 pm", ("cancelBooking", {"code": "GH78"})),
        ("rate my booking on friday with 4 stars", ("rateBooking", {"code": "AB12", "stars": 4})),
        ("restore the save of blog.example from october 30th", ("restoreSave", {"saveId": "s-2"})),
        ("restore the save of blog.example from november 21st", ("restoreSave", {"saveId": "s-3"})),
    ],
)
async def test_a_thing_is_found_by_its_day(goal: str, last: tuple[str, Any]) -> None:
    """Of a list the one whose day the goal names is taken, be it over or to come."""
    tools = [
        _tool("listMyBookings", "List the bookings of the customer.", reads=True),
        _tool("cancelBooking", "Cancel a booking by its code.", code=_TEXT),
        _tool("rateBooking", "Rate a booking.", code=_TEXT, stars=_COUNT, review_=_TEXT),
        _tool("listSaves", "List the saves of a site.", reads=True, domain=_TEXT),
        _tool("restoreSave", "Restore a save of a site.", saveId=_TEXT),
    ]  # fmt: skip
    results = {"listMyBookings": _WASHES, "listSaves": _SAVES}
    outcome = await follow(goal, bindings_from(tools), lambda name, _: results.get(name, {}))
    assert outcome.calls[-1:] == [last]


async def test_a_thing_of_another_kind_is_not_taken_for_its_day() -> None:
    """Lunch is no dentist, though it is on the same day."""
    tools = [
        _tool("listMyEvents", "List the events of the person.", reads=True),
        _tool("deleteEvent", "Delete an event.", eventId=_TEXT),
    ]
    events = [
        {"eventId": "e1", "title": "Lunch", "start": "2026-11-27T12:00"},
        {"eventId": "e2", "title": "Choir", "start": "2026-11-28T19:00"},
    ]
    outcome = await follow(
        "delete my dentist appointment on friday",
        bindings_from(tools),
        lambda name, _: events if name == "listMyEvents" else {},
    )
    assert "deleteEvent" not in [name for name, _ in outcome.calls]


@pytest.mark.parametrize(
    ("description", "goal", "when"),
    [
        ("When it went off, local date and time", "yesterday at 3 pm", "2026-11-21T15:00"),
        ("ISO 8601, e.g. '2026-05-02T08:30'", "on 20 November 2026 at 8 am", "2026-11-20T08:00"),
        ("Its day, such as 2026-05-02", "on 20 November 2026", "2026-11-20"),
        ("Its hour (e.g. 08:30)", "at 8:15 am", "08:15"),
    ],
)
async def test_an_example_says_that_a_text_is_a_moment(
    description: str, goal: str, when: str
) -> None:
    """A schema without a format may show what it takes."""
    text = {**_TEXT, "description": description}
    tool = _tool("logFault", "Log a fault of the lift.", occurred=text)
    outcome = await follow(f"log a fault of the lift {goal}", bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [("logFault", {"occurred": when})]


async def test_a_number_with_a_country_code_is_no_country() -> None:
    """A description that speaks of a code may speak of a part of a number."""
    phone = {**_TEXT, "description": "Phone number with country code"}
    tool = _tool("bookLesson", "Book a lesson.", day=_DAY, phone_=phone)
    goal = "book a lesson for 3 December 2026, phone +47 22 55 01 99"
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [("bookLesson", {"day": "2026-12-03", "phone": "+47 22 55 01 99"})]


@pytest.mark.parametrize(("goal", "time"), [("at 4 pm", "2026-11-23T16:00"), ("at 15:30", None)])
async def test_a_time_that_the_pattern_forbids_is_asked_for(goal: str, time: str | None) -> None:
    """What the tool would refuse is never passed."""
    hours = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:00$"}
    tools = bindings_from([_tool("arrangeVisit", "Arrange a visit to the shop.", hour=hours)])
    outcome = await follow(f"arrange a visit tomorrow {goal}", tools, lambda *_: {})
    assert [call["hour"] for _, call in outcome.calls] == [time] * (time is not None)
    assert outcome.asked == ["hour"] * (time is None)
