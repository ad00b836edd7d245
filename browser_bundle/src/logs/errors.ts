/** Hears of errors and rejections that nothing on the page has caught. */
import type { Entries } from "./log_entries.ts";
import { originOf } from "./places.ts";
import { describe } from "./value_text.ts";

export class ErrorWatch {
  /** @param ours URL of our own files. */
  constructor(view: Window, entries: Entries, ours: string) {
    view.addEventListener("error", (event) => {
      // Pictures and scripts that were not found fire another event of this name.
      if (!("message" in event)) return;
      const { filename, lineno, colno } = event;
      const place = filename ? `${filename}:${lineno}:${colno}` : "";
      const read = () => ({ text: textOf(event.error ?? event.message), place });
      entries.add("uncaught", read, () => !event.defaultPrevented);
    });
    view.addEventListener("unhandledrejection", (event) => {
      const reason: unknown = event.reason;
      const read = () => ({ text: textOf(reason), place: originOf(stackOf(reason), ours) });
      entries.add("unhandled", read, () => !event.defaultPrevented);
    });
  }
}

function textOf(reason: unknown): string {
  try {
    return describe(reason);
  } catch {
    return "a value that cannot be read";
  }
}

function stackOf(reason: unknown): string {
  try {
    const { stack } = reason as { stack?: unknown };
    return typeof stack === "string" ? stack : "";
  } catch {
    return "";
  }
}
