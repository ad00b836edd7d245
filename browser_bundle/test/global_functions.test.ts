import assert from "node:assert/strict";
import { test } from "node:test";
import { arityOf } from "../src/tools/global_functions.ts";

/** Functions as pages may write them, with the fewest and the most arguments that they take. */
const CASES: [string, [number, number | null]][] = [
  ["() => 1", [0, 0]],
  ["a => a", [1, 1]],
  ["async a => a", [1, 1]],
  ["async (a, b) => a", [2, 2]],
  ["(a, b = 2) => a", [1, 2]],
  ["(a, b = [1, 2], c = { x: 1, y: 2 }) => a", [1, 3]],
  ["(a, b = 'x), (y', c = \"\\\"\") => a", [1, 3]],
  ["(a, { b, c } = {}, [d, e] = []) => a", [1, 3]],
  ["(a, ...more) => a", [1, null]],
  ["(a, b = /[)]/) => a", [1, null]],
  ["(a, b = `${a})`) => a", [1, null]],
  ["(a, /* b, c */ d, // e,\n f) => a", [3, 3]],
  ["(a, b,) => a", [2, 2]],
  ["function (a, b) { return a; }", [2, 2]],
  ["async function* many(a) {}", [1, 1]],
  ["function old() { return arguments.length; }", [0, null]],
  ["({ run(a, b) { return a; } }).run", [2, 2]],
  ["({ async run(a) { return a; } }).run", [1, 1]],
  ["({ [`run`](a) { return a; } }).run", [1, null]],
  ["(function (a) {}).bind(null)", [1, null]],
  ["Math.max", [2, null]],
  ["class A { constructor(a) {} }", [1, null]],
  ["new Proxy((a) => a, {})", [1, null]],
];

test("the number of arguments is read from the source, or left open", () => {
  for (const [source, expected] of CASES) {
    assert.deepEqual(arityOf((0, eval)(`(${source})`)), expected, source);
  }
});

test("an invalid `length` counts as 0", () => {
  for (const length of [-1, 0.5, NaN, "2"]) {
    const fn = Object.defineProperty((a: unknown) => a, "length", { value: length });
    assert.equal(arityOf(fn)[0], 0);
  }
});
