"""Goals of several wishes: what a later one takes from an earlier one, and from what that found."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import Outcome, bindings_from, follow

_READS = {"readOnlyHint": True}
_TEXT = {"type": "string"}
_FOUND: dict[str, Any] = {
    "searchKayaks": [
        {"kayakId": "K-4", "model": "River Otter", "weight": 21, "charge": 30, "drive": "1h 10m"},
        {"kayakId": "K-9", "model": "Sea Lynx", "weight": 17, "charge": 85, "drive": "55m"},
    ],
    "listStatements": [
        {"statementId": "2026-11", "total": 80}, {"statementId": "2026-09", "total": 120},
    ],
    "listLessons": [
        {"lessonId": "E-1", "title": "Daily warm-up", "coach": "Ines"},
        {"lessonId": "E-2", "title": "Rolling in waves", "coach": "Noor"},
    ],
    "listReservations": [
        {"ref": "RV-1", "boat": "River Otter", "day": "2026-12-04"},
        {"ref": "RV-2", "boat": "Sea Lynx", "day": "2026-12-11"},
    ],
}  # fmt: skip


def _tool(name: str, about: str, *needed: str, **properties: Any) -> dict[str, Any]:
    reads = {"annotations": _READS} if about.startswith(("Search", "List", "Show", "Times")) else {}
    given = {**dict.fromkeys(needed, _TEXT), **properties}
    return {
        "name": name, "description": about, **reads,
        "inputSchema": {"type": "object", "required": [*needed], "properties": given},
    }  # fmt: skip


_TOOLS = bindings_from(
    [
        _tool("searchKayaks", "Search the kayaks.", "query"),
        _tool("rentKayak", "Rent a kayak.", "kayakId", days={"type": "integer"}),
        _tool("listStatements", "List the statements of your account."),
        _tool("downloadStatement", "Download a statement.", "statementId"),
        _tool("listLessons", "List the lessons."),
        _tool("cancelLesson", "Cancel a lesson.", "lessonId"),
        _tool("listReservations", "List your reservations of boats."),
        _tool("cancelReservation", "Cancel a reservation.", "ref"),
        _tool("createCrew", "Create a crew.", "name"),
        _tool("renameCrew", "Give a crew another name.", "crew", "newName"),
        _tool("inviteToCrew", "Invite somebody to a crew.", "crew", "email"),
        _tool("setVatCode", "Set the VAT code of a crew.", "crew", "code"),
        _tool("writeInvoice", "Write an invoice for a kayak.", "kayakId", "customer"),
        _tool("bookHall", "Book the boat hall.", "hall", date={"type": "string", "format": "date"}),
        _tool("orderLunch", "Order lunch for a number of people.", "date",
              date={"type": "string", "format": "date"}, people={"type": "integer"}),
    ]
)  # fmt: skip


async def _follow(goal: str) -> Outcome:
    return await follow(goal, _TOOLS, lambda name, _: _FOUND.get(name, {"done": True}))


@pytest.mark.parametrize(
    ("goal", "last"),
    [
        (
            'search kayaks "sea" and rent the one with the fullest charge',
            ("rentKayak", {"kayakId": "K-9"}),
        ),
        (
            'find the lightest kayak "sea" and rent one for 3 days',
            ("rentKayak", {"kayakId": "K-9", "days": 3}),
        ),
        (
            'search kayaks "sea" and rent the one with the shortest drive',
            ("rentKayak", {"kayakId": "K-9"}),
        ),
        (
            "list my statements and download the most recent",
            ("downloadStatement", {"statementId": "2026-11"}),
        ),
        (
            "list my statements and download the lowest rated one",
            ("downloadStatement", {"statementId": "2026-11"}),
        ),
    ],
)
async def test_a_superlative_is_read_in_the_fields_of_what_was_found(goal: str, last: Any) -> None:
    assert (await _follow(goal)).calls[-1:] == [last]


@pytest.mark.parametrize(
    ("goal", "calls"),
    [
        ("cancel today's warm-up lesson", [("listLessons", {}), ("cancelLesson", {"lessonId": "E-1"})]),
        ("show the lessons and cancel the one with Noor", [("listLessons", {}), ("cancelLesson", {"lessonId": "E-2"})]),
        ("cancel the lynx reservation", [("listReservations", {}), ("cancelReservation", {"ref": "RV-2"})]),
    ],
)  # fmt: skip
async def test_a_thing_is_known_by_its_words(goal: str, calls: list[Any]) -> None:
    outcome = await _follow(goal)
    assert outcome.calls == calls
    assert not outcome.questions


@pytest.mark.parametrize(
    ("goal", "last"),
    [
        (
            'create a crew "Herons" and invite ada@mail.example',
            ("inviteToCrew", {"crew": "Herons", "email": "ada@mail.example"}),
        ),
        (
            'book the hall "North" for 4 December and order lunch for 12 people that day',
            ("orderLunch", {"date": "2026-12-04", "people": 12}),
        ),
        (
            "rent the kayak K-4 and write an invoice for it to Lena Ortiz",
            ("writeInvoice", {"kayakId": "K-4", "customer": "Lena Ortiz"}),
        ),
        (
            'create a crew "Herons" and set the VAT code there to 4711',
            ("setVatCode", {"crew": "Herons", "code": "4711"}),
        ),
    ],
)
async def test_a_later_wish_shares_what_it_lacks(goal: str, last: Any) -> None:
    outcome = await _follow(goal)
    assert outcome.calls[-1:] == [last]
    assert not outcome.questions


async def test_each_of_several_calls_is_told() -> None:
    """`for A, and for B as well` asks for both."""
    tool = _tool("showStatistics", "Show the statistics of a video.", "videoId")
    views = {"v9k2m4a": 840, "v7h3q1z": 315}
    outcome = await follow(
        "show the statistics for v9k2m4a, and for v7h3q1z as well",
        bindings_from([tool]),
        lambda _, given: {"views": views[given["videoId"]]},
    )
    assert "840" in outcome.text
    assert "315" in outcome.text


async def test_what_is_to_be_told_is_asked() -> None:
    """`tell me how many` asks for what is known, `tell me when` for a notice."""
    leave = {"type": "string", "enum": ["vacation", "sick"]}
    tools = bindings_from([
        _tool("RequestLeave", "Request leave.", "leaveType", "firstDay", leaveType=leave),
        _tool("GetLeaveBalance", "Show how many days of leave are left.", "leaveType", leaveType=leave),
    ])  # fmt: skip
    outcome = await follow(
        "tell me how many vacation days I have left", tools, lambda *_: {"days": 17}
    )
    assert outcome.calls == [("GetLeaveBalance", {"leaveType": "vacation"})]
