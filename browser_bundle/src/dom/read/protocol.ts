/** What crosses the border of the in-page eyes and hands: plain data, both ways. */
import { WebagentError } from "../../base/errors.ts";

/** An element of a snapshot. */
export interface ElementInfo {
  /** Its number, `pp_id`. */
  id: number;
  role: string;
  name: string;
  value?: string;
  states: string[];
  /** Number of the frame it is in; none in the page's own document. */
  frame?: number;
  /** Of a heading. */
  level?: number;
  href?: string;
  description?: string;
  /** What a list of choices offers. */
  options?: string[];
}

export interface Snapshot {
  url: string;
  title: string;
  revision: number;
  elements: ElementInfo[];
  text: string;
  truncated: boolean;
}

export interface SnapshotOptions {
  max_elements?: number;
  max_text?: number;
}

export interface UploadedFile {
  name: string;
  type?: string;
  /** Base64. */
  data: string;
}

/** What goes into one field, and how the field is found. */
export interface FormEntry {
  pp_id?: number;
  label?: string;
  name?: string;
  text?: string;
  select?: string[];
  index?: number;
  check?: boolean;
  files?: UploadedFile[];
  /** Nobody is told what is entered. */
  secret?: boolean;
}

export type Direction = "up" | "down" | "left" | "right" | "top" | "bottom";

export type Action =
  | { type: "click"; pp_id: number }
  | { type: "click_link"; pp_id?: number; text?: string }
  | { type: "enter_data"; form_data: FormEntry[]; submit?: boolean }
  | { type: "scroll"; direction: Direction; amount?: number; pp_id?: number }
  | { type: "wait"; seconds: number }
  | { type: "find_code"; title?: string; selector?: string }
  | { type: "navigation_outline" }
  | { type: "section_outline"; max_text?: number }
  | { type: "form_details"; pp_id?: number }
  | { type: "table_details"; pp_id?: number }
  | { type: "summary" }
  | { type: "content" }
  | { type: "results" }
  | { type: "search"; query: string }
  | { type: "screenshot"; selector?: string; pp_id?: number }
  | { type: "goto_url"; url: string };

/** What an act on the page did. */
export interface Reply {
  did: string;
  /** Whether the page is being left for another document. */
  navigates: boolean;
  /** The page's address afterwards, or the one it is going to. */
  url: string;
  changed: Changed;
  /** A link opens a tab of its own. */
  new_tab?: boolean;
  /** The address is one of another origin. */
  other_origin?: boolean;
  /** Where scrolling has come to. */
  position?: { top: number; left: number; height: number; width: number; at_end: boolean };
}

export interface Changed {
  /** Lines of text that were not there before. */
  appeared: string[];
  /** New texts of alerts and status messages. */
  alerts: string[];
  /** A dialog that has opened. */
  dialog?: { pp_id: number; name: string };
}

// Why something is not done: no such thing, or the page does not let a person do it.

/** There is no such thing, or it takes no such value. */
export function invalidArguments(message: string, help?: string, path?: string): WebagentError {
  return new WebagentError({
    kind: "invalid_arguments",
    message,
    ...(help ? { help } : {}),
    ...(path ? { path } : {}),
  });
}

/** The page does not let a person do it. */
export function denied(message: string, help?: string, path?: string): WebagentError {
  return new WebagentError({ kind: "denied", message, ...(help ? { help } : {}), ...(path ? { path } : {}) });
}

export interface Picture {
  /** PNG in base64. */
  data: string;
  /** In pixels. */
  width: number;
  height: number;
}

/** What `screenshot.js` exports. */
export interface Camera {
  capture(target: Element): Promise<Picture>;
}
