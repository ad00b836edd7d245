/** Starts Pyodide with everything it takes fetched at once, and the core's WebAssembly library laid out. */
import type { PyodideAPI } from "pyodide";
import { ASSETS } from "./assets.ts";
import { EarlyWasm } from "./wasm_compiler.ts";
import { preload, type CreateModule, type WasmModule } from "./emscripten.ts";
import { fetchOk } from "./fetching.ts";
import { pause } from "./pause.ts";

/** What a way to start gives Pyodide besides. */
export interface Giving {
  /** Path of the standard library in the bundle. */
  stdlib: string;
  /** Further options of `loadPyodide`. */
  options?: object;
  /**
   * Resolves to what makes Python out of the module that was created.
   *
   * @param fixed Up to here its memory lies as in each start.
   */
  content: Promise<(module: WasmModule, fixed: number) => void>;
}

/**
 * @param base URL of the bundle, ending in a slash.
 * @throws Error that says what did not come, or what is wrong with it.
 */
export async function startPyodide(base: string, { stdlib, options, content }: Giving): Promise<PyodideAPI> {
  const folder = new URL(ASSETS.pyodide, base).href;
  const wasm = new EarlyWasm(`${folder}pyodide.asm.wasm`);
  const script = import(`${folder}pyodide.asm.mjs`) as Promise<{ default: CreateModule }>;
  const library = WebAssembly.compileStreaming(fetchOk(base, ASSETS.library));
  const lock = fetchOk(base, ASSETS.lock).then((response) => response.text());
  const starting = async () => {
    const { loadPyodide } = (await import(`${folder}pyodide.mjs`)) as typeof import("pyodide");
    const create: CreateModule = async (settings) => {
      const { default: createModule } = await script;
      await pause();
      const laidOut = preload(settings, ASSETS.library_path, library);
      const [module, fixed] = await Promise.all([createModule(settings), laidOut]);
      const fill = await content;
      await pause();
      fill(module, fixed);
      await pause();
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
    // Pyodide waits for what does not come; whichever fails first is told.
    const all = Promise.all([starting(), wasm.module, script, library, content, lock]);
    const [pyodide] = await Promise.race([all, wasm.failed]);
    await pause();
    return pyodide;
  } finally {
    end();
  }
}
