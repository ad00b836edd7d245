/** A page as an agent is told of it, within its limits. */
import type { Snapshot, SnapshotOptions } from "../model.ts";
import { titleOf } from "../page/nodes.ts";
import { line } from "../page/words.ts";
import type { View } from "./reader.ts";

const MOST_ELEMENTS = 1000;
const MOST_TEXT = 20_000;

/** A whole number of an option that came from outside, or what holds without it. */
function limit(value: unknown, usual: number): number {
  const number = Math.floor(Number(value));
  return value !== undefined && number >= 0 ? Math.min(number, 200_000) : usual;
}

export function snapshotOf(top: Document, view: View, revision: number, options: SnapshotOptions = {}): Snapshot {
  const elements = view.entries.slice(0, limit(options.max_elements, MOST_ELEMENTS)).map(({ info }) => info);
  const most = limit(options.max_text, MOST_TEXT);
  let text = "";
  let cut = view.truncated;
  for (const { text: next } of view.lines) {
    if (!next) continue;
    if (text.length + next.length + 1 > most) {
      text += `${next.slice(0, Math.max(0, most - text.length))}\n… (the page goes on: its text was cut at ${most} characters)`;
      cut = true;
      break;
    }
    text += text ? `\n${next}` : next;
  }
  return {
    url: top.location?.href ?? "",
    title: line(titleOf(top)),
    revision,
    elements,
    text,
    truncated: cut || elements.length < view.entries.length,
  };
}
