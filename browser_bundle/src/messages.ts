/** What the page and the development server say to each other, one JSON object per message. */
import type { Finding } from "./findings.ts";

export const WIRE_VERSION = 1;

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
    }
  | { v: 1; type: "manifest"; path: string; revision: number; text: string }
  | { v: 1; type: "css"; path: string }
  | { v: 1; type: "reload"; reason: string; path: string | null }
);

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
  | { v: 1; type: "drift"; path: string; findings: Finding[] };

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
      return message;
    default:
      return undefined;
  }
}
