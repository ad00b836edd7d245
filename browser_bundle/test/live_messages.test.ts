import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseServerMessage } from "../src/live/messages.ts";

interface Example {
  direction: "server" | "page";
  message: { type: string };
}

/** The same examples that the server's tests read; tests run in `browser_bundle/`. */
const examples = JSON.parse(readFileSync("../tests/cases/messages.json", "utf8")) as Example[];
const fromServer = examples.filter((example) => example.direction === "server");

test("every message of the server is read unchanged", () => {
  assert.ok(fromServer.length >= 5);
  for (const { message } of fromServer) {
    assert.deepEqual(parseServerMessage(JSON.stringify(message)), message);
  }
});

test("messages of other versions are ignored", () => {
  for (const text of ["", "null", "[]", "{", '{"v":2,"type":"reload"}', '{"v":1,"type":"other"}']) {
    assert.equal(parseServerMessage(text), undefined);
  }
});
