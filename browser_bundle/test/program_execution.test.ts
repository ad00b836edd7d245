import assert from "node:assert/strict";
import { test } from "node:test";
import { WebagentError } from "../src/base/errors.ts";
import type { Result } from "../src/base/results.ts";
import { encode } from "../src/base/values.ts";
import { run as runProgram, type RunOptions } from "../src/sandbox/execution.ts";
import { startOnPage } from "../src/sandbox/page_runner.ts";
import { transform } from "../src/sandbox/transform/index.ts";

// Output of programs would mix with the lines of Node's own test protocol.
for (const level of ["log", "debug", "info", "warn", "error"] as const) console[level] = () => {};

const TOOLS: Record<string, (...args: unknown[]) => unknown> = {
  add: (a, b) => (a as number) + (b as number),
  fail: () => {
    throw new WebagentError({ kind: "threw", message: "no", tool: "fail" });
  },
  never: () => new Promise(() => {}),
};

async function callTool(name: string, args: string): Promise<Result> {
  const base = { logs: [], calls: [{ id: 1, name, source: "manifest", arguments: [] }], duration_ms: 0 };
  try {
    return { ok: true, value: encode(await TOOLS[name]?.(...(JSON.parse(args) as unknown[]))), ...base };
  } catch (thrown) {
    return { ok: false, error: (thrown as WebagentError).toJSON(), ...base };
  }
}

const TOOL_SOURCES = new Map(Object.keys(TOOLS).map((name) => [name, "manifest"]));

const run = (code: string, options: Partial<RunOptions> = {}): Promise<Result> =>
  runProgram(
    code,
    {
      tools: TOOL_SOURCES,
      call: callTool,
      describe: async (name) => ({
        ok: true,
        value: name === null ? [...TOOL_SOURCES.keys()] : `${name}(): any`,
        logs: [],
        calls: [],
        duration_ms: 0,
      }),
      ...options,
    },
    async (text, account, end) => {
      startOnPage(text, account, transform, end);
      return () => {};
    },
  );

function errorOf(result: Result) {
  assert.ok(!result.ok);
  return result.error;
}

test("a program's value, prints and calls are in its result", async () => {
  const result = await run(`
    const three = await global.add(1, 2);
    console.log("sum", { three });
    return global.add(three, 4); // a comment in the last line`);
  assert.ok(result.ok);
  assert.equal(result.value, 7);
  assert.deepEqual(result.logs, [{ level: "log", text: 'sum {"three":3}' }]);
  assert.deepEqual(result.calls.map((call) => call.name), ["add", "add"]);
});

test("a program without a value returns undefined", async () => {
  const result = await run("const two = await global.add(1, 1)");
  assert.deepEqual(result.ok && result.value, { $type: "undefined" });
});

test("each kind of failure has its own kind of error", async () => {
  assert.equal(errorOf(await run("return ((")).kind, "syntax_error");
  assert.equal(errorOf(await run("throw new RangeError('far')")).message, "RangeError: far (line 1, column 7)");
  assert.equal(errorOf(await run("await global.nothing()")).kind, "unknown_tool");
  assert.equal(errorOf(await run("await global.add(new WeakMap())")).kind, "not_cloneable");
  assert.deepEqual(errorOf(await run("await global.fail()")), {
    kind: "threw",
    message: "no",
    tool: "fail",
  });
});

test("a program may catch what a tool threw", async () => {
  const result = await run("try { await global.fail() } catch (e) { return e.kind }");
  assert.equal(result.ok && result.value, "threw");
});

test("a program that does not end is abandoned, and can call nothing afterwards", async () => {
  let late: Promise<unknown> = Promise.resolve();
  (globalThis as Record<string, unknown>)["keep"] = (promise: Promise<unknown>) => {
    late = promise;
    promise.catch(() => {});
  };
  let release = () => {};
  (globalThis as Record<string, unknown>)["gate"] = new Promise<void>((resolve) => {
    release = resolve;
  });
  const result = await run(
    "keep((async () => { await gate; return global.add(1, 1) })()); await global.never()",
    { timeout_ms: 20 },
  );
  assert.equal(errorOf(result).kind, "timeout");
  release();
  await assert.rejects(late, (error: WebagentError) => error.kind === "cancelled");
});

test("a signal cancels a program, even if it aborts before the start", async () => {
  const controller = new AbortController();
  const running = run("await global.never()", { signal: controller.signal });
  controller.abort();
  assert.equal(errorOf(await running).kind, "cancelled");
  assert.equal(errorOf(await run("return 1", { signal: controller.signal })).kind, "cancelled");
});

test("global holds only the tools and cannot be written to", async () => {
  const result = await run("return [Object.keys(global), 'add' in global, 'fetch' in global]");
  assert.deepEqual(result.ok && result.value, [["add", "fail", "never"], true, false]);
  assert.equal(errorOf(await run("global.add = () => 1")).kind, "threw");
});

test("an unanswered call is in the result, which no longer changes", async () => {
  const result = await run("console.log(1); await global.never(); console.log(2)", {
    timeout_ms: 20,
  });
  assert.equal(errorOf(result).kind, "timeout");
  assert.deepEqual(result.calls, [{ name: "never", source: "manifest", arguments: [] }]);
  assert.equal(result.logs.length, 1);
});

test("`Infinity` means no limit, and an invalid limit the default", async () => {
  for (const timeout_ms of [Infinity, 2 ** 40, NaN, -1]) {
    const result = await run("await new Promise((r) => setTimeout(r, 5)); return 1", { timeout_ms });
    assert.equal(result.ok && result.value, 1);
  }
});

test("the console of a program also reaches the page's, and no printed value can break it", async () => {
  const result = await run(`
    console.assert(true);
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    console.log(undefined, NaN, 10n, Object.create(null), global);
    try { console.log(revoked.proxy) } catch { /* Node's own console cannot show it */ }
    return String(Object.keys(global));`);
  assert.ok(result.ok, JSON.stringify(result));
  assert.match(result.logs[0]?.text ?? "", /^undefined NaN 10 \{\} /);
});

test("any thrown value gives a result", async () => {
  const result = await run("const p = Proxy.revocable({}, {}); p.revoke(); throw p.proxy");
  assert.equal(errorOf(result).kind, "threw");
  assert.equal(errorOf(await run("throw new Error()")).message, "Error (line 1, column 7)");
  assert.equal(errorOf(await run("throw null")).message, "null");
});

test("a value that cannot be copied is described, and is not an error", async () => {
  const result = await run(`
    const hostile = new Proxy({}, { ownKeys() { throw new Error("no keys") } });
    await global.add(1, 2);
    [new WeakMap(), Promise.resolve(1), hostile]`);
  assert.ok(result.ok);
  assert.deepEqual(result.value, [
    { $type: "opaque", value: "WeakMap" },
    { $type: "opaque", value: "Promise" },
    { $type: "opaque", value: "reading it threw no keys" },
  ]);
});

test("a program can list and describe tools", async () => {
  const result = await run("[await listTools(), await describeTool('add')]");
  assert.deepEqual(result.ok && result.value, [["add", "fail", "never"], "add(): any"]);
});

test("calls above the limit wait, and far too many are refused", async () => {
  let open = 0;
  let most = 0;
  const call = async (name: string, args: string): Promise<Result> => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const result = await callTool(name, args);
    open -= 1;
    return result;
  };
  const many = (count: number) =>
    run(`const calls = Array.from({ length: ${count} }, (_, i) => global.add(i, 1));
         return (await Promise.all(calls)).length`, { call });
  const waited = await many(500);
  assert.equal(waited.ok && waited.value, 500);
  assert.equal(most, 64);
  assert.equal(errorOf(await many(2000)).kind, "rate_limited");
});

test("log lines beyond the limit are dropped, and the last line says so", async () => {
  const result = await run("for (let i = 0; i < 3000; i++) console.log(i)");
  assert.equal(result.logs.length, 1000);
  assert.deepEqual(result.logs.at(-1)?.level, "warn");
});

test("the console prints groups, counts, tables and failed assertions", async () => {
  const result = await run(`
    console.group("outer"); console.info("in"); console.groupEnd();
    console.count(); console.count();
    console.table([{ a: 1 }]); console.assert(false, "sad");`);
  assert.deepEqual(
    result.logs.map(({ level, text }) => `${level} ${text}`),
    ["log outer", "info   in", "log default: 1", "log default: 2", 'log [{"a":1}]', "error assertion failed sad"],
  );
});

test("a tool named `then` is a tool, and `global` can still be awaited", async () => {
  const tools = new Map([...TOOL_SOURCES, ["then", "manifest"]]);
  const call = async (name: string, args: string): Promise<Result> =>
    name === "then" ? { ok: true, value: `then ${args}`, logs: [], calls: [], duration_ms: 0 } : callTool(name, args);
  const one = (code: string) => run(code, { tools, call });
  const called = await one("return await global.then('x')");
  const awaited = await one("const g = await global; return await g.add(1, 2)");
  const given = await one("const f = async () => global; return typeof (await f()).add");

  assert.deepEqual([called, awaited, given].map((result) => result.ok && result.value), [
    'then ["x"]',
    3,
    "function",
  ]);
});
