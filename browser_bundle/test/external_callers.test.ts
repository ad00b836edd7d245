import assert from "node:assert/strict";
import { test } from "node:test";
import { ExternalCallers } from "../src/page/external_callers.ts";

const started = (group?: number) => ({ id: 1, state: "started", ...(group && { group }) });

test("the event of a call names its caller while the caller's work runs, and never its group", async () => {
  const callers = new ExternalCallers();
  const caller = { name: "Claude Code", progress: () => undefined };
  const during = await callers.name(7, caller, async () => callers.detailFor("call", started(7)));

  assert.deepEqual(during, { id: 1, state: "started", caller: "Claude Code" });
  assert.deepEqual(callers.detailFor("call", started(7)), { id: 1, state: "started" });
  assert.deepEqual(callers.detailFor("call", started(8)), { id: 1, state: "started" });
  assert.deepEqual(callers.detailFor("call", started()), { id: 1, state: "started" });
});

test("progress reaches only the caller", async () => {
  const callers = new ExternalCallers();
  const heard: string[] = [];
  const caller = { name: "x", progress: (message: string) => void heard.push(message) };
  const progress = (group: number) => ({ group, state: "progress", message: `of ${group}` });
  await callers.name(1, caller, async () => {
    callers.detailFor("call", progress(1));
    callers.detailFor("call", progress(2));
  });
  callers.detailFor("call", progress(1));

  assert.deepEqual(heard, ["of 1"]);
});

test("after a failed call its group has no caller, and other events stay unchanged", async () => {
  const callers = new ExternalCallers();
  const caller = { name: "x", progress: () => undefined };
  const failing = callers.name(1, caller, async () => {
    throw new Error("no");
  });
  await assert.rejects(failing, /no/);
  const event = { group: 1, state: "started" };

  assert.deepEqual(callers.detailFor("call", event), { state: "started" });
  assert.equal(callers.detailFor("agent", event), event);
});
