/** Tools that scripts and forms have on `document.modelContext`, in all frames that show them. */
import { WebagentError, describeThrown, type ErrorKind } from "../base/errors.ts";
import { MAX_CHARS, decode, type Encoded } from "../base/values.ts";
import { FrameForms, attributeOf } from "./forms.ts";
import { frameNumber, isPresent } from "./frames.ts";
import type { OfferedTool, Running, Target, ToolSource } from "./offers.ts";
import { modelContextOf, type ModelContext, type RegisteredTool } from "./webmcp_api.ts";

export class ModelContextTools implements ToolSource {
  #context: ModelContext;
  #fromOrigins: string[];
  #isOurs: (name: string) => boolean;
  #tools = new Map<string, { tool: RegisteredTool; attended: boolean }>();

  /**
   * @param fromOrigins Origins whose frames may show us tools.
   * @param isOurs Whether we ourselves registered a tool in this document.
   */
  constructor(context: ModelContext, fromOrigins: string[], isOurs: (name: string) => boolean) {
    this.#context = context;
    this.#fromOrigins = fromOrigins.filter(isSecure);
    this.#isOurs = isOurs;
  }

  async list(): Promise<OfferedTool[]> {
    const options = this.#fromOrigins.length ? { fromOrigins: this.#fromOrigins } : {};
    const registered = (await this.#registered(options)).filter(
      (tool) => tool.window !== window || !this.#isOurs(tool.name),
    );
    const frames = new Map<Window, FrameForms>();
    const offered = registered.map((tool) => {
      const forms = frames.get(tool.window) ?? new FrameForms(tool.window);
      frames.set(tool.window, forms);
      return offer(tool, forms.find(tool));
    });
    this.#tools = new Map(
      offered.map((listed, i) => {
        const tool = registered[i] as RegisteredTool;
        return [keyOf(listed), { tool, attended: listed.attended === true }];
      }),
    );
    return offered;
  }

  /** None where the page's policy, or its state, lets nobody ask. */
  async #registered(options: { fromOrigins?: string[] }): Promise<RegisteredTool[]> {
    try {
      return await this.#context.getTools(options);
    } catch {
      return [];
    }
  }

  has(target: Target): boolean {
    return target.kind === "modelContext" || target.kind === "form";
  }

  async call(target: Target, input: Record<string, Encoded>, running: Running): Promise<unknown> {
    const found = this.#tools.get(keyOf(target));
    if (!found) throw gone(target);
    const { tool, attended } = found;
    const owner = attended ? contextOf(tool.window) : undefined;
    const activated = (event: Event) => {
      if ((event as Event & { toolName?: string }).toolName !== tool.name) return;
      running.progress("the form is filled and waits for a person to submit it");
    };
    owner?.addEventListener("toolactivated", activated);
    try {
      const { signal } = running;
      return read(await this.#context.executeTool(tool, decode(input) as object, { signal }));
    } catch (thrown) {
      if (thrown instanceof WebagentError) throw thrown;
      throw explain(thrown, tool, running.signal);
    } finally {
      owner?.removeEventListener("toolactivated", activated);
    }
  }
}

/** Whether the platform takes an origin; one that it refuses would cost all others. */
function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  const local = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === "https:" || (protocol === "http:" && local)) return true;
  console.warn(
    `webagent: \`${origin}\` in webmcp-origins is no secure origin - its tools on ` +
      "document.modelContext stay out - write an https address",
  );
  return false;
}

function offer(tool: RegisteredTool, form: HTMLFormElement | undefined): OfferedTool {
  const frame = frameNumber(tool.window);
  return {
    kind: form ? "form" : "modelContext",
    name: tool.name,
    origin: tool.origin,
    ...(frame === undefined ? {} : { frame }),
    title: tool.title,
    description: tool.description,
    ...(tool.inputSchema ? { inputSchema: tool.inputSchema } : {}),
    ...(tool.annotations ? { annotations: tool.annotations } : {}),
    attended: form !== undefined && attributeOf(form, "toolautosubmit") === null,
  };
}

function contextOf(frame: Window): ModelContext | undefined {
  try {
    return modelContextOf(frame.document);
  } catch {
    // Of another origin.
    return undefined;
  }
}

function keyOf({ name, origin, frame }: Target): string {
  return JSON.stringify([name, origin, frame]);
}

/** The platform gives texts; one that holds an object or a list is read. */
function read(text: string | null): unknown {
  if (text === null) return null;
  if (text.length > MAX_CHARS) {
    throw new WebagentError({
      kind: "too_large",
      message: `the value is too large: it is longer than ${MAX_CHARS} characters`,
      help: "return less: a page of results, or only the fields that are needed",
    });
  }
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const KINDS: Record<string, ErrorKind> = {
  NotAllowedError: "denied",
  SecurityError: "denied",
  NotSupportedError: "origin_mismatch",
  InvalidStateError: "page_gone",
  TypeError: "invalid_arguments",
};

function explain(thrown: unknown, tool: RegisteredTool, signal: AbortSignal): WebagentError {
  if (signal.aborted) {
    return new WebagentError({ kind: "cancelled", message: `the call of \`${tool.name}\` was given up` });
  }
  if (!isPresent(tool.window)) {
    return new WebagentError({
      kind: "page_gone",
      message: "the frame that had the tool went away before it answered",
      help: "ask for the list of tools again",
    });
  }
  const said = thrown instanceof Error || thrown instanceof DOMException ? thrown.message : "";
  // A form says what is wrong with its input; why a script failed the browser hides.
  if (/^(Form validation failed|Invalid value|Input contains a parameter|JSON input)/.test(said)) {
    return new WebagentError({ kind: "invalid_arguments", message: said });
  }
  if (said.startsWith("The operation failed for an unknown transient reason")) return gone(tool);
  if (said.startsWith("Tool was executed but the invocation failed")) {
    return new WebagentError({
      kind: "threw",
      message: `\`${tool.name}\` failed, and the browser does not tell why`,
      help: "the page's console does",
    });
  }
  const name = (thrown as { name?: unknown } | null)?.name;
  const kind = KINDS[String(name)] ?? "threw";
  return new WebagentError({ kind, message: said || describeThrown(thrown) });
}

function gone({ name }: { name: string }): WebagentError {
  return new WebagentError({
    kind: "missing_function",
    message: `the page has no tool \`${name}\` any more`,
    help: "ask for the list of tools again",
  });
}
