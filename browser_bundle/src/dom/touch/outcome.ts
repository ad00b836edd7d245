/** What came of an act: waits until the page has settled, and says what is different. */
import { all, everywhere, styleOf, textOf } from "../read/nodes.ts";
import type { View } from "../read/page_reader.ts";
import type { PageState } from "../read/page_state.ts";
import { line } from "../read/page_text.ts";
import type { Changed, Reply } from "../read/protocol.ts";
import { isShown } from "../read/visibility.ts";

/** How long nothing must change for a page to count as settled, and how long that is waited for. */
const QUIET_MS = 150;
const MOST_MS = 2000;
const STEP_MS = 30;

const MOST_LINES = 30;
const MOST_CHARS = 3000;
const LIVE = "[role=alert],[role=status],[aria-live=polite],[aria-live=assertive],output";

/** Runs an act and tells what came of it. */
export async function outcomeOf(
  page: PageState,
  act: (
    view: View,
    departure: NavigationWatch,
  ) => Promise<Partial<Reply> & { did: string }> | (Partial<Reply> & { did: string }),
): Promise<Reply> {
  const before = page.read();
  const said = messages(page.top);
  const departure = new NavigationWatch(page.window);
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
    };
  } finally {
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

/** Whether the page itself says that something is still to come. */
const isBusy = (top: Document): boolean => all(top, "[aria-busy=true]").some(isShown);

/** The texts of the places where a page tells what happens. */
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

// Whether a page is being left, heard of as soon as it begins.

interface NavigateEvent extends Event {
  destination: { url: string; sameDocument: boolean };
  downloadRequest?: string | null;
}

interface Navigation extends EventTarget {
  transition: object | null;
}

export class NavigationWatch {
  /** Whether another document is on its way. */
  leaves = false;
  /** Where to, if that is known. */
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
    // Where there is no Navigation API, and for what it does not tell of.
    view.addEventListener("beforeunload", () => this.#leave(), { signal });
    view.addEventListener("pagehide", () => this.#leave(), { signal });
  }

  /** Resolves after a while, or as soon as the page is being left. */
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
    // The page may still keep it from happening, or do it by itself without another document.
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
