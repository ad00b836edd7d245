/** What a program has done so far, and all it may do: its prints, its calls, its questions. */
import { asWebagentError, WebagentError } from "../base/errors.ts";
import type { Call, Log, Result } from "../base/results.ts";
import type { Encoded } from "../base/values.ts";
import { limited, type Print } from "./program_console.ts";
import { unknownTool } from "./tool_globals.ts";
import type { Outcome } from "./worker_messages.ts";

export interface AccountOptions {
  /** The source of each tool by its name. */
  tools: ReadonlyMap<string, string>;
  /** Calls a tool; resolves to the whole result of that call. */
  call: (name: string, args: Encoded[]) => Promise<Result>;
  /** What a tool is, or with null which there are. */
  describe: (name: string | null) => Promise<Result>;
}

export class Account {
  readonly print: Print;
  #options: AccountOptions;
  #started = performance.now();
  #logs: Log[] = [];
  #calls: Call[] = [];
  #closed = false;

  constructor(options: AccountOptions) {
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
    if (this.#closed) return failure(ended(name));
    if (source === undefined) return failure(unknownTool(name, this.names));
    const entry: Call = { name, source, arguments: args };
    this.#calls.push(entry);
    try {
      const result = await this.#options.call(name, args);
      const [made] = result.calls;
      if (made) Object.assign(entry, made);
      // Refused before the page saw it.
      else this.#calls.splice(this.#calls.indexOf(entry), 1);
      return outcomeOf(result);
    } catch (thrown) {
      return failure(thrown);
    }
  }

  /** Answer a question of the program about the tools. */
  async describe(name: string | null): Promise<Outcome> {
    if (this.#closed) return failure(ended());
    try {
      return outcomeOf(await this.#options.describe(name));
    } catch (thrown) {
      return failure(thrown);
    }
  }

  /** The result; what the program does from now on is no part of it. */
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

/** What was thrown, as the outcome that it is. */
export function failure(thrown: unknown): Outcome & { ok: false } {
  return { ok: false, error: asWebagentError(thrown).toJSON() };
}

function ended(tool?: string): WebagentError {
  const message = "the program has ended";
  return new WebagentError({ kind: "cancelled", message, ...(tool === undefined ? {} : { tool }) });
}
