import type { PyodideAPI } from "pyodide";

/** The members of Pyodide's WebAssembly module that our starts use; none is public API of Pyodide. */
export interface WasmModule {
  HEAPU8: Uint8Array;
  FS: PyodideAPI["FS"];
  preRun: ((module: WasmModule) => void)[];
  preloadedWasm: Record<string, unknown>;
  LDSO: { loadedLibsByName: Record<string, Library>; loadedLibsByHandle: Record<string, Library> };
  addRunDependency(name: string): void;
  removeRunDependency(name: string): void;
  /** Returns 1 on success. */
  growMemory(size: number): 1 | undefined;
  _emscripten_get_sbrk_ptr(): number;
  /** End, current position and base of the stack, which grows downwards. */
  _emscripten_stack_get_end(): number;
  _emscripten_stack_get_current(): number;
  _emscripten_stack_get_base(): number;
  /** Called before Python runs. */
  onRuntimeInitialized?: () => void;
  wasmTable: WebAssembly.Table;
  convertJsFunctionToWasm(does: Allocate, signature: string): Allocate;
  /** Fills a structure of five words: `ctx`, `malloc`, `calloc`, `realloc`, `free`. */
  _PyMem_GetAllocator(domain: number, place: number): void;
  _malloc_usable_size(place: number): number;
  _malloc(size: number): number;
  _free(place: number): void;
  loadWebAssemblyModule(
    code: WebAssembly.Module,
    flags: LoadFlags,
    name: string,
    scope: object,
  ): Promise<unknown>;
  loadDynamicLibrary(name: string, flags: LoadFlags, scope: object): Promise<unknown>;
}

interface Library {
  name: string;
}

interface LoadFlags {
  loadAsync: true;
  nodelete: true;
  global: false;
  allowUndefined: true;
}

const FLAGS: LoadFlags = { loadAsync: true, nodelete: true, global: false, allowUndefined: true };

/** `malloc` or `realloc` of Python: takes its `ctx` first, and the size last. */
export type Allocate = (...numbers: number[]) => number;

/** `createPyodideModule` of `loadPyodide`, with the types that we use. */
export type CreateModule = (settings: WasmModule) => Promise<WasmModule>;

/** Where the heap ends. */
export function heapEnd(module: WasmModule): number {
  const heap = new Uint32Array(module.HEAPU8.buffer);
  return heap[module._emscripten_get_sbrk_ptr() >>> 2] ?? 0;
}

/**
 * Load a library before Python starts, so that it has the same address in each run.
 *
 * @param path Where Python will look for it.
 * @returns Resolves, once the library is loaded, to the end of the memory at fixed addresses.
 */
export function preloadLibrary(settings: WasmModule, path: string, code: Promise<WebAssembly.Module>): Promise<number> {
  return new Promise((resolve, reject) => {
    settings.preRun.push((module) => {
      module.addRunDependency(path);
      const load = async () => {
        const exports = await module.loadWebAssemblyModule(await code, FLAGS, path, {});
        module.preloadedWasm[path] = exports;
        await module.loadDynamicLibrary(path, FLAGS, {});
        resolve(heapEnd(module));
        module.removeRunDependency(path);
      };
      load().catch(reject);
    });
  });
}

/** Numbers of the sections and instructions of WebAssembly that `endOfData` reads. */
const DATA_SECTION = 11;
const I32_CONST = 0x41;
const END = 0x0b;

/**
 * Where the data end that a WebAssembly module puts into its memory.
 *
 * @throws Error when it is not a module, or places data anywhere but at constant addresses.
 */
export function endOfData(wasm: Uint8Array): number {
  let at = 8;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = wasm[at++];
      if (byte === undefined) throw new Error("the WebAssembly is not whole");
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < wasm.length) {
    const section = wasm[at++];
    const next = number() + at;
    if (section !== DATA_SECTION) {
      at = next;
      continue;
    }
    let end = 0;
    for (let left = number(); left > 0; left--) {
      if (number() !== 0 || wasm[at++] !== I32_CONST) throw new Error("data without a constant address");
      const start = number();
      if (wasm[at++] !== END) throw new Error("data without a constant address");
      const length = number();
      at += length;
      end = Math.max(end, start + length);
    }
    return end;
  }
  throw new Error("the WebAssembly has no data");
}
