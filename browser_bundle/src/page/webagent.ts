/** `window.webagent`: the page's agent as scripts and tests see it. */
import {
  asWebagentError, cancelledCall, describeThrown, developmentOnly, runtimeLost, WebagentError, type Problem,
} from "../base/errors.ts";
import { loadChunk } from "../base/lazy_chunks.ts";
import type { ClosedParts } from "../base/agent_access.ts";
import { isDataSaving, onNavigation, whenIdle } from "../base/page_events.ts";
import { calledWith, valueOf, type CallContext, type Result } from "../base/results.ts";
import { encodeText, jsonText } from "../base/values.ts";
import { VERSION } from "../boot/assets.ts";
import type { Progress } from "../boot/downloads.ts";
import { startAt, type Runtime, type Started, type StartReport } from "../boot/runtime.ts";
import { listedOrigins } from "../components/allowed_origins.ts";
import type { Ask, Grant } from "../run/person.ts";
import type { AgentEvent } from "../run/run_events.ts";
import type { ActionDefinition, ActiveRun, Offer, RunOptions, Runs } from "../run/runs.ts";
import { claimTab, currentVisit, endVisit } from "../run/tab_storage.ts";
import type * as Code from "../sandbox/code.ts";
import type { AskCaller } from "../tools/offers.ts";
import { PageTools } from "../tools/page_tools.ts";
import { createBridge, lazyDom } from "../tools/python_bridge.ts";
import { needModelContext } from "../tools/webmcp_api.ts";
import type { ExposedTool } from "../tools/webmcp_registration.ts";
import { ExternalCallers, type Caller } from "./external_callers.ts";
import { fetchManifest, Findings, type Finding, type ManifestText } from "./manifest.ts";
import type { Options } from "./options.ts";
import { ProgramRunner } from "./program_runner.ts";
import { ProvidedState, type ProvideOptions, type Provider } from "./provided_state.ts";

/** Whether Python runs. */
export type State = "idle" | "starting" | "ready" | "failed";

/**
 * Fires `progress`, `ready`, `manifestchange`, `toolschange`, `findings`, `call`, `agent`, `forget`, `error`; and
 * in development `mismatch`, when the result of a call is not what the manifest declares.
 */
export class WebAgent extends EventTarget {
  /** The version of the bundle. */
  readonly version = VERSION;
  /** Loads what reads this page and acts on it. */
  readonly seen: ReturnType<typeof lazyDom>;
  /** All problems so far; each was also dispatched as an `error` event. */
  readonly problems: Problem[] = [];
  #options: Options;
  #state: State = "idle";
  #started: Promise<Runtime> | undefined;
  #runtime: Runtime | undefined;
  #startedRuntime: Started | undefined;
  #page: PageTools | undefined;
  #runs: Promise<Runs> | undefined;
  #manifest: ManifestText | undefined;
  #findings = new Findings((findings) => this.#emit("findings", { findings }));
  #findingsAwaited = false;
  /** Changes of the registry, which must run one after the other. */
  #queue = new SerialQueue();
  #refreshWaits = false;
  #groups = 0;
  #callers = new ExternalCallers();
  #programRunner: ProgramRunner;
  #provided = new ProvidedState();
  #visit = currentVisit();

  constructor(options: Options) {
    super();
    this.#options = options;
    this.#programRunner = new ProgramRunner(options, (question) => this.#ask(question));
    this.seen = lazyDom(options.base, () => this.provided());
    // Another page has forgotten the visitor; one that sleeps in the back/forward cache learns of it late.
    const follow = () => void (this.#visit !== currentVisit() && this.#leaveVisit());
    for (const event of ["storage", "pageshow"]) addEventListener(event, follow);
  }

  /** Whether tools can be called. */
  get state(): State {
    return this.#state;
  }

  /** How Python was started, and why not faster; undefined until then. */
  get way(): StartReport | undefined {
    return this.#startedRuntime?.way;
  }

  /** Resolves when tools can be called; reading it starts the runtime. */
  get ready(): Promise<void> {
    return this.#start().then(() => undefined);
  }

  override addEventListener(...given: Parameters<EventTarget["addEventListener"]>): void {
    super.addEventListener(...given);
    if (given[0] === "findings") this.#findingsAwaited = true;
  }

  /** The manifest as plain data. */
  async manifest(): Promise<unknown> {
    return this.#ask(async (runtime) => JSON.parse(await runtime.manifest()) as unknown);
  }

  /** All tools of the page, each with whether it can be called now. */
  async tools(): Promise<Record<string, unknown>[]> {
    return this.#ask(async (runtime) => JSON.parse(await runtime.tools()) as Record<string, unknown>[]);
  }

  /** The TypeScript declarations that a model writes code against. */
  async typescript(): Promise<string> {
    return this.#ask((runtime) => runtime.typescript());
  }

  /** The manifest that the site should publish: its own, with the tools it does not name yet. */
  async toMarkdown(): Promise<string> {
    return this.#ask(async (runtime) => {
      await runtime.refresh();
      const description = document.querySelector<HTMLMetaElement>('meta[name="description" i]');
      return runtime.to_markdown(document.title || location.hostname, description?.content ?? "");
    });
  }

  /** Findings of the last check, and differences between the manifest and the page. */
  async findings(): Promise<Finding[]> {
    return this.#ask(async (runtime) => {
      if (this.#findings.needCheck) {
        // The checks are in Python that follows after the start; in development the server checks.
        await this.#startedRuntime?.loadRest();
        await this.#queue.add(() => this.#check(runtime));
      }
      return this.#findings.all;
    });
  }

  /**
   * Call a tool with its arguments in order, or as one object.
   *
   * @throws WebagentError whose `kind` says how it failed.
   */
  async call(name: string, ...args: unknown[]): Promise<unknown> {
    return valueOf(await this.#call(name, encodeText(args), ++this.#groups, false));
  }

  /**
   * Call a tool with named arguments.
   *
   * @throws WebagentError whose `kind` says how it failed.
   */
  async invoke(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
    const given = encodeText({ ...args });
    return valueOf(await this.#answered((runtime) => runtime.invoke(String(name), given, ++this.#groups)));
  }

  /**
   * Call a tool with named arguments, encoded like results; resolves to the result as an object.
   *
   * @param signal Cancels the call.
   */
  async result(name: string, args: object, signal: AbortSignal, caller: Caller): Promise<Result> {
    return this.#attended(name, jsonText(args), signal, caller);
  }

  /** The context of the function that is being called: `{signal, progress, ask}`; read it before you await. */
  context(): CallContext {
    return calledWith();
  }

  /**
   * Let the agent know something that matters now, such as what is selected.
   *
   * The provider is called at each step of a run; its value is data for the model, up to 2,000 characters as
   * JSON.
   *
   * @returns A function that removes it.
   * @throws WebagentError if the name or the provider is not possible.
   */
  provide(name: string, provider: Provider, options: ProvideOptions = {}): () => void {
    return this.#provided.provide(name, provider, options);
  }

  /** The values of all providers now. */
  provided(): ReturnType<ProvidedState["read"]> {
    return this.#provided.read();
  }

  /** The content of the page, as its agent sees it. */
  async snapshot(): Promise<Result> {
    return this.#ask(async (runtime) => JSON.parse(await runtime.snapshot()) as Result);
  }

  /** The prompt of a goal, without sending it to a model. */
  async prompt(goal: string): Promise<Result> {
    return this.#ask(async () => {
      const model = jsonText((await this.runs()).model);
      return JSON.parse(await (await this.#startAgent()).prompt(goal, model)) as Result;
    });
  }

  /** The text of the manifest, without starting Python; empty if there is none. */
  async manifestText(): Promise<string> {
    return (this.#manifest ?? (await fetchManifest(this.#options.manifest).catch(() => undefined)))?.text ?? "";
  }

  /** Run a program in which `global` holds the page's tools. Never throws for what it does. */
  async execute(code: string, options: Code.ExecuteOptions = {}, caller?: Caller): Promise<Result> {
    const group = ++this.#groups;
    const call = (name: string, args: string) => this.#call(name, args, group, true);
    return this.#callers.name(group, caller, () => this.#programRunner.execute(code, options, call, group));
  }

  /** Let the agent work on a goal: it plans, acts and asks until it reaches the goal or gives up. */
  run(goal: string, options: RunOptions = {}): ActiveRun {
    let begin!: (offer: Offer) => void;
    const begun = new Promise<Offer>((resolve) => (begin = resolve));
    const outcome = this.runs().then((runs) => runs.run(goal, options, begin)).catch((thrown: unknown) => {
      throw asWebagentError(thrown);
    });
    const change = async (...given: Parameters<Offer>): Promise<void> => {
      const offer = await Promise.race([begun, outcome.then(() => begun)]);
      try {
        await offer(...given);
      } catch (thrown) {
        throw asWebagentError(thrown);
      }
    };
    return Object.assign(outcome, {
      setDefinitions: (definitions: ActionDefinition[]) => change("set_definitions", definitions),
      addDefinitions: (definitions: ActionDefinition[]) => change("add_definitions", definitions),
    });
  }

  /**
   * Let `ask` answer what the agent asks, in runs that have no answerer of their own.
   *
   * @returns The events so far of the last run of this page.
   */
  async whenAsked(ask: Ask): Promise<AgentEvent[]> {
    const runs = await this.runs();
    runs.askVisitor = ask;
    return runs.events;
  }

  /** The transcript of the last run of this page; empty without one. */
  async transcript(form: "json" | "markdown" = "json"): Promise<string> {
    return this.#runtime?.transcript(form) ?? "";
  }

  /** A screenshot of this page's last run, or a file that a tool returned in it; null for any other name. */
  async file(runId: string, name: string): Promise<File | null> {
    return (await this.runs()).file(String(runId), String(name));
  }

  /** The grants that the visitor gave the agent for this session, the oldest first. */
  async allowed(): Promise<Grant[]> {
    return (await this.runs()).allowed();
  }

  /** Take back what the visitor has allowed, by its key; resolves to whether it was allowed. */
  async revoke(key: string): Promise<boolean> {
    return (await this.runs()).revoke(String(key));
  }

  /** Stop the agent, and cancel all running calls. */
  async stop(): Promise<void> {
    (await this.#runs?.catch(() => undefined))?.stop("it was stopped");
    await this.#runtime?.cancel(0);
  }

  /**
   * Forget the visitor: conversations, permissions, results and Python itself, in this and all open pages of the site.
   *
   * A site calls it when a visitor signs out without leaving the page.
   */
  async forget(): Promise<void> {
    endVisit();
    await this.#leaveVisit();
  }

  /** Run Python in the page; in development only. */
  async python(code: string): Promise<Result> {
    if (this.#options.live === null) throw developmentOnly("python()");
    const runtime = await this.#start();
    // The code may import anything; if the rest fails to load, most code still works.
    const missing = await this.#startedRuntime?.loadAll().catch(describeThrown);
    const result = JSON.parse(await runtime.python(code)) as Result;
    const help = `not all of the bundle came - ${missing}`;
    return result.ok || !missing ? result : { ...result, error: { help, ...result.error } };
  }

  /** Take a new manifest, at once or when the runtime starts. */
  replaceManifest(manifest: ManifestText): void {
    this.#manifest = manifest;
    const runtime = this.#runtime;
    if (runtime) void this.#queue.add(() => this.#load(runtime, manifest));
  }

  /**
   * Compare the manifest with the page as it is now.
   *
   * In development only; the findings become part of `findings()` by `replaceDrift`.
   */
  async compare(): Promise<Finding[]> {
    const runtime = await this.#start();
    await this.#queue.add(() => this.#refresh(runtime));
    return JSON.parse(await runtime.drift()) as Finding[];
  }

  /** Take the differences between the manifest and the page. */
  replaceDrift(findings: Finding[]): void {
    this.#findings.drifted(findings);
  }

  /** Whether the page's manifest is the one at this path of the site: `/webagents.md`. */
  uses(path: string): boolean {
    const { manifest } = this.#options;
    // A page that names no manifest takes the site's own as soon as there is one.
    return manifest === null || new URL(manifest).pathname === new URL(path, manifest).pathname;
  }

  /** Take the findings of the server. */
  replaceFindings(findings: Finding[]): void {
    this.#findings.checkedOutside(findings);
  }

  /** A text without the secrets that were typed so far; at once if Python runs on this thread. */
  masked(text: string): string | Promise<string> {
    const masked = this.#runtime?.mask(jsonText(text));
    if (masked === undefined) return text;
    return typeof masked === "string" ? String(JSON.parse(masked)) : masked.then((data) => String(JSON.parse(data)));
  }

  /** The runs of this page. */
  runs(): Promise<Runs> {
    return (this.#runs ??= loadChunk<{ Runs: typeof Runs }>(this.#options.base, "run").then(
      ({ Runs }) => new Runs(this, () => this.#startAgent(), this.#options),
    ).catch((thrown: unknown) => {
      // The next call tries again.
      this.#runs = undefined;
      throw thrown;
    }));
  }

  /** The runtime, with all modules that runs import. */
  async #startAgent(): Promise<Runtime> {
    const runtime = await this.#start(true);
    await this.#startedRuntime?.loadRest();
    // On the page's own thread it would hold up a visitor who still writes.
    if (this.#startedRuntime?.way.runtime !== "page") await runtime.prepare();
    return runtime;
  }

  #start(withAgent = false): Promise<Runtime> {
    return (this.#started ??= this.#boot(withAgent));
  }

  async #boot(withAgent: boolean): Promise<Runtime> {
    this.#state = "starting";
    try {
      const { base, live, manifest, runtime: place, usage } = this.#options;
      // An unreadable manifest is reported, but the agent starts without it.
      const fetching = fetchManifest(manifest).catch((thrown: unknown) => {
        this.#fail({ phase: "manifest", message: describeThrown(thrown) });
        return undefined;
      });
      const start = startAt(base, place, this.#visit);
      // On the page's thread Python loads meanwhile.
      const bridge = needModelContext(base).then(() => {
        this.#page ??= this.#createPage();
        return {
          ...createBridge(this.#page, this.seen, this.#programRunner.runForPython, (id, message) => this.#runtime?.progress(id, message),
            (id, question) => this.#callers.ask(id, question, async (asked) =>
              valueOf(await this.#answered((runtime) => runtime.answer(id, jsonText(asked)))) as Awaited<ReturnType<AskCaller>>)),
          emit: (event: string, detail: string) => this.#emit(event, this.#callers.detailFor(event, JSON.parse(detail))),
        };
      });
      // The start, which awaits it, sees a rejection.
      bridge.catch(() => {});
      // They count the calls.
      if (usage) this.runs().catch(() => {});
      const report = (progress: Progress) => this.#emit("progress", progress);
      const started = await start(bridge, live !== null, report, (error) => {
        this.#fail({ phase: "runtime", message: error.message });
        void this.#lose(error);
      }, withAgent);
      this.#startedRuntime = started;
      const { runtime, loadRest } = started;
      report({ phase: "manifest", loaded: 0, total: 1 });
      const fetched = await fetching;
      // A manifest that the development server sent meanwhile is newer.
      this.#manifest ??= fetched;
      if (this.#manifest) await this.#load(runtime, this.#manifest);
      else await this.#refresh(runtime);
      report({ phase: "manifest", loaded: 1, total: 1 });
      // It was lost meanwhile.
      if (this.#startedRuntime !== started) return await this.#start();
      this.#runtime = runtime;
      // An import that needs the rest earlier waits for it, or fails with a clear message.
      if (!isDataSaving()) whenIdle(() => void loadRest().catch(() => {}));
      this.#state = "ready";
      this.#emit("ready", started.way);
      return runtime;
    } catch (thrown) {
      this.#state = "failed";
      this.#fail({ phase: "start", message: describeThrown(thrown) });
      throw thrown;
    }
  }

  /** Another visitor is here from now on: drop the data of the one before. */
  async #leaveVisit(): Promise<void> {
    claimTab("");
    this.#visit = currentVisit();
    this.#emit("forget", {});
    await this.#lose(runtimeLost("the agent has forgotten the visitor"));
  }

  /** The runtime has ended, or ends now; a started one is followed by another. */
  async #lose(error: WebagentError): Promise<void> {
    const lost = this.#startedRuntime;
    const runs = this.#runs;
    this.#started = lost ? undefined : this.#started;
    this.#runtime = this.#startedRuntime = undefined;
    lost?.end(error);
    (await runs?.catch(() => undefined))?.lose(error);
    if (lost) await this.#start().catch(() => {});
  }

  #createPage(): PageTools {
    const invoke = async (name: string, input: object, signal: AbortSignal | undefined) => {
      const result = await this.#attended(name, encodeText(input), signal);
      if (!result.ok) throw new WebagentError(result.error);
      // Other tags stay, as the platform writes the value as text.
      const { value } = result;
      return (value as { $type?: unknown } | null)?.$type === "undefined" ? undefined : value;
    };
    const { base, live } = this.#options;
    const loadClosedParts = () => loadChunk<ClosedParts>(base, "dom");
    onNavigation(() => this.#changed());
    return new PageTools(invoke, [...listedOrigins()], live !== null, () => this.#changed(), loadClosedParts, hasPerson);
  }

  /** The page may offer other tools now; changes at the same time cause one refresh. */
  #changed(): void {
    const runtime = this.#runtime;
    if (!runtime || this.#refreshWaits) return;
    this.#refreshWaits = true;
    void this.#queue.add(async () => {
      this.#refreshWaits = false;
      await this.#refresh(runtime);
    });
  }

  async #refresh(runtime: Runtime): Promise<void> {
    const { tools_changed } = JSON.parse(await runtime.refresh()) as { tools_changed: boolean };
    await this.#expose(runtime);
    if (tools_changed) this.#emit("toolschange", {});
  }

  async #expose(runtime: Runtime): Promise<void> {
    if (!this.#options.expose) return;
    await this.#page?.expose(JSON.parse(await runtime.exposed()) as ExposedTool[]);
  }

  async #load(runtime: Runtime, manifest: ManifestText): Promise<void> {
    let loaded: { tools_changed: boolean };
    try {
      const text = await runtime.load_manifest(manifest.text, manifest.path);
      loaded = JSON.parse(text) as typeof loaded;
    } catch (thrown) {
      // The next runtime reads it.
      if (this.#startedRuntime?.runtime !== runtime) return;
      const message = `the manifest \`${manifest.path}\` cannot be read: ${describeThrown(thrown)}`;
      this.#fail({ phase: "manifest", message });
      return;
    }
    await this.#expose(runtime);
    this.#emit("manifestchange", { path: manifest.path });
    if (loaded.tools_changed) this.#emit("toolschange", {});
    this.#findings.manifestLoaded();
    if (this.#findingsAwaited) this.#checkWhenIdle();
  }

  async #check(runtime: Runtime): Promise<void> {
    if (this.#findings.needCheck) this.#findings.checkedHere(JSON.parse(await runtime.findings()) as Finding[]);
  }

  /** For listeners of `findings`; the server's findings may come first. */
  #checkWhenIdle(): void {
    whenIdle(() => void this.findings().catch(() => {}));
  }

  async #call(name: string, args: string, group: number, forProgram: boolean): Promise<Result> {
    return this.#answered((runtime) => runtime.call(String(name), args, group, forProgram));
  }

  #answered = async (call: (runtime: Runtime) => Promise<string>): Promise<Result> =>
    this.#ask(async (runtime) => JSON.parse(await call(runtime)) as Result);

  /** Call a tool; `signal` cancels the call. */
  async #attended(name: string, args: string, signal?: AbortSignal, caller?: Caller): Promise<Result> {
    const group = ++this.#groups;
    const giveUp = () => void this.#runtime?.cancel(group);
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      // A call that is cancelled while Python starts is never made.
      await this.#start().catch(() => undefined);
      if (signal?.aborted) throw cancelledCall(name);
      const invoke = (runtime: Runtime) => runtime.invoke(name, args, group);
      return await this.#callers.name(group, caller, () => this.#answered(invoke));
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /**
   * Call the runtime, as soon as Python has started.
   *
   * @throws WebagentError also for a failed start and for errors of Python itself.
   */
  async #ask<Answer>(question: (runtime: Runtime) => Answer | Promise<Answer>): Promise<Answer> {
    try {
      return await question(await this.#start());
    } catch (thrown) {
      throw asWebagentError(thrown);
    }
  }

  #fail(problem: Problem): void {
    this.problems.push(problem);
    this.#emit("error", problem);
  }

  #emit(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** Whether a person sees this page: it is shown, and not in the headless browser of a server. */
function hasPerson(): boolean {
  return !document.hidden && !("webagentTyping" in window);
}

/** Runs tasks one after the other. */
class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** Run a task after all earlier ones; a failure is logged and does not block later tasks. */
  add(step: () => Promise<void>): Promise<void> {
    const done = this.#last.then(step);
    this.#last = done.catch((thrown: unknown) => {
      console.error(`webagent: ${describeThrown(thrown)}`);
    });
    return done;
  }
}
