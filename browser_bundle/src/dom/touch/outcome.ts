/** The outcome of an action: waits until the page has settled, and reports what has changed. */
import { all, everywhere, rootsIn, styleOf, textOf, typeOf, windowOf } from "../read/nodes.ts";
import type { View } from "../read/page_reader.ts";
import type { PageState } from "../read/page_state.ts";
import { line, lines } from "../read/page_text.ts";
import type { Changed, DialogAnswer, NativeDialog, Reply } from "../read/protocol.ts";
import { isShown } from "../read/visibility.ts";

/** A page is settled after this long without a change, or after the second time at the latest. */
const QUIET_MS = 150;
const MOST_MS = 2000;
const STEP_MS = 30;

const MOST_LINES = 30;
const MOST_CHARS = 3000;
const LIVE = "[role=alert],[role=status],[aria-live=polite],[aria-live=assertive],output";

/** Runs an action and returns its outcome. */
export async function outcomeOf(
  page: PageState,
  act: (
    view: View,
    departure: NavigationWatch,
  ) => Promise<Partial<Reply> & { did: string }> | (Partial<Reply> & { did: string }),
): Promise<Reply> {
  const answer = page.takeAnswer();
  const before = page.read();
  const said = messages(page.top);
  const departure = new NavigationWatch(page.window);
  const dialogs = new DialogWatch(page.top, answer);
  try {
    const done = await act(before, departure);
    await settle(page, departure);
    const navigates = departure.leaves;
    const changed: Changed = navigates ? { appeared: [], alerts: [] } : difference(page, before, said);
    return {
      ...done,
      navigates,
      url: navigates ? (departure.to ?? page.window.location.href) : page.window.location.href,
      changed,
      ...(dialogs.opened.length > 0 ? { dialogs: dialogs.opened } : {}),
    };
  } finally {
    dialogs.end();
    departure.end();
  }
}

/** Waits until the page is being left, or has not changed for a moment. */
export async function settle(page: PageState, departure: NavigationWatch): Promise<void> {
  const start = performance.now();
  page.changes.last = start;
  for (let now = start; now - start < MOST_MS; now = performance.now()) {
    if (now - page.changes.last >= QUIET_MS && !isBusy(page.top)) return;
    await departure.within(STEP_MS);
    if (departure.leaves) return;
  }
}

/** Whether the page itself declares that it is still loading. */
const isBusy = (top: Document): boolean => all(top, "[aria-busy=true]").some(isShown);

/** The texts of the page's live regions. */
function messages(top: Document): Map<Element, string> {
  const places = everywhere(top, LIVE).slice(0, 100);
  return new Map(places.map((place) => [place, styleOf(place)?.display === "none" ? "" : line(textOf(place))]));
}

function difference(page: PageState, before: View, said: Map<Element, string>): Changed {
  const after = page.read();
  const alerts: string[] = [];
  for (const [place, text] of messages(page.top)) {
    if (text && said.get(place) !== text && !alerts.includes(text)) alerts.push(text);
  }
  const known = new Set(before.lines.map(({ key }) => key));
  const appeared: string[] = [];
  let chars = 0;
  for (const { text, key } of after.lines) {
    if (!key || known.has(key) || alerts.includes(key)) continue;
    if (appeared.length >= MOST_LINES || chars > MOST_CHARS) {
      appeared.push("…");
      break;
    }
    known.add(key);
    const shown = line(text, 300);
    chars += shown.length;
    appeared.push(shown);
  }
  const open = new Set(before.entries.map(({ element }) => element));
  const dialog = after.entries.find(({ element, info }) => info.role.endsWith("dialog") && !open.has(element));
  return { appeared, alerts, ...(dialog ? { dialog: { pp_id: dialog.info.id, name: dialog.info.name } } : {}) };
}

const KINDS = ["alert", "confirm", "prompt"] as const;
const MOST_DIALOGS = 10;
const MOST_MESSAGE = 1000;

type Ask = (message?: string, value?: string) => unknown;

/**
 * Records the dialogs that the page opens during one action, with their answers.
 *
 * The person, or the driver, answers them as ever. Only the one that was answered beforehand is not shown:
 * once, and only with the words that the answer is for.
 */
class DialogWatch {
  /** Those whose action is under way. */
  static readonly #watching = new Set<DialogWatch>();
  static #restore: (() => void)[] = [];

  readonly opened: NativeDialog[] = [];
  #answer: DialogAnswer | undefined;

  constructor(top: Document, answer: DialogAnswer | undefined) {
    this.#answer = answer;
    if (DialogWatch.#watching.size === 0)
      for (const root of rootsIn(top)) {
        const view = typeOf(root) === 9 ? windowOf(root) : null;
        if (view) DialogWatch.#restore.push(...KINDS.map((kind) => DialogWatch.#replace(view, kind)));
      }
    DialogWatch.#watching.add(this);
  }

  end(): void {
    DialogWatch.#watching.delete(this);
    if (DialogWatch.#watching.size === 0) for (const restore of DialogWatch.#restore.splice(0)) restore();
  }

  /** Puts a function in the place of the page's own; returns one that undoes it, unless the page did so itself. */
  static #replace(view: Window, kind: NativeDialog["kind"]): () => void {
    const before = Object.getOwnPropertyDescriptor(view, kind);
    const own = before?.value as unknown;
    // A function that the page guards or computes is left to it.
    if (typeof own !== "function" || before?.configurable !== true) return () => {};
    const ask: Ask = (...given) => {
      const words = given.map(String);
      // The page may keep this function for longer than the action.
      const watching = [...DialogWatch.#watching];
      const prepared = watching.map((watch) => watch.#take(kind, words[0] ?? "")).find((answer) => answer !== undefined);
      const answer = prepared ? valueOf(prepared) : (Reflect.apply(own, view, words) as unknown);
      for (const watch of watching) watch.#note(kind, words[0] ?? "", answer);
      return answer;
    };
    Object.defineProperty(view, kind, { ...before, value: ask });
    return () => {
      if (Object.getOwnPropertyDescriptor(view, kind)?.value === ask) Object.defineProperty(view, kind, before);
    };
  }

  #take(kind: NativeDialog["kind"], message: string): DialogAnswer | undefined {
    const answer = this.#answer;
    if (answer?.kind !== kind || message.length > MOST_MESSAGE || answer.text !== lines(message, MOST_MESSAGE)) return undefined;
    this.#answer = undefined;
    return answer;
  }

  #note(kind: NativeDialog["kind"], message: string, answer: unknown): void {
    if (this.opened.length >= MOST_DIALOGS) return;
    const text = lines(message, MOST_MESSAGE);
    const accepted = kind === "confirm" ? answer === true : typeof answer === "string";
    this.opened.push({ kind, text, ...(kind === "alert" ? {} : { accepted }) });
  }
}

/** The value that a dialog returns to the page. */
function valueOf({ kind, accept, answer }: DialogAnswer): unknown {
  if (kind === "confirm") return accept;
  return accept ? String(answer ?? "") : null;
}

interface NavigateEvent extends Event {
  destination: { url: string; sameDocument: boolean };
  downloadRequest?: string | null;
}

interface Navigation extends EventTarget {
  transition: object | null;
}

/** Detects that a page is being left, as soon as the navigation begins. */
export class NavigationWatch {
  /** Whether another document is on its way. */
  leaves = false;
  /** The target, if known. */
  to: string | null = null;
  readonly #end = new AbortController();
  readonly #navigation: Navigation | undefined;
  #begun: Event | null = null;
  #wake: (() => void) | null = null;

  constructor(view: Window) {
    this.#navigation = (view as { navigation?: Navigation }).navigation;
    const { signal } = this.#end;
    this.#navigation?.addEventListener("navigate", (event) => this.#begins(event as NavigateEvent), { signal });
    for (const type of ["navigateerror", "navigatesuccess"]) {
      this.#navigation?.addEventListener(type, () => this.#stays(), { signal });
    }
    // For browsers without the Navigation API, and for navigations that it does not report.
    view.addEventListener("beforeunload", () => this.#leave(), { signal });
    view.addEventListener("pagehide", () => this.#leave(), { signal });
  }

  /** Resolves after a delay, or as soon as the page is being left. */
  within(delay_ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.leaves) return resolve();
      const timer = setTimeout(resolve, delay_ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  end(): void {
    this.#end.abort();
  }

  #begins(event: NavigateEvent): void {
    if (event.destination.sameDocument || typeof event.downloadRequest === "string") return;
    this.to = event.destination.url;
    this.#begun = event;
    // The page may still prevent the navigation, or handle it without another document.
    setTimeout(() => {
      if (this.#begun !== event) return;
      if (event.defaultPrevented || this.#navigation?.transition) this.#stays();
      else this.#leave();
    });
  }

  #leave(): void {
    this.leaves = true;
    this.#wake?.();
  }

  #stays(): void {
    this.leaves = false;
    this.to = null;
    this.#begun = null;
  }
}
