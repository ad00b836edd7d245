/** `document.modelContext` (WebMCP), the browser's own or ours: what we use of it. */

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
