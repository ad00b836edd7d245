import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { createLogger, createServer } from "vite";
import { webagent } from "../dist/index.js";

const MANIFEST = "# Shop\n\n## searchBooks\n\nFind books.\n";

test("the checks outlive a restart of the server", async () => {
  const root = await mkdtemp(path.join(tmpdir(), "webagent-"));
  const errors = [];
  const customLogger = { ...createLogger("silent"), error: (text) => errors.push(text) };
  await writeFile(path.join(root, "webagents.md"), MANIFEST);
  const server = await createServer({ root, configFile: false, customLogger, plugins: [webagent()], server: { port: 0 } });
  try {
    await server.listen();
    for (const isAgain of [false, true]) {
      if (isAgain) await server.restart();
      const response = await fetch(new URL("webagents.md", server.resolvedUrls.local[0]));
      assert.deepEqual([response.status, await response.text()], [200, MANIFEST]);
    }
    assert.deepEqual(errors, []);
  } finally {
    await server.close();
    await rm(root, { recursive: true });
  }
});

test("a server that follows a closed one has checks again", async () => {
  const root = await mkdtemp(path.join(tmpdir(), "webagent-"));
  await writeFile(path.join(root, "webagents.md"), MANIFEST);
  const plugins = [webagent()];
  for (let number = 1; number <= 2; number += 1) {
    const server = await createServer({ root, configFile: false, logLevel: "silent", plugins, server: { port: 0 } });
    await server.listen();
    const response = await fetch(new URL("webagents.md", server.resolvedUrls.local[0]));
    assert.equal(response.status, 200);
    await server.close();
  }
  await rm(root, { recursive: true });
});
