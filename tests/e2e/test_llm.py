"""The model endpoint before real pages: those of the server may ask, others may not."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page

from tests.e2e.conftest import Serve, Watch
from tests.model_server import ModelServer, asks, held, says

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
