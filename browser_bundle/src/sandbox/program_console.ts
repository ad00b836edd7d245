/** The `console` of a program: its output becomes log lines of the result. */
import { describeThrown } from "../base/errors.ts";
import type { Log } from "../base/results.ts";
import { encode, jsonText } from "../base/values.ts";
import { MAX_ALL_LOG_CHARS, MAX_LOG_CHARS, MAX_LOGS } from "./limits.ts";

/** Takes a line. */
export type Print = (log: Log) => void;

/** Pass lines on up to the limit, and then one that says that more are dropped. */
export function limited(print: Print): Print {
  let lines = 0;
  let chars = 0;
  return (log) => {
    if (lines >= MAX_LOGS || chars >= MAX_ALL_LOG_CHARS) return;
    lines += 1;
    chars += log.text.length;
    const full = lines === MAX_LOGS || chars >= MAX_ALL_LOG_CHARS;
    print(full ? { level: "warn", text: "what the program prints after this is not kept" } : log);
  };
}

type Printing = (...args: unknown[]) => void;

/**
 * A console whose output becomes lines.
 *
 * @param also Another console that shows the same, by its methods.
 */
export function createConsole(print: Print, also?: Console): object {
  let depth = 0;
  const counts = new Map<string, number>();
  const starts = new Map<string, number>();
  const say = (level: Log["level"], method: string, args: readonly unknown[]): void => {
    const shown = (also as unknown as Record<string, Printing> | undefined)?.[method];
    try {
      shown?.(...args);
    } catch {
      // The other console cannot show this value.
    }
    const text = "  ".repeat(depth) + args.map(show).join(" ");
    print({ level, text: text.slice(0, MAX_LOG_CHARS) });
  };
  const at =
    (level: Log["level"], method: string): Printing =>
    (...args) =>
      say(level, method, args);
  const deeper: Printing = (...args) => {
    if (args.length) say("log", "log", args);
    depth = Math.min(depth + 1, 20);
  };
  const elapsed = (label: unknown, rest: unknown[]): void => {
    const since = starts.get(String(label));
    if (since === undefined) return;
    const took = `${String(label)}: ${(performance.now() - since).toFixed(1)} ms`;
    say("log", "log", [took, ...rest]);
  };
  return {
    log: at("log", "log"),
    debug: at("log", "debug"),
    dir: (value: unknown) => say("log", "log", [value]),
    dirxml: at("log", "log"),
    table: (value: unknown) => say("log", "log", [value]),
    trace: at("log", "log"),
    info: at("info", "info"),
    warn: at("warn", "warn"),
    error: at("error", "error"),
    assert: (holds: unknown, ...args: unknown[]) => {
      if (!holds) say("error", "error", ["assertion failed", ...args]);
    },
    group: deeper,
    groupCollapsed: deeper,
    groupEnd: () => {
      depth = Math.max(0, depth - 1);
    },
    count: (label: unknown = "default") => {
      const count = (counts.get(String(label)) ?? 0) + 1;
      counts.set(String(label), count);
      say("log", "log", [`${String(label)}: ${count}`]);
    },
    countReset: (label: unknown = "default") => {
      counts.delete(String(label));
    },
    time: (label: unknown = "default") => {
      starts.set(String(label), performance.now());
    },
    timeLog: (label: unknown = "default", ...args: unknown[]) => elapsed(label, args),
    timeEnd: (label: unknown = "default") => {
      elapsed(label, []);
      starts.delete(String(label));
    },
    clear: () => {},
  };
}

/** A value as text. */
function show(value: unknown): string {
  try {
    if (value instanceof Error) return describeThrown(value);
    if (typeof value === "object" && value !== null) {
      return jsonText(encode(value, { maxChars: MAX_LOG_CHARS, opaque: true }));
    }
    return String(value);
  } catch {
    return "[a value that cannot be shown]";
  }
}
