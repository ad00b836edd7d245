/** Runs programs in the page itself, with the rights of the page's scripts. */
import { jsonText, weigh } from "../base/values.ts";
import { ConcurrencyLimiter } from "./concurrency_limiter.ts";
import type { Execution } from "./execution.ts";
import { MAX_MESSAGE_CHARS } from "./limits.ts";
import { runProgram } from "./program.ts";
import { createConsole } from "./program_console.ts";
import type { Transformed } from "./transform/index.ts";
import type { Outcome } from "./worker_messages.ts";

/** Turns a model's program into JavaScript; see `transform/index.ts`. */
export type Transform = (source: string) => Transformed;

/**
 * Start a program; `end` gets its outcome. The program cannot be stopped, only ignored.
 *
 * @throws WebagentError if the site has closed parts of the page, as the program could reach them.
 */
export function startOnPage(
  code: string,
  execution: Execution,
  transform: Transform,
  end: (outcome: Outcome) => void,
): void {
  const limiter = new ConcurrencyLimiter();
  runProgram(
    code,
    transform,
    {
      names: execution.names,
      console: createConsole(execution.print, console),
      call: (name, args, settle) =>
        limiter.add(
          (done) => void execution.call(name, jsonText(args), args).then(done),
          settle,
          weigh(args, MAX_MESSAGE_CHARS),
        ),
      describe: (name, settle) =>
        limiter.add((done) => void execution.describe(name).then(done), settle, 0),
    },
    end,
  );
}
