"""What goals ask for, and what they must not lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import ORIGIN, bindings_from, follow
from tests.core.agent.deterministic.test_page import FORM

from webagent.page.snapshot import Element, Snapshot


async def test_a_wish_is_not_for_what_takes_none_of_its_words() -> None:
    """Without a verb, a tool that changes something is not called before a yes."""
    tool = {
        "name": "sharePizza",
        "description": "Share the pizza.",
        "inputSchema": {"type": "object"},
    }
    outcome = await follow("A Pesto pizza please!", bindings_from([tool]), lambda *_: {})
    assert outcome.calls == []


async def test_a_year_is_no_length_of_time() -> None:
    """What is paid by the month says nothing of when a house was built."""
    properties = {"maxPrice": {"type": "number"}, "minYearBuilt": {"type": "number"}}
    tool = {
        "name": "searchFlats",
        "description": "Search flats.",
        "inputSchema": {"type": "object", "properties": properties},
        "annotations": {"readOnlyHint": True},
    }
    outcome = await follow("find flats for under 900 a month", bindings_from([tool]), lambda *_: [])
    assert outcome.calls == [("searchFlats", {"maxPrice": 900})]


@pytest.mark.parametrize(
    ("goal", "named"),
    [
        ("show me flights arriving after 8 PM", {"arrivalTime": {"min": "20:00"}}),
        ("show me flights that depart before noon", {"departureTime": {"max": "12:00"}}),
    ],
)
async def test_an_end_of_a_period_is_that_of_the_object_it_is_in(
    goal: str, named: dict[str, Any]
) -> None:
    """A parameter `min` inside `arrivalTime` is meant by words that say arrival."""
    ends = {"min": {"type": "string"}, "max": {"type": "string"}}
    times = {
        f"{name}Time": {"type": "object", "description": f"The {name} time.", "properties": ends}
        for name in ("departure", "arrival")
    }
    tool = {
        "name": "filterFlights",
        "description": "Filter the flights that are shown.",
        "inputSchema": {"type": "object", "properties": times},
        "annotations": {"readOnlyHint": True},
    }
    outcome = await follow(goal, bindings_from([tool]), lambda *_: [])
    assert outcome.calls == [("filterFlights", named)]


_SEND = {
    "name": "sendContactMessage",
    "description": "Send a message to the shop in the visitor's name, as the contact form does.",
    "annotations": {"destructiveHint": True},
    "inputSchema": {
        "type": "object",
        "required": ["name", "email", "message"],
        "properties": {name: {"type": "string"} for name in ("name", "email", "message")},
    },
}
_CONTACT = Snapshot(
    url=ORIGIN + "/contact",
    elements=(
        Element(11, "textbox", "Full name"),
        Element(12, "textbox", "Email"),
        Element(15, "textbox", "Message"),
        Element(16, "button", "Send message"),
    ),
)


@pytest.mark.parametrize("page", [_CONTACT, Snapshot(url=ORIGIN + "/")], ids=["form", "no form"])
@pytest.mark.parametrize(
    "goal",
    [
        "fill in the contact form",
        "fill in the contact form for me, I will send it myself: Ada Quill, ada@x.example, message hi",
        "enter my details in the form: Ada Quill, ada@x.example, message: hello you",
        "type hello into the message field",
        "put my name Ada in the name box",
        "complète le formulaire de contact avec Ada, ada@x.example et le message bonjour",
        "fülle das Kontaktformular aus: Ada Quill, ada@x.example, Nachricht: hallo",
        "rellena el formulario con Ada, ada@x.example, mensaje hola",
        "fill in the contact message form with name Ada Quill, email ada@x.example and message “hello”",
    ],
)
async def test_filling_in_never_sends(goal: str, page: Snapshot) -> None:
    """Who wants something filled in gets nothing sent, by no tool and by no form."""
    outcome = await follow(
        goal,
        bindings_from([_SEND]),
        lambda *_: "sent",
        snapshot=page,
        answers=["yes"] * 3,
        act=lambda call: FORM if call.name == "form_details" else {"did": "it", "navigates": False},
    )
    assert outcome.calls == []
    assert not any(act.arguments.get("submit") for act in outcome.acts)


async def test_what_is_to_be_sent_is_sent() -> None:
    """An order to send reaches the tool that sends."""
    goal = "send the contact message “hello shop” with name “Ada Quill” and email ada@x.example"
    outcome = await follow(goal, bindings_from([_SEND]), lambda *_: "sent", snapshot=_CONTACT)
    assert [name for name, _ in outcome.calls] == ["sendContactMessage"]


@pytest.mark.parametrize(
    "goal",
    ["did I cancel order 4711?", "is order 4711 cancelled?", "who cancelled order 4711?", "wurde Bestellung 4711 storniert?"],
)  # fmt: skip
async def test_a_question_changes_nothing(goal: str) -> None:
    """A tool that changes something is not called to answer a question."""
    tool = {
        "name": "cancelOrder",
        "description": "Cancel an order.",
        "inputSchema": {
            "type": "object",
            "required": ["orderId"],
            "properties": {"orderId": {"type": "string"}},
        },
    }
    outcome = await follow(goal, bindings_from([tool]), lambda *_: "ok")
    assert outcome.calls == []


@pytest.mark.parametrize(
    "goal",
    [
        "can we move order 4711 to 4 December?",
        "Können wir die Bestellung 4711 auf den 4. Dezember verschieben?",
        "¿podéis mover el pedido 4711 al 4 de diciembre?",
    ],
)
async def test_a_polite_question_is_a_request(goal: str) -> None:
    """`can we` asks for what it names."""
    tool = {
        "name": "moveOrder",
        "description": "Move an order to another day.",
        "inputSchema": {
            "type": "object",
            "required": ["orderId", "date"],
            "properties": {
                "orderId": {"type": "string"},
                "date": {"type": "string", "format": "date"},
            },
        },
    }
    outcome = await follow(goal, bindings_from([tool]), lambda *_: "ok")
    assert outcome.calls == [("moveOrder", {"orderId": "4711", "date": "2026-12-04"})]


_REPORT = {
    "name": "submitReading",
    "description": "Submit the reading of a meter.",
    "inputSchema": {
        "type": "object",
        "required": ["meter", "value"],
        "properties": {
            "meter": {"type": "string", "enum": ["gas", "water"]},
            "value": {"type": "number"},
        },
    },
}
_BLOCK = {
    "name": "blockCard",
    "description": "Block a card.",
    "inputSchema": {
        "type": "object",
        "required": ["reason"],
        "properties": {"reason": {"type": "string", "enum": ["lost", "stolen"]}},
    },
}


@pytest.mark.parametrize(
    ("goal", "calls"),
    [
        ("my gas meter reads 4821.5", [("submitReading", {"meter": "gas", "value": 4821.5})]),
        ("we blocked the stolen card", []),
        ("the bank blocks stolen cards", []),
        ("wir haben die gestohlene Karte gesperrt", []),
    ],
)
async def test_a_statement_that_tells_what_is_done_changes_nothing(
    goal: str, calls: Sequence[tuple[str, Mapping[str, Any]]]
) -> None:
    """A statement is a request if it gives what a change takes, but not if it has the change's verb."""
    outcome = await follow(goal, bindings_from([_REPORT, _BLOCK]), lambda *_: "ok")
    assert outcome.calls == calls
