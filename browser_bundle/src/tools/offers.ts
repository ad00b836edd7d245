/** The tools that a page offers, as Python reads them (`webagent.page.offers`). */
import type { CallContext } from "../base/results.ts";
import type { ClosedParts } from "../base/agent_access.ts";
import type { Encoded } from "../base/values.ts";

/** The target of a call. */
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
  /** Whether a person has to complete the call. */
  attended?: boolean;
}

export interface Offers {
  /** The fewest and the most arguments of each requested function that exists. */
  functions: Record<string, [number, number | null]>;
  /** Why those of them that cannot be called now cannot. */
  unavailable: Record<string, string>;
  undeclared: string[];
  /** Values of `data-agent` that close nothing; looked for in development. */
  unknown_modes: string[];
  tools: OfferedTool[];
  path: string;
  origin: string;
}

/** A question of a tool to whoever called it. */
export interface ToolQuestion {
  kind: "question" | "approval";
  text: string;
  details: Record<string, unknown>;
}

/** Asks whoever made a call; undefined where nobody can be asked. */
export type AskCaller = (question: ToolQuestion) => Promise<{ yes?: boolean; text?: string } | undefined>;

/** Cancels a running call, takes its progress messages, and answers its questions. */
export interface Running extends CallContext {
  /** Whether a person sees the page, who can send a form. */
  hasPerson: boolean;
}

/** A way in which a page offers tools. */
export interface ToolSource {
  list(): Promise<OfferedTool[]>;
  /** Whether this target is one of its tools. */
  has(target: Target): boolean;
  /** The form of a tool, or its window; the page's own window if it is not known. */
  placeOf(target: Target): ToolPlace;
  call(target: Target, input: Record<string, Encoded>, running: Running): Promise<unknown>;
}

export interface ToolPlace {
  place: HTMLFormElement | Window;
  /** The window that has the tool. */
  view: Window;
  /** Annotations of the tool. */
  hints?: object | undefined;
}

/** Loads the functions that find the closed parts of a page; they are part of `dom.js`. */
export type LoadClosedParts = () => Promise<ClosedParts>;
