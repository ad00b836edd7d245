/** The types of `components.js`; shipped next to it as `components.d.ts`. */

/** One property of a tool's parameters, as JSON Schema. */
export interface InputSchemaProperty {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  items?: InputSchemaProperty;
  properties?: Record<string, InputSchemaProperty>;
  required?: string[];
  [keyword: string]: unknown;
}

/** The JSON Schema of a tool's parameters, which are always one object. */
export interface InputSchema {
  type?: "object";
  properties?: Record<string, InputSchemaProperty>;
  required?: string[];
  [keyword: string]: unknown;
}

/** The context that a tool receives besides its parameters. */
export interface ToolContext {
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal;
  /** Report how far the call is. */
  progress(message: string): void;
  /** Ask the caller: for words, or null without an answer; for an approval, true or false. */
  ask(text: string, options?: { kind?: "question" | "approval" }): Promise<string | boolean | null>;
}

/** Does the tool's work in the frame that registered it. */
export type ToolHandler<Parameters = any> = (
  parameters: Parameters,
  context: ToolContext,
) => unknown;

/** A tool as it is listed, in every frame alike. */
export interface SerializableToolDefinition {
  /** 1 to 128 characters of `A-Z a-z 0-9 _ . -`. */
  name: string;
  /** The part of the application that the tool belongs to; the model sees `component_name`. */
  component?: string;
  description: string;
  inputSchema: InputSchema;
}

/** A tool to register; without a schema it takes an object without properties. */
export interface ToolDefinition<Parameters = any> {
  name: string;
  component?: string | undefined;
  description: string;
  inputSchema?: InputSchema | undefined;
  execute: ToolHandler<Parameters>;
}

/** Called with the tools of all frames after each change. */
export type ToolsChangedHandler = (tools: SerializableToolDefinition[]) => void;

/** Called in the top page with the origin of a refused frame, once for each origin. */
export type OriginRefusedHandler = (refused: { origin: string }) => void;

export interface ExecuteOptions {
  /** Cancels the call; the tool's own signal aborts. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the call fails with `timeout`; 30,000 by default, `Infinity` for no end. */
  timeout_ms?: number | undefined;
}

/** Kinds of failed calls. */
export type WebMcpErrorKind =
  /** No frame offers a tool of that name. */
  | "unknown_tool"
  /** The parameters are not an object. */
  | "invalid_arguments"
  /** The tool threw, or its promise was rejected. */
  | "threw"
  /** A parameter or the result cannot be copied from frame to frame. */
  | "not_cloneable"
  | "timeout"
  | "cancelled"
  /** The top page and this frame do not list each other's origin. */
  | "denied"
  /** The tool's frame went away during the call. */
  | "page_gone";

/** The error of a failed call; a tool's own error keeps its `name`, `message` and `kind`. */
export interface WebMcpError extends Error {
  /** The kind of failure: `threw` for a tool's error, unless that has a `kind` of its own. */
  readonly kind: WebMcpErrorKind | (string & {});
  /** The tool, as it was called or as the model sees it. */
  readonly tool: string;
}

/** For `instanceof`; only this script creates one. */
export declare const WebMcpError: abstract new (...args: never) => WebMcpError;

export interface WebMcpApi {
  /**
   * Offer a tool to all frames; the same component and name again replaces it.
   *
   * @throws TypeError The definition has no usable name, description, schema or handler.
   */
  registerTool<Parameters = any>(definition: ToolDefinition<Parameters>): void;
  /** Withdraw a tool of this frame; does nothing if there is no such tool. */
  unregisterTool(name: string, component?: string): void;
  /**
   * The tools of all frames, each component and name once, sorted by what the model sees.
   *
   * A frame waits until the top page has sent the others' tools, up to 5 s after it was loaded.
   */
  getTools(): Promise<SerializableToolDefinition[]>;
  /**
   * Call a tool by its name or `component_name`: this frame's own, else the oldest.
   *
   * @throws WebMcpError whose `kind` says how it failed.
   */
  executeTool(name: string, parameters?: object, options?: ExecuteOptions): Promise<unknown>;
  /** Call a handler after each change; adding it twice has no further effect. */
  on(event: "change:tools", handler: ToolsChangedHandler): void;
  on(event: "refused:origin", handler: OriginRefusedHandler): void;
  off(event: "change:tools", handler: ToolsChangedHandler): void;
  off(event: "refused:origin", handler: OriginRefusedHandler): void;
}

export declare const TOOLS_CHANGE_EVENT: "change:tools";
export declare const registerTool: WebMcpApi["registerTool"];
export declare const unregisterTool: WebMcpApi["unregisterTool"];
export declare const getTools: WebMcpApi["getTools"];
export declare const executeTool: WebMcpApi["executeTool"];
export declare const on: WebMcpApi["on"];
export declare const off: WebMcpApi["off"];
declare const webmcp: WebMcpApi;
export default webmcp;

declare global {
  interface Window {
    readonly webmcp: WebMcpApi;
  }
}
