/** Starts Python on the thread that asks for it: a page's, or a worker's. */
import type { PyodideAPI } from "pyodide";
import { describeThrown } from "../base/errors.ts";
import { ASSETS, whyNoSnapshot } from "./assets.ts";
import type { WasmModule } from "./emscripten.ts";
import { firstFault, watchDownloads, type Progress } from "./downloads.ts";
import { fetchArchive, markLoaded, unpack, type Archive } from "./packages.ts";
import { startFromFiles, startFromSnapshot } from "./pyodide.ts";
import type { DeferredLoads, Load, PageBridge, Runtime, StartReport } from "./runtime.ts";

/** Python that runs on this thread. */
export interface Python extends DeferredLoads {
  /** How it was started. */
  way: Pick<StartReport, "path" | "reason">;
  /** Make a runtime for a page. */
  open(bridge: PageBridge, development: boolean): PageRuntime;
  /** @throws Error if Python has crashed, or has used up its memory. */
  check(): void;
}

/** A page's runtime on this thread; it stays in Python's memory until it is destroyed. */
export type PageRuntime = Runtime & { destroy(): void };

/** WebAssembly never gives memory back; a start needs 31 MB. */
const MOST_MEMORY_MB = 1000;

/** `webagent.inpage` as JavaScript sees it. */
interface InPageModule {
  InPage: (bridge: PageBridge, development: boolean) => PageRuntime;
}

/**
 * Download Python, start it, import the core.
 *
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that names what is missing.
 */
export async function startPython(base: string, onProgress: (progress: Progress) => void): Promise<Python> {
  await needWebAssembly();
  const [pyodide, way] = await startCore(base, onProgress);
  const { loadRest, loadAll } = deferRest(pyodide, base, way.path === "snapshot");
  onProgress({ phase: "python", loaded: 1, total: 1 });
  return {
    way,
    open: (bridge, development) => importCore(pyodide).InPage(bridge, development),
    check: () => {
      try {
        void pyodide.pyimport;
      } catch (thrown) {
        // Each member throws then.
        throw new Error("Python has crashed", { cause: thrown });
      }
      const memory_mb = (pyodide as unknown as { _module: WasmModule })._module.HEAPU8.length / 1e6;
      if (memory_mb > MOST_MEMORY_MB) throw new Error(`Python has used up its memory (${MOST_MEMORY_MB} MB)`);
    },
    loadRest,
    loadAll,
  };
}

/** Start Python with the core, from the image if possible, else from the files. */
async function startCore(
  base: string,
  onProgress: (progress: Progress) => void,
): Promise<[PyodideAPI, Python["way"]]> {
  const attempt = async (sizes: Record<string, number>, load: () => Promise<PyodideAPI>) => {
    const downloads = watchDownloads(base, sizes, onProgress);
    try {
      // Pyodide waits forever for a missing file.
      const pyodide = await Promise.race([load(), downloads.failed]);
      downloads.done();
      onProgress({ phase: "python", loaded: 0, total: 1 });
      importCore(pyodide);
      return pyodide;
    } catch (thrown) {
      const fault = await firstFault(base, Object.keys(sizes));
      throw new Error(fault ?? lastLine(describeThrown(thrown)), { cause: thrown });
    } finally {
      downloads.stop();
    }
  };
  const { snapshot } = ASSETS;
  let reason = whyNoSnapshot();
  if (reason === undefined) {
    try {
      const pyodide = await attempt(snapshot.sizes, () => startFromSnapshot(base, snapshot));
      return [pyodide, { path: "snapshot" }];
    } catch (thrown) {
      reason = (thrown as Error).message;
      console.warn(`webagent: the agent starts without its snapshot, which takes longer - ${reason}`);
    }
  }
  try {
    const pyodide = await attempt(ASSETS.sizes, () => startFromFiles(base));
    return [pyodide, { path: "bundle", ...(reason !== undefined && { reason }) }];
  } catch (thrown) {
    throw new Error(`python did not start: ${(thrown as Error).message}`, { cause: thrown });
  }
}

/** Throws if Python has crashed. */
function importCore(pyodide: PyodideAPI): InPageModule {
  return pyodide.pyimport("webagent.inpage") as InPageModule;
}

/** Without this check Pyodide waits forever where the page's policy forbids WebAssembly. */
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

/** The last line of a text; in a Python traceback it names the error. */
function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? text;
}

/** Where Python looks for each archive of the standard library; see `build/late.py`. */
const CORE_STDLIB = ["/lib/python314.zip", ASSETS.stdlib] as const;
const REST_STDLIB = ["/lib/python314-rest.zip", ASSETS.rest] as const;

/** `webagent_late.LateFinder` as JavaScript sees it. */
interface LateFinder {
  arrive(): void;
}

/**
 * Let imports load the rest of the standard library and of the packages when they need it.
 *
 * @param base URL of the bundle, ending in a slash.
 * @param fromImage Whether Python has no files at all; then the part of the standard library that it was
 *   started with is loaded too.
 */
export function deferRest(
  pyodide: PyodideAPI,
  base: string,
  fromImage: boolean,
): DeferredLoads {
  const archive = (path: string) => fetchArchive(base, path, { priority: "low" });
  // The stemmers too are needed without anybody asking for a package: the agent without a model has them.
  const { "webagent-core": core, snowballstemmer, ...others } = ASSETS.wheels;
  const wheels = [core, snowballstemmer];
  const stdlib = fromImage ? [CORE_STDLIB, REST_STDLIB] : [REST_STDLIB];
  const loadRest = once(async () => {
    const places = [...stdlib.map(([, path]) => path), ...wheels];
    const archives = await Promise.all(places.map(archive));
    stdlib.forEach(([place], index) => pyodide.FS.writeFile(place, (archives[index] as Archive).bytes));
    unpack(pyodide.FS, archives.slice(stdlib.length));
    finder.arrive();
  });
  const loadAll = once(async () => {
    await loadRest();
    unpack(pyodide.FS, await Promise.all(Object.values(others).map(archive)));
    markLoaded(pyodide, Object.keys(ASSETS.wheels));
    finder.arrive();
  });
  const { expect } = pyodide.pyimport("webagent_late") as { expect: (load: Load) => LateFinder };
  const finder = expect(loadRest);
  return { loadRest, loadAll };
}

/** Load something at the first call; after a failure the next call tries again. */
export function once(load: Load): Load {
  let coming: Promise<void> | undefined;
  return () =>
    (coming ??= load().catch((error: unknown) => {
      coming = undefined;
      throw error;
    }));
}
