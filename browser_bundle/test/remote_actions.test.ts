/** Remote actions, and what is reported about them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { WebagentError } from "../src/base/errors.ts";
import { RemoteActions } from "../src/live/remote_actions.ts";
import type { Call } from "../src/live/messages.ts";
import type { Dom } from "../src/tools/python_bridge.ts";

type Event = Record<string, unknown>;

/** @returns The outcome of an action, and the events about it. */
async function acted(
  action: object,
  act: Dom["act"],
  signal = new AbortController().signal,
): Promise<{ value: unknown; told: Event[] }> {
  const told: Event[] = [];
  const dom: Dom = { snapshot: async () => ({ text: "what is shown" }), act };
  const acting = new RemoteActions(async () => dom, (event) => told.push(event));
  const call = { id: "c1", arguments: { action }, caller: "task" } as unknown as Call;
  const value = await acting.act(call, signal).catch((error: unknown) => error);
  return { value, told };
}

const login = {
  type: "enter_data",
  form_data: [
    { pp_id: 1, text: "ada", secret: true },
    { label: "Note", text: "private words" },
  ],
  submit: true,
};

test("the start and end of an action are reported, without the entered values", async () => {
  const reply = { did: "entered `ada` into `Name`" };
  const { value, told } = await acted(login, async () => reply);

  assert.equal(value, reply);
  assert.deepEqual(
    told.map(({ state, arguments: given, value }) => [state, given, value]),
    [
      ["started", { form_data: [{ pp_id: 1, label: undefined, name: undefined }, { pp_id: undefined, label: "Note", name: undefined }], submit: true }, undefined],
      ["finished", undefined, "entered `•••` into `Name`"],
    ],
  );
  assert.deepEqual([told[0]?.["id"], told[0]?.["name"], told[0]?.["caller"]], ["c1", "enter_data", "task"]);
});

test("an error is reported without secrets, and thrown unchanged", async () => {
  const error = new WebagentError({ kind: "invalid_arguments", message: "`ada` is missing an @" });
  const { value, told } = await acted(login, () => Promise.reject(error));

  assert.equal(value, error);
  const [, failed] = told;
  assert.equal(failed?.["state"], "failed");
  assert.deepEqual(failed?.["error"], { kind: "invalid_arguments", message: "`•••` is missing an @" });
});

test("an action that was cancelled while the page was prepared does not begin", async () => {
  const acts: unknown[] = [];
  const act: Dom["act"] = async (action) => acts.push(action);
  const { value, told } = await acted(login, act, AbortSignal.abort());

  assert.equal((value as WebagentError).kind, "cancelled");
  assert.deepEqual(acts, []);
  assert.deepEqual(told.map(({ state }) => state), ["started", "failed"]);
});

test("an action without a description is still reported as finished", async () => {
  for (const nothing of [null, undefined, {}]) {
    const { value, told } = await acted({ type: "click" }, async () => nothing);
    assert.equal(value, nothing);
    assert.deepEqual(told.map(({ state, value: did }) => [state, did]), [["started", undefined], ["finished", ""]]);
  }
});

test("actions that only read are not reported", async () => {
  for (const type of ["summary", "content", "wait", "form_details"]) {
    assert.deepEqual((await acted({ type }, async () => "seen")).told, []);
  }
  const { value, told } = await acted({ type: "snapshot" }, () => Promise.reject(new Error()));
  assert.deepEqual([value, told], [{ text: "what is shown" }, []]);
});

test("files are reported by their names", async () => {
  const files = [{ name: "cv.pdf", type: "", data: "c2VjcmV0" }];
  const { told } = await acted({ type: "upload", pp_id: 1, files }, async () => ({ did: "put `cv.pdf`" }));
  assert.deepEqual(told[0]?.["arguments"], { pp_id: 1, files: ["cv.pdf"] });
});
