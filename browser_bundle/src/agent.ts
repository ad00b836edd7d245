/** `window.webagent`: the page's agent as scripts and tests see it. */
import { ASSETS } from "./boot/assets.ts";
import { startRuntime, type Progress, type Runtime } from "./boot/runtime.ts";
import { createBridge } from "./bridge.ts";
import { WebagentError, describeThrown } from "./errors.ts";
import { execute, type ExecuteOptions } from "./execute.ts";
import type { Finding } from "./findings.ts";
import { fetchManifest, type ManifestText } from "./manifest.ts";
import type { Options } from "./options.ts";
import type { Result } from "./results.ts";
import { decode, encode, encodeText, type Encoded } from "./values.ts";

export type State = "idle" | "starting" | "ready" | "failed";

/** What went wrong outside of any call. */
export interface Problem {
  phase: "start" | "manifest";
  message: string;
}

/** Fires `progress`, `ready`, `manifestchange`, `toolschange`, `findings`, `call`, `error`. */
export class WebAgent extends EventTarget {
  readonly version = ASSETS.version;
  /** What went wrong so far; each was also told as an `error` event. */
  readonly problems: Problem[] = [];
  #options: Options;
  #state: State = "idle";
  #started: Promise<Runtime> | undefined;
  #runtime: Runtime | undefined;
  #manifest: ManifestText | undefined;
  #findings: Finding[] = [];
  /** The development server knows the file as it is, which may be newer than what it serves. */
  #checkedOutside = false;

  constructor(options: Options) {
    super();
    this.#options = options;
  }

  get state(): State {
    return this.#state;
  }

  /** Resolves when tools can be called; asking for it starts the runtime. */
  get ready(): Promise<void> {
    return this.#start().then(() => undefined);
  }

  /** The manifest as plain data. */
  async manifest(): Promise<unknown> {
    return JSON.parse((await this.#start()).manifest());
  }

  /** Everything the page offers, each with whether it can be called now. */
  async tools(): Promise<Record<string, unknown>[]> {
    return JSON.parse(await (await this.#start()).tools()) as Record<string, unknown>[];
  }

  /** The declarations that a model writes code against. */
  async typescript(): Promise<string> {
    return (await this.#start()).typescript();
  }

  /** The manifest written anew. */
  async toMarkdown(): Promise<string> {
    return (await this.#start()).to_markdown();
  }

  /** What the last check found in the manifest. */
  async findings(): Promise<Finding[]> {
    await this.#start();
    return this.#findings;
  }

  /**
   * Call a tool with its arguments in order.
   *
   * @throws WebagentError whose `kind` says how it failed.
   */
  async call(name: string, ...args: unknown[]): Promise<unknown> {
    return valueOf(await this.#call(name, encode(args) as Encoded[]));
  }

  /**
   * Call a tool with named arguments.
   *
   * @throws WebagentError whose `kind` says how it failed.
   */
  async invoke(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
    const runtime = await this.#start();
    return valueOf(JSON.parse(await runtime.invoke(String(name), encodeText({ ...args }))) as Result);
  }

  /** Run a program in which `global` holds the page's tools. Never throws for what it does. */
  async execute(code: string, options: ExecuteOptions = {}): Promise<Result> {
    const names = JSON.parse((await this.#start()).names()) as string[];
    return execute(code, names, (name, args) => this.#call(name, args), valueOf, options);
  }

  /** Run Python in the page; in development only. */
  async python(code: string): Promise<Result> {
    if (this.#options.live === null) {
      throw new WebagentError({
        kind: "denied",
        message: "python() works only in development",
        help: "open the page through `webagent-dev serve`",
      });
    }
    return JSON.parse(await (await this.#start()).python(code)) as Result;
  }

  /** Take a new manifest, at once or when the runtime starts. */
  replaceManifest(manifest: ManifestText): void {
    this.#manifest = manifest;
    if (this.#runtime) this.#load(this.#runtime, manifest);
  }

  /** Whether the page's manifest is the one at this path of the site: `/webagents.md`. */
  uses(path: string): boolean {
    const { manifest } = this.#options;
    // A page that names none takes the site's own as soon as there is one.
    return manifest === null || new URL(manifest).pathname === new URL(path, manifest).pathname;
  }

  /** Take what a check outside the page found. */
  replaceFindings(findings: Finding[]): void {
    this.#checkedOutside = true;
    this.#findings = findings;
    this.#emit("findings", { findings });
  }

  #start(): Promise<Runtime> {
    this.#started ??= this.#boot();
    return this.#started;
  }

  async #boot(): Promise<Runtime> {
    this.#state = "starting";
    try {
      const fetching = this.#fetchManifest();
      const bridge = createBridge((event, detail) => this.#emit(event, detail));
      const runtime = await startRuntime(this.#options.base, bridge, (p) => this.#progress(p));
      this.#progress({ phase: "manifest", loaded: 0, total: 1 });
      const fetched = await fetching;
      // One that the development server sent meanwhile is newer.
      this.#manifest ??= fetched;
      if (this.#manifest) this.#load(runtime, this.#manifest);
      this.#progress({ phase: "manifest", loaded: 1, total: 1 });
      this.#runtime = runtime;
      this.#state = "ready";
      this.#emit("ready", {});
      return runtime;
    } catch (thrown) {
      this.#state = "failed";
      this.#fail({ phase: "start", message: describeThrown(thrown) });
      throw thrown;
    }
  }

  /** A page without a readable manifest still has an agent; it says what is wrong and goes on. */
  async #fetchManifest(): Promise<ManifestText | undefined> {
    if (this.#options.manifest === null) return undefined;
    try {
      return await fetchManifest(this.#options.manifest);
    } catch (thrown) {
      this.#fail({ phase: "manifest", message: describeThrown(thrown) });
      return undefined;
    }
  }

  #load(runtime: Runtime, manifest: ManifestText): void {
    let loaded: { tools_changed: boolean; findings: Finding[] };
    try {
      loaded = JSON.parse(runtime.load_manifest(manifest.text, manifest.path)) as typeof loaded;
    } catch (thrown) {
      const message = `the manifest \`${manifest.path}\` cannot be read: ${describeThrown(thrown)}`;
      this.#fail({ phase: "manifest", message });
      return;
    }
    this.#emit("manifestchange", { path: manifest.path });
    if (loaded.tools_changed) this.#emit("toolschange", {});
    if (this.#checkedOutside) return;
    this.#findings = loaded.findings;
    this.#emit("findings", { findings: loaded.findings });
  }

  async #call(name: string, args: Encoded[]): Promise<Result> {
    const runtime = await this.#start();
    return JSON.parse(await runtime.call(String(name), JSON.stringify(args))) as Result;
  }

  #progress(progress: Progress): void {
    this.#emit("progress", progress);
  }

  #fail(problem: Problem): void {
    this.problems.push(problem);
    this.#emit("error", problem);
  }

  #emit(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function valueOf(result: Result): unknown {
  if (result.ok) return decode(result.value);
  throw new WebagentError(result.error);
}
