/**
 * `logs.js`, in development only: captures the console output and the uncaught errors of a page.
 *
 * A classic script that runs before the site's own ones, to miss nothing. It keeps its entries until
 * `dev.js` takes them. Frames add theirs to the entries of the top page.
 */
import { ConsoleCapture, ErrorCapture } from "./capture.ts";
import { LogEntries, LOGS, logsOf } from "./log_entries.ts";

const script = document.currentScript as HTMLScriptElement | null;
if (script && !Object.hasOwn(window, LOGS)) {
  const entries = topEntries() ?? new LogEntries();
  Object.defineProperty(window, LOGS, { value: entries });
  const ours = new URL("./", script.src).href;
  new ErrorCapture(window, entries, ours);
  if (script.dataset["console"] === "on") new ConsoleCapture(console, entries, ours);
}

/** The entries of the outermost page, if it is of this origin and has some. */
function topEntries(): LogEntries | undefined {
  try {
    return window.top && window.top !== window ? logsOf(window.top) : undefined;
  } catch {
    return undefined;
  }
}
