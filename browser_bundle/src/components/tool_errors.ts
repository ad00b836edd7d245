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
  tool: string;
}

interface More {
  name?: string;
  cause?: unknown;
}

export class WebMcpError extends Error implements Public {
  readonly kind: ErrorKind;
  readonly tool: string;

  constructor(kind: ErrorKind, message: string, tool: string, more: More = {}) {
    super(message, more);
    this.name = more.name ?? "WebMcpError";
    this.kind = kind;
    this.tool = tool;
  }
}

/** What a tool threw, whatever it was, as the error its caller gets. */
export function errorOfTool(thrown: unknown, tool: string): WebMcpError {
  let [kind, name, message]: [ErrorKind, string, string] = ["threw", "Error", ""];
  try {
    if (thrown instanceof Error) {
      name = String(thrown.name);
      message = String(thrown.message);
      const own = String((thrown as { kind?: unknown }).kind);
      if ("kind" in thrown && KIND.test(own)) kind = own;
    } else {
      message = String(thrown);
    }
  } catch {
    message = "a value that cannot be shown";
  }
  return new WebMcpError(kind, message, tool, { name, cause: thrown });
}

/** Why a call ended before its tool did, told by the reason its signal was aborted with. */
export function errorOfAbort(reason: unknown, tool: string): WebMcpError {
  const name = abortName(reason);
  return name === "TimeoutError"
    ? new WebMcpError("timeout", `\`${tool}\` gave no answer in time`, tool, { name })
    : new WebMcpError("cancelled", `the call of \`${tool}\` was cancelled`, tool, { name });
}

/** Why a signal was aborted: the limit ran out, or else. */
export type AbortName = "TimeoutError" | "AbortError";

export function abortName(reason: unknown): AbortName {
  const timeout = reason instanceof DOMException && reason.name === "TimeoutError";
  return timeout ? "TimeoutError" : "AbortError";
}

/** The reason that a tool's signal has; the caller's own stays with the caller. */
export function abortReason(name: AbortName): DOMException {
  return new DOMException("nobody waits for the result any more", name);
}

export function pageGone(tool: string): WebMcpError {
  const message = `the frame of \`${tool}\` went away before it answered`;
  return new WebMcpError("page_gone", message, tool);
}

export function unknownTool(tool: string): WebMcpError {
  const message =
    `no frame offers \`${tool}\` - nothing is registered under that name now - ` +
    "write a name that `getTools()` lists";
  return new WebMcpError("unknown_tool", message, tool);
}

export function toWire({ kind, name, message, tool }: WebMcpError): WireError {
  return { kind, name, message, tool };
}

/** @throws TypeError A message of another frame holds no error where one should be. */
export function fromWire(value: unknown): WebMcpError {
  const { kind, name, message, tool } = value as WireError;
  for (const part of [kind, name, message, tool]) {
    if (typeof part !== "string") throw new TypeError();
  }
  if (!KIND.test(kind)) throw new TypeError();
  return new WebMcpError(kind, message, tool, { name });
}
