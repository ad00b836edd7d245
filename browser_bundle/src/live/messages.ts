/** Messages between the page and its server, one JSON object each. */
import type { Result } from "../base/results.ts";
import type { LogLevel } from "../logs/log_entries.ts";
import type { Finding } from "../page/manifest.ts";
import type { Request } from "../run/person.ts";
import type { AgentEvent } from "../run/run_events.ts";

const WIRE_VERSION = 1;

/** Broadcast messages have a number, so that a page that was away can report the last one it has seen. */
export type ServerMessage = { seq?: number } & (
  | {
      v: 1;
      type: "hello";
      version: string;
      build: string;
      manifest_path: string | null;
      /** Number of the latest broadcast message. */
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
  /** A site's own server knows the page now. */
  | { v: 1; type: "joined"; page_id: string }
  | Call
  /** The result of a call is no longer needed. */
  | { v: 1; type: "cancel"; id: string }
  /** The remote person's answer to a `question`. */
  | { v: 1; type: "answer"; id: string; question: string; answer: GivenAnswer }
);

/** A remote answer; the bytes of files are in Base64. */
export interface GivenAnswer {
  yes: boolean;
  text: string;
  session: boolean;
  grant?: string;
  stop?: boolean;
  files: { name: string; type: string; data: string }[];
}

/** A request to the page, which answers with a `result` of the same id. */
export interface Call {
  v: 1;
  type: "call";
  id: string;
  /** Call a tool, run a program, run a goal, show the prompt of a goal, show the page, or act on it. */
  kind: "tool" | "code" | "goal" | "prompt" | "snapshot" | "act";
  /** Name of the tool; empty for the other kinds. */
  name: string;
  /** A tool's named arguments; else `{code}`, `{goal, approve?, model?, budget?, schema?}`, `{goal}`, `{action}` or `{}`. */
  arguments: Record<string, unknown>;
  /** How long the page has. */
  deadline_ms: number;
  /** Display name of the caller: `inspector`, `terminal`, the name of an MCP client. */
  caller: string;
  /** Whoever approves of it and answers its questions: its caller, or the person at the page. */
  asks: "caller" | "page";
  /** Mark of the visitor that the call is for; empty in development. */
  visitor: string;
}

export type PageMessage =
  /** The first message to a site's own server; the secret stays the same over the tab's navigations. */
  | { v: 1; type: "token"; token: string; secret: string }
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
  | { v: 1; type: "error"; phase: "start" | "manifest" | "runtime"; message: string }
  /** Differences between the page at a path and its manifest. */
  | { v: 1; type: "drift"; path: string; findings: Finding[] }
  /** The tools of the page; none until its agent has started. */
  | { v: 1; type: "registry"; state: string; tools: Record<string, unknown>[] }
  /** The result of a call. */
  | { v: 1; type: "result"; id: string; result: Result }
  /** A progress message of a running call. */
  | { v: 1; type: "progress"; id: string; message: string }
  /** The agent needs an answer or an approval to go on; `question` is its id. */
  | { v: 1; type: "question"; id: string; question: string; request: Request }
  /** Console output or an uncaught error of the page's own code. */
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
    case "joined":
    case "call":
    case "cancel":
    case "answer":
      return message;
    default:
      return undefined;
  }
}
