/** Where `logs.js` leaves its entries for the page's script. */
import type { Entries } from "./log_entries.ts";

export const LOGS = Symbol.for("webagent.logs");

/** The entries of a window; undefined where `logs.js` did not run. */
export function logsOf(view: Window): Entries | undefined {
  return (view as unknown as Record<symbol, Entries | undefined>)[LOGS];
}
