/**
 * The run of a tab, what its last runs were about, and what its visitor has allowed, in sessionStorage, which outlives
 * the page but not the tab; and whose these data are.
 *
 * A run has one key: its mark in the first line, then its text, which only Python reads.
 */
import { describeThrown, WebagentError } from "../base/errors.ts";
import { jsonText } from "../base/values.ts";
import type { Grant } from "./person.ts";

/** Most characters of a run's text; sessionStorage holds about five million in all. */
const MOST_CHARACTERS = 1_500_000;

/** The data by which pages hand on a run. */
export interface RunMark {
  v: 1;
  /** Also the name of its lock. */
  id: string;
  /** When the page that held it was left, in milliseconds since 1970; null while a page holds it. */
  left: number | null;
  /** How often another page has resumed it. */
  resumed: number;
}

/** The storage of this tab; without access to it, runs and answers last as long as the page. */
export function tabStorage(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  try {
    return sessionStorage;
  } catch {
    const items = new Map<string, string>();
    return {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, text) => void items.set(key, text),
      removeItem: (key) => void items.delete(key),
    };
  }
}

type TabStorage = ReturnType<typeof tabStorage>;

interface StoredRun {
  mark: RunMark;
  text: string;
}

export class RunStore {
  #storage: TabStorage;
  #mark: RunMark | undefined;

  constructor(storage: TabStorage) {
    this.#storage = storage;
  }

  /** The run that this page holds; undefined when it holds none. */
  get mark(): RunMark | undefined {
    return this.#mark;
  }

  /** The tab's run, whichever page holds it; null if there is none in this format. */
  kept(): StoredRun | null {
    try {
      const whole = this.#storage.getItem(RUN_KEY) ?? "";
      const end = whole.indexOf("\n");
      const mark = JSON.parse(whole.slice(0, end)) as RunMark;
      return isRunMark(mark) ? { mark, text: whole.slice(end + 1) } : null;
    } catch {
      return null;
    }
  }

  /** Hold the run with this mark on this page. */
  hold(mark: RunMark): void {
    this.#mark = mark;
  }

  /** The text of the run that this page holds; null when it was not saved yet. */
  load(): string | null {
    const kept = this.#mark ? this.kept() : null;
    return kept?.mark.id === this.#mark?.id ? (kept?.text ?? null) : null;
  }

  /**
   * Save the text of the run.
   *
   * @throws WebagentError `too_large` when it has to be shorter. Then nothing is kept, because a run
   *   that resumes from an old text does things twice. `cancelled` when the page was left.
   */
  save(text: string): void {
    if (!this.#mark) {
      throw new WebagentError({
        kind: "cancelled",
        message: "the run is not kept – this page was left, or the run has ended",
      });
    }
    if (text.length > MOST_CHARACTERS) this.#refuse(`it is over ${MOST_CHARACTERS} characters`);
    this.#write(this.#mark, text);
  }

  /** The page is being left: the next page of this tab may resume the run. */
  leave(): void {
    const kept = this.kept();
    if (this.#mark && kept?.mark.id === this.#mark.id) {
      try {
        this.#write({ ...this.#mark, left: Date.now() }, kept.text);
      } catch {
        // Without room the run ends here.
      }
    }
    this.#mark = undefined;
  }

  /** Drop the run. */
  clear(): void {
    this.#mark = undefined;
    this.#remove();
  }

  #write(mark: RunMark, text: string): void {
    try {
      this.#storage.setItem(RUN_KEY, `${JSON.stringify(mark)}\n${text}`);
    } catch (thrown) {
      this.#refuse(describeThrown(thrown));
    }
  }

  #refuse(why: string): never {
    this.#remove();
    throw new WebagentError({
      kind: "too_large",
      message: `the run is not kept – ${why}`,
      help: "shorten the oldest results and save it again",
    });
  }

  #remove(): void {
    try {
      this.#storage.removeItem(RUN_KEY);
    } catch {
      // A page may have broken its own storage; then it holds nothing.
    }
  }
}

function isRunMark(data: RunMark | null): boolean {
  return (
    typeof data === "object" &&
    data?.v === 1 &&
    typeof data.id === "string" &&
    typeof data.resumed === "number" &&
    (data.left === null || typeof data.left === "number")
  );
}

/** Key of the allowed actions in sessionStorage. */
const ALLOWED_KEY = "webagent.allowed";
/** Most actions that are remembered; the oldest are dropped. */
const MOST = 100;
/** Most characters of the key of an action. */
const LONGEST = 500;

/** Actions that the visitor has allowed for this session: in this tab, over its runs and pages. */
export class AllowedActions {
  #storage: TabStorage;
  /** Used when the storage is full. */
  #grants: Grant[] = [];

  constructor(storage: TabStorage) {
    this.#storage = storage;
  }

  /** The grants, the oldest first. */
  list(): Grant[] {
    try {
      const kept: unknown = JSON.parse(this.#storage.getItem(ALLOWED_KEY) ?? "null");
      if (Array.isArray(kept)) this.#grants = bounded(kept);
    } catch {
      // A value that is not a list was not written here.
    }
    return [...this.#grants];
  }

  /** The keys of what is allowed, the oldest first. */
  names(): string[] {
    return this.list().map(({ key }) => key);
  }

  add(key: unknown, text: unknown = key): void {
    this.#write(bounded([...this.list().filter((other) => other.key !== key), { key, text }]));
  }

  clear(): void {
    this.#write([]);
  }

  /** Take back a permission; returns whether it was given. */
  remove(key: string): boolean {
    const before = this.list();
    const left = before.filter((other) => other.key !== key);
    if (left.length === before.length) return false;
    this.#write(left);
    return true;
  }

  #write(grants: Grant[]): void {
    this.#grants = grants;
    try {
      this.#storage.setItem(ALLOWED_KEY, jsonText(grants));
    } catch {
      // The storage is full: the permission lasts as long as the page.
    }
  }
}

/** Reads what was stored; a text alone is a key. */
function bounded(stored: unknown[]): Grant[] {
  const read = stored.map((each) => (typeof each === "string" ? { key: each, text: each } : (each as Partial<Grant> | null)));
  const isText = (text: unknown): text is string => typeof text === "string" && text !== "" && text.length <= LONGEST;
  return read.flatMap((each) => (isText(each?.key) && isText(each.text) ? [{ key: each.key, text: each.text }] : [])).slice(-MOST);
}

/** Key of the subjects of the tab's last runs. */
const RECENT_KEY = "webagent.recent";

/** The subjects of the last runs of the tab, a text that only Python reads: the next goal may refer to them. */
export class RecentRuns {
  #storage: TabStorage;

  constructor(storage: TabStorage) {
    this.#storage = storage;
  }

  load(): string {
    try {
      return this.#storage.getItem(RECENT_KEY) ?? "";
    } catch {
      return "";
    }
  }

  /** Keep the text, or forget it if it is empty; returns whether there was room. */
  save(text: string): boolean {
    try {
      if (text === "") this.#storage.removeItem(RECENT_KEY);
      else this.#storage.setItem(RECENT_KEY, text);
      return true;
    } catch {
      return false;
    }
  }
}

/** Key of the panel's conversation in sessionStorage. */
export const CONVERSATION_KEY = "webagent.panel.talk";
/** Key in sessionStorage of the visit and the account that the tab's data belong to. */
const OWNER_KEY = "webagent.owner";
/** Key in localStorage of the visit. */
const VISIT_KEY = "webagent.visit";

/** The visit, the same in all pages of the site until the agent forgets its visitor. */
export function currentVisit(): string {
  try {
    return localStorage.getItem(VISIT_KEY) ?? "";
  } catch {
    return "";
  }
}

/** Begin another visit in all pages of the site: what is kept of this one is forgotten. */
export function endVisit(): void {
  try {
    localStorage.setItem(VISIT_KEY, String((Number(currentVisit()) || 0) + 1));
  } catch {
    // A page without storage shares nothing with others.
  }
}

/**
 * Take the tab's data for this visit and account; those of another one are dropped.
 *
 * A stranger who signs in keeps the conversation: only an account that ends or changes ends the visit.
 */
export function claimTab(account: string): void {
  try {
    const owner = encodeURIComponent(account);
    const [visit, before] = (sessionStorage.getItem(OWNER_KEY) ?? " ").split(" ");
    const isOther = visit === currentVisit() && before !== "" && before !== owner;
    if (isOther) endVisit();
    if (isOther || visit !== currentVisit()) {
      for (const key of [RUN_KEY, ALLOWED_KEY, RECENT_KEY, CONVERSATION_KEY]) sessionStorage.removeItem(key);
    }
    sessionStorage.setItem(OWNER_KEY, `${currentVisit()} ${owner}`);
  } catch {
    // A page without storage keeps nothing.
  }
}

/** Key of the tab's run in sessionStorage. */
const RUN_KEY = "webagent.run";

/** Whether this tab keeps a run. A page without storage keeps none; frames leave runs to the top page. */
export function runIsKept(): boolean {
  try {
    return window.top === window && sessionStorage.getItem(RUN_KEY) !== null;
  } catch {
    return false;
  }
}
