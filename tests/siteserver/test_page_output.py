"""Events of a run in words, for clients of any protocol."""

from __future__ import annotations

from typing import Any

import pytest

from webagent_site.page_output import event_text


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"type": "planned", "plan": {"text": "I will look."}}, "I will look."),
        (
            {"type": "step", "state": "started", "number": 2, "tool": "find", "why": "to see"},
            "step 2: find – to see",
        ),
        ({"type": "step", "state": "started", "number": 3, "action": "click"}, "step 3: click"),
        ({"type": "step", "state": "finished", "number": 2, "tool": "find"}, ""),
        ({"type": "text", "final": True, "text": "Done."}, "Done."),
        ({"type": "text", "final": False, "text": "Do"}, ""),
        (
            {"type": "switched", "model": "small-2", "reason": "no credit"},
            "small-2 answers from now on: no credit",
        ),
        (
            {"type": "switched", "model": None, "reason": "no credit"},
            "the planner without a model answers from now on: no credit",
        ),
        ({"type": "navigating", "url": "https://a.example/"}, "goes to https://a.example/"),
        ({"type": "navigating", "url": ""}, ""),
        ({"type": "retrying", "reason": "busy", "wait_s": 1.0}, ""),
    ],
)
def test_events_for_people_have_words(event: dict[str, Any], text: str) -> None:
    """Anything else is left out."""
    assert event_text(event) == text


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": ["planned"]},
        {"type": "planned"},
        {"type": "planned", "plan": "I will look."},
        {"type": "planned", "plan": None},
        {"type": "planned", "plan": {"text": ["I will look."]}},
        {"type": "step", "state": "started", "number": "2", "tool": "find"},
        {"type": "step", "state": "started", "number": 2, "tool": {"name": "find"}},
        {"type": "text", "final": True, "text": {"a": 1}},
        {"type": "text", "final": "yes", "text": "Done."},
        {"type": "switched", "model": ["small-2"], "reason": "no credit"},
        {"type": "switched", "model": "small-2"},
        {"type": "navigating", "url": {"href": "https://a.example/"}},
    ],
)
def test_malformed_events_of_a_page_have_no_words(event: dict[str, Any]) -> None:
    """A page sends whatever it likes."""
    assert event_text(event) == ""


def test_a_malformed_reason_is_left_out() -> None:
    event = {"type": "step", "state": "started", "number": 2, "tool": "find", "why": ["to see"]}

    assert event_text(event) == "step 2: find"
