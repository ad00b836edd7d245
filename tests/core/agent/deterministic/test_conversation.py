"""Goals that lean on the last runs of the tab: plain data that comes with the scene."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import NOW, ORIGIN, bindings_from

from webagent.agent.deterministic.planner import DeterministicPlanner
from webagent.agent.run import PastCall, PastRun, Run, Scene
from webagent.page.snapshot import Snapshot
from webagent.registry.binding import Binding

_BOOKS = [
    {"id": "b1", "title": "The Hobbit", "price": 9},
    {"id": "b2", "title": "Farmer Giles", "price": 4},
    {"id": "b3", "title": "Roverandom", "price": 7},
]


def _tool(name: str, description: str, *needed: str, reads: bool = False, **more: Any) -> Any:
    kinds: dict[str, Any] = {
        "quantity": {"type": "integer"},
        "weightGrams": {"type": "number"},
        "time": {"type": "string", "format": "date-time"},
    }
    names = [*needed, *more]
    return {
        "name": name,
        "description": description,
        "annotations": {"readOnlyHint": reads},
        "inputSchema": {
            "type": "object",
            "required": [*needed],
            "properties": {one: kinds.get(one, {"type": "string"}) for one in names},
        },
    }


_TOOLS = bindings_from(
    [
        _tool("searchBooks", "Search books by words.", "query", reads=True),
        _tool("addToBasket", "Add copies of a book to the basket.", "bookId", quantity=1),
        _tool("setBasketQuantity", "Set how many copies the basket holds.", "bookId", "quantity"),
        _tool("removeFromBasket", "Remove a book from the basket.", "bookId"),
        _tool("getDeliveryPrice", "Look up what delivery costs.", "country", reads=True, weightGrams=1),
        _tool("arrangeVisit", "Arrange a visit. It replaces the hour there was.", "time"),
        _tool("cancelVisit", "Cancel the visit that was arranged."),
    ]
)  # fmt: skip
_FOUND = PastRun(
    "show me the Tolkien books",
    "There are 3 books.",
    True,
    calls=(PastCall("searchBooks", {"query": "Tolkien"}, {"books": _BOOKS}),),
)
_ADDED = PastRun(
    "add The Hobbit to my basket",
    "I added “The Hobbit” to the basket.",
    True,
    calls=(PastCall("addToBasket", {"bookId": "b1"}, {"items": [{"bookId": "b1"}, {"bookId": "b9"}]}),),
)  # fmt: skip
_PUT = PastRun(
    "pon dos ejemplares de The Hobbit en la cesta",
    "I added “The Hobbit” to the basket.",
    True,
    calls=(
        PastCall("addToBasket", {"bookId": "b1", "quantity": 2}, {"items": [{"bookId": "b1"}]}),
    ),
)
_PRICE = PastRun(
    "how much is delivery of 750 g to France",
    "The price is 7.40.",
    True,
    calls=(PastCall("getDeliveryPrice", {"country": "France", "weightGrams": 750}, {"price": 7.4}),),
)  # fmt: skip
_VISIT = PastRun(
    "arrange a visit on Tuesday at 2 pm",
    "I arranged the visit.",
    True,
    calls=(PastCall("arrangeVisit", {"time": "2026-11-24T14:00"}, {"time": "2026-11-24T14:00"}),),
)


async def _first(
    goal: str, *earlier: PastRun, tools: Sequence[Binding] = _TOOLS
) -> tuple[str, dict[str, Any]]:
    """Return the first action of a goal after some runs: its name, and its arguments."""
    scene = Scene(Snapshot(url=ORIGIN + "/"), tools, datetime.fromisoformat(NOW), "", earlier)
    run, planner = Run(goal, ORIGIN, id="run"), DeterministicPlanner()
    run.plan = await planner.plan(run, scene)
    (call,) = (await planner.next(Run.from_dict(run.to_dict()), scene)).calls
    if call.name == "call_tool":
        return str(call.arguments["name"]), dict(call.arguments["arguments"])
    return call.name, dict(call.arguments)


@pytest.mark.parametrize(
    ("goal", "earlier", "tool", "arguments"),
    [
        ("put the cheapest of those in my basket", _FOUND, "addToBasket", {"bookId": "b2"}),
        ("add the second one to my basket", _FOUND, "addToBasket", {"bookId": "b2"}),
        ("remove it from the basket", _ADDED, "removeFromBasket", {"bookId": "b1"}),
        ("make it three", _ADDED, "setBasketQuantity", {"bookId": "b1", "quantity": 3}),
        ("and to Poland?", _PRICE, "getDeliveryPrice", {"country": "Poland", "weightGrams": 750}),
        ("und nach Polen?", _PRICE, "getDeliveryPrice", {"country": "Poland", "weightGrams": 750}),
        ("and if it's 1.5 kg?", _PRICE, "getDeliveryPrice", {"country": "France", "weightGrams": 1500}),
        ("no, one copy is enough", _ADDED, "setBasketQuantity", {"bookId": "b1", "quantity": 1}),
        ("mejor solo uno", _PUT, "setBasketQuantity", {"bookId": "b1", "quantity": 1}),
        ("sorry, I can't come after all, please cancel it", _VISIT, "cancelVisit", {}),
        ("make that 4 pm instead", _VISIT, "arrangeVisit", {"time": "2026-11-24T16:00"}),
        ("doch lieber am Freitag zur gleichen Zeit", _VISIT, "arrangeVisit", {"time": "2026-11-27T14:00"}),
    ],
)  # fmt: skip
async def test_goes_on(goal: str, earlier: PastRun, tool: str, arguments: dict[str, Any]) -> None:
    """What a goal leaves out is what the last run was about."""
    assert await _first(goal, earlier) == (tool, arguments)


def _site(*tools: tuple[str, str, str]) -> list[Any]:
    """Return tools that change something, each with a name, a description and what it needs."""
    return bindings_from([_tool(name, about, *needed.split()) for name, about, needed in tools])


@pytest.mark.parametrize(
    ("tools", "earlier", "goal", "called"),
    [
        (
            (("lock", "Lock a door.", "what"), ("unlock", "Unlock a door.", "what")),
            PastCall("unlock", {"what": "shed"}, None),
            "done, lock it again",
            ("lock", {"what": "shed"}),
        ),
        (
            (("muteChannel", "Mute a channel.", "channel"), ("unmuteChannel", "Unmute it.", "channel")),
            PastCall("muteChannel", {"channel": "mic 3"}, None),
            "ok she stopped coughing, unmute",
            ("unmuteChannel", {"channel": "mic 3"}),
        ),
        (
            (("bookCourt", "Book a court.", "court time"), ("cancelBooking", "Cancel a booking.", "bookingId"),
             ("moveBooking", "Move a booking.", "bookingId time")),
            PastCall("bookCourt", {"court": "4", "time": "2026-11-26T14:00"}, {"bookingId": "B-7"}),
            "sorry, cancel that booking again",
            ("cancelBooking", {"bookingId": "B-7"}),
        ),
        (
            (("bookCourt", "Book a court.", "court time"), ("moveBooking", "Move a booking of a court.", "bookingId time")),
            PastCall("bookCourt", {"court": "4", "time": "2026-11-26T14:00"}, {"bookingId": "B-7"}),
            "sorry, make that half past four",
            ("moveBooking", {"bookingId": "B-7", "time": "2026-11-26T16:30"}),
        ),
        (
            (("updateRecord", "Change a record.", "recordId content"),),
            PastCall("updateRecord", {"recordId": "r-5512", "content": "198.51.100.7"}, {}),
            "sorry, meant 198.51.100.17",
            ("updateRecord", {"recordId": "r-5512", "content": "198.51.100.17"}),
        ),
        (
            (("duplicateCard", "Copy a card.", "cardId"), ("renameCard", "Give a card a new name.", "cardId title")),
            PastCall("duplicateCard", {"cardId": "251"}, {"cardId": "432"}),
            "rename it to “Release notes”",
            ("renameCard", {"cardId": "432", "title": "Release notes"}),
        ),
        (
            (("archivePattern", "Archive a pattern.", "patternId"), ("restorePattern", "Restore a pattern.", "patternId"),
             ("deletePattern", "Delete a pattern.", "patternId")),
            PastCall("archivePattern", {"patternId": "P7"}, None),
            "ach nee, hol es wieder aus dem Archiv",
            ("restorePattern", {"patternId": "P7"}),
        ),
    ],
)  # fmt: skip
async def test_the_last_change(
    tools: tuple[tuple[str, str, str], ...], earlier: PastCall, goal: str, called: tuple[str, Any]
) -> None:
    """What was changed last is taken back, corrected, or gone on with."""
    past = PastRun("do it", "Done.", True, calls=(earlier,))
    assert await _first(goal, past, tools=_site(*tools)) == called


@pytest.mark.parametrize("goal", ["delete my account", "empty the trash", "I'll take it"])
async def test_what_is_not_taken_back(goal: str) -> None:
    """Orders about something else do not take the last change back."""
    tools = _site(("addNote", "Add a note.", "noteId"), ("removeNote", "Remove a note.", "noteId"))
    past = PastRun("add n1", "Done.", True, calls=(PastCall("addNote", {"noteId": "n1"}, {}),))
    name, arguments = await _first(goal, past, tools=tools)
    assert (name, arguments) != ("removeNote", {"noteId": "n1"})


async def test_a_question_about_what_was_found() -> None:
    """What an earlier result says is answered from it, without a call."""
    name, arguments = await _first("which of those is the cheapest?", _FOUND)
    assert (name, arguments["success"]) == ("finish", True)
    assert "Farmer Giles" in arguments["text"]


async def test_it_is_what_was_told_of() -> None:
    """Of several things found, `it` is the one that the last answer named."""
    told = PastRun("which is the cheapest?", "The cheapest is Farmer Giles (price 4).", True)
    assert await _first("add it to my basket", _FOUND, told) == ("addToBasket", {"bookId": "b2"})


async def test_it_without_an_earlier_run_is_asked() -> None:
    """Where nothing was before, `it` is asked for, and nothing is looked up."""
    name, arguments = await _first("add it to my basket")
    assert (name, arguments["question"]) == (
        "communicate",
        "Which book do you mean? Its name is enough.",
    )


async def test_an_answer_that_comes_as_a_goal() -> None:
    """Where the last run ended with a question, a goal without a verb answers it."""
    asked = PastRun("remove from my basket", "I stopped.", False, "Which book do you mean?")
    assert await _first("The Hobbit", asked) == ("searchBooks", {"query": "Hobbit"})


async def test_adding_again_is_asked_where_nothing_sets() -> None:
    """A correction of what cannot be set is no second call before a yes."""
    sent = PastRun(
        "book a table for two", "Booked.", True, calls=(PastCall("bookTable", {"people": 2}, {}),)
    )
    tool = _tool("bookTable", "Book a table.")
    tool["inputSchema"]["properties"]["people"] = {"type": "integer"}
    scene = Scene(
        Snapshot(url=ORIGIN + "/"), bindings_from([tool]), datetime.fromisoformat(NOW), "", (sent,)
    )
    run, planner = Run("no, make it three people", ORIGIN, id="run"), DeterministicPlanner()
    run.plan = await planner.plan(run, scene)
    (call,) = (await planner.next(run, scene)).calls
    assert call.name == "communicate"


async def test_another_thing_of_the_same_kind() -> None:
    """A thing that is named is not the one of the last call, and is looked up."""
    name, arguments = await _first("und einmal The Lord of the Rings dazu", _ADDED)
    assert (name, arguments) == ("searchBooks", {"query": "The Lord of the Rings"})
