/** What a page has said, gathered for a moment: repetitions become a count, a flood a number. */

interface LogEntry {
  level: LogLevel;
  text: string;
  place: string;
  /** How often it was said. */
  count: number;
}

/** What is said together is told together. */
const PAUSE_MS = 100;
/** Different ones in that time; those over it are only counted. */
const MOST_ENTRIES = 20;
/** How many are looked at in that time at all, so that a loop costs the page little. */
const MOST_READ = 200;
/** Kept while nobody listens yet. */
const MOST_KEPT = 200;

/** The browser's own, whatever a page puts in its place later. */
const later = setTimeout.bind(globalThis);

type PendingEntry = LogEntry & { wanted: () => boolean };

export class LogEntries {
  #gathered = new Map<string, PendingEntry>();
  #read = 0;
  #dropped = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #kept: LogEntry[] = [];
  #leaving = false;
  #listener: ((entry: LogEntry) => void) | undefined;

  constructor() {
    // A page that is left tells what it has said, before the channel is closed.
    addEventListener("pagehide", () => {
      this.#leaving = true;
      this.#flush();
    });
    addEventListener("pageshow", () => (this.#leaving = false));
  }

  /** Tell `listener` what was said so far, and then everything. */
  listen(listener: (entry: LogEntry) => void): void {
    this.#listener = listener;
    this.#kept.splice(0).forEach(listener);
  }

  /**
   * Take what is said, if there is room for it.
   *
   * @param read Makes the text; called only if there is room.
   * @param wanted Asked at the end of the pause: whether nobody has taken care of it meanwhile.
   */
  add(
    level: LogLevel,
    read: () => { text: string; place: string } | undefined,
    wanted: () => boolean = () => true,
  ): void {
    this.#timer ??= later(() => this.#flush(), PAUSE_MS);
    // Errors are few and matter: those that nothing caught do not drown in what is logged.
    const matters = level === "uncaught" || level === "unhandled";
    if (this.#read >= MOST_READ * (matters ? 2 : 1)) {
      this.#dropped++;
      return;
    }
    this.#read++;
    const found = read();
    if (!found) return;
    const key = `${level}\n${found.place}\n${found.text}`;
    const known = this.#gathered.get(key);
    if (known) known.count++;
    else if (this.#gathered.size < MOST_ENTRIES * (matters ? 2 : 1)) {
      this.#gathered.set(key, { level, ...found, count: 1, wanted });
    } else this.#dropped++;
    if (this.#leaving) this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    const dropped = this.#dropped;
    const gathered = [...this.#gathered.values()];
    this.#timer = undefined;
    this.#gathered.clear();
    this.#read = this.#dropped = 0;
    for (const { wanted, ...entry } of gathered) if (wanted()) this.#deliver(entry);
    if (dropped > 0) {
      this.#deliver({ level: "warn", text: "more was said than is shown", place: "", count: dropped });
    }
  }

  #deliver(entry: LogEntry): void {
    if (this.#listener) this.#listener(entry);
    else if (this.#kept.length < MOST_KEPT) this.#kept.push(entry);
  }
}

// Where `logs.js` leaves its entries for the page's script.

export const LOGS = Symbol.for("webagent.logs");

/** The entries of a window; undefined where `logs.js` did not run. */
export function logsOf(view: Window): LogEntries | undefined {
  return (view as unknown as Record<symbol, LogEntries | undefined>)[LOGS];
}

/** Of the console; the last two for errors and rejections that nothing caught. */
export type LogLevel = "debug" | "log" | "info" | "warn" | "error" | "uncaught" | "unhandled";
