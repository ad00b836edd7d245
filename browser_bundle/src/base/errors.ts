/** Errors of calls, programs and starts, with the same kinds at every endpoint. */

/** All kinds of errors. */
const KINDS = [
  "unknown_tool",
  "missing_function",
  "invalid_arguments",
  "threw",
  "not_cloneable",
  "too_large",
  "timeout",
  "cancelled",
  "not_reached",
  "invalid_result",
  "denied",
  "rate_limited",
  "not_logged_in",
  "navigated",
  "page_gone",
  "runtime_lost",
  "origin_mismatch",
  "syntax_error",
  "sandbox",
  "internal",
] as const;

/** How a call, a program or a start failed. */
export type ErrorKind = (typeof KINDS)[number];

/** Whether a word is a kind of error. */
export function isErrorKind(word: unknown): word is ErrorKind {
  return (KINDS as readonly unknown[]).includes(word);
}

/** An error as it crosses borders. */
export interface ErrorData {
  kind: ErrorKind;
  message: string;
  tool?: string;
  path?: string;
  help?: string;
}

/** Marks our errors, also for the other scripts of the bundle: each has a class of its own. */
const OURS = Symbol.for("webagent.error");

/** Thrown by `webagent.call()` and `webagent.invoke()`. */
export class WebagentError extends Error {
  readonly [OURS] = true;
  declare readonly kind: ErrorKind;
  declare readonly tool?: string;
  declare readonly path?: string;
  declare readonly help?: string;

  constructor(data: ErrorData) {
    super(data.message);
    this.name = "WebagentError";
    copyDetails(data, this);
  }

  /** The error as it crosses borders. */
  toJSON(): ErrorData {
    const data: ErrorData = { kind: this.kind, message: this.message };
    copyDetails(this, data);
    return data;
  }
}

function copyDetails(from: ErrorData, to: object): void {
  const details: Partial<ErrorData> = to;
  details.kind = from.kind;
  for (const name of ["tool", "path", "help"] as const) if (from[name] !== undefined) details[name] = from[name];
}

/** Whether a thrown value is one of our errors; a revoked proxy throws even at this check. */
export function isWebagentError(thrown: unknown): thrown is WebagentError {
  try {
    return thrown instanceof Error && OURS in thrown;
  } catch {
    return false;
  }
}

/** Characters that are kept of the message of a thrown value; its length is up to the page. */
const MAX_DESCRIBED_CHARS = 10_000;
const MAX_SHOWN = 500;

/** One line about any thrown value: `Not logged in`, `TypeError: x is not a function`. */
export function describeThrown(thrown: unknown): string {
  try {
    return describe(thrown).slice(0, MAX_DESCRIBED_CHARS);
  } catch {
    return "a value that cannot be shown";
  }
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return describeValue(thrown);
  if (!thrown.message) return String(thrown.name);
  return thrown.name === "Error" ? String(thrown.message) : `${thrown.name}: ${thrown.message}`;
}

/** A thrown value that is not an error: its message if it has one, else its data. */
function describeValue(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return String(thrown);
  const { message } = thrown as { message?: unknown };
  if (typeof message === "string" && message) return message;
  return (JSON.stringify(thrown) ?? String(thrown)).slice(0, MAX_SHOWN);
}

/** How the last line of a traceback begins: `ValueError: `, `package.errors.NotHere: `. */
const PYTHON_ERROR = /^(?:\w+\.)*[A-Z]\w*: /;

/** Any thrown value as an error with a kind; of a Python traceback only the last line. */
export function asWebagentError(thrown: unknown): WebagentError {
  if (isWebagentError(thrown)) return thrown;
  const message = describeThrown(thrown).trim().split("\n").at(-1) ?? "";
  return new WebagentError({ kind: "internal", message: message.replace(PYTHON_ERROR, "") });
}

/** A problem outside of any call. */
export type Problem = { phase: "start" | "manifest" | "runtime"; message: string };

export function cancelledCall(tool: string): WebagentError {
  return new WebagentError({ kind: "cancelled", message: `the call of \`${tool}\` was cancelled`, tool });
}

/** @param why What happened to Python. */
export function runtimeLost(why: string): WebagentError {
  return new WebagentError({
    kind: "runtime_lost",
    message: `${why} - calls, the goal under way, transcript and files are lost`,
    help: "call the tool, or give the goal, again",
  });
}

export function developmentOnly(what: string): WebagentError {
  return new WebagentError({
    kind: "denied",
    message: `${what} works only in development`,
    help: "open the page through `webagent-dev serve`",
  });
}
