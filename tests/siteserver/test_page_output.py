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
        ({"type": "retrying", "reason": "busy", "wait_s": 1.0}, ""),
    ],
)
def test_events_for_people_have_words(event: dict[str, Any], text: str) -> None:
    """Anything else is left out."""
    assert event_text(event) == text
