/** The state of a page for the actions: its document, its element numbers, its changes. */
import { forgetAccess, isIgnored } from "../../base/agent_access.ts";
import { nameOf } from "./accessible_names.ts";
import { roleOf } from "./aria_roles.ts";
import { ElementNumbers } from "./element_info.ts";
import { hasClosedParts, isConnected, rootsIn, tagOf, windowOf } from "./nodes.ts";
import { read, type Entry, type View } from "./page_reader.ts";
import { quoted } from "./page_text.ts";
import { denied, invalidArguments, type DialogAnswer } from "./protocol.ts";

const FRESH_SNAPSHOT = "take a new snapshot";

export class PageState {
  readonly numbers = new ElementNumbers();
  readonly changes = new Changes();
  readonly top: Document;
  /** The answer to a dialog that the next action is to open. */
  #answer: DialogAnswer | undefined;

  constructor(top: Document) {
    this.top = top;
  }

  get window(): Window & typeof globalThis {
    return windowOf(this.top) ?? window;
  }

  /** Starts an action that answers a dialog; the answer is for nothing that begins later. */
  answering<T>(answer: DialogAnswer | undefined, start: () => T): T {
    this.#answer = answer;
    try {
      return start();
    } finally {
      this.#answer = undefined;
    }
  }

  /** The answer for the action that begins, once. */
  takeAnswer(): DialogAnswer | undefined {
    const answer = this.#answer;
    this.#answer = undefined;
    return answer;
  }

  /** Read what the page shows now. */
  read(): View {
    forgetAccess();
    const roots = rootsIn(this.top);
    for (const root of roots) this.changes.watch(root);
    return read(this.top, roots, this.numbers);
  }

  /** The element of a number. */
  element(pp_id: unknown): Element {
    const number = Number(pp_id);
    if (!this.numbers.wasGiven(number))
      throw invalidArguments(`there is no element \`${String(pp_id)}\``, "use a number of the latest snapshot", "pp_id");
    const element = this.numbers.element(number);
    forgetAccess();
    if (!element || !isConnected(element) || isIgnored(element))
      throw invalidArguments(`element \`${number}\` is gone: the page has taken it out`, FRESH_SNAPSHOT, "pp_id");
    return element;
  }

  /** An element by number and name, for messages. */
  show(element: Element): string {
    const role = roleOf(element);
    const { text } = nameOf(element, role);
    return `[${this.numbers.of(element)}] ${role || tagOf(element)}${text ? ` ${quoted(text)}` : ""}`;
  }
}

/**
 * A selector of CSS. Where something is closed to agents, attributes and states in it could find out what
 * that holds.
 */
export function checkedSelector(top: Document, selector: string): string {
  const shown = `\`${selector.slice(0, 200)}\``;
  try {
    document.createDocumentFragment().querySelector(selector);
  } catch {
    throw invalidArguments(`${shown} is not a selector`, "write one of CSS, such as `pre.example`", "selector");
  }
  if (/[[:]/.test(selector) && hasClosedParts(top))
    throw denied(
      `${shown} has attributes or states, and parts of this page are closed to agents`,
      "select by tags, ids and classes",
      "selector",
    );
  return selector;
}

/** Several elements, for messages. */
export function listed(entries: readonly Entry[]): string {
  const shown = entries.slice(0, 8).map(({ info }) => `[${info.id}] ${info.role} ${quoted(info.name)}`);
  return shown.join(", ") + (entries.length > shown.length ? ` and ${entries.length - shown.length} more` : "");
}

/** Detects changes of a page, and since when it is quiet, in all roots that were read. */
class Changes {
  /** Increases with the first `look` after a change. */
  revision = 1;
  /** Time of the last change, by `performance.now()`. */
  last = 0;
  readonly #seen = new WeakSet<Node>();
  readonly #observer = new MutationObserver(() => this.#note());
  #changed = false;

  /** Watch another document or shadow root. */
  watch(root: Document | ShadowRoot): void {
    if (this.#seen.has(root)) return;
    this.#seen.add(root);
    this.#observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    for (const type of ["input", "change", "load", "toggle"]) {
      root.addEventListener(type, () => this.#note(), { capture: true, passive: true });
    }
  }

  /** The revision of the current state. */
  look(): number {
    if (this.#observer.takeRecords().length > 0) this.#note();
    if (this.#changed) this.revision += 1;
    this.#changed = false;
    return this.revision;
  }

  #note(): void {
    this.#changed = true;
    this.last = performance.now();
  }
}
