/** Messages between frames; each is validated field by field, since any frame may send one. */
import type { Entry, Removal } from "./catalogue.ts";
import { composedName, readDefinition, readKey, type Key } from "./definition.ts";
import { fromWire, type AbortName, type WebMcpError, type WireError } from "./tool_errors.ts";

/** Changes when frames with different copies of this script are no longer compatible. */
const VERSION = 1;

const GREETINGS = ["shell", "hello", "welcome", "refused"] as const;

/** Sent from window to window, before there is a port; only `welcome` carries one. */
interface Greeting {
  webmcp: typeof VERSION;
  /** `shell`: the top page is there; `hello`: a frame greets; the others answer that. */
  type: (typeof GREETINGS)[number];
  /** Chosen by the frame's document, so that a later document in the window ignores the answer. */
  nonce: string;
}

/** The tool that a call means: a name to look up, or one tool of one frame. */
export type Target = { find: string } | (Key & { frame: number });

/** What to call a target in an error. */
export function targetName(target: Target): string {
  return "find" in target ? target.find : composedName(target);
}

type QuestionKind = "question" | "approval";

/** Sent over the port, in both directions unless noted. */
export type Message =
  /** From the top page, first: the frame's number, and all present tools. */
  | { type: "joined"; frame: number; added: Entry[] }
  /** From a frame: its own tools. The frame and origin that it names are ignored. */
  | { type: "tools"; added: Entry[]; removed: Removal[] }
  /** From a frame: it is being unloaded. */
  | { type: "bye" }
  | { type: "call"; id: number; target: Target; parameters: object }
  | { type: "cancel"; id: number; reason: AbortName }
  /** From the end with the tool, while a call runs. */
  | { type: "progress"; id: number; message: string }
  | { type: "question"; id: number; question: number; text: string; kind: QuestionKind }
  /** From the caller's end. */
  | { type: "answer"; id: number; question: number; answer: string | boolean | null }
  | { type: "value"; id: number; value: unknown }
  | { type: "error"; id: number; error: WireError };

/** A validated message. */
export type Read =
  | Exclude<Message, { type: "error" }>
  | { type: "error"; id: number; error: WebMcpError };

export function greeting(type: Greeting["type"], nonce: string): Greeting {
  return { webmcp: VERSION, type, nonce };
}

/** Any script may send any message, so others than ours are common here. */
export function readGreeting(data: unknown): Greeting | undefined {
  const { webmcp, type, nonce } = (data ?? {}) as Record<string, unknown>;
  const known = webmcp === VERSION && GREETINGS.includes(type as Greeting["type"]);
  if (!known || typeof nonce !== "string" || nonce.length > 64) return undefined;
  return greeting(type as Greeting["type"], nonce);
}

/** The reader of each field of each message; it throws for an invalid value. */
const FIELDS: { [Type in Read["type"]]: Readers<Extract<Read, { type: Type }>> } = {
  joined: { frame: readNumber, added: listOf(readEntry) },
  tools: { added: listOf(readEntry), removed: listOf(readRemoval) },
  bye: {},
  call: { id: readNumber, target: readTarget, parameters: readObject },
  cancel: { id: readNumber, reason: readReason },
  progress: { id: readNumber, message: readText },
  question: { id: readNumber, question: readNumber, text: readText, kind: readKind },
  answer: { id: readNumber, question: readNumber, answer: readAnswer },
  value: { id: readNumber, value: (value) => value },
  error: { id: readNumber, error: fromWire },
};

type Readers<Parts> = {
  [Field in Exclude<keyof Parts, "type">]: (value: unknown) => Parts[Field];
};

/** The message, or undefined when any part of it is invalid. */
export function readMessage(data: unknown): Read | undefined {
  try {
    const parts = readObject(data);
    const type = readText(parts["type"]);
    if (!Object.hasOwn(FIELDS, type)) return undefined;
    const readers = Object.entries(FIELDS[type as Read["type"]]);
    const fields = readers.map(([field, read]) => [field, read(parts[field])]);
    return { type, ...Object.fromEntries(fields) } as Read;
  } catch {
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

function readReason(value: unknown): AbortName {
  return value === "TimeoutError" ? value : "AbortError";
}

function readKind(value: unknown): QuestionKind {
  return value === "approval" ? value : "question";
}

function readAnswer(value: unknown): string | boolean | null {
  return typeof value === "boolean" || value === null ? value : readText(value);
}

function readObject(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new TypeError();
  return value as Record<string, unknown>;
}

function listOf<Item>(readItem: (value: unknown) => Item): (value: unknown) => Item[] {
  return (value) => (value as unknown[]).map((item) => readItem(item));
}

function readEntry(value: unknown): Entry {
  const { frame, origin, tool } = readObject(value);
  return { frame: readNumber(frame), origin: readText(origin), tool: readDefinition(tool) };
}

function readRemoval(value: unknown): Removal {
  const { frame, name, component } = readObject(value);
  return { frame: readNumber(frame), ...readKey(name, component) };
}

function readTarget(value: unknown): Target {
  const { find } = readObject(value);
  return find === undefined ? readRemoval(value) : { find: readText(find) };
}
