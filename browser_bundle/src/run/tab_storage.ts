/**
 * The run of a tab in sessionStorage, which outlives the page but not the tab.
 *
 * Under one key: a line about the run, then its text, which is Python's own affair.
 */
import { describeThrown, WebagentError } from "../base/errors.ts";

/** Characters of a run's text; a page has about five million for everything. */
const MOST_CHARACTERS = 1_500_000;

/** What pages have to know of a run to hand it on. */
export interface RunMark {
  v: 1;
  /** By which its lock is known. */
  id: string;
  /** When the page that held it was left, in milliseconds since 1970; null while one holds it. */
  left: number | null;
  /** How often another page has taken it up. */
  resumed: number;
}

/** The storage of this tab; where a page may not have it, runs and answers last as long as the page. */
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

  /** What the tab keeps, whoever holds it; null when that is nothing that this version reads. */
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

  /** From now on this page holds the run of this mark. */
  hold(mark: RunMark): void {
    this.#mark = mark;
  }

  /** The text of the run that this page holds; null when nothing of it was saved. */
  load(): string | null {
    const kept = this.#mark ? this.kept() : null;
    return kept?.mark.id === this.#mark?.id ? (kept?.text ?? null) : null;
  }

  /**
   * Keep the text of the run.
   *
   * @throws WebagentError `too_large` when it has to be shorter, and then nothing is kept, for a
   *   run that goes on from an old text does things twice; `cancelled` when the page was left.
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

  /** The page is being left: whoever comes next in this tab may take the run up. */
  leave(): void {
    const kept = this.kept();
    if (this.#mark && kept?.mark.id === this.#mark.id) {
      try {
        this.#write({ ...this.#mark, left: Date.now() }, kept.text);
      } catch {
        // Then it ends here.
      }
    }
    this.#mark = undefined;
  }

  /** Forget the run. */
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
      // A page may have broken its own storage; then nothing is in it.
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

// What the visitor has allowed for this session: in this tab, over its runs and pages.

/** Where in sessionStorage it is. */
const ALLOWED_KEY = "webagent.allowed";
/** Actions that are remembered; the oldest are forgotten. */
const MOST = 100;
/** Characters of one. */
const LONGEST = 500;

export class AllowedActions {
  #storage: TabStorage;
  /** For a storage that is full. */
  #names: string[] = [];

  constructor(storage: TabStorage) {
    this.#storage = storage;
  }

  /** Actions by their keys (`Intent.key`), the oldest first. */
  names(): string[] {
    try {
      const kept: unknown = JSON.parse(this.#storage.getItem(ALLOWED_KEY) ?? "null");
      if (Array.isArray(kept)) this.#names = bounded(kept);
    } catch {
      // What is no list was not written here.
    }
    return [...this.#names];
  }

  add(name: unknown): void {
    this.#names = bounded([...this.names().filter((other) => other !== name), name]);
    try {
      this.#storage.setItem(ALLOWED_KEY, JSON.stringify(this.#names));
    } catch {
      // There is no room: it holds as long as the page.
    }
  }
}

function bounded(names: unknown[]): string[] {
  const read = names.filter((name) => typeof name === "string" && name !== "" && name.length <= LONGEST);
  return (read as string[]).slice(-MOST);
}

// Whether this tab keeps a run: all that a page without one has to know.

/** Where in sessionStorage the run of a tab is. */
const RUN_KEY = "webagent.run";

/** A page that may not use its storage keeps nothing. Frames leave runs to the page around them. */
export function runIsKept(): boolean {
  try {
    return window.top === window && sessionStorage.getItem(RUN_KEY) !== null;
  } catch {
    return false;
  }
}
