/** The data that goes in and out of `dom.js`, and its errors. */
import { WebagentError } from "../../base/errors.ts";
import type { Trait } from "./control_traits.ts";

/** An element of a snapshot. */
export interface ElementInfo {
  /** Its number, `pp_id`. */
  id: number;
  role: string;
  name: string;
  value?: string;
  states: string[];
  /** Number of the frame around it; absent in the page's own document. */
  frame?: number;
  /** Level of a heading. */
  level?: number;
  href?: string;
  /** Facts of its markup; absent when there are none. */
  traits?: Trait[];
  description?: string;
  /** The options of a list. */
  options?: string[];
}

export interface Snapshot {
  url: string;
  title: string;
  revision: number;
  elements: ElementInfo[];
  text: string;
  truncated: boolean;
  /** The visitor's language as a tag; empty if the browser does not say. */
  language: string;
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

/** The value of a field, and how the field is found. */
export interface FormEntry {
  pp_id?: number;
  label?: string;
  name?: string;
  text?: string;
  select?: string[];
  index?: number;
  check?: boolean;
  files?: UploadedFile[];
  /** The entered value is secret and not reported. */
  secret?: boolean;
}

export type Direction = "up" | "down" | "left" | "right" | "top" | "bottom";

/** A dialog of the browser that the page opened during an action. */
export interface NativeDialog {
  kind: "alert" | "confirm" | "prompt";
  text: string;
  /** Whether it was answered with OK; an alert has no answer. */
  accepted?: boolean;
}

/** The answer to a dialog that an action is to open. */
export interface DialogAnswer {
  kind: "confirm" | "prompt";
  /** The words of the dialog, exactly as `NativeDialog` has them. */
  text: string;
  accept: boolean;
  /** The text for a prompt. */
  answer?: string;
}

/** `dialog`, which any action takes, answers a dialog that it opens. `allow_origin` names other origins to which a form may send what is not a secret. */
export type Action =
  | { type: "click"; pp_id: number; allow_origin?: string[] }
  | { type: "click_link"; pp_id?: number; text?: string }
  | { type: "hover"; pp_id: number }
  | { type: "drag"; pp_id: number; to?: number; by_x?: number; by_y?: number }
  | { type: "press_key"; key: string; pp_id?: number; allow_origin?: string[] }
  | { type: "answer_dialog"; accept: boolean }
  | { type: "upload"; pp_id: number; files: UploadedFile[]; allow_origin?: string[] }
  | { type: "enter_data"; form_data: FormEntry[]; submit?: boolean; allow_origin?: string[] }
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
  | { type: "linked_data" }
  | { type: "requests" }
  | { type: "search"; query: string; allow_origin?: string[] }
  | { type: "screenshot"; selector?: string; pp_id?: number; marks?: boolean }
  | { type: "goto_url"; url: string };

/** The outcome of an action on the page. */
export interface Reply {
  did: string;
  /** Whether the page is being left for another document. */
  navigates: boolean;
  /** The page's address after the action, or the one it navigates to. */
  url: string;
  changed: Changed;
  /** The dialogs of the browser that the page opened meanwhile. */
  dialogs?: NativeDialog[];
  /** The part of a real mouse or keyboard that is left out, in a sentence. */
  left_out?: string;
  /** The link opens a new tab. */
  new_tab?: boolean;
  /** The address has another origin. */
  other_origin?: boolean;
  /** The scroll position. */
  position?: { top: number; left: number; height: number; width: number; at_end: boolean };
}

export interface Changed {
  /** New lines of text. */
  appeared: string[];
  /** New texts of alerts and status messages. */
  alerts: string[];
  /** A dialog that has opened. */
  dialog?: { pp_id: number; name: string };
}

/** An error for an element that does not exist, or a value that it does not accept. */
export function invalidArguments(message: string, help?: string, path?: string): WebagentError {
  return new WebagentError({
    kind: "invalid_arguments",
    message,
    ...(help ? { help } : {}),
    ...(path ? { path } : {}),
  });
}

/** An error for something that the page does not let a person do. */
export function denied(message: string, help?: string, path?: string): WebagentError {
  return new WebagentError({ kind: "denied", message, ...(help ? { help } : {}), ...(path ? { path } : {}) });
}

/** A screenshot. */
export interface Picture {
  /** PNG in base64. */
  data: string;
  /** In pixels. */
  width: number;
  height: number;
  /** How many elements have a mark in it, and how many more are in it; absent if it has no marks. */
  marks?: number;
  unmarked?: number;
}

/** An element that is marked in a screenshot. */
export interface Marked {
  /** Its number. */
  id: number;
  /** The element, or its label where only that is visible. */
  box: Element;
}

/** The exports of `screenshot.js`. */
export interface Camera {
  /** @param marked The elements to mark, if any is to be. */
  capture(target: Element, marked?: readonly Marked[]): Promise<Picture>;
}
