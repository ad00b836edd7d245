/** The rest of the standard library and of the core is loaded once, and again after a failure. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PyodideAPI } from "pyodide";

// The build fills this in.
Object.assign(globalThis, { __ASSETS__: { rest: "rest.zip", made: ["first.made", "rest.made"], wheels: { "webagent-core": "core.whl", snowballstemmer: "stemmers.whl" } } });
const { deferRest } = await import("../src/boot/python.ts");

/** An empty zip. */
const NO_FILES = Uint8Array.from([0x50, 0x4b, 5, 6, ...Array<number>(18).fill(0)]);

test("what was fetched but could not be stored is fetched again", async () => {
  let fetched = 0;
  globalThis.fetch = async () => (fetched++, new Response(NO_FILES));
  const finder = { arrived: 0, arrive: () => void finder.arrived++ };
  let room = false;
  const writeFile = () => {
    if (!room) throw new Error("no room");
  };
  const late = { expect: () => finder, use: () => {} };
  const pyodide = { FS: { writeFile }, pyimport: () => late } as unknown as PyodideAPI;
  const { loadRest } = deferRest(Promise.resolve(pyodide), "http://shop.test/bundle/", ["rest.made", "rest.zip", "core.whl", "stemmers.whl"]);

  await assert.rejects(loadRest(), /no room/);
  assert.equal(finder.arrived, 0);
  room = true;
  await loadRest();
  await loadRest();
  assert.deepEqual([finder.arrived, fetched], [1, 8]);
});
