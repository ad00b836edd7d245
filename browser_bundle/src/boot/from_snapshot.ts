/** Starts Python as it was when it had imported the core: from an image of its memory. */
import type { PyodideAPI } from "pyodide";
import { ASSETS, type SnapshotAssets } from "./assets.ts";
import { EarlyWasm } from "./early_wasm.ts";
import { heapEnd, preload, type CreateModule } from "./emscripten.ts";
import { fetchOk } from "./fetching.ts";
import { readImage, restoreImage, type Image } from "./image.ts";
import { pause } from "./pause.ts";

/** Why this browser cannot start from the bundle's image, undefined if it can. */
export function whyNoSnapshot(): string | undefined {
  if (ASSETS.snapshot === null) return "the bundle was built without a snapshot";
  // What Python has found out about its browser is part of the image.
  if (!("Suspending" in WebAssembly)) return "this browser cannot suspend WebAssembly";
  if (!/Chrom(e|ium)\//.test(navigator.userAgent)) return "the snapshot was made by another kind of browser";
  return undefined;
}

/**
 * Everything is fetched at once.
 *
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that says why it cannot be done.
 */
export async function startFromSnapshot(base: string, snapshot: SnapshotAssets): Promise<PyodideAPI> {
  const folder = new URL(ASSETS.pyodide, base).href;
  const wasm = new EarlyWasm(`${folder}pyodide.asm.wasm`);
  const script = import(`${folder}pyodide.asm.mjs`) as Promise<{ default: CreateModule }>;
  const library = WebAssembly.compileStreaming(fetchOk(base, snapshot.library));
  // All else has to be compiled and laid out before the image is needed.
  const image = fetchOk(base, snapshot.image, { priority: "low" }).then(async (response) =>
    readImage(await response.arrayBuffer()),
  );
  const lock = fetchOk(base, ASSETS.lock).then((response) => response.text());
  const starting = async () => {
    const { loadPyodide } = (await import(`${folder}pyodide.mjs`)) as typeof import("pyodide");
    const head = new Uint8Array(snapshot.head);
    const create: CreateModule = async (settings) => {
      const { default: createModule } = await script;
      await pause();
      const laidOut = preload(settings, snapshot.library_path, library);
      const [module, fixed] = await Promise.all([createModule(settings), laidOut]);
      const restored = await image;
      await pause();
      restore(module, restored, fixed, head);
      await pause();
      return module;
    };
    const options = {
      indexURL: folder,
      // Pyodide waits for one; what the image holds needs none.
      stdLibURL: new URL(snapshot.no_stdlib, base).href,
      lockFileContents: lock,
      packageBaseUrl: base,
      _loadSnapshot: head,
      createPyodideModule: create,
    };
    return loadPyodide(options as unknown as Parameters<typeof loadPyodide>[0]);
  };
  const end = wasm.offer();
  try {
    // Pyodide waits for what does not come; whichever fails first is told.
    const [pyodide] = await Promise.all([starting(), wasm.module, script, library, image, lock]);
    await pause();
    pyodide.runPython("import webagent_late; webagent_late.restored()");
    return pyodide;
  } finally {
    end();
  }
}

function restore(
  module: Awaited<ReturnType<CreateModule>>,
  image: Image,
  fixed: number,
  head: Uint8Array,
): void {
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
