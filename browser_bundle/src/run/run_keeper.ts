/**
 * Hands a run from page to page within a tab.
 *
 * A page resumes a run only if the page that held it was left for this one. A page that is left
 * writes down the time; it was left for the page whose loading began before that time. This excludes
 * a duplicated tab and a window that a script opened, whose storage was copied while the run was
 * held, and a closed tab that is opened again.
 */
import { RunStore, tabStorage, type RunMark } from "./tab_storage.ts";

/** Resumes and abandons the run when pages come and go. */
interface RunOwner {
  /** Resume the run in the store. */
  resume(): void;
  /** The page is left: stop at once, without events and without saving. */
  abandon(): void;
}

/** Most pages that resume a run; more than that is a redirect loop. */
const MOST_RESUMES = 20;

/** A run that was left longer ago than this is not resumed. */
const MOST_AGE_MS = 3_600_000;
/** By how much two clocks of one machine may differ. */
const SLACK_MS = 200;
/** How long the previous page may take to release its lock. */
const LOCK_TIMEOUT_MS = 3000;

export class RunKeeper {
  readonly #store: RunStore;
  readonly #owner: RunOwner;
  #lock: Lock | undefined;

  constructor(owner: RunOwner, storage = tabStorage()) {
    this.#owner = owner;
    this.#store = new RunStore(storage);
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => {
      // The page was in the back/forward cache; the tab's storage is newer than the page's state.
      if (event.persisted) void this.takeUp(true).then((taken) => taken && owner.resume());
    });
  }

  /** Hold a run that begins on this page; drops an earlier run of the tab. */
  async begin(): Promise<void> {
    this.#store.clear();
    this.#release();
    const id = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("");
    this.#store.hold({ v: 1, id, left: null, resumed: 0 });
    await this.#acquireLock(id);
  }

  /**
   * Take over the tab's run if it continues here; returns whether this page holds it now.
   *
   * @param restored Whether the page comes back as it was, from the back/forward cache.
   */
  async takeUp(restored = false): Promise<boolean> {
    await (restored ? this.#left() : untilShown());
    const kept = this.#store.kept();
    if (!kept || this.#store.mark) return false;
    const { mark } = kept;
    if (!isHandedOn(mark, restored) || mark.resumed >= MOST_RESUMES) {
      this.#store.clear();
      return false;
    }
    // The page holds the run already now: if it is left during the wait, it hands the run on.
    const taken = { ...mark, left: null, resumed: mark.resumed + 1 };
    this.#store.hold(taken);
    if (!(await this.#acquireLock(mark.id))) {
      // The page of this run is still alive elsewhere, so this tab has a copy.
      if (this.#store.mark === taken) this.#store.clear();
      return false;
    }
    if (this.#store.mark !== taken) return false;
    try {
      this.#store.save(kept.text);
      return true;
    } catch {
      this.end();
      return false;
    }
  }

  /** The run's text; null when this page holds no run, or nothing of it was saved. */
  load(): string | null {
    return this.#store.load();
  }

  /**
   * Keep the run's text.
   *
   * @throws WebagentError `too_large` when it has to be shorter, `cancelled` when the page was left.
   */
  save(text: string): void {
    this.#store.save(text);
  }

  /** End the run; has no effect on a run of another page. */
  end(): void {
    if (this.#store.mark) this.#store.clear();
    this.#release();
  }

  /** A restored page gets its event before the page that is being left does, so wait for that one. */
  async #left(): Promise<void> {
    const kept = this.#store.kept();
    if (kept) (await takeLock(kept.mark.id, LOCK_TIMEOUT_MS))?.release();
  }

  #leave(): void {
    if (!this.#store.mark) return;
    this.#store.leave();
    this.#owner.abandon();
    this.#release();
  }

  async #acquireLock(id: string): Promise<boolean> {
    const lock = await takeLock(id, LOCK_TIMEOUT_MS);
    if (!lock) return false;
    // During the wait the page may have been left, or the run ended.
    if (this.#store.mark?.id === id) this.#lock = lock;
    else lock.release();
    return true;
  }

  #release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }
}

/** Whether the page that held the run was left for this one. */
function isHandedOn({ left }: RunMark, restored: boolean): boolean {
  if (left === null || Date.now() - left > MOST_AGE_MS) return false;
  // A page from the back/forward cache is in its own tab; it cannot be a copy.
  return restored || Date.now() - performance.now() <= left + SLACK_MS;
}

/** A prerendered page must wait until it is shown. */
async function untilShown(): Promise<void> {
  const prerendering = () => (document as { prerendering?: boolean }).prerendering === true;
  if (!prerendering()) return;
  await new Promise((resolve) => {
    document.addEventListener("prerenderingchange", resolve, { once: true });
  });
}

// The lock: a Web Lock, or messages between tabs. One page at a time holds it.

interface Lock {
  /** Release the lock. */
  release(): void;
}

/** How long other tabs may take to answer. */
const ANSWER_MS = 400;

/**
 * Take the lock of a run; null when another page holds it.
 *
 * @param timeout_ms How long the previous page may take to release it.
 */
async function takeLock(id: string, timeout_ms: number): Promise<Lock | null> {
  const name = `webagent.run.${id}`;
  if (navigator.locks) {
    try {
      return await webLock(name, timeout_ms);
    } catch {
      // Some origins may not use locks.
    }
  }
  return messageLock(name, timeout_ms);
}

function webLock(name: string, timeout_ms: number): Promise<Lock | null> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeout_ms);
  return new Promise((resolve, reject) => {
    const hold = () =>
      new Promise<void>((release) => {
        clearTimeout(timer);
        resolve({ release });
      });
    navigator.locks.request(name, { signal: timeout.signal }, hold).catch((thrown: unknown) => {
      if (timeout.signal.aborted) resolve(null);
      else reject(thrown);
    });
  });
}

/** Without a secure origin there are no Web Locks; instead the holder of a run answers messages. */
async function messageLock(name: string, timeout_ms: number): Promise<Lock | null> {
  const channel = new BroadcastChannel(name);
  const deadline = performance.now() + timeout_ms;
  while (await isHeld(channel)) {
    if (performance.now() < deadline) continue;
    channel.close();
    return null;
  }
  channel.onmessage = ({ data }) => {
    if (data === "whose") channel.postMessage("held");
  };
  return { release: () => channel.close() };
}

function isHeld(channel: BroadcastChannel): Promise<boolean> {
  return new Promise((resolve) => {
    let held = false;
    channel.onmessage = ({ data }) => {
      held ||= data === "held";
    };
    setTimeout(() => resolve(held), ANSWER_MS);
    channel.postMessage("whose");
  });
}
