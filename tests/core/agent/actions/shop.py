"""A shop's page with forms, links and buttons, for the actions of a page."""

from __future__ import annotations

from typing import Any

from tests.core.agent.stage import ORIGIN, Stage, answers, finish

from webagent.agent import Done, Request
from webagent.llm.chat import ToolCall
from webagent.page.snapshot import Element

MESSAGE = {
    "pp_id": 1,
    "name": "message",
    "action": f"{ORIGIN}/messages",
    "method": "post",
    "fields": [
        {"pp_id": 2, "name": "email", "label": "Email *", "type": "email"},
        {"pp_id": 3, "name": "pass", "label": "Password", "type": "password"},
    ],
    "buttons": [{"pp_id": 4, "text": "Go", "type": "submit"}],
}


SEARCH = {
    "action": f"{ORIGIN}/search",
    "method": "get",
    "pp_id": 18,
    "fields": [{"pp_id": 5, "name": "q", "type": "search", "site_search": True}],
    "buttons": [{"pp_id": 6, "text": "Search", "type": "submit"}],
}


TERMS = {
    "pp_id": 22,
    "name": "terms",
    "action": f"{ORIGIN}/terms",
    "method": "post",
    "fields": [{"pp_id": 21, "name": "terms", "label": "I accept the terms", "type": "checkbox"}],
    "buttons": [{"pp_id": 23, "text": "Accept", "type": "submit"}],
}


ELEMENTS = (
    Element(4, "button", "Go"),
    Element(6, "button", "Search"),
    Element(7, "button", "Show details"),
    Element(8, "button", "Buy now"),
    Element(9, "link", "Contact", href="/contact"),
    Element(10, "link", "Our partner", href="https://partner.example/x"),
    Element(11, "link", "Log out", href="/logout"),
    Element(12, "link", "Mail us", href="mailto:shop@shop.example"),
    Element(13, "checkbox", "I accept the terms"),
    Element(14, "link", "Pay with your card now", href="/"),
    Element(15, "link", "Show more", href="javascript:void(0)"),
    Element(16, "link", "Order history", href="/#orders"),
    Element(17, "button", "Opening hours", states=("collapsed",), traits=("controls",)),
    Element(21, "checkbox", "I accept the terms"),
)


def reply(action: Any) -> dict[str, Any]:
    return {"did": action["type"], "navigates": False, "url": f"{ORIGIN}/", "changed": {}}


async def take(stage: Stage, taken: ToolCall, *given: Any) -> tuple[Done, list[Request]]:
    """Return what came of one action, and what was asked for it."""
    person = answers(*given)
    result = await stage.driver(taken, finish(success=False), person=person).run("go")
    return result.run.done()[0], person.asked


def message(done: Done) -> str:
    assert done.error is not None
    return done.error["message"]
