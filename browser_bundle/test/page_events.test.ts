/** Where nothing is fetched that nobody asked for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDataSaving } from "../src/base/page_events.ts";

test("a slow or paid line and a small device are spared, as far as the browser tells", () => {
  const spared = [
    { connection: { saveData: true } },
    { connection: { effectiveType: "3g" } },
    { connection: { effectiveType: "4g" }, deviceMemory: 1 },
    { deviceMemory: 0.5 },
  ];
  const others = [{}, { connection: {} }, { connection: { effectiveType: "4g", saveData: false }, deviceMemory: 2 }, { deviceMemory: 8 }];

  assert.deepEqual([...spared, ...others].map(isDataSaving), [...spared.map(() => true), ...others.map(() => false)]);
});
