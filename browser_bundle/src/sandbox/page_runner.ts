/** Runs programs in the page itself, with all that a script of the page may do. */
import { Turns } from "./concurrency_limiter.ts";
import type { Account } from "./execution.ts";
import { runProgram } from "./program.ts";
import { createConsole } from "./program_console.ts";
import type { Transformed } from "./transform/index.ts";
import type { Outcome } from "./worker_messages.ts";

/** Makes code of what a model wrote; see `transform/index.ts`. */
export type Transform = (source: string) => Transformed;

/** Start a program; `end` is told what came of it. It cannot be stopped, only left alone. */
export function startInPage(
  code: string,
  account: Account,
  transform: Transform,
  end: (outcome: Outcome) => void,
): void {
  const turns = new Turns();
  runProgram(
    code,
    transform,
    {
      names: account.names,
      console: createConsole(account.print, console),
      call: (name, args, settle) =>
        turns.take((done) => void account.call(name, args).then(done), settle),
      describe: (name, settle) =>
        turns.take((done) => void account.describe(name).then(done), settle),
    },
    end,
  );
}
