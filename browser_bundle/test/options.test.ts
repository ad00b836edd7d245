/** Options of the script tag: the model, and where Python runs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readOptions, type Options } from "../src/page/options.ts";
import { modelsOf, withToken } from "../src/run/runs.ts";

const PAGE = "http://127.0.0.1:8000/shop/";
const LIVE = "/__webagent__/live?token=T-0";

/** A document with one script tag and perhaps the development server's meta tag. */
function page(dataset: Record<string, string>, live: string | null): Document {
  const src = `${new URL(PAGE).origin}/__webagent__/webagent.js`;
  const script = { src, dataset };
  return {
    URL: PAGE,
    querySelectorAll: () => [script],
    querySelector: (selector: string) => (selector.includes("live") && live ? { content: live } : null),
  } as unknown as Document;
}

function optionsOf(dataset: Record<string, string>, live: string | null = LIVE): Options {
  const document = page(dataset, live);
  const before = Object.getOwnPropertyDescriptor(globalThis, "window");
  Object.defineProperty(globalThis, "window", { value: { top: null }, configurable: true });
  try {
    return readOptions(document, `${new URL(PAGE).origin}/__webagent__/webagent.js`);
  } finally {
    if (before) Object.defineProperty(globalThis, "window", before);
    else delete (globalThis as { window?: unknown }).window;
  }
}

function modelOf(llm: string | undefined, live: string | null = LIVE): unknown {
  const options = optionsOf(llm === undefined ? {} : { llm }, live);
  return withToken(modelsOf(...options.llm), options.live);
}

test("requests to the development server's model carry the token of the page", () => {
  assert.deepEqual(modelOf("/__webagent__/llm/v1#org%2Fmodel"), {
    provider: "openai-chat",
    url: "http://127.0.0.1:8000/__webagent__/llm/v1",
    name: "org/model",
    headers: { "x-webagent-token": "T-0" },
  });
});

test("requests to other models do not carry the token", () => {
  for (const llm of [
    "https://models.example/__webagent__/llm/v1#m",
    "//127.0.0.1:8001/__webagent__/llm/v1#m",
    "/llm/v1#m",
    "/__webagent__/../llm/v1#m",
    "a2a+/__webagent__/llm/v1#m",
    "module+/__webagent__/llm/v1#m",
    "anthropic+https://models.example/v1#m",
    "builtin",
  ]) {
    assert.equal((modelOf(llm) as { headers?: unknown }).headers, undefined, llm);
  }
});

test("a provider, its model, the window and the prices are read from one attribute", () => {
  const settings = "&context_tokens=64000&prompt=0.20&completion=0.80&cached=0.05";
  assert.deepEqual(modelOf(`ollama+/llm#llama3.2%3A3b${settings}`), {
    provider: "ollama",
    url: "http://127.0.0.1:8000/llm",
    name: "llama3.2:3b",
    settings: settings.slice(1),
  });
  assert.deepEqual(modelOf("module+../own.js#&prompt=1"), {
    provider: "module",
    url: "http://127.0.0.1:8000/own.js",
    settings: "prompt=1",
  });
  assert.deepEqual(modelOf("https://models.example/a+b#m"), {
    provider: "openai-chat",
    url: "https://models.example/a+b",
    name: "m",
  });
});

test("a fallback belongs to the model of the tag", () => {
  const fallback = "anthropic+/__webagent__/llm/fallback/v1#b&context_tokens=5000";
  const models = (dataset: Record<string, string>) => withToken(modelsOf(...optionsOf(dataset).llm), new URL(LIVE, PAGE).href);
  const headers = { "x-webagent-token": "T-0" };
  const second = {
    provider: "anthropic",
    url: "http://127.0.0.1:8000/__webagent__/llm/fallback/v1",
    name: "b",
    settings: "context_tokens=5000",
  };
  assert.deepEqual(models({ llm: "builtin", llmFallback: fallback }), {
    provider: "builtin",
    fallback: { ...second, headers },
  });
  assert.deepEqual(models({ llm: "/__webagent__/llm/v1#a", llmFallback: "https://models.example/v1#b" }), {
    provider: "openai-chat",
    url: "http://127.0.0.1:8000/__webagent__/llm/v1",
    name: "a",
    headers,
    fallback: { provider: "openai-chat", url: "https://models.example/v1", name: "b" },
  });
  const warned: string[] = [];
  const { warn } = console;
  console.warn = (text: string) => warned.push(text);
  try {
    assert.equal(models({ llmFallback: fallback }), null);
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(warned, ["webagent: data-llm-fallback needs data-llm"]);
});

test("a page without the development server has no token, and one without `data-llm` no model", () => {
  assert.equal((modelOf("/__webagent__/llm/v1#m", null) as { headers?: unknown }).headers, undefined);
  assert.equal(modelOf(undefined), null);
});

test("Python runs on the page's thread unless the tag names another known place", () => {
  const warned: string[] = [];
  const { warn } = console;
  console.warn = (text: string) => warned.push(text);
  try {
    const places = [{}, { runtime: "worker" }, { runtime: "shared" }, { runtime: "thread" }].map(
      (dataset) => optionsOf(dataset as Record<string, string>).runtime,
    );
    assert.deepEqual(places, ["page", "worker", "shared", "page"]);
  } finally {
    console.warn = warn;
  }
  assert.deepEqual(warned, ['webagent: data-runtime="thread" is not known; write page or worker or shared']);
});
