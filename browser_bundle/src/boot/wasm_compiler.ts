/** Compiles Pyodide's WebAssembly while it downloads; Pyodide itself begins after the download. */
import { earlyAnswer } from "./downloads.ts";

export class WasmCompiler {
  /** Resolves when all of it is compiled. */
  readonly module: Promise<WebAssembly.Module>;
  /** Rejects when the module cannot be instantiated, mostly for lack of memory; Pyodide hides this. */
  readonly failed: Promise<never>;
  #url: string;
  #response: Promise<Response>;
  #fail!: (error: unknown) => void;

  constructor(url: string) {
    this.#url = url;
    this.#response = earlyAnswer(url) ?? fetch(url);
    this.module = WebAssembly.compileStreaming(this.#response);
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Callers that await them see the rejection.
    this.module.catch(() => {});
    this.failed.catch(() => {});
  }

  /**
   * Hand the module, and early answers, to Pyodide when it calls `fetch` and `instantiateStreaming`,
   * as it has no option for this.
   * Other callers still reach the browser's own functions.
   *
   * @returns Puts the browser's functions back.
   */
  offer(): () => void {
    const { fetch } = globalThis;
    const { instantiateStreaming } = WebAssembly;
    let offered = true;
    const answer: typeof fetch = (input, options) =>
      (offered && (String(input) === this.#url ? this.#response : earlyAnswer(String(input)))) || fetch(input, options);
    const instantiate: typeof instantiateStreaming = (source, imports) =>
      source === this.#response ? this.#instantiate(imports) : instantiateStreaming(source, imports);
    globalThis.fetch = answer;
    WebAssembly.instantiateStreaming = instantiate;
    return () => {
      offered = false;
      // A script of the site, or another start, may have replaced them meanwhile.
      if (globalThis.fetch === answer) globalThis.fetch = fetch;
      if (WebAssembly.instantiateStreaming === instantiate) WebAssembly.instantiateStreaming = instantiateStreaming;
    };
  }

  async #instantiate(imports?: WebAssembly.Imports): Promise<WebAssembly.WebAssemblyInstantiatedSource> {
    try {
      const module = await this.module;
      await yieldToPage();
      const instance = await WebAssembly.instantiate(module, imports);
      await yieldToPage();
      return { module, instance };
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }
}

interface Scheduler {
  yield(): Promise<void>;
}

/** Let the page's other tasks run, where the browser supports it. */
export async function yieldToPage(): Promise<void> {
  await (globalThis as { scheduler?: Scheduler }).scheduler?.yield();
}
