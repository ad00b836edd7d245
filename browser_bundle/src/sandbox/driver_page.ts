/** What a driver brings into a page to run a program in that page itself. */
import { Driven, type DrivenOptions } from "./driver_program.ts";
import { startInPage } from "./page_runner.ts";
import { transform } from "./transform/index.ts";

export function start(code: string, options: DrivenOptions): Driven {
  return new Driven(code, options, async (text, account, end) => {
    startInPage(text, account, transform, end);
    return () => {};
  });
}
