/** Starts Python in the page and hands out the object that `webagent.inpage` makes. */
import type { PyodideAPI } from "pyodide";
import type { Bridge } from "../bridge.ts";
import { describeThrown } from "../errors.ts";
import type { FetchBridge, ModelBridge } from "../llm/index.ts";
import { ASSETS } from "./assets.ts";
import { firstFault, watchDownloads, type Progress } from "./downloads.ts";
import { fetchOk } from "./fetching.ts";
import { startFromSnapshot, whyNoSnapshot } from "./from_snapshot.ts";
import { expectRest, once, type Bring } from "./rest.ts";

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

/** `webagent.inpage.InPage` as JavaScript sees it. All texts are JSON unless named otherwise. */
export interface Runtime {
  load_manifest(text: string, path: string): Promise<string>;
  refresh(): Promise<string>;
  drift(): string;
  manifest(): string;
  /** TypeScript, not JSON. */
  typescript(): string;
  /** Markdown, not JSON; for a site without a manifest its name and description. */
  to_markdown(name: string, description: string): string;
  names(): string;
  /** What a tool is, or with `null` which there are; a result. */
  describe(name: string): string;
  exposed(): string;
  tools(): Promise<string>;
  /** `group` is a number by which `cancel` finds the call. */
  call(name: string, args: string, group: number): Promise<string>;
  invoke(name: string, args: string, group: number): Promise<string>;
  cancel(group: number): Promise<number>;
  progress(callId: number, message: string): void;
  mask(data: string): string;
  /** Resolves to the result; see `run/runs.ts`. */
  run(goal: string, options: string, bridge: SessionBridge): Promise<string>;
  resume(bridge: SessionBridge): Promise<string>;
  /** What a model that reads so many tokens (0: the usual) would be given; a result. */
  prompt(goal: string, contextTokens: number): Promise<string>;
  snapshot(): Promise<string>;
  stop_run(reason: string): void;
  abandon_run(): void;
  /** Of the last run: `json`, or `markdown`, which is not JSON; empty without one. */
  transcript(form: string): string;
  python(code: string): Promise<string>;
}

/** How Python came to be there. */
export interface Way {
  /** From an image of the memory of one that had imported the core, or from the files of the bundle. */
  path: "snapshot" | "bundle";
  /** Why not from the image. */
  reason?: string;
}

/** A runtime that was started. */
export interface Started {
  runtime: Runtime;
  way: Way;
  /** Brings what of the standard library the start did not need. */
  bringRest: Bring;
  /** Brings what runs of the agent import. */
  bringAgent: Bring;
  /** Brings all that Python code may look for. */
  bringAll: Bring;
}

/**
 * Download Python, start it, import the core.
 *
 * @param base URL of the bundle, ending in a slash.
 * @param development Whether the page is compared with its manifest.
 * @throws Error that names what is missing.
 */
export async function startRuntime(
  base: string,
  bridge: PageBridge,
  development: boolean,
  onProgress: (progress: Progress) => void,
): Promise<Started> {
  await needWebAssembly();
  const [runtime, pyodide, way] = await startPython(base, onProgress, (python) => {
    onProgress({ phase: "python", loaded: 0, total: 1 });
    const inpage = python.pyimport("webagent.inpage") as {
      InPage: (bridge: PageBridge, development: boolean) => Runtime;
    };
    return inpage.InPage(bridge, development);
  });
  const image = way.path === "snapshot" ? ASSETS.snapshot : null;
  const bringRest = expectRest(pyodide, base, image?.core);
  const bringAll = once(async () => {
    await bringRest();
    // The image holds what was imported of the packages, not their files.
    if (image) await pyodide.loadPackage("webagent-core", { messageCallback: () => {} });
  });
  onProgress({ phase: "python", loaded: 1, total: 1 });
  return { runtime, way, bringRest, bringAgent: image ? bringRest : async () => {}, bringAll };
}

/** Start Python and do something with it, from the image if that goes well, else from the files. */
async function startPython<Made>(
  base: string,
  onProgress: (progress: Progress) => void,
  make: (pyodide: PyodideAPI) => Made,
): Promise<[Made, PyodideAPI, Way]> {
  const attempt = async (sizes: Record<string, number>, load: () => Promise<PyodideAPI>) => {
    const downloads = watchDownloads(base, sizes, onProgress);
    try {
      // Pyodide waits for ever for a file that does not come.
      const pyodide = await Promise.race([load(), downloads.failed]);
      return [make(pyodide), pyodide] as const;
    } catch (thrown) {
      const fault = await firstFault(base, Object.keys(sizes));
      throw new Error(fault ?? lastLine(describeThrown(thrown)), { cause: thrown });
    } finally {
      downloads.stop();
    }
  };
  const { snapshot } = ASSETS;
  let reason = whyNoSnapshot();
  if (snapshot !== null && reason === undefined) {
    try {
      const made = await attempt(snapshot.sizes, () => startFromSnapshot(base, snapshot));
      return [...made, { path: "snapshot" }];
    } catch (thrown) {
      reason = (thrown as Error).message;
      console.warn(`webagent: the agent starts without its snapshot, which takes longer - ${reason}`);
    }
  }
  try {
    const made = await attempt(ASSETS.sizes, () => loadPyodide(base));
    return [...made, { path: "bundle", ...(reason !== undefined && { reason }) }];
  } catch (thrown) {
    throw new Error(`python did not start: ${(thrown as Error).message}`, { cause: thrown });
  }
}

/** Pyodide would wait for ever where the page's policy forbids WebAssembly. */
async function needWebAssembly(): Promise<void> {
  const emptyModule = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  try {
    await WebAssembly.instantiate(emptyModule);
  } catch {
    throw new Error(
      "python did not start: the page's content security policy forbids WebAssembly; " +
        "add 'wasm-unsafe-eval' to its script-src",
    );
  }
}

async function loadPyodide(base: string): Promise<PyodideAPI> {
  const pyodideUrl = new URL(ASSETS.pyodide, base).href;
  const [module, lock] = await Promise.all([
    import(`${pyodideUrl}pyodide.mjs`) as Promise<typeof import("pyodide")>,
    fetchOk(base, ASSETS.lock).then((response) => response.text()),
  ]);
  return module.loadPyodide({
    indexURL: pyodideUrl,
    stdLibURL: new URL(ASSETS.stdlib, base).href,
    lockFileContents: lock,
    packageBaseUrl: base,
    packages: ["webagent-core"],
  });
}

/** A Python traceback says what happened in its last line. */
function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? text;
}
