"""What the planner does on the page itself, where no tool fits."""

from __future__ import annotations

from dataclasses import replace
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
FORM = [
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

_READ = {
    "get_summary": {"title": "Harbour news", "page_type": "article"},
    "section_outline": {
        "level": 0,
        "heading": "Harbour news",
        "text": '[1] link "Opening hours"',
        "pp_ids": [1],
        "children": [{"level": 2, "heading": "Ferries", "pp_ids": [2], "children": []}],
    },
    "navigation_outline": {
        "text": "Harbour news",
        "url": "/",
        "children": [{"text": "Contact", "url": "/contact", "children": []}],
    },
    "find_code": [{"title": "Tides", "language": "js", "code": "tides.today()"}],
}


def _act(call: ToolCall) -> Any:
    if call.name == "form_details":
        return FORM
    if call.name == "table_details":
        return [{"caption": "Fares", "headers": ["Who", "Price"], "rows": [["Adult", "4"]]}]
    if call.name in _READ:
        return _READ[call.name]
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
        ("search for the ferry to Gull Island", "search", {"query": "ferry to Gull Island"}),
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


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("give me the outline of the page", "Harbour news\nFerries"),
        ("show the navigation of the site", "Harbour news\nContact"),
        ("open the opening hours", "I opened “Opening hours”."),
    ],
)
async def test_says_names_only(goal: str, said: str) -> None:
    """What is said of outlines and links is names, not numbers, roles and brackets."""
    outcome = await _on_page(goal)
    assert outcome.text == said


@pytest.mark.parametrize(
    "goal",
    [
        "when do you open on Saturday?",
        "who is the head librarian?",
        "search for poetry",
        "which section is about poetry?",
    ],
)
async def test_no_marks_for_an_answer(goal: str) -> None:
    """A line of links answers nothing, and that nothing is found is said as a failure."""
    page = replace(
        _PAGE,
        text='[1] link "Opening hours" [2] link "Contact"\n'
        '[3] searchbox "Search for poetry" = "poetry" [4] button "Search"\n# Welcome to the harbour',
    )
    outcome = await follow(goal, [], lambda *_: None, act=_act, snapshot=page)
    assert not outcome.success
    assert not any(mark in outcome.text for mark in ("[", "{", "link", "searchbox"))


async def test_answers_in_plain_lines() -> None:
    """A line that answers is told without the marks of the elements in it."""
    page = replace(
        _PAGE, text='- Dogs may come along: [9] checkbox "We bring a dog" [2] link "Prices"'
    )
    outcome = await follow("what about dogs?", [], lambda *_: None, act=_act, snapshot=page)
    assert (outcome.success, outcome.text) == (True, "Dogs may come along: Prices")


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


async def test_asks_for_fields_in_the_language_of_the_goal() -> None:
    """The form in which the person answers has a title in the words of the question."""
    outcome = await _on_page("fülle das Formular aus mit E-Mail ada@mail.example", "Ada Lovelace")
    assert (
        outcome.forms[0]["title"]
        == outcome.questions[0]
        == "Was soll ich hier eintragen: Full name?"
    )


async def test_signs_in() -> None:
    """To sign in the person is asked, one thing at a time, and the form with the password is sent."""
    outcome = await _on_page("sign in", "ada@mail.example", "ropewalk14")
    assert outcome.asked == ["Email", "Password"]
    entered = outcome.acts[-1].arguments
    assert entered["submit"] is True
    assert [entry["pp_id"] for entry in entered["form_data"]] == [21, 22]
    assert "ropewalk14" not in str(outcome.run.notes)


@pytest.mark.parametrize("late", [0, 2])
async def test_goes_where_the_tool_works(late: int) -> None:
    """A tool of other pages is called after one of them is opened, once a frame has registered it."""
    tool = Tool(
        name="listFerries", description="List the ferries.", behavior=Behavior(paths=["/ferries/*"])
    )
    target = Target("function", "listFerries")
    tools = [Binding(tool, target, "listFerries", problem="works on `/ferries/*`")]
    steps = []

    def act(call: ToolCall) -> Any:
        steps.append(call.name)
        if len(steps) > late:
            tools[0] = replace(tools[0], problem=None)
        return _act(call)

    outcome = await follow("list the ferries", tools, lambda *_: [], act=act, snapshot=_PAGE)
    assert dict(outcome.acts[0].arguments) == {"url": "/ferries"}
    assert steps == ["goto_url", *["wait"] * late]
    assert outcome.calls == [("listFerries", {})]


@pytest.mark.parametrize("order", ["tragen Sie mich bitte ein", "bitte eintragen"])
async def test_an_order_alone_is_for_the_wish_before_it(order: str) -> None:
    """It names nothing to enter or add, so it fills in no form, and no other tool is asked about."""
    day = {"type": "string", "format": "date"}
    schema = {"type": "object", "properties": {"day": day}, "required": ["day"]}
    about = "Arrange a day on which you come by."
    book = {"type": "object", "properties": {"book": {"type": "string"}}, "required": ["book"]}
    tools = bindings_from(
        [
            {"name": "arrangeVisit", "description": about, "inputSchema": schema},
            {
                "name": "addToBasket",
                "description": "Add a book to the basket.",
                "inputSchema": book,
            },
        ]
    )
    goal = f"ich möchte am Donnerstag vorbeikommen, {order}"
    outcome = await follow(goal, tools, lambda *_: {}, act=_act, snapshot=_PAGE)
    assert outcome.calls == [("arrangeVisit", {"day": "2026-11-26"})]
    assert outcome.questions == []


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
