/** All tools of the page, in whatever way it offers them. */
import { WebagentError } from "../base/errors.ts";
import type { ToolPart } from "../base/agent_access.ts";
import { noAnswer } from "../base/results.ts";
import { copiedFiles, Pending, type Encoded } from "../base/values.ts";
import { ownOrigin } from "../components/allowed_origins.ts";
import { componentInternals, ComponentTools } from "./component_tools.ts";
import { callFunction, presentFunctions, unavailableFunctions, undeclaredFunctions } from "./global_functions.ts";
import type {
  AskCaller, LoadClosedParts, OfferedTool, Offers, Running, Target, ToolQuestion, ToolSource,
} from "./offers.ts";
import { modelContextOf } from "./webmcp_api.ts";
import { WebMcpRegistration, type ExposedTool, type Invoke } from "./webmcp_registration.ts";
import { frameGone, isPresent, WebMcpTools } from "./webmcp_tools.ts";

/** The longest delay of a browser's timer; with a longer one it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls that run report that they do, for clients that give up without a sign. */
const BEAT_MS = 5000;
const MOST_MESSAGE = 1000;
/** Refusals during one call after which its tool asks nobody any more. */
const MOST_REFUSALS = 3;

const OPEN: ToolPart = { isOpen: true, seen: (result) => result };

export class PageTools {
  #modelContext: WebMcpTools | undefined;
  #components: ComponentTools | undefined;
  #exposed: WebMcpRegistration | undefined;
  #onChange: () => void;
  #running = new Map<number, AbortController>();
  #lookForUndeclared: boolean;
  #loadClosedParts: LoadClosedParts;
  #hasPerson: () => boolean;

  /**
   * @param invoke Calls a tool of the registry with named arguments, for `expose`.
   * @param fromOrigins Origins of frames that may show tools of `document.modelContext`.
   * @param lookForUndeclared Whether to list functions that the manifest does not name.
   * @param onChange Called when the page may offer other tools.
   * @param loadClosedParts Loads the functions that find the parts closed to agents.
   * @param hasPerson Whether a person sees the page now.
   */
  constructor(
    invoke: Invoke,
    fromOrigins: string[],
    lookForUndeclared: boolean,
    onChange: () => void,
    loadClosedParts: LoadClosedParts,
    hasPerson: () => boolean,
  ) {
    this.#hasPerson = hasPerson;
    this.#loadClosedParts = loadClosedParts;
    this.#onChange = onChange;
    this.#lookForUndeclared = lookForUndeclared;
    // Offers need them in development, and can have them while Python starts.
    if (lookForUndeclared) loadClosedParts().catch(() => {});
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
      unavailable: unavailableFunctions(names),
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
   * @param report Takes the progress messages of the tool.
   * @param askCaller Takes its questions, which do not count towards the limit.
   * @throws WebagentError
   */
  async call(
    target: Target,
    args: Encoded[] | Record<string, Encoded>,
    callId: number,
    timeout_ms: number,
    report: Running["progress"],
    askCaller: AskCaller,
  ): Promise<unknown> {
    const end = new AbortController();
    const { signal } = end;
    this.#running.set(callId, end);
    const started = performance.now();
    const progress = (message: string) => void (signal.aborted || report(String(message).slice(0, MOST_MESSAGE)));
    const beat = setInterval(() => {
      progress(`\`${target.name}\` runs for ${Math.round((performance.now() - started) / 1000)} s`);
    }, BEAT_MS);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = () => {
      clearTimeout(timer);
      timer = setTimeout(() => end.abort("timeout"), Math.min(timeout_ms, MAX_TIMER_MS));
    };
    let refusals = 0;
    const askNow = async (text: string, kind: ToolQuestion["kind"]) => {
      if (signal.aborted || refusals >= MOST_REFUSALS) return noAnswer(kind);
      // The limit is the tool's; a person may take longer.
      clearTimeout(timer);
      try {
        const details = { tool: target.name };
        const asked = askCaller({ kind, text: `\`${target.name}\` asks: ${String(text).slice(0, MOST_MESSAGE)}`, details });
        const answer = await Promise.race([asked, ended]);
        if (answer?.yes !== true) refusals += 1;
        if (kind === "approval") return answer?.yes === true;
        return answer?.yes === true ? String(answer.text ?? "") : null;
      } finally {
        if (!signal.aborted) limit();
      }
    };
    let last: Promise<unknown> = Promise.resolve();
    const ask: Running["ask"] = (text, { kind } = {}) => {
      const answer = last.then(() => askNow(text, kind === "approval" ? kind : "question"));
      last = answer.catch(() => {});
      return answer;
    };
    const ended = new Promise<never>((_, reject) => {
      limit();
      signal.addEventListener("abort", () => {
        const kind = signal.reason === "timeout" ? "timeout" : "cancelled";
        reject(new WebagentError({ kind, message: `\`${target.name}\` was cancelled` }));
      });
    });
    try {
      const running = { signal, progress, ask, hasPerson: this.#hasPerson() };
      return await Promise.race([this.#start(target, args, running).then(copiedFiles), ended]);
    } finally {
      clearTimeout(timer);
      clearInterval(beat);
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
    if (Array.isArray(args)) return callFunction(target.name, args, running);
    const source = this.#sources().find((candidate) => candidate.has(target));
    const view = source?.placeOf(target).view;
    const part = source && (await this.#partOf(source, target));
    if (view && !isPresent(view)) throw frameGone();
    if (source && part?.isOpen) {
      const call = source.call(target, args, running);
      const seen = await part.seen(call);
      // The values may be masked, but not that a person has to send it.
      return seen !== (await call) && (await call) instanceof Pending ? new Pending({}) : seen;
    }
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
