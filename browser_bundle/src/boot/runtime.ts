/** The page's runtime: the object that `webagent.inpage` makes, wherever Python runs. */
import { describeThrown } from "../base/errors.ts";
import { loadChunk } from "../base/lazy_chunks.ts";
import type { ModelBridge } from "../llm/builtin_model.ts";
import type { FetchBridge } from "../llm/fetch_bridge.ts";
import type { Bridge } from "../tools/python_bridge.ts";
import type { Progress } from "./downloads.ts";

/** Where Python runs: on the page's thread, in a worker of the page's own, or in one that pages share. */
export type Place = "page" | "worker" | "shared";

/** `webagent.inpage.PageBridge`. */
export interface PageBridge extends Bridge {
  /** Fire an event at the page's listeners; `detail` is JSON. */
  emit(event: string, detail: string): void;
}

/** What Python asks of the page while it works on a goal; `webagent.agent.session.SessionBridge`. */
export interface SessionBridge extends FetchBridge, ModelBridge {
  /** A request to the person, and what they say. */
  ask(request: string): Promise<string>;
  /** The text of the run that this tab keeps; empty if there is none. */
  load(): Promise<string>;
  /** Empty when it is kept, else why not: a kind of error. */
  save(text: string): Promise<string>;
  clear(): Promise<void>;
}

/** A text at once, or after a while where Python runs elsewhere. */
type TextResult = string | Promise<string>;

/** `webagent.inpage.InPage` as JavaScript sees it. All texts are JSON unless named otherwise. */
export interface Runtime {
  load_manifest(text: string, path: string): Promise<string>;
  refresh(): Promise<string>;
  drift(): TextResult;
  manifest(): TextResult;
  /** TypeScript, not JSON. */
  typescript(): TextResult;
  /** Markdown, not JSON; for a site without a manifest its name and description. */
  to_markdown(name: string, description: string): TextResult;
  names(): TextResult;
  /** What a tool is, or with `null` which there are; a result. */
  describe(name: string): TextResult;
  exposed(): TextResult;
  tools(): Promise<string>;
  /** `group` is a number by which `cancel` finds the call. */
  call(name: string, args: string, group: number): Promise<string>;
  invoke(name: string, args: string, group: number): Promise<string>;
  cancel(group: number): Promise<number>;
  progress(callId: number, message: string): void;
  mask(data: string): TextResult;
  /** Resolves to the result; see `run/runs.ts`. */
  run(goal: string, options: string, bridge: SessionBridge): Promise<string>;
  resume(bridge: SessionBridge): Promise<string>;
  /** What a model that reads so many tokens (0: the usual) would be given; a result. */
  prompt(goal: string, contextTokens: number): Promise<string>;
  snapshot(): Promise<string>;
  stop_run(reason: string): void;
  abandon_run(): void;
  /** Of the last run: `json`, or `markdown`, which is not JSON; empty without one. */
  transcript(form: string): TextResult;
  python(code: string): Promise<string>;
}

/** How Python came to be there. */
export interface StartReport {
  /** From an image of the memory of one that had imported the core, or from the files of the bundle. */
  path: "snapshot" | "bundle";
  runtime: Place;
  /** Why not from the image, or not where it should be. */
  reason?: string;
}

/** Brings something once; the promise rejects when it does not come, and asking again tries again. */
export type Load = () => Promise<void>;

/** What follows after the start. */
export interface DeferredLoads {
  /** Brings what of the standard library and of the core the start did not need. */
  loadRest: Load;
  /** Brings all that Python code may look for. */
  loadAll: Load;
}

/** A runtime that was started. */
export interface Started extends DeferredLoads {
  runtime: Runtime;
  way: StartReport;
}

/**
 * Starts Python at a place.
 *
 * @throws Error that says why that cannot be.
 */
export type Start = (
  bridge: Promise<PageBridge>,
  development: boolean,
  onProgress: (progress: Progress) => void,
) => Promise<Started>;

/** What `boot.js` exports. */
export interface MainThreadScript {
  mainThread(base: string): Start;
}

/** What `far.js` exports. */
export interface WorkerScript {
  workerClient(base: string, place: Exclude<Place, "page">): Start;
}

/**
 * Fetch what starts Python at a place; where that cannot be, Python starts on the page's thread.
 *
 * @param base URL of the bundle, ending in a slash.
 */
export function startAt(base: string, place: Place): Start {
  const boot = () => loadChunk<MainThreadScript>(base, "boot");
  const here: Start = async (...given) => (await boot()).mainThread(base)(...given);
  if (place === "page") {
    // What is wrong with it is told when it is used.
    boot().catch(() => {});
    return here;
  }
  const script = loadChunk<WorkerScript>(base, "far");
  script.catch(() => {});
  return async (...given) => {
    try {
      return await (await script).workerClient(base, place)(...given);
    } catch (thrown) {
      const why = describeThrown(thrown);
      console.warn(`webagent: Python runs on the page's own thread, where it can hold up the page - ${why}`);
      const started = await here(...given);
      const reason = [why, started.way.reason].filter((one) => one !== undefined).join("; ");
      return { ...started, way: { ...started.way, reason } };
    }
  };
}
