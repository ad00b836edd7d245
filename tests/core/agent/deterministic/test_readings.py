"""A value with two readings is asked about, and both are offered."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

TOOLS = [
    {
        "name": "bookTable",
        "description": "Book a table.",
        "inputSchema": {
            "type": "object",
            "required": ["date", "people"],
            "properties": {
                "date": {"type": "string", "format": "date"},
                "time": {"type": "string", "description": "HH:MM"},
                "people": {"type": "integer", "minimum": 1, "maximum": 12},
            },
        },
    }
]


@pytest.mark.parametrize(
    ("goal", "answer", "asked", "value"),
    [
        ("book a table for 4 people on 5/3/2027", "the first one", "date", "2027-05-03"),
        ("book a table for 4 people on 5/3/2027", "5 March 2027", "date", "2027-03-05"),
        ("book a table for 4 people tomorrow at 8", "in the evening: 20:00", "time", "20:00"),
    ],
)
async def test_both_readings_are_offered(goal: str, answer: str, asked: str, value: str) -> None:
    """Nothing is called before the person has said which one is meant."""
    outcome = await follow(goal, bindings_from(TOOLS), lambda *_: {}, answers=[answer])
    (call,) = outcome.calls

    assert outcome.asked == [asked]
    assert call[1][asked] == value
    assert outcome.questions[0].startswith("Which one do you mean: ")


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        ("book a table for 4 people on 13/3/2027", "2027-03-13"),
        ("reserviere einen Tisch für 4 Personen am 5.3.2027", "2027-03-05"),
        ("book a table for 4 people on 5 March 2027", "2027-03-05"),
    ],
)
async def test_one_reading_is_not_asked_about(goal: str, value: str) -> None:
    """A date that can be read in one way only is that date."""
    calls: list[Any] = []

    await follow(goal, bindings_from(TOOLS), lambda name, given: calls.append(given) or {})

    assert [call["date"] for call in calls] == [value]
