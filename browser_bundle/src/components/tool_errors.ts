/** The errors of calls, and how they cross frames. */
import type { WebMcpError as Public } from "./public.d.ts";

type ErrorKind = Public["kind"];

/** A kind is any word: tools and their callers may agree on kinds of their own. */
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

/** Any value that a tool threw, as the error that its caller receives. */
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

/** The error of a call that was aborted, by the reason of its signal. */
export function errorOfAbort(reason: unknown, tool: string): WebMcpError {
  const name = abortName(reason);
  return name === "TimeoutError"
    ? new WebMcpError("timeout", `\`${tool}\` gave no answer in time`, tool, { name })
    : new WebMcpError("cancelled", `the call of \`${tool}\` was cancelled`, tool, { name });
}

/** Why a signal was aborted: by the time limit, or otherwise. */
export type AbortName = "TimeoutError" | "AbortError";

export function abortName(reason: unknown): AbortName {
  const timeout = reason instanceof DOMException && reason.name === "TimeoutError";
  return timeout ? "TimeoutError" : "AbortError";
}

/** The reason of a tool's signal; the caller's own reason does not cross frames. */
export function abortReason(name: AbortName): DOMException {
  return new DOMException("the result is no longer needed", name);
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

/** @throws TypeError The message of another frame lacks its error. */
export function fromWire(value: unknown): WebMcpError {
  const { kind, name, message, tool } = value as WireError;
  for (const part of [kind, name, message, tool]) {
    if (typeof part !== "string") throw new TypeError();
  }
  if (!KIND.test(kind)) throw new TypeError();
  return new WebMcpError(kind, message, tool, { name });
}
