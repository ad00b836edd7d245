/** `code.js`: runs programs; loaded with the first one. */
import { refuseClosedParts } from "../base/agent_access.ts";
import { loadChunk } from "../base/lazy_chunks.ts";
import type { Result } from "../base/results.ts";
import { run, type RunOptions, type Start } from "./execution.ts";
import { startOnPage, type Transform } from "./page_runner.ts";
import { startInSandbox } from "./sandbox_runner.ts";

/** Where a program runs: in a sandbox, where it can only call tools, or in the page itself. */
export type Isolation = "sandbox" | "page";

/** Options of `webagent.execute()`. */
export type ExecuteOptions = Pick<RunOptions, "timeout_ms" | "signal"> & { isolation?: Isolation };

export interface CodeOptions extends RunOptions {
  isolation: Isolation;
  /** URL of the folder with `sandbox.html` and `transform.js`, ending in a slash. */
  base: string;
}

/** Run a program that was written against `declare const global`; never throws for what it does. */
export function runCode(code: string, options: CodeOptions): Promise<Result> {
  const { base, isolation } = options;
  const inPage: Start = async (text, execution, end) => {
    const { transform } = await loadChunk<{ transform: Transform }>(base, "transform");
    refuseClosedParts();
    startOnPage(text, execution, transform, end);
    return () => {};
  };
  const inSandbox: Start = (text, execution, end, wait_ms) =>
    startInSandbox(text, execution, base, end, wait_ms);
  return run(String(code), options, isolation === "page" ? inPage : inSandbox);
}
