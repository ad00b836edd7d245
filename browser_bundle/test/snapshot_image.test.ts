import assert from "node:assert/strict";
import { test } from "node:test";
import { checksum, GRANULE, readImage, restoreImage, writeImage } from "../src/boot/snapshot_image.ts";

/** An image of five granules: data of the program, marks, an empty one, data of a library, the heap. */
function image(): { memory: Uint8Array; file: ArrayBuffer } {
  const memory = new Uint8Array(5 * GRANULE);
  memory.fill(1, 0, GRANULE);
  memory.fill(2, GRANULE, 2 * GRANULE);
  memory.fill(3, 3 * GRANULE, 4 * GRANULE);
  memory.fill(4, 4 * GRANULE);
  const runs = Uint32Array.of(1, 1, 2, 1);
  const granules = new Uint8Array([...memory.subarray(GRANULE, 2 * GRANULE), ...memory.subarray(4 * GRANULE)]);
  const contents = {
    size: memory.length,
    fixed: 4 * GRANULE,
    empty: [GRANULE, 3 * GRANULE] as [number, number],
    libraries: [],
    checksum: checksum(memory, memory.length),
    head: 0,
    runs: runs.byteLength,
  };
  const file = writeImage(contents, new Uint8Array(), runs, granules);
  return { memory, file: file.slice().buffer };
}

/** The memory of a start before Python runs. */
function begun(memory: Uint8Array): Uint8Array {
  const start = new Uint8Array(memory.length);
  start.set(memory.subarray(0, GRANULE));
  start.set(memory.subarray(3 * GRANULE, 4 * GRANULE), 3 * GRANULE);
  return start;
}

test("a memory is restored, whatever was left in its empty parts", () => {
  const { memory, file } = image();
  for (const place of [GRANULE, 2 * GRANULE - 1, 2 * GRANULE, 3 * GRANULE - 1, 4 * GRANULE, 5 * GRANULE - 1]) {
    const start = begun(memory);
    start[place] = 7;
    restoreImage(start, start.length, readImage(file));
    assert.deepEqual(start, memory, `a mark at ${place}`);
  }
});

test("a memory with other data of the program is refused", () => {
  const { memory, file } = image();
  for (const place of [0, 3 * GRANULE]) {
    const start = begun(memory);
    start[place] = 7;
    assert.throws(() => restoreImage(start, start.length, readImage(file)), /does not fit/);
  }
});
