"""The same run in Python and in a page, for each provider, against a server that speaks its protocol."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve
from tests.model_server import Json, ModelServer, Turn
from tests.provider_turns import COMPLETION, MODEL, PROMPT, PROTOCOLS, answer
from webagent.agent import Driver, Nobody
from webagent.llm import HttpxFetch, connect_model
from webagent.llm.providers import PROVIDERS, ApiProtocol
from webagent_dev.browser.open_site import fresh_page

GOAL = "find books about the harbour"
KEY = "sk-test/0123456789"
BY_PROTOCOL = {
    provider.protocol: provider.name
    for provider in (
        PROVIDERS[n] for n in ("openai", "openai-chat", "anthropic", "gemini", "ollama")
    )
}


def shopper(protocol: ApiProtocol, text: str = "There are some.") -> list[Any]:
    """Return a model that plans if it may, searches, and finishes."""
    spoken = PROTOCOLS[protocol]

    def next_turn(body: Json) -> Turn:
        offered = spoken.tools(body)
        if "make_plan" in offered and len(offered) == 1:
            return answer(protocol, "", "make_plan", {"plan": "I will search."})
        if spoken.results(body):
            return answer(protocol, "", "finish", {"text": text, "success": True})
        if "searchBooks" in offered:
            return answer(protocol, "I search.", "searchBooks", {"query": "harbour"})
        call = {"name": "searchBooks", "arguments": {"query": "harbour"}}
        return answer(protocol, "I search.", "call_tool", call)

    return [next_turn]


async def in_page(page: Page, url: str) -> tuple[dict[str, Any], str]:
    """Return the result and the transcript of a run of the agent in a page."""
    await page.goto(url)
    result = await page.evaluate("(goal) => webagent.run(goal, { approve: () => true })", GOAL)
    return result, await page.evaluate("webagent.transcript('markdown')")


async def in_python(url: str, model: str, base_url: str) -> tuple[dict[str, Any], str]:
    """Return the result and the transcript of a run in Python."""
    async with HttpxFetch() as fetch, fresh_page(url, "") as (port, registry):
        connected = connect_model(model, fetch, base_url=base_url, api_key=KEY)
        driver = Driver(port, registry, model=connected, person=Nobody())
        result = (await driver.run(GOAL)).to_dict()
        return result, driver.transcript().to_markdown()


def timeless(transcript: str) -> str:
    """Return a transcript without the moment and the seconds of its run."""
    return re.sub(r", \d{4}-\d\d-\d\d \d\d:\d\d\.|, [\d.e-]+ s,", "", transcript)


@pytest.mark.conformance
@pytest.mark.parametrize(("protocol", "provider"), BY_PROTOCOL.items(), ids=BY_PROTOCOL.values())
async def test_a_run_in_python_and_one_in_the_page_are_the_same(
    page: Page,
    serve: Serve,
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    protocol: ApiProtocol,
    provider: str,
) -> None:
    """The page has no key and goes through the server; the transcripts are equal."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    model = f"{provider}:{MODEL}"
    with ModelServer(*shopper(protocol), cycle=True) as upstream:
        options = ("--llm-model", model, "--llm-base-url", upstream.url)
        server = serve(shop, *options, "--llm-api-key-env", "MODEL_KEY")
        result, transcript = await in_page(page, server.url)
        asked = len(upstream.requests)
        other, other_transcript = await in_python(server.url, model, upstream.url)

    assert result["ok"], result
    assert result["text"] == "There are some."
    assert [call["name"] for call in result["calls"]] == ["searchBooks"]
    assert timeless(transcript) == timeless(other_transcript)
    assert "I search." in transcript
    for key in ("ok", "text", "calls"):
        assert result[key] == other[key]
    spent = {"prompt": PROMPT * asked, "completion": COMPLETION * asked}
    assert {key: result["spent"][key] for key in spent} == spent
    assert {key: other["spent"][key] for key in spent} == spent

    through, directly = upstream.requests[:asked], upstream.requests[asked:]
    assert [one.path for one in through] == [one.path for one in directly]
    header, value = next(iter(PROVIDERS[provider].key_header(KEY).items()))
    for one in upstream.requests:
        assert one.headers[header] == value
        assert "x-webagent-token" not in one.headers
        assert "cookie" not in one.headers
        assert KEY not in json.dumps(one.body)
    for one, same in zip(through, directly, strict=True):
        assert one.body.keys() == same.body.keys()
        assert PROTOCOLS[protocol].tools(one.body) == PROTOCOLS[protocol].tools(same.body)


OWN_MODEL = """
const usage = { prompt: 1000, completion: 500 };
export async function reply({ messages, tools, onText }) {
  const offered = tools.map((tool) => tool.name);
  if (offered.length === 1 && offered[0] === "make_plan") {
    return { calls: [{ name: "make_plan", arguments: { plan: "I will search." } }], usage };
  }
  if (messages.some((message) => message.role === "tool")) {
    return {
      calls: [{ name: "finish", arguments: { text: "There are some.", success: true } }],
      usage,
    };
  }
  onText("I ");
  onText("search.");
  const search = { query: "harbour" };
  return { calls: [offered.includes("searchBooks")
    ? { name: "searchBooks", arguments: search }
    : { name: "call_tool", arguments: { name: "searchBooks", arguments: search } }], usage };
}
"""


async def test_a_module_of_the_site_decides_in_the_page(
    page: Page, serve: Serve, shop: Path
) -> None:
    """The page loads it from the site itself; the prices of the configuration count."""
    (shop / "own.js").write_text(OWN_MODEL, encoding="utf-8")
    (shop / "webagent.toml").write_text(
        '[llm]\nmodel = "module:/own.js"\nprices = { prompt = 1, completion = 2 }\n'
    )
    server = serve(shop)
    result, transcript = await in_page(page, server.url)

    assert result["ok"], result
    assert result["text"] == "There are some."
    assert [call["name"] for call in result["calls"]] == ["searchBooks"]
    assert "I search." in transcript
    spent = result["spent"]
    assert spent["prompt"] >= 2_000
    assert spent["completion"] * 2 == spent["prompt"]
    assert float(spent["usd"]) == pytest.approx((spent["prompt"] + 2 * spent["completion"]) / 1e6)
