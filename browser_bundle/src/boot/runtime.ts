/** The page's runtime: the object that `webagent.inpage` makes, wherever Python runs. */
import { describeThrown, type WebagentError } from "../base/errors.ts";
import { loadChunk } from "../base/lazy_chunks.ts";
import type { ModelBridge } from "../llm/page_models.ts";
import type { FetchBridge } from "../llm/fetch_bridge.ts";
import type { Bridge } from "../tools/python_bridge.ts";
import { requestEarly, type EarlyRequests } from "./assets.ts";
import type { Progress } from "./downloads.ts";

/** Where Python runs: on the page's thread, in a worker of the page's own, or in one that pages share. */
export type Place = "page" | "worker" | "shared";

/** `webagent.inpage.PageBridge`. */
export interface PageBridge extends Bridge {
  /** Fire an event at the page's listeners; `detail` is JSON. */
  emit(event: string, detail: string): void;
}

/** The functions of the page that Python calls while it works on a goal; `webagent.agent.session.SessionBridge`. */
export interface SessionBridge extends FetchBridge, ModelBridge {
  /** A request to the person, and what they say. */
  ask(request: string): Promise<string>;
  /** `{language, texts?}` as JSON: the language of the page, and the site's own texts of the agent. */
  speech(): Promise<string>;
  /** The saved text of this tab's run; empty if there is none. */
  load(): Promise<string>;
  /** Save the run; returns an empty text, or a kind of error. */
  save(text: string): Promise<string>;
  clear(): Promise<void>;
  /** The subjects of the last runs of this tab; empty if there are no such runs. */
  recall(): Promise<string>;
  /** Keep it, or forget it if the text is empty; returns as `save`. */
  remember(text: string): Promise<string>;
}

/** A text, or a promise of it where Python runs in a worker. */
type TextResult = string | Promise<string>;

/** `webagent.inpage.InPage` as JavaScript sees it. All texts are JSON unless named otherwise. */
export interface Runtime {
  load_manifest(text: string, path: string): Promise<string>;
  refresh(): Promise<string>;
  /** Needs what `loadRest` brings. */
  findings(): TextResult;
  /** The declarations, schemas and findings of the manifest, and the pages of their rules; needs `loadRest` too. */
  manifest_view(): TextResult;
  drift(): TextResult;
  manifest(): TextResult;
  /** TypeScript, not JSON. */
  typescript(): TextResult;
  /** Markdown, not JSON; for a site without a manifest its name and description. */
  to_markdown(name: string, description: string): TextResult;
  names(): TextResult;
  /** Describes a tool, or with `null` lists all; a result. */
  describe(name: string): TextResult;
  exposed(): TextResult;
  tools(): Promise<string>;
  /** `group` is a number by which `cancel` finds the call; a program gets no value that is too large for it. */
  call(name: string, args: string, group: number, forProgram: boolean): Promise<string>;
  invoke(name: string, args: string, group: number): Promise<string>;
  cancel(group: number): Promise<number>;
  progress(callId: number, message: string): void;
  /** Have the question of a tool that a run has called answered; a result. */
  answer(callId: number, question: string): Promise<string>;
  mask(data: string): TextResult;
  /** Import the agent, which the first run would wait for; needs what `loadRest` brings. */
  prepare(): void | Promise<void>;
  /** Resolves to the result; see `run/runs.ts`. */
  run(goal: string, options: string, bridge: SessionBridge): Promise<string>;
  /** `allowed` is a list of keys. */
  resume(bridge: SessionBridge, allowed: string): Promise<string>;
  /** The prompt for a model with this context size (0: the default); a result. */
  prompt(goal: string, model: string): Promise<string>;
  snapshot(): Promise<string>;
  stop_run(reason: string): void;
  abandon_run(): void;
  /** Let the visitor take over, and the run go on afterwards. */
  pause_run(): void;
  continue_run(): void;
  /** Take back what the person has allowed the current run. */
  revoke(key: string): void;
  /** Offer the current run these actions instead of the others, or besides them; a result. */
  set_definitions(definitions: string): Promise<string>;
  add_definitions(definitions: string): Promise<string>;
  /** The last run as `json` or as `markdown`, which is not JSON; empty without a run. */
  transcript(form: string): TextResult;
  /** A screenshot of the last run or a file of a tool in it, as an encoded value; empty without one. */
  file(runId: string, name: string): TextResult;
  python(code: string): Promise<string>;
}

/** How Python was started. */
export interface StartReport {
  /** From an image of its memory with the core imported, or from the files of the bundle. */
  path: "snapshot" | "bundle";
  runtime: Place;
  /** Why it was not started from the image, or not at the requested place. */
  reason?: string;
}

/** Loads something once; after a failure the next call tries again. */
export type Load = () => Promise<void>;

/** The parts that can be loaded after the start. */
export interface DeferredLoads {
  /** Loads the parts of the standard library and of the core that the start left out. */
  loadRest: Load;
  /** Loads everything that Python code may import. */
  loadAll: Load;
}

/** A runtime that was started. */
export interface Started extends DeferredLoads {
  runtime: Runtime;
  way: StartReport;
  /** End it; calls that wait in a worker fail with this error. */
  end(error: WebagentError): void;
}

/**
 * Starts Python at a place.
 *
 * @param onLost Called once if the runtime is lost after the start; it has ended then.
 * @param withAgent Whether `loadRest` is called at once after the start; what it needs is fetched meanwhile.
 * @throws Error that says why this failed.
 */
export type Start = (
  bridge: Promise<PageBridge>,
  development: boolean,
  onProgress: (progress: Progress) => void,
  onLost: (error: WebagentError) => void,
  withAgent: boolean,
) => Promise<Started>;

/** The exports of `boot.js`. */
export interface MainThreadScript {
  mainThread(base: string, requests: EarlyRequests): Start;
}

/** The exports of `far.js`. */
export interface WorkerScript {
  workerClient(base: string, place: Exclude<Place, "page">, visit: string): Start;
}

/**
 * Load the script that starts Python at a place.
 *
 * Python starts on the page's thread where the requested place is not possible.
 *
 * @param base URL of the bundle, ending in a slash.
 * @param visit Pages of other visits share no worker.
 */
export function startAt(base: string, place: Place, visit: string): Start {
  const here: Start = async (...given) => {
    const script = loadChunk<MainThreadScript>(base, "boot");
    const requests = requestEarly(base);
    return (await script).mainThread(base, requests)(...given);
  };
  // An old library may have replaced what Pyodide needs; a worker has its own.
  if (place === "page" && Array.from([0], () => 1)[0]) return here;
  const script = loadChunk<WorkerScript>(base, "far");
  script.catch(() => {});
  return async (...given) => {
    try {
      return await (await script).workerClient(base, place === "page" ? "worker" : place, visit)(...given);
    } catch (thrown) {
      const why = describeThrown(thrown);
      console.warn(`webagent: Python runs on the page's own thread, where it can hold up the page - ${why}`);
      const started = await here(...given);
      const reason = [why, started.way.reason].filter((one) => one !== undefined).join("; ");
      return { ...started, way: { ...started.way, reason } };
    }
  };
}
