import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { mayHoldCredential } from "../src/panel/conversation_store.ts";

const cases = JSON.parse(
  readFileSync("../tests/cases/credentials.json", "utf8"),
) as { secret: [string, string][] };

test("a goal with a credential is not kept before it is sent", () => {
  assert.ok(cases.secret.length > 60);
  assert.deepEqual(cases.secret.map(([words]) => words).filter((words) => !mayHoldCredential(words)), []);
});

test("other goals are kept", () => {
  const goals = ["find books by Tolkien", "add two of t2 to my basket", "book a table for 4 at 19:30", "Suche nach Zelten"];
  assert.deepEqual(goals.filter(mayHoldCredential), []);
});
