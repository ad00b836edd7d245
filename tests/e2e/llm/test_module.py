"""A module of the site's own as a model, in a real page that loads it."""

from __future__ import annotations

import asyncio

import pytest

from tests.e2e.conftest import Watch
from tests.e2e.llm.conftest import Bridge
from webagent.llm import (
    Message,
    ModelFailed,
    ModelUnavailable,
    ModuleModel,
    Reply,
    Role,
    ToolCall,
    ToolDefinition,
    UnreadableAnswer,
    Usage,
)

ASKED = [Message(Role.SYSTEM, "be short"), Message(Role.USER, "find harbour")]
SEARCH = ToolDefinition("search", "finds", {"type": "object", "properties": {}})


async def reply_of(bridge: Bridge, answer: str, heard: list[str] | None = None) -> Reply:
    """Return the reply of a module that answers with this function."""
    await bridge.page.evaluate(f"() => {{ globalThis.answer = {answer} }}")
    model = ModuleModel(bridge, "/own.js")
    return await model.reply(ASKED, [SEARCH], on_text=None if heard is None else heard.append)


async def test_a_module_replies_with_words_and_calls(bridge: Bridge) -> None:
    """It gets the conversation and the tools; its words are heard as it says them."""
    heard: list[str] = []
    answer = """async ({ tools, onText }) => {
      for (const word of ["I ", "search"]) {
        onText(word);
        await new Promise((done) => setTimeout(done, 20));
      }
      return { calls: [{ name: tools[0].name, arguments: { query: "harbour" } }],
        usage: { prompt: 12, completion: 3 } };
    }"""
    reply = await reply_of(bridge, answer, heard)
    seen = await bridge.page.evaluate("seen")

    assert heard == ["I ", "search"]
    assert reply.text == "I search"
    assert reply.calls == (ToolCall(reply.calls[0].id, "search", {"query": "harbour"}),)
    assert reply.usage == Usage(12, 3)
    assert seen["messages"] == [
        {"role": "system", "text": "be short"},
        {"role": "user", "text": "find harbour"},
    ]
    assert [tool["name"] for tool in seen["tools"]] == ["search"]


async def test_a_reply_that_is_not_needed_is_aborted(bridge: Bridge) -> None:
    """The module's signal says so, and nothing that comes later is heard."""
    heard: list[str] = []
    answer = """({ signal, onText }) => new Promise(() => {
      signal.addEventListener("abort", () => onText("too late"));
      onText("begun");
    })"""
    await bridge.page.evaluate(f"() => {{ globalThis.answer = {answer} }}")
    begun = asyncio.Event()

    def hear(words: str) -> None:
        heard.append(words)
        begun.set()

    running = asyncio.ensure_future(ModuleModel(bridge, "/own.js").reply(ASKED, [], on_text=hear))
    await asyncio.wait_for(begun.wait(), 10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await bridge.settle()

    assert heard == ["begun"]
    assert await bridge.page.evaluate("seen.aborted")


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ("() => { throw new RangeError('out of memory') }", ModelFailed, "out of memory"),
        ("() => Promise.reject(5)", ModelFailed, "5"),
        ("() => ({ text: 'x'.repeat(2 << 20) })", ModelFailed, "longer than"),
        ("({ onText }) => { onText('x'.repeat(2 << 20)); return {} }", ModelFailed, "longer than"),
        ("() => { const a = {}; a.a = a; return a }", ModelFailed, "circular"),
        ("() => ({ text: 5n })", ModelFailed, "BigInt"),
        ("() => undefined", UnreadableAnswer, "not return an object"),
        ("() => 'hello'", UnreadableAnswer, "not return an object"),
        ("() => ({ text: '', calls: {} })", UnreadableAnswer, "neither words nor calls"),
        (
            "({ onText }) => { onText(5); onText(); onText({}); return {} }",
            UnreadableAnswer,
            "neither",
        ),
        (
            "() => { let a = []; for (let i = 0; i < 3000; i++) a = [a]; return { calls: a } }",
            UnreadableAnswer,
            "nested too deeply",
        ),
    ],
)
async def test_a_reply_that_is_no_good_is_an_error(
    bridge: Bridge, answer: str, error: type[Exception], words: str
) -> None:
    """The run reports why it cannot go on, and the page does not break."""
    with pytest.raises(error, match=words):
        await reply_of(bridge, answer)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("/empty.js", "does not export a function `reply`"),
        ("/broken.js", "broken.js"),
        ("/throws.js", "no WebGPU here"),
        ("/missing.js", "missing.js"),
        ("https://models.example/own.js", "not of this page's origin"),
        ("data:text/javascript,export function reply() {}", "not of this page's origin"),
        ("//models.example/own.js", "not of this page's origin"),
        ("http://[", "Invalid URL|URL"),
    ],
)
async def test_a_module_that_cannot_be_used_is_reported(
    bridge: Bridge, watch: Watch, url: str, words: str
) -> None:
    """It has to be of the site itself, and to export the function."""
    with pytest.raises((ModelUnavailable, ModelFailed), match=words):
        await ModuleModel(bridge, url).reply(ASKED, [])
    # The browser reports a module that is missing on its console, too.
    watch.errors.clear()
