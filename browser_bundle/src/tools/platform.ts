/** `document.modelContext` (WebMCP), the browser's own or ours: what we use of it. */
import { describeThrown } from "../errors.ts";
import { part } from "../parts.ts";

export interface RegisteredTool {
  name: string;
  title: string;
  description: string;
  inputSchema?: object;
  annotations?: object;
  window: Window;
  origin: string;
}

export interface ToolDefinition {
  name: string;
  title?: string;
  description: string;
  inputSchema?: object;
  annotations?: object;
}

/** The second argument came with Chromium 156. */
type Execute = (input: object, options?: { signal: AbortSignal }) => Promise<unknown>;

export interface ModelContext extends EventTarget {
  registerTool(
    tool: ToolDefinition & { execute: Execute },
    options?: { signal?: AbortSignal },
  ): Promise<void>;
  getTools(options?: { fromOrigins?: string[] }): Promise<RegisteredTool[]>;
  executeTool(
    tool: RegisteredTool,
    input: object,
    options?: { signal?: AbortSignal },
  ): Promise<string | null>;
}

/** That of a document; undefined where the browser has none and ours was not loaded. */
export function modelContextOf(document: Document): ModelContext | undefined {
  return (document as { modelContext?: ModelContext }).modelContext;
}

/**
 * A browser without `document.modelContext` gets ours, unless a script has brought it before.
 *
 * @param base URL of the bundle.
 */
export async function needModelContext(base: string): Promise<void> {
  if (modelContextOf(document)) return;
  if (!isSecureContext) {
    console.warn(
      "webagent: this page has no secure origin, so its forms and scripts offer no tools; " +
        "open it by https, or as localhost",
    );
    return;
  }
  try {
    await part(base, "modelcontext");
  } catch (thrown) {
    console.warn(`webagent: forms and scripts offer no tools: ${describeThrown(thrown)}`);
  }
}
