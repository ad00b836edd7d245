/** The part of `document.modelContext` (WebMCP) that we use, the browser's own or ours. */
import { describeThrown } from "../base/errors.ts";
import { loadChunk } from "../base/lazy_chunks.ts";

/** A tool in the list of a page. */
export interface RegisteredTool {
  name: string;
  title: string;
  description: string;
  inputSchema?: object;
  annotations?: object;
  window: Window;
  origin: string;
}

/** A tool as a script describes it. */
export interface ToolDefinition {
  name: string;
  title?: string;
  description: string;
  inputSchema?: object;
  annotations?: object;
}

/** The function of a tool. Chromium has the second argument since version 156. */
type Execute = (input: object, options?: { signal: AbortSignal }) => Promise<unknown>;

/** `document.modelContext`, as browsers have it. */
export interface ModelContext extends EventTarget {
  /** Offer a tool, until the signal of the options is aborted. */
  registerTool(
    tool: ToolDefinition & { execute: Execute },
    options?: { signal?: AbortSignal },
  ): Promise<void>;
  /** The tools of the page and its frames; those of other origins only where they are named. */
  getTools(options?: { fromOrigins?: string[] }): Promise<RegisteredTool[]>;
  /** Call a tool; resolves to its result as JSON. */
  executeTool(
    tool: RegisteredTool,
    input: object,
    options?: { signal?: AbortSignal },
  ): Promise<string | null>;
}

const METHODS = ["registerTool", "getTools", "executeTool", "addEventListener"] as const;

/** The context of a document; undefined without one, or where a script has put something else in its place. */
export function modelContextOf(document: Document): ModelContext | undefined {
  const there = methodsOn(document);
  return there && missingOf(there) === undefined ? there : undefined;
}

function methodsOn(document: Document): ModelContext | undefined {
  return (document as { modelContext?: ModelContext }).modelContext;
}

/** The method that a script's `modelContext` lacks; undefined if it has all. */
function missingOf(there: ModelContext): string | undefined {
  return METHODS.find((name) => typeof there[name] !== "function");
}

/**
 * Load our `document.modelContext`, or what completes the browser's own, unless a script has defined one.
 *
 * @param base URL of the bundle.
 */
export async function needModelContext(base: string): Promise<void> {
  const there = methodsOn(document);
  const missing = there && missingOf(there);
  if (missing) {
    console.warn(
      `webagent: this page's \`document.modelContext\` has no \`${missing}\`, so tools on it are left out; ` +
        "leave it to the browser or to modelcontext.js",
    );
  }
  // The browser's own is completed, which happens once.
  if (there && !`${there.getTools}`.includes("native")) return;
  if (!isSecureContext) {
    console.warn("webagent: forms and scripts offer no tools at an origin that is not secure; use https, or localhost");
    return;
  }
  try {
    await loadChunk(base, "modelcontext");
  } catch (thrown) {
    console.warn(`webagent: forms and scripts offer no tools: ${describeThrown(thrown)}`);
  }
}
