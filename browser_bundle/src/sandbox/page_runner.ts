/** Runs programs in the page itself, with all that a script of the page may do. */
import { ConcurrencyLimiter } from "./concurrency_limiter.ts";
import type { Execution } from "./execution.ts";
import { runProgram } from "./program.ts";
import { createConsole } from "./program_console.ts";
import type { Transformed } from "./transform/index.ts";
import type { Outcome } from "./worker_messages.ts";

/** Makes code of what a model wrote; see `transform/index.ts`. */
export type Transform = (source: string) => Transformed;

/** Start a program; `end` is told what came of it. It cannot be stopped, only left alone. */
export function startOnPage(
  code: string,
  account: Execution,
  transform: Transform,
  end: (outcome: Outcome) => void,
): void {
  const turns = new ConcurrencyLimiter();
  runProgram(
    code,
    transform,
    {
      names: account.names,
      console: createConsole(account.print, console),
      call: (name, args, settle) =>
        turns.add((done) => void account.call(name, args).then(done), settle),
      describe: (name, settle) =>
        turns.add((done) => void account.describe(name).then(done), settle),
    },
    end,
  );
}
