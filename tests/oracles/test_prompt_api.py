"""Requests to the browser's own model, judged by the published IDL of the Prompt API."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.oracles.conversations import CONVERSATIONS
from webagent.llm import BuiltinModel, ModelFailed

BUNDLE = Path(__file__).parents[2] / "browser_bundle"

ROLE = ("system", "user", "assistant")
TYPE = ("text", "image", "audio")

IDL: dict[str, dict[str, tuple[bool, Any]]] = {
    "LanguageModelCreateCoreOptions": {
        "topK": (False, "number"),
        "temperature": (False, "number"),
        "expectedInputs": (False, ["LanguageModelExpected"]),
        "expectedOutputs": (False, ["LanguageModelExpected"]),
        "tools": (False, ["LanguageModelTool"]),
    },
    "LanguageModelCreateOptions": {
        "signal": (False, "AbortSignal"),
        "monitor": (False, "function"),
        "initialPrompts": (False, ["LanguageModelMessage"]),
    },
    "LanguageModelPromptOptions": {
        "responseConstraint": (False, "object"),
        "omitResponseConstraintInput": (False, "boolean"),
        "signal": (False, "AbortSignal"),
    },
    "LanguageModelExpected": {"type": (True, TYPE), "languages": (False, ["DOMString"])},
    "LanguageModelMessage": {
        "role": (True, ROLE),
        "content": (True, ["LanguageModelMessageContent"]),
        "prefix": (False, "boolean"),
    },
    "LanguageModelMessageContent": {"type": (True, TYPE), "value": (True, "value")},
}
"""Dictionaries of https://webmachinelearning.github.io/prompt-api/ in 2026-11: each member, whether it
is required, and its type; a tuple is an enum, a list a sequence."""
IDL["LanguageModelCreateOptions"] |= IDL["LanguageModelCreateCoreOptions"]

RECORDER = """
import { createModelBridge } from "./src/llm/page_models.ts";
const seen = [];
const plain = (value) => {
  if (value instanceof Blob) return { $: "Blob", type: value.type, size: value.size };
  if (value instanceof AbortSignal) return { $: "AbortSignal" };
  if (typeof value === "function") return { $: "function" };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
};
const record = (name, value) => seen.push([name, plain(value)]);
const spoken = (input, options) => {
  record("LanguageModelPrompt", input);
  record("LanguageModelPromptOptions", options);
};
const session = {
  contextWindow: 1e9,
  contextUsage: 0,
  destroy() {},
  async measureContextUsage(input, options) { spoken(input, options); return 1; },
  promptStreaming(input, options) { spoken(input, options); return new ReadableStream({ start(to) { to.enqueue("ok"); to.close(); } }); },
};
globalThis.LanguageModel = {
  async availability(options) { record("LanguageModelCreateCoreOptions", options); return "available"; },
  async create(options) { record("LanguageModelCreateOptions", options); return session; },
};
const bridge = createModelBridge();
for (const [number, request] of JSON.parse(process.env.REQUESTS).entries()) {
  bridge.model_start(number, JSON.stringify(request));
  for (;;) {
    const part = JSON.parse(await bridge.model_read(number));
    if (part.type === "error") throw new Error(JSON.stringify(part));
    if (part.type === "done") break;
  }
  bridge.model_close(number);
}
console.log(JSON.stringify(seen));
"""


class Bridge:
    """Keeps the request of a reply, and fails then."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    async def model_availability(self, request: str) -> str:
        return '"available"'

    def model_start(self, number: int, request: str) -> None:
        self.requests.append(json.loads(request))

    async def model_read(self, number: int) -> str:
        return json.dumps({"type": "error", "name": "OperationError", "message": "kept"})

    def model_close(self, number: int) -> None:
        pass


def faults(kind: Any, value: Any, where: str) -> list[str]:
    """Return where a value is not what the IDL says."""
    if isinstance(kind, list):
        if not isinstance(value, list):
            return [f"{where} is not a sequence"]
        found = [faults(kind[0], inner, f"{where}[{n}]") for n, inner in enumerate(value)]
        return [fault for inner in found for fault in inner]
    if isinstance(kind, tuple):
        return [] if value in kind else [f"{where} is not of the enum: {value}"]
    if kind in IDL:
        members = IDL[kind]
        found = [[f"{where}.{key} is unknown"] for key in value.keys() - members.keys()]
        for key, (required, inner) in members.items():
            if key in value:
                found.append(faults(inner, value[key], f"{where}.{key}"))
            elif required:
                found.append([f"{where}.{key} is missing"])
        return [fault for inner in found for fault in inner]
    of_class = isinstance(value, dict) and value.get("$")
    fits = {
        "DOMString": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "number": isinstance(value, int | float),
        "object": isinstance(value, dict) and not of_class,
        "value": isinstance(value, str) or of_class == "Blob",
    }.get(kind, of_class == kind)
    return [] if fits else [f"{where} is not of the type {kind}: {value}"]


def recorded(requests: list[Any], script: Path) -> list[tuple[str, Any]]:
    """Return what the page's script gives the browser for requests, each with its name in the IDL."""
    node = shutil.which("node")
    assert node is not None
    bundler = str(BUNDLE / "node_modules/.bin/esbuild")
    options = ["--bundle", "--platform=node", "--format=esm", "--log-level=warning"]
    command = [bundler, *options, f"--outfile={script}"]
    subprocess.run(command, input=RECORDER, text=True, cwd=BUNDLE, check=True, timeout=60)
    ran = subprocess.run(
        [node, str(script)],
        env={"REQUESTS": json.dumps(requests)},
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    seen: list[tuple[str, Any]] = json.loads(ran.stdout)
    return seen


@pytest.mark.process
async def test_requests_fit_the_idl(tmp_path: Path) -> None:
    """Each object that the page's script gives the browser has the members and types of the IDL."""
    bridge = Bridge()
    for conversation in CONVERSATIONS.values():
        with pytest.raises(ModelFailed):
            await BuiltinModel(bridge).reply(
                conversation.messages, conversation.tools, tool_choice=conversation.tool_choice
            )
    seen = await asyncio.to_thread(recorded, bridge.requests, tmp_path / "recorder.mjs")

    names = {name for name, _ in seen}
    assert names == {
        "LanguageModelCreateCoreOptions",
        "LanguageModelCreateOptions",
        "LanguageModelPrompt",
        "LanguageModelPromptOptions",
    }
    for name, value in seen:
        kind = ["LanguageModelMessage"] if name == "LanguageModelPrompt" else name
        assert faults(kind, value, name) == []
    # The API throws for a message of the system that is not the first of the initial prompts.
    for name, value in seen:
        prompts = (
            value if name == "LanguageModelPrompt" else value.get("initialPrompts", [None])[1:]
        )
        assert all(prompt["role"] != "system" for prompt in prompts)
    assert any("Blob" in json.dumps(value) for _, value in seen)


def test_the_table_refuses() -> None:
    """Unknown, missing and wrong members are faults."""
    wrong = {"role": "tool", "content": [{"type": "text"}], "name": "x"}

    assert sorted(faults("LanguageModelMessage", wrong, "m")) == [
        "m.content[0].value is missing",
        "m.name is unknown",
        "m.role is not of the enum: tool",
    ]
