/**
 * `run.js`: runs of the agent in this page. Starts them, takes them up again, asks the person meanwhile.
 *
 * Loaded with the first run, or for one that is kept over a navigation.
 */
import { describeThrown, isWebagentError, WebagentError } from "../base/errors.ts";
import { loadChunk } from "../base/lazy_chunks.ts";
import type { Runtime, SessionBridge } from "../boot/runtime.ts";
import { createModelBridge } from "../llm/builtin_model.ts";
import { createFetchBridge } from "../llm/fetch_bridge.ts";
import { toPython, type Answer, type Ask, type PanelAgent, type PanelScript, type Request } from "./person.ts";
import type { AgentEvent } from "./run_events.ts";
import { RunKeeper } from "./run_keeper.ts";
import { AllowedActions, tabStorage } from "./tab_storage.ts";

/** Which model decides; without one the agent plans by itself. */
export interface ModelOptions {
  /** `openai`: chat completions at a URL; `builtin`: the browser's own; `a2a`: a remote agent. */
  kind: "openai" | "builtin" | "a2a";
  url?: string;
  /** What the model is called there. */
  name?: string;
  context_tokens?: number;
  /** Headers to send along, none of them a key that a visitor must not see. */
  headers?: Record<string, string>;
}

export interface RunOptions {
  /** Ends the run. */
  signal?: AbortSignal;
  /** Hears the run's events as long as this page is there; later ones are `agent` events. */
  onEvent?: (event: AgentEvent) => void;
  /**
   * Who answers what the agent asks: a function; `true` to allow whatever writes, or a list of the
   * tools that may be called. Without it the panel asks the visitor.
   */
  approve?: Ask | true | string[];
  /** Another model than the page's, or null for none. */
  model?: ModelOptions | null;
  /** Limits: steps, tokens, seconds, US dollars. */
  budget?: { steps?: number; tokens?: number; seconds?: number; usd?: number };
}

/** The outcome of a run; `webagent.agent.run`. */
export type RunOutcome = { ok: boolean; text: string; run_id: string } & Record<string, unknown>;

/** What the page's author set for runs. */
interface RunSettings {
  /** The page's own model; null when it has none. */
  model: ModelOptions | null;
  isolation: "sandbox" | "page";
  /** Whether the panel is offered to visitors. */
  panel: boolean;
  /** URL of the bundle, ending in a slash. */
  base: string;
}

export class Runs {
  /** Asks the visitor; undefined until something on the page does. */
  askVisitor: Ask | undefined;
  /** Answers in the run that is under way, instead of the visitor. */
  askCaller: Ask | undefined;
  /** What has happened in the last run of this page, for whoever comes later. */
  events: AgentEvent[] = [];
  #agent: PanelAgent;
  #start: () => Promise<Runtime>;
  #settings: RunSettings;
  #keeper: RunKeeper;
  #allowed: AllowedActions;
  #runtime: Runtime | undefined;
  /** The run that is under way here, or about to be. */
  #current: CurrentRun | undefined;

  /**
   * @param events The agent, where the runtime's events are heard.
   * @param start Starts Python, if it has not been started.
   */
  constructor(events: PanelAgent, start: () => Promise<Runtime>, settings: RunSettings) {
    this.#agent = events;
    this.#start = start;
    this.#settings = settings;
    events.addEventListener("agent", (event) => this.#onEvent((event as CustomEvent<AgentEvent>).detail));
    const storage = tabStorage();
    this.#allowed = new AllowedActions(storage);
    const owner = {
      resume: () => void this.#resume({}).catch(() => {}),
      abandon: () => {
        this.#current = this.askCaller = undefined;
        this.#runtime?.abandon_run();
      },
    };
    this.#keeper = new RunKeeper(owner, storage);
  }

  /** Work on a goal until it is reached, given up or stopped. */
  async run(goal: string, options: RunOptions = {}): Promise<RunOutcome> {
    const { signal, onEvent, approve, model = this.#settings.model, budget = {} } = options;
    if (this.#current) {
      throw new WebagentError({
        kind: "denied",
        message: "the agent works on another goal",
        help: "wait for it, or call `webagent.stop()` first",
      });
    }
    const request = {
      model,
      budget,
      isolation: this.#settings.isolation,
      allow: Array.isArray(approve) ? approve : [],
      allow_writes: approve === true,
      // Who says beforehand what may be done is not asked about the plan.
      accept: approve === true || Array.isArray(approve) ? "caller" : "ask",
      allowed: this.#allowed.names(),
    };
    const forward = (event: Event) => onEvent?.((event as CustomEvent<AgentEvent>).detail);
    const current: CurrentRun = (this.#current = {});
    const stop = () => {
      if (this.#current === current) this.stop("it was stopped by who started it");
    };
    this.askCaller = typeof approve === "function" ? approve : undefined;
    this.#agent.addEventListener("agent", forward);
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
    try {
      const runtime = (this.#runtime = await this.#start());
      if (this.#isOver(current)) throw stoppedEarly();
      await this.#keeper.begin();
      if (this.#isOver(current)) {
        this.#keeper.end();
        throw stoppedEarly();
      }
      const text = await runtime.run(String(goal), JSON.stringify(request), this.#session);
      const outcome = JSON.parse(text) as RunOutcome | null;
      if (!outcome) throw stoppedEarly();
      return outcome;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#agent.removeEventListener("agent", forward);
      if (this.#current === current) this.#current = this.askCaller = undefined;
    }
  }

  /** End the run that is under way, or about to be. */
  stop(reason: string): void {
    if (!this.#current) return;
    this.#current.stopped = true;
    this.#runtime?.stop_run(reason);
  }

  /** Go on with the run that the page before this one left, if there is one for this page. */
  async goOn(): Promise<void> {
    if (this.#current) return;
    const current: CurrentRun = (this.#current = {});
    try {
      if (await this.#keeper.takeUp()) await this.#resume(current);
    } finally {
      if (this.#current === current) this.#current = undefined;
    }
  }

  /** Go on with the run that this page holds: each time that it was taken up, once. */
  async #resume(current: CurrentRun): Promise<void> {
    this.#current = current;
    try {
      this.#runtime = await this.#start();
      // The page may have been left meanwhile; then the run goes on where it went.
      if (this.#current !== current) return;
      if (current.stopped) this.#keeper.end();
      else await this.#runtime.resume(this.#session);
    } catch (thrown) {
      // It cannot go on here; who waits for its end is to see that.
      if (this.#current === current) this.#keeper.end();
      throw thrown;
    } finally {
      if (this.#current === current) this.#current = this.askCaller = undefined;
    }
  }

  /** Whether a run that was about to begin is not to any more. */
  #isOver(current: CurrentRun): boolean {
    return this.#current !== current || current.stopped === true;
  }

  #onEvent(event: AgentEvent): void {
    if (event.type === "started") this.events = [];
    // Pieces of a text are told once more as a whole, and of what is sent the last counts.
    if (event.type === "text" && !event["final"]) return;
    if (event.type === "sent") this.events = this.events.filter(({ type }) => type !== "sent");
    this.events.push(event);
  }

  /** A run that a script started asks in the panel too, which nobody has opened yet. */
  async #panel(): Promise<Ask | undefined> {
    const { panel, base } = this.#settings;
    if (!panel || window.top !== window) return undefined;
    const { openPanel } = await loadChunk<PanelScript>(base, "panel");
    const opened = openPanel(this.#agent);
    return (request) => opened.ask(request);
  }

  #session: SessionBridge = {
    ...createFetchBridge(),
    ...createModelBridge(),
    ask: async (text) => {
      try {
        const ask = this.askCaller ?? this.askVisitor ?? (await this.#panel());
        if (!ask) return '{"yes":false,"text":"nobody is there to be asked"}';
        const request = JSON.parse(text) as Request;
        const current = this.#current;
        const answer = (await ask(request)) as Answer;
        const { session, key } = request.details;
        const lasting = session === true && answer?.yes === true && answer.session === true;
        // What is answered after the end of its run allows nothing.
        if (lasting && current && this.#current === current && !current.stopped) this.#allowed.add(key);
        return JSON.stringify(await toPython(answer));
      } catch (thrown) {
        return JSON.stringify({ yes: false, text: describeThrown(thrown) });
      }
    },
    load: async () => this.#keeper.load() ?? "",
    save: async (text) => {
      try {
        this.#keeper.save(text);
        return "";
      } catch (thrown) {
        return isWebagentError(thrown) ? thrown.kind : "internal";
      }
    },
    clear: async () => this.#keeper.end(),
  };
}

/** One run in this page, from when it was asked for. */
interface CurrentRun {
  stopped?: boolean;
}

function stoppedEarly(): WebagentError {
  return new WebagentError({ kind: "cancelled", message: "the run was stopped before it began" });
}
