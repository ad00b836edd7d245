/** The tools of this frame with their handlers, which never leave it. */
import { composedName, keyText, type Key } from "./definition.ts";
import type { ToolContext, ToolHandler } from "./public.d.ts";
import { errorOfAbort, errorOfTool, unknownTool } from "./tool_errors.ts";

export class LocalTools {
  #handlers = new Map<string, ToolHandler>();

  set(key: Key, execute: ToolHandler): void {
    this.#handlers.set(keyText(key), execute);
  }

  delete(key: Key): void {
    this.#handlers.delete(keyText(key));
  }

  /**
   * Run a tool; an abort ends the wait, and the tool's own signal aborts.
   *
   * @throws WebMcpError
   */
  async run(key: Key, parameters: object, context: ToolContext): Promise<unknown> {
    const tool = composedName(key);
    const execute = this.#handlers.get(keyText(key));
    if (!execute) throw unknownTool(tool);
    return untilAbort(context.signal, tool, async () => {
      try {
        return await execute(parameters, context);
      } catch (thrown) {
        throw errorOfTool(thrown, tool);
      }
    });
  }
}

/** Resolves as `start` does, or rejects with the signal's reason if it aborts first. */
export async function untilAbort<Value>(
  signal: AbortSignal,
  tool: string,
  start: () => Promise<Value>,
): Promise<Value> {
  if (signal.aborted) throw errorOfAbort(signal.reason, tool);
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(errorOfAbort(signal.reason, tool));
    };
    signal.addEventListener("abort", abort);
    start()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener("abort", abort);
      });
  });
}
