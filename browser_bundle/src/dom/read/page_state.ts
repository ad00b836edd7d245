/** One page as the actions work on it: its document, its numbers, its changes. */
import { nameOf } from "./accessible_names.ts";
import { type Entry, read, type View } from "./page_reader.ts";
import { roleOf } from "./aria_roles.ts";
import { wrong } from "../touch/refusal.ts";
import { Changes } from "../page/changes.ts";
import { isConnected, rootsIn, tagOf, windowOf } from "./nodes.ts";
import { Numbers } from "../page/numbers.ts";
import { quoted } from "./page_text.ts";

const FRESH = "take a new snapshot";

export class Page {
  readonly numbers = new Numbers();
  readonly changes = new Changes();
  readonly top: Document;

  constructor(top: Document) {
    this.top = top;
  }

  get window(): Window & typeof globalThis {
    return windowOf(this.top) ?? window;
  }

  /** What is shown now. */
  read(): View {
    for (const root of rootsIn(this.top)) this.changes.watch(root);
    return read(this.top, this.numbers);
  }

  /** The element of a number. */
  element(pp_id: unknown): Element {
    const number = Number(pp_id);
    if (!this.numbers.wasGiven(number))
      throw wrong(`there is no element \`${String(pp_id)}\``, "use a number of the latest snapshot", "pp_id");
    const element = this.numbers.element(number);
    if (!element || !isConnected(element))
      throw wrong(`element \`${number}\` is gone: the page has taken it out`, FRESH, "pp_id");
    return element;
  }

  /** An element by number and name, as texts show it. */
  show(element: Element): string {
    const role = roleOf(element);
    const { text } = nameOf(element, role);
    return `[${this.numbers.of(element)}] ${role || tagOf(element)}${text ? ` ${quoted(text)}` : ""}`;
  }
}

/** Several elements as an error lists them. */
export function listed(entries: readonly Entry[]): string {
  const shown = entries.slice(0, 8).map(({ info }) => `[${info.id}] ${info.role} ${quoted(info.name)}`);
  return shown.join(", ") + (entries.length > shown.length ? ` and ${entries.length - shown.length} more` : "");
}
