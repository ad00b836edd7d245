/** Hears what a page writes to its console, which goes there as it is. */
import type { LogLevel } from "../dev/server_messages.ts";
import type { Entries } from "./log_entries.ts";
import { callerOf } from "./places.ts";
import { describeAll } from "./value_text.ts";

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

export class ConsoleWatch {
  #entries: Entries;
  #ours: string;
  /** While a value is read, which may write to the console itself. */
  #busy = false;

  /** @param ours URL of our own files, of which nothing is told. */
  constructor(console: Console, entries: Entries, ours: string) {
    this.#entries = entries;
    this.#ours = ours;
    const methods = console as unknown as Record<string, unknown>;
    for (const [name, level] of Object.entries(LEVELS)) {
      const original = methods[name];
      if (typeof original !== "function") continue;
      // A proxy has the name, the length and the text of what it stands for.
      methods[name] = new Proxy(original, {
        apply: (target, self, args: unknown[]) => {
          if (!(name === "assert" && args[0])) this.#hear(name, level, args);
          return Reflect.apply(target, self, args) as unknown;
        },
      });
    }
  }

  #hear(name: string, level: LogLevel, args: unknown[]): void {
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
