/** All tools of the page, in whatever way it offers them. */
import { WebagentError } from "../base/errors.ts";
import type { ToolPart } from "../base/agent_access.ts";
import type { Encoded } from "../base/values.ts";
import { ownOrigin } from "../components/allowed_origins.ts";
import { componentInternals, ComponentTools } from "./component_tools.ts";
import { callFunction, presentFunctions, undeclaredFunctions } from "./global_functions.ts";
import type { LoadClosedParts, OfferedTool, Offers, Running, Target, ToolSource } from "./offers.ts";
import { modelContextOf } from "./webmcp_api.ts";
import { WebMcpRegistration, type ExposedTool, type Invoke } from "./webmcp_registration.ts";
import { WebMcpTools } from "./webmcp_tools.ts";

/** The longest delay of a browser's timer; with a longer one it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const OPEN: ToolPart = { isOpen: true, seen: (result) => result };

export class PageTools {
  #modelContext: WebMcpTools | undefined;
  #components: ComponentTools | undefined;
  #exposed: WebMcpRegistration | undefined;
  #onChange: () => void;
  #running = new Map<number, AbortController>();
  #lookForUndeclared: boolean;
  #loadClosedParts: LoadClosedParts;

  /**
   * @param invoke Calls a tool of the registry with named arguments, for `expose`.
   * @param fromOrigins Origins of frames that may show tools of `document.modelContext`.
   * @param lookForUndeclared Whether to list functions that the manifest does not name.
   * @param onChange Called when the page may offer other tools.
   * @param loadClosedParts Loads the functions that find the parts closed to agents.
   */
  constructor(
    invoke: Invoke,
    fromOrigins: string[],
    lookForUndeclared: boolean,
    onChange: () => void,
    loadClosedParts: LoadClosedParts,
  ) {
    this.#loadClosedParts = loadClosedParts;
    this.#onChange = onChange;
    this.#lookForUndeclared = lookForUndeclared;
    const context = modelContextOf(document);
    if (!context) return;
    this.#exposed = new WebMcpRegistration(context, invoke);
    this.#modelContext = new WebMcpTools(context, fromOrigins, this.#exposed.has);
    context.addEventListener("toolchange", onChange);
  }

  /** Offer these tools on `document.modelContext` too, in place of the earlier ones. */
  async expose(tools: ExposedTool[]): Promise<void> {
    await this.#exposed?.replace(tools);
  }

  /** @param names Functions to look for. */
  async offers(names: string[]): Promise<Offers> {
    const lists = await Promise.all(this.#sources().map((source) => this.#listOf(source)));
    return {
      functions: presentFunctions(names),
      undeclared: this.#lookForUndeclared ? undeclaredFunctions(names) : [],
      tools: lists.flat(),
      unknown_modes: this.#lookForUndeclared ? (await this.#loadClosedParts()).unknownModes(document) : [],
      path: location.pathname,
      origin: ownOrigin(),
    };
  }

  /**
   * Call a target, and wait up to the time limit.
   *
   * @param args In order for a function, an object for all other targets.
   * @throws WebagentError
   */
  async call(
    target: Target,
    args: Encoded[] | Record<string, Encoded>,
    callId: number,
    timeout_ms: number,
    progress: Running["progress"],
  ): Promise<unknown> {
    const end = new AbortController();
    const { signal } = end;
    this.#running.set(callId, end);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ended = new Promise<never>((_, reject) => {
      timer = setTimeout(() => end.abort("timeout"), Math.min(timeout_ms, MAX_TIMER_MS));
      signal.addEventListener("abort", () => {
        const kind = signal.reason === "timeout" ? "timeout" : "cancelled";
        reject(new WebagentError({ kind, message: `\`${target.name}\` was cancelled` }));
      });
    });
    try {
      return await Promise.race([this.#start(target, args, { signal, progress }), ended]);
    } finally {
      clearTimeout(timer);
      this.#running.delete(callId);
    }
  }

  /** Cancel a running call. */
  cancel(callId: number): void {
    this.#running.get(callId)?.abort();
  }

  /** The tools of a source that are not closed to agents. */
  async #listOf(source: ToolSource): Promise<OfferedTool[]> {
    const tools = await source.list();
    const parts = await Promise.all(tools.map((tool) => this.#partOf(source, tool)));
    return tools.filter((_, i) => parts[i]?.isOpen);
  }

  /** The part of the page that a tool is in; nothing closes the page itself. */
  async #partOf(source: ToolSource, tool: Target): Promise<ToolPart> {
    const { place, hints } = source.placeOf(tool);
    return place === top ? OPEN : (await this.#loadClosedParts()).toolPart(place, hints);
  }

  async #start(
    target: Target,
    args: Encoded[] | Record<string, Encoded>,
    running: Running,
  ): Promise<unknown> {
    if (Array.isArray(args)) return callFunction(target.name, args);
    const source = this.#sources().find((candidate) => candidate.has(target));
    const part = source && (await this.#partOf(source, target));
    if (source && part?.isOpen) return part.seen(source.call(target, args, running));
    const message = `the page has no tool \`${target.name}\``;
    throw new WebagentError({ kind: "missing_function", message });
  }

  #sources(): ToolSource[] {
    if (!this.#components) {
      // `components.js` may be loaded at any time.
      const internals = componentInternals();
      if (internals) {
        this.#components = new ComponentTools(internals);
        internals.onChange(this.#onChange);
      }
    }
    return [this.#modelContext, this.#components].filter((source) => source !== undefined);
  }
}
