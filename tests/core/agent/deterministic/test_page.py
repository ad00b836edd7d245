"""What the planner does on the page itself, where no tool fits."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import ORIGIN, Outcome, bindings_from, follow

from webagent.llm.chat import ToolCall
from webagent.page.offers import Target
from webagent.page.snapshot import Element, Snapshot
from webagent.registry.binding import Binding
from webagent.types import Behavior, Tool

_PAGE = Snapshot(
    url=ORIGIN + "/",
    title="Harbour news",
    elements=(
        Element(1, "link", "Opening hours", href="/hours"),
        Element(2, "link", "Contact", href="/contact"),
        Element(3, "searchbox", "Search the site"),
        Element(4, "button", "Show more"),
        Element(5, "textbox", "Email"),
        Element(6, "textbox", "Password"),
    ),
    text="## Ferries\nThe ferry to Gull Island leaves at nine and at five.\nDogs travel for free.",
)
_FORM = [
    {
        "fields": [
            {"pp_id": 11, "label": "Full name *", "type": "text", "required": True},
            {"pp_id": 12, "label": "Email", "type": "email", "required": True},
            {
                "pp_id": 13,
                "label": "Topic",
                "type": "select",
                "options": ["Order", "Visit", "Other"],
            },
            {"pp_id": 14, "label": "Newsletter", "type": "checkbox"},
            {"pp_id": 15, "label": "Message", "type": "textarea", "required": False},
        ]
    },
    {
        "fields": [
            {"pp_id": 21, "label": "Email", "type": "email", "required": True},
            {"pp_id": 22, "label": "Password", "type": "password", "required": True},
        ]
    },
]


def _act(call: ToolCall) -> Any:
    if call.name == "form_details":
        return _FORM
    if call.name == "table_details":
        return [{"caption": "Fares", "headers": ["Who", "Price"], "rows": [["Adult", "4"]]}]
    return {"did": f"did {call.name}", "navigates": False}


async def _on_page(goal: str, *answers: str) -> Outcome:
    return await follow(goal, [], lambda *_: None, act=_act, snapshot=_PAGE, answers=answers)


@pytest.mark.parametrize(
    ("goal", "action", "arguments"),
    [
        ("open the opening hours", "click_link", {"pp_id": 1}),
        ("please go to the contact page", "click_link", {"pp_id": 2}),
        ("open https://site.example/map", "goto_url", {"url": "https://site.example/map"}),
        ("click the show more button", "click", {"pp_id": 4}),
        ("search for lighthouse tours", "search", {"query": "lighthouse tours"}),
        ("scroll down", "scroll", {"direction": "down"}),
        ("extract the tables of this page", "table_details", {}),
        ("summarize this page", "get_summary", {}),
        ("give me the outline of the page", "section_outline", {}),
        ("show the navigation of the site", "navigation_outline", {}),
        ("take a screenshot", "take_screenshot", {}),
        ("show me the code on this page", "find_code", {}),
    ],
)
async def test_one_action(goal: str, action: str, arguments: dict[str, Any]) -> None:
    """A request that the page itself can serve is one action of the page."""
    outcome = await _on_page(goal)
    assert [(act.name, dict(act.arguments)) for act in outcome.acts] == [(action, arguments)]
    assert outcome.success


async def test_reads_the_page() -> None:
    """A question about the page is answered with its own lines, without any action."""
    outcome = await _on_page("what does the page say about the ferry to Gull Island?")
    assert outcome.acts == []
    assert "leaves at nine and at five" in outcome.text


async def test_fills_a_form() -> None:
    """A form is filled in by its labels, and not submitted unless that is said."""
    outcome = await _on_page(
        "fill in the form with full name Ada Lovelace, email ada@mail.example and topic visit"
    )
    assert outcome.acts[-1].name == "enter_data"
    assert outcome.acts[-1].arguments == {
        "form_data": [
            {"pp_id": 11, "text": "Ada Lovelace"},
            {"pp_id": 12, "text": "ada@mail.example"},
            {"pp_id": 13, "select": ["Visit"]},
        ],
        "submit": False,
    }


async def test_asks_for_fields() -> None:
    """What a form needs and nobody gave is asked for."""
    outcome = await _on_page("fill in the form with email ada@mail.example", "Ada Lovelace")
    assert outcome.asked == ["Full name"]
    assert {"pp_id": 11, "text": "Ada Lovelace"} in outcome.acts[-1].arguments["form_data"]


async def test_signs_in() -> None:
    """To sign in the person is asked, one thing at a time, and the form with the password is sent."""
    outcome = await _on_page("sign in", "ada@mail.example", "ropewalk14")
    assert outcome.asked == ["Email", "Password"]
    entered = outcome.acts[-1].arguments
    assert entered["submit"] is True
    assert [entry["pp_id"] for entry in entered["form_data"]] == [21, 22]
    assert "ropewalk14" not in str(outcome.run.notes)


async def test_goes_where_the_tool_works() -> None:
    """A tool that works on other pages is called after one of them is opened."""
    tool = Tool(
        name="listFerries", description="List the ferries.", behavior=Behavior(paths=["/ferries/*"])
    )
    binding = Binding(
        tool, Target("function", "listFerries"), "listFerries", problem="works on `/ferries/*`"
    )
    outcome = await follow("list the ferries", [binding], lambda *_: [], act=_act, snapshot=_PAGE)
    assert [(act.name, dict(act.arguments)) for act in outcome.acts] == [
        ("goto_url", {"url": "/ferries"})
    ]
    assert outcome.calls == [("listFerries", {})]


async def test_tools_before_the_page() -> None:
    """Where a tool fits, the page's own controls are left alone."""
    tools = bindings_from(
        [
            {
                "name": "searchTours",
                "description": "Search tours.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                },
                "annotations": {"readOnlyHint": True},
            }
        ]
    )
    outcome = await follow(
        "search for lighthouse tours", tools, lambda *_: [], act=_act, snapshot=_PAGE
    )
    assert outcome.calls == [("searchTours", {"query": "lighthouse"})]
    assert outcome.acts == []
