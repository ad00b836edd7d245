/** What a driver brings into a blank page of its own to run programs in a sandbox there. */
import { DriverProgram, type DriverOptions } from "./driver_program.ts";
import { startInSandbox } from "./sandbox_runner.ts";

export function start(code: string, options: DriverOptions): DriverProgram {
  return new DriverProgram(code, options, (text, account, end) =>
    startInSandbox(text, account, location.href, end),
  );
}
