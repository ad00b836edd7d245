"""A goal with a password in it, in a real page: the site gets the password, and nothing keeps it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from playwright.async_api import Page

from tests.e2e.agent.hands import Hands
from tests.model_server import ModelServer, asks
from tests.server import Server

PASSWORD = "ropewalk14"
EXAMPLE = f'global.login("ada@catchword.example", "{PASSWORD}")'
"""How the manifest shows a call."""
GOAL = f"log in as ada@catchword.example with password {PASSWORD}"
PLAN = ("make_plan", {"plan": "I will log in\n- `login`"})
LOGIN = (
    "call_tool",
    {"name": "login", "arguments": {"email": "ada@catchword.example", "password": "•••"}},
)
DONE = ("finish", {"text": f"logged in with {PASSWORD}", "success": True})
WRITES = """
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (key, text) {
      const before = window.name || "[]";
      window.name = JSON.stringify([...JSON.parse(before), `${key}=${text}`]);
      return setItem.call(this, key, text);
    };
"""
"""Notes in `window.name`, which outlives the page, everything that a page writes to its storage."""


@pytest.fixture(name="model")
def _model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


async def stored(page: Page) -> str:
    """Return all that the page has ever written to its storage, and all that is there now."""
    now = "JSON.stringify([window.name, { ...sessionStorage }, { ...localStorage }])"
    return str(await page.evaluate(now))


def person(asked: list[Mapping[str, Any]]) -> Any:
    """Return a person who says yes, and knows the password."""

    def answer(request: Mapping[str, Any]) -> Any:
        asked.append(request)
        return PASSWORD if request["kind"] == "question" else True

    return answer


async def open_page(hands: Hands, template: Server, path: str = "/index.html") -> None:
    await hands.page.add_init_script(WRITES)
    await hands.page.goto(template.url + path)
    await hands.page.evaluate(
        "document.querySelectorAll('#demo-password').forEach((e) => e.remove())"
    )


async def is_logged_in(hands: Hands) -> bool:
    return bool(await hands.page.evaluate("getUserProfile().then(() => true, () => false)"))


@pytest.mark.parametrize("modelled", [True, False])
async def test_a_password_of_the_goal_is_nowhere(
    hands: Hands, template: Server, model: ModelServer, modelled: bool
) -> None:
    """No message to the model, event, result, request to the person or storage has it."""
    model.add(asks(PLAN), asks(LOGIN), asks(DONE))
    await open_page(hands, template)
    asked: list[Mapping[str, Any]] = []

    outcome = await hands.run(GOAL, model=model.url if modelled else None, person=person(asked))

    assert outcome.ok, outcome.result
    assert await is_logged_in(hands)
    assert [request["kind"] for request in asked] == ["approval"]
    assert asked[0]["details"]["arguments"]["password"] == "•••"
    everything = {
        "model": model.requests,
        "events": outcome.events,
        "result": outcome.result,
        "asked": asked,
        "storage": await stored(hands.page),
        "server": template.output,
    }
    assert not [where for where, data in everything.items() if PASSWORD in as_text(data)]
    assert "•••" in as_text(model.requests if modelled else outcome.events)


async def test_another_page_asks_for_the_password_again(
    hands: Hands, template: Server, model: ModelServer, place: str
) -> None:
    """A vault in the page goes with the page; one outside of it does not."""
    go = asks(("goto_url", {"url": "/delivery.html"}))
    model.add(asks(PLAN), go, asks(LOGIN), asks(DONE))
    await open_page(hands, template)
    asked: list[Mapping[str, Any]] = []

    outcome = await hands.run(GOAL, model=model.url, person=person(asked))

    assert outcome.ok, outcome.result
    assert await is_logged_in(hands)
    questions = [request for request in asked if request["kind"] == "question"]
    assert len(questions) == (1 if place == "in the page" else 0)
    assert all(request["details"]["secret"] is True for request in questions)
    assert PASSWORD not in await stored(hands.page)
    # The site's own notes and example have the password of its demonstration account.
    said = [m for event in outcome.of("sent") for m in event["messages"] if m["role"] != "system"]
    text = as_text([said, [e for e in outcome.events if e["type"] != "sent"]])
    assert PASSWORD not in text.replace(json.dumps(EXAMPLE)[1:-1], "")


def as_text(data: Any) -> str:
    """Return data as one text."""
    return data if isinstance(data, str) else json.dumps(data, default=str, ensure_ascii=False)
