"""Plain wishes as people type them: names, remarks, small talk, and things named before."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

_NOW = "2027-03-03T10:00"
_KINDS = {
    "taskId": "integer",
    "snippetId": "integer",
    "hours": "number",
    "stars": "integer",
    "maxPrice": "number",
}


def _tool(name: str, description: str, *required: str, **more: Any) -> dict[str, Any]:
    reads, optional = more.pop("reads", False), more.pop("optional", ())
    properties = {
        key: {"type": _KINDS.get(key, "string")} | more.get(key, {})
        for key in (*required, *optional)
    }
    schema = {"type": "object", "properties": properties, "required": list(required)}
    found = {"name": name, "description": description, "inputSchema": schema}
    return {**found, "annotations": {"readOnlyHint": True}} if reads else found


_LEVEL = {"priority": {"enum": ["low", "normal", "high"]}}
_KIND = {"category": {"enum": ["furniture", "bikes", "toys"]}}
_LIST = {"items": {"type": "array", "items": {"type": "string"}}}
_DAY = {"day": {"type": "string", "format": "date"}}
_TOOLS = bindings_from([
    _tool("createTask", "Create a task.", "title", optional=("priority",), **_LEVEL),
    _tool("setPriority", "Set the priority of a task.", "taskId", "priority", **_LEVEL),
    _tool("removeTask", "Remove a task from the board.", "taskId", optional=("reason",)),
    _tool("renameSnippet", "Give a snippet another title.", "snippetId", "title"),
    _tool("addContact", "Add a contact to the address book.", "firstName", optional=("phone",)),
    _tool("logTime", "Log hours for a client.", "client", "hours", optional=("note",)),
    _tool("rateVisit", "Rate a visit.", "visitId", "stars", optional=("review",)),
    _tool("clearCache", "Clear the cache of a domain.", "domain"),
    _tool("addToShoppingList", "Add to the shopping list.", "items", **_LIST),
    _tool("setReminder", "Remind somebody of something.", "text",
          at={"type": "string", "format": "date-time"}, optional=("at",)),
    _tool("searchListings", "Search what is for sale.", "query", optional=("category", "maxPrice"),
          reads=True, **_KIND),
    _tool("listSessions", "List the sessions of a day.", reads=True, optional=("day",), **_DAY),
    _tool("listBookings", "List the booked classes.", reads=True),
    _tool("cancelBooking", "Cancel a booked class.", "bookingId"),
    _tool("removeFromWaitingList", "Take somebody off the waiting list.", "name"),
    _tool("addToBasket", "Put a book into the basket.", "bookId"),
    _tool("createFolder", "Create a folder.", "name"),
    _tool("withdrawBooking", "Withdraw a request for a booking.", "bookingId"),
    _tool("bookAppointment", "Book an appointment.", "start",
          start={"type": "string", "format": "date-time"}),
    _tool("renameFile", "Rename a file.", "file", "newName"),
    _tool("addToGroup", "Add contacts to a group.", "contacts", "group",
          contacts={"type": "array", "items": {"type": "string"}}),
    _tool("makeOffer", "Offer a price for a listing.", "listingId", "amount",
          listingId={"type": "integer"}, amount={"type": "number"}),
    _tool("updateGuest", "Change what is known of a guest.", "name", optional=("phone", "email")),
    _tool("contactCaretaker", "Send a message to the caretaker.", "message"),
])  # fmt: skip
_BOOKINGS = [{"bookingId": "B-1", "name": "Pilates"}, {"bookingId": "B-2", "name": "Zumba"}]


def _result(name: str, _: Any) -> Any:
    return _BOOKINGS if name == "listBookings" else {"ok": True}


async def _calls(goal: str) -> list[tuple[str, dict[str, Any]]]:
    return (await follow(goal, _TOOLS, _result, now=_NOW)).calls


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        ("rename snippet 45 to Parse CSV with quotes", "renameSnippet",
         {"snippetId": 45, "title": "Parse CSV with quotes"}),
        ("log 3.5 hours for Brightleaf, homepage redesign", "logTime",
         {"client": "Brightleaf", "hours": 3.5, "note": "homepage redesign"}),
        ("clear the cache on harbour.example", "clearCache", {"domain": "harbour.example"}),
        ("looking for a road bike under 400", "searchListings",
         {"query": "road bike", "category": "bikes", "maxPrice": 400}),
        ("pon huevos y café en la lista de la compra", "addToShoppingList", {"items": ["huevos", "café"]}),
        ("offer 70 for listing 31882", "makeOffer", {"listingId": 31882, "amount": 70}),
        ("leg bitte einen Ordner „Steuern“ an", "createFolder", {"name": "Steuern"}),
        ("Buchung B-77 zurückziehen", "withdrawBooking", {"bookingId": "B-77"}),
        ("je voudrais prendre rendez-vous le 5 mars à 9h", "bookAppointment",
         {"start": "2027-03-05T09:00"}),
        ("add soup-mostly to the basket", "addToBasket", {"bookId": "soup-mostly"}),
        ("rename draft.docx to final_report.docx", "renameFile",
         {"file": "draft.docx", "newName": "final_report.docx"}),
        ("add Tim and Lara to the football group", "addToGroup",
         {"contacts": ["Tim", "Lara"], "group": "football"}),
        ("create a task: renew the certificate, high priority", "createTask",
         {"title": "renew the certificate", "priority": "high"}),
        ("tell the caretaker the side door doesn't lock properly", "contactCaretaker",
         {"message": "the side door doesn't lock properly"}),
        ("Erinnere mich heute Abend um 20 Uhr, die Tonne rauszustellen", "setReminder",
         {"text": "Tonne rauszustellen", "at": "2027-03-03T20:00"}),
    ],
)  # fmt: skip
async def test_a_value_is_all_of_what_was_said(
    goal: str, tool: str, arguments: dict[str, Any]
) -> None:
    """Names go on to their end, remarks are kept, and what is added belongs to the call before."""
    assert await _calls(goal) == [(tool, arguments)]


@pytest.mark.parametrize(
    "goal",
    [
        "hey, how are you today?",
        "gracias, eso era todo por hoy",
        "create a task: water the plants... actually no, don't",
    ],
)
async def test_small_talk_and_what_is_taken_back_call_nothing(goal: str) -> None:
    """A day alone asks for nothing."""
    assert await _calls(goal) == []


async def test_a_new_thing_without_a_name_is_asked_for() -> None:
    """`new` is no name, and neither is the kind of a thing."""
    outcome = await follow("leg bitte einen neuen Kontakt an", _TOOLS, _result, now=_NOW)
    assert outcome.calls == []
    assert outcome.questions


async def test_a_change_of_nothing_is_asked_for() -> None:
    """A name says who is meant, and not what is changed."""
    outcome = await follow("I need to change Daniel's phone number", _TOOLS, _result, now=_NOW)
    assert outcome.calls == []
    assert outcome.questions


async def test_a_reason_beside_a_wish_is_not_asked_about() -> None:
    """Who says why asks for nothing more."""
    goal = "remove Hélène Caron from the waiting list, she is moving to Lille"
    outcome = await follow(goal, _TOOLS, _result, now=_NOW)
    assert outcome.calls == [("removeFromWaitingList", {"name": "Hélène Caron"})]
    assert outcome.questions == []


async def test_what_is_denied_in_french_is_not_done() -> None:
    """The verb may stand before the word that denies it."""
    assert await _calls("n'annulez pas encore ma réservation B-1") == []
    assert await _calls("surtout n'annulez pas B-1, j'arrive") == []


async def test_what_is_asked_for_twice_is_done_once() -> None:
    """The second clause only says it again."""
    calls = await _calls("task 77 is broken, remove it from the board")
    assert [name for name, _ in calls] == ["removeTask"]


async def test_the_thing_may_be_named_before_the_wish() -> None:
    """Who cannot come says to what before asking to cancel it."""
    assert await _calls("I can't make it to pilates this week, cancel it please") == [
        ("listBookings", {}),
        ("cancelBooking", {"bookingId": "B-1"}),
    ]


@pytest.mark.parametrize("goal", ["do you have a hedge trimmer?", "do you stock hedge trimmers"])
async def test_whether_there_is_something_is_searched(goal: str) -> None:
    """`do you have` asks what a search finds, and not for the state of anything."""
    about = "Searches the inventory of things to borrow."
    tools = bindings_from([_tool("search-items", about, "query", reads=True)])
    outcome = await follow(goal, tools, _result)
    assert [name for name, _ in outcome.calls] == ["search-items"]


async def test_an_id_of_words_names_no_tool() -> None:
    """`ledger` may mean a book, and `the-salt-ledger` is one of them."""
    tools = bindings_from(
        [
            _tool("searchBooks", "Search the books.", "query", reads=True),
            _tool("getBookDetails", "Show the details of a book.", "bookId", reads=True),
        ]
    )
    outcome = await follow("show me the details of the-salt-ledger", tools, _result)
    assert outcome.calls == [("getBookDetails", {"bookId": "the-salt-ledger"})]
