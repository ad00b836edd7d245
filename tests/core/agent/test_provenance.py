"""The origins of arguments, as the person sees them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from webagent import Tool
from webagent.agent import Run, Scene
from webagent.agent.provenance import origins
from webagent.agent.run import PastCall, PastRun
from webagent.page.offers import Target
from webagent.page.snapshot import Snapshot
from webagent.registry.binding import Binding

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        ("book the flat from 1 May 2027 to 8 May 2027", "2027-05-01"),
        ("book the flat from 1 May 2027 to 8 May 2027", "2027-05-08"),
        ("a table tomorrow", "2026-11-23"),
        ("at 7pm", "19:00"),
        ("for two people", 2),
        ("under £20", 20),
        ("search for “The Hobbit”", "the hobbit"),
    ],
)
def test_values_come_from_the_words_that_mean_them(goal: str, value: Any) -> None:
    """A day, a time or a number is the person's own, however it was written."""
    scene = Scene(Snapshot(), (), NOW)

    assert origins({"a": value}, Run(goal, ""), scene) == {"a": {"from": "goal"}}


def test_a_day_that_nobody_named_is_the_agents() -> None:
    """Another day than the one that was said was chosen by the agent."""
    found = origins({"a": "2027-05-02"}, Run("from 1 May 2027", ""), Scene(Snapshot(), (), NOW))

    assert found == {"a": {"from": "agent"}}


def test_results_of_earlier_runs_count() -> None:
    """`remove it` and an undo take an id from there."""
    past = PastRun("add it", "", True, calls=(PastCall("addToBasket", {}, {"bookId": "dune"}),))
    scene = Scene(Snapshot(), (), NOW, earlier=(past,))

    found = origins({"a": "dune"}, Run("Undo", ""), scene)

    assert found == {"a": {"from": "result", "of": "addToBasket"}}


def test_a_result_has_the_title_of_its_tool() -> None:
    """A tool of another site does not name itself to the person."""
    past = PastRun("find", "", True, calls=(PastCall("search", {}, {"id": "dune"}),))

    def of(origin: str) -> dict[str, str]:
        tool = Tool(name="search", title="Search the shelves")
        binding = Binding(tool, Target("function", "search"), "search", origin=origin)
        scene = Scene(Snapshot(), (binding,), NOW, earlier=(past,))
        return origins({"a": "dune"}, Run("go on", "https://own.example"), scene)["a"]

    titled = {"from": "result", "of": "search", "title": "Search the shelves"}
    assert of("https://own.example") == titled
    assert of("https://other.example") == {"from": "result", "of": "search"}
