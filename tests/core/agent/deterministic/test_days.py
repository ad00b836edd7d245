"""Days, times and amounts of goals in the calls of small tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

_DAY: Mapping[str, Any] = {"type": "string", "format": "date"}
_TIME: Mapping[str, Any] = {"type": "string", "format": "time"}
_TEXT: Mapping[str, Any] = {"type": "string"}
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
_CLEANING = _tool(
    "orderCleaning",
    "Order a cleaning of the office.",
    day={"type": "string", "enum": ["mon", "tue", "wed", "thu", "fri"]},
)


@pytest.mark.parametrize(
    ("goal", "tool", "call"),
    [
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
