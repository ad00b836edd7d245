/** What frames tell each other; everything that arrives is read field by field. */
import type { Entry, Removal } from "./catalogue.ts";
import { readDefinition, readKey, type Key } from "./definition.ts";
import { fromWire, type WebMcpError, type WireError } from "./errors.ts";

/** Changes when frames with different copies of this script could not understand each other. */
const VERSION = 1;

/** Before the port, from window to window; only `welcome` carries one. */
export interface Greeting {
  webmcp: typeof VERSION;
  /** `shell`: the top page is there; `hello`: a frame asks; the others answer it. */
  type: "shell" | "hello" | "welcome" | "refused";
  /** Chosen by the frame's document, so that no other document takes the answer for its own. */
  nonce: string;
}

/** The tool that a call means: a name to look up, or one tool of one frame. */
export type Target = { find: string } | (Key & { frame: number });

/** Over the port, both ways unless it says otherwise. */
export type Message =
  /** From the shell, first: the frame's number, and all tools that are there. */
  | { type: "joined"; frame: number; added: Entry[] }
  /** From a frame its own tools, of which its word on frame and origin counts nothing. */
  | { type: "tools"; added: Entry[]; removed: Removal[] }
  /** From a frame: it goes away. */
  | { type: "bye" }
  | { type: "call"; id: number; target: Target; parameters: object }
  | { type: "cancel"; id: number; reason: "TimeoutError" | "AbortError" }
  | { type: "value"; id: number; value: unknown }
  | { type: "error"; id: number; error: WireError };

/** A message as it was read. */
export type Read = Exclude<Message, { type: "error" }> | { type: "error"; id: number; error: WebMcpError };

export function greeting(type: Greeting["type"], nonce: string): Greeting {
  return { webmcp: VERSION, type, nonce };
}

/** Any message of any script may come here. */
export function readGreeting(data: unknown): Greeting | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { webmcp, type, nonce } = data as Record<string, unknown>;
  if (webmcp !== VERSION || typeof nonce !== "string" || nonce.length > 64) return undefined;
  if (type !== "shell" && type !== "hello" && type !== "welcome" && type !== "refused") {
    return undefined;
  }
  return { webmcp, type, nonce };
}

/** The message, or undefined when any part of it is not as it should be. */
export function readMessage(data: unknown): Read | undefined {
  try {
    return read(data as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

function read(data: Record<string, unknown>): Read | undefined {
  const { type, id } = data;
  switch (type) {
    case "joined":
      return { type, frame: readNumber(data["frame"]), added: readList(data["added"], readEntry) };
    case "tools":
      return {
        type,
        added: readList(data["added"], readEntry),
        removed: readList(data["removed"], readRemoval),
      };
    case "bye":
      return { type };
    case "call": {
      const { parameters } = data;
      if (typeof parameters !== "object" || parameters === null) return undefined;
      return { type, id: readNumber(id), target: readTarget(data["target"]), parameters };
    }
    case "cancel": {
      const reason = data["reason"] === "TimeoutError" ? "TimeoutError" : "AbortError";
      return { type, id: readNumber(id), reason };
    }
    case "value":
      return { type, id: readNumber(id), value: data["value"] };
    case "error": {
      const error = fromWire(data["error"]);
      return error && { type, id: readNumber(id), error };
    }
    default:
      return undefined;
  }
}

function readNumber(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new TypeError();
  return value as number;
}

function readText(value: unknown): string {
  if (typeof value !== "string") throw new TypeError();
  return value;
}

function readList<Item>(value: unknown, readItem: (item: Record<string, unknown>) => Item): Item[] {
  if (!Array.isArray(value)) throw new TypeError();
  return value.map(readItem);
}

function readEntry({ frame, origin, tool }: Record<string, unknown>): Entry {
  return { frame: readNumber(frame), origin: readText(origin), tool: readDefinition(tool) };
}

function readRemoval({ frame, name, component }: Record<string, unknown>): Removal {
  return { frame: readNumber(frame), ...readKey(name, component) };
}

function readTarget(value: unknown): Target {
  const target = value as Record<string, unknown>;
  return "find" in target ? { find: readText(target["find"]) } : readRemoval(target);
}
