/** Log entries of a page, collected for a moment: repetitions are counted, and a flood is cut off. */

/** Levels of the console, and two for uncaught errors and rejections. */
export type LogLevel = "debug" | "log" | "info" | "warn" | "error" | "uncaught" | "unhandled";

interface LogEntry {
  level: LogLevel;
  text: string;
  place: string;
  /** How often it was logged. */
  count: number;
}

/** Entries within this time are delivered together. */
const PAUSE_MS = 100;
/** Most different entries in that time; further ones are only counted. */
const MOST_ENTRIES = 20;
/** Most entries that are read in that time, so that a loop costs the page little. */
const MOST_READ = 200;
/** Most entries that are kept until there is a listener. */
const MOST_KEPT = 200;

/** The browser's own timer, even if a page replaces it later. */
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
    // A page that is left delivers its entries before the connection is closed.
    addEventListener("pagehide", () => {
      this.#leaving = true;
      this.#flush();
    });
    addEventListener("pageshow", () => (this.#leaving = false));
  }

  /** Call `listener` with the entries so far and with all later ones. */
  listen(listener: (entry: LogEntry) => void): void {
    this.#listener = listener;
    this.#kept.splice(0).forEach(listener);
  }

  /**
   * Add an entry, if there is room for it.
   *
   * @param read Makes the text; called only if there is room.
   * @param wanted Called at the end of the pause: whether the entry is still unhandled.
   */
  add(
    level: LogLevel,
    read: () => { text: string; place: string } | undefined,
    wanted: () => boolean = () => true,
  ): void {
    this.#timer ??= later(() => this.#flush(), PAUSE_MS);
    // Uncaught errors matter more, so logging cannot use up their room.
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
      this.#deliver({ level: "warn", text: "more was logged than is shown", place: "", count: dropped });
    }
  }

  #deliver(entry: LogEntry): void {
    if (this.#listener) this.#listener(entry);
    else if (this.#kept.length < MOST_KEPT) this.#kept.push(entry);
  }
}

/** Property of a window under which `logs.js` leaves its entries. */
export const LOGS = Symbol.for("webagent.logs");

/** The log entries of a window; undefined where `logs.js` did not run. */
export function logsOf(view: Window): LogEntries | undefined {
  return (view as unknown as Record<symbol, LogEntries | undefined>)[LOGS];
}
