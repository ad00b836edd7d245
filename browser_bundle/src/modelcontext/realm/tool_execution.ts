/** Runs the tools of scripts, and encodes the results of tools. */
import type { Tool } from "./tool_map.ts";
import type { ToolDefinition } from "./web_idl.ts";
import type { Realm } from "./window_realm.ts";

const FAILED =
  "Tool was executed but the invocation failed. For example, the script function threw an error";

/** A tool's return value as text for its caller. Throws for values that JSON cannot hold. */
export function executionResult(value: unknown): string {
  if (value === "") return "Operation succeeded";
  if (value !== null && (typeof value === "object" || typeof value === "function")) {
    return String(JSON.stringify(value));
  }
  return String(value);
}

/** The tool of a script; its errors are only logged to its own page's console. */
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

/** The function's result as a promise, also for what it throws. */
async function call(run: () => unknown): Promise<unknown> {
  return run();
}
