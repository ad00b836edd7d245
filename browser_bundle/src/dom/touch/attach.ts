/** Puts files into a field for files. */
import { viewOf } from "../read/nodes.ts";
import type { Page } from "../read/page_state.ts";
import type { GivenFile } from "../read/protocol.ts";
import { changed } from "./input_events.ts";
import { wrong } from "./refusal.ts";

const MOST_FILES = 50;
/** Most characters of base64 of one entry: 30 MB of files. */
const MOST_CHARS = 40 * 1024 * 1024;

export function attach(page: Page, field: Element, files: readonly GivenFile[]): void {
  const input = field as HTMLInputElement;
  const view = viewOf(field);
  if (input.type !== "file" || !view) throw wrong(`${page.show(field)} takes no files`, undefined, "files");
  if (files.length > 1 && !input.multiple)
    throw wrong(`${page.show(field)} takes one file, not ${files.length}`, undefined, "files");
  if (files.length > MOST_FILES || files.reduce((sum, { data }) => sum + data.length, 0) > MOST_CHARS) {
    throw wrong("the files are too many or too large: 50 files and 30 MB go at once", undefined, "files");
  }
  const transfer = new view.DataTransfer();
  for (const { name, type = "", data } of files) transfer.items.add(new view.File([bytes(data, name)], name, { type }));
  input.files = transfer.files;
  changed(field);
}

function bytes(base64: string, name: string): ArrayBuffer {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)).buffer;
  } catch {
    throw wrong(`the content of \`${name}\` is no base64`, undefined, "files");
  }
}
