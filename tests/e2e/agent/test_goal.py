"""The agent without a model, on the shop: what a person says, in words, is done."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.async_api import Page

from tests.e2e.agent.hands import Hands, agree
from tests.server import Server

GOAL = "find books by Tolkien and add the cheapest one to my basket"


async def titles(hands: Hands) -> list[str]:
    """Return the titles in the basket."""
    got = await hands.page.evaluate("globalThis.getBasket()")
    return [item["title"] for item in got["items"]]


async def test_the_cheapest_book_by_tolkien(hands: Hands, template: Server) -> None:
    """Search, choice, purchase and a look at the basket, which is another page."""
    await hands.page.goto(f"{template.url}/article.html")
    asked: list[Mapping[str, Any]] = []

    outcome = await hands.run(GOAL, person=lambda request: not asked.append(request))

    assert outcome.ok, outcome.result
    assert await titles(hands) == ["Farmer Giles of Ham"]
    assert hands.page.url.endswith("/basket.html")
    assert "Farmer Giles of Ham" in outcome.result["text"]
    assert [(request["kind"], request["details"].get("tool")) for request in asked] == [
        ("approval", "addToBasket"),
    ]
    assert asked[0]["details"]["origins"] == {
        "bookId": {"from": "result", "of": "searchBooks", "title": "Search the catalogue"}
    }


@pytest.mark.conformance
async def test_no_is_an_answer(hands: Hands, template: Server) -> None:
    """After a refused purchase the basket is empty, and the agent says so."""
    await hands.page.goto(f"{template.url}/index.html")

    outcome = await hands.run(GOAL, person=lambda request: request["kind"] == "plan")

    assert not outcome.ok
    assert outcome.result["error"]["kind"] == "denied"
    assert await titles(hands) == []


@pytest.mark.conformance
async def test_reading_asks_nobody(hands: Hands, template: Server) -> None:
    """A question about the shop is answered by a tool that only reads."""
    await hands.page.goto(f"{template.url}/index.html")

    outcome = await hands.run("how much is delivery to Ireland for 750 grams?")

    assert outcome.ok, outcome.result
    assert "6.2" in outcome.result["text"]


async def test_the_agent_asks_for_missing_values(hands: Hands, template: Server) -> None:
    """Nothing is made up: the person says which country."""
    await hands.page.goto(f"{template.url}/index.html")
    asked: list[Mapping[str, Any]] = []

    def person(request: Mapping[str, Any]) -> Any:
        asked.append(request)
        return "Spain" if request["kind"] == "question" else True

    outcome = await hands.run("what does delivery of 400 grams cost?", person=person)

    assert [request["kind"] for request in asked] == ["question"]
    assert "country" in asked[0]["text"]
    assert outcome.ok
    assert "6.1" in outcome.result["text"]


async def test_a_goal_that_the_site_cannot_reach_is_refused(hands: Hands, template: Server) -> None:
    """A wish that no tool and no control fits is refused, and nothing is touched."""
    await hands.page.goto(f"{template.url}/index.html")

    outcome = await hands.run("book me a flight to Oslo on Friday", person=agree)

    assert not outcome.ok
    assert outcome.of("step", action="call_tool") == []


@pytest.mark.conformance
async def test_a_run_with_approval_asks_nobody(page: Page, template: Server) -> None:
    """`approve: true` accepts the plan and whatever writes."""
    await page.goto(f"{template.url}/index.html")

    result = await page.evaluate(
        "webagent.run('add The Hobbit to my basket', { approve: true, budget: { steps: 2 } })"
    )

    assert [call["name"] for call in result["calls"]] == ["searchBooks", "addToBasket"]


@pytest.mark.conformance
async def test_a_run_gives_data_by_a_schema(page: Page, template: Server) -> None:
    """Without a model the results have to fit; what is not a schema is refused at once."""
    await page.goto(f"{template.url}/index.html")
    script = """async (schema) => {
        try {
            return await webagent.run('search for books about "harbour"', { approve: true, schema });
        } catch (error) {
            return { error: { kind: error.kind, path: error.path } };
        }
    }"""

    found = await page.evaluate(script, {"type": "object", "required": ["books"]})
    misfit = await page.evaluate(script, {"type": "string"})
    refused = await page.evaluate(script, {"type": "objct"})

    assert found["ok"], found
    assert "Harbour" in found["value"]["books"][0]["title"]
    assert misfit["error"]["kind"] == "invalid_result"
    assert refused["error"] == {"kind": "invalid_arguments", "path": "schema"}


async def test_filling_in_does_not_send(hands: Hands, template: Server) -> None:
    """The form is found on its own page and filled in; it is the person who sends it."""
    await hands.page.goto(f"{template.url}/index.html")
    asked: list[Mapping[str, Any]] = []
    said = ["Ada Quillfeather ada@catchword.example", "find", '"I look for hedges."']

    def person(request: Mapping[str, Any]) -> Any:
        asked.append(request)
        return said.pop(0) if request["kind"] == "question" else True

    running = asyncio.create_task(
        hands.run("go to the contact page and fill in the form", person=person)
    )
    filled = "document.querySelector('#contact-form #message')?.value.includes('hedges')"
    await hands.page.wait_for_function(filled)

    assert not running.done()
    assert await hands.page.is_hidden("#confirmation")
    assert [request["details"].get("tool") for request in asked] == [None] * 3
    await hands.page.click("#contact-form button.button")
    outcome = await running
    assert outcome.ok, outcome.result
    assert {event["tool"] for event in outcome.of("step", action="call_tool")} == {"contactForm"}
