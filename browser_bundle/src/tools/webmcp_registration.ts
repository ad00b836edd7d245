/** The manifest's tools on `document.modelContext`, for the browser's own agent and extensions. */
import { jsonText } from "../base/values.ts";
import type { ModelContext, ToolDefinition } from "./webmcp_api.ts";

/** A tool of the registry, as the platform takes it. */
export interface ExposedTool {
  /** The tool's name in the registry. */
  name: string;
  tool: ToolDefinition;
}

/** Calls a tool of the registry with named arguments, until the signal aborts. */
export type Invoke = (
  name: string,
  input: object,
  signal: AbortSignal | undefined,
) => Promise<unknown>;

/** Property of the context with the names, for other code that lists tools for an agent. */
const NAMES = Symbol.for("webagent.exposed");

interface Registration {
  text: string;
  end: AbortController;
}

export class WebMcpRegistration {
  #context: ModelContext;
  #invoke: Invoke;
  #registered = new Map<string, Registration>();
  #names: Set<string>;

  constructor(context: ModelContext, invoke: Invoke) {
    this.#context = context;
    this.#invoke = invoke;
    this.#names = (context as { [NAMES]?: Set<string> })[NAMES] ??= new Set();
  }

  /** Whether we registered the tool of this name in this document. */
  has = (name: string): boolean => this.#names.has(name);

  /** Register new and changed tools, and unregister removed ones. */
  async replace(tools: ExposedTool[]): Promise<void> {
    const wanted = new Map(tools.map((exposed) => [exposed.tool.name, exposed]));
    for (const [name, { text, end }] of [...this.#registered]) {
      if (jsonText(wanted.get(name)) === text) {
        wanted.delete(name);
        continue;
      }
      end.abort();
      this.#forget(name);
    }
    for (const exposed of wanted.values()) await this.#register(exposed);
  }

  async #register(exposed: ExposedTool): Promise<void> {
    const { name } = exposed.tool;
    const end = new AbortController();
    this.#registered.set(name, { text: jsonText(exposed), end });
    this.#names.add(name);
    try {
      await this.#context.registerTool(
        {
          ...exposed.tool,
          execute: (input, options) => this.#invoke(exposed.name, input, options?.signal),
        },
        { signal: end.signal },
      );
    } catch {
      // The page has its own tool of that name, or its policy forbids tools; both are the page's choice.
      this.#forget(name);
    }
  }

  #forget(name: string): void {
    this.#registered.delete(name);
    this.#names.delete(name);
  }
}
