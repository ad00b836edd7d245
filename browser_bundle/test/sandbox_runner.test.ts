import assert from "node:assert/strict";
import { test } from "node:test";
import type { Encoded } from "../src/base/values.ts";
import { Execution } from "../src/sandbox/execution.ts";
import { serveProgram } from "../src/sandbox/sandbox_runner.ts";
import type { Outcome, ToWorker } from "../src/sandbox/worker_messages.ts";

/** A worker that sends any messages that a test wants. */
class ForgedWorker {
  readonly heard: ToWorker[] = [];
  readonly called: [string, Encoded[]][] = [];
  readonly account: Execution;
  outcome: Outcome | undefined;
  say: (data: unknown) => void = () => {};

  constructor() {
    const answer = { ok: true as const, value: 1, logs: [], calls: [], duration_ms: 0 };
    this.account = new Execution({
      tools: new Map([["add", "manifest"]]),
      call: async (name, args) => {
        this.called.push([name, args]);
        return answer;
      },
      describe: async () => answer,
    });
    const seat = {
      listen: (listener: (data: unknown) => void) => (this.say = listener),
      send: (message: ToWorker) => this.heard.push(message),
    };
    serveProgram(seat, this.account, (outcome) => {
      assert.equal(this.outcome, undefined, "it ended twice");
      this.outcome = outcome;
    });
  }

  get kind(): string | undefined {
    return this.outcome?.ok === false ? this.outcome.error.kind : undefined;
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 1));

test("a call of an undeclared tool is not passed on", async () => {
  const worker = new ForgedWorker();
  for (const name of ["drop", "__proto__", "constructor", "toString"]) {
    worker.say({ type: "call", id: 1, name, args: [] });
  }
  await settled();
  assert.deepEqual(worker.called, []);
  assert.equal(worker.heard.length, 4);
  for (const message of worker.heard) {
    assert.ok(message.type === "answer" && !message.outcome.ok);
    assert.equal(message.outcome.error.kind, "unknown_tool");
  }
});

const FORGED: [fact: string, message: unknown][] = [
  ["nothing", undefined],
  ["a text", "end"],
  ["a list", ["end"]],
  ["a message of another type", { type: "open", id: 1 }],
  ["a type that is inherited", Object.create({ type: "ready" })],
  ["a call without a number", { type: "call", name: "add", args: [] }],
  ["a call whose number is an object", { type: "call", id: {}, name: "add", args: [] }],
  ["a call whose name is no text", { type: "call", id: 1, name: ["add"], args: [] }],
  ["arguments that are no list", { type: "call", id: 1, name: "add", args: { length: 1 } }],
  ["arguments that contain themselves", { type: "call", id: 1, name: "add", args: circular() }],
  ["a line of another level", { type: "log", log: { level: "fatal", text: "x" } }],
  ["a line without a text", { type: "log", log: { level: "log", text: {} } }],
  ["an end without an outcome", { type: "end" }],
  ["an error of an unknown kind", { type: "end", outcome: { ok: false, error: { kind: "fun", message: "" } } }],
  ["a value that contains itself", { type: "end", outcome: { ok: true, value: circular() } }],
];

function circular(): unknown[] {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

for (const [fact, message] of FORGED) {
  test(`${fact} ends the program`, async () => {
    const worker = new ForgedWorker();
    worker.say(message);
    await settled();
    assert.equal(worker.kind, "sandbox");
    assert.deepEqual(worker.called, []);
  });
}

test("messages of a program after its end are ignored", async () => {
  const worker = new ForgedWorker();
  worker.say({ type: "end", outcome: { ok: true, value: 1 } });
  worker.say({ type: "end", outcome: { ok: true, value: 2 } });
  worker.say({ type: "call", id: 1, name: "add", args: [] });
  await settled();
  assert.deepEqual(worker.outcome, { ok: true, value: 1 });
  assert.deepEqual(worker.called, []);
});

test("later messages do not change a closed result", async () => {
  const worker = new ForgedWorker();
  const result = worker.account.close({ ok: true, value: 1 });
  worker.say({ type: "log", log: { level: "log", text: "late" } });
  worker.say({ type: "call", id: 1, name: "add", args: [] });
  await settled();
  assert.deepEqual([result.logs, result.calls, worker.called], [[], [], []]);
});

test("prototype keys in arguments are data, and change no object", async () => {
  const worker = new ForgedWorker();
  const args = JSON.parse('[{"__proto__": {"polluted": 1}, "constructor": {"prototype": {}}}]');
  worker.say({ type: "call", id: 1, name: "add", args });
  await settled();
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  assert.equal(JSON.stringify(worker.called[0]?.[1]), JSON.stringify(args));
});

test("a flood of messages ends the program", async () => {
  const worker = new ForgedWorker();
  for (let i = 0; i < 20_000; i++) worker.say({ type: "log", log: { level: "log", text: "x" } });
  assert.equal(worker.kind, "rate_limited");
});

test("more parallel calls than our worker makes end the program", async () => {
  const worker = new ForgedWorker();
  for (let id = 0; id < 100; id++) worker.say({ type: "call", id, name: "add", args: [] });
  await settled();
  assert.equal(worker.kind, "sandbox");
});

test("unknown fields of an error are dropped", async () => {
  const worker = new ForgedWorker();
  const error = { kind: "threw", message: "x", stack: "secret", help: 1, tool: "add" };
  worker.say({ type: "end", outcome: { ok: false, error } });
  assert.deepEqual(worker.outcome, { ok: false, error: { kind: "threw", message: "x", tool: "add" } });
});
