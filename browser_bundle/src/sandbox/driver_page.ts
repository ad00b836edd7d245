/** What a driver brings into a page to run a program in that page itself. */
import { DriverProgram, type DriverOptions } from "./driver_program.ts";
import { startOnPage } from "./page_runner.ts";
import { transform } from "./transform/index.ts";

export function start(code: string, options: DriverOptions): DriverProgram {
  return new DriverProgram(code, options, async (text, account, end) => {
    startOnPage(text, account, transform, end);
    return () => {};
  });
}
