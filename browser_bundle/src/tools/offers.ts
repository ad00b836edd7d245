/** What a page offers, as Python reads it (`webagent.page.offers`). */
import type { Encoded } from "../base/values.ts";

/** What a call reaches. */
export interface Target {
  kind: "function" | "modelContext" | "form" | "component";
  name: string;
  component?: string;
  /** Number of the frame; absent for the page's own document. */
  frame?: number;
  origin?: string;
}

/** A tool that the page registered, a form, or a component's tool. */
export interface OfferedTool extends Target {
  title?: string;
  description: string;
  inputSchema?: object;
  annotations?: object;
  /** Whether a person has to end the call. */
  attended?: boolean;
}

export interface Offers {
  /** Of each function that was asked for and is there: fewest and most arguments. */
  functions: Record<string, [number, number | null]>;
  undeclared: string[];
  tools: OfferedTool[];
  path: string;
  origin: string;
}

/** How a call can be ended, and what it can say meanwhile. */
export interface Running {
  signal: AbortSignal;
  progress: (message: string) => void;
}

/** One of the ways in which a page offers tools. */
export interface ToolSource {
  list(): Promise<OfferedTool[]>;
  /** Whether this target is one of its tools. */
  has(target: Target): boolean;
  call(target: Target, input: Record<string, Encoded>, running: Running): Promise<unknown>;
}
