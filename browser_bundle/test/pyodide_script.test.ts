/** Pyodide's script in the bundle: some of it is left out, and a new Pyodide is noticed. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error - the build is JavaScript
import { quicker } from "../build/pyodide_script.mjs";

const SCRIPT = readFileSync("node_modules/pyodide/pyodide.asm.mjs", "utf8");

test("a variable that nothing reads is left out, and one that something reads is kept", () => {
  const script: string = quicker(SCRIPT);

  assert.ok(script.length < SCRIPT.length * 0.7);
  assert.ok(SCRIPT.includes('_PyObject_VectorcallMethod=Module["_PyObject_VectorcallMethod"]='));
  assert.ok(!script.includes("_PyObject_VectorcallMethod="));
  assert.ok(script.includes('_malloc=Module["_malloc"]='));
});

test("a script of another Pyodide is refused", () => {
  assert.throws(() => quicker(SCRIPT.replace("updateGOT(origExports);", "")), /has no single `updateGOT\(origExports\);`/);
  assert.throws(() => quicker(SCRIPT.replace("assignWasmExports(wasmExports){", "assign(wasmExports){")), /does not assign its exports/);
});
