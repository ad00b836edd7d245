"""What goals give for the parameters of small tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

_TEXT: Mapping[str, Any] = {"type": "string"}
_COUNT: Mapping[str, Any] = {"type": "integer"}


def _tool(
    name: str, description: str, /, *, reads: bool = False, **parameters: Any
) -> dict[str, Any]:
    """Return a tool; parameters whose names end in `_` are optional."""
    schema = {
        "type": "object",
        "properties": {key.rstrip("_"): value for key, value in parameters.items()},
        "required": [key for key in parameters if not key.endswith("_")],
    }
    hints = {"readOnlyHint": True} if reads else {}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": hints}


_MUTE = _tool("mute", "Mute a player for some minutes.", player=_TEXT, minutes=_COUNT)
_ARCHIVE = (
    _tool("mail-archive", "Archive a thread.", thread=_TEXT),
    _tool("mail-restore", "Restore a thread from the archive.", thread=_TEXT),
    _tool("mail-search", "Search the mail.", reads=True, text=_TEXT),
)
_TICKETS = _tool("buyTickets", "Buy tickets for an event.", eventId=_TEXT, quantity=_COUNT)
_TASK = _tool(
    "createTask", "Create a task.", title=_TEXT, due_={"type": "string", "format": "date"}
)
_CONTACT = _tool("addContact", "Add a contact.", name=_TEXT, company_=_TEXT)
_GIVE = _tool(
    "donate",
    "Donate to a project.",
    amount={"type": "number"},
    frequency_={"type": "string", "enum": ["once", "monthly", "yearly"]},
)
_CAKES = _tool(
    "listCakes",
    "List the cakes.",
    reads=True,
    glutenFree_={"type": "boolean"},
)
_RECIPES = _tool(
    "searchRecipes",
    "Search recipes.",
    reads=True,
    query=_TEXT,
    exclude_={"type": "array", "items": {"type": "string"}},
)


@pytest.mark.parametrize(
    ("goal", "tools", "call"),
    [
        ("mute brindle for ten minutes", [_MUTE], ("mute", {"player": "brindle", "minutes": 10})),
        ("archive th-12", _ARCHIVE, ("mail-archive", {"thread": "th-12"})),
        (
            "create a task to water the ferns by 1 December 2026",
            [_TASK],
            ("createTask", {"title": "water the ferns", "due": "2026-12-01"}),
        ),
        (
            "add a contact: Jan Moser from Hartwell",
            [_CONTACT],
            ("addContact", {"name": "Jan Moser", "company": "Hartwell"}),
        ),
        ("donate 20 euros a month", [_GIVE], ("donate", {"amount": 20, "frequency": "monthly"})),
        ("which gluten-free cakes do you have?", [_CAKES], ("listCakes", {"glutenFree": True})),
        (
            "search parsnip recipes without cream",
            [_RECIPES],
            ("searchRecipes", {"query": "parsnip", "exclude": ["cream"]}),
        ),
    ],
)
async def test_the_words_of_a_goal_become_arguments(
    goal: str, tools: Sequence[Mapping[str, Any]], call: tuple[str, Mapping[str, Any]]
) -> None:
    """A value goes to the parameter that its words are for."""
    outcome = await follow(goal, bindings_from(tools), lambda *_: {})
    assert outcome.calls == [call]


async def test_a_number_that_counts_is_no_id() -> None:
    """`4 tickets` says how many; the event is asked for."""
    outcome = await follow("buy 4 tickets", bindings_from([_TICKETS]), lambda *_: {})
    assert outcome.calls == []
    assert outcome.asked == ["eventId"]


async def test_it_is_what_the_call_before_was_made_with() -> None:
    """`it` is the shipment that was tracked, whatever its answer lists."""
    tools = [
        _tool("trackShipment", "Track a shipment.", reads=True, shipmentId=_TEXT),
        _tool("cancelShipment", "Cancel a shipment.", shipmentId=_TEXT),
    ]
    answer = {"shipmentId": "SH-1", "where": "depot"}
    outcome = await follow("track SH-44 and cancel it", bindings_from(tools), lambda *_: answer)
    assert [arguments for _, arguments in outcome.calls] == [{"shipmentId": "SH-44"}] * 2


async def test_a_reason_before_an_order_is_no_statement() -> None:
    """`My phone was stolen` says why; the order is followed without a question."""
    reasons = {"type": "string", "enum": ["lost", "stolen", "broken"]}
    tool = _tool("blockSim", "Block a SIM card.", reason=reasons)
    goal = "my phone was stolen, block the sim card"
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [("blockSim", {"reason": "stolen"})]


async def test_a_question_why_calls_nothing() -> None:
    """No search answers why something is called as it is."""
    goal = "why is a recipe called a recipe?"
    outcome = await follow(goal, bindings_from([_RECIPES]), lambda *_: {})
    assert outcome.calls == []


async def test_an_id_is_looked_up_by_the_clause_that_names_it() -> None:
    """A second clause that says why is not searched for."""
    search = _tool("mail-search", "Search the mail.", reads=True, sender_=_TEXT, subject_=_TEXT)
    show = _tool("showThread", "Show a thread of mails.", reads=True, threadId=_TEXT)
    found = {"threads": [{"threadId": "th-9", "sender": "Ida Falk", "subject": "Choir"}]}
    outcome = await follow(
        "show the thread from Ida Falk, my phone keeps buzzing",
        bindings_from([search, show]),
        lambda name, _: found if name == "mail-search" else {},
    )
    assert outcome.calls == [
        ("mail-search", {"sender": "Ida Falk"}),
        ("showThread", {"threadId": "th-9"}),
    ]
