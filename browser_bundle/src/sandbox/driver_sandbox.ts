/** `sandbox.js`: a driver loads it into a blank page to run programs in a sandbox there. */
import { DriverProgram, type DriverOptions } from "./driver_program.ts";
import { startInSandbox } from "./sandbox_runner.ts";

export function start(code: string, options: DriverOptions): DriverProgram {
  return new DriverProgram(code, options, (text, execution, end, wait_ms) =>
    startInSandbox(text, execution, location.href, end, wait_ms),
  );
}
