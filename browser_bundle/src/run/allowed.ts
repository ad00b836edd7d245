/** What the visitor has allowed for this session: in this tab, over its runs and pages. */

import type { TabStorage } from "./tab_storage.ts";

/** Where in sessionStorage it is. */
const ALLOWED_KEY = "webagent.allowed";
/** Actions that are remembered; the oldest are forgotten. */
const MOST = 100;
/** Characters of one. */
const LONGEST = 500;

export class Allowed {
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
