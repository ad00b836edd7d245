"""The panel when the model of the site fails: its words, and how the agent goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import Serve, Watch
from tests.e2e.siteserver.bookshop import Bookshop, Visitor, bookshop
from tests.model_server import ModelServer, Turn, asks, refuses
from webagent_site.broker.ledger import Budget, Limit

LIMIT = "The assistant has reached its limit for now."
SILENT = "The language model is not answering right now."
GO_ON = "I will go on without a language model"
CHANGED = "I had already changed something"
NO_MONEY = refuses(429, "no credit", code="insufficient_quota")


def over_budget(shop: Bookshop) -> None:
    """The visitor has no request left today, which is what the gateway was made with."""


def stop_models(shop: Bookshop) -> None:
    """Stop them, as the owner can, in a loop of its own: that of the test runs."""
    thread = Thread(target=lambda: asyncio.run(shop.gateway.stop()))
    thread.start()
    thread.join()


def end_provider(shop: Bookshop) -> None:
    """Let nobody answer at the provider's address."""
    shop.model.stop()


FAILURES: list[Any] = [
    pytest.param([], Limit(requests=0), over_budget, LIMIT, id="over budget"),
    pytest.param([], None, stop_models, SILENT, id="stopped"),
    pytest.param([refuses(401, "bad key")], None, over_budget, SILENT, id="key refused"),
    # These are tried five times, within 15 s.
    pytest.param([], None, end_provider, SILENT, id="down", marks=pytest.mark.conformance),
    pytest.param(
        [refuses(500, "broken")] * 5, None, over_budget, SILENT, id="500",
        marks=pytest.mark.conformance,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("script", "day", "fail", "words"), FAILURES)
async def test_a_goal_is_reached_without_the_model(
    visitor: Visitor,
    tmp_path: Path,
    script: list[Turn],
    day: Limit | None,
    fail: Callable[[Bookshop], None],
    words: str,
) -> None:
    """The visitor reads which of two it was, and gets the answer all the same."""
    limits = {} if day is None else {"visitor": Budget(day=day)}
    with bookshop(tmp_path, *script, **limits) as site:
        fail(site)
        await visitor.ask(site.origin, "find books about harbour")
        await visitor.reads(f"{words} {GO_ON}", "Harbour Lights")
        await expect(visitor.panel.locator(".outcome.bad")).to_have_count(0)
        await visitor.picture(f"goes-on-{words.split()[1]}")
        assert "secret" not in await visitor.panel.inner_text()


@pytest.mark.conformance
async def test_the_next_goal_does_not_wait_again(visitor: Visitor, tmp_path: Path) -> None:
    """The model was tried five times, within 15 s; for a minute it is left alone."""
    with bookshop(tmp_path, *[refuses(500, "broken")] * 5) as site:
        await visitor.ask(site.origin, "find books about harbour")
        outcomes = visitor.panel.locator(".outcome")
        await expect(outcomes).to_have_count(1, timeout=60_000)
        await visitor.tell("find books about lights")
        await expect(outcomes).to_have_count(2, timeout=10_000)
        await expect(outcomes.last).to_contain_text("Harbour Lights")
        await expect(visitor.panel.get_by_text(f"{SILENT} {GO_ON}")).to_have_count(2)
        assert len(site.model.requests) == 5


async def test_nothing_is_done_twice(visitor: Visitor, tmp_path: Path) -> None:
    """After a change the run ends; the visitor may try without the model, and is asked again."""
    added = asks(("addBook", {"title": "Harbour Lights"}))
    with bookshop(tmp_path, added, NO_MONEY) as site:
        await visitor.ask(site.origin, "add Harbour Lights to the basket, and find books about tea")
        await visitor.panel.get_by_role("button", name="Allow once").click()
        await visitor.reads(LIMIT, CHANGED, "Harbour Lights is in your basket.")
        await visitor.picture("changed")
        await expect(visitor.page.locator("#basket li")).to_have_count(1)
        await expect(visitor.panel.get_by_role("button", name="Try again")).to_have_count(0)

        await visitor.panel.get_by_role("button", name="Try without a language model").click()
        await expect(visitor.panel.locator(".request")).to_be_visible(timeout=60_000)
        await expect(visitor.page.locator("#basket li")).to_have_count(1)
        assert len(site.model.requests) == 2


async def test_the_words_are_in_the_language_of_the_page(visitor: Visitor, tmp_path: Path) -> None:
    """In Arabic, from right to left."""
    with bookshop(tmp_path, visitor=Budget(day=Limit(requests=0))) as site:
        await visitor.ask(f"{site.origin}/?lang=ar", "findBooks harbour")
        await visitor.reads("بلغ المساعد حدّه في الوقت الحالي.")
        await visitor.picture("arabic")


async def test_the_development_server_does_the_same(
    page: Page, serve: Serve, shop: Path, watch: Watch
) -> None:
    """Its gateway is the site's own."""
    with ModelServer(NO_MONEY) as model:
        server = serve(shop, "--llm-base-url", model.url, "--llm-model", "scripted-1")
        await page.goto(server.url)
        result, texts = await page.evaluate(
            """async () => {
              const texts = [];
              const onEvent = ({ type, text }) => type === "switched" && texts.push(text);
              return [await webagent.run("find books about harbour", { onEvent }), texts];
            }"""
        )

    assert result["ok"], result
    assert [call["name"] for call in result["calls"]] == ["searchBooks"]
    assert [text.startswith(LIMIT) for text in texts] == [True]
    watch.errors.clear()
