/** Runs a program until it ends, its time is up, or it is not wanted any more. */
import { WebagentError } from "../base/errors.ts";
import type { Result } from "../base/results.ts";
import { Account, failure, type AccountOptions } from "./execution.ts";
import { DEFAULT_TIMEOUT_MS, MAX_CODE_CHARS, MAX_TIMER_MS } from "./limits.ts";
import type { Outcome } from "./worker_messages.ts";

export interface RunOptions extends AccountOptions {
  /** How long the program may take; `Infinity` for as long as it wants. Default 30,000. */
  timeout_ms?: number | undefined;
  /** Ends the program: it is not waited for any more and can call no tool. */
  signal?: AbortSignal | undefined;
}

/** Starts a program; resolves to what stops it. */
export type Start = (
  code: string,
  account: Account,
  end: (outcome: Outcome) => void,
) => Promise<(spoilt: boolean) => void>;

/** Run a program; never throws for what it does. */
export async function run(code: string, options: RunOptions, start: Start): Promise<Result> {
  const account = new Account(options);
  const { signal } = options;
  if (signal?.aborted) return account.close(failure(cancelled()));
  if (code.length > MAX_CODE_CHARS) return account.close(failure(tooLong()));
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
    start(code, account, finish).then(
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
  return account.close(outcome);
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
