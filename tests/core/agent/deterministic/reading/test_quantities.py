"""Units of parameters, and values in them."""

from __future__ import annotations

import pytest
from tests.core.agent.deterministic.reading.reader import only

from webagent.agent.deterministic.reading.quantities import unit_of_parameter
from webagent.agent.deterministic.reading.values import converted


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("2 hours", "minute", 120),
        ("an hour and a half", "minute", 90),
        ("90 minutes", "hour", 1.5),
        ("two weeks", "day", 14),
        ("2 years", "month", 24),
        ("3 nights", "day", 3),
        ("5 miles", "kilometer", 8.04672),
        ("5 km", "mile", 3.10686),
        ("1.5 kg", "gram", 1500),
        ("10 lb", "kilogram", 4.5359237),
        ("72 °F", "celsius", 22.2222),
        ("20 °C", "fahrenheit", 68),
        ("20 degrees", "celsius", 20),
        ("$12.50", "cent", 1250),
        ("500 ¥", "cent", 500),
        ("16 GB", "megabyte", 16000),
        ("36 km/h", "meter-per-second", 10),
        ("5 kg", "mile", None),
        ("5", "minute", None),
        ("next Friday", "minute", None),
    ],
)
def test_converted(text: str, unit: str, expected: float | None) -> None:
    """A value is converted exactly, or with six figures if its decimals do not end."""
    assert converted(only(text), unit) == expected


@pytest.mark.parametrize(
    ("name", "description", "unit"),
    [
        ("weightKg", "", "kilogram"),
        ("duration_minutes", "", "minute"),
        ("durationMin", "", "minute"),
        ("priceMin", "", ""),
        ("minPrice", "", ""),
        ("amountCents", "", "cent"),
        ("amount", "The amount in cents", "cent"),
        ("duration", "How long, in minutes", "minute"),
        ("timeout", "Time to wait (ms)", "millisecond"),
        ("distance", "Distance in km from here", "kilometer"),
        ("temperatureC", "", "celsius"),
        ("height_m", "", "meter"),
        ("nights", "", "night"),
        ("days", "", "day"),
        ("day", "", ""),
        ("startDay", "", ""),
        ("secondName", "", ""),
        ("query", "What to look for in the shop", ""),
        ("room", "Name of the room, as shown in the list", ""),
        ("", "", ""),
    ],
)
def test_unit_of_parameter(name: str, description: str, unit: str) -> None:
    """A parameter's name or description says its unit."""
    assert unit_of_parameter(name, description) == unit
