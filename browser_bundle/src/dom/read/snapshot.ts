/** Snapshots of a page, within their limits. */
import type { Line } from "./line_writer.ts";
import { titleOf } from "./nodes.ts";
import type { View } from "./page_reader.ts";
import { line } from "./page_text.ts";
import type { ElementInfo, Snapshot, SnapshotOptions } from "./protocol.ts";

const MOST_ELEMENTS = 1000;
const MOST_TEXT = 20_000;
/** Lines that are kept of each navigation, sidebar and footer when a page is too long. */
const KEPT = 12;

/** An option from outside as a whole number, or its default. */
function limit(value: unknown, usual: number): number {
  const number = Math.floor(Number(value));
  return value !== undefined && number >= 0 ? Math.min(number, 200_000) : usual;
}

export function snapshotOf(top: Document, view: View, revision: number, options: SnapshotOptions = {}): Snapshot {
  const most = limit(options.max_text, MOST_TEXT);
  const written = view.lines.filter(({ text }) => text);
  const isLong = written.reduce((sum, { text }) => sum + text.length + 1, -1) > most;
  const shown = new Set<number>();
  let text = "";
  let cut = view.truncated || isLong;
  for (const { text: next, ids } of isLong ? shortened(written) : written) {
    if (text.length + next.length + 1 > most) {
      text += `${next.slice(0, Math.max(0, most - text.length))}\n… (the page goes on: its text was cut at ${most} characters)`;
      break;
    }
    text += text ? `\n${next}` : next;
    for (const id of ids) shown.add(id);
  }
  const elements = chosen(view, shown, limit(options.max_elements, MOST_ELEMENTS));
  cut ||= elements.length < view.entries.length;
  const [url, language] = [top.location?.href ?? "", navigator.language ?? ""];
  return { url, title: line(titleOf(top)), revision, elements, text, truncated: cut, language };
}

/** The lines, with each navigation, sidebar and footer cut, so that the main content has room. */
function shortened(lines: readonly Line[]): Pick<Line, "text" | "ids">[] {
  const sizes = new Map<number, number>();
  for (const { side } of lines) sizes.set(side, (sizes.get(side) ?? 0) + 1);
  const seen = new Map<number, number>();
  return lines.flatMap((one): Pick<Line, "text" | "ids">[] => {
    const count = (seen.get(one.side) ?? 0) + 1;
    seen.set(one.side, count);
    if (one.side === 0 || count <= KEPT) return [one];
    if (count > KEPT + 1) return [];
    return [{ text: `… (${(sizes.get(one.side) ?? 0) - KEPT} more lines in [${one.side}])`, ids: [] }];
  });
}

/** The listed elements: those in the text first, then the others in order. */
function chosen(view: View, shown: ReadonlySet<number>, most: number): ElementInfo[] {
  const infos = view.entries.map(({ info }) => info);
  if (infos.length <= most) return infos;
  const first = infos.filter(({ id }) => shown.has(id)).slice(0, most);
  const others = infos.filter(({ id }) => !shown.has(id)).slice(0, most - first.length);
  const kept = new Set([...first, ...others]);
  return infos.filter((info) => kept.has(info));
}
