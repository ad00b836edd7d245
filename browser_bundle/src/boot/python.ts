/** Starts Python on the thread that asks for it: a page's, or a worker's. */
import type { PyodideAPI } from "pyodide";
import { describeThrown } from "../base/errors.ts";
import { ASSETS, whyNoSnapshot } from "./assets.ts";
import type { WasmModule } from "./emscripten.ts";
import { firstFault, watchDownloads, type Progress } from "./downloads.ts";
import { fetchArchive, markLoaded, OWNED, unpack, type Archive } from "./packages.ts";
import { lateModule, startFromFiles, startFromSnapshot } from "./pyodide.ts";
import type { DeferredLoads, Load, PageBridge, Runtime, StartReport } from "./runtime.ts";

/** Python that runs on this thread. */
export interface Python extends DeferredLoads {
  /** How it was started. */
  way: Pick<StartReport, "path" | "reason">;
  /** Make a runtime for a page. */
  open(bridge: PageBridge, development: boolean): PageRuntime;
  /** @throws Error if Python has crashed, or has used up its memory. */
  check(): void;
  /** Run something during which Python reads a signal at times: a 2 in it interrupts, as Ctrl-C does. */
  interruptibly<T>(run: () => Promise<T>, signal: () => Uint8Array): Promise<T>;
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
 * @param wantsAgent Whether what `loadRest` brings is to be fetched as soon as the start has its own files.
 * @throws Error that names what is missing.
 */
export async function startPython(
  base: string,
  onProgress: (progress: Progress) => void,
  wantsAgent: () => boolean,
): Promise<Python> {
  await needWebAssembly();
  const [{ pyodide, loadRest, loadAll }, way] = await startCore(base, onProgress, wantsAgent);
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
    interruptibly: interruptible(pyodide),
    loadRest,
    loadAll,
  };
}

/** Start Python with the core, from the image if possible, else from the files. */
async function startCore(
  base: string,
  onProgress: (progress: Progress) => void,
  wantsAgent: () => boolean,
): Promise<[Expecting, Python["way"]]> {
  const attempt = async (
    sizes: Record<string, number>,
    rest: string[],
    start: (onDownloaded: () => void) => Promise<PyodideAPI>,
  ) => {
    const downloads = watchDownloads(base, sizes, onProgress);
    const starting = async () => {
      const started = start(() => void (wantsAgent() && loadRest().catch(() => {})));
      // Pyodide waits forever for a missing file.
      const pyodide = await Promise.race([started, downloads.failed]);
      downloads.done();
      onProgress({ phase: "python", loaded: 0, total: 1 });
      importCore(pyodide);
      return pyodide;
    };
    const { expecting, loadRest } = deferRest(starting(), base, rest);
    try {
      return await expecting;
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
      // Python has no files at all then, not even those that it was started with.
      const load = (onDownloaded: () => void) => startFromSnapshot(base, snapshot, onDownloaded);
      return [await attempt(snapshot.sizes, [...REST, ASSETS.stdlib], load), { path: "snapshot" }];
    } catch (thrown) {
      reason = (thrown as Error).message;
      console.warn(`webagent: the agent starts without its snapshot, which takes longer - ${reason}`);
    }
  }
  try {
    const pyodide = await attempt(ASSETS.sizes, REST, (onDownloaded) => startFromFiles(base, onDownloaded));
    return [pyodide, { path: "bundle", ...(reason !== undefined && { reason }) }];
  } catch (thrown) {
    throw new Error(`python did not start: ${(thrown as Error).message}`, { cause: thrown });
  }
}

/** Reading the signal slows Python down by a quarter, so it is read during these runs alone. */
function interruptible(pyodide: PyodideAPI): Python["interruptibly"] {
  const { _module } = pyodide as unknown as { _module: WasmModule };
  let running = 0;
  return async (run, signal) => {
    // Pyodide has an array there that another thread writes to; here nobody else can.
    Object.defineProperty(_module, "Py_EmscriptenSignalBuffer", { get: signal, set() {}, configurable: true });
    running += 1;
    pyodide.setInterruptBuffer(signal());
    try {
      return await run();
    } finally {
      running -= 1;
      if (running === 0) pyodide.setInterruptBuffer(undefined as never);
    }
  };
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
const PLACES = new Map([
  [ASSETS.stdlib, "/lib/python314.zip"],
  [ASSETS.rest, "/lib/python314-rest.zip"],
]);

// The stemmers too are needed without anybody asking for a package: the agent without a model has them.
const { "webagent-core": CORE, snowballstemmer: STEMMERS, ...OTHERS } = ASSETS.wheels;
/** Files that follow after each start; the first has the code that imports would compile. */
const REST = [ASSETS.made[1], ASSETS.rest, CORE, STEMMERS];

/** Python whose imports wait for the rest. */
interface Expecting extends DeferredLoads {
  pyodide: PyodideAPI;
}

/**
 * Let imports load the rest of the standard library and of the packages when they need it.
 *
 * @param starting Python, with the core. The rest can be fetched meanwhile.
 * @param base URL of the bundle, ending in a slash.
 * @param rest Paths of its archives.
 */
export function deferRest(
  starting: Promise<PyodideAPI>,
  base: string,
  rest: string[],
): { expecting: Promise<Expecting>; loadRest: Load } {
  const fetchAll = (paths: string[]) => Promise.all(paths.map((path) => fetchArchive(base, path, { priority: "low" })));
  const loadRest = once(async () => {
    const [made, ...archives] = await fetchAll(rest);
    const { pyodide: { FS }, late, finder } = await expecting;
    for (const { path, bytes } of archives) {
      const place = PLACES.get(path);
      if (place !== undefined) FS.writeFile(place, bytes, OWNED);
    }
    unpack(FS, archives.filter(({ path }) => !PLACES.has(path)));
    late.use((made as Archive).bytes);
    finder.arrive();
  });
  const loadAll = once(async () => {
    await loadRest();
    const { pyodide, finder } = await expecting;
    unpack(pyodide.FS, await fetchAll(Object.values(OTHERS)));
    markLoaded(pyodide, Object.keys(ASSETS.wheels));
    finder.arrive();
  });
  const expecting = starting.then((pyodide) => {
    const late = lateModule(pyodide);
    return { pyodide, late, finder: late.expect(loadRest), loadRest, loadAll };
  });
  return { expecting, loadRest };
}

/** Load something at the first call; after a failure the next call tries again. */
function once(load: Load): Load {
  let coming: Promise<void> | undefined;
  return () =>
    (coming ??= load().catch((error: unknown) => {
      coming = undefined;
      throw error;
    }));
}
