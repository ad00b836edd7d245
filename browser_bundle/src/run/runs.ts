/**
 * `run.js`: runs of the agent in this page. Starts them, takes them up again, asks the person meanwhile.
 *
 * Loaded with the first run, or for one that is kept over a navigation.
 */
import { describeThrown, isWebagentError, WebagentError, type ErrorData } from "../base/errors.ts";
import { loadChunk } from "../base/lazy_chunks.ts";
import { isDataSaving } from "../base/page_events.ts";
import { valueOf, type Result } from "../base/results.ts";
import { decode, jsonText, type Encoded } from "../base/values.ts";
import type { Runtime, SessionBridge } from "../boot/runtime.ts";
import { createModelBridge } from "../llm/page_models.ts";
import { createAuthorizer, createFetchBridge } from "../llm/fetch_bridge.ts";
import { toPython, type Answer, type Ask, type Grant, type OfferedGrant, type PanelAgent, type PanelScript, type Request } from "./person.ts";
import type { AgentEvent, KnownCall } from "./run_events.ts";
import { RunKeeper } from "./run_keeper.ts";
import { pageLanguage, siteTexts } from "./site_texts.ts";
import { AllowedActions, RecentRuns, tabStorage } from "./tab_storage.ts";

/** The model that decides; without one the agent plans by itself. */
interface ModelOptions {
  /**
   * `builtin`: the browser's own; `module`: a module of this site; `a2a`: a remote agent; otherwise a
   * provider in the reference of models. Callers may write `kind`, its older name.
   */
  provider: string;
  url?: string;
  /** Name of the model at that service. */
  name?: string;
  context_tokens?: number;
  /** How it uses the tools of the page; `both` if left out. */
  offer?: "native" | "code" | "both";
  /** US dollars for a million tokens. */
  prices?: { prompt: string; completion: string; cached?: string };
  /** `context_tokens`, `offer` and prices as `data-llm` has them: `context_tokens=64000&prompt=0.20&completion=0.80`. */
  settings?: string;
  /** Headers of requests. Visitors can read them, so they must not hold a secret key. */
  headers?: Record<string, string>;
  /** The model that replies for the rest of a run in which this one fails. */
  fallback?: ModelOptions;
}

/** Options of `webagent.run()`. */
export interface RunOptions {
  /** Ends the run. */
  signal?: AbortSignal;
  /** Called with the run's events on this page; on later pages they are `agent` events. */
  onEvent?: (event: AgentEvent) => void;
  /**
   * How requests of the agent are answered: by a function, with `true` (allow all writes), or by a
   * list of allowed tools. Without it the panel asks the visitor.
   */
  approve?: Ask | true | string[];
  /** Answers the requests that `true` or a list does not; without it the panel asks the visitor. */
  ask?: Ask;
  /** Another model than the page's, or null for none. */
  model?: ModelOptions | null;
  /** Limits: steps, tokens, seconds, US dollars. */
  budget?: { steps?: number; tokens?: number; seconds?: number; usd?: number };
  /** JSON Schema of the data that are wanted; the run fails with `invalid_result` without such data. */
  schema?: object;
  /** The only call of the run, of a tool of the site's own manifest; nothing else is decided. */
  call?: KnownCall;
}

/** The outcome of a run; `webagent.agent.run`. */
type RunOutcome = { ok: boolean; text: string; run_id?: string } & Record<string, unknown>;

/** An action as a run is offered it; what is left out stays as the action has it. */
export interface ActionDefinition {
  name: string;
  description?: string;
  /** JSON Schema of one object. */
  parameters?: object;
}

/** Changes the actions that a run is offered, from its next step on. */
export type Offer = (how: "set_definitions" | "add_definitions", definitions: ActionDefinition[]) => Promise<void>;

/** A run: the promise of its outcome, and the actions that it is offered. */
export interface ActiveRun extends Promise<RunOutcome> {
  /** Offer these actions and no others; rejects if there is no action of a name, or the run is over. */
  setDefinitions: (definitions: ActionDefinition[]) => Promise<void>;
  /** Offer these actions too; one of the same name is replaced. */
  addDefinitions: (definitions: ActionDefinition[]) => Promise<void>;
}

/** `data-llm` and `data-llm-fallback` as they are written, and the URL that theirs are relative to. */
export type ModelAttributes = [llm: string | undefined, fallback: string | undefined, base: string];

/** Options of the page for runs. */
interface RunSettings {
  /** The page's own model. */
  llm: ModelAttributes;
  /** The development server's socket; null in production. */
  live: string | null;
  isolation: "sandbox" | "page";
  /** Whether the panel is offered to visitors. */
  panel: boolean;
  /** URL of the bundle, ending in a slash. */
  base: string;
  /** Where the page reports how tools are used; null if nobody counts. */
  usage: string | null;
}

/** The model of the page with its fallback, null for none. */
export function modelsOf(...[first, second, base]: ModelAttributes): ModelOptions | null {
  const model = modelOf(first, base);
  const fallback = modelOf(second, base);
  if (fallback && !model) console.warn("webagent: data-llm-fallback needs data-llm");
  return model && fallback ? { ...model, fallback } : model;
}

/**
 * `builtin`, or `PROVIDER+URL#NAME&SETTINGS`, such as `anthropic+/llm#claude-haiku-4-5`. A URL alone is a service
 * of chat completions.
 */
function modelOf(value: string | undefined, base: string): ModelOptions | null {
  if (!value) return null;
  if (value === "builtin") return { provider: value };
  const [prefix, provider = "openai-chat"] = /^(?:([a-z0-9-]+)\+)?/.exec(value) as unknown as [string, string?];
  const url = new URL(value.slice(prefix.length), base);
  const [name = "", ...settings] = url.hash.slice(1).split("&");
  url.hash = "";
  return {
    provider,
    url: url.href,
    ...(name && { name: decodeURIComponent(name) }),
    ...(settings[0] && { settings: settings.join("&") }),
  };
}

/** Return the page's models; the development server's own ones require the token of the page. */
export function withToken(model: ModelOptions | null, live: string | null): ModelOptions | null {
  return model && live ? authorized(model, live) : model;
}

function authorized(model: ModelOptions, live: string): ModelOptions {
  const { fallback, provider, url } = model;
  const token = new URL(live).searchParams.get("token");
  const own = token !== null && url?.startsWith(new URL("./", live).href) && provider !== "a2a" && provider !== "module";
  return {
    ...model,
    ...(own && { headers: { "x-webagent-token": token } }),
    ...(fallback && { fallback: authorized(fallback, live) }),
  };
}

export class Runs {
  /** Asks the visitor; undefined until the panel or a script sets it. */
  askVisitor: Ask | undefined;
  /** Answers in the current run, instead of the visitor. */
  askCaller: Ask | undefined;
  /** Report whether the last run has helped; undefined if nobody counts. */
  rate: ((helpful: boolean) => void) | undefined;
  /** The page's own model; null when it has none. */
  readonly model: ModelOptions | null;
  /** Events of the last run of this page, for listeners that come later. */
  events: AgentEvent[] = [];
  #agent: PanelAgent;
  #start: () => Promise<Runtime>;
  #settings: RunSettings;
  #keeper: RunKeeper;
  #allowed: AllowedActions;
  #recent: RecentRuns;
  #runtime: Runtime | undefined;
  /** The current run of this page, or one that is about to begin. */
  #current: CurrentRun | undefined;

  /**
   * @param agent Dispatches the runtime's events.
   * @param start Starts Python, if it has not been started.
   */
  constructor(agent: PanelAgent, start: () => Promise<Runtime>, settings: RunSettings) {
    this.#agent = agent;
    this.#start = start;
    this.#settings = settings;
    this.model = modelsOf(...settings.llm);
    agent.addEventListener("agent", (event) => this.#onEvent((event as CustomEvent<AgentEvent>).detail));
    if (settings.usage) this.rate = new UsageReport(agent, settings.usage).rate;
    agent.addEventListener("forget", () => {
      this.events = [];
      this.#allowed.clear();
    });
    const storage = tabStorage();
    this.#allowed = new AllowedActions(storage);
    this.#recent = new RecentRuns(storage);
    const owner = {
      resume: () => void this.#resume({}).catch(() => {}),
      abandon: () => {
        const left = this.#current;
        this.#current = this.askCaller = undefined;
        this.#runtime?.abandon_run();
        left?.leave?.(leftBehind());
      },
    };
    this.#keeper = new RunKeeper(owner, storage);
  }

  /**
   * Work on a goal until the agent reaches it, gives up or is stopped.
   *
   * @param onBegin Takes what changes the run's actions, once it has begun.
   */
  async run(goal: string, options: RunOptions = {}, onBegin?: (offer: Offer) => void): Promise<RunOutcome> {
    const { signal, onEvent, approve, ask, model = withToken(this.model, this.#settings.live), budget = {}, schema, call } = options;
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
      // A caller that has allowed actions in advance is not asked about the plan.
      accept: approve === true || Array.isArray(approve) ? "caller" : "ask",
      ...(schema !== undefined && { schema: JSON.parse(asJson(schema, "schema")) as unknown }),
      ...(call !== undefined && { call: JSON.parse(asJson(call, "call")) as unknown }),
    };
    const forward = (event: Event) => onEvent?.((event as CustomEvent<AgentEvent>).detail);
    const current: CurrentRun = (this.#current = {});
    const left = leavingOf(current);
    const stop = () => {
      if (this.#current === current) this.stop("it was stopped by its caller");
    };
    this.askCaller = typeof approve === "function" ? approve : ask;
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
      const given = jsonText({ ...request, allowed: this.#allowed.names() });
      const working = runtime.run(String(goal), given, this.#session);
      onBegin?.((how, definitions) => this.#offer(runtime, current, how, definitions));
      const text = await Promise.race([working, left]);
      const outcome = JSON.parse(text) as RunOutcome | null;
      if (!outcome) throw stoppedEarly();
      // A run that never began has no id.
      if (!outcome.ok && outcome.run_id === undefined) throw new WebagentError(outcome["error"] as ErrorData);
      return outcome;
    } catch (thrown) {
      const outcome = this.#endLost(current, thrown);
      if (outcome) return outcome;
      throw thrown;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#agent.removeEventListener("agent", forward);
      if (this.#current === current) this.#current = this.askCaller = undefined;
    }
  }

  /** End the current run, or one that is about to begin. */
  stop(reason: string): void {
    if (!this.#current) return;
    this.#current.stopped = true;
    this.#runtime?.stop_run(reason);
  }

  /** The runtime is gone, and the run under way with it. */
  lose(error: WebagentError): void {
    this.#runtime = undefined;
    this.#current?.leave?.(error);
  }

  /** A goal is likely to follow: start what its run needs, unless the visitor pays for it or has a small device. */
  prepare(): void {
    if (isDataSaving()) return;
    this.#start().catch(() => {});
    loadChunk(this.#settings.base, "dom").catch(() => {});
  }

  pause(): void {
    this.#runtime?.pause_run();
  }

  unpause(): void {
    this.#runtime?.continue_run();
  }

  /** Whether a run is under way on this page, or about to begin. */
  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** The grants of the visitor for the session, the oldest first. */
  allowed(): Grant[] {
    return this.#allowed.list();
  }

  /** Take back what the visitor has allowed, also in the current run; returns whether it was allowed. */
  revoke(key: string): boolean {
    this.#runtime?.revoke(key);
    return this.#allowed.remove(key);
  }

  /** A screenshot of this page's last run, or a file that a tool returned in it; null for any other name. */
  async file(runId: string, name: string): Promise<File | null> {
    const text = await this.#runtime?.file(runId, name);
    return text ? (decode(JSON.parse(text) as Encoded) as File) : null;
  }

  /** Resume the run of the previous page, if it was handed on to this page. */
  async resumePrevious(): Promise<void> {
    if (this.#current) return;
    const current: CurrentRun = (this.#current = {});
    try {
      if (await this.#keeper.takeUp()) await this.#resume(current);
    } finally {
      if (this.#current === current) this.#current = undefined;
    }
  }

  /** Resume the run that this page holds; called once for each take-over. */
  async #resume(current: CurrentRun): Promise<void> {
    this.#current = current;
    try {
      this.#runtime = await this.#start();
      // The page may have been left meanwhile; then the run continues on the next page.
      if (this.#current !== current) return;
      if (current.stopped) this.#keeper.end();
      else await Promise.race([this.#runtime.resume(this.#session, jsonText(this.#allowed.names())), leavingOf(current)]);
    } catch (thrown) {
      // The page was left, and the run goes on in the next one.
      if (this.#current !== current) return;
      this.#endLost(current, thrown);
      // The run cannot continue here; its storage must show that it has ended.
      this.#keeper.end();
      throw thrown;
    } finally {
      if (this.#current === current) this.#current = this.askCaller = undefined;
    }
  }

  async #offer(runtime: Runtime, run: CurrentRun, ...[how, definitions]: Parameters<Offer>): Promise<void> {
    const text = asJson(definitions, "definitions");
    if (this.#current !== run) throw runIsOver();
    valueOf(JSON.parse(await runtime[how](text)) as Result);
  }

  /** End a run that has begun, and whose runtime is lost: Python cannot report it. */
  #endLost(current: CurrentRun, thrown: unknown): RunOutcome | undefined {
    const { begun } = current;
    if (!begun || !isWebagentError(thrown) || thrown.kind !== "runtime_lost") return undefined;
    this.#keeper.end();
    const { run_id, goal } = begun;
    const end = { run_id, ok: false, text: "", error: thrown.toJSON() };
    const { steps, seconds, prompt, completion, cached, usd } = this.events.findLast((event) => event.type === "spent") ?? NOTHING_SPENT;
    this.#agent.dispatchEvent(new CustomEvent("agent", { detail: { ...end, type: "finished" } }));
    const spent = { steps, seconds, prompt, completion, cached, usd };
    return { ...end, goal, steps, spent, files: [], logs: [], calls: [], duration_ms: seconds * 1000 };
  }

  /** Whether a run was stopped or abandoned before it began. */
  #isOver(current: CurrentRun): boolean {
    return this.#current !== current || current.stopped === true;
  }

  #onEvent(event: AgentEvent): void {
    if (event.type === "started") {
      this.events = [];
      if (this.#current) this.#current.begun = event;
    }
    // The whole text follows its pieces, and only the last `sent` event matters.
    if (event.type === "text" && !event["final"]) return;
    if (event.type === "sent") this.events = this.events.filter(({ type }) => type !== "sent");
    this.events.push(event);
  }

  /** Asks in this page, also where the caller of a run answers; undefined if nobody is there. */
  async inPage(): Promise<Ask | undefined> {
    return this.askVisitor ?? this.#panel();
  }

  /** Opens the panel for a run that a script started. */
  async #panel(): Promise<Ask | undefined> {
    const { panel, base } = this.#settings;
    if (!panel || window.top !== window) return undefined;
    const { openPanel } = await loadChunk<PanelScript>(base, "panel");
    const opened = await openPanel(this.#agent);
    return (request) => opened.ask(request);
  }

  #session: SessionBridge = {
    ...createFetchBridge(),
    ...createModelBridge(),
    ask: async (text) => {
      try {
        const ask = this.askCaller ?? (await this.inPage());
        if (!ask) return '{"yes":false,"text":"there is nobody to ask"}';
        const request = JSON.parse(text) as Request;
        const current = this.#current;
        const answer = (await ask(request)) as Answer;
        const grant = grantOf(request, answer);
        // An answer after the end of its run allows nothing.
        if (grant && current && this.#current === current && !current.stopped) this.#allowed.add(grant.key, grant.text);
        return jsonText(await toPython(answer));
      } catch (thrown) {
        return jsonText({ yes: false, text: describeThrown(thrown) });
      }
    },
    speech: async () => jsonText({ language: pageLanguage(), texts: (await siteTexts())["agent"] }),
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
    recall: async () => this.#recent.load(),
    remember: async (text) => (this.#recent.save(text) ? "" : "too_large"),
  };
}

/** Something of a tool that the owner of the site counts: `webagent_site.usage`. */
interface UsageEvent {
  type: "call" | "refusal" | "stop" | "helpful" | "unhelpful";
  tool: string;
  duration_ms?: number;
  /** The kind of the error of a call. */
  error?: string;
}

/** Time in which events are gathered into one report. */
const REPORT_MS = 5000;
/** Most events of a report; a page that makes more calls loses the oldest. */
const MOST_EVENTS = 50;

/** Reports to the site's own server how tools are used: no arguments, no results, no words. */
class UsageReport {
  #send = createAuthorizer((url, init) => fetch(url, init));
  #url: URL;
  #events: UsageEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The tools of the last run, in the order in which they were called last. */
  #tools = new Set<string>();
  /** The tools that the visitor is asked about, by the id of the request. */
  #asked = new Map<string, string>();

  /** @param agent Fires the events of calls and runs. */
  constructor(agent: EventTarget, url: string) {
    this.#url = new URL(url);
    agent.addEventListener("call", (event) => this.#onCall((event as CustomEvent<CallEvent>).detail));
    agent.addEventListener("agent", (event) => this.#onRun((event as CustomEvent<AgentEvent>).detail));
    addEventListener("pagehide", () => this.#report());
  }

  rate = (helpful: boolean): void => {
    for (const tool of this.#tools) this.#add({ type: helpful ? "helpful" : "unhelpful", tool });
  };

  #onCall({ name, state, duration_ms, error }: CallEvent): void {
    if (duration_ms === undefined || state === "started") return;
    this.#add({ type: "call", tool: name, duration_ms, ...(error && { error: error.kind }) });
  }

  #onRun(event: AgentEvent): void {
    if (event.type === "started" && !event.resumed) this.#tools.clear();
    if (event.type === "step" && event.tool && event.state === "started") {
      this.#tools.delete(event.tool);
      this.#tools.add(event.tool);
    }
    if (event.type === "asked" && event.request.kind === "approval") {
      this.#asked.set(event.id, String(event.request.details["tool"] ?? ""));
    }
    if (event.type === "answered") {
      const tool = this.#asked.get(event.id);
      this.#asked.delete(event.id);
      if (tool && !event.yes) this.#add({ type: "refusal", tool });
    }
    // A run that was stopped has no last words.
    if (event.type === "finished" && event.error?.kind === "cancelled" && !event.text) {
      const tool = [...this.#tools].at(-1);
      if (tool) this.#add({ type: "stop", tool });
    }
  }

  #add(event: UsageEvent): void {
    this.#events = [...this.#events, event].slice(-MOST_EVENTS);
    this.#timer ??= setTimeout(() => this.#report(), REPORT_MS);
  }

  #report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events;
    this.#events = [];
    if (events.length === 0) return;
    const headers = { "content-type": "application/json" };
    // A page that is left sends it all the same. Numbers that are lost are not worth an error.
    this.#send(this.#url, { method: "POST", headers, body: jsonText({ events }), keepalive: true }).catch(() => {});
  }
}

/** An event of a call: `CallListener` in `registry/registry.py`. */
interface CallEvent {
  name: string;
  state: string;
  duration_ms?: number;
  error?: { kind: string };
}

const NOTHING_SPENT = { steps: 0, seconds: 0, prompt: 0, completion: 0, cached: 0, usd: "0" };

/** A run on this page, from the moment it was requested. */
interface CurrentRun {
  stopped?: boolean;
  /** Its first event on this page. */
  begun?: Extract<AgentEvent, { type: "started" }>;
  /** Rejects what waits for the run. */
  leave?: (error: WebagentError) => void;
}

/** Rejects when a run is left. */
function leavingOf(current: CurrentRun): Promise<never> {
  const left = new Promise<never>((_, reject) => (current.leave = reject));
  left.catch(() => {});
  return left;
}

/** The grant of an answer for the session; undefined if it has none. */
function grantOf({ details }: Request, answer: Answer | null): Grant | undefined {
  const { session, key, grants } = details;
  if (session !== true || answer?.yes !== true || answer.stop === true) return undefined;
  const offered = Array.isArray(grants) ? (grants as OfferedGrant[]) : [{ key: String(key), text: String(key) }];
  return offered.find((each) => each.key === answer.grant) ?? (answer.session === true ? offered[0] : undefined);
}

function leftBehind(): WebagentError {
  return new WebagentError({
    kind: "navigated",
    message: "the page was left, and the run goes on in the next one",
    help: "listen to `agent` events there",
  });
}

function runIsOver(): WebagentError {
  return new WebagentError({
    kind: "denied",
    message: "the run is over",
    help: "give the definitions to the next run",
  });
}

/**
 * @param path What the data are.
 * @throws WebagentError for what JSON cannot hold.
 */
function asJson(data: unknown, path: "definitions" | "schema" | "call"): string {
  try {
    return jsonText(data) ?? "null";
  } catch (thrown) {
    const message = `\`${path}\` is not plain data: ${describeThrown(thrown)}`;
    throw new WebagentError({ kind: "invalid_arguments", message, path });
  }
}

function stoppedEarly(): WebagentError {
  return new WebagentError({ kind: "cancelled", message: "the run was stopped before it began" });
}
