/** Results of calls and programs. */
import { asWebagentError, WebagentError, type ErrorData } from "./errors.ts";
import { decode, type Encoded } from "./values.ts";

/** One line that a program printed. */
export interface Log {
  level: "log" | "info" | "warn" | "error";
  text: string;
}

/** One call of a tool; it has no `id` until it is answered. */
export interface Call {
  id?: number;
  name: string;
  source: string;
  /** In order, or one object, as the tool takes them. */
  arguments: Encoded[] | { [name: string]: Encoded };
}

/** The outcome of one call or one program. */
export type Result = (
  | { ok: true; value: Encoded }
  | { ok: false; error: ErrorData }
) & { logs: Log[]; calls: Call[]; duration_ms: number };

/** The decoded value of a result; throws its error. */
export function valueOf(result: Result): unknown {
  if (result.ok) return decode(result.value);
  throw new WebagentError(result.error);
}

/** The result of a program that never ran. */
export function failedBeforeStart(thrown: unknown, started: number): Result {
  const duration_ms = Math.round((performance.now() - started) * 1000) / 1000;
  return { ok: false, error: asWebagentError(thrown).toJSON(), logs: [], calls: [], duration_ms };
}

/** The means of a tool during its call. */
export interface CallContext {
  /** Aborts when the caller no longer needs the result. */
  signal: AbortSignal;
  /** Report to the caller how far the call is. */
  progress(message: string): void;
  /** Ask whoever called: for words, or null without an answer; for an approval, true or false. */
  ask(text: string, options?: { kind?: "question" | "approval" }): Promise<string | boolean | null>;
}

/** Property of a window with the context of the function that is being called. */
const CALLED = Symbol.for("webagent.called");
/** Property of a window with the contexts of calls to tools of its scripts, by their names. */
const COMING = Symbol.for("webagent.coming");

type Calls = { [CALLED]?: CallContext | undefined; [COMING]?: Map<string, CallContext[]> };

/** The context of the function that is being called; outside of a call one that nobody hears. */
export function calledWith(): CallContext {
  return (globalThis as Calls)[CALLED] ?? unheard(new AbortController().signal);
}

/** The context of a call whose caller neither hears nor answers. */
export function unheard(signal: AbortSignal): CallContext {
  return { signal, progress: () => {}, ask: async (_, { kind } = {}) => noAnswer(kind) };
}

/** The answer to a question that nobody answers. */
export function noAnswer(kind: "question" | "approval" | undefined): false | null {
  return kind === "approval" ? false : null;
}

/** Call a function of a window that may read its context until it first awaits something. */
export function callWith<Value>(owner: object, context: CallContext | undefined, call: () => Value): Value {
  const calls = owner as Calls;
  const before = calls[CALLED];
  calls[CALLED] = context;
  try {
    return call();
  } finally {
    calls[CALLED] = before;
  }
}

/** Announce the context of a call to a script's tool; returns the function that takes it back. */
export function announceCall(owner: object, name: string, context: CallContext): () => void {
  try {
    const coming = ((owner as Calls)[COMING] ??= new Map<string, CallContext[]>());
    coming.set(name, [...(coming.get(name) ?? []), context]);
    return () => coming.set(name, (coming.get(name) ?? []).filter((each) => each !== context));
  } catch {
    // The window has another origin.
    return () => {};
  }
}

/** Take the context that was announced for a call to a script's tool. */
export function takeCall(owner: object, name: string): CallContext | undefined {
  return (owner as Calls)[COMING]?.get(name)?.shift();
}
