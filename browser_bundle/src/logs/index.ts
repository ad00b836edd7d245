/**
 * `logs.js`, in development only: what a page's own code writes to its console and does not catch.
 *
 * A classic script before the site's own, so that it hears those too. It keeps what it hears until
 * the development part of the page's script takes it; frames hand theirs to the page around them.
 */
import { ConsoleCapture, ErrorCapture } from "./capture.ts";
import { LogEntries, LOGS, logsOf } from "./log_entries.ts";

const script = document.currentScript as HTMLScriptElement | null;
if (script && !Object.hasOwn(window, LOGS)) {
  const entries = aroundUs() ?? new LogEntries();
  Object.defineProperty(window, LOGS, { value: entries });
  const ours = new URL("./", script.src).href;
  new ErrorCapture(window, entries, ours);
  if (script.dataset["console"] === "on") new ConsoleCapture(console, entries, ours);
}

/** The entries of the outermost page, if it is of this origin and has some. */
function aroundUs(): LogEntries | undefined {
  try {
    return window.top && window.top !== window ? logsOf(window.top) : undefined;
  } catch {
    return undefined;
  }
}
