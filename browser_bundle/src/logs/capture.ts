/** Captures what a page writes to its console, and errors that it does not catch. */
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
/** Stack frames that are read, including our own. */
const MOST_FRAMES = 12;

/** Captures calls of the console, which still reach it unchanged. */
export class ConsoleCapture {
  #entries: LogEntries;
  #ours: string;
  /** Set while a value is read, because a getter may write to the console. */
  #busy = false;

  /** @param ours URL of our own files, whose messages are ignored. */
  constructor(console: Console, entries: LogEntries, ours: string) {
    this.#entries = entries;
    this.#ours = ours;
    const methods = console as unknown as Record<string, unknown>;
    for (const [name, level] of Object.entries(LEVELS)) {
      const original = methods[name];
      if (typeof original !== "function") continue;
      // A proxy keeps the name, the length and the source text of the function.
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
        // Messages of webagent itself reach the server in another way.
        if (place === undefined) return undefined;
        const text = describeAll(name === "assert" ? args.slice(1) : args);
        return { text: name === "assert" ? `assertion failed: ${text}` : text, place };
      });
    } catch {
      // A value may throw when it is read; the page's own call must still go on.
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

/** Captures errors and rejections that nothing on the page has caught. */
export class ErrorCapture {
  /** @param ours URL of our own files. */
  constructor(view: Window, entries: LogEntries, ours: string) {
    view.addEventListener("error", (event) => {
      // Images and scripts that fail to load fire another event of this name.
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

/** A place in a stack, `http://…/shop.js:12:3`, without the brackets that browsers put around it. */
const PLACE = /(?:https?|file|blob|webpack(?:-internal)?):[^\s()]+?:\d+:\d+/g;

/** The place that called `logs.js`; empty if unknown, undefined if it is in our own files. */
export function callerOf(stack: string, ours: string): string | undefined {
  const place = placesOf(stack).find((one) => !one.startsWith(`${ours}logs.js`)) ?? "";
  return place.startsWith(ours) ? undefined : place;
}

/** The first place outside of our files; empty if there is none. */
export function originOf(stack: string, ours: string): string {
  return placesOf(stack).find((one) => !one.startsWith(ours)) ?? "";
}

function placesOf(stack: string): string[] {
  return stack.match(PLACE) ?? [];
}
