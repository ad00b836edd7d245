/** What the page and the development server say to each other, one JSON object per message. */
import type { Result } from "../base/results.ts";
import type { LogLevel } from "../logs/log_entries.ts";
import type { Finding } from "../page/manifest.ts";
import type { Request } from "../run/person.ts";
import type { AgentEvent } from "../run/run_events.ts";

const WIRE_VERSION = 1;

/** News have a number, so that a page that was away can say which it has seen. */
export type ServerMessage = { seq?: number } & (
  | {
      v: 1;
      type: "hello";
      version: string;
      build: string;
      manifest_path: string | null;
      /** Number of the latest news. */
      seq: number;
    }
  | {
      v: 1;
      type: "findings";
      path: string;
      revision: number;
      findings: Finding[];
      /** Text of each line that a finding starts on, by line number. */
      lines: Record<string, string>;
      /** Whether the manifest is a file that an editor can open. */
      editable: boolean;
    }
  | { v: 1; type: "manifest"; path: string; revision: number; text: string }
  | { v: 1; type: "css"; path: string }
  | { v: 1; type: "reload"; reason: string; path: string | null }
  | Call
  /** Nobody waits for a call any more. */
  | { v: 1; type: "cancel"; id: string }
  /** What the person outside says to a `question`. */
  | { v: 1; type: "answer"; id: string; question: string; answer: GivenAnswer }
);

/** An answer from outside; the bytes of files are in Base64. */
export interface GivenAnswer {
  yes: boolean;
  text: string;
  session: boolean;
  files: { name: string; type: string; data: string }[];
}

/** The page is to do something and to answer with a `result` of the same id. */
export interface Call {
  v: 1;
  type: "call";
  id: string;
  /** A tool is called, a program run, the agent given a goal, its prompt shown, or the page; or acted on it. */
  kind: "tool" | "code" | "goal" | "prompt" | "snapshot" | "act";
  /** Of the tool; empty for anything else. */
  name: string;
  /** Of the tool by their names; else `{code}`, `{goal, approve?, model?, budget?}`, `{goal}`, `{action}` or `{}`. */
  arguments: Record<string, unknown>;
  /** How long the page has. */
  deadline_ms: number;
  /** Who asks, for people: `inspector`, `terminal`, the name of an MCP client. */
  caller: string;
}

export type PageMessage =
  | {
      v: 1;
      type: "hello";
      page_id: string;
      document_id: string;
      url: string;
      title: string;
      focused: boolean;
      version: string;
    }
  | { v: 1; type: "error"; phase: "start" | "manifest"; message: string }
  /** Where the page at a path is not what its manifest says. */
  | { v: 1; type: "drift"; path: string; findings: Finding[] }
  /** What the page offers now; nothing until its agent has started. */
  | { v: 1; type: "registry"; state: string; tools: Record<string, unknown>[] }
  /** How a call ended. */
  | { v: 1; type: "result"; id: string; result: Result }
  /** What a running call says meanwhile. */
  | { v: 1; type: "progress"; id: string; message: string }
  /** The agent needs an answer, or a yes, to go on with a call; `question` is its id. */
  | { v: 1; type: "question"; id: string; question: string; request: Request }
  /** What the page's own code wrote to its console, or did not catch. */
  | { v: 1; type: "log"; level: LogLevel; text: string; place: string; count: number }
  /** An event of `window.webagent`. */
  | { v: 1; type: "event"; name: "call"; detail: Record<string, unknown> }
  | { v: 1; type: "event"; name: "agent"; detail: AgentEvent };

/** Read a message of the server; undefined when this page does not know it. */
export function parseServerMessage(text: string): ServerMessage | undefined {
  let message: ServerMessage;
  try {
    message = JSON.parse(text) as ServerMessage;
  } catch {
    return undefined;
  }
  if (typeof message !== "object" || message === null || message.v !== WIRE_VERSION) {
    return undefined;
  }
  switch (message.type) {
    case "hello":
    case "findings":
    case "manifest":
    case "css":
    case "reload":
    case "call":
    case "cancel":
    case "answer":
      return message;
    default:
      return undefined;
  }
}
