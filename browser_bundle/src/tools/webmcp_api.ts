/** `document.modelContext` (WebMCP), the browser's own or ours: what we use of it. */
import { describeThrown } from "../base/errors.ts";
import { loadChunk } from "../base/lazy_chunks.ts";

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

const METHODS = ["registerTool", "getTools", "executeTool", "addEventListener"] as const;

/** That of a document; undefined where the browser has none and ours was not loaded, or a script's is another thing. */
export function modelContextOf(document: Document): ModelContext | undefined {
  const there = methodsOn(document);
  return there && missingOf(there) === undefined ? there : undefined;
}

function methodsOn(document: Document): ModelContext | undefined {
  return (document as { modelContext?: ModelContext }).modelContext;
}

/** What a script's `modelContext` would need to be that of WebMCP. */
function missingOf(there: ModelContext): string | undefined {
  return METHODS.find((name) => typeof there[name] !== "function");
}

/**
 * A browser without `document.modelContext` gets ours, unless a script has brought it before.
 *
 * @param base URL of the bundle.
 */
export async function needModelContext(base: string): Promise<void> {
  const there = methodsOn(document);
  const missing = there && missingOf(there);
  if (missing) {
    console.warn(
      `webagent: this page's \`document.modelContext\` has no \`${missing}\`, so tools on it stay out; ` +
        "leave it to the browser or to modelcontext.js",
    );
  }
  if (there) return;
  if (!isSecureContext) {
    console.warn(
      "webagent: this page has no secure origin, so its forms and scripts offer no tools; " +
        "open it by https, or as localhost",
    );
    return;
  }
  try {
    await loadChunk(base, "modelcontext");
  } catch (thrown) {
    console.warn(`webagent: forms and scripts offer no tools: ${describeThrown(thrown)}`);
  }
}
