/** Messages between a program's worker, its supervisor and the page, and the validation of the worker's. */
import { isErrorKind, type ErrorData } from "../base/errors.ts";
import type { Log } from "../base/results.ts";
import type { Encoded } from "../base/values.ts";
import { MAX_LOG_CHARS } from "./limits.ts";

/** The outcome of a program, a call or a question. */
export type Outcome = { ok: true; value: Encoded } | { ok: false; error: ErrorData };

/** To the frame, on its own port. */
export type ToFrame = { type: "open"; id: number } | { type: "close"; id: number };

/** To the supervisor; first `run`, then answers, each an `Outcome` in JSON. */
export type ToSupervisor =
  | { type: "run"; code: string; names: string[]; wait_ms: number }
  | { type: "answer"; id: number; outcome: string };

/**
 * From the supervisor. Values whose size a program decides are text, which the page's thread takes in
 * without a walk through it.
 */
export type FromSupervisor =
  | { type: "ready" }
  | { type: "call"; id: number; name: string; args: string; shown: Encoded }
  | { type: "describe"; id: number; name: string | null }
  | { type: "log"; log: Log }
  /** `outcome` is an `Outcome` in JSON; `spoilt` if the program has not ended by itself. */
  | { type: "end"; outcome: string; spoilt: boolean };

/** To the worker; first `run`, then answers. */
export type ToWorker =
  | { type: "run"; code: string; names: string[] }
  | { type: "answer"; id: number; outcome: Outcome };

/** From the worker. */
export type FromWorker =
  | { type: "ready" }
  | { type: "call"; id: number; name: string; args: Encoded[] }
  | { type: "describe"; id: number; name: string | null }
  | { type: "log"; log: Log }
  | { type: "end"; outcome: Outcome };

const LEVELS: readonly unknown[] = ["log", "info", "warn", "error"];

/** Read a message of a worker; undefined if our worker does not send such messages. */
export function readMessage(data: unknown): FromWorker | undefined {
  const fields = ownFields(data);
  const { type, id, name } = fields;
  switch (type) {
    case "ready":
      return { type };
    case "call":
      if (!isId(id) || !isName(name) || !Array.isArray(fields["args"])) return undefined;
      return { type, id, name, args: fields["args"] as Encoded[] };
    case "describe":
      if (!isId(id) || (name !== null && !isName(name))) return undefined;
      return { type, id, name };
    case "log": {
      const { level, text } = ownFields(fields["log"]);
      if (!LEVELS.includes(level) || typeof text !== "string") return undefined;
      return { type, log: { level: level as Log["level"], text: text.slice(0, MAX_LOG_CHARS) } };
    }
    case "end": {
      const { ok, value, error } = ownFields(fields["outcome"]);
      if (ok === true && value !== undefined) {
        return { type, outcome: { ok, value: value as Encoded } };
      }
      const readable = readError(error);
      return readable && { type, outcome: { ok: false, error: readable } };
    }
    default:
      return undefined;
  }
}

function readError(data: unknown): ErrorData | undefined {
  const { kind, message, tool, path, help } = ownFields(data);
  if (!isErrorKind(kind) || typeof message !== "string") return undefined;
  const error: ErrorData = { kind, message: message.slice(0, MAX_LOG_CHARS) };
  if (typeof tool === "string") error.tool = tool.slice(0, MAX_LOG_CHARS);
  if (typeof path === "string") error.path = path.slice(0, MAX_LOG_CHARS);
  if (typeof help === "string") error.help = help.slice(0, MAX_LOG_CHARS);
  return error;
}

/** The own fields of a plain object; none if the value is not one. */
function ownFields(data: unknown): Record<string, unknown> {
  const plain = typeof data === "object" && data !== null && Object.getPrototypeOf(data) === Object.prototype;
  return plain ? (Object.assign(Object.create(null), data) as Record<string, unknown>) : {};
}

function isName(name: unknown): name is string {
  return typeof name === "string" && name.length <= MAX_LOG_CHARS;
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id);
}
