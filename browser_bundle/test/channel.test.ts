import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { unheard } from "../src/base/results.ts";
import { Channel, type ChannelOwner } from "../src/components/channel.ts";
import { WebMcpError } from "../src/components/tool_errors.ts";

type Answer = ChannelOwner["answer"];

/** The two ends of a channel; the second one answers. */
function pair(context: TestContext, answer: Answer): { near: Channel; far: Channel; port: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  const near = new Channel(port1, { answer, onMessage() {} });
  const far = new Channel(port2, { answer, onMessage() {} });
  context.after(() => {
    near.close();
    far.close();
  });
  return { near, far, port: port1 };
}

const target = { find: "tool" };
const never = () => unheard(new AbortController().signal);

async function kindOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "no error",
    (error: WebMcpError) => error.kind,
  );
}

test("each call over a channel gets its own answer, in any order", async (t) => {
  const waiting: (() => void)[] = [];
  const { near } = pair(t, async (_, parameters) => {
    const released = new Promise<void>((resolve) => waiting.push(resolve));
    // The last one frees them all, the youngest first.
    if (waiting.length === 3) for (const free of waiting.toReversed()) free();
    await released;
    return parameters;
  });
  const calls = [1, 2, 3].map((n) => near.call(target, { n }, never()));
  assert.deepEqual(await Promise.all(calls), [{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test("closing a channel ends the calls of both ends", async (t) => {
  let aborted = (_: string) => {};
  const reason = new Promise<string>((resolve) => (aborted = resolve));
  const { near, far } = pair(t, (_, __, { signal }) => {
    signal.addEventListener("abort", () => aborted((signal.reason as DOMException).name));
    near.close();
    far.close();
    return new Promise(() => {});
  });
  assert.equal(await kindOf(near.call(target, {}, never())), "page_gone");
  assert.equal(await reason, "AbortError");
  assert.equal(await kindOf(near.call(target, {}, never())), "page_gone");
});

test("an id that is in use does not start a second call", async (t) => {
  let runs = 0;
  let finish = (_: number) => {};
  const done = new Promise<number>((resolve) => (finish = resolve));
  const { near, port } = pair(t, (wanted) => {
    if ("find" in wanted && wanted.find === "last") finish(runs);
    else runs++;
    return done;
  });
  const call = { type: "call", id: 7, target, parameters: {} };
  port.postMessage(call);
  port.postMessage(call);
  void kindOf(near.call({ find: "last" }, {}, never()));
  assert.equal(await done, 1);
});

test("our own errors cross unchanged, all others as errors of the tool", async (t) => {
  const errors = [new WebMcpError("denied", "no", "deep"), new RangeError("far")];
  const { near } = pair(t, async () => {
    throw errors.shift();
  });
  const caught = async () => near.call(target, {}, never()).catch((error: WebMcpError) => error);
  const first = (await caught()) as WebMcpError;
  assert.deepEqual([first.kind, first.message, first.tool], ["denied", "no", "deep"]);
  const second = (await caught()) as WebMcpError;
  assert.deepEqual([second.kind, second.name, second.tool], ["threw", "RangeError", "tool"]);
});

test("progress and questions of a tool reach its caller, and the answers the tool", async (t) => {
  const { near } = pair(t, async (_, __, { progress, ask }) => {
    progress("halfway");
    return [await ask("Which?"), await ask("Sure?", { kind: "approval" }), await ask("And?")];
  });
  const heard: unknown[] = [];
  const answers = ["red", true];
  const ask = async (text: string, options: object = {}) => {
    heard.push([text, options]);
    if (text === "And?") throw new Error("the panel broke");
    return answers.shift() ?? null;
  };
  const context = { ...never(), progress: (message: string) => void heard.push(message), ask };
  assert.deepEqual(await near.call(target, {}, context), ["red", true, null]);
  assert.deepEqual(heard, [
    "halfway",
    ["Which?", { kind: "question" }],
    ["Sure?", { kind: "approval" }],
    ["And?", { kind: "question" }],
  ]);
});

test("a question ends with its call, and nobody answers one of another call", async (t) => {
  let asked: Promise<unknown> | undefined;
  const { near, port } = pair(t, async (_, __, { ask }) => (asked = ask("Which?")));
  const end = new AbortController();
  const calling = near.call(target, {}, { ...unheard(end.signal), ask: () => new Promise(() => {}) });
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const answer of [{ id: 9, question: 1 }, { id: 1, question: 9 }, { id: 1, question: 1, answer: {} }]) {
    port.postMessage({ type: "answer", answer: "forged", ...answer });
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  end.abort();
  assert.equal(await kindOf(calling), "cancelled");
  assert.equal(await asked, null);
});
