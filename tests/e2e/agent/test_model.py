"""The agent with a model behind real chat completions on 127.0.0.1."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.agent.hands import Hands, Near, agree
from tests.e2e.conftest import Watch
from tests.model_server import ModelServer, Turn, asks, cut, held, limited, refuses, results_of
from tests.server import Server

CHEAPEST = """
const { books }: { books: { id: string; price: number }[] } = await global.searchBooks("tolkien");
const [cheapest] = books.sort((a, b) => a.price - b.price);
console.log(`of ${books.length} books`);
await global.addToBasket(cheapest.id);
"""
PLAN = ("make_plan", {"plan": "I will look for the books and put the cheapest into the basket."})


def ends(text: str) -> Turn:
    """Say that the goal is reached."""
    return asks(("finish", {"text": text, "success": True}))


@pytest.fixture(name="model")
def _model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


async def opened(hands: Hands, server: Server) -> Hands:
    """Open the shop."""
    await hands.page.goto(f"{server.url}/index.html")
    return hands


async def basket(hands: Hands) -> list[str]:
    """Return the titles in the basket."""
    got = await hands.page.evaluate("globalThis.getBasket()")
    return [item["title"] for item in got["items"]]


async def test_code_mode(hands: Hands, template: Server, model: ModelServer) -> None:
    """A program that the model writes, in TypeScript, searches, picks and buys in one step."""
    model.add(asks(PLAN), asks(("execute_js", {"code": CHEAPEST})), ends("Farmer Giles it is."))
    await opened(hands, template)

    outcome = await hands.run(
        "put the cheapest Tolkien into my basket", model=model.url, person=agree
    )

    assert outcome.ok, outcome.result
    assert await basket(hands) == ["Farmer Giles of Ham"]
    (value,) = outcome.values("execute_js")
    assert value["logs"] == [{"level": "log", "text": "of 3 books"}]
    assert value["value"]["items"][0]["bookId"] == "farmer-giles-of-ham"
    assert "Farmer Giles" in outcome.result["text"]


@pytest.mark.conformance
async def test_a_write_in_a_program_asks(
    hands: Hands, template: Server, model: ModelServer
) -> None:
    """Reading asks nobody, the one call that writes asks with its tool and its arguments."""
    model.add(asks(PLAN), asks(("execute_js", {"code": CHEAPEST})), ends("Done."))
    await opened(hands, template)
    asked: list[dict[str, Any]] = []

    await hands.run("buy", model=model.url, person=lambda request: not asked.append(dict(request)))

    approvals = [request["details"] for request in asked if request["kind"] == "approval"]
    assert [(a["tool"], a["effect"]) for a in approvals] == [("addToBasket", "write")]
    assert approvals[0]["arguments"] == {"bookId": "farmer-giles-of-ham"}


@pytest.mark.conformance
async def test_a_program_asks_what_there_is(
    hands: Hands, template: Server, model: ModelServer
) -> None:
    """`listTools()` and `describeTool()` show a program the tools that no prompt has room for."""
    code = """
      const tools = await listTools();
      [tools.map(({ name }) => name).includes("addToBasket"), await describeTool("addToBasket")]
    """
    model.add(asks(PLAN), asks(("execute_js", {"code": code})), ends("Done."))
    await opened(hands, template)

    outcome = await hands.run("what is there?", model=model.url, person=agree)

    (ran,) = outcome.values("execute_js")
    listed, declared = ran["value"]
    assert listed is True
    assert "addToBasket(bookId: string, quantity?: number)" in declared


async def test_a_denied_write(hands: Hands, template: Server, model: ModelServer) -> None:
    """The model sees that the person said no, and why; the basket stays as it was."""
    call = ("call_tool", {"name": "addToBasket", "arguments": {"bookId": "the-hobbit"}})
    model.add(asks(PLAN), asks(call), ends("Then I leave it."))
    await opened(hands, template)

    def person(request: Any) -> Any:
        return request["kind"] == "plan" or {"yes": False, "text": "too many books already"}

    outcome = await hands.run("add The Hobbit", model=model.url, person=person)

    assert await basket(hands) == []
    (error,) = outcome.errors("call_tool")
    assert error["kind"] == "denied"
    assert "too many books already" in results_of(model.requests[-1].body)[-1]


@pytest.mark.conformance
async def test_a_tool_error_is_recovered_from(
    hands: Hands, template: Server, model: ModelServer
) -> None:
    """An error thrown by a tool is sent to the model, which tries something else."""
    wrong = ("call_tool", {"name": "getBookDetails", "arguments": {"bookId": "no-such-book"}})
    right = ("call_tool", {"name": "getBookDetails", "arguments": {"bookId": "the-hobbit"}})
    model.add(asks(PLAN), asks(wrong), asks(right), ends("It has 300 pages."))
    await opened(hands, template)

    outcome = await hands.run("how long is The Hobbit?", model=model.url, person=agree)

    assert outcome.ok
    assert [error["kind"] for error in outcome.errors("call_tool")] == ["threw"]
    assert outcome.values("call_tool")[0]["pages"] == 300
    assert "no-such-book" in " ".join(results_of(model.requests[-1].body))


@pytest.mark.conformance
async def test_429_with_retry_after(
    hands: Hands, template: Server, model: ModelServer, watch: Watch
) -> None:
    """A busy model is asked again after the time it names."""
    model.add(limited("1"), asks(PLAN), ends("Nothing to do."))
    await opened(hands, template)

    outcome = await hands.run("hello", model=model.url, person=agree)

    assert outcome.ok
    (retry,) = outcome.of("retrying")
    assert retry["wait_s"] >= 1
    assert len(model.requests) == 3
    # The browser logs the answer in its own console.
    watch.errors.clear()


async def test_a_cut_stream(
    hands: Hands, template: Server, model: ModelServer, watch: Watch
) -> None:
    """Half a reply counts for nothing; the model is asked again."""
    model.add(asks(PLAN), cut("I was about to"), ends("All is well."))
    await opened(hands, template)

    outcome = await hands.run("hello", model=model.url, person=agree)

    assert outcome.ok
    assert len(outcome.of("retrying")) == 1
    assert outcome.result["text"] == "All is well."
    watch.errors.clear()


async def test_an_abort(hands: Hands, template: Server, model: ModelServer) -> None:
    """Stopping ends the request that is under way, and the run."""
    model.add(asks(PLAN), held("Let me think"))
    await opened(hands, template)

    outcome = await hands.run(
        "think",
        model=model.url,
        person=agree,
        stop_at=lambda event: event["type"] == "text" and not event["final"],
    )

    model.wait_for_abort()
    assert not outcome.ok
    assert outcome.result["error"]["kind"] == "cancelled"


async def test_a_refused_key(
    hands: Hands, template: Server, model: ModelServer, watch: Watch
) -> None:
    """The model is not asked again: a run outside ends, one in the page goes on without the model."""
    model.add(refuses(401, "bad key"))
    await opened(hands, template)

    outcome = await hands.run("hello", model=model.url, person=agree)

    switched = [event["reason"] for event in outcome.of("switched")]
    assert outcome.ok == bool(switched) == isinstance(hands, Near)
    assert len(model.requests) == 1
    assert "bad key" in json.dumps([outcome.result.get("error"), switched])
    watch.errors.clear()


async def test_the_page_is_left_in_a_run(
    hands: Hands, template: Server, model: ModelServer
) -> None:
    """A run goes on after a link was followed, with what it knew before."""
    basket_link = ("click_link", {"text": "Basket"})
    add = ("call_tool", {"name": "addToBasket", "arguments": {"bookId": "the-hobbit"}})
    look = ("call_tool", {"name": "getBasket", "arguments": {}})
    model.add(asks(PLAN), asks(add), asks(basket_link), asks(look), ends("There it is."))
    await opened(hands, template)

    outcome = await hands.run("add The Hobbit and show me", model=model.url, person=agree)

    assert outcome.ok
    assert hands.page.url.endswith("/basket.html")
    answers = results_of(model.requests[-1].body)
    assert "the-hobbit" in answers[-1]
    # Each step was taken once.
    assert await basket(hands) == ["The Hobbit"]
    assert len(model.requests) == 5
