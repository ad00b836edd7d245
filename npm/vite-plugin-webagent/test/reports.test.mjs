import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf, lineOf } from "../dist/reports.js";

const finding = (severity, message, line, column) => ({
  rule: "a-rule",
  severity,
  message,
  help: "write b",
  path: "public/webagents.md",
  span: { start: { line, column }, end: { line, column } },
});

test("a finding is a line with its place, its remedy and its rule", () => {
  assert.equal(
    lineOf(finding("warning", "a is wrong", 3, 4)),
    "public/webagents.md:3:4 warning a is wrong - write b (a-rule)",
  );
});

test("the overlay has all errors, and the lines around the first", () => {
  const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\r\n");
  const found = [finding("warning", "w", 1, 1), finding("error", "e", 10, 6), finding("error", "f", 12, 1)];
  const { message, loc, frame } = errorOf(found, "/site/webagents.md", text);
  assert.equal(message, "e - write b\nf - write b");
  assert.deepEqual(loc, { file: "/site/webagents.md", line: 10, column: 6 });
  assert.equal(
    frame,
    " 8 | line 8\n 9 | line 9\n10 | line 10\n   |      ^\n11 | line 11\n12 | line 12",
  );
});
