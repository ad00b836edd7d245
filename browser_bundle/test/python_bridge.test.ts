/** Programs that Python runs over the bridge, and calls that it makes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Result } from "../src/base/results.ts";
import type { PageTools } from "../src/tools/page_tools.ts";
import { createBridge, type RunCode } from "../src/tools/python_bridge.ts";

const nothing = { logs: [], calls: [], duration_ms: 0 };
/** Runs until it is ended. */
const patient: RunCode = (code, _options, _call, signal) =>
  new Promise<Result>((resolve) => {
    signal.addEventListener("abort", () => resolve({ ok: true, value: `${code} was ended`, ...nothing }));
  });
const bridge = createBridge({} as PageTools, () => Promise.reject(new Error()), patient, () => {}, async () => undefined);
const options = (number: number) =>
  JSON.stringify({ number, tools: {}, isolation: "sandbox", timeout_ms: 1000 });
const call = () => Promise.resolve("{}");

test("a program is ended by its number, and the others go on", async () => {
  const ended: string[] = [];
  const programs = [1, 2].map(async (number) => {
    ended.push(JSON.parse(await bridge.run_code(`program ${number}`, options(number), call)).value);
  });
  await bridge.end_code(2);
  await programs[1];
  assert.deepEqual(ended, ["program 2 was ended"]);
  await bridge.end_code(1);
  await programs[0];
  assert.deepEqual(ended, ["program 2 was ended", "program 1 was ended"]);
});

test("ending a finished program does nothing", async () => {
  const running = bridge.run_code("program", options(3), call);
  await bridge.end_code(3);
  await running;
  await bridge.end_code(3);
});

/** Replace what the thread gives for the time of a test. */
async function given(parts: object, run: () => Promise<void>): Promise<void> {
  const { navigation, MessageChannel } = globalThis as unknown as Record<string, unknown>;
  Object.assign(globalThis, parts);
  try {
    await run();
  } finally {
    Object.assign(globalThis, { navigation, MessageChannel });
  }
}

for (const forProgram of [true, false])
  test(`an answer reaches its caller though the page has no further task (program: ${forProgram})`, async () => {
    const leaving = new EventTarget();
    const tools = {
      call: async () => {
        leaving.dispatchEvent(Object.assign(new Event("navigate"), { destination: { sameDocument: false } }));
        // As in a document that is gone: messages arrive no more.
        Object.assign(globalThis, { MessageChannel: class { port1 = {}; port2 = { postMessage() {} }; } });
        return { address: "/results" };
      },
    } as unknown as PageTools;
    await given({ navigation: leaving }, async () => {
      const own = createBridge(tools, () => Promise.reject(new Error()), patient, () => {}, async () => undefined);
      const answer = await own.invoke("{}", "[]", 1, 1000, forProgram);
      assert.deepEqual(JSON.parse(answer), { ok: true, value: { address: "/results" } });
    });
  });

test("the steps of a program's call are tasks of their own, and a single call waits for one less", async () => {
  let tasks = 0;
  const { MessageChannel: Channel } = globalThis;
  const Counted = class extends Channel {
    constructor() {
      super();
      tasks++;
    }
  };
  const tools = { call: async () => 1 } as unknown as PageTools;
  await given({ MessageChannel: Counted }, async () => {
    const own = createBridge(tools, () => Promise.reject(new Error()), patient, () => {}, async () => undefined);
    await own.invoke("{}", "[]", 1, 1000, false);
    assert.equal(tasks, 1);
    await own.invoke("{}", "[]", 2, 1000, true);
    assert.equal(tasks, 3);
  });
});
