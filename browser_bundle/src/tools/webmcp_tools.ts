/** Tools of scripts and forms on `document.modelContext`, in all frames that expose them. */
import { describeThrown, WebagentError, type ErrorKind } from "../base/errors.ts";
import { announceCall } from "../base/results.ts";
import { decode, jsonText, MAX_CHARS, Pending, type Encoded } from "../base/values.ts";
import type { OfferedTool, Running, Target, ToolPlace, ToolSource } from "./offers.ts";
import { modelContextOf, type ModelContext, type RegisteredTool } from "./webmcp_api.ts";

/** How long a filled form without a person may take, in case its page sends it by itself. */
const FILLED_MS = 250;
/** How long the next document may take after a form was sent. */
const LEAVE_MS = 10_000;

export class WebMcpTools implements ToolSource {
  #context: ModelContext;
  #fromOrigins: string[];
  #isOurs: (name: string) => boolean;
  #tools = new Map<string, { tool: RegisteredTool; form: HTMLFormElement | undefined; attended: boolean }>();

  /**
   * @param fromOrigins Origins whose frames may expose tools to us.
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
    this.#tools.clear();
    return registered.map((tool) => {
      const forms = frames.get(tool.window) ?? new FrameForms(tool.window);
      frames.set(tool.window, forms);
      const form = forms.find(tool);
      const listed = offeredTool(tool, form);
      this.#tools.set(keyOf(listed), { tool, form, attended: listed.attended === true });
      return listed;
    });
  }

  /** The registered tools; none where the page's policy or state forbids reading them. */
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

  placeOf(target: Target): ToolPlace {
    const found = this.#tools.get(keyOf(target));
    const view = found?.tool.window ?? window;
    return { place: found?.form ?? view, view, hints: found?.tool.annotations };
  }

  async call(target: Target, input: Record<string, Encoded>, running: Running): Promise<unknown> {
    const found = this.#tools.get(keyOf(target));
    if (!found) throw pageGone(target);
    const { tool, form, attended } = found;
    const owner = attended ? contextOf(tool.window) : undefined;
    const given = decode(input) as Record<string, unknown>;
    let activated = (_: Event): void => {};
    const filled = new Promise<Pending>((resolve) => {
      activated = (event) => {
        if ((event as Event & { toolName?: string }).toolName !== tool.name) return;
        if (running.hasPerson) running.progress("the form is filled and waits for a person to submit it");
        else setTimeout(() => resolve(new Pending(filledIn(form, given))), FILLED_MS);
      };
    });
    owner?.addEventListener("toolactivated", activated);
    const { signal, progress, ask } = running;
    const takeBack = form ? () => {} : announceCall(tool.window, tool.name, { signal, progress, ask });
    try {
      // Of a form that is pending the result comes later, for nobody: the person may still send it.
      const result = this.#context.executeTool(tool, given, { signal });
      const text = await Promise.race([result, filled]);
      if (text instanceof Pending) return text;
      if (text === null && form && leavesPage(form)) await pause(LEAVE_MS, signal);
      return read(text);
    } catch (thrown) {
      if (thrown instanceof WebagentError) throw thrown;
      throw errorFor(thrown, tool, running.signal);
    } finally {
      owner?.removeEventListener("toolactivated", activated);
      takeBack();
    }
  }
}

/** Whether the platform accepts an origin; a refused one would make the whole call fail. */
function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  const local = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === "https:" || (protocol === "http:" && local)) return true;
  console.warn(
    `webagent: \`${origin}\` in webmcp-origins is not secure, so its tools are left out; write an https address`,
  );
  return false;
}

function offeredTool(tool: RegisteredTool, form: HTMLFormElement | undefined): OfferedTool {
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

/** The values of a form's controls for the parameters of a call. */
function filledIn(form: HTMLFormElement | undefined, given: Record<string, unknown>): Record<string, unknown> {
  const filled: Record<string, unknown> = { ...given };
  // A control may be named `elements`, which hides the list of all.
  const { get } = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, "elements") ?? {};
  const controls = form && get ? [...(get.call(form) as Iterable<HTMLInputElement>)] : [];
  for (const name of Object.keys(given)) {
    const held = controls.filter((control) => control.name === name);
    const [first] = held;
    if (typeof given[name] === "string" && held.length === 1 && typeof first?.value === "string") {
      filled[name] = first.value;
    }
  }
  return filled;
}

/** Whether sending a form that its page does not handle shows another document in its own frame. */
function leavesPage(form: HTMLFormElement): boolean {
  const target = (attributeOf(form, "target") ?? "").toLowerCase();
  return ["", "_self", "_top", "_parent"].includes(target) && attributeOf(form, "method")?.toLowerCase() !== "dialog";
}

/** Wait for a while, or for the end of a call. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

function contextOf(frame: Window): ModelContext | undefined {
  try {
    return modelContextOf(frame.document);
  } catch {
    // The frame has another origin.
    return undefined;
  }
}

function keyOf({ name, origin, frame }: Target): string {
  return jsonText([name, origin, frame]);
}

/** The platform returns text; a text that is a JSON object or list is parsed. */
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
  DataError: "invalid_arguments",
};

function errorFor(thrown: unknown, tool: RegisteredTool, signal: AbortSignal): WebagentError {
  if (signal.aborted) {
    return new WebagentError({ kind: "cancelled", message: `the call of \`${tool.name}\` was cancelled` });
  }
  if (!isPresent(tool.window)) return frameGone();
  const message = thrown instanceof Error || thrown instanceof DOMException ? thrown.message : "";
  // Forms report what is wrong with their input, but browsers hide why a script failed.
  if (/^(Form validation failed|Invalid value|Input contains a parameter|JSON input)/.test(message)) {
    return new WebagentError({ kind: "invalid_arguments", message: message });
  }
  if (message.startsWith("The operation failed for an unknown transient reason")) return pageGone(tool);
  if (message.startsWith("Tool was executed but the invocation failed")) {
    return new WebagentError({
      kind: "threw",
      message: `\`${tool.name}\` failed, and the browser does not say why`,
      help: "see the page's console",
    });
  }
  const name = (thrown as { name?: unknown } | null)?.name;
  const kind = KINDS[String(name)] ?? "threw";
  return new WebagentError({ kind, message: message || describeThrown(thrown) });
}

function pageGone({ name }: { name: string }): WebagentError {
  return new WebagentError({
    kind: "missing_function",
    message: `the page no longer has a tool \`${name}\``,
    help: "ask for the list of tools again",
  });
}

/**
 * The forms of a frame that may be tools, open shadow roots included, by name and description.
 *
 * The platform does not say which tools are forms.
 */
class FrameForms {
  #forms = new Map<string, HTMLFormElement>();

  /** A frame of another origin is treated as having no forms. */
  constructor(frame: Window) {
    try {
      for (const root of rootsOf(frame.document)) {
        for (const form of root.querySelectorAll<HTMLFormElement>("form[toolname]")) {
          const name = attributeOf(form, "toolname") ?? "";
          const key = formKeyOf(name, attributeOf(form, "tooldescription") ?? "");
          if (!this.#forms.has(key)) this.#forms.set(key, form);
        }
      }
    } catch {
      // The frame has another origin.
    }
  }

  /** The form of a tool; undefined for a tool of a script. */
  find(tool: { name: string; description: string }): HTMLFormElement | undefined {
    return this.#forms.get(formKeyOf(tool.name, tool.description));
  }
}

/** An attribute of a form; a control named `getAttribute` hides the method of the form itself. */
function attributeOf(form: HTMLFormElement, name: string): string | null {
  return Element.prototype.getAttribute.call(form, name);
}

function formKeyOf(name: string, description: string): string {
  return jsonText([name, description]);
}

/** A document and its open shadow roots, including nested ones. */
function* rootsOf(root: Document | ShadowRoot): Generator<Document | ShadowRoot> {
  yield root;
  for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) yield* rootsOf(element.shadowRoot);
  }
}

/** Numbers of the frames of a page, in the order in which they were first seen. */
const frameNumbers = new WeakMap<Window, number>();
let lastFrameNumber = 0;

/** The number of a frame; undefined for this window itself. */
function frameNumber(frame: Window): number | undefined {
  if (frame === window) return undefined;
  if (!frameNumbers.has(frame)) numberFrames(window.top ?? window);
  if (!frameNumbers.has(frame)) frameNumbers.set(frame, ++lastFrameNumber);
  return frameNumbers.get(frame);
}

/** The error of a call whose frame was removed. */
export function frameGone(): WebagentError {
  return new WebagentError({
    kind: "page_gone",
    message: "the frame that had the tool went away before it answered",
    help: "ask for the list of tools again",
  });
}

/** Whether a window is still in the page. */
export function isPresent(frame: Window): boolean {
  return frame === window || (!frame.closed && frame.top === window.top);
}

function numberFrames(root: Window): void {
  if (!frameNumbers.has(root) && root !== window) frameNumbers.set(root, ++lastFrameNumber);
  for (let i = 0; i < root.length; i++) numberFrames(root[i] as Window);
}
