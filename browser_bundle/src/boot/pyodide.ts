/** Starts Pyodide from the files of the bundle or from an image of its memory. */
import type { PyodideAPI } from "pyodide";
import { ASSETS, type SnapshotAssets } from "./assets.ts";
import { fetchOk } from "./downloads.ts";
import { heapEnd, preloadLibrary, type CreateModule, type WasmModule } from "./emscripten.ts";
import { fetchArchive, unpack } from "./packages.ts";
import { readImage, restoreImage, type Image } from "./snapshot_image.ts";
import { WasmCompiler, yieldToPage } from "./wasm_compiler.ts";

/** The differences between the two ways to start. */
interface PyodideStart {
  /** Path of the standard library in the bundle. */
  stdlib: string;
  /** Further options of `loadPyodide`. */
  options?: object;
  /**
   * Resolves to what fills the memory of the created module.
   *
   * @param fixed End of the memory that is the same in each start.
   */
  content: Promise<(module: WasmModule, fixed: number) => void>;
  /** Called when all files are there. */
  onDownloaded: () => void;
}

/** `webagent_late` as JavaScript sees it. */
interface LateModule {
  use(made: Uint8Array): void;
  expect(load: () => Promise<void>): LateFinder;
  restored(): void;
}

/** `webagent_late.LateFinder` as JavaScript sees it. */
interface LateFinder {
  arrive(): void;
}

export function lateModule(pyodide: PyodideAPI): LateModule {
  return pyodide.pyimport("webagent_late") as LateModule;
}

/**
 * Start Pyodide with all files fetched at once and the core's library at its fixed address.
 *
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that says which file is missing or broken.
 */
async function startPyodide(base: string, { stdlib, options, content, onDownloaded }: PyodideStart): Promise<PyodideAPI> {
  const folder = new URL(ASSETS.pyodide, base).href;
  const wasm = new WasmCompiler(`${folder}pyodide.asm.wasm`);
  const script = import(`${folder}pyodide.asm.mjs`) as Promise<{ default: CreateModule }>;
  const library = WebAssembly.compileStreaming(fetchOk(base, ASSETS.library));
  const lock = fetchOk(base, ASSETS.lock).then((response) => response.text());
  const starting = async () => {
    const { loadPyodide } = (await import(`${folder}pyodide.mjs`)) as typeof import("pyodide");
    const create: CreateModule = async (settings) => {
      const { default: createModule } = await script;
      await yieldToPage();
      const laidOut = preloadLibrary(settings, ASSETS.library_path, library);
      const [module, fixed] = await Promise.all([createModule(settings), laidOut]);
      const fill = await content;
      onDownloaded();
      await yieldToPage();
      fill(module, fixed);
      await yieldToPage();
      return module;
    };
    const all = {
      indexURL: folder,
      stdLibURL: new URL(stdlib, base).href,
      lockFileContents: lock,
      packageBaseUrl: base,
      createPyodideModule: create,
      ...options,
    };
    return loadPyodide(all as unknown as Parameters<typeof loadPyodide>[0]);
  };
  const end = wasm.offer();
  try {
    // Pyodide waits forever for a missing file; the first failure ends the wait.
    const all = Promise.all([starting(), wasm.module, script, library, content, lock]);
    const [pyodide] = await Promise.race([all, wasm.failed]);
    await yieldToPage();
    return pyodide;
  } finally {
    end();
  }
}

/**
 * Start Python from the files of the bundle.
 *
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that says which file is missing or broken.
 */
export async function startFromFiles(base: string, onDownloaded: () => void): Promise<PyodideAPI> {
  const packages = Promise.all(ASSETS.packages.map((path) => fetchArchive(base, path)));
  const made = fetchArchive(base, ASSETS.made[0]);
  const pyodide = await startPyodide(base, {
    stdlib: ASSETS.stdlib,
    content: packages.then((archives) => ({ FS }) => {
      unpack(FS, archives);
      // The library is loaded already; its file only has to exist.
      FS.writeFile(ASSETS.library_path, new Uint8Array());
    }),
    onDownloaded,
  });
  pyodide.runPython("import importlib; importlib.invalidate_caches()");
  lateModule(pyodide).use((await made).bytes);
  return pyodide;
}

/**
 * Start Python from an image of its memory, taken after it had imported the core.
 *
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that says why this failed.
 */
export async function startFromSnapshot(
  base: string,
  snapshot: SnapshotAssets,
  onDownloaded: () => void,
): Promise<PyodideAPI> {
  const image = fetchOk(base, snapshot.image).then(async (response) => readImage(await response.arrayBuffer()));
  const head = new Uint8Array(snapshot.head);
  const pyodide = await startPyodide(base, {
    // Pyodide requires a standard library; with the image an empty one will do.
    stdlib: snapshot.no_stdlib,
    options: { _loadSnapshot: head },
    content: image.then((restored) => (module, fixed) => restore(module, restored, fixed, head)),
    onDownloaded,
  });
  lateModule(pyodide).restored();
  return pyodide;
}

function restore(module: WasmModule, image: Image, fixed: number, head: Uint8Array): void {
  if (image.fixed !== fixed || image.head !== head.length) {
    throw new Error("the snapshot is of another build");
  }
  const missing = image.size - module.HEAPU8.length;
  if (missing > 0 && module.growMemory(image.size) !== 1) {
    throw new Error("there is not enough memory for the snapshot");
  }
  restoreImage(module.HEAPU8, heapEnd(module), image);
  head.set(image.headBytes);
  for (const [handle, name] of image.libraries) {
    const library = module.LDSO.loadedLibsByName[name];
    if (library === undefined) throw new Error(`the snapshot needs the library \`${name}\``);
    module.LDSO.loadedLibsByHandle[handle] = library;
  }
}
