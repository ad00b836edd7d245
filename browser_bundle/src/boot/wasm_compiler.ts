/** Pyodide's own WebAssembly, compiled while it arrives; Pyodide would begin only when it is all there. */

export class WasmCompiler {
  /** Resolves when all of it is compiled. */
  readonly module: Promise<WebAssembly.Module>;
  /** Rejects when what was compiled cannot be run, for lack of memory above all; Pyodide tells nobody. */
  readonly failed: Promise<never>;
  #url: string;
  #response: Promise<Response>;
  #fail!: (error: unknown) => void;

  constructor(url: string) {
    this.#url = url;
    this.#response = fetch(url);
    this.module = WebAssembly.compileStreaming(this.#response);
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Whoever waits for them is told.
    this.module.catch(() => {});
    this.failed.catch(() => {});
  }

  /**
   * Give this to Pyodide, which has no option for it, when it asks the browser; everybody else gets from
   * the browser what they always get.
   *
   * @returns Ends that.
   */
  offer(): () => void {
    const { fetch } = globalThis;
    const { instantiateStreaming } = WebAssembly;
    let offered = true;
    const answer: typeof fetch = (input, options) =>
      offered && String(input) === this.#url ? this.#response : fetch(input, options);
    const instantiate: typeof instantiateStreaming = (source, imports) =>
      source === this.#response ? this.#instantiate(imports) : instantiateStreaming(source, imports);
    globalThis.fetch = answer;
    WebAssembly.instantiateStreaming = instantiate;
    return () => {
      offered = false;
      // A script of the site, or another start, may have put its own there meanwhile.
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

/** Let the page do something else before more is done, where the browser can. */
export async function yieldToPage(): Promise<void> {
  await (globalThis as { scheduler?: Scheduler }).scheduler?.yield();
}
