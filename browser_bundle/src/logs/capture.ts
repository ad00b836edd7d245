/** Hears what a page writes to its console, which goes there as it is. */
import type { LogEntries, LogLevel } from "./log_entries.ts";
import { describe, describeAll } from "./value_text.ts";

const LEVELS: Record<string, LogLevel> = {
  debug: "debug",
  log: "log",
  info: "info",
  warn: "warn",
  error: "error",
  assert: "error",
  trace: "debug",
  dir: "log",
  table: "log",
};
/** Frames of the stack that are looked at; ours are among them. */
const MOST_FRAMES = 12;

export class ConsoleCapture {
  #entries: LogEntries;
  #ours: string;
  /** While a value is read, which may write to the console itself. */
  #busy = false;

  /** @param ours URL of our own files, of which nothing is told. */
  constructor(console: Console, entries: LogEntries, ours: string) {
    this.#entries = entries;
    this.#ours = ours;
    const methods = console as unknown as Record<string, unknown>;
    for (const [name, level] of Object.entries(LEVELS)) {
      const original = methods[name];
      if (typeof original !== "function") continue;
      // A proxy has the name, the length and the text of what it stands for.
      methods[name] = new Proxy(original, {
        apply: (target, self, args: unknown[]) => {
          if (!(name === "assert" && args[0])) this.#record(name, level, args);
          return Reflect.apply(target, self, args) as unknown;
        },
      });
    }
  }

  #record(name: string, level: LogLevel, args: unknown[]): void {
    if (this.#busy) return;
    this.#busy = true;
    try {
      this.#entries.add(level, () => {
        const place = callerOf(stackHere(), this.#ours);
        // Webagent's own words reach the server in another way.
        if (place === undefined) return undefined;
        const text = describeAll(name === "assert" ? args.slice(1) : args);
        return { text: name === "assert" ? `assertion failed: ${text}` : text, place };
      });
    } catch {
      // Whatever a value does when it is read, the page's own call goes on.
    } finally {
      this.#busy = false;
    }
  }
}

function stackHere(): string {
  const limits = Error as { stackTraceLimit?: number };
  const before = limits.stackTraceLimit;
  limits.stackTraceLimit = MOST_FRAMES;
  const stack = new Error().stack ?? "";
  if (before !== undefined) limits.stackTraceLimit = before;
  return stack;
}

// Hears of errors and rejections that nothing on the page has caught.

export class ErrorCapture {
  /** @param ours URL of our own files. */
  constructor(view: Window, entries: LogEntries, ours: string) {
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

// Finds in a stack where the page's own code is: `http://…/shop.js:12:3`.

/** Addresses end before the brackets that browsers put around them. */
const PLACE = /(?:https?|file|blob|webpack(?:-internal)?):[^\s()]+?:\d+:\d+/g;

/** Where `logs.js` was called from; empty if that is unknown, undefined if it was one of our files. */
export function callerOf(stack: string, ours: string): string | undefined {
  const place = placesOf(stack).find((one) => !one.startsWith(`${ours}logs.js`)) ?? "";
  return place.startsWith(ours) ? undefined : place;
}

/** The first place that is not in our files; empty if there is none. */
export function originOf(stack: string, ours: string): string {
  return placesOf(stack).find((one) => !one.startsWith(ours)) ?? "";
}

function placesOf(stack: string): string[] {
  return stack.match(PLACE) ?? [];
}
