/** What a driver brings into a blank page of its own to run programs in a sandbox there. */
import { Driven, type DrivenOptions } from "./driver_program.ts";
import { startInSandbox } from "./sandbox_runner.ts";

export function start(code: string, options: DrivenOptions): Driven {
  return new Driven(code, options, (text, account, end) =>
    startInSandbox(text, account, location.href, end),
  );
}
