/** Starts Python as it was when it had imported the core: from an image of its memory. */
import type { PyodideAPI } from "pyodide";
import { ASSETS, type SnapshotAssets } from "./assets.ts";
import { heapEnd, type WasmModule } from "./emscripten.ts";
import { fetchOk } from "./fetching.ts";
import { readImage, restoreImage, type Image } from "./snapshot_image.ts";
import { startPyodide } from "./pyodide.ts";

/** Why this browser cannot start from the bundle's image, undefined if it can. */
export function whyNoSnapshot(): string | undefined {
  if (ASSETS.snapshot === null) return "the bundle was built without a snapshot";
  // What Python has found out about its browser is part of the image.
  if (!("Suspending" in WebAssembly)) return "this browser cannot suspend WebAssembly";
  if (!/Chrom(e|ium)\//.test(navigator.userAgent)) return "the snapshot was made by another kind of browser";
  return undefined;
}

/**
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that says why it cannot be done.
 */
export async function startFromSnapshot(base: string, snapshot: SnapshotAssets): Promise<PyodideAPI> {
  const image = fetchOk(base, snapshot.image).then(async (response) => readImage(await response.arrayBuffer()));
  const head = new Uint8Array(snapshot.head);
  const pyodide = await startPyodide(base, {
    // Pyodide waits for one; what the image holds needs none.
    stdlib: snapshot.no_stdlib,
    options: { _loadSnapshot: head },
    content: image.then((restored) => (module, fixed) => restore(module, restored, fixed, head)),
  });
  pyodide.runPython("import webagent_late; webagent_late.restored()");
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
