/** Runs a program that was written against `declare const global`, in the page itself. */
import { WebagentError, describeThrown, isWebagentError, type ErrorData } from "./errors.ts";
import type { Call, Log, Result } from "./results.ts";
import { encode, encodeText, type Encoded } from "./values.ts";

/** Calls a tool for a program; resolves to the whole result of that call. */
export type CallTool = (name: string, args: Encoded[]) => Promise<Result>;

export interface ExecuteOptions {
  /** How long the program may take; `Infinity` for as long as it wants. Default 30,000. */
  timeout_ms?: number;
  /** Ends the program's reach: it is not waited for any more and can call no tool. */
  signal?: AbortSignal;
}

/** What is kept of a program's prints. */
const MAX_LOGS = 1000;
const MAX_LOG_CHARS = 10_000;

const DEFAULT_TIMEOUT_MS = 30_000;
/** The longest that a browser's timer waits; beyond that it would not wait at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const CANCELLED = "the program was cancelled";

type Program = (global: object, console: object) => Promise<unknown>;

/**
 * Run `code` as the body of an async function in which `global` stands for the page's tools.
 *
 * @param tools What `global` offers: the source of each tool by its name.
 */
export async function execute(
  code: string,
  tools: Map<string, string>,
  callTool: CallTool,
  decodeResult: (result: Result) => unknown,
  { timeout_ms = DEFAULT_TIMEOUT_MS, signal }: ExecuteOptions,
): Promise<Result> {
  const started = performance.now();
  const logs: Log[] = [];
  const calls: Call[] = [];
  let over: ErrorData | undefined;

  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    if (over) throw new WebagentError({ ...over, kind: "cancelled", tool: name });
    const encoded = JSON.parse(encodeText(args)) as Encoded[];
    const entry: Call = { name, source: tools.get(name) ?? "", arguments: encoded };
    calls.push(entry);
    const result = await callTool(name, encoded);
    const [made] = result.calls;
    if (made) Object.assign(entry, made);
    // Refused before the page saw it.
    else calls.splice(calls.indexOf(entry), 1);
    return decodeResult(result);
  };

  const end = (outcome: { ok: true; value: Encoded } | { ok: false; error: ErrorData }): Result => ({
    ...outcome,
    // What a program does after its end is no part of its result.
    logs: [...logs],
    calls: calls.map((entry) => ({ ...entry })),
    duration_ms: Math.round((performance.now() - started) * 1000) / 1000,
  });

  let stop = () => {};
  try {
    const program = compile(code);
    if (signal?.aborted) throw new WebagentError({ kind: "cancelled", message: CANCELLED });
    const stopped = new Promise<never>((_, reject) => {
      const cut = (kind: "timeout" | "cancelled", message: string) => {
        over = { kind, message };
        reject(new WebagentError(over));
      };
      const wait_ms = Number(timeout_ms) >= 0 ? Number(timeout_ms) : DEFAULT_TIMEOUT_MS;
      const timer = setTimeout(
        () => cut("timeout", `the program did not finish within ${wait_ms} ms`),
        Math.min(wait_ms, MAX_TIMER_MS),
      );
      const abort = () => cut("cancelled", CANCELLED);
      signal?.addEventListener("abort", abort, { once: true });
      stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
    });
    const value = await Promise.race([program(toolbox([...tools.keys()], call), recorder(logs)), stopped]);
    return end({ ok: true, value: JSON.parse(encodeText(value)) as Encoded });
  } catch (thrown) {
    const error = isWebagentError(thrown)
      ? thrown.toJSON()
      : { kind: "threw" as const, message: describeThrown(thrown) };
    return end({ ok: false, error });
  } finally {
    stop();
    over ??= { kind: "cancelled", message: "the program has ended" };
  }
}

function compile(code: string): Program {
  const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => Program;
  try {
    // The line break keeps a comment in the last line from swallowing the closing brace.
    return new AsyncFunction("global", "console", `${code}\n`);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) {
      throw new WebagentError({ kind: "syntax_error", message: describeThrown(thrown) });
    }
    throw new WebagentError({
      kind: "sandbox",
      message: "the page's content security policy forbids running code from a string",
      help: "allow `unsafe-eval` for scripts while you develop",
    });
  }
}

/** What the language itself asks of an object; no tool is meant. */
const ASKED_OF_ANY_OBJECT = new Set(["toJSON", "toString", "valueOf", "constructor"]);

/** What the program knows as `global`: the declared tools and nothing else. */
function toolbox(names: string[], call: (name: string, args: unknown[]) => Promise<unknown>) {
  const tools = new Map(names.map((name) => [name, (...args: unknown[]) => call(name, args)]));
  return new Proxy(Object.create(null) as object, {
    get(_, name) {
      if (typeof name === "symbol" || name === "then") return undefined;
      const tool = tools.get(name);
      if (tool) return tool;
      if (ASKED_OF_ANY_OBJECT.has(name)) return undefined;
      throw new WebagentError({
        kind: "unknown_tool",
        message: `there is no tool \`${name}\``,
        tool: name,
        help: names.length ? `the page offers ${names.join(", ")}` : "the page offers no tools",
      });
    },
    has: (_, name) => typeof name === "string" && tools.has(name),
    ownKeys: () => [...tools.keys()],
    getOwnPropertyDescriptor: (_, name) => {
      const tool = typeof name === "string" ? tools.get(name) : undefined;
      return tool && { value: tool, enumerable: true, configurable: true };
    },
    set(_, name) {
      throw new WebagentError({
        kind: "threw",
        message: `\`global.${String(name)}\` cannot be set: global holds the page's tools alone`,
        help: "keep values in variables",
      });
    },
  });
}

/** The page's console, but what is printed is kept too. */
function recorder(logs: Log[]): object {
  const record =
    (level: Log["level"]) =>
    (...args: unknown[]) => {
      console[level](...args);
      const text = args.map(show).join(" ").slice(0, MAX_LOG_CHARS);
      if (logs.length < MAX_LOGS) logs.push({ level, text });
    };
  return Object.assign(Object.create(console) as object, {
    log: record("log"),
    debug: record("log"),
    info: record("info"),
    warn: record("warn"),
    error: record("error"),
  });
}

function show(value: unknown): string {
  try {
    if (value instanceof Error) return describeThrown(value);
    if (typeof value === "object" && value !== null) {
      return JSON.stringify(encode(value, MAX_LOG_CHARS));
    }
    return String(value);
  } catch {
    return "[a value that cannot be shown]";
  }
}
