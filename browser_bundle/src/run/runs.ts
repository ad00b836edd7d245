/** Runs of the agent in this page: starts them, takes them up again, asks the person meanwhile. */
import type { Runtime, SessionBridge } from "../boot/runtime.ts";
import { WebagentError, describeThrown, isWebagentError } from "../errors.ts";
import { createFetchBridge, createModelBridge } from "../llm/index.ts";
import type * as PanelScript from "../panel/index.ts";
import type { PanelAgent } from "../panel/panel.ts";
import { part } from "../parts.ts";
import { toPython, type Answer, type Ask, type Request } from "./person.ts";
import { RunKeeper } from "./resume.ts";

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

export interface AgentEvent {
  run_id: string;
  type: string;
  [field: string]: unknown;
}

/** The outcome of a run; `webagent.agent.result`. */
export type RunOutcome = { ok: boolean; text: string; run_id: string } & Record<string, unknown>;

/** What the page's author set for runs. */
export interface RunSettings {
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
  visitor: Ask | undefined;
  /** What has happened in the last run of this page, for whoever comes later. */
  heard: AgentEvent[] = [];
  #events: PanelAgent;
  #start: () => Promise<Runtime>;
  #settings: RunSettings;
  #keeper: RunKeeper;
  #ask: Ask | undefined;
  #runtime: Runtime | undefined;
  /** Whether a run is under way, or about to be. */
  #busy = false;

  /**
   * @param events The agent, where the runtime's events are heard.
   * @param start Starts Python, if it has not been started.
   */
  constructor(events: PanelAgent, start: () => Promise<Runtime>, settings: RunSettings) {
    this.#events = events;
    this.#start = start;
    this.#settings = settings;
    events.addEventListener("agent", (event) => this.#hear((event as CustomEvent<AgentEvent>).detail));
    this.#keeper = new RunKeeper({
      resume: () => void this.#resume(),
      abandon: () => this.#runtime?.abandon_run(),
    });
  }

  /** Work on a goal until it is reached, given up or stopped. */
  async run(goal: string, options: RunOptions = {}): Promise<RunOutcome> {
    const { signal, onEvent, approve, model = this.#settings.model, budget = {} } = options;
    if (this.#busy) {
      throw new WebagentError({
        kind: "denied",
        message: "the agent works on another goal",
        help: "wait for it, or call `webagent.stop()` first",
      });
    }
    const asked = {
      model,
      budget,
      isolation: this.#settings.isolation,
      allow: Array.isArray(approve) ? approve : [],
      allow_writes: approve === true,
    };
    const hear = (event: Event) => onEvent?.((event as CustomEvent<AgentEvent>).detail);
    const stop = () => this.#runtime?.stop_run("it was stopped by who started it");
    this.#busy = true;
    this.#ask = typeof approve === "function" ? approve : undefined;
    this.#events.addEventListener("agent", hear);
    signal?.addEventListener("abort", stop);
    try {
      const runtime = (this.#runtime = await this.#start());
      await this.#keeper.begin();
      if (signal?.aborted) {
        this.#keeper.end();
        throw new WebagentError({ kind: "cancelled", message: "the run was stopped" });
      }
      const text = await runtime.run(String(goal), JSON.stringify(asked), this.#session);
      return JSON.parse(text) as RunOutcome;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#events.removeEventListener("agent", hear);
      this.#ask = undefined;
      this.#busy = false;
    }
  }

  /** Go on with the run that the page before this one left, if there is one for this page. */
  async goOn(): Promise<void> {
    if (await this.#keeper.takeUp()) await this.#resume();
  }

  async #resume(): Promise<void> {
    this.#busy = true;
    try {
      this.#runtime = await this.#start();
      await this.#runtime.resume(this.#session);
    } finally {
      this.#busy = false;
    }
  }

  #hear(event: AgentEvent): void {
    if (event.type === "started") this.heard = [];
    // Pieces of a text are told once more as a whole, and of what is sent the last counts.
    if (event.type === "text" && !event["final"]) return;
    if (event.type === "sent") this.heard = this.heard.filter(({ type }) => type !== "sent");
    this.heard.push(event);
  }

  /** A run that a script started asks in the panel too, which nobody has opened yet. */
  async #panel(): Promise<Ask | undefined> {
    const { panel, base } = this.#settings;
    if (!panel || window.top !== window) return undefined;
    const { openPanel } = await part<typeof PanelScript>(base, "panel");
    const opened = openPanel(this.#events);
    return (request) => opened.ask(request);
  }

  #session: SessionBridge = {
    ...createFetchBridge(),
    ...createModelBridge(),
    ask: async (text) => {
      try {
        const ask = this.#ask ?? this.visitor ?? (await this.#panel());
        if (!ask) return '{"yes":false,"text":"nobody is there to be asked"}';
        const answer = (await ask(JSON.parse(text) as Request)) as Answer;
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

