/** Archives of the build, unpacked without Python. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unpack } from "../src/boot/packages.ts";

/** A zip with the file `a/b.txt`, which holds `hello`; stored, and without a checksum, which is not read. */
function archive(): Uint8Array {
  const [name, content] = [Buffer.from("a/b.txt"), Buffer.from("hello")];
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt32LE(content.length, 24);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(30 + name.length + content.length, 16);
  return new Uint8Array(Buffer.concat([local, name, content, entry, name, end]));
}

function unpacked(bytes: Uint8Array): Map<string, string> {
  const files = new Map<string, string>();
  const writeFile = (path: string, content: Uint8Array) => void files.set(path, new TextDecoder().decode(content));
  unpack({ mkdirTree: () => {}, writeFile }, [{ path: "x.zip", bytes }]);
  return files;
}

test("files are unpacked to where Python looks for packages", () => {
  assert.deepEqual([...unpacked(archive())], [["/lib/python3.14/site-packages/a/b.txt", "hello"]]);
});

for (const [what, bytes] of [
  ["nothing", new Uint8Array()],
  ["a beginning", archive().subarray(0, 60)],
  ["a page", new TextEncoder().encode("<!doctype html><title>not found</title>")],
  ["an end whose directory is elsewhere", archive().subarray(40)],
] as const) {
  test(`${what} is told with the file and what to do`, () => {
    assert.throws(() => unpacked(new Uint8Array(bytes)), /`x\.zip` is not whole; reload the page/);
  });
}
