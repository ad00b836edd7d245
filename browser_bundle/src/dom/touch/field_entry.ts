/** Enters text and files into fields as a person would. */
import { HIDDEN, isMasked } from "../../base/agent_access.ts";
import { isEditable } from "../read/aria_roles.ts";
import { attr, tagOf, textOf, viewOf } from "../read/nodes.ts";
import type { PageState } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";
import { invalidArguments, type UploadedFile } from "../read/protocol.ts";
import { valueFor } from "./date_parser.ts";
import { fireBeforeInput, fireInput, pressKey, setProperty } from "./input_events.ts";
import { focusOn } from "./pointer.ts";

const EXAMPLES: Record<string, string> = {
  date: "2027-03-05",
  time: "14:30",
  "datetime-local": "2027-03-05T14:30",
  month: "2027-03",
  week: "2027-W10",
  color: "#336699",
  number: "12.5",
  range: "12",
};

export function enterText(page: PageState, field: Element, text: string): void {
  if (isEditable(field)) return replaceText(field as HTMLElement, text);
  const input = field as HTMLInputElement;
  if (!/^(input|textarea)$/.test(tagOf(field)))
    throw invalidArguments(`${page.show(field)} takes no text`, "use `select`, `check` or `click`", "text");
  const { type } = input;
  const value = text === "" ? "" : valueFor(type, text);
  if (value === null) {
    throw invalidArguments(
      `${page.show(field)} cannot be set to \`${text}\``,
      `write it like \`${EXAMPLES[type] ?? ""}\``,
      "text",
    );
  }
  const most = input.maxLength;
  if (most >= 0 && value.length > most) {
    throw invalidArguments(`the text for ${page.show(field)} is too long: it takes ${most} characters`, "write less", "text");
  }
  focusOn(input);
  if (fireBeforeInput(field, value)) {
    setProperty(field, "value", value);
    if (input.value !== value && type !== "email" && isDifferent(type, input.value, value)) {
      const made = isMasked(field) ? HIDDEN : input.value;
      throw invalidArguments(`${page.show(field)} made \`${made}\` of \`${value}\``, rangeOf(field), "text");
    }
    fireInput(field, value);
  }
  pressKey(field, value.slice(-1) || "Delete");
}

/** Whether a field's value differs from the written text in more than its formatting. */
function isDifferent(type: string, held: string, written: string): boolean {
  if (type === "number" || type === "range") return Number(held) !== Number(written) || held === "";
  return /^(date|time|month|week|color|datetime-local)$/.test(type) && !held.startsWith(written.slice(0, held.length))
    ? true
    : held === "";
}

function rangeOf(field: Element): string {
  const [least, most, step] = ["min", "max", "step"].map((name) => attr(field, name));
  return `it takes ${least ?? "any"} to ${most ?? "any"}${step ? ` in steps of ${step}` : ""}`;
}

/** Replaces the content of an editor. */
function replaceText(field: HTMLElement, text: string): void {
  focusOn(field);
  const view = viewOf(field);
  const selection = view?.getSelection();
  if (!view || !selection) return;
  selection.selectAllChildren(field);
  // Editors with their own model handle this event; others get the same events as from a keyboard.
  if (!fireBeforeInput(field, text)) return;
  const done = text === "" ? view.document.execCommand("delete") : view.document.execCommand("insertText", false, text);
  if (done || textOf(field) === text) return;
  field.textContent = text;
  fireInput(field, text);
}

const MOST_FILES = 50;
/** Most characters of base64 of one entry: 30 MB of files. */
const MOST_CHARS = 40 * 1024 * 1024;

export function attach(page: PageState, field: Element, files: readonly UploadedFile[]): void {
  const input = field as HTMLInputElement;
  if (input.type !== "file" || !viewOf(field)) throw invalidArguments(`${page.show(field)} takes no files`, undefined, "files");
  if (files.length > 1 && !input.multiple)
    throw invalidArguments(`${page.show(field)} takes one file, not ${files.length}`, undefined, "files");
  const wanted = attr(field, "accept") ?? "";
  for (const file of files)
    if (!isAccepted(file, wanted))
      throw invalidArguments(`${page.show(field)} does not take \`${file.name}\``, `it takes ${line(wanted)}`, "files");
  const { files: given } = transferOf(field, files);
  input.files = given;
  fireInput(field);
}

/** Whether a field takes a file, as the dialog that a person chooses it in would offer it. */
function isAccepted({ name, type = "" }: UploadedFile, accept: string): boolean {
  const kinds = accept.toLowerCase().split(",").map((kind) => kind.trim()).filter((kind) => kind !== "");
  const [own, called] = [type.toLowerCase().split(";")[0] ?? "", String(name).toLowerCase()];
  const fits = (kind: string): boolean =>
    kind.startsWith(".") ? called.endsWith(kind) : kind.endsWith("/*") ? own.startsWith(kind.slice(0, -1)) : own === kind;
  return kinds.length === 0 || kinds.includes("*/*") || kinds.some(fits);
}

/** Files as they come into a page: with a field, or with a drop. */
export function transferOf(place: Element, files: readonly UploadedFile[]): DataTransfer {
  const view = viewOf(place);
  if (files.length > MOST_FILES || files.reduce((sum, { data }) => sum + String(data).length, 0) > MOST_CHARS || !view) {
    throw invalidArguments("the files are too many or too large: 50 files and 30 MB go at once", undefined, "files");
  }
  const transfer = new view.DataTransfer();
  for (const { name, type = "", data } of files) transfer.items.add(new view.File([bytes(data, name)], name, { type }));
  return transfer;
}

function bytes(base64: string, name: string): ArrayBuffer {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer;
  } catch {
    throw invalidArguments(`the content of \`${name}\` is not base64`, undefined, "files");
  }
}
