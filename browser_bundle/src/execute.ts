/** Runs a program that was written against `declare const global`, in the page itself. */
import { WebagentError, describeThrown, type ErrorData } from "./errors.ts";
import type { Call, Log, Result } from "./results.ts";
import { encode, encodeText, type Encoded } from "./values.ts";

/** Calls a tool for a program; resolves to the whole result of that call. */
export type CallTool = (name: string, args: unknown[]) => Promise<Result>;

export interface ExecuteOptions {
  /** How long the program may take. Default 30,000. */
  timeout_ms?: number;
  /** Ends the program's reach: it is not waited for any more and can call no tool. */
  signal?: AbortSignal;
}

/** What is kept of a program's prints. */
const MAX_LOGS = 1000;
const MAX_LOG_CHARS = 10_000;

const CANCELLED = "the program was cancelled";

type Program = (global: object, console: object) => Promise<unknown>;

/**
 * Run `code` as the body of an async function in which `global` stands for the page's tools.
 *
 * @param names Tools that `global` offers.
 */
export async function execute(
  code: string,
  names: string[],
  callTool: CallTool,
  decodeResult: (result: Result) => unknown,
  { timeout_ms = 30_000, signal }: ExecuteOptions,
): Promise<Result> {
  const started = performance.now();
  const logs: Log[] = [];
  const calls: Call[] = [];
  let over: ErrorData | undefined;

  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    if (over) throw new WebagentError({ ...over, kind: "cancelled", tool: name });
    const result = await callTool(name, args);
    calls.push(...result.calls);
    return decodeResult(result);
  };

  const end = (outcome: { ok: true; value: Encoded } | { ok: false; error: ErrorData }): Result => ({
    ...outcome,
    logs,
    calls,
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
      const timer = setTimeout(
        () => cut("timeout", `the program did not finish within ${timeout_ms} ms`),
        timeout_ms,
      );
      const abort = () => cut("cancelled", CANCELLED);
      signal?.addEventListener("abort", abort, { once: true });
      stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
    });
    const value = await Promise.race([program(toolbox(names, call), recorder(logs)), stopped]);
    return end({ ok: true, value: JSON.parse(encodeText(value)) as Encoded });
  } catch (thrown) {
    const error =
      thrown instanceof WebagentError
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

/** What the program knows as `global`: the declared tools and nothing else. */
function toolbox(names: string[], call: (name: string, args: unknown[]) => Promise<unknown>) {
  const tools = new Map(names.map((name) => [name, (...args: unknown[]) => call(name, args)]));
  return new Proxy(Object.create(null) as object, {
    get(_, name) {
      if (typeof name === "symbol" || name === "then") return undefined;
      const tool = tools.get(name);
      if (tool) return tool;
      throw new WebagentError({
        kind: "unknown_tool",
        message: `there is no tool \`${name}\``,
        tool: name,
        help: names.length ? `the page declares ${names.join(", ")}` : "the page declares no tools",
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

/** A console that keeps what is printed, and prints it too. */
function recorder(logs: Log[]): object {
  const record =
    (level: Log["level"]) =>
    (...args: unknown[]) => {
      console[level](...args);
      const text = args.map(show).join(" ").slice(0, MAX_LOG_CHARS);
      if (logs.length < MAX_LOGS) logs.push({ level, text });
    };
  return {
    log: record("log"),
    debug: record("log"),
    info: record("info"),
    warn: record("warn"),
    error: record("error"),
  };
}

function show(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return describeThrown(value);
  try {
    return JSON.stringify(encode(value));
  } catch {
    return String(value);
  }
}
