"""What errors of tools name as allowed, and the calls that this corrects."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow
from tests.timing import takes_at_most

from webagent.agent.deterministic.corrections import allowed_by


@pytest.mark.parametrize(
    ("error", "allowed"),
    [
        ("closed that day; open days: 2026-12-22, 2026-12-23", ("2026-12-22", "2026-12-23")),
        ("size must be one of S, M, L", ("S", "M", "L")),
        ('Invalid colour. Allowed values are "red", "dark green" or "blue".', ("red", "dark green", "blue")),
        ("must be one of: ['a', 'b']", ("a", "b")),
        ("15:00 is taken; free that afternoon: 15:40", ("15:40",)),
        ("Unknown branch. Valid branches: north, south and west", ("north", "south", "west")),
        ("Expected one of small | medium | large", ("small", "medium", "large")),
        ({"error": "bad size", "allowed": ["S", "M"]}, ("S", "M")),
        ({"message": "available slots: 09:00, 10:30"}, ("09:00", "10:30")),
        ("Not found", ()),
        ("films cannot be renewed", ()),
        ("Internal error: connection refused", ()),
        (None, ()),
        (["x"], ()),
    ],
)  # fmt: skip
def test_an_error_names_what_is_allowed(error: Any, allowed: tuple[str, ...]) -> None:
    assert allowed_by(error) == allowed


def test_a_long_error_takes_little_time() -> None:
    texts = (
        "one of " * 50_000,
        "valid a " * 50_000,
        "allowed: " + "a, " * 50_000,
        "valid " + "a-" * 50_000,
    )

    assert takes_at_most(2, lambda: [allowed_by(text) for text in texts])
    assert all(len(allowed_by(text)) <= 20 for text in texts)


_PARCEL = {
    "name": "sendParcel",
    "description": "Send a parcel to a zone.",
    "inputSchema": {"type": "object", "required": ["zone"], "properties": {"zone": {"type": "string"}}},
}  # fmt: skip


@pytest.mark.parametrize("is_returned", [False, True])
async def test_an_allowed_value_with_other_words_around_it_is_sent(*, is_returned: bool) -> None:
    """The only allowed value that an argument has is what was meant."""

    def call(name: str, given: dict[str, Any]) -> Any:
        if given["zone"] in ("harbour", "island"):
            return "sent"
        if is_returned:
            return {"ok": False, "error": "unknown zone", "allowed": ["harbour", "island"]}
        raise ValueError("unknown zone; allowed zones: harbour, island")

    goal = 'send a parcel to the zone "harbour west"'
    outcome = await follow(goal, bindings_from([_PARCEL]), call)
    assert [given["zone"] for _, given in outcome.calls] == ["harbour west", "harbour"]
    assert outcome.success


async def test_a_call_is_corrected_only_once() -> None:
    """A tool that refuses what it allows ends the run."""

    def call(name: str, given: dict[str, Any]) -> Any:
        raise ValueError("unknown zone; allowed zones: harbour, island")

    goal = 'send a parcel to the zone "hill"'
    outcome = await follow(goal, bindings_from([_PARCEL]), call, answers=["island"])
    assert [given["zone"] for _, given in outcome.calls] == ["hill", "island"]
    assert "harbour or island" in outcome.questions[0]
    assert not outcome.success


async def test_a_question_tells_what_was_wrong_with_the_value() -> None:
    """The list of the others begins behind the sentence, and not at its first value."""
    schema = {
        "type": "object",
        "properties": {"country": {"type": "string"}},
        "required": ["country"],
    }
    tool = {
        "name": "quoteDelivery",
        "description": "Look up what delivery to a country costs.",
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
    }

    def call(name: str, arguments: dict[str, Any]) -> None:
        raise ValueError("no delivery to `Austria`: we send to Ireland, France and Spain")

    outcome = await follow("how much is delivery to Austria?", bindings_from([tool]), call)

    assert outcome.forms[0]["title"] == "No delivery to `Austria`. Which one do you mean?"
