"""A run stays in hand: its programs end with it, and a yes holds where it was meant to."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from tests.e2e.agent.hands import Hands
from tests.e2e.agent.test_actions import END, PLAN, person
from tests.model_server import ModelServer, asks
from tests.server import Server

pytestmark = pytest.mark.conformance

LOOP = """for (;;) {
  await global.listCategories();
  await new Promise((ok) => setTimeout(ok, 50));
}"""
AFTER = "new Promise((ok) => setTimeout(() => ok(count), 300))"
COUNTED = """() => {
  window.count = 0;
  window.listCategories = async () => {
    count += 1;
    return [];
  };
}"""
ADD = "add the book with the id the-hobbit to my basket"
ASKED = """async (goal) => {
  const asked = [];
  const approve = async ({ kind, details }) => {
    if (kind === "approval") asked.push(details.tool);
    return { yes: true, session: true };
  };
  const model = { kind: "openai", url: window.modelUrl, name: "scripted-1" };
  const { ok } = await webagent.run(goal, { approve, model });
  return [ok, asked];
}"""


async def test_a_run_that_is_stopped_takes_its_program_with_it(
    hands: Hands, template: Server
) -> None:
    """A program that would call for ever calls no tool any more."""
    await hands.page.goto(template.url)
    await hands.page.evaluate(COUNTED)
    with ModelServer(asks(PLAN), asks(("execute_js", {"code": LOOP}))) as model:
        calls = 0

        def after_some(event: object) -> bool:
            nonlocal calls
            calls += isinstance(event, dict) and "parent" in event
            return calls > 4

        outcome = await hands.run("go", model=model.url, person=person, stop_at=after_some)

    assert outcome.result["error"]["kind"] == "cancelled"
    made = await hands.page.evaluate("count")
    assert made > 0
    assert await hands.page.evaluate(AFTER) == made


async def test_a_yes_for_the_session_holds_on_later_pages(page: Page, template: Server) -> None:
    """In the same tab nobody is asked again for the same tool; a new tab asks."""
    plan = ("make_plan", {"plan": "I will add the book.\n- Call `addToBasket`."})
    add = ("call_tool", {"name": "addToBasket", "arguments": {"bookId": "the-hobbit"}})
    url = "(url) => { window.modelUrl = url }"
    told = []
    with ModelServer(*[asks(step) for step in (plan, add, END) * 3]) as model:
        for place in ("", "/basket.html"):
            await page.goto(f"{template.url}{place}")
            await page.evaluate(url, model.url)
            told.append(await page.evaluate(ASKED, ADD))
        other = await page.context.new_page()
        await other.goto(template.url)
        await other.evaluate(url, model.url)
        told.append(await other.evaluate(ASKED, ADD))

    assert told == [[True, ["addToBasket"]], [True, []], [True, ["addToBasket"]]]
