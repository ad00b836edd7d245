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
