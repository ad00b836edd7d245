import type { PyodideAPI } from "pyodide";

/** What of Pyodide's WebAssembly module our starts use; none of it is promised by Pyodide. */
export interface WasmModule {
  HEAPU8: Uint8Array;
  FS: PyodideAPI["FS"];
  preRun: ((module: WasmModule) => void)[];
  preloadedWasm: Record<string, unknown>;
  LDSO: { loadedLibsByName: Record<string, Library>; loadedLibsByHandle: Record<string, Library> };
  addRunDependency(name: string): void;
  removeRunDependency(name: string): void;
  /** 1 when it could be done. */
  growMemory(size: number): 1 | undefined;
  _emscripten_get_sbrk_ptr(): number;
  /** Where the stack ends that grows downwards, how far it has grown, and where it begins. */
  _emscripten_stack_get_end(): number;
  _emscripten_stack_get_current(): number;
  _emscripten_stack_get_base(): number;
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

/** `loadPyodide`'s own `createPyodideModule`, with the types of what is used. */
export type CreateModule = (settings: WasmModule) => Promise<WasmModule>;

/** Where the heap ends. */
export function heapEnd(module: WasmModule): number {
  const heap = new Uint32Array(module.HEAPU8.buffer);
  return heap[module._emscripten_get_sbrk_ptr() >>> 2] ?? 0;
}

/**
 * Load a library before Python starts, so that it lies at the same place in each run.
 *
 * @param path Where Python will look for it.
 * @returns Resolves to the end of what lies at a fixed place, when the library is there.
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
