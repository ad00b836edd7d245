import assert from "node:assert/strict";
import { test } from "node:test";
import { endOfData } from "../src/boot/emscripten.ts";

/** A module with a memory, and a section of data. */
function moduleWith(...data: number[]): Uint8Array {
  return Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 0, 2, 11, data.length, ...data);
}

test("the end of a module's data is that of the last in memory, wherever it is in the file", () => {
  // 3 bytes at 1000, then 2 bytes at 16.
  const wasm = moduleWith(2, 0, 0x41, 0xe8, 0x07, 0x0b, 3, 1, 2, 3, 0, 0x41, 0x10, 0x0b, 2, 4, 5);
  assert.ok(WebAssembly.validate(wasm as BufferSource));
  assert.equal(endOfData(wasm), 1003);
});

test("data at an address that is not constant, and other files, are refused", () => {
  assert.throws(() => endOfData(moduleWith(1, 1, 1, 7)), /constant address/);
  assert.throws(() => endOfData(moduleWith(1, 0, 0x23, 0, 0x0b, 1, 7)), /constant address/);
  assert.throws(() => endOfData(moduleWith(1, 0, 0x41)), /not whole/);
  assert.throws(() => endOfData(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)), /no data/);
});
