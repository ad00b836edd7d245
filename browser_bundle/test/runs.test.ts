/** Runs of a page: one at a time, stopped at any time, resumed once; permissions last for the session. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Runtime, SessionBridge } from "../src/boot/runtime.ts";
import type { PanelAgent } from "../src/run/person.ts";
import { Runs } from "../src/run/runs.ts";
import { AllowedActions } from "../src/run/tab_storage.ts";

/** A tab's storage. */
class Kept {
  items = new Map<string, string>();
  getItem = (key: string) => this.items.get(key) ?? null;
  setItem = (key: string, value: string) => void this.items.set(key, String(value));
  removeItem = (key: string) => void this.items.delete(key);
}

const define = (name: string, value: unknown) =>
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

/** A page of a tab, with a Python whose steps the test controls. */
class Page {
  listeners = new Map<string, (event: object) => void>();
  calls: string[] = [];
  options: { allowed: string[] }[] = [];
  allowed: string[] = [];
  /** Ends the start of Python, and each run. */
  started: () => void = () => {};
  ends: ((text: string) => void)[] = [];
  starts = 0;
  session: SessionBridge | undefined;
  runs: Runs;

  constructor(storage: Kept, property?: PropertyDescriptor) {
    define("sessionStorage", storage);
    if (property) Object.defineProperty(globalThis, "sessionStorage", property);
    define("document", { prerendering: false });
    define("addEventListener", (type: string, hear: (event: object) => void) => this.listeners.set(type, hear));
    define("navigator", { locks: { request: async (_: string, __: object, hold: () => Promise<void>) => hold() } });
    define("window", { top: null });
    const starting = new Promise<void>((resolve) => (this.started = resolve));
    const end = () => new Promise<string>((resolve) => this.ends.push(resolve));
    const runtime = {
      run: (goal: string, options: string, session: SessionBridge) => {
        this.calls.push(`run ${goal}`);
        this.options.push(JSON.parse(options) as { allowed: string[] });
        this.session = session;
        return end();
      },
      resume: (session: SessionBridge, allowed: string) => {
        this.calls.push("resume");
        this.allowed = JSON.parse(allowed) as string[];
        this.session = session;
        return end();
      },
      stop_run: () => void this.calls.push("stop"),
      abandon_run: () => void this.calls.push("abandon"),
      revoke: (key: string) => void this.calls.push(`revoke ${key}`),
    } as unknown as Runtime;
    const settings = { llm: [undefined, undefined, ""] as [undefined, undefined, string], live: null, isolation: "sandbox" as const, panel: false, base: "", usage: null };
    const start = () => {
      this.starts += 1;
      return starting.then(() => runtime);
    };
    this.runs = new Runs(new EventTarget() as PanelAgent, start, settings);
  }

  fire(type: string, event: object = {}): void {
    this.listeners.get(type)?.(event);
  }

  end(text = '{"ok": true}'): void {
    this.ends.shift()?.(text);
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A tab whose page was left in the middle of a run. */
async function left(): Promise<Kept> {
  const storage = new Kept();
  const page = new Page(storage);
  page.started();
  void page.runs.run("go").catch(() => {});
  await settled();
  await page.session?.save("{}");
  page.fire("pagehide");
  // The next page is loaded after this moment.
  const [line, text] = (storage.getItem("webagent.run") ?? "").split("\n");
  storage.setItem("webagent.run", `${JSON.stringify({ ...JSON.parse(line ?? ""), left: Date.now() + 1e6 })}\n${text}`);
  return storage;
}

test("a goal that is being written starts Python, except where data are saved", () => {
  const page = new Page(new Kept());
  Object.assign(navigator, { connection: { saveData: true } });
  page.runs.prepare();
  assert.equal(page.starts, 0);

  Object.assign(navigator, { connection: { saveData: false } });
  page.runs.prepare();
  assert.equal(page.starts, 1);
});

test("a run is resumed once, however often that is requested", async () => {
  const page = new Page(await left());
  const going = [page.runs.resumePrevious(), page.runs.resumePrevious()];
  page.started();
  await settled();
  await page.runs.resumePrevious();
  page.end("null");
  await Promise.all(going);
  assert.deepEqual(page.calls, ["resume"]);
});

test("a page that is left while Python starts does not resume the run when it is restored", async () => {
  const storage = await left();
  const page = new Page(storage);
  const going = page.runs.resumePrevious();
  await settled();
  page.fire("pagehide");
  page.started();
  await going;
  assert.deepEqual(page.calls, []);
  assert.ok(storage.getItem("webagent.run"), "the next page has it");
});

test("a restored page resumes its run once more, and the end of the old run has no effect", async () => {
  const page = new Page(await left());
  page.started();
  const going = page.runs.resumePrevious();
  await settled();
  await page.session?.save("{}");
  page.fire("pagehide");
  page.fire("pageshow", { persisted: true });
  await settled();
  page.end("null");
  await going;
  assert.deepEqual(page.calls, ["resume", "abandon", "resume"]);
  await assert.rejects(page.runs.run("another"), /works on another goal/);
});

test("a run is stopped while Python starts", async () => {
  const page = new Page(new Kept());
  const running = page.runs.run("go");
  page.runs.stop("it was stopped");
  page.started();
  await assert.rejects(running, { kind: "cancelled" });
  assert.deepEqual(page.calls, []);
});

test("a signal that is already aborted ends a run before it begins", async () => {
  const page = new Page(new Kept());
  page.started();
  await assert.rejects(page.runs.run("go", { signal: AbortSignal.abort() }), { kind: "cancelled" });
  assert.deepEqual(page.calls, []);
});

test("a run that is stopped before it is resumed is dropped", async () => {
  const storage = await left();
  const page = new Page(storage);
  const going = page.runs.resumePrevious();
  page.runs.stop("it was stopped");
  page.started();
  await going;
  assert.deepEqual(page.calls, []);
  assert.equal(storage.getItem("webagent.run"), null);
});

test("a run that cannot be resumed is dropped", async () => {
  const storage = await left();
  const page = new Page(storage);
  const going = page.runs.resumePrevious();
  page.started();
  await settled();
  page.ends.shift()?.(Promise.reject(new Error("no model")) as unknown as string);
  await assert.rejects(going, /no model/);
  assert.equal(storage.getItem("webagent.run"), null);
});

test("a second run is refused until the first one has ended", async () => {
  const page = new Page(new Kept());
  page.started();
  const first = page.runs.run("first");
  await assert.rejects(page.runs.run("second"), { kind: "denied" });
  await settled();
  page.end();
  await first;
  const third = page.runs.run("third");
  await settled();
  page.end();
  await third;
  assert.deepEqual(page.calls, ["run first", "run third"]);
});

test("permissions for the session are passed to the runs of later pages", async () => {
  const storage = new Kept();
  const page = new Page(storage);
  page.started();
  const answers = [{ yes: true, session: true }, { yes: true, session: true }, { yes: true }];
  const running = page.runs.run("go", { approve: async () => answers.shift() ?? false });
  await settled();
  const ask = (details: object) => page.session?.ask(JSON.stringify({ kind: "approval", text: "", details }));
  await ask({ session: true, key: "addToBasket" });
  await ask({ session: false, key: "placeOrder" });
  await ask({ session: true, key: "rename" });
  page.end();
  await running;

  const next = new Page(storage);
  next.started();
  const later = next.runs.run("go");
  await settled();
  next.end();
  await later;
  assert.deepEqual(next.options[0]?.allowed, ["addToBasket"]);
});

test("a person allows one of the grants that the request offers, and may take it back", async () => {
  const storage = new Kept();
  const page = new Page(storage);
  page.started();
  const answers = [
    { yes: true, grant: "kind:button on /a" }, { yes: true, grant: "everything" }, { yes: false, grant: "click B on /a" },
    { yes: true, stop: true, session: true }, { yes: true, session: true },
  ];
  const running = page.runs.run("go", { approve: async () => answers.shift() ?? false });
  await settled();
  const ask = (control: string) => {
    const grants = [{ key: `click ${control} on /a`, kind: "control", text: control }, { key: "kind:button on /a", kind: "kind", text: "any" }];
    return page.session?.ask(JSON.stringify({ kind: "approval", text: "", details: { session: true, key: grants[0]?.key, grants } }));
  };
  const given = [];
  for (const control of ["A", "B", "B", "C", "D"]) given.push(JSON.parse((await ask(control)) ?? "") as object);
  assert.deepEqual(given[0], { yes: true, text: "", session: false, grant: "kind:button on /a", stop: false, files: [], data: null, approvals: false, pause: false });
  assert.deepEqual(page.runs.allowed(), [{ key: "kind:button on /a", text: "any" }, { key: "click D on /a", text: "D" }]);
  assert.equal(page.runs.revoke("kind:button on /a"), true);
  assert.equal(page.runs.revoke("kind:button on /a"), false);
  assert.deepEqual(page.calls.slice(1), ["revoke kind:button on /a", "revoke kind:button on /a"]);
  page.end();
  await running;
  const next = new Page(storage);
  next.started();
  const later = next.runs.run("go");
  await settled();
  next.end();
  await later;
  assert.deepEqual(next.options[0]?.allowed, ["click D on /a"]);
});

test("a run that is resumed is allowed what is allowed now", async () => {
  const storage = await left();
  storage.setItem("webagent.allowed", '[{"key": "a", "text": "use a"}]');
  const page = new Page(storage);
  const going = page.runs.resumePrevious();
  page.started();
  await settled();
  page.end("null");
  await going;
  assert.deepEqual(page.calls, ["resume"]);
  assert.deepEqual(page.allowed, ["a"]);
});

test("stored permissions are bounded, and invalid ones are ignored", () => {
  const storage = new Kept();
  const allowed = new AllowedActions(storage);
  for (let i = 0; i < 150; i += 1) allowed.add(`tool${i}`);
  allowed.add("x".repeat(501));
  allowed.add({ toString: () => "tool" });
  assert.equal(allowed.names().length, 100);
  assert.equal(allowed.names().at(-1), "tool149");
  storage.setItem("webagent.allowed", '["a", 5, null, ""]');
  assert.deepEqual(allowed.names(), ["a"]);
  storage.setItem("webagent.allowed", "{");
  assert.deepEqual(allowed.names(), ["a"]);
});

test("a page without storage can have runs, and remembers permissions as long as it lives", async () => {
  const denied = { get: () => { throw new DOMException("denied", "SecurityError"); }, configurable: true };
  const page = new Page(new Kept(), denied);
  page.started();
  for (const goal of ["first", "second"]) {
    const running = page.runs.run(goal, { approve: async () => ({ yes: true, session: true }) });
    await settled();
    assert.equal(await page.session?.save("{}"), "");
    await page.session?.ask('{"kind": "approval", "details": {"session": true, "key": "addToBasket"}}');
    page.end();
    await running;
  }
  assert.deepEqual(page.options[1]?.allowed, ["addToBasket"]);
});

test("a page that broke its storage can have runs, which are not kept", async () => {
  const storage = new Kept();
  storage.getItem = storage.setItem = storage.removeItem = () => {
    throw new TypeError("broken");
  };
  const page = new Page(storage);
  page.started();
  await page.runs.resumePrevious();
  const running = page.runs.run("go");
  await settled();
  assert.equal(await page.session?.save("{}"), "too_large");
  page.end();
  assert.deepEqual(await running, { ok: true });
});

test("an answer after the end of its run allows nothing", async () => {
  const storage = new Kept();
  const page = new Page(storage);
  page.started();
  let answer: (answer: object) => void = () => {};
  const running = page.runs.run("go", { approve: () => new Promise((resolve) => (answer = resolve)) });
  await settled();
  const asking = page.session?.ask('{"kind": "approval", "details": {"session": true, "key": "addToBasket"}}');
  page.end();
  await running;
  answer({ yes: true, session: true });
  await asking;
  assert.deepEqual(new AllowedActions(storage).names(), []);
});

test("a known call is passed on as plain data", async () => {
  const page = new Page(new Kept());
  page.started();
  const call = { tool: "removeFromBasket", arguments: { bookId: "dune" } };
  const run = page.runs.run("Undo", { call });
  await settled();
  assert.deepEqual((page.options[0] as { call?: object }).call, call);
  page.end();
  await run;

  const round: Record<string, unknown> = {};
  round["self"] = round;
  await assert.rejects(page.runs.run("Undo", { call: { tool: "x", arguments: round } }), /`call` is not plain data/);
});
