"""The model endpoint before real pages: those of the server may ask, others may not."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve, Watch
from tests.model_server import ModelServer, Turn, asks, held, refuses, says
from tests.provider_turns import answer

ASK = """
    async ([origin, token, wait]) => {
        const abort = new AbortController();
        const answer = await fetch(`${origin}/__webagent__/llm/v1/chat/completions`, {
            method: "POST",
            headers: {"content-type": "application/json", "x-webagent-token": token},
            body: JSON.stringify({messages: [{role: "user", content: "hello"}], stream: true}),
            signal: abort.signal,
        });
        if (wait) return await answer.text();
        const reader = answer.body.getReader();
        await reader.read();
        abort.abort();
        return "";
    }
"""
TOKEN = """
    new URL(document.querySelector("meta[name=webagent-live]").content, document.URL)
        .searchParams.get("token")
"""


def options(model: ModelServer) -> tuple[str, ...]:
    return ("--llm-base-url", model.url, "--llm-model", "scripted-1")


async def test_a_page_asks_the_model_and_may_stop_asking(
    page: Page, serve: Serve, shop: Path
) -> None:
    """It reads the reply as a stream; when it aborts, the model's server hears of it."""
    with ModelServer(says("Hello there"), held()) as model:
        server = serve(shop, *options(model))
        await page.goto(server.url)
        token = await page.evaluate(TOKEN)

        assert "Hello" in await page.evaluate(ASK, [server.url, token, True])
        await page.evaluate(ASK, [server.url, token, False])
        model.wait_for_abort()


async def test_a_page_of_another_port_cannot_ask(
    page: Page, serve: Serve, shop: Path, watch: Watch
) -> None:
    """Another server of the same machine is another origin, even with the token in hand."""
    with ModelServer(says("Hello there")) as model:
        server, other = serve(shop, *options(model)), serve(shop)
        await page.goto(server.url)
        token = await page.evaluate(TOKEN)
        await page.goto(other.url)

        blocked = await page.evaluate(
            "(given) => (" + ASK + ")(given).catch((error) => error.name)",
            [server.url, token, True],
        )

        assert blocked == "TypeError"
        assert model.requests == []
    watch.errors.clear()


CHANGE = """
    async () => {
        const changes = [];
        const kinds = (given) => given.then(() => "ok", (error) => `${error.kind} ${error.path ?? ""}`);
        const cyclic = [];
        cyclic.push(cyclic);
        const run = webagent.run("find harbour", {
            approve: true,
            onEvent({ type, action, state }) {
                if (type !== "step" || state !== "finished" || action !== "call_tool") return;
                if (changes.length < 4) changes.push(
                    kinds(run.addDefinitions([{ name: "scroll", description: "Look further down." }])));
            },
        });
        changes.push(
            kinds(run.setDefinitions([{ name: "call_tool" }, { name: "finish" }])),
            kinds(run.setDefinitions([{ name: "dance" }])),
            kinds(run.addDefinitions(cyclic)),
        );
        const { ok } = await run;
        changes.push(kinds(run.addDefinitions([])));
        const refused = webagent.run("");
        changes.push(kinds(refused.setDefinitions([])));
        await refused.catch(() => {});
        return [ok, ...await Promise.all(changes)];
    }
"""


async def test_a_page_changes_the_actions_of_its_run(page: Page, serve: Serve, shop: Path) -> None:
    """`setDefinitions` replaces and `addDefinitions` extends what the model is offered next."""
    search = asks(("call_tool", {"name": "searchBooks", "arguments": {"query": "harbour"}}))
    end = asks(("finish", {"text": "There are some.", "success": True}))
    with ModelServer(asks(("make_plan", {"plan": "I will search."})), search, end) as model:
        server = serve(shop, *options(model))
        await page.goto(server.url)
        changed = await page.evaluate(CHANGE)

    assert changed == [
        *(True, "ok", "unknown_tool ", "invalid_arguments definitions", "ok", "denied "),
        "denied ",
    ]
    _, first, last = (
        {tool["function"]["name"]: tool["function"] for tool in asked.body["tools"]}
        for asked in model.requests
    )
    own = [name for name in first if name != "finish"]
    assert "searchBooks" in own
    assert [*first] == ["finish", *own]
    assert [*last] == ["finish", "scroll", *own]
    assert last["scroll"]["description"] == "Look further down."
    assert last["scroll"]["parameters"]["required"] == ["direction"]


async def test_the_agent_of_a_page_works_with_the_model_of_the_server(
    page: Page, serve: Serve, shop: Path
) -> None:
    """`webagent.run()` finds it in the tag, and sends the token of the page along."""
    script = (
        asks(("make_plan", {"plan": "I will search."})),
        asks(("call_tool", {"name": "searchBooks", "arguments": {"query": "harbour"}})),
        asks(("finish", {"text": "There are some.", "success": True})),
    )
    with ModelServer(*script) as model:
        server = serve(shop, *options(model))
        await page.goto(server.url)
        result = await page.evaluate("webagent.run('find harbour', { approve: () => true })")

    assert result["ok"], result
    assert result["text"] == "There are some."
    assert [call["name"] for call in result["calls"]] == ["searchBooks"]
    assert all(asked.body["model"] == "scripted-1" for asked in model.requests)
    assert all("x-webagent-token" not in asked.headers for asked in model.requests)


SWITCHED = """
    async () => {
        const switched = [];
        const result = await webagent.run("find harbour", {
            approve: () => true,
            onEvent: (event) => event.type === "switched" && switched.push(event),
        });
        return [result, switched];
    }
"""


@pytest.mark.parametrize(
    ("failures", "reason"),
    [
        ([refuses(429, "no credit", code="insufficient_quota")], "no credit"),
        # These are tried five times, within 15 s.
        pytest.param([refuses(500, "broken")] * 5, "broken", marks=pytest.mark.conformance),
        pytest.param([], "cannot be reached", marks=pytest.mark.conformance),
    ],
    ids=["429", "500", "down"],
)
async def test_a_second_model_ends_the_run_of_a_page(
    page: Page, serve: Serve, shop: Path, watch: Watch, failures: list[Turn], reason: str
) -> None:
    """Both are reached through the server, each in its protocol; the event says why, once."""
    second = (
        answer("messages", "", "call_tool", {"name": "searchBooks", "arguments": {"query": "x"}}),
        answer("messages", "", "finish", {"text": "There are some.", "success": True}),
    )
    with ModelServer(asks(("make_plan", {"plan": "I will search."})), *failures) as one:
        if not failures:
            one.stop()
        with ModelServer(*second) as two:
            (shop / "webagent.toml").write_text(
                f'[llm]\nmodel = "scripted-1"\nbase_url = "{one.url}"\n'
                f'[llm.fallback]\nmodel = "anthropic:scripted-2"\nbase_url = "{two.url}"\n'
            )
            server = serve(shop)
            await page.goto(server.url)
            result, (switched,) = await page.evaluate(SWITCHED)

    assert result["ok"], result
    assert result["text"] == "There are some."
    assert [call["name"] for call in result["calls"]] == ["searchBooks"]
    assert switched["model"] == "scripted-2"
    assert reason in switched["reason"]
    assert len(one.requests) == (1 + len(failures) if failures else 0)
    assert {asked.body["model"] for asked in two.requests} == {"scripted-2"}
    assert all("x-webagent-token" not in asked.headers for asked in two.requests)
    # The browser logs the failures in its own console.
    watch.errors.clear()
