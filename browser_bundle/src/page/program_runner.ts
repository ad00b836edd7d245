/** Runs programs that are written against the page's tools. */
import { loadChunk } from "../base/lazy_chunks.ts";
import { failedBeforeStart, type Log, type Result } from "../base/results.ts";
import { jsonText } from "../base/values.ts";
import type { Runtime } from "../boot/runtime.ts";
import type * as Code from "../sandbox/code.ts";
import type { CallTool, RunCode } from "../tools/python_bridge.ts";
import type { Options } from "./options.ts";

/** Calls the runtime, as soon as Python has started. */
type AskRuntime = <Answer>(question: (runtime: Runtime) => Promise<Answer>) => Promise<Answer>;

export class ProgramRunner {
  #options: Pick<Options, "base" | "isolation">;
  #ask: AskRuntime;

  constructor(options: Pick<Options, "base" | "isolation">, ask: AskRuntime) {
    this.#options = options;
    this.#ask = ask;
  }

  /**
   * Run a program of the page; never throws for what it does.
   *
   * @param call Calls a tool for the program.
   * @param group The number that its calls have in common.
   */
  async execute(code: string, options: Code.ExecuteOptions, call: CallTool, group: number): Promise<Result> {
    const started = performance.now();
    try {
      return await this.#ask(async (runtime) => {
        await runtime.refresh();
        const sources = JSON.parse(await runtime.names()) as Record<string, string>;
        const result = await this.#run(code, sources, call, options);
        // Calls that the program left running are no longer needed.
        await runtime.cancel(group);
        if (result.logs.length) {
          result.logs = JSON.parse(await runtime.mask(jsonText(result.logs))) as Log[];
        }
        return result;
      });
    } catch (thrown) {
      // The agent did not start, or the page cannot be read.
      return failedBeforeStart(thrown, started);
    }
  }

  /** Runs a program that Python sends. */
  runForPython: RunCode = (code, { tools, isolation, timeout_ms }, call, signal) =>
    this.#run(code, tools, call, { isolation, timeout_ms, signal });

  async #run(
    code: string,
    sources: Record<string, string>,
    call: CallTool,
    options: Code.ExecuteOptions,
  ): Promise<Result> {
    const { base } = this.#options;
    const isolation = options.isolation ?? this.#options.isolation;
    const { runCode } = await loadChunk<typeof Code>(base, "code");
    const describe = async (name: string | null) =>
      JSON.parse(await this.#ask(async (runtime) => runtime.describe(jsonText(name)))) as Result;
    const tools = new Map(Object.entries(sources));
    return runCode(code, { ...options, isolation, tools, call, describe, base });
  }
}
