/** Any value that a page logs is read safely. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callerOf, originOf } from "../src/logs/capture.ts";
import { describe, describeAll } from "../src/logs/value_text.ts";

// Node lacks the class of elements.
(globalThis as { Element?: unknown }).Element ??= class {};

test("values are written in a readable form", () => {
  const map = new Map<unknown, unknown>([["a", [1, "b"]]]);
  class Book {
    title = "Lights";
  }
  const cases: [unknown, string][] = [
    ["plain text", "plain text"],
    [["text"], '["text"]'],
    [{ a: 1, b: { c: null } }, "{a: 1, b: {c: null}}"],
    [new Book(), 'Book {title: "Lights"}'],
    [map, 'Map {"a" => [1, "b"]}'],
    [new Set([1n]), "Set {1n}"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [() => 1, "ƒ"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [/a+/g, "/a+/g"],
    [new Uint8Array(3), "Uint8Array(3 bytes)"],
    [new TypeError("no", { cause: new Error("why") }), "TypeError: no (because of Error: why)"],
    [Object.create(null), "{}"],
  ];
  for (const [value, text] of cases) assert.equal(describe(value), text);
});

test("formats are filled in as the console does", () => {
  assert.equal(describeAll(["%s has %d of %o, 100%% %cred", "Ann", 2.7, { a: 1 }, "color: red", "more"]), "Ann has 2 of {a: 1}, 100% red more");
  assert.equal(describeAll(["%s and %s", "one"]), "one and %s");
  assert.equal(describeAll([1, "%s", 2]), "1 %s 2");
  assert.equal(describeAll([]), "");
});

test("circular, deep, huge and hostile values are cut, and none of their code runs", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  assert.equal(describe(circular), "{self: [circular]}");
  assert.equal(describe({ a: { b: { c: { d: 1 } } } }), "{a: {b: {c: {…}}}}");
  assert.ok(describe("x".repeat(1e6)).length <= 2001);
  assert.ok(describe(Array.from({ length: 1e5 }, () => ({ text: "x".repeat(1e4) }))).length <= 2001);

  let asked = 0;
  const getter = { get secret() { return ++asked; }, toString: () => ++asked, toJSON: () => ++asked };
  assert.equal(describe(getter), "{secret: (…), toString: ƒ, toJSON: ƒ}");
  assert.equal(asked, 0);

  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  assert.equal(describe([1, revoked.proxy, 2]), "[1, [unreadable], 2]");
  const throwing = new Proxy({}, { ownKeys: () => { throw new Error("no"); } });
  assert.equal(describe(throwing), "[unreadable]");
  const evil = new Error("m");
  Object.defineProperty(evil, "message", { get: () => { throw new Error("no"); } });
  assert.equal(describe(evil), "[unreadable]");
});

test("the place is in the site's own code, for the stacks of every browser", () => {
  const ours = "http://h/__webagent__/";
  const chromium = `Error\n    at Object.apply (${ours}logs.js:1:20)\n    at buy (http://h/shop.js?v=1:12:3)\n    at http://h/:3:1`;
  const firefox = `apply@${ours}logs.js:1:20\nbuy@http://h/shop.js?v=1:12:3\n@http://h/:3:1`;
  for (const stack of [chromium, firefox]) {
    assert.equal(callerOf(stack, ours), "http://h/shop.js?v=1:12:3");
    assert.equal(originOf(stack, ours), "http://h/shop.js?v=1:12:3");
  }
  const own = `Error\n    at apply (${ours}logs.js:1:2)\n    at tell (${ours}dev.js:1:9)\n    at http://h/shop.js:1:1`;
  assert.equal(callerOf(own, ours), undefined);
  assert.equal(originOf(own, ours), "http://h/shop.js:1:1");
  assert.equal(callerOf("", ours), "");
});
