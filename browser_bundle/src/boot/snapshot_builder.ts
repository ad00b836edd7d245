/**
 * Makes the image that pages start from. `build/snapshot_worker.mjs` runs it in Node, in what looks like a
 * worker of a page. It is never part of a page of a site.
 */
import type { PyodideAPI } from "pyodide";
import { endOfData, heapEnd, preloadLibrary, type Allocate, type CreateModule, type WasmModule } from "./emscripten.ts";
import { fetchArchive, unpack } from "./packages.ts";
import { checksum, GRANULE, readImage, restoreImage, writeImage, type Image } from "./snapshot_image.ts";

/** The request of `build/snapshot.mjs`; its paths are in the bundle. */
export interface Order {
  pyodide: string;
  /** The part of Pyodide's lock file that is about Pyodide; the image needs no package. */
  info: object;
  stdlib: string;
  no_stdlib: string;
  packages: string[];
  library: string;
  library_path: string;
  /** Python that imports what the image is to hold, freezes it, and returns the address of one such object. */
  program: string;
}

type Load = (options: object) => Promise<PyodideAPI>;

/** If memory differs between these languages, a page must not take it from its own memory. */
const LANGUAGES = ["en-US", "de", "zh-Hant-TW", "pt-BR", "sr-Latn-RS"];

/**
 * @param bundle Where the paths of the order begin, ending in a slash.
 */
export async function makeSnapshot(bundle: string, ordered: Order): Promise<Uint8Array> {
  const order = placed(bundle, ordered);
  if (!("Suspending" in WebAssembly)) throw new Error("this Node cannot suspend WebAssembly");
  const { loadPyodide } = (await import(`${order.pyodide}pyodide.mjs`)) as { loadPyodide: Load };
  const { default: createModule } = (await import(`${order.pyodide}pyodide.asm.mjs`)) as { default: CreateModule };
  const library = await WebAssembly.compileStreaming(fetch(order.library));
  const bare: Uint8Array[] = [];
  let fixed = 0;
  for (const language of LANGUAGES) {
    // The memory holds the second in which it was made, too.
    await new Promise((resolve) => setTimeout(resolve, 1000 / (LANGUAGES.length - 1)));
    Object.defineProperty(navigator, "language", { value: language, configurable: true });
    const before = await memoryBeforeStart(order, loadPyodide, createModule, library);
    if (fixed !== 0 && fixed !== before.fixed) throw new Error("two starts do not have the same layout");
    fixed = before.fixed;
    bare.push(before.memory);
  }
  const packages = await Promise.all(order.packages.map((path) => fetchArchive(bundle, path)));
  let made: WasmModule | undefined;
  let endOfClearing = () => {};
  const create: CreateModule = async (settings) => {
    settings.onRuntimeInitialized = () => {
      endOfClearing = clearTaken(settings);
    };
    const laidOut = preloadLibrary(settings, order.library_path, Promise.resolve(library));
    [made] = await Promise.all([createModule(settings), laidOut]);
    return made;
  };
  const pyodide = await loadPyodide({
    ...lockOf(order),
    stdLibURL: order.stdlib,
    _makeSnapshot: true,
    createPyodideModule: create,
  });
  if (made === undefined) throw new Error("Pyodide did not take the module it was given");
  // Without Python: what it has freed again would be in the image too.
  unpack(pyodide.FS, packages);
  // It is laid out already, and only has to be there by name.
  pyodide.FS.writeFile(order.library_path, new Uint8Array());
  const frozen = pyodide.runPython(order.program) as number;
  endOfClearing();
  keepForEver(made, frozen, fixed);
  const program = new Uint8Array(await (await fetch(`${order.pyodide}pyodide.asm.wasm`)).arrayBuffer());
  return imageOf(pyodide, made, bare, { fixed, data: endOfData(program) });
}

function placed(bundle: string, order: Order): Order {
  const url = (path: string) => new URL(path, bundle).href;
  return {
    ...order,
    pyodide: url(order.pyodide),
    stdlib: url(order.stdlib),
    no_stdlib: url(order.no_stdlib),
    library: url(order.library),
  };
}

/** Options of `loadPyodide` with a lock file without packages. */
function lockOf({ pyodide, info }: Order): object {
  return { indexURL: pyodide, packageBaseUrl: pyodide, lockFileContents: JSON.stringify({ info, packages: {} }) };
}

/** The memory in which nothing of Python has run, as a start from the image meets it. */
async function memoryBeforeStart(
  order: Order,
  loadPyodide: Load,
  createModule: CreateModule,
  library: WebAssembly.Module,
): Promise<{ memory: Uint8Array; fixed: number }> {
  let found: { memory: Uint8Array; fixed: number } | undefined;
  const create: CreateModule = async (settings) => {
    const laidOut = preloadLibrary(settings, order.library_path, Promise.resolve(library));
    const [module, fixed] = await Promise.all([createModule(settings), laidOut]);
    found = { memory: module.HEAPU8.slice(), fixed };
    throw new Error("seen enough");
  };
  const options = {
    ...lockOf(order),
    stdLibURL: order.no_stdlib,
    _loadSnapshot: new Uint8Array(64),
    createPyodideModule: create,
  };
  await loadPyodide(options).catch((error: unknown) => {
    if (!found) throw error;
  });
  if (!found) throw new Error("Pyodide did not ask for its module");
  return found;
}

/** Ends of the memory that is the same in each start, and of the data that the program brings. */
interface Ends {
  fixed: number;
  data: number;
}

function imageOf(pyodide: PyodideAPI, module: WasmModule, bare: Uint8Array[], { fixed, data }: Ends): Uint8Array {
  const { makeMemorySnapshot } = pyodide as unknown as { makeMemorySnapshot(): Uint8Array };
  clearFreed(module);
  const snapshot = makeMemorySnapshot.call(pyodide);
  const words = new Uint32Array(snapshot.buffer);
  // Where the memory begins is written in the second word; in the image it is kept by itself.
  const head = snapshot.slice(0, words[1]);
  const size = Math.ceil(heapEnd(module) / GRANULE) * GRANULE;
  const memory = new Uint8Array(snapshot.buffer, words[1], size);
  const empty: Image["empty"] = [Math.ceil(data / 4) * 4, module._emscripten_stack_get_base()];
  memory.fill(0, module._emscripten_stack_get_end(), module._emscripten_stack_get_current());
  const { runs, granules } = difference(memory, bare, { fixed, empty });
  const libraries = Object.entries(module.LDSO.loadedLibsByHandle)
    .filter(([, { name }]) => name !== "__main__")
    .map(([handle, { name }]): [string, string] => [handle, name]);
  const contents = {
    size,
    fixed,
    empty,
    libraries,
    checksum: checksum(memory.slice(), size),
    head: head.length,
    runs: runs.byteLength,
  };
  const file = writeImage(contents, head, runs, granules);
  for (const start of bare) {
    const restored = new Uint8Array(Math.max(start.length, size));
    restored.set(start);
    restoreImage(restored, start.length, readImage(file.slice().buffer));
  }
  return file;
}

type Places = Pick<Image, "fixed" | "empty">;

function difference(memory: Uint8Array, bare: Uint8Array[], places: Places): { runs: Uint32Array; granules: Uint8Array } {
  const image = new Int32Array(memory.slice().buffer);
  const starts = bare.map((start) => new Int32Array(start.buffer));
  const runs: number[] = [];
  const parts: Uint8Array[] = [];
  let skipped = 0;
  let begun = -1;
  const total = memory.length / GRANULE;
  for (let granule = 0; granule <= total; granule++) {
    const kept = granule < total && differs(image, starts, granule, places);
    if (kept && begun < 0) {
      begun = granule;
    } else if (!kept && begun >= 0) {
      runs.push(begun - skipped, granule - begun);
      parts.push(memory.subarray(begun * GRANULE, granule * GRANULE));
      skipped = granule;
      begun = -1;
    }
  }
  const granules = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    granules.set(part, at);
    at += part.length;
  }
  return { runs: Uint32Array.from(runs), granules };
}

/** Whether a granule is not what a page has by itself, on whatever machine. */
function differs(image: Int32Array, starts: Int32Array[], granule: number, { fixed, empty }: Places): boolean {
  const first = (granule * GRANULE) / 4;
  for (let index = first; index < first + GRANULE / 4; index++) {
    const word = image[index];
    const place = index * 4;
    if (place >= fixed || (place >= empty[0] && place < empty[1])) {
      if (word !== 0) return true;
    } else {
      for (const start of starts) if (start[index] !== word) return true;
    }
  }
  return false;
}

/** The words that the collector keeps before an object: the next one and the one before, with marks in their low bits. */
const COLLECTOR_WORDS = 2;
const MARKS = 3;
/** The count of references of an object that is never freed. */
const IMMORTAL = 0x50000000;

/**
 * Let frozen objects live for ever, and take them out of the collector's list.
 *
 * That list gives each object two addresses that no other has, a tenth of the image as it is sent, and the collector
 * of each page would go through it.
 *
 * @param frozen Address of a frozen object.
 * @param fixed Where objects begin; the list itself begins before.
 */
function keepForEver(module: WasmModule, frozen: number, fixed: number): void {
  const heap = new Uint32Array(module.HEAPU8.buffer);
  const next = (at: number) => ((heap[at] as number) & ~MARKS) >>> 2;
  let first = (frozen >>> 2) - COLLECTOR_WORDS;
  while (first * 4 >= fixed) first = next(first);
  for (let at = next(first); at !== first; ) {
    const following = next(at);
    if (next(following + 1) !== at) throw new Error("Python's list of objects has changed");
    heap[at + COLLECTOR_WORDS] = IMMORTAL;
    heap[at] = heap[at + 1] = 0;
    at = following;
  }
  heap[first] = heap[first + 1] = first * 4;
}

/** Words of the structure that `PyMem_GetAllocator` fills. */
const [MALLOC, REALLOC, ALLOCATOR_WORDS] = [1, 3, 5] as const;

/**
 * Fill each block with zeros when Python takes it.
 *
 * Freed content would stay in the gaps of structures and behind their ends, and be a tenth of the image as it is sent.
 *
 * @returns Ends this.
 */
function clearTaken(module: WasmModule): () => void {
  const { wasmTable } = module;
  const place = module._malloc(ALLOCATOR_WORDS * 4);
  module._PyMem_GetAllocator(0, place);
  const allocator = new Uint32Array(module.HEAPU8.buffer, place, ALLOCATOR_WORDS).slice();
  module._free(place);
  const replace = (word: number, make: (given: Allocate) => Allocate, signature: string) => {
    const index = allocator[word] as number;
    const given = wasmTable.get(index) as Allocate;
    wasmTable.set(index, module.convertJsFunctionToWasm(make(given), signature));
    return () => wasmTable.set(index, given);
  };
  const sizeOf = (block: number) => module._malloc_usable_size(block);
  const cleared = (block: number, from: number) => {
    if (block !== 0) module.HEAPU8.fill(0, block + from, block + sizeOf(block));
    return block;
  };
  const ends = [
    replace(MALLOC, (given) => (...numbers) => cleared(given(...numbers), 0), "ppp"),
    replace(
      REALLOC,
      (given) => (context = 0, block = 0, size = 0) => {
        const kept = Math.min(sizeOf(block), size);
        return cleared(given(context, block, size), kept);
      },
      "pppp",
    ),
  ];
  return () => ends.forEach((end) => end());
}

/** Bytes that are asked for at first; the end of the heap moves by twice as much at most. */
const MOST_BYTES = 1 << 17;
const LEAST_BYTES = 16;

/** Overwrite what is free in the heap with zeros, so that no image of the memory holds it. */
function clearFreed(module: WasmModule): void {
  const taken: number[] = [];
  for (let size = MOST_BYTES; size >= LEAST_BYTES; size >>>= 1) {
    for (;;) {
      const end = heapEnd(module);
      const place = module._malloc(size);
      taken.push(place);
      if (heapEnd(module) !== end) break;
      module.HEAPU8.fill(0, place, place + size);
    }
  }
  for (const place of taken) module._free(place);
}
