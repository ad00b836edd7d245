/** The execution of a program: its limits, its calls and logs, and its end. */
import { asWebagentError, WebagentError } from "../base/errors.ts";
import type { Call, Log, Result } from "../base/results.ts";
import type { Encoded } from "../base/values.ts";
import { DEFAULT_TIMEOUT_MS, MAX_CODE_CHARS, MAX_TIMER_MS } from "./limits.ts";
import { limited, type Print } from "./program_console.ts";
import { unknownTool } from "./tool_globals.ts";
import type { Outcome } from "./worker_messages.ts";

interface ExecutionOptions {
  /** The source of each tool by its name. */
  tools: ReadonlyMap<string, string>;
  /** Calls a tool; resolves to the whole result of that call. */
  call: (name: string, args: Encoded[]) => Promise<Result>;
  /** Describes a tool, or with null lists all. */
  describe: (name: string | null) => Promise<Result>;
}

/** A running program, as the page counts it: what it has called and logged. */
export class Execution {
  readonly print: Print;
  #options: ExecutionOptions;
  #started = performance.now();
  #logs: Log[] = [];
  #calls: Call[] = [];
  #closed = false;

  constructor(options: ExecutionOptions) {
    this.#options = options;
    const keep = limited((log) => this.#logs.push(log));
    this.print = (log) => {
      if (!this.#closed) keep(log);
    };
  }

  get names(): string[] {
    return [...this.#options.tools.keys()];
  }

  /** Call a tool for the program. */
  async call(name: string, args: Encoded[]): Promise<Outcome> {
    const source = this.#options.tools.get(name);
    if (this.#closed) return failure(programEnded(name));
    if (source === undefined) return failure(unknownTool(name, this.names));
    const entry: Call = { name, source, arguments: args };
    this.#calls.push(entry);
    try {
      const result = await this.#options.call(name, args);
      const [made] = result.calls;
      if (made) Object.assign(entry, made);
      // The call was refused before it reached the page.
      else this.#calls.splice(this.#calls.indexOf(entry), 1);
      return outcomeOf(result);
    } catch (thrown) {
      return failure(thrown);
    }
  }

  /** Answer a question of the program about the tools. */
  async describe(name: string | null): Promise<Outcome> {
    if (this.#closed) return failure(programEnded());
    try {
      return outcomeOf(await this.#options.describe(name));
    } catch (thrown) {
      return failure(thrown);
    }
  }

  /** Return the result; what the program does after this is ignored. */
  close(outcome: Outcome): Result {
    this.#closed = true;
    return {
      ...outcome,
      logs: this.#logs,
      calls: this.#calls.map((entry) => ({ ...entry })),
      duration_ms: Math.round((performance.now() - this.#started) * 1000) / 1000,
    };
  }
}

function outcomeOf(result: Result): Outcome {
  return result.ok ? { ok: true, value: result.value } : { ok: false, error: result.error };
}

/** The outcome of a thrown value. */
export function failure(thrown: unknown): Outcome & { ok: false } {
  return { ok: false, error: asWebagentError(thrown).toJSON() };
}

function programEnded(tool?: string): WebagentError {
  const message = "the program has ended";
  return new WebagentError({ kind: "cancelled", message, ...(tool === undefined ? {} : { tool }) });
}

export interface RunOptions extends ExecutionOptions {
  /** How long the program may take; `Infinity` for as long as it wants. Default 30,000. */
  timeout_ms?: number | undefined;
  /** Ends the program: its result is no longer awaited, and it can call no more tools. */
  signal?: AbortSignal | undefined;
}

/** Starts a program; resolves to a function that stops it, with `spoilt` for a program that is still running. */
export type Start = (
  code: string,
  execution: Execution,
  end: (outcome: Outcome) => void,
) => Promise<(spoilt: boolean) => void>;

/** Run a program until it ends, its time is up, or it is cancelled. Never throws for what it does. */
export async function run(code: string, options: RunOptions, start: Start): Promise<Result> {
  const execution = new Execution(options);
  const { signal } = options;
  if (signal?.aborted) return execution.close(failure(cancelled()));
  if (code.length > MAX_CODE_CHARS) return execution.close(failure(tooLong()));
  const outcome = await new Promise<Outcome>((resolve) => {
    let stop: ((spoilt: boolean) => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let over: { spoilt: boolean } | undefined;
    const finish = (outcome: Outcome, spoilt = false): void => {
      if (over) return;
      over = { spoilt };
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      stop?.(spoilt);
      resolve(outcome);
    };
    const abort = (): void => finish(failure(cancelled()));
    signal?.addEventListener("abort", abort);
    start(code, execution, finish).then(
      (stopIt) => {
        if (over) {
          stopIt(over.spoilt);
          return;
        }
        stop = stopIt;
        const wait_ms = timeOf(options.timeout_ms);
        const late = (): void => finish(failure(timedOut(wait_ms)), true);
        timer = setTimeout(late, Math.min(wait_ms, MAX_TIMER_MS));
      },
      (thrown: unknown) => finish(failure(thrown)),
    );
  });
  return execution.close(outcome);
}

function timeOf(timeout_ms: number | undefined): number {
  return Number(timeout_ms) >= 0 ? Number(timeout_ms) : DEFAULT_TIMEOUT_MS;
}

function timedOut(wait_ms: number): WebagentError {
  const message = `the program did not finish within ${wait_ms} ms`;
  return new WebagentError({ kind: "timeout", message });
}

function cancelled(): WebagentError {
  return new WebagentError({ kind: "cancelled", message: "the program was cancelled" });
}

function tooLong(): WebagentError {
  return new WebagentError({
    kind: "too_large",
    message: `the program is longer than ${MAX_CODE_CHARS} characters`,
    help: "pass data to tools rather than write it into programs",
  });
}
