/** What a call rejects with, and how it crosses frames. */
import type { WebMcpError as Public } from "./public.d.ts";

type ErrorKind = Public["kind"];

/** A kind is a word; which ones there are is for those who give and read them to agree on. */
const KIND = /^[a-z_]{1,32}$/;

/** An error as it crosses frames. */
export interface WireError {
  kind: ErrorKind;
  name: string;
  message: string;
  tool?: string;
}

export class WebMcpError extends Error implements Public {
  readonly kind: ErrorKind;
  readonly tool?: string;

  constructor(error: Omit<WireError, "name"> & { name?: string }, options?: ErrorOptions) {
    super(error.message, options);
    this.kind = error.kind;
    this.name = error.name ?? "WebMcpError";
    if (error.tool !== undefined) this.tool = error.tool;
  }
}

/** What a tool threw, whatever it was, as the error its caller gets. */
export function errorOfTool(thrown: unknown, tool: string): WebMcpError {
  let [kind, name, message]: [ErrorKind, string, string] = ["threw", "Error", ""];
  try {
    if (thrown instanceof Error) {
      name = String(thrown.name);
      message = String(thrown.message);
      kind = readKind((thrown as { kind?: unknown }).kind) ?? kind;
    } else {
      message = String(thrown);
    }
  } catch {
    message = "a value that cannot be shown";
  }
  return new WebMcpError({ kind, name, message, tool }, { cause: thrown });
}

/** Why a call ended before its tool did, told by the reason its signal was aborted with. */
export function errorOfAbort(reason: unknown, tool: string): WebMcpError {
  const common = { tool, name: abortName(reason) };
  return common.name === "TimeoutError"
    ? new WebMcpError({ ...common, kind: "timeout", message: `\`${tool}\` gave no answer in time` })
    : new WebMcpError(
        { ...common, kind: "cancelled", message: `the call of \`${tool}\` was cancelled` },
        { cause: reason },
      );
}

/** `TimeoutError` when a limit ran out, else `AbortError`. */
export function abortName(reason: unknown): "TimeoutError" | "AbortError" {
  const timeout = reason instanceof DOMException && reason.name === "TimeoutError";
  return timeout ? "TimeoutError" : "AbortError";
}

export function pageGone(tool: string): WebMcpError {
  const message = `the frame of \`${tool}\` went away before it answered`;
  return new WebMcpError({ kind: "page_gone", message, tool });
}

export function toWire({ kind, name, message, tool }: WebMcpError): WireError {
  return tool === undefined ? { kind, name, message } : { kind, name, message, tool };
}

/** The error in a message of another frame; undefined for what is none. */
export function fromWire(value: unknown): WebMcpError | undefined {
  const { kind: given, name, message, tool } = (value ?? {}) as Record<string, unknown>;
  const kind = readKind(given);
  if (!kind || typeof name !== "string" || typeof message !== "string") return undefined;
  const error = { kind, name, message };
  return new WebMcpError(typeof tool === "string" ? { ...error, tool } : error);
}

function readKind(value: unknown): ErrorKind | undefined {
  return typeof value === "string" && KIND.test(value) ? value : undefined;
}
