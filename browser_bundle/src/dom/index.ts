/** `dom.js`: reads what a page shows, and acts on it as a person could. */
import { click, clickLink, drag, hover } from "./actions/mouse.ts";
import { answerDialog, pressKeyOn } from "./actions/keyboard.ts";
import { findCode } from "./actions/code_samples.ts";
import { formDetails } from "./actions/form_details.ts";
import { enterData, upload } from "./actions/form_entry.ts";
import { goToUrl, scroll, wait } from "./actions/movement.ts";
import { content, navigationOutline, results, sectionOutline } from "./actions/page_outline.ts";
import { requests, summary } from "./actions/page_summary.ts";
import { search, searchFieldIn } from "./actions/site_search.ts";
import { linkedData } from "./actions/structured_data.ts";
import { tableDetails } from "./actions/table_details.ts";
import type { Line } from "./read/line_writer.ts";
import { isWidget } from "./read/aria_roles.ts";
import { everywhere, titleOf } from "./read/nodes.ts";
import type { Entry, View } from "./read/page_reader.ts";
import { checkedSelector, PageState } from "./read/page_state.ts";
import { line } from "./read/page_text.ts";
import {
  denied, invalidArguments, type Action, type Camera, type DialogAnswer, type ElementInfo, type Marked, type Picture,
  type Snapshot, type SnapshotOptions,
} from "./read/protocol.ts";
import { isShown } from "./read/visibility.ts";
import { visibleBox } from "./touch/hit_test.ts";

export { toolPart, unknownModes } from "../base/agent_access.ts";

export interface Dom {
  /** The current content of the page, as plain data. */
  snapshot(options?: SnapshotOptions): Snapshot;
  /** Acts on the page or reads from it; plain data in and out. Throws `WebagentError`. */
  act(action: Action): Promise<unknown>;
}

export interface DomOptions {
  /** Loads `screenshot.js` for the first screenshot. */
  screenshot?: () => Promise<Camera>;
}

/** The pages that are read here, by their documents. */
const pages = new WeakMap<Document, PageState>();

/** The element of a number on this page; null if it has none, or not any more. */
export function elementOf(pp_id: unknown): Element | null {
  try {
    return pages.get(document)?.element(pp_id) ?? null;
  } catch {
    return null;
  }
}

export function createDom(root: Document = document, options: DomOptions = {}): Dom {
  const page = new PageState(root);
  pages.set(root, page);
  return {
    snapshot(limits) {
      const view = page.read();
      return snapshotOf(root, view, page.changes.look(), limits);
    },
    act: (action) => act(page, action, options.screenshot),
  };
}

// The snapshot, within its limits.

const MOST_ELEMENTS = 1000;
const MOST_TEXT = 20_000;
/** Lines that are kept of each navigation, sidebar and footer when a page is too long. */
const KEPT = 12;
/** Lines above the window among which its heading is looked for. */
const MOST_BEFORE = 12;

/** An option from outside as a whole number, or its default. */
function limit(value: unknown, usual: number): number {
  const number = Math.floor(Number(value));
  return value !== undefined && number >= 0 ? Math.min(number, 200_000) : usual;
}

function snapshotOf(top: Document, view: View, revision: number, options: SnapshotOptions = {}): Snapshot {
  const most = limit(options.max_text, MOST_TEXT);
  const written = view.lines.filter(({ text }) => text);
  const isLong = written.reduce((sum, { text }) => sum + text.length + 1, -1) > most;
  const shown = new Set<number>();
  let text = "";
  let cut = view.truncated || isLong;
  const lines = isLong ? shortened(fromWindow(written, view.entries)) : written;
  for (const [index, { text: next, ids }] of lines.entries()) {
    if (text.length + next.length + 1 > most) {
      text += `${text ? "" : next.slice(0, most)}\n${whatFollows(lines.slice(index), view)}`;
      break;
    }
    text += text ? `\n${next}` : next;
    for (const id of ids) shown.add(id);
  }
  if (view.truncated) text += "\n… (the page is too large to be read to its end)";
  const elements = chosen(view, shown, limit(options.max_elements, MOST_ELEMENTS));
  cut ||= elements.length < view.entries.length;
  const [url, language] = [top.location?.href ?? "", navigator.language ?? ""];
  return { url, title: line(titleOf(top)), revision, elements, text, truncated: cut, language };
}

type Shown = Pick<Line, "text" | "ids" | "side">;

/** The lines of a long page from where its window is: what was scrolled past is left out. */
function fromWindow(lines: readonly Line[], entries: readonly Entry[]): Shown[] {
  const places = new Map(entries.filter(({ info }) => info.frame === undefined).map((entry) => [entry.info.id, entry]));
  const marked = lines.map(({ ids }) => ids.flatMap((id) => places.get(id) ?? []));
  const isSeen = marked.map((own) => own.some(({ info }) => !info.states.includes("offscreen")));
  const isAbove = marked.map((own, index) => lines[index]?.side === 0 && own.some(({ rect }) => rect.bottom <= 0));
  const above = isAbove.filter(Boolean).length;
  // A bar that stays at the top comes before all that was scrolled past, so half of that decides.
  let passed = 0;
  let from = lines.findIndex((_, index) => (passed += Number(isAbove[index])) * 2 > above && isSeen[index]);
  const before = lines.slice(Math.max(0, from - MOST_BEFORE), from + 1).reverse();
  from -= Math.max(0, before.findIndex(({ level }) => level > 0));
  const isLeft = lines.map(({ side }, index) => index < from && side === 0 && !isSeen[index]);
  const left = lines.filter((_, index) => isLeft[index]);
  const count = left.reduce((sum, { ids }) => sum + ids.length, 0);
  const note = { text: `… (${left.length} lines with ${count} elements are above: \`scroll\` up)`, ids: [], side: 0 };
  return lines.flatMap((line, index) => (isLeft[index] ? [] : index === from && left.length > 0 ? [note, line] : [line]));
}

/** How to reach what was cut off. */
function whatFollows(lines: readonly Shown[], view: View): string {
  const ids = new Set(lines.flatMap((line) => line.ids));
  const next = view.entries.find(({ info, rect }) => ids.has(info.id) && info.frame === undefined && rect.top > 0);
  const by = next ? ` ${Math.round(next.rect.top)} pixels` : "";
  const search = searchFieldIn(view) ? ", or `search`" : "";
  return `… (the page goes on for ${lines.length} lines with ${ids.size} elements: \`scroll\` down${by}, see \`section_outline\`${search})`;
}

/** The lines, with each navigation, sidebar and footer cut, so that the main content has room. */
function shortened(lines: readonly Shown[]): Shown[] {
  const sizes = new Map<number, number>();
  for (const { side } of lines) sizes.set(side, (sizes.get(side) ?? 0) + 1);
  const seen = new Map<number, number>();
  return lines.flatMap((one): Shown[] => {
    const count = (seen.get(one.side) ?? 0) + 1;
    seen.set(one.side, count);
    if (one.side === 0 || count <= KEPT) return [one];
    if (count > KEPT + 1) return [];
    return [{ text: `… (${(sizes.get(one.side) ?? 0) - KEPT} more lines in [${one.side}])`, ids: [], side: one.side }];
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

// All actions, by their type.

type Take<T extends Action["type"]> = (
  page: PageState,
  action: Extract<Action, { type: T }>,
  load?: () => Promise<Camera>,
) => unknown;

const ACTIONS: { [T in Action["type"]]: Take<T> } = {
  click,
  click_link: clickLink,
  enter_data: enterData,
  hover,
  drag,
  press_key: pressKeyOn,
  answer_dialog: answerDialog,
  upload,
  scroll,
  wait,
  find_code: findCode,
  navigation_outline: navigationOutline,
  section_outline: sectionOutline,
  form_details: formDetails,
  table_details: tableDetails,
  summary,
  content,
  results,
  linked_data: ({ top }) => linkedData(top),
  requests,
  search,
  screenshot,
  goto_url: goToUrl,
};

export async function act(page: PageState, action: Action, load?: () => Promise<Camera>): Promise<unknown> {
  const type = Object.hasOwn(ACTIONS, action?.type) ? action.type : null;
  if (!type) {
    const types = Object.keys(ACTIONS)
      .map((name) => `\`${name}\``)
      .join(", ");
    throw invalidArguments(`there is no action \`${String(action?.type).slice(0, 100)}\``, `the actions are ${types}`, "type");
  }
  // Callers may send null for options that they leave out.
  const given = Object.fromEntries(Object.entries(action).filter(([, value]) => value !== null)) as Action;
  const take = ACTIONS[type] as (page: PageState, action: Action, load?: () => Promise<Camera>) => unknown;
  return await page.answering((given as { dialog?: DialogAnswer }).dialog, () => take(page, given, load));
}

/** Take a screenshot of the page or of an element. */
async function screenshot(
  page: PageState,
  { selector, pp_id, marks }: { selector?: string; pp_id?: number; marks?: boolean },
  load?: () => Promise<Camera>,
): Promise<Picture> {
  const target =
    pp_id !== undefined ? page.element(pp_id) : selector ? bySelector(page, selector) : page.top.documentElement;
  if (target !== page.top.documentElement && !isShown(target))
    throw denied(`${page.show(target)} is not visible`, "open what hides it first");
  if (!load)
    throw denied("screenshots are not available here: `screenshot.js` is missing", "read the page with `snapshot`");
  const camera = await load();
  return camera.capture(target, marks === true ? markedIn(page) : undefined);
}

/** The elements of the snapshot that can be used, as far as a person sees them. */
function markedIn(page: PageState): Marked[] {
  const view = page.read();
  const { elements } = snapshotOf(page.top, view, page.changes.revision);
  const listed = new Set(elements.map(({ id }) => id));
  return view.entries.flatMap(({ element, info: { id, role } }) => {
    const box = listed.has(id) && (isWidget(role) || role === "clickable") ? visibleBox(element) : null;
    return box ? [{ id, box }] : [];
  });
}

function bySelector(page: PageState, selector: string): Element {
  const found = everywhere(page.top, checkedSelector(page.top, selector));
  const shown = found.find(isShown) ?? found[0];
  if (!shown)
    throw invalidArguments(
      `nothing in the page matches \`${selector.slice(0, 200)}\``,
      "take a new snapshot, and use a number from it",
      "selector",
    );
  return shown;
}
