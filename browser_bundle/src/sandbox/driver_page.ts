/** `program.js`: a driver loads it into a page to run a program in that page. */
import { refuseClosedParts } from "../base/agent_access.ts";
import { DriverProgram, type DriverOptions } from "./driver_program.ts";
import { startOnPage } from "./page_runner.ts";
import { transform } from "./transform/index.ts";

export function start(code: string, options: DriverOptions): DriverProgram {
  return new DriverProgram(code, options, async (text, execution, end) => {
    refuseClosedParts();
    startOnPage(text, execution, transform, end);
    return () => {};
  });
}
