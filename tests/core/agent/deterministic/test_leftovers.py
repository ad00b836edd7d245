"""What a call leaves of a goal: what is no value, what is a reason, and what is denied beside a wish."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}
_ID = {"type": "string", "pattern": "^K-[0-9]{3}$"}


def _tool(name: str, description: str, reads: bool, required: str, **given: Any) -> dict[str, Any]:
    schema = {"type": "object", "required": required.split(), "properties": given}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": {"readOnlyHint": reads}}  # fmt: skip


_TOOLS = bindings_from(
    [
        _tool("findBoats", "Search the boats of the club.", True, "", query=_TEXT, seats=_NUMBER),
        _tool("setDepth", "Set the depth at which the alarm of a boat sounds.", False, "metres", metres=_NUMBER),
        _tool("setUnits", "Choose the units of the display.", False, "", temperature={"type": "string", "enum": ["celsius", "fahrenheit"]}, speed={"type": "string", "enum": ["knots", "kmh"]}),
        _tool("freezeMembership", "Put the membership of a card on hold.", False, "card", card=_ID),
        _tool("returnBoat", "Bring a boat back.", False, "boat until", boat=_ID, until={"type": "string", "format": "date"}),
        _tool("messageSkipper", "Send a message to a skipper.", False, "skipper text", skipper=_TEXT, text=_TEXT),
        _tool("cancelLesson", "Cancel a sailing lesson.", False, "lesson", lesson=_ID),
        _tool("muteAlerts", "Turn the alerts of a boat off for some time.", False, "boat minutes", boat=_ID, minutes=_NUMBER),
        _tool("deleteLog", "Delete the log of a trip.", False, "log", log=_ID),
        _tool("restoreLog", "Bring a deleted log of a trip back.", False, "log", log=_ID),
        _tool("logFuel", "Write down how much fuel a boat has.", False, "litres", litres=_NUMBER),
        _tool("addSail", "Add a sail to a booking.", False, "booking", booking=_ID),
        _tool("getOpeningHours", "Opening hours of the boat house.", True, ""),
        _tool("leaveReview", "Rate a boat of the club.", False, "boat stars", boat=_ID, stars=_NUMBER),
        _tool("renewLocker", "Renew the lease of a locker.", False, "locker", locker=_ID),
        _tool("renewAll", "Renew the leases of all lockers of the member.", False, ""),
    ]
)  # fmt: skip


async def _calls(goal: str) -> tuple[list[tuple[str, dict[str, Any]]], list[str]]:
    outcome = await follow(goal, _TOOLS, lambda *_: {"ok": True})
    return outcome.calls, outcome.questions


@pytest.mark.parametrize(
    ("goal", "call"),
    [
        ("it drags a bit, set the depth of the alarm to 12 metres", ("setDepth", {"metres": 12})),
        ("freeze the membership of card K-204 this week", ("freezeMembership", {"card": "K-204"})),
        ("I broke my arm yesterday. Please freeze the membership of card K-204", ("freezeMembership", {"card": "K-204"})),
        ("K-204 is the card that I lost yesterday, freeze the membership", ("freezeMembership", {"card": "K-204"})),
        ("card K-204 is mine and was stolen on Tuesday, freeze the membership", ("freezeMembership", {"card": "K-204"})),
        ("return boat K-310 this Thursday, 26 November", ("returnBoat", {"boat": "K-310", "until": "2026-11-26"})),
        ("je voudrais rendre le bateau K-310 le 26 novembre au lieu du 25", ("returnBoat", {"boat": "K-310", "until": "2026-11-26"})),
        ("freeze the membership of card K-204, Okafor was very kind about it", ("freezeMembership", {"card": "K-204"})),
        ("storniere die Segelstunde K-118 für ein Schlauchboot", ("cancelLesson", {"lesson": "K-118"})),
        ("fuel this morning was 55 litres", ("logFuel", {"litres": 55})),
        ("tell Ms Okafor that the K-310 leaks", ("messageSkipper", {"skipper": "Okafor", "text": "the K-310 leaks"})),
        ("tell Ms Okafor we'll be 20 minutes late", ("messageSkipper", {"skipper": "Okafor", "text": "we'll be 20 minutes late"})),
        ("vous êtes ouverts le dimanche ?", ("getOpeningHours", {})),
        ("bitte alles verlängern", ("renewAll", {})),
        ("K-310 kriegt von mir 4 Sterne", ("leaveReview", {"boat": "K-310", "stars": 4})),
    ],
)  # fmt: skip
async def test_what_is_no_value_of_the_call_is_not_asked_about(
    goal: str, call: tuple[str, dict[str, Any]]
) -> None:
    assert await _calls(goal) == ([call], [])


async def test_a_day_that_another_call_would_take_is_asked_about() -> None:
    calls, questions = await _calls("freeze the membership of card K-204 on 3 December")
    assert not calls
    assert questions


@pytest.mark.parametrize(
    ("goal", "call"),
    [
        ("we can't come after all, cancel lesson K-118", ("cancelLesson", {"lesson": "K-118"})),
        ("no alerts of boat K-310 for the next 2 hours please", ("muteAlerts", {"boat": "K-310", "minutes": 120})),
        ("can I have a sail for booking K-555? add it please", ("addSail", {"booking": "K-555"})),
    ],
)  # fmt: skip
async def test_a_denial_or_a_question_beside_a_wish_is_a_reason(
    goal: str, call: tuple[str, dict[str, Any]]
) -> None:
    assert await _calls(goal) == ([call], [])


@pytest.mark.parametrize(
    "goal",
    [
        "cancel lesson K-118… no, don't",
        "don't mute the alerts of boat K-310 for 2 hours",
        "please don't search the boats with 4 seats",
    ],
)
async def test_what_is_denied_is_not_called(goal: str) -> None:
    assert (await _calls(goal))[0] == []


@pytest.mark.parametrize(
    ("goal", "call"),
    [
        ("show everything in fahrenheit please", ("setUnits", {"temperature": "fahrenheit"})),
        ("I deleted log K-777 by accident, can you get it back", ("restoreLog", {"log": "K-777"})),
    ],
)
async def test_a_verb_that_is_not_of_the_tool_may_say_what_it_does(
    goal: str, call: tuple[str, dict[str, Any]]
) -> None:
    assert await _calls(goal) == ([call], [])


async def test_a_deed_is_not_done_again() -> None:
    assert (await _calls("I deleted log K-777 on my own computer"))[0] == []
