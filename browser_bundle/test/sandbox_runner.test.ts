import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../src/base/results.ts";
import type { Encoded } from "../src/base/values.ts";
import { Execution } from "../src/sandbox/execution.ts";
import {
  MAX_ALL_KEPT_CHARS, MAX_CALLS, MAX_KEPT_CHARS, MAX_MESSAGE_CHARS, MAX_OPEN_CHARS,
} from "../src/sandbox/limits.ts";
import { serveProgram } from "../src/sandbox/sandbox_runner.ts";
import { supervise } from "../src/sandbox/supervision.ts";
import type { FromSupervisor, Outcome, ToWorker } from "../src/sandbox/worker_messages.ts";

/** A supervised worker that sends any messages that a test wants. */
class ForgedWorker {
  readonly heard: ToWorker[] = [];
  readonly called: [string, Encoded[]][] = [];
  readonly account: Execution;
  outcome: Outcome | undefined;
  ended = false;
  /** Messages that reached the page. */
  passed = 0;
  say: (data: unknown) => void = () => {};

  constructor({ wait_ms = 5000, answers = true } = {}) {
    const answer = { ok: true as const, value: 1, logs: [], calls: [], duration_ms: 0 };
    this.account = new Execution({
      tools: new Map([["add", "manifest"]]),
      call: async (name, args) => {
        this.called.push([name, JSON.parse(args) as Encoded[]]);
        const call = { id: 1, name, source: "manifest", arguments: JSON.parse(args) as Encoded[] };
        return answers ? { ...answer, calls: [call] } : new Promise(() => {});
      },
      describe: async () => answer,
    });
    let pass: (message: FromSupervisor) => void = () => {};
    const worker = {
      send: (message: ToWorker) => this.heard.push(message),
      end: () => (this.ended = true),
    };
    const program = supervise(worker, (message) => {
      this.passed += 1;
      pass(message);
    });
    const slot = { listen: (listener: typeof pass) => (pass = listener), send: program.fromPage };
    serveProgram(slot, this.account, (outcome) => {
      assert.equal(this.outcome, undefined, "it ended twice");
      this.outcome = outcome;
    });
    program.fromPage({ type: "run", code: "", names: [], wait_ms });
    this.heard.length = 0;
    this.say = program.fromWorker;
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
  ["arguments that are too heavy", { type: "call", id: 1, name: "add", args: ["x".repeat(MAX_MESSAGE_CHARS)] }],
  ["arguments with too many values", { type: "call", id: 1, name: "add", args: Array.from({ length: 1e6 }, () => 0) }],
  ["arguments without an end", { type: "call", id: 1, name: "add", args: [sparse()] }],
  ["arguments nested too deeply", { type: "call", id: 1, name: "add", args: nested(5000) }],
  ["arguments of bytes", { type: "call", id: 1, name: "add", args: [new Uint8Array(10)] }],
  ["arguments that JSON cannot hold", { type: "call", id: 1, name: "add", args: [1n] }],
  ["a value that is too heavy", { type: "end", outcome: { ok: true, value: "x".repeat(MAX_MESSAGE_CHARS) } }],
  ["a name that is too long", { type: "call", id: 1, name: "x".repeat(10_001), args: [] }],
  ["bytes", new Uint8Array(10)],
];

function sparse(): unknown[] {
  const list: unknown[] = [];
  list.length = 2 ** 32 - 1;
  return list;
}

function nested(levels: number): unknown[] {
  let list: unknown[] = [];
  for (let i = 0; i < levels; i++) list = [list];
  return list;
}

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
    assert.ok(worker.ended);
    assert.equal(worker.passed, 1);
  });
}

test("more arguments at the same time than our worker sends end the program", async () => {
  const worker = new ForgedWorker({ answers: false });
  const args = ["x".repeat(MAX_MESSAGE_CHARS - 100)];
  const most = MAX_OPEN_CHARS / MAX_MESSAGE_CHARS;
  for (let id = 0; id < most; id++) worker.say({ type: "call", id, name: "add", args });
  await settled();
  assert.equal(worker.kind, undefined);
  assert.equal(worker.called.length, most);
  worker.say({ type: "call", id: most, name: "add", args });
  await settled();
  assert.equal(worker.kind, "sandbox");
  assert.equal(worker.called.length, most);
});

test("a program whose time is up ends with its next message, though no timer fires", async () => {
  const worker = new ForgedWorker({ wait_ms: 1 });
  const now = performance.now();
  while (performance.now() < now + 5);
  worker.say({ type: "call", id: 1, name: "add", args: [] });
  assert.equal(worker.kind, "timeout");
  assert.ok(worker.ended);
  assert.deepEqual(worker.called, []);
});

test("the page ends a program whose time is up with its next call, though no timer fires", async () => {
  const worker = new ForgedWorker();
  let late = false;
  worker.account.expire(-1, () => (late = true));
  worker.say({ type: "call", id: 1, name: "add", args: [] });
  await settled();
  assert.ok(late);
  assert.deepEqual(worker.called, []);
});

test("`calls` keeps the beginning of long arguments and their length; the tool gets all of them", async () => {
  const worker = new ForgedWorker({ wait_ms: 20_000 });
  const text = "x".repeat(100_000);
  for (let id = 0; id < 200; id++) {
    worker.say({ type: "call", id, name: "add", args: [text, 1] });
    while (worker.heard.length <= id && !worker.ended) await settled();
  }
  const { calls } = worker.account.close({ ok: true, value: 1 });
  assert.ok(worker.called.every(([, [got, one]]) => got === text && one === 1));
  worker.say({ type: "end", outcome: { ok: true, value: 1 } });
  assert.equal(calls.length, 200);
  const [first, second] = (calls[0] as Call).arguments as [{ $type: string; value: string; length: number }, number];
  assert.deepEqual([first.$type, first.length, second], ["cut", 100_000, 1]);
  assert.ok(first.value.length > 0.4 * MAX_KEPT_CHARS && first.value.length <= MAX_KEPT_CHARS);
  assert.ok(JSON.stringify(calls).length < 1.1 * MAX_ALL_KEPT_CHARS);
});

test("a program makes a limited number of calls", async () => {
  const worker = new ForgedWorker();
  const made = [];
  for (let id = 0; id < MAX_CALLS + 1; id++) made.push(worker.account.call("add", "[]", []));
  const outcomes = await Promise.all(made);
  const last = outcomes.pop();
  assert.ok(outcomes.every(({ ok }) => ok));
  assert.ok(last?.ok === false && last.error.kind === "rate_limited");
  assert.equal(worker.called.length, MAX_CALLS);
});

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
