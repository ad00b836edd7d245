"""The browser's own model in a real page.

The Chromium of the tests has none; a stand-in with the interface of the Prompt API (draft of 2026)
is put in its place. The answers of the real one are not tested here.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.llm.conftest import Bridge
from webagent.llm import (
    BuiltinModel,
    ContextTooLong,
    DownloadNeeded,
    Message,
    ModelFailed,
    ModelUnavailable,
    Role,
    ToolDefinition,
    Usage,
)

ASKED = [Message(Role.SYSTEM, "be short"), Message(Role.USER, "hello")]
SEARCH = ToolDefinition("search", "finds", {"type": "object", "properties": {}})

STAND_IN = """(options) => {
  const seen = (globalThis.seen = { created: [], prompted: [], destroyed: 0, aborted: 0 });
  const check = (prompts) => prompts.forEach((message, at) => {
    if (message.role === "system" && at > 0) throw new TypeError("the system speaks first");
    for (const { type, value } of message.content) {
      if (type === "text" ? typeof value !== "string" : !(value instanceof Blob))
        throw new TypeError("no such content");
    }
  });
  globalThis.LanguageModel = class LanguageModel extends EventTarget {
    static async availability({ expectedInputs, expectedOutputs }) {
      const known = ({ languages = [] }) => languages.every((tag) => tag === "en");
      if (![...expectedInputs, ...expectedOutputs].every(known)) return "unavailable";
      return options.availability ?? "available";
    }
    static async create({ initialPrompts = [], signal, monitor, ...core }) {
      signal.throwIfAborted();
      if (options.needsGesture)
        throw new DOMException("Requires a user gesture", "NotAllowedError");
      check(initialPrompts);
      if (monitor && options.availability === "downloadable") {
        const heard = new EventTarget();
        monitor(heard);
        for (const loaded of [0, 0.5, 1])
          heard.dispatchEvent(new ProgressEvent("downloadprogress", { loaded, total: 1 }));
      }
      const text = (prompts) => prompts.map(({ role, content }) =>
        [role, content.map(({ type, value }) => type === "text" ? value : value.type).join("|")]);
      seen.created.push({ initial: text(initialPrompts), core });
      const session = new LanguageModel();
      session.text = text;
      session.contextUsage = 10 * initialPrompts.length;
      session.contextWindow = options.window ?? 9216;
      return session;
    }
    async measureContextUsage(input) { return 10 * input.length; }
    promptStreaming(input, { signal, responseConstraint, omitResponseConstraintInput }) {
      check(input);
      seen.prompted.push({ input: this.text(input), responseConstraint, omitResponseConstraintInput });
      const pieces = [...(options.pieces ?? [])];
      signal.addEventListener("abort", () => seen.aborted++);
      return new ReadableStream({
        pull: async (controller) => {
          if (pieces.length) return controller.enqueue(pieces.shift());
          if (options.failure) throw new DOMException("it broke", options.failure);
          if (options.endless)
            await new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason)));
          this.contextUsage += 10 * input.length + 7;
          controller.close();
        },
      }, { highWaterMark: 0 });
    }
    destroy() { seen.destroyed++; }
  };
  if (options.earlier) {
    const { prototype } = LanguageModel;
    prototype.measureInputUsage = prototype.measureContextUsage;
    delete prototype.measureContextUsage;
    const create = LanguageModel.create;
    LanguageModel.create = async (given) => {
      const session = await create.call(LanguageModel, given);
      Object.assign(session, { inputUsage: session.contextUsage, inputQuota: session.contextWindow });
      delete session.contextUsage;
      delete session.contextWindow;
      return session;
    };
  }
}"""


async def model_of(bridge: Bridge, **options: Any) -> BuiltinModel:
    await bridge.page.evaluate(STAND_IN, options)
    return BuiltinModel(bridge)


async def test_a_browser_without_a_model_says_so(bridge: Bridge) -> None:
    """Where there is no such interface, that is what is said, and what to do."""
    await bridge.page.evaluate("delete globalThis.LanguageModel")
    model = BuiltinModel(bridge)

    assert await model.availability() == "absent"
    with pytest.raises(ModelUnavailable, match=r"no model of its own .* use another model"):
        await model.reply(ASKED, [])


async def test_words(bridge: Bridge) -> None:
    """Words come in pieces; usage and the window are the browser's; the session is given back."""
    model = await model_of(bridge, pieces=["Hel", "lo 🌍"])
    heard: list[str] = []

    reply = await model.reply(ASKED, [], on_text=heard.append)
    await bridge.settle()

    assert (reply.text, heard) == ("Hello 🌍", ["Hel", "lo 🌍"])
    assert (reply.usage, model.context_tokens) == (Usage(20, 7), 9_216)
    seen = await bridge.page.evaluate("seen")
    assert seen["created"][0]["initial"] == [["system", "be short"]]
    assert seen["created"][0]["core"] == {
        "expectedInputs": [{"type": "text", "languages": ["en"]}],
        "expectedOutputs": [{"type": "text", "languages": ["en"]}],
    }
    assert seen["prompted"][0]["input"] == [["user", "hello"]]
    assert seen["destroyed"] > 0


async def test_calls(bridge: Bridge) -> None:
    """The browser is given the schema of the reply, and images as images."""
    model = await model_of(bridge, pieces=['{"text": "I look", "calls": [{"name": "sea',
                                           'rch", "arguments": {}}]}'])  # fmt: skip

    reply = await model.reply([*ASKED, Message(Role.USER, "see", images=(b"PNG",))], [SEARCH])

    assert (reply.text, reply.calls[0].name) == ("I look", "search")
    prompted = (await bridge.page.evaluate("seen"))["prompted"][0]
    assert prompted["input"][1] == ["user", "see|image/png"]
    assert prompted["responseConstraint"]["required"] == ["text", "calls"]
    assert prompted["omitResponseConstraintInput"] is True


async def test_the_names_of_earlier_browsers(bridge: Bridge) -> None:
    """`inputQuota` and `measureInputUsage` are read where the newer names are missing."""
    model = await model_of(bridge, pieces=["ok"], earlier=True, window=6_000)

    reply = await model.reply(ASKED, [])

    assert reply.usage is not None
    assert (reply.usage.prompt, model.context_tokens) == (20, 6_000)


async def test_a_model_that_must_be_downloaded(bridge: Bridge) -> None:
    """A reply downloads nothing and says what to do; `prepare` does, and reports its progress."""
    model = await model_of(bridge, availability="downloadable", pieces=["ok"])
    heard: list[float] = []

    with pytest.raises(DownloadNeeded, match=r"press a button that calls `prepare\(\)`"):
        await model.reply(ASKED, [])
    await model.prepare(heard.append)

    assert heard == [0, 0.5, 1]
    assert (await bridge.page.evaluate("seen.created.length")) == 1


async def test_a_download_without_a_gesture(bridge: Bridge) -> None:
    """A browser that wants to see the person press something is understood."""
    model = await model_of(bridge, availability="downloadable", needsGesture=True)

    with pytest.raises(DownloadNeeded, match="when the person presses a button"):
        await model.prepare()


async def test_other_languages(bridge: Bridge) -> None:
    """A browser whose model does not speak a language has none for it."""
    await model_of(bridge)

    with pytest.raises(ModelUnavailable, match="unavailable"):
        await BuiltinModel(bridge, languages=["eo"]).reply(ASKED, [])


async def test_a_conversation_that_is_too_long(bridge: Bridge) -> None:
    """A prompt that does not fit is an error, before the browser would forget its beginning."""
    model = await model_of(bridge, window=15)

    with pytest.raises(ContextTooLong, match="20 tokens, of 15 that fit"):
        await model.reply(ASKED, [])


async def test_a_model_that_fails(bridge: Bridge) -> None:
    """An error that the browser throws in the middle is reported, with its words."""
    model = await model_of(bridge, pieces=["I was"], failure="UnknownError")

    with pytest.raises(ModelFailed, match="it broke"):
        await model.reply(ASKED, [])


async def test_an_abort(bridge: Bridge) -> None:
    """Cancelling in Python aborts the prompt and gives the session back."""
    model = await model_of(bridge, pieces=["one"], endless=True)
    heard = asyncio.Event()
    task = asyncio.create_task(model.reply(ASKED, [], on_text=lambda _: heard.set()))
    await heard.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await bridge.settle()
    seen = await bridge.page.evaluate("seen")
    assert seen["aborted"] == 1
    assert seen["destroyed"] > 0
