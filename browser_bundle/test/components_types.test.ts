import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

type Shipped = typeof import("../src/components/public.d.ts");
type Built = typeof import("../src/components/index.ts");

/** Compiles only while the module is what its declarations say, and exports nothing else. */
export const agrees: Built extends Shipped ? true : never = true;
export const complete: keyof Built extends keyof Shipped ? true : never = true;

const CONSUMER = `
import webmcp, { TOOLS_CHANGE_EVENT, WebMcpError, registerTool } from "./components.js";
import type {
  InputSchema, InputSchemaProperty, SerializableToolDefinition, ToolDefinition, ToolHandler, ToolsChangedHandler,
  WebMcpApi,
} from "./components.js";

const id: InputSchemaProperty = { type: "string", description: "of the book" };
const inputSchema: InputSchema = { type: "object", properties: { id }, required: ["id"] };
const execute: ToolHandler<{ id: string }> = async ({ id }, { signal }) => [id, signal.aborted];
const add: ToolDefinition<{ id: string }> = {
  name: "add", component: "cart", description: "Adds a book", inputSchema, execute,
};
const nothing: void = webmcp.registerTool(add);
registerTool({ name: "list", description: "Lists", execute: () => [] });
webmcp.unregisterTool("add", "cart");
const listed: Promise<SerializableToolDefinition[]> = webmcp.getTools();
const changed: ToolsChangedHandler = (tools) => console.log(tools.length, listed, nothing);
webmcp.on(TOOLS_CHANGE_EVENT, changed);
webmcp.off("change:tools", changed);
webmcp.on("refused:origin", ({ origin }) => console.log(origin.length));
const api: WebMcpApi = window.webmcp;
const value: Promise<unknown> = api.executeTool("cart_add", { id: "1" }, { timeout_ms: 5 });
value.catch((error: unknown) => {
  if (error instanceof WebMcpError && error.kind === "page_gone") console.log(error.tool.length);
});
// @ts-expect-error A list has no handlers.
listed[0]?.execute;
// @ts-expect-error There is no such event.
webmcp.on("change", changed);
// @ts-expect-error Pages cannot create these errors.
new WebMcpError("threw", "x", "y");
`;

test("the declarations compile for a strict program that uses all of them", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "components-"));
  t.after(() => rmSync(folder, { recursive: true }));
  copyFileSync("src/components/public.d.ts", path.join(folder, "components.d.ts"));
  writeFileSync(path.join(folder, "consumer.ts"), CONSUMER);
  const options = ["--strict", "--noEmit", "--module", "esnext", "--target", "es2022"];
  const file = path.join(folder, "consumer.ts");
  const ran = spawnSync("node_modules/.bin/tsc", ["--ignoreConfig", ...options, file]);
  assert.equal(String(ran.stdout), "");
  assert.equal(ran.status, 0);
});
