/** What the server's API gives: `/__webagent__/api/…`. */
import type { Finding } from "../page/manifest.ts";
import type { Schema } from "./form/schema_fields.ts";

export interface ServerState {
  version: string;
  url: string;
  root: string;
  proxy: string | null;
  manifest_path: string | null;
  llm: { model: string; base_url: string } | null;
  doors: EndpointAccess;
  pages: Page[];
  /** When the server started; another time means another server. */
  started: string;
  /** Number of the latest entry of the timeline. */
  seq: number;
}

/** An open page of the site. */
export interface Page {
  page_id: string;
  document_id: string;
  url: string;
  title: string;
  focused: boolean;
  state: string;
  tools: number;
}

interface Param {
  name: string;
  type: string;
  description: string;
  required: boolean;
  default?: unknown;
}

/** A tool as the registry lists it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  source: string;
  component?: string;
  origin: string;
  frame?: string;
  calling: "positional" | "object";
  params: Param[];
  input_schema: Schema;
  output_schema?: Schema;
  returns: string;
  effect: string;
  untrusted: boolean;
  idempotent?: boolean;
  login?: boolean;
  paths?: string[];
  rate?: string;
  timeout_s?: number;
  available: boolean;
  problem?: string;
}

export interface PageTools {
  state: string;
  tools: Tool[];
}

export interface ManifestState {
  path: string | null;
  text: string | null;
  revision: number;
  served_stale: boolean;
  findings: Finding[];
  typescript: string;
  schemas: { name: string; input_schema: Schema; output_schema?: Schema | null }[];
  markdown: string | null;
}

/** What a model would be given. */
export interface Prompt {
  messages: { role: string; text: string }[];
  tools: { name: string; description: string; parameters: unknown }[];
  typescript: string;
  tokens: { system: number; goal: number; page: number; tools: number; total: number };
  model: string | null;
}

/** Who may come in: whoever shows the token, every program of this machine, or nobody. */
type EndpointAccess = "token" | "open" | "off";

export interface Endpoints {
  doors: EndpointAccess;
  mcp: { url: string; problem: string | null; clients: ClientProgram[] } | null;
  /** Address of the card that agents read. */
  a2a: { card: string } | null;
}

/** What an agent program needs, and where it goes. */
export interface ClientProgram {
  name: string;
  title: string;
  /** Path in a project; empty where the program has a file of its own. */
  file: string;
  language: string;
  snippet: string;
  /** What to type instead of copying. */
  command: string;
  token_note: string;
  /** What to type for the token; empty where none is needed. */
  token: string;
  note: string;
}

export type EntryKind = "call" | "agent" | "log" | "error" | "page" | "manifest";

/** One thing that happened. */
export interface Entry {
  seq: number;
  at: string;
  page_id: string;
  kind: EntryKind;
  /** What belongs together: of a call, of a run. */
  id?: string;
  caller?: string;
  detail: Record<string, unknown>;
  /** Characters that it came as; the inspector's own. */
  size?: number;
}
