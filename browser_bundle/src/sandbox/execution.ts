/** The execution of a program: its limits, its calls and logs, and its end. */
import { asWebagentError, WebagentError } from "../base/errors.ts";
import type { Call, Log, Result } from "../base/results.ts";
import { turn } from "../base/page_events.ts";
import { cut, type Encoded } from "../base/values.ts";
import {
  DEFAULT_TIMEOUT_MS, MAX_ALL_KEPT_CHARS, MAX_CALLS, MAX_CODE_CHARS, MAX_KEPT_CHARS, MAX_TIMER_MS,
} from "./limits.ts";
import { limited, type Print } from "./program_console.ts";
import { unknownTool } from "./tool_globals.ts";
import type { Outcome } from "./worker_messages.ts";

interface ExecutionOptions {
  /** The source of each tool by its name. */
  tools: ReadonlyMap<string, string>;
  /** Calls a tool with arguments in JSON; resolves to the whole result of that call. */
  call: (name: string, args: string) => Promise<Result>;
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
  /** How many characters of arguments may still be kept. */
  #keptChars = MAX_ALL_KEPT_CHARS;
  #deadline_ms = Infinity;
  #late = () => {};
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

  /** End the program by `late` as soon as it calls something after this time. */
  expire(wait_ms: number, late: () => void): void {
    this.#deadline_ms = performance.now() + wait_ms;
    this.#late = late;
  }

  /**
   * Call a tool for the program.
   *
   * @param args Its arguments in JSON.
   * @param shown What `calls` shows of them.
   */
  async call(name: string, args: string, shown: Encoded): Promise<Outcome> {
    // Where the page is busy, a timer is late.
    const late = performance.now() > this.#deadline_ms;
    if (late) this.#late();
    if (late || this.#closed) return failure(programEnded(name));
    const source = this.#options.tools.get(name);
    if (source === undefined) return failure(unknownTool(name, this.names));
    if (this.#calls.length >= MAX_CALLS) return failure(tooManyCalls(name));
    const entry: Call = { name, source, arguments: [] };
    this.#calls.push(entry);
    const chars = this.#keep(entry, shown);
    try {
      await turn();
      const result = await this.#options.call(name, args);
      await turn();
      const [made] = result.calls;
      this.#keptChars += chars;
      if (made) this.#keep(Object.assign(entry, made), made.arguments);
      // The call was refused before it reached the page.
      else this.#calls.splice(this.#calls.indexOf(entry), 1);
      return outcomeOf(result);
    } catch (thrown) {
      return failure(thrown);
    }
  }

  #keep(entry: Call, shown: Encoded): number {
    const [kept, chars] = cut(shown, Math.min(MAX_KEPT_CHARS, this.#keptChars));
    entry.arguments = kept as Call["arguments"];
    this.#keptChars -= chars;
    return chars;
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

function tooManyCalls(tool: string): WebagentError {
  return new WebagentError({
    kind: "rate_limited",
    message: `the program has called tools ${MAX_CALLS} times, which is the most that one may`,
    tool,
    help: "call a tool once for many items, or go on in another program",
  });
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
  end: (outcome: Outcome, spoilt?: boolean) => void,
  wait_ms: number,
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
    const wait_ms = timeOf(options.timeout_ms);
    start(code, execution, finish, wait_ms).then(
      (stopIt) => {
        if (over) {
          stopIt(over.spoilt);
          return;
        }
        stop = stopIt;
        const late = (): void => finish(failure(timedOut(wait_ms)), true);
        execution.expire(wait_ms, late);
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

/** The error of a program whose time is up. */
export function timedOut(wait_ms: number): WebagentError {
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
