/** Devices and connections on which nothing is fetched ahead of need. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDataSaving } from "../src/base/page_events.ts";

test("slow or metered connections and small devices are detected where the browser reports them", () => {
  const spared = [
    { connection: { saveData: true } },
    { connection: { effectiveType: "3g" } },
    { connection: { effectiveType: "4g" }, deviceMemory: 1 },
    { deviceMemory: 0.5 },
  ];
  const others = [{}, { connection: {} }, { connection: { effectiveType: "4g", saveData: false }, deviceMemory: 2 }, { deviceMemory: 8 }];

  assert.deepEqual([...spared, ...others].map(isDataSaving), [...spared.map(() => true), ...others.map(() => false)]);
});
