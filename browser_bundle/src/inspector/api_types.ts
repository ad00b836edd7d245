/** Types of the server's API at `/__webagent__/api/…`. */
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
  /** When the server started; a different time means a different server. */
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

/** The prompt of a model. */
export interface Prompt {
  messages: { role: string; text: string }[];
  tools: { name: string; description: string; parameters: unknown }[];
  typescript: string;
  tokens: { system: number; goal: number; page: number; tools: number; total: number };
  model: string | null;
}

/** The programs that have access: those with the token, all of this machine, or none. */
type EndpointAccess = "token" | "open" | "off";

export interface Endpoints {
  doors: EndpointAccess;
  mcp: { url: string; problem: string | null; clients: ClientProgram[] } | null;
  /** Address of the card that agents read. */
  a2a: { card: string } | null;
}

/** Setup of an agent program: its configuration, and where it belongs. */
export interface ClientProgram {
  name: string;
  title: string;
  /** Path in a project; empty if the program has its own file. */
  file: string;
  language: string;
  snippet: string;
  /** The command that writes the configuration. */
  command: string;
  token_note: string;
  /** The command that provides the token; empty if none is needed. */
  token: string;
  note: string;
}

export type EntryKind = "call" | "agent" | "log" | "error" | "page" | "manifest";

/** An entry of the timeline. */
export interface Entry {
  seq: number;
  at: string;
  page_id: string;
  kind: EntryKind;
  /** Groups the entries of a call or a run. */
  id?: string;
  caller?: string;
  detail: Record<string, unknown>;
  /** Size in characters, set by the inspector. */
  size?: number;
}
