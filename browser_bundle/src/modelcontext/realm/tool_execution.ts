/** Runs the tools of scripts, and writes down what tools return. */
import type { Tool } from "./tool_map.ts";
import type { ToolDefinition } from "./web_idl.ts";
import type { Realm } from "./window_realm.ts";

const FAILED =
  "Tool was executed but the invocation failed. For example, the script function threw an error";

/** A tool's return value as its caller gets it. Throws for what JSON cannot hold. */
export function executionResult(value: unknown): string {
  if (value === "") return "Operation succeeded";
  if (value !== null && (typeof value === "object" || typeof value === "function")) {
    return String(JSON.stringify(value));
  }
  return String(value);
}

/** The tool that a script defined; its errors stay in the console of its own page. */
export function scriptTool(
  realm: Realm,
  { name, title, description, execute, annotations }: ToolDefinition,
  inputSchema: string | undefined,
  exposedTo: ReadonlySet<string>,
): Tool {
  async function run(input: object, signal: AbortSignal, activated: () => void): Promise<string> {
    try {
      const returned = call(() => Reflect.apply(execute, undefined, [input, { signal }]));
      activated();
      return executionResult(await returned);
    } catch (error) {
      realm.console.error("WebMCP tool execution failed:", error);
      throw new realm.DOMException(FAILED, "UnknownError");
    }
  }
  return { listed: { name, title, description, inputSchema, annotations }, exposedTo, run };
}

/** What the function returns, as a promise that rejects with what it throws. */
async function call(run: () => unknown): Promise<unknown> {
  return run();
}
