import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Options } from "../src/page/options.ts";

// Given by the build, and by the page.
Object.assign(globalThis, { __ASSETS__: {}, addEventListener: () => undefined });
const { WebAgent } = await import("../src/page/webagent.ts");

const RUN = "export class Runs { allowed() { return []; } }";

test("after a failed download of the runs the next call tries again", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "webagent-"));
  const agent = new WebAgent({ base: `${pathToFileURL(folder).href}/` } as Options);
  await assert.rejects(agent.allowed(), /reload the page/);
  await writeFile(path.join(folder, "run.js"), RUN);
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  assert.deepEqual(await agent.allowed(), []);
  assert.equal(await agent.runs(), await agent.runs());
  await rm(folder, { recursive: true });
});
